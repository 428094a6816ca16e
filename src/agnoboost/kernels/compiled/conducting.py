"""Full-batch rounds with the Huber potential from sums alone, without looking at all rows.

Margins are whole numbers, psi'(H) = clip(H), and ``cells.sums`` has the exact sum of weight * psi' over the rows of
every cell. A step moves psi' of each *active* row (one with |H| <= 1) by the step itself, and that of no other row. So
the sums move by the step times the stump's *Gram column*, its weighted sum over the active rows of every cell, save for
the rows that cross |H| = 1, which are corrected one by one. Columns are kept; crossings are listed, and a column is
brought up to date by those since its last use.

Only rows in the *zone*, near |H| = 1, can cross while no margin has moved by more than the zone's *limit*. A row of the
zone is looked at when it is *due*: when the steps since the last look add up to its distance from |H| = 1. Those that
may cross within the next rounds, up to a *horizon*, are *near*: their margins are carried along in each round.

Twin: :class:`agnoboost.rounds.stumps.in_numpy.NumpyStumps`, which works out all sums anew in every round.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from . import kernel
from .best_stump import best_stump, level
from .margins import distance, height_at, moved, slope_at, touch

# Numba takes plain named tuples as arguments.
Cells = namedtuple("Cells", "start categorical sums label label_sums table")
"""Per cell: sums of psi', label edges (see best_stump), sums of label mass. ``table`` is that of the last choice."""

Columns = namedtuple("Columns", "sums stump feature key table used seen")
"""Kept Gram columns, one a slot: values, which stump, when last used, and up to which crossing they are right."""

Owed = namedtuple("Owed", "feature table most place")
"""Steps that the keeper's margins have not taken yet, summed up by bin of each feature, and the largest of each."""

Zone = namedtuple("Zone", "codes weight margin now due last")
"""Rows that can cross soon: bins, weights, the keeper's margin, that when last looked at, the travel at which to look
again, and the row's last crossing."""

Near = namedtuple("Near", "place margin codes loaded")
"""Rows of the zone that can cross before the horizon, with margins of today and, for features that came up, bins."""

Crossings = namedtuple("Crossings", "codes weight previous skip")
"""Who crossed |H| = 1, in order: bins, the weight that became active (negative: inactive), the row's last crossing."""

Rule = namedtuple(
    "Rule", "step shrink threshold slope top reach unit factor label_total min_gain weight_unit label_unit"
)
"""The step and psi' in whole numbers: slope * H within reach, else +-top. See agnoboost.rounds.stumps.counting."""

State = namedtuple("State", "numbers potential")
"""The numbers below, and Phi(H)."""

Log = namedtuple("Log", "stump sign edge potential")
"""What happened in each round."""

# Places in State.numbers. All steps since the zone was made add up to TRAVEL; no margin owes more than MOVED; SYNCED
# are the crossings that the keeper's margins have made.
ROUND, TRAVEL, HORIZON, MOVED, LIMIT, OWED, NEAR, CROSSED, SYNCED, CLOCK = range(10)
NUMBERS = 10
DONE, NEEDS_COLUMN, NEEDS_LOOK, NEEDS_ROOM, NEEDS_SHRINK = range(5)
MOMENT = 100_000_000  # visits of a cell between two looks at Python: about a tenth of a second
SHRINK = -1  # in Log.stump


@kernel
def choose(cells, rule):
    """:func:`best_stump` for the present sums."""
    conditions = (cells.start, cells.categorical, rule.label_total, rule.min_gain)
    return best_stump(cells.sums, cells.label, rule.factor, *conditions, cells.table)


@kernel
def find(columns, feature, key, table):
    """The slot that holds a stump's column, or -1."""
    for slot in range(columns.feature.size):
        if columns.feature[slot] == feature and columns.key[slot] == key:
            same = True
            for code in range(table.size):
                if columns.table[slot, code] != table[code]:
                    same = False
                    break
            if same:
                return slot
    return -1


@kernel
def stump_key(categorical, position, missing, table):
    """A number that tells the tables of a feature apart, or nearly so for categories."""
    if not categorical:
        return np.int64(position) * 4 + np.int64(missing) + 1
    key = np.int64(17)
    for code in range(table.size):
        key = (key * 1000003 + table[code] + 2) % 2**40  # small enough for the next product not to overflow
    return key


@kernel
def refresh(crossings, start, column, first, last, feature, table):
    """Bring a column up to date by crossings first..last; returns how many rows differed.

    A row's crossings in and out cancel each other in pairs, from the last one on.
    """
    differing = 0
    for place in range(last - 1, first - 1, -1):
        if crossings.skip[place]:
            crossings.skip[place] = False
            continue
        before = crossings.previous[place]
        if before >= first:
            crossings.skip[before] = True
            continue
        value = crossings.weight[place] * table[crossings.codes[place, feature]]
        touch(crossings.codes, start, place, value, column)
        differing += 1
    return differing


@kernel
def note_crossing(zone, crossings, numbers, row, is_active):
    """Put a row of the zone on the list."""
    place = numbers[CROSSED]
    numbers[CROSSED] += 1
    crossings.weight[place] = zone.weight[row] if is_active else -zone.weight[row]
    crossings.previous[place] = zone.last[row]
    crossings.skip[place] = False
    zone.last[row] = place
    for feature in range(zone.codes.shape[1]):
        crossings.codes[place, feature] = zone.codes[row, feature]


@kernel
def cross(zone, crossings, rule, state, start, row, old, move, sums):
    """Correct the sums for a row that has crossed |H| = 1; returns the correction of psi."""
    weight = zone.weight[row]
    new = old + move
    was_active = abs(old) <= rule.reach
    taken = rule.slope * move if was_active else 0  # what the column has added already
    error = slope_at(new, rule) - slope_at(old, rule) - taken
    if error != 0:
        touch(zone.codes, start, row, weight * error, sums)
    note_crossing(zone, crossings, state.numbers, row, not was_active)
    expected = move * rule.unit * slope_at(old, rule) / rule.top
    if was_active:
        expected += 0.5 * (move * rule.unit) ** 2
    return weight * (height_at(new, rule) - height_at(old, rule) - expected)


@kernel
def owe(owed, numbers, feature, table, move):
    """Note a step for the keeper."""
    place = owed.place[feature]
    if place < 0:
        place = numbers[OWED]
        numbers[OWED] += 1
        owed.place[feature] = place
        owed.feature[place] = feature
        owed.table[place] = 0
        owed.most[place] = 0
    most = np.int64(0)
    for code in range(table.size):
        owed.table[place, code] += move * table[code]
        most = max(most, abs(np.int64(owed.table[place, code])))
    numbers[MOVED] += most - owed.most[place]
    owed.most[place] = most


@kernel
def look(zone, owed, rule, travel, horizon, features, start, end):
    """Work out the margins of the rows start..end that may have crossed by the horizon, and when they are due next."""
    for row in range(start, end):
        if zone.due[row] <= horizon:
            margin = zone.margin[row] + moved(zone.codes, row, owed.feature, owed.table, features)
            zone.now[row] = margin
            zone.due[row] = travel + distance(np.int64(margin), rule.reach)


@kernel
def gather(zone, near, numbers):
    """Make a list of the rows that are due by the horizon."""
    size = 0
    for row in range(zone.due.size):
        if zone.due[row] <= numbers[HORIZON]:
            near.place[size] = row
            near.margin[size] = zone.now[row]
            size += 1
    near.loaded[:] = False
    numbers[NEAR] = size


@kernel
def shrink_zone(zone, crossings, owed, rule, numbers):
    """Case B for the rows of the zone, whose keeper has taken all steps: those that cross are listed."""
    numbers[TRAVEL] += rule.shrink
    numbers[LIMIT] -= numbers[MOVED] + rule.shrink
    for row in range(zone.due.size):
        old = np.int64(zone.margin[row]) + moved(zone.codes, row, owed.feature, owed.table, numbers[OWED])
        new = old + (-rule.shrink if old >= 0 else rule.shrink)
        is_active = abs(new) <= rule.reach
        if is_active != (abs(old) <= rule.reach):
            note_crossing(zone, crossings, numbers, row, is_active)
        zone.margin[row] = zone.now[row] = new
        zone.due[row] = numbers[TRAVEL] + distance(new, rule.reach)
    settle(owed, numbers)


@kernel
def settle(owed, numbers):
    """Nothing is owed any more."""
    for place in range(numbers[OWED]):
        owed.place[owed.feature[place]] = -1
    numbers[OWED] = numbers[MOVED] = 0


@kernel
def move_near(zone, near, crossings, rule, state, cells, feature, table, move):
    """Carry the near rows' margins along; returns the correction of psi by those that crossed."""
    size = state.numbers[NEAR]
    codes = near.codes[feature]
    if not near.loaded[feature]:
        for place in range(size):
            codes[place] = zone.codes[near.place[place], feature]
        near.loaded[feature] = True
    correction = 0.0
    for place in range(size):
        own = move * table[codes[place]]
        old = near.margin[place]
        near.margin[place] = old + own
        if (abs(old) <= rule.reach) != (abs(old + own) <= rule.reach):
            row = near.place[place]
            correction += cross(zone, crossings, rule, state, cells.start, row, old, own, cells.sums)
    return correction


@kernel
def add_step(zone, near, crossings, owed, rule, state, cells, columns, slot, feature, sign):
    """Case A: H <- H + step * sign * W, where W's column is in ``slot`` and up to date."""
    table, column = columns.table[slot], columns.sums[slot]
    slope_sum, label_sum, active_sum = np.int64(0), np.int64(0), np.int64(0)
    first = cells.start[feature]
    for cell in range(first, cells.start[feature + 1]):
        side = table[cell - first]
        slope_sum += side * cells.sums[cell]
        label_sum += side * cells.label_sums[cell]
        active_sum += side * column[cell]
    move = sign * rule.step
    taken = rule.slope * move
    for cell in range(cells.sums.size):
        cells.sums[cell] += taken * np.int64(column[cell])
    change = move * rule.unit * (slope_sum / rule.top) + 0.5 * (move * rule.unit) ** 2 * active_sum
    change += move_near(zone, near, crossings, rule, state, cells, feature, table, move)
    owe(owed, state.numbers, feature, table, move)
    state.numbers[TRAVEL] += rule.step
    state.potential[0] += rule.weight_unit * change - rule.label_unit * (move * rule.unit * label_sum)


@kernel
def advance(zone, near, crossings, owed, rule, state, cells, columns, log, most, until):
    """Run rounds until ``until`` or until something is needed: a column, a look at the zone, room, a case-B step.

    A column is needed if it is not there, or if it lags behind by more crossings than ``most`` says for its feature and
    the keeper knows some of them (a negative number: nobody need be asked); its stump is then in ``cells.table``. Also
    comes back after a moment's work, so that Python can listen to Ctrl-C. Returns (status, feature, position, key) of
    the stump that is asked for.
    """
    numbers = state.numbers
    work = 0  # visits of a cell, roughly
    while numbers[ROUND] < until and work < MOMENT:
        feature, position, sign, edge = choose(cells, rule)
        place = numbers[ROUND]
        log.potential[place] = state.potential[0]
        log.edge[place] = edge
        adds = level(edge) > level(rule.threshold)
        move = rule.step if adds else rule.shrink
        if numbers[TRAVEL] + move > numbers[HORIZON] or numbers[MOVED] + move > numbers[LIMIT]:
            return NEEDS_LOOK, 0, 0, np.int64(0)
        if not adds:
            return NEEDS_SHRINK, 0, 0, np.int64(0)
        if numbers[CROSSED] + numbers[NEAR] > crossings.weight.size:
            return NEEDS_ROOM, 0, 0, np.int64(0)
        missing = cells.table[cells.start[feature + 1] - cells.start[feature] - 1]
        key = stump_key(cells.categorical[feature], position, missing, cells.table)
        slot = find(columns, feature, key, cells.table)
        seen = columns.seen[slot]
        if slot < 0 or (numbers[CROSSED] - seen > abs(most[feature]) and (most[feature] < 0 or numbers[SYNCED] > seen)):
            return NEEDS_COLUMN, feature, position, key
        table = columns.table[slot]
        touched = refresh(crossings, cells.start, columns.sums[slot], seen, numbers[CROSSED], feature, table)
        columns.seen[slot] = numbers[CROSSED]
        numbers[CLOCK] += 1
        columns.used[slot] = numbers[CLOCK]
        work += cells.sums.size + touched * zone.codes.shape[1] + numbers[NEAR]
        add_step(zone, near, crossings, owed, rule, state, cells, columns, slot, feature, sign)
        log.stump[place], log.sign[place] = columns.stump[slot], sign
        numbers[ROUND] += 1
    return DONE, 0, 0, np.int64(0)
