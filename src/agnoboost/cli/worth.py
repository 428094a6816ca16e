"""``agnoboost worth``: what more labels would bring."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from ..basics.stages import Stages
from ..estimators import TableClassifier
from ..evaluation.learning_curve import FITS, labeling_curve
from .classifiers import Effort
from .console import Facts, progress, say
from .labeled_table import Categorical, DataPath, Drop, MachineColumn, MissingLabel, Seed, Target, read_labeled
from .places import check_places
from .reading import Reader, reads_tables


@reads_tables
def worth(
    read: Reader,
    data: DataPath,
    target: Target,
    more: Annotated[int, typer.Option(min=1, help="How many more labels.")] = 100,
    machine_column: MachineColumn = None,
    drop: Drop = None,
    categorical: Categorical = None,
    missing_label: MissingLabel = None,
    effort: Annotated[Effort, typer.Option(help="Of each of the 50 models.")] = Effort.fast,
    seed: Seed = 0,
) -> Facts:
    """Estimate how much more accurate the model would be with more labels."""
    check_places([data], {})
    rows = read_labeled(read, data, target, drop, categorical, missing_label, machine_column)
    model = TableClassifier(effort=effort.value, missing_label=None, random_state=seed, **rows.settings)
    with progress() as show:
        stages = Stages(show=show)
        stages.begin("models of parts of the labels")
        done = iter(range(1, FITS + 1))
        curve = labeling_curve(
            model,
            rows.X,
            rows.y,
            missing_label=None,
            random_state=seed,
            tick=lambda: stages.count(next(done), FITS),
            **rows.beside,
        )
    found = curve.worth(more)
    for size, accuracy in zip(curve.sizes, curve.accuracies, strict=True):
        say(f"{size:>7} labels: accuracy {accuracy:.3f} on rows left out")
    say(str(found))
    measured = dict(zip(curve.sizes.tolist(), curve.accuracies.tolist(), strict=True))
    return {**asdict(found), "measured": measured}
