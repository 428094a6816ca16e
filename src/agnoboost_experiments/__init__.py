"""Experiments: each is one command. A new one is a package that declares itself, and a line here."""

from . import complexity, covariate_shift, family, few_labels, halfspaces, label_models, machine_labels, rl, table1

EXPERIMENTS = (
    table1.EXPERIMENT,
    complexity.EXPERIMENT,
    covariate_shift.EXPERIMENT,
    halfspaces.EXPERIMENT,
    family.EXPERIMENT,
    rl.EXPERIMENT,
    few_labels.EXPERIMENT,
    label_models.EXPERIMENT,
    machine_labels.EXPERIMENT,
)
