"""Gram columns of several stumps in one pass over the rows.

A *panel* has four words of 64 bits for each cell, and every row adds a *line* of its own to each of its cells: in one
word for each stump where weights differ, and in four 16-bit lanes a word where all rows weigh the same. Rows go through
in blocks, feature by feature, so that the words of a feature stay in the nearest cache.
"""

from __future__ import annotations

import numpy as np

from . import kernel
from .margins import touch

WORDS = 4
LANES = 4 * WORDS
_BLOCK = 1024  # rows whose lines are made at once
_EMPTY = 31  # blocks after which 16-bit lanes, which grow by up to 2 a row, are emptied


@kernel
def add_lines(codes, start, rows, lines, count, words):
    """Add the line of each of some rows to all of its cells."""
    for feature in range(codes.shape[1]):
        first = np.uint64(start[feature])
        for place in range(count):
            cell = first + np.uint64(codes[rows[place], feature])
            # All are read before any is written, so that the four go as one.
            a, b, c, d = lines[place, 0], lines[place, 1], lines[place, 2], lines[place, 3]
            a, b, c, d = a + words[cell, 0], b + words[cell, 1], c + words[cell, 2], d + words[cell, 3]
            words[cell, 0], words[cell, 1], words[cell, 2], words[cell, 3] = a, b, c, d


@kernel
def active_rows(margins, weight, reach, first, last, rows):
    """Put the active rows of first..last on a list; returns how many they are."""
    count = 0
    for row in range(first, last):
        rows[count] = row
        count += weight[row] != 0 and abs(margins[row]) <= reach
    return count


@kernel
def add_equal(codes, start, margins, weight, reach, features, tables, sums, first, last):
    """The columns of a few panels of ``LANES`` stumps each; rows weigh 1 or nothing.

    ``sums`` has a row for each cell and a column for each stump: sums of W(x) + 1, which is 0, 1 or 2. So a stump with
    a table of zeros counts the active rows, which are to be subtracted from all others.
    """
    panels = features.size // LANES
    share = np.zeros((features.size, 256), dtype=np.uint64)  # what each bin adds to its stump's word
    for lane in range(features.size):
        for code in range(256):
            share[lane, code] = np.uint64(tables[lane, code] + 1) << np.uint64(16 * (lane % 4))
    words = np.zeros((panels, sums.shape[0], WORDS), dtype=np.uint64)
    rows, lines = np.empty(_BLOCK + 1, dtype=np.int64), np.empty((_BLOCK, WORDS), dtype=np.uint64)
    full = 0
    for block in range(first, last, _BLOCK):
        count = active_rows(margins, weight, reach, block, min(block + _BLOCK, last), rows)
        for panel in range(panels):
            for word in range(WORDS):
                lane = LANES * panel + 4 * word
                a, b, c, d = features[lane], features[lane + 1], features[lane + 2], features[lane + 3]
                for place in range(count):
                    row = rows[place]
                    line = share[lane, codes[row, a]] + share[lane + 1, codes[row, b]]
                    lines[place, word] = line + share[lane + 2, codes[row, c]] + share[lane + 3, codes[row, d]]
            add_lines(codes, start, rows, lines, count, words[panel])
        full += 1
        if full == _EMPTY:
            empty(words, sums)
            full = 0
    empty(words, sums)


@kernel
def empty(words, sums):
    """Add 16-bit lanes to sums with room for more, and start anew."""
    for panel in range(words.shape[0]):
        for cell in range(sums.shape[0]):
            for word in range(WORDS):
                lane, line = LANES * panel + 4 * word, words[panel, cell, word]
                for part in range(4):
                    sums[cell, lane + part] += np.int64((line >> np.uint64(16 * part)) & np.uint64(65535))
                words[panel, cell, word] = 0


@kernel
def add_different(codes, start, margins, weight, reach, features, tables, sums, first, last):
    """The columns of ``WORDS`` stumps; ``sums`` has a row for each cell. Stumps may have tables of zeros."""
    rows, lines = np.empty(_BLOCK + 1, dtype=np.int64), np.empty((_BLOCK, WORDS), dtype=np.int64)
    for block in range(first, last, _BLOCK):
        count = active_rows(margins, weight, reach, block, min(block + _BLOCK, last), rows)
        for place in range(count):
            row = rows[place]
            for word in range(WORDS):
                lines[place, word] = weight[row] * tables[word, codes[row, features[word]]]
        add_lines(codes, start, rows, lines, count, sums)


@kernel
def add_one(codes, start, margins, weight, reach, feature, table, sums, first, last):
    """The column of a single stump."""
    for row in range(first, last):
        if abs(margins[row]) <= reach:
            value = np.int64(weight[row]) * table[codes[row, feature]]
            if value != 0:
                touch(codes, start, row, value, sums)


@kernel
def add_up(parts, base, columns, first, last):
    """Cells first..last of all columns: the sums of all parts, less the lane ``base`` unless that is -1."""
    for cell in range(first, last):
        for lane in range(columns.shape[0]):
            total = np.int64(0)
            for part in range(parts.shape[0]):
                total += parts[part, cell, lane]
                if base >= 0:
                    total -= parts[part, cell, base]
            columns[lane, cell] = total
