"""Mutants of a source text: one small change each, found in the syntax tree and made in the text.

Left alone is what cannot change a result, or only the wording of an error: docstrings and other strings, annotations,
decorators, imports, ``raise`` statements.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

COMPARISONS = {
    "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==",
    "is": "is not", "is not": "is", "in": "not in", "not in": "in",
}  # fmt: skip
ARITHMETIC = {"+": "-", "-": "+", "*": "/", "/": "*", "//": "/", "%": "*", "**": "*", "&": "|", "|": "&"}
UNARY = {ast.USub: ("sign", "-"), ast.Not: ("not dropped", "not "), ast.Invert: ("not dropped", "~")}
LOGIC = {"and": "or", "or": "and"}
_PAIRS = [("min", "max"), ("minimum", "maximum"), ("floor", "ceil"), ("any", "all"), ("argmin", "argmax"),
          ("zeros", "ones")]  # fmt: skip
NAMES = {name: other for pair in _PAIRS for name, other in (pair, pair[::-1])}
# Calls whose first two arguments may be swapped, or are kinds and names and not values.
SYMMETRIC = {"min", "max", "minimum", "maximum", "clip", "allclose", "array_equal"}
UNSWAPPED = SYMMETRIC | {"isinstance", "issubclass", "hasattr", "getattr", "setattr", "cast"}

Edit = tuple[str, int, int, str]  # operator, start, end, new text


@dataclass(frozen=True)
class Lines:
    """Lines of a file, both ends included."""

    first: int
    last: int


@dataclass(frozen=True)
class Place:
    """Where a mutant is: the statement (a header without its body), and the scopes around it, inner ones first."""

    name: str  # of the function or class, with those around it
    statement: Lines
    scopes: tuple[Lines, ...]
    at_import: bool  # runs when the module is imported, not when a function is called


@dataclass(frozen=True)
class Mutant:
    """One change of one file. ``before`` and ``after`` are the lines of the statement that it touches, as one."""

    file: str
    place: Place
    line: int
    operator: str
    start: int
    end: int
    text: str
    before: str
    after: str
    number: int = 1  # counts equal changes of equal lines in a function

    @property
    def key(self) -> str:
        """A name that does not change as lines above it come and go."""
        key = f"{self.file} | {self.place.name} | {self.before} | {self.after}"
        return key if self.number == 1 else f"{key} | {self.number}"

    def applied(self, source: str) -> str:
        """The source with the change."""
        data = source.encode()
        return (data[: self.start] + self.text.encode() + data[self.end :]).decode()


def make_mutants(source: str, file: str = "") -> list[Mutant]:
    """All mutants of a source text."""
    text = _Text(source)
    counts: dict[str, int] = {}
    mutants = []
    for place, (first, last), (operator, start, end, new) in _Walk(text).edits(ast.parse(source)):
        left = max(first, text.data.rfind(b"\n", 0, start) + 1)
        right = min(last, (text.data + b"\n").index(b"\n", end))
        before = _one_line(text.data[left:right])
        after = _one_line(text.data[left:start] + new.encode() + text.data[end:right])
        line = text.data.count(b"\n", 0, start) + 1
        mutant = Mutant(file, place, line, operator, start, end, new, before, after)
        counts[mutant.key] = counts.get(mutant.key, 0) + 1
        mutants.append(replace(mutant, number=counts[mutant.key]))
    return mutants


def _one_line(data: bytes) -> str:
    return " ".join(re.sub(r"#.*", "", data.decode()).split())


class _Text:
    """A source text by byte, as the syntax tree counts."""

    def __init__(self, source: str):
        self.data = source.encode()
        self._starts = [0]
        for line in self.data.splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))

    def start(self, node: ast.AST) -> int:
        return self._starts[node.lineno - 1] + node.col_offset

    def end(self, node: ast.AST) -> int:
        return self._starts[node.end_lineno - 1] + node.end_col_offset

    def of(self, node: ast.AST) -> str:
        return self.data[self.start(node) : self.end(node)].decode()

    def between(self, left: ast.AST, right: ast.AST, swaps: dict[str, str], operator: str) -> Iterator[Edit]:
        """The operator that stands between two operands, with whatever brackets, swapped."""
        start = self.end(left)
        gap = self.data[start : self.start(right)].decode("latin-1")  # a character a byte
        without_comments = re.sub(r"#.*", lambda comment: " " * len(comment[0]), gap)
        found = re.search(r"not\s+in|is\s+not|\w+|[^\s()\\\w]+", without_comments)
        old = " ".join(found[0].split()) if found else ""
        if old in swaps:
            yield operator, start + found.start(), start + found.end(), swaps[old]


class _Walk:
    """Goes through a module, statement by statement."""

    def __init__(self, text: _Text):
        self.text = text

    def edits(self, module: ast.Module) -> Iterator[tuple[Place, tuple[int, int], Edit]]:
        last = len(self.text.data.splitlines())
        yield from self._block(module.body, "", (Lines(1, last),), at_import=True)

    def _block(self, statements, name, scopes, at_import):
        for statement in statements:
            if not _left_alone(statement):
                yield from self._statement(statement, name, scopes, at_import)

    def _statement(self, node: ast.stmt, name, scopes, at_import):
        is_function = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        if is_function or isinstance(node, ast.ClassDef):
            name = f"{name}.{node.name}" if name else node.name
            scopes = (Lines(node.lineno, node.end_lineno), *scopes)
        header = list(_expressions(node))
        end = header[-1] if header and hasattr(node, "body") else node
        span = self.text.start(node), self.text.end(end)
        place = Place(name, Lines(node.lineno, end.end_lineno), scopes, at_import)
        for edit in self._of_statement(node):
            yield place, span, edit
        for part in header:
            for inner in _nodes(part):
                for edit in of_expression(inner, self.text):
                    yield place, span, edit
        for block in _blocks(node):
            yield from self._block(block, name, scopes, at_import and not is_function)

    def _of_statement(self, node: ast.stmt) -> Iterator[Edit]:
        start, end = self.text.start(node), self.text.end(node)
        calls = isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
        stores = isinstance(node, ast.Assign) and not any(isinstance(t, (ast.Name, ast.Tuple)) for t in node.targets)
        if calls or stores or isinstance(node, (ast.AugAssign, ast.Continue, ast.Break)):
            yield "statement deleted", start, end, "pass"
        if isinstance(node, ast.AugAssign):
            swaps = {f"{old}=": f"{new}=" for old, new in ARITHMETIC.items()}
            yield from self.text.between(node.target, node.value, swaps, "arithmetic")
        if isinstance(node, (ast.If, ast.While)):
            yield from _forced(node.test, self.text, ("False",) if isinstance(node, ast.While) else ("True", "False"))
        if isinstance(node, ast.Return) and node.value is not None:
            value = node.value
            if not _is_text(value) and self.text.of(value) != "None":
                yield "return value", self.text.start(value), self.text.end(value), "None"
            if isinstance(value, ast.BinOp) and not _is_text(value):
                yield "sign", self.text.start(value), self.text.end(value), f"-({self.text.of(value)})"


def of_expression(node: ast.AST, text: _Text) -> Iterator[Edit]:
    """Changes of one expression, not of those inside it."""
    match node:
        case ast.Compare():
            operands = [node.left, *node.comparators]
            for left, right in pairwise(operands):
                yield from text.between(left, right, COMPARISONS, "comparison")
        case ast.BinOp() if not _is_text(node):
            yield from text.between(node.left, node.right, ARITHMETIC, "arithmetic")
        case ast.BoolOp():
            for left, right in pairwise(node.values):
                yield from text.between(left, right, LOGIC, "logic")
        case ast.UnaryOp():
            if type(node.op) in UNARY:
                operator, sign = UNARY[type(node.op)]
                yield operator, text.start(node), text.start(node) + len(sign), ""
        case ast.Constant(value=bool()):
            yield "true and false", text.start(node), text.end(node), str(not node.value)
        case ast.Constant(value=int() | float()):
            yield "constant", text.start(node), text.end(node), _other_number(node.value)
        case ast.IfExp():
            yield from _forced(node.test, text, ("True", "False"))
        case ast.comprehension():
            for test in node.ifs:
                yield from _forced(test, text, ("True",))
        case ast.Slice():
            for bound, shift in ((node.lower, "+ 1"), (node.upper, "- 1")):
                if bound is not None and not any(isinstance(inner, ast.Constant) for inner in ast.walk(bound)):
                    yield "slice", text.end(bound), text.end(bound), f" {shift}"
        case ast.Call():
            yield from _of_call(node, text)


def _of_call(node: ast.Call, text: _Text) -> Iterator[Edit]:
    called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    if called in NAMES:
        end = text.end(node.func)
        yield "name", end - len(called), end, NAMES[called]
    two = node.args[:2]
    if len(two) == 2 and called not in UNSWAPPED and not any(_is_text(a) or isinstance(a, ast.Starred) for a in two):
        first, second = map(text.of, two)
        if first != second:
            middle = text.data[text.end(two[0]) : text.start(two[1])].decode()
            yield "arguments swapped", text.start(two[0]), text.end(two[1]), second + middle + first


def _forced(test: ast.expr, text: _Text, values: tuple[str, ...]) -> Iterator[Edit]:
    for value in values:
        yield "condition", text.start(test), text.end(test), value


def _other_number(value: float) -> str:
    if isinstance(value, int):
        return str(value + 1)
    return repr(2.0 * value) if value else "1.0"


def _is_text(node: ast.AST) -> bool:
    if isinstance(node, ast.BinOp):
        return _is_text(node.left) or _is_text(node.right)
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def _left_alone(node: ast.stmt) -> bool:
    if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
        return True
    is_string = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return is_string or isinstance(node, (ast.Import, ast.ImportFrom, ast.Raise))


def _expressions(node: ast.stmt) -> Iterator[ast.AST]:
    """The expressions of a statement that count: those of its header, if it has a body."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        yield from (default for default in [*node.args.defaults, *node.args.kw_defaults] if default is not None)
    elif isinstance(node, ast.AnnAssign):
        yield from (part for part in (node.target, node.value) if part is not None)
    elif isinstance(node, (ast.With, ast.AsyncWith)):
        yield from (item.context_expr for item in node.items)
    elif not isinstance(node, (ast.ClassDef, ast.Match)):
        yield from (child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr))


def _nodes(node: ast.AST) -> Iterator[ast.AST]:
    """A node and what is inside it, but for strings with values in them."""
    if not isinstance(node, ast.JoinedStr):
        yield node
        for child in ast.iter_child_nodes(node):
            yield from _nodes(child)


def _blocks(node: ast.stmt) -> Iterator[list[ast.stmt]]:
    for field in ("body", "orelse", "finalbody"):
        yield getattr(node, field, [])
    for part in [*getattr(node, "handlers", []), *getattr(node, "cases", [])]:
        yield part.body
