"""Boosting of parities on a small cube, where every distribution, sample and function is a table over all points.

A round then costs the same whatever the number of rows, and many repetitions run side by side: a table here has the
shape (repetitions, points). The algorithms are those of :mod:`agnoboost.core.recipes`, and give the same tapes (see
``tests/experiments/test_cube.py``).
"""

from .geometry import Cube
from .rounds import Schedule, Trace, boost_tables
from .samplers import FixedTables, FreshTables, MixedTables, ReuseTables, TableSampler, UnlabeledTables
from .samples import CubeProblem

__all__ = [
    "Cube",
    "CubeProblem",
    "FixedTables",
    "FreshTables",
    "MixedTables",
    "ReuseTables",
    "Schedule",
    "TableSampler",
    "Trace",
    "UnlabeledTables",
    "boost_tables",
]
