"""One self-contained HTML page about a model."""

from .html import write_report

__all__ = ["write_report"]
