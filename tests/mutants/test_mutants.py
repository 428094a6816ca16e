"""The tool of the mutation campaign: what it changes, what it leaves alone, and which tests it would run."""

import ast
from textwrap import dedent

import pytest

from mutants.campaign import LIBRARY, all_mutants, mutated_files, sample
from mutants.covering import Covered
from mutants.making import make_mutants
from mutants.page import markdown, stale


def changes(source):
    return {mutant.after for mutant in make_mutants(dedent(source))}


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("a < b <= c", {"a <= b <= c", "a < b < c"}),
        ("x is  not None", {"x is None"}),
        ("(a) + (b)", {"(a) - (b)"}),
        ("a and b and c", {"a or b and c", "a and b or c"}),
        ("-(a)", {"(a)"}),
        ("x = 0.5", {"x = 1.0"}),
        ("x = 0", {"x = 1"}),
        ("x = True", {"x = False"}),
        ("np.maximum(a, a)", {"pass", "np.minimum(a, a)"}),
        ("a[i:n]", {"a[i + 1:n]", "a[i:n - 1]"}),
        ("f(a, b)", {"pass", "f(b, a)"}),
        ("x += y", {"pass", "x -= y"}),
        ("self.x = y", {"pass"}),
        ("x = y if c else z", {"x = y if True else z", "x = y if False else z"}),
        ("x = [i for i in a if i]", {"x = [i for i in a if True]"}),
    ],
)
def test_the_mutants_of_a_statement(statement, expected):
    assert changes(statement) == expected


def test_conditions_and_return_values():
    found = changes("""
        def f(x, n=1):
            while x:
                if not x:
                    continue
            return x * n
    """)
    headers = {"def f(x, n=2", "while False", "if True", "if False", "if x"}
    assert found == headers | {"pass", "return None", "return x / n", "return -(x * n)"}


def test_texts_annotations_decorators_and_errors_are_left_alone():
    assert not changes('''
        """Documentation: 1 < 2."""
        from a import b

        @decorated(1, 2, frozen=True)
        class C:
            """More."""
            x: tuple[1, 2]

            def f(self, x: 3 = None) -> 4:
                """Still more."""
                name = f"{x + 1} and {-x}" + "more"
                raise ValueError("not " + name, 1 < 2)
    ''')


def test_every_mutant_of_the_library_differs_from_it_in_one_place_and_can_be_read():
    for file, mutants in all_mutants(mutated_files()).items():
        keys = [mutant.key for mutant in mutants]
        assert len(keys) == len(set(keys))
        source = (LIBRARY / file).read_text()
        tree = ast.dump(ast.parse(source))
        for mutant in sample({file: mutants}, 4, seed=1):
            changed = mutant.applied(source)
            assert ast.dump(ast.parse(changed)) != tree, mutant.key
            data = source.encode()
            assert changed.encode().startswith(data[: mutant.start])
            assert changed.encode().endswith(data[mutant.end :])
            assert mutant.before != mutant.after


def test_a_sample_takes_its_share_of_every_file_and_is_always_the_same():
    possible = {
        "a": make_mutants("a < b\n" * 60, "a"),
        "b": make_mutants("a < b\n" * 30, "b"),
        "c": make_mutants("x = 0", "c"),
    }
    chosen = sample(possible, 30, seed=0)
    assert [sum(mutant.file == file for mutant in chosen) for file in "abc"] == [20, 10, 1]
    assert chosen == sample(possible, 30, seed=0)
    assert chosen != sample(possible, 30, seed=1)
    assert len(sample(possible, 1000, seed=0)) == 91


def test_of_a_long_statement_only_the_lines_that_change_are_shown():
    (mutant,) = make_mutants("TABLE = {\n    'a': None,\n    'b': 1,  # one\n}\n")
    assert (mutant.before, mutant.after, mutant.line) == ("'b': 1,", "'b': 2,", 3)


def test_lines_above_do_not_change_the_name_of_a_mutant():
    source = "def f(x):\n    return x < 0\n"
    assert [m.key for m in make_mutants(source)] == [m.key for m in make_mutants("import a\n\n" + source)]


SOURCE = """\
LIMIT = 3

class C:
    size = 2

    def f(self, x=1):
        return x < 0

    def g(self):
        return 5
"""


def test_which_tests_a_mutant_has():
    lines = {1: [""], 3: [""], 4: ["", "tests/r/c"], 6: [""], 7: ["slow", "quick"], 10: []}
    covered = Covered({"r/m.py": lines}, {"slow": 9.0, "quick": 0.1, "tests/r/c": 1.0})
    found = {mutant.before: covered.tests_of(mutant) for mutant in make_mutants(SOURCE, "r/m.py")}
    everything = ["quick", "tests/r/c", "slow"]
    assert found["return x < 0"] == ["quick", "slow"]
    assert found["def f(self, x=1"] == ["quick", "slow"]  # runs at import: the function's tests
    assert found["size = 2"] == everything  # the class's
    assert found["LIMIT = 3"] == everything  # the module's
    assert found["return 5"] == []
    assert Covered({}, covered.seconds).tests_of(make_mutants("X = 1", "r/other.py")[0]) == ["tests/r/c"]  # the room's


def test_the_page_counts_and_explains():
    one = {"file": "a.py", "line": 3, "function": "f", "operator": "sign", "before": "-x", "after": "x"}
    two = {**one, "before": "-y", "after": "y"}
    record = {
        "command": "c",
        "possible": 9,
        "mutants": [{**one, "verdict": "survived"}, {**two, "verdict": "no test"}, {**two, "verdict": "timeout"}],
    }
    said = {("a.py", "f", "-x", "x"): "x is 0 here", ("a.py", "f", "-z", "z"): "gone"}
    page = markdown(record, said)
    assert "| a.py | 3 | 0 | 1 | 2 | 1 |" in page
    assert "x is 0 here" in page
    assert "no test runs it): **not explained yet**" in page
    assert stale(record, said) == ["a.py | f | -z | z"]
