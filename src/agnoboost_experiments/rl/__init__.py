"""Learning policies where rewards are expensive: worlds that are known exactly, and a pole to balance."""

from ..pages import Report
from .design import QUICK, study, summarise
from .rl_page import draw, markdown

REPORT = Report(summarise, markdown, draw)

__all__ = ["QUICK", "REPORT", "study", "summarise"]
