"""What the file of a table model may hold."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...basics.array_schema import Array, ArrayGroup
from ...basics.fact_schema import (
    Flag,
    ListOf,
    MapOf,
    Maybe,
    Number,
    OneOf,
    Record,
    SchemaError,
    Sizes,
    Whole,
)
from ...basics.names import parts
from ...basics.typing import Arrays
from ...files.common import COMMON, common_sizes
from ...files.container import Facts
from ...files.schema import FileSchema
from ...kernels.binning import MAX_BINS, MISSING, WIDTH
from ...kernels.forest import LARGEST, Forest
from ...tables.readers.number import LARGEST as LARGEST_CELL
from .columns import Scores
from .kernel_ridge import KERNELS
from .machine_schema import MACHINES, check_machines

_SUM = Record(
    {"kind": OneOf(KERNELS), "intercept": Number(-LARGEST, LARGEST), "width": Number(0.0, LARGEST)},
    frozenset({"width"}),
)
_FACTS = Record(
    {
        "missing": ListOf(Flag(), "columns", least=1),
        "bins": Record(
            {
                "cuts": ListOf(ListOf(Number(-LARGEST_CELL, LARGEST_CELL), most=MAX_BINS - 1), "columns"),
                "categorical": ListOf(Whole(0, "columns"), distinct=True),
            }
        ),
        "last": Whole(0, MISSING - 1),
        "sizes": MapOf(Whole(0, MAX_BINS), "columns"),
        "weights": ListOf(MapOf(Number()), "problems", least=1),
        "slopes": ListOf(Number(-LARGEST, LARGEST), "problems"),
        "sharpness": Number(0.0, LARGEST),
        "importances": Maybe(ListOf(Number(), "features")),
        "sums": ListOf(ListOf(_SUM), "problems"),
        "machines": MACHINES,
    },
    optional=frozenset({"machines"}),
    meaning={
        "missing": "whether each column of the matrix has gaps",
        "bins": "the cuts of each column, and which columns are categories",
        "last": "the bin that the rarest categories share",
        "sizes": "how many categories each such column has",
        "weights": "of the members, for each problem",
        "slopes": "how sure the sum is, for each problem",
        "sharpness": "of several classes",
        "importances": "of the columns of the table; null in files that were made without",
        "sums": "kind, intercept and width of the sums of each problem",
        "machines": "what machine labels were worth, if there were some",
    },
)
_ARRAYS = ArrayGroup(
    {
        "unseen": Array(
            "number", ("labeled", "problems"), "margins of labeled rows by members that have not seen them", gaps=True
        ),
        "given": Array("whole", (2, "labeled"), "the numbers of these rows and of their classes", 0, optional=True),
        "ranks": ArrayGroup(
            {
                "{}": Array(
                    "whole",
                    (None,),
                    "the places of categories, the most frequent first",
                    0,
                    optional=True,
                    count="columns",
                )
            },
            optional=True,
        ),
        "scores": ArrayGroup(
            {"{}": Array("number", (2, None), "values of a column, and their scores", count="columns")}
        ),
        "problem{}": ArrayGroup(
            {
                "curves": Array(
                    "number", ("columns", WIDTH), "the value of each bin, by all stumps", -LARGEST, LARGEST
                ),
                "forest": Forest.schema,
                "sum{}": ArrayGroup(
                    {
                        "coefficients": Array("number", (None,), "of scores, or of rows", -LARGEST, LARGEST),
                        "rows": Array(
                            "number", (None, None), "with which rows are compared", -LARGEST, LARGEST, optional=True
                        ),
                    },
                    optional=True,
                    count="sums",
                ),
            },
            count="problems",
        ),
    }
)


def scores_of(facts: Facts, arrays: Arrays) -> Scores:
    """Columns as kernels see them."""
    tables = [arrays[f"scores/{column}"].astype(np.float64) for column in range(len(facts["missing"]))]
    sizes = {int(column): size for column, size in facts["sizes"].items()}
    return Scores([one[0] for one in tables], [one[1] for one in tables], facts["missing"], sizes)


def _sizes(facts: Facts, arrays: Arrays, sizes: Sizes) -> Arrays:
    sizes["sums"] = max(map(len, facts["sums"]))
    left = common_sizes(facts, arrays, sizes)
    unseen = arrays.get("unseen")  # in memory one problem has one dimension
    return left if unseen is None or unseen.ndim != 1 else left | {"unseen": unseen[:, None]}


def _check_fit(facts: Facts, arrays: Arrays, sizes: Sizes) -> None:
    """What no array can show alone: columns of categories, increasing cuts, and sums of as many scores as there are."""
    _check_columns(facts, arrays)
    scores = scores_of(facts, arrays)
    if any((np.diff(knots) <= 0).any() for knots in scores.knots):
        raise SchemaError("the values at which scores are known must go up")
    width = len(scores.columns)
    problems = parts(arrays)
    for number, sums in enumerate(facts["sums"]):
        kept = parts(problems[f"problem{number}"])
        if arrays[f"problem{number}/forest/base"].size != 1:
            raise SchemaError(f"problem{number}/forest must be of one run")
        for place in range(sizes["sums"]):
            if not _is_sum(sums[place] if place < len(sums) else None, kept[f"sum{place}"], width):
                raise SchemaError(f"the kernel models of problem {number} must be of {width} scores, as all rows are")
    if "given" in arrays and (arrays["given"][1] >= sizes["classes"]).any():
        raise SchemaError("given must name classes of the model")
    if "machines" in facts:
        check_machines(facts["machines"], facts["classes"]["values"])


def _check_columns(facts: Facts, arrays: Arrays) -> None:
    cuts, categorical = facts["bins"]["cuts"], {str(column) for column in facts["bins"]["categorical"]}
    if any((np.diff(own) <= 0).any() for own in cuts):
        raise SchemaError("the cuts of a column must go up")
    ranks = parts(arrays)["ranks"]
    if not categorical == facts["sizes"].keys() == ranks.keys():
        raise SchemaError("bins, sizes and ranks must be of the same columns of categories")
    if not all(facts["sizes"][column] <= len(ranks[column]) <= MAX_BINS for column in categorical):
        raise SchemaError(f"ranks must have a place for each category, and {MAX_BINS} at most")
    if not all(np.array_equal(np.sort(rank), np.arange(len(rank))) for rank in ranks.values()):
        raise SchemaError("ranks must be 0, 1, ..., each once")


def _is_sum(facts: dict[str, Any] | None, arrays: Arrays, width: int) -> bool:
    """Whether a sum has what its kind needs, and nothing else."""
    shapes = {name: array.shape for name, array in arrays.items()}
    if facts is None:
        return not shapes
    if facts["kind"] == "linear":
        return shapes == {"coefficients": (width,)}
    return "width" in facts and shapes.get("rows") == (*shapes["coefficients"], width)


SCHEMA = FileSchema(COMMON | _FACTS, _ARRAYS, _sizes, _check_fit)
