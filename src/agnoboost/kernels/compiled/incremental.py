"""Full-batch rounds with the Huber potential, without looking at all rows.

Margins are whole numbers, psi'(H) = clip(H), and ``sums`` has the exact sum of weight * psi' over the rows of every
cell. A step moves psi' of each *active* row (one with |H| <= 1) by the step itself, and that of no other row. So the
sums move by the step times the stump's *Gram column*, its weighted sum over the active rows of every cell, save for
the rows that cross |H| = 1, which are corrected one by one. Columns are kept, and brought up to date by the rows that
have become active or inactive since their last use.

Margins are worked out lazily. Only rows in the *zone*, near |H| = 1, can cross soon: they are carried along in each
round. The others catch up when the zone's budget of steps is used up, or when a case-B step needs them all.

Twin: :class:`agnoboost.rounds.stumps.reference.NumpyFullBatch`, which works out all sums anew in every round.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from . import kernel
from .best_stump import best_stump, level
from .histograms import cell_of, is_set

# Numba takes plain named tuples as arguments.
Rows = namedtuple("Rows", "codes start categorical weight label margins")
"""The data: bins, cells of each feature, weight in psi, signed label mass and margin of each row (whole numbers)."""

Cells = namedtuple("Cells", "sums label label_sums table")
"""Per cell: sums of psi', label edges (see best_stump), sums of label mass."""

Columns = namedtuple("Columns", "sums active stump feature key table used")
"""Kept Gram columns, one a slot: values, the active rows that they are for, which stump, and when last used."""

Signs = namedtuple("Signs", "sums active negative")
"""The Gram column of sign(H), with the active and the negative rows that it is for."""

Zone = namedtuple("Zone", "row margin codes loaded")
"""Rows near |H| = 1, with up-to-date margins and, for features that came up, their bins."""

Pending = namedtuple("Pending", "table feature place")
"""Steps that the margins outside the zone have not taken yet, summed up by bin of each feature."""

Rule = namedtuple(
    "Rule", "step shrink threshold slope top reach unit factor label_total min_gain weight_unit label_unit"
)
"""The step and psi' in whole numbers: slope * H within reach, else +-top. See agnoboost.rounds.stumps.problem."""

State = namedtuple("State", "active numbers potential")
"""The active rows as bits, the numbers below, and Phi(H)."""

Log = namedtuple("Log", "stump sign edge potential")
"""What happened in each round."""

ROUND, BUDGET, PENDING, ZONE, TOUCHED, CLOCK, SIGNS = range(7)  # places in State.numbers
NUMBERS = 7
DONE, NEEDS_COLUMN = 0, 1
MOMENT = 100_000_000  # visits of a cell between two looks at Python: about a tenth of a second
SHRINK = -1  # in Log.stump


@kernel
def lowest_bit(word):
    """The place of the lowest 1 in a word that is not 0."""
    place = 0
    if word & np.uint64(0x00000000FFFFFFFF) == 0:
        place, word = place + 32, word >> np.uint64(32)
    if word & np.uint64(0x000000000000FFFF) == 0:
        place, word = place + 16, word >> np.uint64(16)
    if word & np.uint64(0x00000000000000FF) == 0:
        place, word = place + 8, word >> np.uint64(8)
    if word & np.uint64(0x000000000000000F) == 0:
        place, word = place + 4, word >> np.uint64(4)
    if word & np.uint64(0x0000000000000003) == 0:
        place, word = place + 2, word >> np.uint64(2)
    if word & np.uint64(0x0000000000000001) == 0:
        place += 1
    return place


@kernel
def touch(codes, start, row, value, sums):
    """Add a value to all cells of one row."""
    for feature in range(codes.shape[1]):
        sums[cell_of(start, codes, row, feature)] += value


@kernel
def slope_at(margin, rule):
    """psi'(H) in whole numbers."""
    if abs(margin) <= rule.reach:
        return rule.slope * margin
    return rule.top if margin > 0 else -rule.top


@kernel
def height_at(margin, rule):
    """psi(H)."""
    size = abs(margin) * rule.unit
    return 0.5 * size * size if abs(margin) <= rule.reach else size - 0.5


@kernel
def refresh(rows, active, column, snapshot, feature, table, most):
    """Bring a column up to date with the active rows; returns how many rows differed, or -1 if more than ``most``."""
    differing = 0
    for word in range(active.size):
        changed = active[word] ^ snapshot[word]
        while changed:
            changed &= changed - np.uint64(1)
            differing += 1
    if differing > most:
        return -1
    if differing == 0:
        return 0
    for word in range(active.size):
        changed = active[word] ^ snapshot[word]
        snapshot[word] = active[word]
        while changed:
            row = word * 64 + lowest_bit(changed)
            value = rows.weight[row] * table[rows.codes[row, feature]]
            touch(rows.codes, rows.start, row, value if is_set(active, row) else -value, column)
            changed &= changed - np.uint64(1)
    return differing


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
def cross(rows, rule, state, row, old, move, sums):
    """Correct the sums for a row that has crossed |H| = 1, and turn its bit; returns the correction of psi."""
    weight = rows.weight[row]
    new = old + move
    was_active = abs(old) <= rule.reach
    taken = rule.slope * move if was_active else 0  # what the column has added already
    error = slope_at(new, rule) - slope_at(old, rule) - taken
    if error != 0:
        touch(rows.codes, rows.start, row, weight * error, sums)
    state.active[row >> 6] ^= np.uint64(1) << np.uint64(row & 63)
    state.numbers[TOUCHED] += 1
    expected = move * rule.unit * slope_at(old, rule) / rule.top
    if was_active:
        expected += 0.5 * (move * rule.unit) ** 2
    return weight * (height_at(new, rule) - height_at(old, rule) - expected)


@kernel
def catch_up(rows, pending, numbers):
    """Let all margins take the pending steps."""
    count = numbers[PENDING]
    if count == 0:
        return
    for row in range(rows.codes.shape[0]):
        margin = rows.margins[row]
        for place in range(count):
            margin += pending.table[place, rows.codes[row, pending.feature[place]]]
        rows.margins[row] = margin
    for place in range(count):
        pending.place[pending.feature[place]] = -1
        for code in range(pending.table.shape[1]):
            pending.table[place, code] = 0
    numbers[PENDING] = 0


@kernel
def postpone(rows, pending, numbers, feature, table, move):
    """Note a step for later."""
    place = pending.place[feature]
    if place < 0:
        place = numbers[PENDING]
        numbers[PENDING] += 1
        pending.place[feature] = place
        pending.feature[place] = feature
    for code in range(table.size):
        pending.table[place, code] += move * table[code]


@kernel
def find_active(rows, rule, state):
    """Set the bits of the active rows from the margins."""
    state.active[:] = np.uint64(0)
    for row in range(rows.codes.shape[0]):
        if rows.weight[row] != 0 and abs(rows.margins[row]) <= rule.reach:
            state.active[row >> 6] |= np.uint64(1) << np.uint64(row & 63)


@kernel
def distance(margin, reach):
    """How far a margin must move for its row to become active or inactive."""
    size = abs(margin)
    return reach - size + 1 if size <= reach else size - reach


@kernel
def choose_zone(rows, rule, zone, numbers):
    """Pick the rows that can cross within the next steps: as many steps as keep the zone small."""
    largest = max(rule.reach // 4, max(rule.step, rule.shrink))
    grain = largest // 65536 + 1  # distances are counted in grains, so that the table stays small
    count = np.zeros(largest // grain + 2, dtype=np.int64)
    for row in range(rows.codes.shape[0]):
        place = (distance(np.int64(rows.margins[row]), rule.reach) + grain - 1) // grain
        if place < count.size and rows.weight[row] != 0:
            count[place] += 1
    grains, inside = 0, 0
    wanted = rows.codes.shape[0] // 64
    while grains + 1 < count.size and (inside + count[grains + 1] <= wanted or grains * grain < rule.step):
        grains += 1
        inside += count[grains]
    size = 0
    for row in range(rows.codes.shape[0]):
        if distance(np.int64(rows.margins[row]), rule.reach) <= grains * grain and rows.weight[row] != 0:
            zone.row[size] = row
            zone.margin[size] = rows.margins[row]
            size += 1
    zone.loaded[:] = False
    numbers[ZONE] = size
    numbers[BUDGET] = grains * grain


@kernel
def move_zone(rows, rule, state, zone, cells, feature, table, move):
    """Carry the zone's margins along; returns the correction of psi by the rows that crossed."""
    size = state.numbers[ZONE]
    kept = size <= zone.codes.shape[1]  # whether there is room for their bins
    if kept and not zone.loaded[feature]:
        for place in range(size):
            zone.codes[feature, place] = rows.codes[zone.row[place], feature]
        zone.loaded[feature] = True
    correction = 0.0
    for place in range(size):
        code = zone.codes[feature, place] if kept else rows.codes[zone.row[place], feature]
        own = move * table[code]
        old = zone.margin[place]
        zone.margin[place] = old + own
        if (abs(old) <= rule.reach) != (abs(old + own) <= rule.reach):
            correction += cross(rows, rule, state, zone.row[place], old, own, cells.sums)
    return correction


@kernel
def add_step(rows, rule, state, zone, pending, cells, columns, slot, feature, sign):
    """Case A: H <- H + step * sign * W, where W's column is in ``slot`` and up to date."""
    table, column = columns.table[slot], columns.sums[slot]
    slope_sum, label_sum, active_sum = np.int64(0), np.int64(0), np.int64(0)
    for cell in range(rows.start[feature], rows.start[feature + 1]):
        side = table[cell - rows.start[feature]]
        slope_sum += side * cells.sums[cell]
        label_sum += side * cells.label_sums[cell]
        active_sum += side * column[cell]
    move = sign * rule.step
    taken = rule.slope * move
    for cell in range(cells.sums.size):
        cells.sums[cell] += taken * np.int64(column[cell])
    change = move * rule.unit * (slope_sum / rule.top) + 0.5 * (move * rule.unit) ** 2 * active_sum
    change += move_zone(rows, rule, state, zone, cells, feature, table, move)
    postpone(rows, pending, state.numbers, feature, table, move)
    state.numbers[BUDGET] -= rule.step
    state.potential[0] += rule.weight_unit * change - rule.label_unit * (move * rule.unit * label_sum)


@kernel
def refresh_signs(rows, state, signs):
    """Bring the column of sign(H) over the active rows up to date."""
    for row in range(rows.codes.shape[0]):
        active, negative = is_set(state.active, row), rows.margins[row] < 0
        old = 0
        if state.numbers[SIGNS] and is_set(signs.active, row):
            old = -1 if is_set(signs.negative, row) else 1
        new = 0
        if active:
            new = -1 if negative else 1
        if new != old:
            touch(rows.codes, rows.start, row, (new - old) * rows.weight[row], signs.sums)
        if negative != is_set(signs.negative, row):
            signs.negative[row >> 6] ^= np.uint64(1) << np.uint64(row & 63)
    for word in range(state.active.size):
        signs.active[word] = state.active[word]
    state.numbers[SIGNS] = 1


@kernel
def shrink_step(rows, rule, state, zone, pending, cells, signs):
    """Case B: H <- H - shrink * sign(H), for which all margins are needed."""
    catch_up(rows, pending, state.numbers)
    refresh_signs(rows, state, signs)
    for cell in range(cells.sums.size):
        cells.sums[cell] -= rule.slope * rule.shrink * np.int64(signs.sums[cell])
    for row in range(rows.codes.shape[0]):
        old = np.int64(rows.margins[row])
        move = -rule.shrink if old >= 0 else rule.shrink
        rows.margins[row] = old + move
        if (abs(old) <= rule.reach) != (abs(old + move) <= rule.reach) and rows.weight[row] != 0:
            cross(rows, rule, state, row, old, move, cells.sums)
    state.potential[0] = potential(rows, rule)
    choose_zone(rows, rule, zone, state.numbers)


@kernel
def potential(rows, rule):
    """Phi(H) from all margins."""
    total = 0.0
    for row in range(rows.codes.shape[0]):
        margin = rows.margins[row]
        total += rule.weight_unit * rows.weight[row] * height_at(margin, rule)
        total -= rule.label_unit * rows.label[row] * (margin * rule.unit)
    return total


@kernel
def choose(rows, cells, rule):
    """:func:`best_stump` for the present sums."""
    conditions = (rows.start, rows.categorical, rule.label_total, rule.min_gain)
    return best_stump(cells.sums, cells.label, rule.factor, *conditions, cells.table)


@kernel
def advance(rows, rule, state, zone, pending, cells, columns, signs, log, until):
    """Run rounds until ``until`` or until a column is needed, whose stump is then in ``cells.table``.

    Also comes back after a moment's work, so that Python can listen to Ctrl-C. Returns (status, feature, position, key)
    of the stump that is asked for.
    """
    numbers = state.numbers
    count, features = rows.codes.shape
    most = count // 4  # beyond this a column is cheaper from scratch
    work = 0  # visits of a cell, roughly
    while numbers[ROUND] < until and work < MOMENT:
        work += cells.sums.size
        if numbers[BUDGET] < rule.step:
            work += count * (4 + numbers[PENDING])
            catch_up(rows, pending, numbers)
            choose_zone(rows, rule, zone, numbers)
        feature, position, sign, edge = choose(rows, cells, rule)
        place = numbers[ROUND]
        log.potential[place] = state.potential[0]
        log.edge[place] = edge
        if level(edge) > level(rule.threshold):
            width = rows.start[feature + 1] - rows.start[feature]
            key = stump_key(rows.categorical[feature], position, cells.table[width - 1], cells.table)
            slot = find(columns, feature, key, cells.table)
            if slot < 0:
                return NEEDS_COLUMN, feature, position, key
            touched = refresh(
                rows, state.active, columns.sums[slot], columns.active[slot], feature, columns.table[slot], most
            )
            if touched < 0:
                columns.feature[slot] = -1  # forget it
                return NEEDS_COLUMN, feature, position, key
            numbers[TOUCHED] += touched
            work += touched * features + numbers[ZONE]
            numbers[CLOCK] += 1
            columns.used[slot] = numbers[CLOCK]
            add_step(rows, rule, state, zone, pending, cells, columns, slot, feature, sign)
            log.stump[place], log.sign[place] = columns.stump[slot], sign
        else:
            visits = count * (8 + numbers[PENDING])
            work += visits
            numbers[TOUCHED] += visits // features
            shrink_step(rows, rule, state, zone, pending, cells, signs)
            log.stump[place], log.sign[place] = SHRINK, 0
        numbers[ROUND] += 1
    return DONE, 0, 0, np.int64(0)
