"""Stump and tree models as ONNX, for serving without Python.

A run of additions becomes one TreeEnsembleRegressor whose leaves are whole numbers of units; case-B steps become
H - c*sign(H). ONNX adds leaves in single precision, which counts up to 2**24 exactly: whole thousands and the rest are
added apart, so that the result equals the model's own to rounding of the last multiplication.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..basics.atomic import replacing
from ..basics.extras import require
from ..core.learners.base import Constant, Hypothesis
from ..core.learners.regression_tree import RegressionTree
from ..core.learners.stump import Stump
from ..core.learners.tree import Cut, Leaf, Node, Tree
from ..core.learners.walk import Walk
from ..core.probabilities import FENCE, SOFT
from ..core.tape import AddWithin, Shrink, Tape

_LARGEST = np.finfo(np.float64).max
_EXACT = 2**24  # whole numbers up to here are exact in single precision
_THOUSAND = 2**12  # leaves are so many times their high part, plus their low part


@dataclass(frozen=True)
class Branch:
    """x[feature] <= threshold goes to ``below``; NaN too, if ``missing_below``."""

    feature: int
    threshold: float
    below: Branch | int
    above: Branch | int
    missing_below: bool


def export_onnx(model: Any, path: str | Path) -> None:
    """Write a fitted model with stumps or trees as ONNX; needs the extra ``onnx``.

    The graph takes ``X`` (double, shape (rows, features)) and gives ``label`` and ``probabilities``.

    Parameters
    ----------
    model : AgnosticBoostingClassifier
        A fitted one, with stumps or trees, on columns of numbers.
    path : str or Path
        Where to write.
    """
    onnx = require("onnx", "onnx", "ONNX export needs the package onnx")
    check_is_fitted(model, "tape_")
    if not model._encoder.only_numbers:
        found = sorted({reader.kind for reader in model._encoder.readers} - {"number"})
        raise ValueError(
            f"ONNX export is for numeric tables. Got columns of other kinds: {', '.join(found)}. Encode them before "
            "fitting, for example with sklearn.preprocessing.OneHotEncoder, or drop them."
        )
    graph = _Graph(onnx, model.n_features_in_)
    margins = [graph.margin(tape) for tape in model._tapes]
    graph.outputs(margins, model.classes_, model._cut)
    with replacing(path) as file:
        file.write(graph.model().SerializeToString())


class _Graph:
    """Collects nodes and constants."""

    def __init__(self, onnx: Any, features: int):
        self._onnx, self._features = onnx, features
        self._nodes: list[Any] = []
        self._constants: list[Any] = []
        self._outputs: list[Any] = []

    def _node(self, op: str, inputs: list[str], name: str | None = None, **attributes: Any) -> str:
        name = name or f"{op}_{len(self._nodes)}"
        self._nodes.append(self._onnx.helper.make_node(op, inputs, [name], **attributes))
        return name

    def _constant(self, value: Any, dtype: Any = np.float64) -> str:
        name = f"constant_{len(self._constants)}"
        self._constants.append(self._onnx.numpy_helper.from_array(np.asarray(value, dtype=dtype), name))
        return name

    def margin(self, tape: Tape) -> str:
        """Nodes for H(x), shape (rows, 1)."""
        if sum(step.coef // _THOUSAND + 1 for step in tape.steps) >= _EXACT or len(tape) * _THOUSAND >= _EXACT:
            raise ValueError(
                "ONNX adds up margins in single precision, up to 2**36 units and 4,095 rounds. This model needs more: "
                "use a fixed step (algorithm1, algorithm2 or algorithm3) and fewer rounds."
            )
        if any(isinstance(step, AddWithin) for step in tape.steps):
            raise ValueError("ONNX export is for additions and case-B steps. This one has projections (feldman_2009).")
        first = self._node("Slice", ["X", *(self._constant([v], np.int64) for v in (0, 1, 1))])
        missing = self._node("IsNaN", [first])  # a column of zeros, in the shape of the rows
        units = self._node("Where", [missing, self._constant(0.0), self._constant(0.0)])
        for run in _runs(tape):
            if isinstance(run, Shrink):
                coef = float(run.coef)
                positive = self._node("GreaterOrEqual", [units, self._constant(0.0)])
                back = self._node("Where", [positive, self._constant(coef), self._constant(-coef)])
                units = self._node("Sub", [units, back])
            else:
                units = self._node("Add", [units, self._ensemble(run)])
        return self._node("Mul", [units, self._constant(tape.unit)])

    def _ensemble(self, trees: list[Branch | int]) -> str:
        columns: dict[str, list[Any]] = {name: [] for name in (*_NODE_COLUMNS, *_LEAF_COLUMNS)}
        for tree, root in enumerate(trees):
            _flatten(root, tree, 0, columns)
        values, weights = columns.pop("nodes_values"), columns.pop("target_weights")
        from_array = self._onnx.numpy_helper.from_array
        attributes: dict[str, Any] = {
            "nodes_values_as_tensor": from_array(np.array(values, dtype=np.float64)),
            "target_weights_as_tensor": from_array(np.array(weights, dtype=np.float64)),
            **columns,
        }
        raw = self._node("TreeEnsembleRegressor", ["X"], domain="ai.onnx.ml", n_targets=2, **attributes)
        parts = self._node("Cast", [raw], to=self._onnx.TensorProto.DOUBLE)
        return self._node("MatMul", [parts, self._constant([[1.0], [float(_THOUSAND)]])])

    def outputs(self, margins: list[str], classes: Any, cut: float) -> None:
        """Label and probabilities from the margins, as in the estimator."""
        one, two, soft = self._constant(1.0), self._constant(2.0), self._constant(SOFT)
        if len(margins) == 1:
            H = self._on_one_side(margins[0])
            value = self._on_one_side(self._node("Sub", [margins[0], self._constant(cut)]))
            positive = self._node("Greater", [value, self._constant(0.0)])
            place = self._node("Cast", [positive], to=self._onnx.TensorProto.INT64)
            place = self._node("Squeeze", [place, self._constant([1], np.int64)])
        else:
            H = self._node("Concat", margins, axis=1)
            place = self._node("ArgMax", [H], axis=1, keepdims=0)
        clipped = self._node("Max", [self._node("Min", [H, one]), self._constant(-1.0)])
        hard = self._node("Div", [self._node("Add", [clipped, one]), two])
        slope = self._node("Div", [H, self._node("Add", [self._node("Abs", [H]), one])])
        smooth = self._node("Div", [self._node("Add", [slope, one]), two])
        # Not (1 - SOFT)*hard + SOFT*smooth: runtimes drop a multiplication by a number that is 1 in single precision.
        p = self._node("Add", [hard, self._node("Mul", [self._node("Sub", [smooth, hard]), soft])])
        if len(margins) == 1:
            self._node("Concat", [self._node("Sub", [one, p]), p], "probabilities", axis=1)
        else:
            total = self._node("ReduceSum", [p, self._constant([1], np.int64)], keepdims=1)
            self._node("Div", [p, total], "probabilities")
        self._labels(place, classes)
        double = self._onnx.TensorProto.DOUBLE
        shape = [None, max(2, len(margins))]
        self._outputs.append(self._onnx.helper.make_tensor_value_info("probabilities", double, shape))

    def _on_one_side(self, margin: str) -> str:
        on_fence = self._node("Equal", [margin, self._constant(0.0)])
        return self._node("Where", [on_fence, self._constant(FENCE), margin])

    def _labels(self, place: str, classes: Any) -> None:
        proto = self._onnx.TensorProto
        kind = {"i": proto.INT64, "u": proto.INT64, "b": proto.INT64, "f": proto.DOUBLE}.get(classes.dtype.kind)
        if kind is None:
            names = self._onnx.helper.make_tensor("classes", proto.STRING, [len(classes)], [str(c) for c in classes])
            self._constants.append(names)
            kind = proto.STRING
        else:
            values = np.asarray(classes, dtype=np.float64 if kind == proto.DOUBLE else np.int64)
            self._constants.append(self._onnx.numpy_helper.from_array(values, "classes"))
        self._node("Gather", ["classes", place], "label")
        self._outputs.append(self._onnx.helper.make_tensor_value_info("label", kind, [None]))

    def model(self) -> Any:
        helper = self._onnx.helper
        rows = helper.make_tensor_value_info("X", self._onnx.TensorProto.DOUBLE, [None, self._features])
        graph = helper.make_graph(self._nodes, "agnoboost", [rows], self._outputs, self._constants)
        opsets = [helper.make_opsetid("", 18), helper.make_opsetid("ai.onnx.ml", 3)]
        model = helper.make_model(graph, opset_imports=opsets, ir_version=9)
        self._onnx.checker.check_model(model)
        return model


def _runs(tape: Tape) -> Iterator[Shrink | list[Branch | int]]:
    """Case-B steps, and the runs of additions between them, equal hypotheses merged."""
    sums: dict[Hypothesis, int] = {}
    for step in tape.steps:
        if isinstance(step, Shrink):
            if sums:
                yield [_as_branch(h, coef) for h, coef in sums.items()]
            sums = {}
            yield step
        else:
            sums[step.hypothesis] = sums.get(step.hypothesis, 0) + step.coef
    if sums:
        yield [_as_branch(h, coef) for h, coef in sums.items()]


def _as_branch(hypothesis: Hypothesis, coef: int) -> Branch | int:
    if isinstance(hypothesis, Constant):
        return hypothesis.value * coef
    if isinstance(hypothesis, Stump):
        below, above, missing = -hypothesis.sign * coef, hypothesis.sign * coef, hypothesis.missing * coef
        split = Branch(hypothesis.feature, hypothesis.threshold, below, above, missing == below)
        if missing in (below, above):
            return split
        return Branch(hypothesis.feature, _LARGEST, split, missing, missing_below=False)
    if isinstance(hypothesis, Tree):
        return _tree_branch(hypothesis.root, coef)
    if isinstance(hypothesis, RegressionTree):
        return _walk_branch(hypothesis.walk, coef)
    raise ValueError(
        f"ONNX export is for stumps and trees. Got {type(hypothesis).__name__}. Use weak_learner='stump' or 'tree'."
    )


def _tree_branch(node: Node, coef: int) -> Branch | int:
    if isinstance(node, Leaf):
        return node.value * coef
    assert isinstance(node.test, Cut)  # categorical tables were refused
    below, above = _tree_branch(node.below, coef), _tree_branch(node.above, coef)
    return Branch(node.test.feature, node.test.threshold, below, above, not node.test.missing)


def _walk_branch(walk: Walk, coef: int) -> Branch | int:
    tests, units = walk.tests.tolist(), np.rint(coef * walk.value).astype(np.int64).tolist()
    made: list[Branch | int] = []
    for node, (below, above) in enumerate(walk.child.tolist()):  # children first
        if not tests[node]:
            made.append(units[node])
            continue
        feature, threshold, missing = walk.feature[node], walk.threshold[node], walk.missing[node]
        made.append(Branch(int(feature), float(threshold), made[below], made[above], not missing))
    return made[-1]


_NODE = "treeids nodeids featureids modes values truenodeids falsenodeids missing_value_tracks_true"
_NODE_COLUMNS = tuple(f"nodes_{name}" for name in _NODE.split())
_LEAF_COLUMNS = ("target_treeids", "target_nodeids", "target_ids", "target_weights")


def _flatten(node: Branch | int, tree: int, number: int, columns: dict[str, list[Any]]) -> int:
    """Append a node and its children; returns the next free number."""
    place = len(columns["nodes_nodeids"])
    if isinstance(node, Branch):
        threshold = float(np.clip(node.threshold, -_LARGEST, _LARGEST))
        row = (tree, number, node.feature, "BRANCH_LEQ", threshold, number + 1, 0, int(node.missing_below))
    else:
        row = (tree, number, 0, "LEAF", 0.0, 0, 0, 0)
        high, low = divmod(node, _THOUSAND)
        for target, part in enumerate((low, high)):
            for name, value in zip(_LEAF_COLUMNS, (tree, number, target, float(part)), strict=True):
                columns[name].append(value)
    for name, entry in zip(_NODE_COLUMNS, row, strict=True):
        columns[name].append(entry)
    if not isinstance(node, Branch):
        return number + 1
    after = _flatten(node.below, tree, number + 1, columns)
    columns["nodes_falsenodeids"][place] = after
    return _flatten(node.above, tree, after, columns)
