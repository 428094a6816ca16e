"""Hypotheses and tapes as arrays. Each kind of hypothesis has a codec: one class, one line in ``CODECS``."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain, pairwise, repeat
from typing import Any

import numpy as np
import numpy.typing as npt

from ..basics.names import parts, prefixed, under
from ..basics.typing import Arrays
from ..core.learners.base import Constant, Hypothesis
from ..core.learners.linear import Linear
from ..core.learners.parity import Parity
from ..core.learners.regression_tree import RegressionTree
from ..core.learners.stump import CategoryStump, Stump
from ..core.learners.tree import CategorySet, Cut, Leaf, Node, Split, Tree
from ..core.tape import Add, AddWithin, Shrink, Step, Tape
from .hypothesis_schemas import CUT, LEAF, NO_LIMIT, SET, SHRINK, TAPE
from .regression_trees import decode_regression_trees, encode_regression_trees

AT_ONCE = 10_000  # numbers that become objects at a time
MOST_TESTS = 50_000  # that are looked for among those of earlier nodes


@dataclass(frozen=True)
class Codec:
    """A list of hypotheses to arrays, and back."""

    name: str
    encode: Callable[[Sequence[Any]], Arrays]
    decode: Callable[[Arrays], list[Hypothesis]]


def pack_tape(tape: Tape) -> Arrays:
    """Steps as (hypothesis number, coef), with the limits of projections where there are any; hypotheses by kind."""
    numbers: dict[Hypothesis, int] = {}
    which = [
        SHRINK if isinstance(step, Shrink) else numbers.setdefault(step.hypothesis, len(numbers)) for step in tape.steps
    ]
    arrays: Arrays = {"which": _ints(which), "coef": _ints([step.coef for step in tape.steps])}
    if any(isinstance(step, AddWithin) for step in tape.steps):
        arrays["limit"] = _ints([step.limit if isinstance(step, AddWithin) else NO_LIMIT for step in tape.steps])
    by_kind: dict[type[Hypothesis], list[tuple[int, Hypothesis]]] = {}
    for hypothesis, number in numbers.items():
        by_kind.setdefault(type(hypothesis), []).append((number, hypothesis))
    for kind, group in by_kind.items():
        codec = CODECS.get(kind)
        if codec is None:
            raise ValueError(
                f"Models of the built-in weak learners can be saved. This one holds {kind.__name__}, which wraps a "
                "foreign estimator. Save it with skops (skops.io.dump), which checks what it loads."
            )
        arrays[f"{codec.name}/number"] = _ints([number for number, _ in group])
        arrays |= prefixed(f"{codec.name}/", codec.encode([hypothesis for _, hypothesis in group]))
    return arrays


def pack_tapes(tapes: Sequence[Tape]) -> Arrays:
    """Several tapes, each under its number."""
    return {f"tape{i}/{name}": array for i, tape in enumerate(tapes) for name, array in pack_tape(tape).items()}


def unpack_tapes(arrays: Arrays, units: Sequence[float]) -> list[Tape]:
    """The tapes that :func:`pack_tapes` packed, in units of their own; the arrays have been checked."""
    each = parts(arrays)
    return [_unpacked(each[f"tape{i}"], unit) for i, unit in enumerate(units)]


def unpack_tape(arrays: Arrays, unit: float, features: int) -> Tape:
    """The tape that :func:`pack_tape` packed; its hypotheses may look at columns below ``features``."""
    TAPE.check(arrays, "tape/", {"columns": features})
    return _unpacked(arrays, unit)


def _unpacked(arrays: Arrays, unit: float) -> Tape:
    with _collector_paused():
        return Tape.of(unit, _unpack_steps(arrays))


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Making millions of objects, all of which stay, is twice as fast if Python does not look for garbage meanwhile."""
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            gc.enable()


def _unpack_steps(arrays: Arrays) -> list[Step]:
    groups = [(codec, own) for codec in CODECS.values() if (own := under(arrays, f"{codec.name}/"))]
    hypotheses: list[Any] = [None] * sum(len(own["number"]) for _, own in groups)
    for codec, own in groups:
        for number, hypothesis in zip(_values(own["number"]), codec.decode(own), strict=True):
            hypotheses[number] = hypothesis
    which, coefs = arrays["which"], arrays["coef"]
    limits = _values(arrays["limit"]) if "limit" in arrays else repeat(NO_LIMIT, len(which))
    steps: list[Step] = []
    for number, coef, limit in zip(_values(which), _values(coefs), limits, strict=True):
        if number == SHRINK:
            steps.append(Shrink(coef))
        elif limit == NO_LIMIT:
            steps.append(Add(hypotheses[number], coef))
        else:
            steps.append(AddWithin(hypotheses[number], coef, limit))
    return steps


def _values(array: npt.NDArray[Any]) -> Iterator[Any]:
    """The entries as Python's own numbers, some at a time: a list of all of them takes five times the array's room."""
    for start in range(0, len(array), AT_ONCE):
        yield from array[start : start + AT_ONCE].tolist()


def _ints(values: Sequence[Any]) -> npt.NDArray[np.int64]:
    return np.array(values, dtype=np.int64)


def _lists(values: Sequence[Sequence[int]]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Lists of numbers as (ends, all numbers in a row)."""
    flat = [number for numbers in values for number in numbers]
    return np.cumsum([len(numbers) for numbers in values], dtype=np.int64), _ints(flat)


def _unlist(ends: npt.NDArray[Any], flat: npt.NDArray[Any]) -> Iterator[tuple[int, ...]]:
    if not len(flat):  # the usual case for trees: no categories
        return repeat((), len(ends))
    return (tuple(flat[start:end].tolist()) for start, end in pairwise(chain([0], _values(ends))))


def _by_fields(name: str, kind: type[Hypothesis], **forms: Form) -> Codec:
    """A codec for hypotheses that are a few plain fields each, in the order of their constructor."""

    def encode(group: Sequence[Any]) -> Arrays:
        parts = (form.pack(field, [getattr(one, field) for one in group]) for field, form in forms.items())
        return {part: array for arrays in parts for part, array in arrays.items()}

    def decode(arrays: Arrays) -> list[Hypothesis]:
        columns = (form.unpack(field, arrays) for field, form in forms.items())
        return [kind(*values) for values in zip(*columns, strict=True)]

    return Codec(name, encode, decode)


@dataclass(frozen=True)
class Form:
    """How a field of many hypotheses is kept."""

    pack: Callable[[str, list[Any]], Arrays]
    unpack: Callable[[str, Arrays], Iterable[Any]]


_INT = Form(lambda field, values: {field: _ints(values)}, lambda field, arrays: _values(arrays[field]))
_FLOAT = Form(lambda field, values: {field: np.array(values, dtype=np.float64)}, _INT.unpack)
_ROW = Form(_FLOAT.pack, lambda field, arrays: (tuple(row.tolist()) for row in arrays[field]))


def _list_form(ends: str) -> Form:
    """Tuples of numbers; ``ends`` names the array that says where each ends."""
    return Form(
        lambda field, values: dict(zip((ends, field), _lists(values), strict=True)),
        lambda field, arrays: _unlist(arrays[ends], arrays[field]),
    )


_COLUMNS = ("kind", "value_or_feature", "threshold", "missing", "below", "above")


def _encode_trees(trees: Sequence[Tree]) -> Arrays:
    """All nodes in a row, children before their parents; ``root`` names each tree's last node."""
    rows: list[tuple[int, int, float, int, int, int]] = []
    sets: list[tuple[int, ...]] = []

    def add(node: Node) -> int:
        if isinstance(node, Leaf):
            rows.append((LEAF, node.value, 0.0, 0, 0, 0))
            sets.append(())
            return len(rows) - 1
        below, above = add(node.below), add(node.above)
        test = node.test
        kind, threshold = (CUT, test.threshold) if isinstance(test, Cut) else (SET, 0.0)
        rows.append((kind, test.feature, threshold, int(test.missing), below, above))
        sets.append(test.members if isinstance(test, CategorySet) else ())
        return len(rows) - 1

    arrays = {"root": _ints([add(tree.root) for tree in trees])}
    for name, column in zip(_COLUMNS, zip(*rows, strict=True), strict=True):
        arrays[name] = np.array(column, dtype=np.float64 if name == "threshold" else np.int64)
    arrays["ends"], arrays["members"] = _lists(sets)
    return arrays


def _decode_trees(arrays: Arrays) -> list[Hypothesis]:
    sets = _unlist(arrays["ends"], arrays["members"])
    nodes: list[Node] = []
    leaves = {-1: Leaf(-1), 1: Leaf(1)}
    tests: dict[Any, Cut | CategorySet] = {}  # equal tests are one object: there are far fewer of them than nodes
    for (kind, number, threshold, missing, below, above), members in zip(
        zip(*(_values(arrays[name]) for name in _COLUMNS), strict=True), sets, strict=True
    ):
        if kind == LEAF:
            nodes.append(leaves[number])
            continue
        key = (kind, number, threshold, missing, members)
        test = tests.get(key)
        if test is None:
            made = Cut(number, threshold, bool(missing)) if kind == CUT else CategorySet(number, members, bool(missing))
            test = tests.setdefault(key, made) if len(tests) < MOST_TESTS else made
        nodes.append(Split(test, nodes[below], nodes[above]))
    return [Tree(nodes[root]) for root in _values(arrays["root"])]


_PLUS, _MINUS, _SUBSET = _list_form("plus_ends"), _list_form("minus_ends"), _list_form("ends")

CODECS: dict[type[Hypothesis], Codec] = {
    Stump: _by_fields("stump", Stump, feature=_INT, threshold=_FLOAT, sign=_INT, missing=_INT),
    CategoryStump: _by_fields("category_stump", CategoryStump, feature=_INT, plus=_PLUS, minus=_MINUS, missing=_INT),
    Tree: Codec("tree", _encode_trees, _decode_trees),
    RegressionTree: Codec("regression_tree", encode_regression_trees, decode_regression_trees),
    Parity: _by_fields("parity", Parity, subset=_SUBSET, sign=_INT),
    Linear: _by_fields("linear", Linear, weights=_ROW, offset=_FLOAT),
    Constant: _by_fields("constant", Constant, value=_INT),
}
