"""Labels as they really come: with gaps, soft, voted, flipped, or of one class only.

``reading``: label columns with gaps. ``models``: what a label model is (``parameters`` are what scikit-learn wants of
it); ``soft``, ``crowd`` (with ``posteriors`` and ``annotators``) and ``positives`` have one each. ``channel``: labels
of which P(seen | true class) is known; ``flips`` and ``noise`` have such matrices. ``machine``: labels by machines.
Flip rates and class priors by looking at the data (``estimate_flip_rates``, ``estimate_prior``) need a classifier, and
are handed out from :mod:`agnoboost.estimators.table.label_estimates`.

Pass a label model to any of the classifiers (``label_model=FlipRates(0.2)``), or take its ``pools`` for the recipes of
the core.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .annotators import Annotator
from .channel import Chain, LabelChannel
from .crowd import CrowdVotes, DawidSkene, dawid_skene
from .flips import AuditedRates, FlipRates, audit_flip_rates
from .models import ClassLabels, Evidence, LabelModel
from .noise import ComplementaryLabels, NoiseMatrix, RandomisedResponse, SeenChance, chance_weights
from .positives import PositiveUnlabeled
from .soft import SoftLabels

if TYPE_CHECKING:
    from ..estimators.table.label_estimates import (
        FlipRateEstimate,
        PriorEstimate,
        estimate_flip_rates,
        estimate_prior,
    )

LABEL_MODELS: dict[str, type[LabelModel]] = {
    "class_labels": ClassLabels,
    "soft": SoftLabels,
    "crowd": CrowdVotes,
    "flips": FlipRates,
    "noise_matrix": NoiseMatrix,
    "complementary": ComplementaryLabels,
    "randomised_response": RandomisedResponse,
    "seen_chance": SeenChance,
    "chain": Chain,
    "positive_unlabeled": PositiveUnlabeled,
}

__all__ = [
    "LABEL_MODELS",
    "Annotator",
    "AuditedRates",
    "Chain",
    "ClassLabels",
    "ComplementaryLabels",
    "CrowdVotes",
    "DawidSkene",
    "Evidence",
    "FlipRateEstimate",
    "FlipRates",
    "LabelChannel",
    "LabelModel",
    "NoiseMatrix",
    "PositiveUnlabeled",
    "PriorEstimate",
    "RandomisedResponse",
    "SeenChance",
    "SoftLabels",
    "audit_flip_rates",
    "chance_weights",
    "dawid_skene",
    "estimate_flip_rates",
    "estimate_prior",
]

# The one door from this room to one above it, opened when a name is asked for: they are public here.
_ESTIMATES = {"FlipRateEstimate", "PriorEstimate", "estimate_flip_rates", "estimate_prior"}


def __getattr__(name: str) -> Any:
    if name in _ESTIMATES:
        return getattr(import_module("agnoboost.estimators.table.label_estimates"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_ESTIMATES})
