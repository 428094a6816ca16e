"""One self-contained HTML page about a model."""

from .page import write_report

__all__ = ["write_report"]
