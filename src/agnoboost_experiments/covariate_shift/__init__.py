"""Unlabeled rows from another distribution: what ignoring the shift costs, and what Algorithm 3 makes of it."""

from ..pages import Report
from .covariate_shift_page import draw, markdown
from .design import QUICK, study, summarise

REPORT = Report(summarise, markdown, draw)

__all__ = ["QUICK", "REPORT", "study", "summarise"]
