import re
import subprocess
import sys

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits

from agnoboost import (
    Booster,
    ClassifierLearner,
    EarlyStopping,
    HistogramStumpLearner,
    OnePass,
    ParityLearner,
    Pool,
    ProbabilityLearner,
    SourceExhausted,
    Stream,
    StumpLearner,
    TreeLearner,
    algorithm1,
    algorithm2,
    algorithm3,
    bernoulli,
    boost,
    brukhim_2020,
    feldman_2009,
    fractional,
    ghai_singh_2024,
    labeled_only,
    madaboost,
    pab,
    smooth_boost,
)
from agnoboost.core.recipes import RECIPES
from agnoboost.core.rules import EdgeStep, FixedStep, LargerStep
from agnoboost.core.tape import Add, Shrink


@pytest.fixture
def data(rng):
    """Two informative features of five, 15% flips."""
    X = rng.normal(size=(700, 5))
    truth = np.where(X[:, 0] + X[:, 1] > 0, 1, -1)
    y = np.where(rng.random(700) < 0.15, -truth, truth)
    return X, y, truth


def boosters(X, y):
    """One of each recipe; 100 labeled and 400 unlabeled rows."""
    labeled, unlabeled = (X[:100], y[:100]), X[100:500]
    return {
        "algorithm1": algorithm1(labeled, unlabeled),
        "algorithm2": algorithm2(labeled, unlabeled, rows_unlabeled=50),
        "algorithm3": algorithm3(labeled, unlabeled, shift=2.0),
        "labeled_only": labeled_only(labeled),
        "pab": pab(labeled, rows=8, rate=0.5),
        "gs24": ghai_singh_2024(labeled, rows=8, rate=0.5),
        "feldman_2009": feldman_2009(labeled),
        "brukhim_2020": brukhim_2020(labeled, rounds=20, gamma=0.5),
        "smooth_boost": smooth_boost(labeled),
        "madaboost": madaboost(labeled),
    }


@pytest.mark.parametrize("name", RECIPES)
def test_every_recipe_learns(data, name):
    X, y, truth = data
    booster = boosters(X, y)[name]
    run = boost(booster, StumpLearner(), rounds=min(20, booster.max_rounds or 20), rng=0)
    chosen = run.select(X[500:600], y[500:600])
    assert np.mean(chosen.predict(X[600:]) == truth[600:]) > 0.7


@pytest.mark.parametrize("name", RECIPES)
@pytest.mark.parametrize("realize", [fractional(), fractional(30), bernoulli(60)], ids=["all", "rows", "labels"])
def test_the_same_seed_gives_the_same_tape_on_1_and_2_threads(data, name, realize):
    X, y, _ = data

    def run(seed, threads):
        booster = boosters(X, y)[name]
        with threadpool_limits(threads):
            return boost(Booster(booster.sampler, booster.rule, realize), StumpLearner(), rounds=12, rng=seed).tape

    first = run(7, 1)
    assert first == run(7, 2)
    if realize != fractional() or name in ("pab", "gs24", "algorithm2"):
        assert first != run(8, 1)


def test_matrix_products_do_not_depend_on_threads(rng):
    """The parity learner uses BLAS, which adds in another order with more threads: the grid makes that harmless."""
    X = rng.choice([-1.0, 1.0], size=(4000, 12))
    y = np.where(X[:, 0] * X[:, 1] + X[:, 2] + rng.normal(size=4000) > 0, 1, -1)
    tapes = []
    for threads in (1, 2):
        with threadpool_limits(threads):
            booster = algorithm2((X[:500], y[:500]), X[500:], rows_unlabeled=2000)
            tapes.append(boost(booster, ParityLearner(3), rounds=25, rng=0).tape)
    assert tapes[0] == tapes[1]


def test_recipes_are_put_together_as_the_papers_say(data):
    X, y, _ = data
    made = boosters(X, y)
    potentials = {
        "pab": "Madaboost",
        "gs24": "GhaiSingh",
        "labeled_only": "Huber",
    }
    for name, potential in potentials.items():
        assert type(made[name].sampler.potential).__name__ == potential
    for name, potential in (("algorithm1", "Huber"), ("algorithm2", "PseudoHuber"), ("algorithm3", "Huber")):
        assert type(made[name].sampler.unlabeled.potential).__name__ == potential
    two = algorithm2((X[:9], y[:9]), X, step=0.2, gamma=0.5, tolerance=0.01).sampler.unlabeled
    assert (two.decay, two.max_step, two.tolerance) == (0.2, 0.2, 0.01)  # sigma = eta/gamma
    fixed = ghai_singh_2024((X[:9], y[:9]), rows=3, step=0.2, gamma=0.5, decay=0.5)
    assert (fixed.rule, fixed.sampler.max_step, fixed.sampler.decay) == (FixedStep(0.2, 0.5), 0.2, 0.5)
    assert made["gs24"].rule == EdgeStep(0.5, scale=made["gs24"].sampler.scale)
    assert made["pab"].rule == LargerStep(0.5)
    assert made["algorithm3"].sampler.shift == 2.0


def test_the_edge_is_measured_on_what_the_learner_saw(data):
    X, y, _ = data
    booster = algorithm1((X[:100], y[:100]), X[100:500], realize=fractional(5))
    run = boost(booster, StumpLearner(), rounds=30, rng=0)
    assert run.history["edge"].max() > 0.75  # five rows are fitted closely; all rows never are


@pytest.mark.parametrize(
    "learner",
    [
        StumpLearner(),
        TreeLearner(2),
        ClassifierLearner(DecisionTreeClassifier(max_depth=2, max_features=2)),
        ProbabilityLearner(LogisticRegression()),
    ],
    ids=lambda learner: type(learner).__name__,
)
def test_every_kind_of_learner_boosts_and_its_margins_replay_to_the_bit(data, learner):
    X, y, truth = data
    run = boost(boosters(X, y)["algorithm1"], learner, rounds=15, rng=0)
    assert np.array_equal(run.tape.margin(X), list(run.tape.staged(X))[-1])
    assert np.mean(run.tape.predict(X[500:]) == truth[500:]) > 0.75


def test_parities_boost_on_a_stream(rng):
    def points(n, rng):
        return rng.choice([-1.0, 1.0], size=(n, 8))

    X = points(400, rng)
    y = np.sign(X[:, :3].sum(axis=1))
    booster = algorithm1((X, y), Stream(points, n_features=8), step=0.1, gamma=0.5, rows_unlabeled=500)
    run = boost(booster, ParityLearner(3), rounds=30, rng=0)
    fresh = points(2000, rng)
    assert np.mean(run.tape.predict(fresh) == np.sign(fresh[:, :3].sum(axis=1))) == 1.0
    assert run.history["unlabeled_drawn"][-1] == 30 * 500


def test_histograms_and_sorting_give_the_same_tape(rng):
    X = rng.integers(20, size=(400, 4)).astype(float)
    y = np.where(X[:, 0] + X[:, 1] + rng.normal(size=400) * 4 > 19, 1, -1)
    tapes = [
        boost(algorithm1((X[:100], y[:100]), X[100:], threshold=0.04), learner, rounds=60, rng=0).tape
        for learner in (StumpLearner(), HistogramStumpLearner.from_data(X))
    ]
    assert tapes[0] == tapes[1]
    assert any(isinstance(step, Shrink) for step in tapes[0].steps)


def test_history(data):
    X, y, _ = data
    booster = algorithm1((X[:100], y[:100]), X[100:500], threshold=0.15, rows_unlabeled=60)
    run = boost(booster, StumpLearner(), rounds=40, rng=0)
    history = run.history
    assert len(history) == len(run.tape) == 40
    assert history["number"].tolist() == list(range(1, 41))
    branches = ["A" if isinstance(step, Add) else "B" for step in run.tape.steps]
    assert history["branch"].tolist() == branches
    assert (history["edge"][history["branch"] == "A"] > 0.15).all()
    assert (history["edge"][history["branch"] == "B"] <= 0.15).all()
    assert set(branches) == {"A", "B"}
    assert (history["labeled_drawn"] == 100).all()  # drawn once, used in all rounds
    assert history["unlabeled_drawn"].tolist() == [60 * t for t in range(1, 41)]
    assert history["potential"][0] == 0.0
    assert history["potential"][20:].mean() < -0.1
    assert list(history.to_dict()) == list(history.columns())
    with pytest.raises(KeyError, match="history has the columns number, edge"):
        history["loss"]


def test_held_out_labels_do_not_touch_the_tape(data, rng):
    X, y, _ = data

    def run(labels):
        held_out = X[500:600], labels
        done = boost(
            boosters(X, y)["algorithm2"],
            StumpLearner(),
            rounds=25,
            rng=3,
            callbacks=[EarlyStopping(*held_out, patience=25)],
        )
        return done.tape, done.select(*held_out).rounds

    tape, rounds = run(y[500:600])
    permuted = [run(rng.permutation(y[500:600])) for _ in range(4)]
    assert all(other == tape for other, _ in permuted)
    assert any(other != rounds for _, other in permuted)


def test_callbacks_see_every_round_and_can_stop(data):
    X, y, _ = data
    seen = []

    def stop_at_seven(progress):
        seen.append((progress.round.number, len(progress.tape), progress.rounds))
        return progress.round.number == 7

    run = boost(boosters(X, y)["algorithm1"], StumpLearner(), rounds=30, rng=0, callbacks=[stop_at_seven])
    assert len(run.tape) == len(run.history) == 7
    assert seen == [(t, t, 30) for t in range(1, 8)]
    longer = boost(boosters(X, y)["algorithm1"], StumpLearner(), rounds=30, rng=0)
    assert longer.tape.prefix(7) == run.tape


def test_early_stopping_stops_after_its_patience(data):
    X, y, _ = data
    held_out = X[500:], y[500:]
    full = boost(boosters(X, y)["algorithm1"], StumpLearner(), rounds=200, rng=0)
    stopped = boost(
        boosters(X, y)["algorithm1"],
        StumpLearner(),
        rounds=200,
        rng=0,
        callbacks=[EarlyStopping(*held_out, patience=15)],
    )
    scores = full.select(*held_out).scores
    best = np.maximum.accumulate(scores)
    last_rise = max(t for t in range(1, len(stopped.tape) + 1) if scores[t] > best[t - 1])
    assert len(stopped.tape) == last_rise + 15 < 200


def test_the_progress_bar(data, capsys):
    pytest.importorskip("rich")
    X, y, _ = data
    boost(boosters(X, y)["algorithm1"], StumpLearner(), rounds=5, rng=0, progress=True)
    assert re.search(r"boosting.*5/5", capsys.readouterr().out)


def test_one_pass_data_say_how_long_they_last(data):
    X, y, _ = data
    booster = pab((X[:100], y[:100]), rows=20)
    assert booster.max_rounds == 5
    with pytest.raises(SourceExhausted, match=r"last for 5 rounds.*Got rounds=6. Use rounds=5"):
        boost(booster, StumpLearner(), rounds=6)
    run = boost(booster, StumpLearner(), rounds=5, rng=0)
    assert run.history["labeled_drawn"].tolist() == [20, 40, 60, 80, 100]
    assert booster.max_rounds == 0
    assert algorithm1((X[:100], y[:100]), X[100:]).max_rounds is None


def test_a_booster_run_again_counts_from_zero_and_an_empty_source_says_so(data):
    X, y, _ = data
    booster = algorithm1((X[:100], y[:100]), X[100:500])
    for _ in range(2):
        run = boost(booster, StumpLearner(), rounds=2, rng=0)
        assert run.history["unlabeled_drawn"].tolist() == [400, 800]
    used = labeled_only(OnePass(X[:50], y[:50]))
    boost(used, StumpLearner(), rounds=1)
    assert used.max_rounds == 0
    with pytest.raises(SourceExhausted):
        boost(used, StumpLearner(), rounds=1)


def test_every_source_is_checked_before_work(data, rng):
    X, y, _ = data
    cube = np.sign(X)
    for labeled, unlabeled in (((cube[:9], y[:9]), X), ((X[:9], y[:9]), cube)):
        with pytest.raises(ValueError, match=r"features in \{-1, \+1\}"):
            boost(algorithm1(labeled, unlabeled), ParityLearner(1), rounds=1)
    stream = Stream(lambda n, rng: rng.integers(2, size=(n, 5)), n_features=5)
    with pytest.raises(ValueError, match=r"features in \{-1, \+1\}"):
        boost(algorithm1((cube[:9], y[:9]), stream, rows_unlabeled=20), ParityLearner(1), rounds=1)


def test_a_learner_that_misstates_its_kind_is_refused(data):
    X, y, _ = data

    class Wrong(ProbabilityLearner):
        binary = True

    with pytest.raises(TypeError, match="Set binary = False on the learner too"):
        boost(boosters(X, y)["algorithm1"], Wrong(LogisticRegression()), rounds=1)


def test_early_stopping_starts_from_the_zero_model(data):
    X, _, _ = data
    stop = EarlyStopping(X[:50], np.ones(50), patience=3)  # H_1 = 0 is perfect here: nothing can improve on it
    labeled = X[:100], np.where(X[:100, 0] > 0, 1, -1)
    run = boost(algorithm1(labeled, X[100:500]), StumpLearner(), rounds=50, rng=0, callbacks=[stop])
    assert len(run.tape) == 3


def test_a_failure_before_work_draws_nothing(data):
    X, y, _ = data
    labeled, unlabeled = Pool(X[:100], y[:100]), Pool(X[100:])
    booster = algorithm1(labeled, unlabeled)
    for learner, message in (
        (ClassifierLearner(KNeighborsClassifier()), r"takes no sample_weight.*realize=bernoulli\(m\)"),
        (ParityLearner(2), r"features in \{-1, \+1\}"),
        (HistogramStumpLearner.from_data(X[:, :3]), "must have 3 features"),
    ):
        with pytest.raises(ValueError, match=message):
            boost(booster, learner, rounds=3)
    for bad in (0, -1, 2.0, "5", None):
        with pytest.raises(ValueError, match="rounds must be a whole number"):
            boost(booster, StumpLearner(), rounds=bad)
    assert labeled.drawn == unlabeled.drawn == 0


def test_a_classifier_without_weights_works_with_sampled_labels(data):
    X, y, truth = data
    booster = algorithm1((X[:100], y[:100]), X[100:500], realize=bernoulli(200))
    run = boost(booster, ClassifierLearner(KNeighborsClassifier(15)), rounds=10, rng=0)
    assert np.mean(run.tape.predict(X[500:]) == truth[500:]) > 0.75


def test_recipes_refuse_bad_settings(data):
    X, y, _ = data
    labeled = X[:100], y[:100]
    with pytest.raises(ValueError, match=r"gamma must be in \(0, 1\]"):
        algorithm1(labeled, X, gamma=0.0)
    with pytest.raises(ValueError, match="rows must be a whole number"):
        algorithm1(labeled, X, rows_unlabeled=0)
    with pytest.raises(ValueError, match=r"decay must be in \(0, 1\]"):
        algorithm2(labeled, X, decay=2.0)
    with pytest.raises(ValueError, match="shift must be in"):
        algorithm3(labeled, X, shift=0.0)
    with pytest.raises(ValueError, match="must have 5 features"):
        algorithm1(labeled, X[:, :3])
    with pytest.raises(ValueError, match="Got unlabeled rows"):
        pab(OnePass(X), rows=5)
    holes = algorithm1(labeled, np.where(np.arange(700)[:, None] == 3, np.nan, X))
    for learner in (StumpLearner(), TreeLearner(), ClassifierLearner(LogisticRegression())):
        with pytest.raises(ValueError, match=r"no missing values here. Got NaN in 1 of 700 rows.*impute"):
            boost(holes, learner, rounds=3)
    assert holes.sampler.labeled.drawn == 0


def test_rich_is_not_needed_without_a_progress_bar():
    code = (
        "import sys; sys.modules['rich'] = None; sys.modules['rich.progress'] = None\n"
        "import numpy as np, agnoboost as ab\n"
        "X = np.arange(20.0)[:, None]; y = np.where(X[:, 0] > 9, 1, -1)\n"
        "b = ab.algorithm1((X, y), X)\n"
        "ab.boost(b, ab.StumpLearner(), rounds=2)\n"
        "try: ab.boost(b, ab.StumpLearner(), rounds=2, progress=True)\n"
        "except ImportError as e: print(e)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "pip install 'agnoboost[progress]'" in done.stdout
