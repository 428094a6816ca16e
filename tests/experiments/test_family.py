"""`agnoboost reproduce family`."""

import numpy as np
import pytest

from agnoboost_experiments.family.design import OURS, study, summarise, work
from agnoboost_experiments.family.family_page import markdown
from agnoboost_experiments.family.methods import BOOSTERS, METHODS, RELABELED
from agnoboost_experiments.family.worlds import WORLDS, table


@pytest.mark.parametrize("name", WORLDS)
def test_the_excess_is_that_of_the_population(rng, name):
    """The best reference function has no excess, its opposite the most; a weak hypothesis has its share."""
    world = WORLDS[name](200, rng)
    points = np.unique(world.unlabeled, axis=0)
    values = world.references(points)
    excesses = [world.excess(lambda X, place=place: world.references(X)[place]) for place in range(len(values))]
    assert min(excesses) == pytest.approx(0.0, abs=1e-12)
    best = int(np.argmin(excesses))
    assert world.excess(lambda X: -world.references(X)[best]) == pytest.approx(max(excesses))
    assert len(world.labeled[1]) + len(world.chooser[1]) == 200
    assert len(world.unlabeled) == 2000


def test_real_tables_are_scored_on_rows_that_nothing_else_sees():
    world = table("ionosphere", 0, 0)
    assert world.references is None
    seen = np.concatenate([world.labeled[0], world.chooser[0], world.unlabeled])
    assert 0.0 <= world.excess(lambda X: np.ones(len(X))) <= 1.0
    assert len(seen) == 315  # nine of ten folds of 351 rows, one row less for an uneven fold


def test_every_booster_of_the_family_learns_and_the_page_shows_it():
    made = study(seeds=2, labels=(300,), worlds=("intervals",), tables=("ionosphere",), seed=0)
    results = [work(made.settings, task) for task in made.tasks]
    assert set(results[0]["methods"]) == set(METHODS)
    assert set(results[-1]["methods"]) == set(BOOSTERS)  # no reference class can be written down there
    again = work(made.settings, made.tasks[0])
    for name, entry in results[0]["methods"].items():
        assert {**entry, "seconds": 0} == {**again["methods"][name], "seconds": 0}
        assert entry["excess"] < 0.25
        assert (entry["unlabeled"] > 0) == (name in ("Algorithm 1", "Algorithm 2", "Feldman, unlabeled"))
    assert results[0]["methods"]["Algorithm 2"]["unlabeled"] < results[0]["methods"]["Algorithm 1"]["unlabeled"] / 5
    summary = summarise(made, results)
    page = markdown({**summary, "command": "agnoboost reproduce family", "versions": {}})
    assert page.count(f"| {OURS} |") == 3
    assert page.count(f"| {RELABELED} |") == 2
    first = results[0]["methods"]["PAB (2009)"]["excess"], results[1]["methods"]["PAB (2009)"]["excess"]
    assert summary["cells"][0]["excess"]["PAB (2009)"]["mean"] == pytest.approx(np.mean(first))


def test_more_repetitions_than_folds_are_refused():
    with pytest.raises(ValueError, match="seeds must be from 2 to 10"):
        study(seeds=11, seed=0)
