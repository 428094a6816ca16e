"""Labels as they really come: what each label model brings, against what a user would do without it."""

from ..pages import Report
from .design import QUICK, study, summarise
from .label_models_page import draw, markdown

REPORT = Report(summarise, markdown, draw)

__all__ = ["QUICK", "REPORT", "study", "summarise"]
