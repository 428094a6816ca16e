"""Halfspaces over the hypercube under agnostic noise, learned by boosting parities; unlabeled points cost nothing."""

from ..pages import Report
from .design import QUICK, study, summarise
from .halfspaces_page import draw, markdown

REPORT = Report(summarise, markdown, draw)

__all__ = ["QUICK", "REPORT", "study", "summarise"]
