"""Data sets: the paper's six, larger ones, made ones; and helpers that make labels scarce or noisy."""

from .bundled import Table, available, load
from .fetched import fetch
from .generated import make_waveform
from .labels import drop_labels, flip_labels

__all__ = ["Table", "available", "drop_labels", "fetch", "flip_labels", "load", "make_waveform"]
