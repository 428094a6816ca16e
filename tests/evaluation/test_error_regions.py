"""Where somebody errs: found where it is gross, in the words of the columns, and not made of chance."""

import numpy as np
import pytest
from scipy.stats import fisher_exact

from agnoboost.evaluation import error_regions as module
from agnoboost.evaluation.error_regions import counted_tests, error_regions, round_between, surprise
from agnoboost.tables.encoder import TableEncoder


def numbers(columns):
    return TableEncoder.of_numbers([f"x{place}" for place in range(columns)])


def table(rng, rows=120, columns=6):
    X = rng.normal(size=(rows, columns))
    X[rng.random(X.shape) < 0.1] = np.nan
    X[:, 0] = rng.integers(0, 2, rows)
    return X


def share_with_regions(rng, tables=200):
    found = [error_regions(table(rng), rng.random(120) < 0.3, numbers(6)) for _ in range(tables)]
    return np.mean([bool(one) for one in found])


def test_errors_that_lie_anywhere_have_no_region_in_95_of_100_tables(rng):
    assert share_with_regions(rng) <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / 200)


def test_without_the_correction_they_would(rng, monkeypatch):
    """Otherwise the test above could not fail."""
    monkeypatch.setattr(module, "counted_tests", lambda least: 1)
    assert share_with_regions(rng, 50) > 0.5


def test_p_values_are_those_of_fisher(rng):
    wrong = rng.random(60) < 0.4
    inside = rng.random(60) < 0.3
    counts = [[sum(inside & wrong), sum(inside & ~wrong)], [sum(~inside & wrong), sum(~inside & ~wrong)]]
    found = surprise(np.array([(inside & wrong).sum()]), np.array([inside.sum()]), wrong)
    assert found[0] == pytest.approx(fisher_exact(counts, "greater").pvalue)


def test_tests_that_cannot_say_anything_are_not_counted():
    assert counted_tests(np.full(40, 1e-9)) == 40
    assert counted_tests(np.append(np.full(4, 1e-9), np.full(400, 0.3))) == 4
    assert counted_tests(np.full(40, 0.3)) == 1
    # 0.01 is within 0.05/5, and not within 0.05/6
    assert counted_tests(np.full(40, 0.01)) == 6


def test_gross_errors_are_found_in_numbers(rng):
    X = rng.normal(size=(200, 6))
    wrong = rng.random(200) < np.where(X[:, 3] > 0.7, 0.8, 0.1)
    found = error_regions(X, wrong, numbers(6))
    assert found[0].condition.startswith("x3 is above ")
    inside = X[:, 3] > float(found[0].condition.split()[-1])
    assert (found[0].rows, found[0].wrong) == (inside.sum(), wrong[inside].sum())
    assert (found[0].rows_elsewhere, found[0].wrong_elsewhere) == ((~inside).sum(), wrong[~inside].sum())
    assert found[0].p_value < 0.001
    assert f"wrong in {found[0].wrong} of {found[0].rows} rows" in str(found[0])


def test_cuts_of_whole_numbers_say_which_side_they_are_on(rng):
    ages = rng.integers(0, 10, (300, 1)).astype(float)
    found = error_regions(ages, rng.random(300) < np.where(ages[:, 0] > 6, 0.8, 0.1), numbers(1))[0]
    cut = float(found.condition.removeprefix("x0 is above "))
    assert cut in range(10)
    assert found.rows == (ages > cut).sum() != (ages >= cut).sum()


def test_columns_that_say_the_same_are_named_once(rng):
    X = np.repeat(rng.normal(size=(200, 1)), 5, axis=1) + 0.01 * rng.normal(size=(200, 5))
    wrong = rng.random(200) < np.where(X[:, 3] > 0.7, 0.8, 0.1)
    assert len(error_regions(X, wrong, numbers(5))) == 1


def test_two_regions_are_told_apart(rng):
    X = rng.normal(size=(600, 5))
    wrong = rng.random(600) < np.where((X[:, 1] > 1) | (X[:, 4] < -1), 0.9, 0.05)
    found = error_regions(X, wrong, numbers(5))
    assert sorted(one.condition[:2] for one in found[:2]) == ["x1", "x4"]


@pytest.fixture
def frame(rng):
    pd = pytest.importorskip("pandas")
    days = pd.to_timedelta(rng.integers(0, 700, 300), unit="D")
    frame = pd.DataFrame(
        {
            "kind": rng.choice(["x", "y", "z"], 300),
            "when": pd.Timestamp("2021-01-01") + days,
            "flag": rng.integers(0, 2, 300),
            "size": rng.normal(size=300),
            "age": rng.integers(18, 80, 300),
        }
    )
    frame.loc[rng.random(300) < 0.2, "size"] = np.nan
    return frame


@pytest.mark.parametrize(
    ("where", "words"),
    [
        (lambda X: X["kind"] == "z", r"kind is z"),
        (lambda X: X["flag"] == 1, r"flag is 1"),
        (lambda X: X["size"].isna(), r"size is missing"),
        (lambda X: X["when"] < "2021-05-01", r"when is at most 2021-0[2-6]-\d\d"),
        (lambda X: X["age"] > 65, r"age is above \d\d"),
    ],
)
def test_conditions_are_in_the_words_of_the_columns(rng, frame, where, words):
    encoder = TableEncoder().fit(frame)
    wrong = rng.random(300) < np.where(where(frame), 0.8, 0.1)
    assert_matches(error_regions(encoder.transform(frame), wrong, encoder)[0].condition, words)


def test_parts_of_texts_are_not_named_but_their_gaps_are(rng, frame):
    """ "message: text 16 is above 0.0501" tells nobody anything."""
    words = np.array(["angry", "calm", "lost", "broken", "slow", "nice", "late", "new", "old", "red", "blue", "round"])
    frame["message"] = [" ".join(row) for row in rng.choice(words, (300, 6))]
    angry = frame["message"].str.contains("angry") & frame["message"].str.contains("red")
    frame.loc[rng.random(300) < 0.2, "message"] = None
    encoder = TableEncoder().fit(frame)
    assert "message: text 1" in encoder.names
    X = encoder.transform(frame)
    assert not [one for one in error_regions(X, angry.to_numpy(), encoder) if "text" in one.condition]
    wrong = rng.random(300) < np.where(frame["message"].isna(), 0.8, 0.1)
    assert [one.condition for one in error_regions(X, wrong, encoder)] == ["message is missing"]


def assert_matches(text, pattern):
    import re

    assert re.fullmatch(pattern + r"( \d\d:\d\d:\d\d)?", text), text


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_without_errors_or_without_right_ones_there_is_nothing_to_tell(rng, share):
    assert error_regions(table(rng), np.full(120, bool(share)), numbers(6)) == []
    assert error_regions(np.ones((50, 2)), rng.random(50) < 0.5, numbers(2)) == []
    assert error_regions(np.zeros((0, 2)), np.zeros(0, dtype=bool), numbers(2)) == []


def test_many_rows_are_thinned(rng):
    X = rng.normal(size=(20_000, 3))
    found = error_regions(X, rng.random(20_000) < np.where(X[:, 1] > 1, 0.5, 0.1), numbers(3))
    assert found[0].rows + found[0].rows_elsewhere == module.MOST_ROWS


@pytest.mark.parametrize(("low", "high"), [(0.123, 0.187), (41.0, 42.0), (-1e9, 1e-9), (1.0, 1.0 + 2**-52), (3.0, 9.0)])
def test_cuts_part_what_they_lie_between(low, high):
    assert low <= round_between(low, high) < high
