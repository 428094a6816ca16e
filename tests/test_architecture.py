"""The rooms: who may use whom, and one meaning for every name."""

import ast
from collections import Counter
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src"
LIBRARY = SOURCE / "agnoboost"

# From the ground up: a room may use those in lines above its own, never one in its own line or below.
FLOORS = [
    ["_version", "basics"],
    ["kernels"],
    ["core"],
    ["labels", "tables"],
    ["files", "datasets"],
    ["rounds"],
    ["planner", "evaluation"],
    ["estimators"],
    ["explain"],
    ["integrations", "rl", "report"],
    ["agnoboost"],  # the first page, with testing and the door to model selection
    ["agnoboost_experiments"],
    ["cli"],
    ["__main__"],
]
FLOOR = {room: number for number, rooms in enumerate(FLOORS) for room in rooms}
FIRST_PAGE = {"testing", "model_selection", "__init__"}


def modules():
    for path in sorted([*LIBRARY.rglob("*.py"), *(SOURCE / "agnoboost_experiments").rglob("*.py")]):
        parts = path.relative_to(SOURCE).with_suffix("").parts
        is_package = parts[-1] == "__init__"
        yield ".".join(parts[:-1] if is_package else parts), is_package, path


MODULES = {name: (is_package, path) for name, is_package, path in modules()}


def room(module):
    first, *rest = module.split(".")
    if first != "agnoboost" or not rest or rest[0] in FIRST_PAGE:
        return first
    return rest[0]


def imports(module):
    """Modules of ours that a module imports, at its top or inside a function; not those for type checkers only."""
    is_package, path = MODULES[module]
    tree = ast.parse(path.read_text())
    for_types = {
        inner
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if not isinstance(node, ast.ImportFrom) or node in for_types:
            continue
        base = module.split(".") if is_package else module.split(".")[:-1]
        above = base[: len(base) - node.level + 1] if node.level else []
        target = ".".join([*above, *([node.module] if node.module else [])])
        if target.split(".")[0] in ("agnoboost", "agnoboost_experiments"):
            for alias in node.names:
                inner = f"{target}.{alias.name}"
                yield inner if inner in MODULES else target


@pytest.mark.parametrize("module", MODULES)
def test_nothing_is_imported_from_above(module):
    own = room(module)
    for target in imports(module):
        other = room(target)
        assert other == own or FLOOR[other] < FLOOR[own], f"{module} imports {target}: {own} may not use {other}"


def test_there_are_no_cycles_between_modules():
    uses = {module: {target for target in imports(module) if target != module} for module in MODULES}
    done, path = set(), []

    def visit(module):
        if module in path:
            cycle = [*path[path.index(module) :], module]
            pytest.fail(" -> ".join(cycle))
        if module in done:
            return
        path.append(module)
        for target in sorted(uses[module]):
            visit(target)
        done.add(path.pop())

    for module in MODULES:
        visit(module)


def test_every_room_has_a_floor_and_a_first_page_that_says_what_it_is_for():
    rooms = {path.name for path in LIBRARY.iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert rooms <= set(FLOOR)
    for name in rooms:
        assert ast.get_docstring(ast.parse((LIBRARY / name / "__init__.py").read_text())), name


def test_one_name_one_class():
    found = Counter(
        node.name
        for _, path in MODULES.values()
        for node in ast.parse(path.read_text()).body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    assert [name for name, count in found.items() if count > 1] == []


def test_no_file_outgrows_400_lines():
    assert [str(path) for _, path in MODULES.values() if len(path.read_text().splitlines()) > 400] == []
