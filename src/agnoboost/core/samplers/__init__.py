"""Samplers: how a round's batch is made from the margins so far."""

from .base import Change, Draw, LinearForm, LinearPart, Sampler, as_sampler
from .fresh import Fresh
from .reuse import Reuse
from .with_labels import WithLabels

SAMPLERS: dict[str, type[Sampler]] = {"fresh": Fresh, "reuse": Reuse, "with_labels": WithLabels}
