"""Table 1 of the paper: six data sets, four noise levels, PAB against Algorithm 1; honestly, and as it was printed."""

from ..pages import Report
from .design import PROTOCOLS, QUICK, check_data_sets, study, summarise
from .table1_page import draw, markdown

REPORT = Report(summarise, markdown, draw)

__all__ = ["PROTOCOLS", "QUICK", "REPORT", "check_data_sets", "study", "summarise"]
