"""One self-contained HTML page about a model."""

from .writing import write, write_report

__all__ = ["write", "write_report"]
