"""How many labels each algorithm needs for an excess of epsilon: the paper's central claim as a figure."""

from ..pages import Report
from .complexity_page import draw, markdown
from .design import QUICK, study, summarise

REPORT = Report(summarise, markdown, draw)

__all__ = ["QUICK", "REPORT", "study", "summarise"]
