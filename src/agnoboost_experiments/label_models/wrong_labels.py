"""Situations in which labels are wrong: flips at known or unknown rates, and votes of annotators who err."""

from __future__ import annotations

from functools import cache

import numpy as np

from agnoboost.basics.typing import Floats, Rng
from agnoboost.estimators import AgnosticBoostingClassifier
from agnoboost.labels import CrowdVotes, FlipRateEstimate, FlipRates, SoftLabels, dawid_skene, estimate_flip_rates

from .split_table import SplitTable, Ways

VOTED_ROWS = 200


def flips(rows: SplitTable, rng: Rng) -> Ways:
    """300 labels, of which 30% of the positive and 10% of the negative ones are wrong."""
    return _flipped(rows, rng, 300, 0.3, 0.1, boosting=True)


def even_flips(rows: SplitTable, rng: Rng) -> Ways:
    """300 labels, of which 20% are wrong in both classes."""
    return _flipped(rows, rng, 300, 0.2, 0.2)


def few_flips(rows: SplitTable, rng: Rng) -> Ways:
    """100 labels, of which 30% of the positive and 10% of the negative ones are wrong."""
    return _flipped(rows, rng, 100, 0.3, 0.1)


def no_flips(rows: SplitTable, rng: Rng) -> Ways:
    """300 labels, all of them right: what do estimated rates cost?"""
    return _flipped(rows, rng, 300, 0.0, 0.0)


def _flipped(rows: SplitTable, rng: Rng, labels: int, positive: float, negative: float, boosting: bool = False) -> Ways:
    X, y = (part[:labels] for part in rows.rest)
    observed = (y ^ (rng.random(len(y)) < np.where(y, positive, negative))).astype(int)
    rates = FlipRates(positive=positive, negative=negative)

    @cache
    def plain() -> Floats:
        return rows.ours(X, observed)

    @cache
    def estimated() -> FlipRateEstimate | None:
        try:
            return estimate_flip_rates(X, observed, categorical_features=rows.sets)
        except ValueError:  # they cannot be estimated: labels are taken at face value
            return None

    def as_they_are() -> Floats:
        found = estimated()
        model = None if found is None else FlipRates(positive=found.positive, negative=found.negative)
        return rows.ours(X, observed, model)

    def shrunk() -> Floats:
        found = estimated()
        return rows.ours(X, observed, None if found is None else found.label_model)

    def corrected_by_shrunk() -> Floats:
        found = estimated()
        return plain() if found is None else found.label_model.clean(plain())

    def boosted(model: FlipRates | None) -> Floats:
        return rows.ours(X, observed, model, AgnosticBoostingClassifier)

    ways: Ways = {
        "labels at face value": plain,
        "known rates": lambda: rows.ours(X, observed, rates),
        "face value, probabilities corrected by known rates": lambda: rates.clean(plain()),
        "estimated rates as they are": as_they_are,
        "estimated rates, shrunk": shrunk,
        "face value, probabilities corrected by shrunk estimates": corrected_by_shrunk,
        "clean labels": lambda: rows.ours(X, y.astype(int)),
    }
    if boosting:
        ways["AgnosticBoosting, labels at face value"] = lambda: boosted(None)
        ways["AgnosticBoosting, known rates"] = lambda: boosted(rates)
    return ways


def votes(rows: SplitTable, rng: Rng) -> Ways:
    """Five annotators of quality .9 to .55, each of whom votes on 60% of 200 rows."""
    return _voted(rows, rng, (0.9, 0.75, 0.6, 0.6, 0.55), 0.6)


def poor_votes(rows: SplitTable, rng: Rng) -> Ways:
    """Eight annotators of quality .65, each of whom votes on 40% of 200 rows."""
    return _voted(rows, rng, (0.65,) * 8, 0.4)


def _voted(rows: SplitTable, rng: Rng, quality: tuple[float, ...], share: float) -> Ways:
    X, y = (part[:VOTED_ROWS] for part in rows.rest)
    truth = y.astype(float)[:, None]
    table = np.where(rng.random((len(y), len(quality))) < quality, truth, 1.0 - truth)
    table[rng.random(table.shape) > share] = np.nan
    seen = ~np.isnan(table).all(axis=1)
    X, y, table = X[seen], y[seen], table[seen]
    rounded = (np.nanmean(table, axis=1) + 1e-9 * rng.normal(size=len(table)) > 0.5).astype(int)  # ties by lot

    def posterior() -> Floats:
        found = dawid_skene(np.where(np.isnan(table), -1, table).astype(int), 2)
        return rows.ours(X, found.posterior[:, 1], SoftLabels())

    return {
        "majority rounded": lambda: rows.ours(X, rounded),
        "shares of votes": lambda: rows.ours(X, table, CrowdVotes("majority")),
        "Dawid-Skene's posterior as it is": posterior,
        "Dawid-Skene, without its lean": lambda: rows.ours(X, table, CrowdVotes()),
        "true labels": lambda: rows.ours(X, y.astype(int)),
    }
