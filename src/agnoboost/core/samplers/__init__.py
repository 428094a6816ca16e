"""Samplers: how a round's batch is made from the margins so far."""

from .base import Change, Draw, LinearForm, LinearPart, Sampler, as_sampler
from .fresh import Fresh, FreshBelowPar
from .reuse import Reuse
from .with_labels import WithLabels

SAMPLERS: dict[str, type[Sampler]] = {
    "fresh": Fresh,
    "fresh_below_par": FreshBelowPar,
    "reuse": Reuse,
    "with_labels": WithLabels,
}
