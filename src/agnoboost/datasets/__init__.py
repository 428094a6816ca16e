"""Data sets that come with the package, and helpers that make labels scarce or noisy."""

from .bundled import Table, available, load
from .labels import drop_labels, flip_labels

__all__ = ["Table", "available", "drop_labels", "flip_labels", "load"]
