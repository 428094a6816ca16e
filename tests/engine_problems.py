"""Random boosting problems that try every corner of the stump engine."""

import numpy as np
from hypothesis import strategies as st

import agnoboost as ab
from agnoboost.core.booster import Booster
from agnoboost.core.potentials import PseudoHuber
from agnoboost.core.rules import FixedStep
from agnoboost.core.samplers import Reuse, Sampler, WithLabels
from agnoboost.core.sources import Pool
from agnoboost.rounds.engine import Settings
from agnoboost.rounds.stumps.compiled import IncrementalStumps, RebuiltStumps
from agnoboost.rounds.stumps.in_numpy import NumpyStumps
from agnoboost.rounds.stumps.problem import describe


@st.composite
def problems(draw, largest=300):
    """(booster, learner): any mix of steps, thresholds, weights, ties, missing values and categories."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    rows, features = draw(st.integers(4, largest)), draw(st.integers(1, 5))
    labeled = draw(st.integers(2, max(2, rows - 2)))
    X = rng.normal(size=(rows, features))
    digits = draw(st.sampled_from([0, 1, 12]))
    X = np.round(X, digits)  # few values: ties
    if draw(st.booleans()):
        X = X[rng.integers(0, max(1, rows // 4), rows)]  # duplicated rows
    categorical = []
    if draw(st.booleans()):
        X[:, 0] = rng.integers(0, draw(st.integers(1, 7)), rows)
        categorical = [0]
    if draw(st.booleans()):
        X[rng.random(X.shape) < 0.2] = np.nan
    if draw(st.booleans()):
        X[:, -1] = 1.0  # a constant column
        categorical = [] if features == 1 else categorical
    y = np.where(np.nansum(X, axis=1) + rng.normal(size=rows) > 0, 1, -1)
    learner = ab.HistogramStumpLearner.from_data(X, categorical=categorical)
    if draw(st.booleans()):
        learner = ab.HistogramStumpLearner(learner.bins, draw(st.sampled_from([0.01, 0.2])))
    return make_booster(draw, rng, X, y, labeled), learner


def make_booster(draw, rng, X, y, labeled):
    mass = rng.uniform(0.1, 3.0, len(X)) if draw(st.booleans()) else np.ones(len(X))
    if draw(st.booleans()):
        mass = np.where(rng.random(len(X)) < 0.3, 0.0, mass)
        mass[[0, -1]] = 1.0
    known, rest = ab.Pool(X[:labeled], y[:labeled], mass[:labeled]), ab.Pool(X[labeled:], mass=mass[labeled:])
    settings = {
        "step": draw(st.sampled_from([1.5, 0.5, 0.1, 1 / 3, 0.0137, 0.02])),
        "gamma": draw(st.sampled_from([1.0, 0.3])),
        "threshold": draw(st.sampled_from([0.0, 0.01, 0.15, 0.6])),
    }
    kind = draw(st.sampled_from(["algorithm1", "algorithm1", "algorithm3", "pseudo-Huber", "labeled_only"]))
    if kind == "labeled_only":
        return ab.labeled_only(known, **settings)
    settings["unlabeled_weight"] = draw(st.sampled_from([1.0, 1.0, 0.4]))
    if kind == "algorithm3":
        return ab.algorithm3(known, rest, shift=2.5, **settings)
    if kind == "pseudo-Huber":
        return smooth(known, rest, **settings)
    return ab.algorithm1(known, rest, **settings)


def smooth(known, rest, *, step=0.1, gamma=1.0, threshold=0.0, unlabeled_weight=1.0):
    """Algorithm 1 with a potential that is not piecewise linear; with whole tables, so the pool merges its copies."""
    inner = Reuse(rest, PseudoHuber(), step, min(step, 1.0))
    return Booster(WithLabels(known, inner, unlabeled_weight=unlabeled_weight), FixedStep(step, gamma, threshold))


def described(booster, learner, rounds):
    return describe(booster, learner, rounds)


def started(kind, problem, *, threads=1, cache_bytes=2**20):
    """An engine for a problem that was described."""
    booster = Booster(LinearSampler(problem.form), problem.rule, problem.realize)
    rng = np.random.default_rng(0)
    return kind(booster, problem.learner, problem.rounds, rng, Settings(threads=threads, cache_bytes=cache_bytes))


class LinearSampler(Sampler):
    """Nothing but a linear form."""

    def __init__(self, form):
        self.form = form
        self.sources = tuple(Pool(part.rows.X, mass=part.rows.mass) for part in form.parts)

    scale = sources = None

    def init(self, rng): ...

    def draw(self, tape, state, rng): ...

    def linear(self):
        return self.form


def in_numpy(problem):
    return all_rounds(started(NumpyStumps, problem), problem.rounds)


def compiled(problem, *, always_rebuild=False, **settings):
    kind = RebuiltStumps if always_rebuild else IncrementalStumps
    return all_rounds(started(kind, problem, **settings), problem.rounds)


def all_rounds(engine, rounds):
    """(steps, edges, potentials) of a whole run."""
    parts, done = [], 0
    while done < rounds:
        parts.append(engine.next(rounds - done))
        done += len(parts[-1].steps)
    return (
        [step for part in parts for step in part.steps],
        np.concatenate([part.edges for part in parts]),
        np.concatenate([part.potentials for part in parts]),
    )
