"""Few labels: what a user would try in ten minutes, against what we offer."""

from ..pages import Report
from .design import QUICK, study, summarise
from .few_labels_page import draw, markdown

REPORT = Report(summarise, markdown, draw)

__all__ = ["QUICK", "REPORT", "study", "summarise"]
