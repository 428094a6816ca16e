import json

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from agnoboost.datasets import load
from agnoboost_experiments.studies import carry_out
from agnoboost_experiments.table1 import EXPERIMENT, Protocol, boosters, peers, printed, splits
from agnoboost_experiments.table1.design import check_data_sets, deviations


def rows_of(table, X):
    """Which rows of a table these are, by content; duplicates count as one."""
    return {bytes(row) for row in np.nan_to_num(X, nan=-1e9)}


def test_the_printed_averages_are_those_of_the_printed_cells():
    """The paper's last row pins the table that was typed in; at 0% and 10% noise it does not follow from the cells."""
    rows = {"PAB": (0.84, 0.84, 0.81, 0.78), "Algorithm 1": (0.89, 0.88, 0.84, 0.81)}
    for method, averages in rows.items():
        means = [
            np.mean([printed.printed(name, noise, method)[0] for name in printed.DATA_SETS]) for noise in printed.NOISE
        ]
        off = np.round(np.subtract(means, averages), 3)
        assert (np.abs(off[[1, 3]]) <= 0.005).all()
        assert (off[[0, 2]] > 0.005).all()
        assert (off <= 0.025).all()


@pytest.mark.parametrize("name", ["sonar", "diabetes", "german"])
def test_honest_folds_cover_every_row_once_and_share_none_with_training(name):
    table = load(name)
    scored = []
    for fold in range(5):
        split = splits.honest(name, 0.2, fold, 5, seed=3, held_out=True)
        scored.append(split.test[0])
        train = np.concatenate([split.labeled[0], split.chooser[0], split.unlabeled])
        assert len(train) + len(split.test[1]) == len(table.y)
        labeled = len(split.labeled[1]) + len(split.chooser[1])
        assert labeled == round((1 - splits.dropped(name)) * len(train))
        assert len(split.chooser[1]) == labeled // 3
        if len(rows_of(table, table.X)) == len(table.X):
            assert not rows_of(table, train) & rows_of(table, split.test[0])
    found, expected = (sorted(map(bytes, np.nan_to_num(X, nan=-1e9))) for X in (np.concatenate(scored), table.X))
    assert found == expected


def test_noise_touches_training_labels_only_and_keeps_the_rows():
    clean, noisy, noisier = (splits.honest("spambase", rate, 1, 50, seed=0, held_out=True) for rate in (0.0, 0.1, 0.2))
    for part in ("labeled", "chooser"):
        y, some, more = (getattr(split, part)[1] for split in (clean, noisy, noisier))
        flipped, flipped_more = y != some, y != more
        assert 0 < flipped.mean() < 0.2 < 0.35 > flipped_more.mean() > flipped.mean()
        assert not (flipped & ~flipped_more).any()  # more noise flips the same labels and others
        assert (getattr(clean, part)[0] == getattr(noisier, part)[0]).all()
    assert (clean.test[1] == noisier.test[1]).all()
    assert (clean.unlabeled == noisier.unlabeled).all()


def test_the_printed_protocol_scores_labeled_rows_that_also_choose():
    split = splits.as_printed("diabetes", 0.2, 0, seed=0)
    assert len(split.test[1]) == 77 // 4
    assert len(split.labeled[1]) == 77 - 77 // 4
    assert len(split.unlabeled) == 768 - 77
    assert (split.chooser[0] == split.test[0])[~np.isnan(split.test[0])].all()
    assert (split.chooser[1] == split.test[1]).all()


def test_without_held_out_labels_the_training_rows_choose():
    split, other = (splits.honest("sonar", 0.1, 0, 50, seed=0, held_out=held_out) for held_out in (False, True))
    assert split.chooser is None
    X, y = split.all_labels
    assert (split.labeled[0] == X).all()
    order, same = np.lexsort(X.T), np.lexsort(other.all_labels[0].T)
    assert (X[order] == other.all_labels[0][same]).all()
    assert (y[order] == other.all_labels[1][same]).all()


@pytest.mark.parametrize(("held_out", "kind"), [(False, "correlation"), (True, "gini")])
@pytest.mark.parametrize("name", list(boosters.GRIDS))
def test_honest_choices_never_see_the_test_labels(name, held_out, kind):
    from dataclasses import replace

    split = splits.honest("sonar", 0.1, 0, 10, 0, held_out)
    other = replace(split, test=(split.test[0], -split.test[1]))
    first, second = (
        boosters.score(name, part, boosters.STUMPS[kind](part), 0.1, np.random.default_rng(0))
        for part in (split, other)
    )
    assert first.pop("accuracy") == pytest.approx(1 - second.pop("accuracy"))
    assert first == second


def test_the_grids_are_the_appendix():
    split = splits.honest("spambase", 0.0, 0, 50, seed=0)
    labels = len(split.labeled[1])
    grid = boosters.pab_grid(split, 0.1)
    lasting = [min(point.setting["T"], labels // point.setting["m"]) for point in grid]
    assert [(point.setting["m"], rounds) for point, rounds in zip(grid, lasting, strict=True)] == [
        (5, 25),
        (5, 50),
        (5, labels // 5),
        *((m, rounds) for m in (20, 50, 100) for rounds in sorted({min(T, labels // m) for T in (25, 50, 100)})),
    ]
    for point in grid:
        assert point.booster.max_rounds == labels // point.setting["m"]  # no label is used twice
    assert {point.rounds for point in boosters.algorithm1_grid(split, 0.1)} == {100}
    assert all(point.booster.realize.m == point.setting["m"] for point in boosters.algorithm1_grid(split, 0.1))
    assert len(boosters.gs24_grid(split, 0.1)) == 12


def test_too_few_labels_for_m_are_used_in_one_round():
    split = splits.honest("diabetes", 0.0, 0, 50, seed=0)
    assert len(split.labeled[1]) < 100
    largest = boosters.pab_grid(split, 0.1)[-1]
    assert largest.setting["m"] == 100 or len(split.labeled[1]) <= 50
    assert largest.booster.max_rounds == 1


@pytest.mark.parametrize("name", list(peers.PEERS))
@pytest.mark.parametrize("data_set", ["german", "diabetes"])
def test_peers_take_categories_and_missing_values(name, data_set):
    split = splits.honest(data_set, 0.0, 0, 5, seed=0)
    with threadpool_limits(1):  # as in a study
        assert 0.5 < peers.PEERS[name](split, 0) < 0.9


def test_deviations_are_measured_against_the_right_column():
    cells = [
        {
            "data_set": name,
            "noise": noise,
            "accuracy": {
                boosters.title(method, kind): {"mean": printed.printed(name, noise, column)[0] + extra + off}
                for method, column, off in (
                    ("PAB", "PAB", 0.02),
                    ("Algorithm 1", "Algorithm 1", -0.03),
                    ("labeled-only Huber", "Algorithm 1", 0.0),
                )
                for kind, extra in (("correlation", 0.0), ("gini", 0.1))
            },
        }
        for name in printed.DATA_SETS
        for noise in printed.NOISE
    ]
    found = deviations(cells, ("correlation", "gini"))
    assert found["PAB, correlation stumps"]["mean_absolute"] == pytest.approx(0.02)
    assert found["Algorithm 1, correlation stumps"]["mean"] == pytest.approx(-0.03)
    assert found["labeled-only Huber, correlation stumps"]["mean_absolute"] == pytest.approx(0)
    assert [found[f"{name}, Gini stumps"]["mean"] for name in ("PAB", "Algorithm 1", "labeled-only Huber")] == (
        pytest.approx([0.12, 0.07, 0.1])
    )


@pytest.mark.parametrize("protocol", list(Protocol))
def test_a_small_table_from_end_to_end(protocol, tmp_path):
    made = EXPERIMENT.study(
        protocol=protocol, folds=50, folds_run=2, estimator_every=2, data_sets=["german", "sonar"], noise=(0.0, 0.2)
    )
    results = carry_out(made, tmp_path, 1)
    summary = EXPERIMENT.design.summarise(made, results)
    json.dumps(summary, allow_nan=False)
    cell = summary["cells"][1]
    for name in ("PAB, correlation stumps", "PAB, Gini stumps"):
        accuracy = [result[name]["accuracy"] for result in results[2:4]]
        assert (cell["noise"], cell["accuracy"][name]["mean"]) == (0.2, pytest.approx(np.mean(accuracy)))
    page = EXPERIMENT.page.markdown(summary)
    lines = page.splitlines()
    for number, line in enumerate(lines):  # both kinds above what is printed, wherever there is a printed row
        if line.startswith("| *Algorithm 1, printed*"):
            assert lines[number - 2].startswith("| Algorithm 1, correlation stumps |")
            assert lines[number - 1].startswith("| Algorithm 1, Gini stumps |")
    assert page.count("| *Algorithm 1, printed*") == 2
    across = summary["means"][0]["difference"]["GS24, Gini stumps - GS24, correlation stumps"]["mean"]
    means = summary["means"][0]["accuracy"]
    assert across == pytest.approx(means["GS24, Gini stumps"]["mean"] - means["GS24, correlation stumps"]["mean"])
    if protocol == "honest":
        folds = [cell["accuracy"]["AgnosticBoostingClassifier"]["folds"] for cell in summary["cells"]]
        assert folds == [2, 2, 1, 1]  # german has fewer than 100 labels: the estimator is fast there
        assert "AgnosticBoostingClassifier (1 or 2 folds)" in page
        assert page.count("| random forest |") == 2  # peers are run once
    else:
        assert summary["deviation"]["PAB, Gini stumps"]["column"] == "PAB"
        after = page.split("How far from the printed table")[1]
        assert "| PAB, correlation stumps | PAB |" in after
        assert "| PAB, Gini stumps | PAB |" in after


@pytest.mark.parametrize(("stumps", "other"), [("correlation", "Gini"), ("gini", "correlation")])
def test_one_kind_of_stumps_gives_the_figures_that_it_has_among_both(stumps, other, tmp_path):
    def small(kind):
        settings = {"protocol": "printed", "folds_run": 2, "data_sets": ["sonar"], "noise": (0.1,)}
        made = EXPERIMENT.study(stumps=kind, **settings)
        (out := tmp_path / kind).mkdir()
        return made, carry_out(made, out, 1)

    (made, alone), (_, both) = small(stumps), small("both")
    assert alone == [{name: result[name] for name in alone[0]} for result in both]
    page = EXPERIMENT.page.markdown(EXPERIMENT.design.summarise(made, alone))
    assert f"{other} stumps" not in page
    assert "*PAB, printed*" in page
    assert "*Algorithm 1, printed*" in page


def test_bad_requests():
    with pytest.raises(ValueError, match=r"protocol must be one of honest, printed"):
        EXPERIMENT.study(protocol="lucky")
    with pytest.raises(ValueError, match=r"stumps must be one of correlation, gini, both. Got 'entropy'"):
        EXPERIMENT.study(stumps="entropy")
    with pytest.raises(ValueError, match=r"folds must be from 2 to 208.*Got 300"):
        EXPERIMENT.study(folds=300, data_sets=["sonar", "german"])
    with pytest.raises(ValueError, match=r"step"):
        EXPERIMENT.study(step=float("nan"))
    with pytest.raises(ValueError, match=r"must be among ionosphere.*Got iris"):
        check_data_sets(["iris"])
    assert check_data_sets(["sonar", "ionosphere"]) == ("ionosphere", "sonar")
