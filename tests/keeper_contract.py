"""What every keeper of rows must do: the answers of the plain one, to the bit, on random rows and questions."""

import numpy as np

from agnoboost.kernels.binning import WIDTH
from agnoboost.rounds.stumps.counting import Counting, HuberPsi, TablePsi, potential_grain
from agnoboost.rounds.stumps.keepers.base import Moves, StumpTables
from agnoboost.rounds.stumps.keepers.plain import PlainKeeper

KINDS = ("equal weights", "zero weights", "different weights", "smooth")
LONGEST = 40  # steps in a conversation, at most


def check_keeper(make, *, seeds=range(12), kinds=KINDS, rows=(1, 700)):
    """Ask a keeper and its plain twin the same questions.

    ``make(counting, codes, weights, labels)`` makes the keeper; ``kinds`` are the problems that it covers ("smooth"
    ones have a potential that is not Huber's: nothing incremental is asked).
    """
    for kind in kinds:
        for seed in seeds:
            rng = np.random.default_rng([seed, KINDS.index(kind)])
            parts = random_rows(rng, kind, int(rng.integers(*rows)))
            compare(make(*parts), PlainKeeper(*parts), rng, kind, f"{kind}, seed {seed}")


def random_rows(rng, kind, rows):
    """(counting, codes, weights, labels), with features of few and of many bins, missing values among them."""
    features = int(rng.integers(1, 9))
    widths = rng.choice([2, 3, 7, 40, WIDTH], features)
    start = np.concatenate([[0], np.cumsum(widths)])
    codes = rng.integers(0, widths, (rows, features)).astype(np.uint8)
    unit = float(rng.choice([0.5, 0.1, 0.013, 1 / 300]))
    inverse_gamma = int(rng.choice([1, 1, 3]))
    labels = np.where(rng.random(rows) < 0.5, rng.integers(-1, 2, rows), 0)
    psi = HuberPsi.of(unit)
    weights, weight_unit = np.ones(rows, dtype=np.int64), 1.0 / rows
    if kind == "zero weights":
        weights[rng.random(rows) < 0.3] = 0
    elif kind == "different weights":
        weights = rng.integers(0, 2**40 // rows, rows)
        labels = labels * rng.integers(0, 2**30, rows)
        weight_unit = 2.0**-40
    elif kind == "smooth":
        psi = smooth_psi(unit, (LONGEST + 1) * 3 * inverse_gamma)
        weights = rng.random(rows)
    furthest = (LONGEST + 1) * 3 * inverse_gamma * unit
    largest = (weight_unit * float(weights.sum()) + 1e-9 * float(np.abs(labels).sum())) * (furthest + 1.0)
    counting = Counting(start, psi, inverse_gamma, 1, unit, weight_unit, 1e-9, potential_grain(largest))
    return counting, codes, weights, labels


def smooth_psi(unit, furthest):
    margins = unit * np.arange(-furthest, furthest + 1)
    return TablePsi(2**40, 2**40 * np.tanh(margins), np.log(np.cosh(margins)))


def compare(keeper, plain, rng, kind, name):
    """A random conversation."""
    assert keeper.rows == plain.rows, name
    assert keeper.lanes >= 1, name
    assert keeper.pass_cost >= 0, name
    totals, expected = keeper.totals(), plain.totals()
    same(totals.labels, expected.labels, name)
    assert np.isclose(totals.weight, expected.weight), name
    begin = [random_moves(rng, plain, 3) for _ in range(rng.integers(0, 4))]
    same(keeper.restart(begin), plain.restart(begin), name)
    questions = [ask_to_take] if kind == "smooth" else [ask_columns, ask_joint, ask_zone, ask_to_take, ask_to_take]
    for _ in range(LONGEST // 4):
        rng.choice(questions)(keeper, plain, rng, name)
    same(keeper.restart([]), plain.restart([]), name)  # from the beginning


def ask_columns(keeper, plain, rng, name):
    count = int(rng.integers(1, 2 * keeper.lanes + 2))
    features = rng.integers(0, plain.codes.shape[1], count)
    tables = rng.integers(-1, 2, (count, WIDTH)).astype(np.int8)
    tables[rng.random(count) < 0.5] |= 1  # without zeros, as where nothing is missing
    asked = StumpTables(features, tables)
    same(keeper.columns(asked), plain.columns(asked), name)


def ask_joint(keeper, plain, rng, name):
    if keeper.joint_cost is None:
        return
    features = rng.permutation(plain.codes.shape[1])[: rng.integers(1, 3)]
    same(keeper.joint(features), plain.joint(features), name)


def ask_zone(keeper, plain, rng, name):
    moves = random_moves(rng, plain, 1)
    same(keeper.catch_up(moves), plain.catch_up(moves), name)
    distance = int(rng.choice([0, plain.counting.step, plain.counting.furthest_distance]))
    zone, expected = keeper.zone(distance), plain.zone(distance)
    for field in ("margins", "weights", "codes"):
        same(getattr(zone, field), getattr(expected, field), name)
        assert getattr(zone, field).flags.c_contiguous


def ask_to_take(keeper, plain, rng, name):
    moves = random_moves(rng, plain, 1)
    step = random_moves(rng, plain, 1, most=1) if rng.random() < 0.5 else None
    taken, expected = keeper.take(moves, step), plain.take(moves, step)
    same(taken.change, expected.change, name)
    assert taken.potential == expected.potential, name


def random_moves(rng, plain, steps, most=3):
    """Moves of up to ``steps`` steps on each of a few features; with most=1 of a single stump."""
    features = plain.codes.shape[1]
    count = 1 if most == 1 else int(rng.integers(0, min(most, features) + 1))
    chosen = rng.permutation(features)[:count]
    tables = rng.integers(-steps, steps + 1, (count, WIDTH)) // max(count, 1) * plain.counting.step
    return Moves(chosen, tables.astype(np.int32))


def same(found, expected, name):
    """Equal in every bit, and of the same type."""
    assert found.dtype == expected.dtype, name
    assert np.array_equal(found, expected), name
