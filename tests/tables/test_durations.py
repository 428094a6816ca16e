"""Durations in training, and whatever a file has in their place."""

from datetime import timedelta

import numpy as np
import pytest

from agnoboost.tables.encoder import TableEncoder

pd = pytest.importorskip("pandas")
SECONDS = [5400.25, -3600.0, np.nan, 0.0, 172800.0]


@pytest.fixture(scope="module")
def frame():
    return pd.DataFrame({"took": pd.to_timedelta(SECONDS, unit="s")})


@pytest.mark.parametrize(
    "cells",
    [
        SECONDS,
        [5400.25, -3600.0, None, 0, 172800],
        ["0 days 01:30:00.25", "-1 days +23:00:00", None, "0 days", "2 days 00:00:00"],
        ["1:30:00.25", "-01:00", None, "0:00", "48:00:00"],
        ["5400.25", " -3.6e3", None, "0", "172800"],
        [None if np.isnan(s) else str(timedelta(seconds=s)) for s in SECONDS],
    ],
)
def test_the_same_durations_in_other_words(frame, cells):
    encoder = TableEncoder().fit(frame)
    np.testing.assert_allclose(encoder.transform(pd.DataFrame({"took": cells}))[:, 0], SECONDS)


def test_back_from_a_file(frame, tmp_path):
    frame.to_csv(tmp_path / "rows.csv", index=False)
    encoder = TableEncoder().fit(frame)
    again = encoder.transform(pd.read_csv(tmp_path / "rows.csv", skip_blank_lines=False))
    np.testing.assert_array_equal(again, encoder.transform(frame))


@pytest.mark.parametrize("cell", ["soon", "", "12:3", "nan", True, pd.Timestamp("2024-01-01")])
def test_what_is_no_duration(frame, cell):
    encoder = TableEncoder().fit(frame)
    with pytest.raises(ValueError, match=r"Column 'took' must hold durations .* Got .* Expected numbers of seconds"):
        encoder.transform(pd.DataFrame({"took": [cell, cell]}))


def test_infinity_is_none(frame):
    with pytest.raises(ValueError, match="must be finite"):
        TableEncoder().fit(frame).transform(pd.DataFrame({"took": [np.inf, 1.0]}))
