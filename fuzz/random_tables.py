"""Random tables and labels, as people have them and as nobody should.

One description, two drivers: the campaign chooses with a number, tests with hypothesis, which makes failures small.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd

Choose = Callable[[Sequence[Any]], Any]

ROWS = (1, 2, 3, 5, 9, 16, 30, 60, 120)
GAPS = (0.0, 0.0, 0.1, 0.6, 1.0)


def _objects(values: Sequence[Any]) -> np.ndarray:
    found = np.empty(len(values), dtype=object)
    found[:] = list(values)
    return found


# Each makes a column of n cells.
COLUMNS: dict[str, Callable[[np.random.Generator, int], Any]] = {
    "numbers": lambda rng, n: rng.normal(size=n),
    "whole": lambda rng, n: rng.integers(-3, 4, n),
    "small whole": lambda rng, n: rng.integers(0, 2, n).astype(np.int8),
    "constant": lambda rng, n: np.full(n, 3.5),
    "counts": lambda rng, n: np.arange(n),
    "huge": lambda rng, n: rng.normal(size=n) * 1e300,
    "tiny": lambda rng, n: rng.normal(size=n) * 1e-310,
    "infinite": lambda rng, n: np.where(rng.random(n) < 0.1, np.inf, rng.normal(size=n)),
    "half precision": lambda rng, n: rng.normal(size=n).astype(np.float16),
    "beyond 2^53": lambda rng, n: rng.integers(2**53, 2**62, n),
    "unsigned": lambda rng, n: rng.integers(0, 2**63, n).astype(np.uint64) * 2,
    "flags": lambda rng, n: rng.random(n) < 0.5,
    "words": lambda rng, n: _objects(rng.choice(["a", "b", "ä", "", " "], n)),
    "names": lambda rng, n: _objects([f"name {number}" for number in rng.permutation(n)]),
    "sentences": lambda rng, n: _objects([" ".join(rng.choice(["red", "car", "fast", "ok"], 5)) for _ in range(n)]),
    "long": lambda rng, n: _objects([("x" * int(length)) for length in rng.integers(0, 3000, n)]),
    "odd text": lambda rng, n: _objects(rng.choice(["\x00", "\ud800", "\u202e", "nan", "None", "1e999", "🙂"], n)),
    "numbers as text": lambda rng, n: _objects([f"{value:.2f}" for value in rng.normal(size=n)]),
    "days": lambda rng, n: pd.Timestamp("1999-12-31") + pd.to_timedelta(rng.integers(-40000, 40000, n), unit="D"),
    "days as text": lambda rng, n: _objects(
        [f"{2000 + day % 25}-{1 + day % 12:02}-11" for day in rng.integers(0, 999, n)]
    ),
    "times in a zone": lambda rng, n: pd.date_range("2024-03-30", periods=n, freq="h", tz="Europe/Paris"),
    "durations": lambda rng, n: pd.to_timedelta(rng.integers(-(10**9), 10**9, n), unit="s"),
    "categories": lambda rng, n: pd.Categorical(rng.choice(["u", "v"], n), categories=["v", "u", "unused"]),
    "nullable": lambda rng, n: pd.array(rng.integers(0, 9, n), dtype="Int64"),
    "strings": lambda rng, n: pd.array(rng.choice(["p", "q"], n), dtype="string"),
    "mixed": lambda rng, n: _objects([(1, "1", 2.5, True, b"x")[place] for place in rng.integers(0, 5, n)]),
    "lists": lambda rng, n: _objects([[1, 2]] * n),
    "complex": lambda rng, n: rng.normal(size=n) + 1j,
}

LABELS: dict[str, Callable[[np.random.Generator, int], Any]] = {
    "two words": lambda rng, n: _objects(rng.choice(["no", "yes"], n)),
    "numbers": lambda rng, n: _objects(rng.integers(0, 2, n)),
    "three": lambda rng, n: _objects(rng.choice(["a", "b", "c"], n)),
    "many": lambda rng, n: _objects(rng.integers(0, 12, n)),
    "one class": lambda rng, n: _objects(["only"] * n),
    "rare": lambda rng, n: _objects(np.where(np.arange(n) == 0, "rare", "usual")),
    "flags": lambda rng, n: _objects((rng.random(n) < 0.5).tolist()),
    "fractions": lambda rng, n: _objects(rng.random(n)),
    "minus one": lambda rng, n: _objects(rng.choice([-1, 0, 1], n)),
    "mixed": lambda rng, n: _objects([("1", 1)[place] for place in rng.integers(0, 2, n)]),
    "days": lambda rng, n: _objects(
        [pd.Timestamp("2024-01-01") + pd.Timedelta(days=int(day)) for day in rng.integers(0, 2, n)]
    ),
    "lists": lambda rng, n: _objects([[1]] * n),
}


USUAL_LABELS = ("two words", "numbers", "three", "flags", "rare")
USUAL_COLUMNS = (
    "numbers", "whole", "small whole", "constant", "counts", "flags", "words", "names", "sentences", "numbers as text",
    "days", "days as text", "times in a zone", "durations", "categories", "nullable", "strings",
)  # fmt: skip


def table_recipe(choose: Choose) -> dict[str, Any]:
    """What a table holds, in JSON; half of them as people would have it."""
    usual = choose((True, False))
    columns = USUAL_COLUMNS if usual else tuple(COLUMNS)
    return {
        "seed": choose(range(1000)),
        "rows": choose(ROWS[-4:] if usual else ROWS),
        "columns": [{"kind": choose(columns), "gaps": choose(GAPS)} for _ in range(choose((1, 1, 2, 3, 5)))],
        "labels": choose(USUAL_LABELS if usual else tuple(LABELS)),
        "unlabeled": choose((0.0, 0.2, 0.6) if usual else (0.0, 0.2, 0.6, 0.9, 1.0)),
        "names": choose(("plain", "numbers") if usual else ("plain", "plain", "numbers", "twice", "odd")),
        "form": "frame" if usual else choose(("frame", "frame", "array")),
    }


def made(recipe: dict[str, Any]) -> tuple[Any, np.ndarray]:
    """The table and its labels."""
    rng = np.random.default_rng(recipe["seed"])
    rows = recipe["rows"]
    columns = [_with_gaps(COLUMNS[one["kind"]](rng, rows), one["gaps"], rng) for one in recipe["columns"]]
    y = LABELS[recipe["labels"]](rng, rows)
    y[rng.random(rows) < recipe["unlabeled"]] = None
    table = pd.concat(columns, axis=1)
    table.columns = _names(recipe["names"], len(columns))
    return (table if recipe["form"] == "frame" else table.to_numpy()), y


def _with_gaps(column: Any, share: float, rng: np.random.Generator) -> pd.Series:
    series = pd.Series(column, dtype=getattr(column, "dtype", None))  # objects stay objects
    return series.mask(rng.random(len(series)) < share) if share else series


def _names(kind: str, count: int) -> list[Any]:
    return {
        "plain": [f"column {place}" for place in range(count)],
        "numbers": list(range(count)),
        "twice": ["same"] * count,
        "odd": ["", None, 3, "ä\n", ("a", 1)][:count],
    }[kind]
