"""Labels as they really come: with gaps, soft, voted, flipped, or of one class only.

``reading``: label columns with gaps. ``models``: what a label model is; ``soft``, ``crowd``, ``flips`` and
``positives`` have one each. ``estimates``: flip rates and class priors by looking, with what cannot be known that way.

Pass a label model to any of the classifiers (``label_model=FlipRates(0.2)``), or take its ``pools`` for the recipes of
the core.
"""

from .crowd import CrowdVotes, DawidSkene, dawid_skene
from .estimates import FlipRateEstimate, PriorEstimate, estimate_flip_rates, estimate_prior
from .flips import AuditedRates, FlipRates, audit_flip_rates
from .models import ClassLabels, Evidence, LabelModel
from .positives import PositiveUnlabeled
from .soft import SoftLabels

LABEL_MODELS: dict[str, type[LabelModel]] = {
    "class_labels": ClassLabels,
    "soft": SoftLabels,
    "crowd": CrowdVotes,
    "flips": FlipRates,
    "positive_unlabeled": PositiveUnlabeled,
}

__all__ = [
    "LABEL_MODELS",
    "AuditedRates",
    "ClassLabels",
    "CrowdVotes",
    "DawidSkene",
    "Evidence",
    "FlipRateEstimate",
    "FlipRates",
    "LabelModel",
    "PositiveUnlabeled",
    "PriorEstimate",
    "SoftLabels",
    "audit_flip_rates",
    "dawid_skene",
    "estimate_flip_rates",
    "estimate_prior",
]
