"""Labels as they really come: what each label model brings, against what a user would do without it."""

from ..experiment import DATA, Experiment, Option

EXPERIMENT = Experiment(
    "label-models",
    __name__,
    "Positives only, flipped labels, votes and soft labels: what label models bring.",
    (
        DATA,
        Option("seeds", 10, "Random splits of each kind.", least=1),
        Option("situations", None, "A situation, such as flips; all of them by default.", several=True),
    ),
    quick={"seeds": 2, "situations": ("votes", "soft")},
)
