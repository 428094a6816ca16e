"""Conformance checks for parts written outside this package: the properties that the theorems rest on.

Each check raises AssertionError with the property that failed.

>>> from agnoboost.core.potentials import Huber
>>> check_potential(Huber())
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .basics.typing import Floats, Matrix
from .core.batch import Batch
from .core.booster import Booster
from .core.learners.base import Hypothesis, WeakLearner
from .core.potentials import Potential
from .core.samplers import Sampler
from .core.tape import Tape
from .rounds import ENGINES, Run, boost

__all__ = ["check_learner", "check_potential", "check_rounds", "check_sampler"]


def check_potential(potential: Potential) -> None:
    """Derivatives against numerical differentiation, convexity, and the stated bounds.

    Parameters
    ----------
    potential : Potential
        The potential to check.

    Examples
    --------
    >>> from agnoboost.core import Huber
    >>> check_potential(Huber())
    """
    z, h = np.linspace(-4.0, 4.0, 3201), 1e-6
    for label in (-1.0, 0.0, 1.0) if potential.separable else (-1.0, 1.0):
        y = np.full_like(z, label)

        def value(at: Floats, y: Floats = y) -> Floats:
            return potential.value(at, y)

        def grad(at: Floats, y: Floats = y) -> Floats:
            return potential.grad(at, y)

        numerical = (value(z + h) - value(z - h)) / (2 * h)
        assert np.allclose(numerical, grad(z), atol=1e-5), "grad is not the derivative of value"
        forward, backward = (grad(z + h) - grad(z)) / h, (grad(z) - grad(z - h)) / h
        low, high = np.minimum(forward, backward), np.maximum(forward, backward)
        inside = (potential.curvature(z, y) >= low - 1e-4) & (potential.curvature(z, y) <= high + 1e-4)
        assert inside.all(), "curvature is not the derivative of grad"
        slopes = np.diff(grad(z)) / np.diff(z)
        assert (slopes >= -1e-9).all(), "not convex"
        assert (slopes <= potential.smoothness + 1e-9).all(), "not as smooth as stated"
        far = np.concatenate([z, [-1e6, 1e6]])
        labels = np.full_like(far, label)
        bound = potential.bound(labeled=label != 0)
        assert (np.abs(potential.grad(far, labels)) <= bound + 1e-12).all(), "the gradient exceeds its bound"
        gap = potential.value(np.zeros(1), labels[:1])[0] - potential.value(far, labels).min()
        assert gap <= potential.gap + 1e-9, "the potential falls further below phi(0, y) than stated"


def check_learner(learner: WeakLearner, X: Matrix, *, exact: bool = False, seed: int = 0) -> Hypothesis:
    """Values in range, hashable hypotheses, the same answer twice, rows untouched.

    Parameters
    ----------
    learner : WeakLearner
        The weak learner to check.
    X : array of shape (rows, features)
        Rows that it can take.
    exact : bool, default=False
        Whether to ask for an edge that is no less than the best constant's, as a class that has the constants allows.
    seed : int, default=0
        Of the labels.

    Returns
    -------
    Hypothesis
        What it found.

    Examples
    --------
    >>> from agnoboost import StumpLearner
    >>> found = check_learner(StumpLearner(), np.random.default_rng(0).normal(size=(50, 3)), exact=True)
    """
    rng = np.random.default_rng(seed)
    target = rng.choice([-1.0, 1.0], len(X)) if learner.needs_hard_labels else rng.uniform(-1, 1, len(X))
    batch = Batch(X, target, np.full(len(X), 1.0 / len(X)))
    kept = X.copy()
    first = learner.fit(batch, np.random.default_rng(seed))
    again = learner.fit(Batch(X.copy(), target, batch.mass), np.random.default_rng(seed))
    values = first.predict(X)
    assert values.shape == (len(X),), "predict must return one value a row"
    assert (np.abs(values) <= 1.0).all(), "values must lie in [-1, 1]"
    assert first.binary == learner.binary, "learner and hypothesis disagree on being binary"
    if first.binary:
        assert (np.abs(values) == 1.0).all(), "a binary hypothesis must say -1 or +1"
    assert np.array_equal(values, again.predict(X)), "the same batch and seed must give the same hypothesis"
    assert np.array_equal(X, kept), "fit must leave the rows as they were"
    hash(first)  # the tape merges equal hypotheses
    if exact:
        assert batch.corr(values) >= abs(batch.signed.sum()) - 1e-9, "the best constant has a larger edge"
    return first


def check_sampler(
    sampler: Sampler, tape: Tape, phi_grad: Any, hypotheses: list[Hypothesis], *, tolerance: float = 1e-12
) -> None:
    """corr(h) = -scale * Phi'(H, h) after every prefix of ``tape``.

    Parameters
    ----------
    sampler : Sampler
        The sampler to check. Its sources must hand out the whole distribution (a :class:`~agnoboost.core.sources.Pool`
        with ``rows=None``), so that the batch is its own expectation.
    tape : Tape
        Steps after which it is asked for batches.
    phi_grad : callable
        ``phi_grad(prefix, h)`` is the true directional derivative.
    hypotheses : list of Hypothesis
        The directions.
    tolerance : float, default=1e-12
        How far correlation and derivative may be apart.
    """
    rng = np.random.default_rng(0)
    state = sampler.init(rng)
    for length in range(len(tape) + 1):
        prefix = tape.prefix(length)
        draw, state = sampler.draw(prefix, state, rng)
        for hypothesis in hypotheses:
            found = draw.batch.corr(hypothesis.predict(draw.batch.X))
            expected = -sampler.scale * phi_grad(prefix, hypothesis)
            assert abs(found - expected) <= tolerance, (
                f"after {length} steps the correlation is {found}, and -scale * Phi' is {expected}"
            )


def check_rounds(
    make: Callable[[], Booster], learner: WeakLearner, *, rounds: int = 40, seed: int = 0, tolerance: float = 1e-9
) -> dict[str, Run]:
    """Every engine that covers a booster gives the tape of the plain loop, and its history.

    Two tapes may part where two hypotheses have the same edge, up to the grid on which edges are compared: what is
    equal on paper may lie on either side of a line between two levels. Take no more than 20,000 rows: beyond, some
    engines estimate the potential by fewer than the loop. A sampler that names other forms of its batches (``linear``,
    ``draw_changes``) is checked by this too.

    Parameters
    ----------
    make : callable
        Makes the booster anew for each engine, since sources remember what they have handed out.
    learner : WeakLearner
        The weak learner of all runs.
    rounds : int, default=40
        How many.
    seed : int, default=0
        Of all runs.
    tolerance : float, default=1e-9
        How far edges may be apart.

    Returns
    -------
    dict of Run
        By the name of the engine.
    """
    runs: dict[str, Run] = {}
    for name, engine in ENGINES.items():
        booster = make()
        ready = learner.seeing([source.X for source in booster.sampler.sources if source.X is not None])
        if engine.covers(booster, ready, rounds) is None:
            runs[name] = boost(booster, learner, rounds=rounds, rng=seed, engine=name)
    plain = runs["loop"]
    for name, run in runs.items():
        same = _steps_in_common(run.tape, plain.tape)
        edges, expected = run.history["edge"], plain.history["edge"]
        if same < rounds:
            assert abs(edges[same] - expected[same]) <= 2.0**-40, f"{name} and the loop part in round {same + 1}"
        for column, most in (("edge", tolerance), ("potential", 1e3 * tolerance)):  # potentials are added up, edges not
            off = np.abs(run.history[column][:same].astype(float) - plain.history[column][:same].astype(float))
            assert (off <= most).all(), f"the {column} of {name} is up to {off.max()} off the loop's"
        for column in ("number", "branch", "labeled_drawn", "unlabeled_drawn"):
            assert np.array_equal(run.history[column][:same], plain.history[column][:same]), f"{column} of {name}"
    return runs


def _steps_in_common(one: Tape, other: Tape) -> int:
    pairs = enumerate(zip(one.steps, other.steps, strict=True))
    return next((place for place, (first, second) in pairs if first != second), len(one))
