"""Every engine against the loop: recipes x learners x label kinds x weights."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

import agnoboost as ab
from agnoboost.core import (
    RECIPES,
    SAMPLERS,
    Booster,
    FixedStep,
    Fresh,
    FreshBelowPar,
    Huber,
    Madaboost,
    PseudoHuber,
    Reuse,
    Sampler,
    SmoothHinge,
    WithLabels,
)
from agnoboost.labels import FlipRates, PositiveUnlabeled, SoftLabels
from agnoboost.rounds import ENGINES
from agnoboost.rounds.boosting import pick
from agnoboost.testing import check_rounds

ROWS, LABELS = 240, 100


def table(kind):
    rng = np.random.default_rng(3)
    if kind == "cube":
        X = rng.choice([-1.0, 1.0], size=(ROWS, 5))
        return X, np.where(X[:, 0] * X[:, 1] + 0.8 * X[:, 2] + rng.normal(size=ROWS) > 0, 1, -1)
    X = np.round(rng.normal(size=(ROWS, 4)), 1)
    X[:, 3] = rng.integers(0, 5, ROWS)
    if kind == "gaps":
        X[rng.random(ROWS) < 0.2, 1] = np.nan
    return X, np.where(np.nan_to_num(X[:, 0]) + (X[:, 3] > 2) + rng.normal(size=ROWS) > 0.5, 1, -1)


def grown(X):
    """Trees that use all that holds trees back."""
    plain = ab.HistogramTreeLearner.from_data(X, 4, categorical=[3], max_features=3)
    return replace(plain, min_gain=0.002, max_leaves=7, ridge=0.01, least=0.01, smooth=0.02)


LEARNERS = {
    "stumps": ("plain", lambda X: ab.StumpLearner()),
    "histogram stumps": ("gaps", lambda X: ab.HistogramStumpLearner.from_data(X, categorical=[3])),
    "histogram stumps, bins of their own": ("gaps", lambda X: ab.HistogramStumpLearner()),
    "stumps with a least gain": ("gaps", lambda X: replace(ab.HistogramStumpLearner.from_data(X), min_gain=0.02)),
    "parities": ("cube", lambda X: ab.ParityLearner(2)),
    "histogram trees, bins of their own": ("gaps", lambda X: ab.HistogramTreeLearner()),
    "histogram trees": ("gaps", lambda X: grown(X)),
}
LABELS_AS = {
    "hard": lambda X, y, mass: ab.Pool(X, y, mass),
    "flipped": lambda X, y, mass: FlipRates(0.25).pools(X, y, mass)[0],
    "soft": lambda X, y, mass: SoftLabels("signed").pools(X, 0.7 * y, mass)[0],
    "one class": lambda X, y, mass: PositiveUnlabeled(0.4).pools(X, [1 if v == 1 else None for v in y], mass)[0],
}
MASSES = {
    "even": lambda rng: None,
    "uneven": lambda rng: rng.uniform(0.1, 3.0, LABELS),
    "some zero": lambda rng: np.where(rng.random(LABELS) < 0.3, 0.0, 1.0),
}
SETTINGS = {
    "algorithm1": [{}, {"gamma": 0.5, "threshold": 0.05}, {"unlabeled_weight": 0.4}, {"rows_unlabeled": 40}],
    "algorithm2": [{}, {"rows_unlabeled": 30, "tolerance": 0.0}],
    "algorithm3": [{"shift": 2.5, "threshold": 0.02}],
    "labeled_only": [{}, {"threshold": 0.1}, {"rows": 30}],
    "pab": [{"rows": 2}],
    "feldman_2009": [{"threshold": 0.02}],
    "gs24": [{"rows": 2, "tolerance": 0.0}, {"rows": 2, "step": 0.1, "threshold": 0.05, "tolerance": 0.0}],
}
REALIZE = {"whole": None, "drawn": ab.bernoulli(30), "bootstrap": ab.bootstrap()}


def cases():
    for recipe, several in SETTINGS.items():
        for number, settings in enumerate(several):
            for learner in LEARNERS:
                for label in LABELS_AS if not RECIPES[recipe].needs_hard_labels else ["hard"]:
                    for mass in MASSES if not RECIPES[recipe].uses_labels_once else ["even"]:
                        for shown in REALIZE:
                            rare = shown != "whole" and (label not in ("hard", "flipped") or mass == "some zero")
                            alone = learner in ("stumps", "histogram trees, bins of their own") and (label, mass) != (
                                "hard",
                                "even",
                            )  # one engine
                            if not rare and not alone:
                                yield pytest.param(
                                    recipe, settings, learner, label, mass, shown,
                                    id=f"{recipe}{number}-{learner}-{label}-{mass}-{shown}",
                                )  # fmt: skip


@pytest.mark.parametrize(("recipe", "settings", "learner", "label", "mass", "shown"), list(cases()))
def test_every_engine_gives_the_tape_of_the_loop(recipe, settings, learner, label, mass, shown):
    kind, make_learner = LEARNERS[learner]
    X, y = table(kind)

    def make():
        if RECIPES[recipe].uses_labels_once:
            data = [(X, y)]
        else:
            data = [LABELS_AS[label](X[:LABELS], y[:LABELS], MASSES[mass](np.random.default_rng(1)))]
            data += [ab.Pool(X[LABELS:])] if RECIPES[recipe].uses_unlabeled else []
        return RECIPES[recipe](*data, realize=REALIZE[shown], **settings)

    runs = check_rounds(make, make_learner(X))
    if learner.startswith("histogram stumps") and recipe == "algorithm1" and "rows_unlabeled" not in settings:
        assert set(runs) == {"whole": {"loop", "numpy", "incremental", "rebuild"}, "drawn": {"loop", "sampled"}}.get(
            shown, {"loop"}
        )
    if learner.startswith("histogram trees") and recipe == "algorithm1" and "rows_unlabeled" not in settings:
        assert set(runs) == ({"loop"} if shown == "drawn" else {"loop", "trees"})
    if learner == "parities" and recipe == "algorithm1" and "unlabeled_weight" not in settings and shown == "whole":
        assert set(runs) == {"loop", "walsh"}


def samplers():
    """One or more of every sampler that is registered."""
    X, y = table("cube")
    labeled, rest = ab.Pool(X[:LABELS], y[:LABELS]), ab.Pool(X[LABELS:])
    yield Fresh(labeled, Huber())
    yield FreshBelowPar(labeled, SmoothHinge(), par=0.05)
    yield Reuse(labeled, PseudoHuber(), 0.1, 0.2, rows=20, tolerance=0.0)
    yield WithLabels(labeled, Fresh(rest, Huber()))
    yield WithLabels(labeled, Reuse(rest, PseudoHuber(), 0.1, 0.2, tolerance=0.0))


def test_every_registered_sampler_is_among_them():
    assert {type(sampler) for sampler in samplers()} == set(SAMPLERS.values())


@pytest.mark.parametrize("number", range(len(list(samplers()))))
def test_what_a_sampler_says_of_its_batches_is_so(number):
    sampler = list(samplers())[number]
    booster = Booster(sampler, FixedStep())
    found = check_rounds(lambda: replace(booster, sampler=sampler.with_own_sources()), ab.ParityLearner(2))
    assert ("walsh" in found) == (sampler.why_no_changes() is None)
    assert (sampler.why_no_changes() is None) == (type(sampler) is not FreshBelowPar)
    assert sampler.with_own_sources().sources[0].X is sampler.sources[0].X  # rows are not copied
    assert sampler.drawn == (0, 0)  # and the user's own sources are left alone
    state = sampler.init(np.random.default_rng(0))
    tape = ab.Tape(0.1)
    for _ in range(3):
        _, state = sampler.draw(tape, state, np.random.default_rng(0))
    again = sampler.restore(sampler.init(np.random.default_rng(0)), sampler.pack(state))
    one, other = (sampler.draw(tape, each, np.random.default_rng(1))[0].batch for each in (state, again))
    assert np.array_equal(one.signed, other.signed)
    assert np.array_equal(one.X, other.X)


@dataclass(frozen=True)
class Foreign:
    """A sampler of somebody else's, around one of ours, that knows nothing of our base class."""

    inner: Fresh

    scale = property(lambda self: self.inner.scale)
    sources = property(lambda self: self.inner.sources)
    max_rounds = property(lambda self: self.inner.max_rounds)

    def init(self, rng):
        return self.inner.init(rng)

    def draw(self, tape, state, rng):
        return self.inner.draw(tape, state, rng)


class Louder(Fresh):
    """A subclass of ours with another ``draw``: what Fresh says of its batches must not be believed of it."""

    def draw(self, tape, state, rng):
        draw, state = super().draw(tape, state, rng)
        return replace(draw, batch=replace(draw.batch, target=np.sign(draw.batch.target))), state


@pytest.mark.parametrize(
    "make",
    [
        lambda X, y: Foreign(Fresh(ab.Pool(X, y), Huber())),
        lambda X, y: Louder(ab.Pool(X, y), Huber()),
        lambda X, y: WithLabels(ab.Pool(X, y), Louder(ab.Pool(X), Huber())),
    ],
)
def test_samplers_of_others_run_in_the_loop_alone(make):
    booster = Booster(make(*table("cube")), FixedStep())
    X, _ = table("cube")
    for learner in (ab.HistogramStumpLearner.from_data(X), ab.ParityLearner(2)):
        assert set(check_rounds(lambda: booster, learner)) == {"loop"}


def test_many_runs_of_a_sampler_of_others_draw_from_sources_of_their_own():
    X, y = table("plain")
    source = ab.OnePass(X, y)
    booster = Booster(Foreign(Fresh(source, Huber(), 10)), FixedStep())
    runs = ab.boost_many([booster] * 3, ab.StumpLearner(), rounds=15, rng=0)
    assert runs[0].tape == runs[1].tape == runs[2].tape
    assert source.drawn == 0


def test_a_sampler_that_cannot_be_packed_is_refused_before_the_first_round(tmp_path):
    X, y = table("plain")
    booster = Booster(Foreign(Fresh(ab.Pool(X, y), Huber())), FixedStep())
    heard = []
    with pytest.raises(ValueError, match="say how their state is packed"):
        ab.boost(booster, ab.StumpLearner(), rounds=3, rng=0, callbacks=[heard.append], checkpoint=tmp_path / "state")
    assert not heard


def test_what_is_no_sampler_or_rule_is_refused():
    X, y = table("plain")
    with pytest.raises(TypeError, match=r"without scale, sources, init, draw. Derive it from agnoboost.core.Sampler"):
        Booster(object(), FixedStep())
    with pytest.raises(TypeError, match=r"rule must derive from agnoboost.core.Rule. Got int"):
        Booster(Fresh(ab.Pool(X, y), Huber()), 3)


def test_the_defaults_of_the_base_class():
    class Least(Sampler):
        scale, sources = 1.0, ()

        def init(self, rng): ...

        def draw(self, tape, state, rng): ...

    assert Least().max_rounds is None
    assert "Least is not known" in Least().linear()
    assert "Least is not known" in Least().why_no_changes()


def test_the_list_of_engines():
    assert list(ENGINES) == ["loop", "numpy", "incremental", "rebuild", "gpu", "far", "sampled", "trees", "walsh"]
    assert all(engine.name == name for name, engine in ENGINES.items())
    X, y = table("plain")
    assert pick("auto", ab.labeled_only((X, y)), ab.StumpLearner(), 5).name == "loop"


def test_a_check_that_fails_says_where():
    X, y = table("plain")
    count = iter(range(10))

    def make():  # another step for every engine
        return ab.labeled_only((X, y), step=0.05 * (1 + next(count)))

    with pytest.raises(AssertionError, match=r"part in round|of numpy is up to"):
        check_rounds(make, ab.HistogramStumpLearner())


def test_a_sampler_says_why_its_batches_have_no_linear_form():
    X, y = table("plain")
    labeled, rest = ab.Pool(X, y), ab.Pool(X)
    assert Fresh(labeled, Madaboost()).linear() == "Madaboost is not separable"
    assert Fresh(rest, Huber()).linear() == "there are no labels"
    assert Fresh(labeled, Huber(), 10).linear() == "new rows are drawn in each round"
    assert WithLabels(labeled, Fresh(rest, Huber()), rows=10).linear() == "new rows are drawn in each round"
    forgetful = Reuse(rest, PseudoHuber(), 0.1, decay=0.95, tolerance=0.1)
    assert WithLabels(labeled, forgetful).linear() == "rows are forgotten"
