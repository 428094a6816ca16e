"""Dates and times: days since the first, and those parts that differ."""

from datetime import UTC, date, datetime, time, timedelta, timezone

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agnoboost.tables.date_text import moments_of_text, way_of_writing
from agnoboost.tables.encoder import TableEncoder
from agnoboost.tables.moments import utc_of

pd = pytest.importorskip("pandas")
NAN = np.nan


def read(**columns):
    frame = pd.DataFrame(columns)
    encoder = TableEncoder().fit(frame)
    return encoder, encoder.transform(frame)


def test_parts_that_differ():
    when = pd.to_datetime(["2023-12-31 06:00", "2024-02-01 18:00", None, "2024-02-05 06:00"])
    encoder, found = read(when=when)
    assert encoder.names == ["when: days", "when: year", "when: month", "when: weekday", "when: hour"]
    assert encoder.sources == [0] * 5
    expected = [[0.0, 2023, 12, 6, 6], [32.5, 2024, 2, 3, 18], [NAN] * 5, [36.0, 2024, 2, 0, 6]]
    np.testing.assert_array_equal(found, expected)


def test_constant_parts_are_left_out_and_days_stay():
    encoder, found = read(
        x=[1.0, 2.0], when=pd.to_datetime(["2024-05-01", "2024-05-08"]), never=pd.to_datetime([None] * 2)
    )
    assert encoder.names == ["x", "when: days", "never: days"]
    assert encoder.sources == [0, 1, 2]
    np.testing.assert_array_equal(found, [[1, 0, NAN], [2, 7, NAN]])


def test_later_dates_count_from_the_first_of_training():
    encoder, _ = read(when=pd.to_datetime(["2024-05-01", "2024-06-01"]))
    later = pd.DataFrame({"when": pd.to_datetime(["2024-04-30", "2025-05-01"])})
    np.testing.assert_array_equal(encoder.transform(later)[:, 0], [-1, 365])


def test_clocks_of_time_zones():
    """The hour is that of the zone, also on the day the clocks go forward; the same moments in UTC are read alike."""
    berlin = pd.Series(pd.date_range("2024-03-31 00:30", periods=4, freq="h", tz="UTC").tz_convert("Europe/Berlin"))
    encoder, found = read(when=berlin)
    assert encoder.names == ["when: days", "when: hour"]
    np.testing.assert_array_equal(found[:, 1], [1, 3, 4, 5])
    np.testing.assert_array_equal(encoder.transform(pd.DataFrame({"when": berlin.dt.tz_convert("UTC")})), found)
    shown = pd.DataFrame({"when": berlin.dt.tz_localize(None)})  # without a zone: taken as the clock showed it
    np.testing.assert_array_equal(encoder.transform(shown), found)


@pytest.mark.parametrize("zone", [UTC, timezone(timedelta(hours=-3, minutes=-30))])
def test_objects_with_zones(zone):
    cells = [datetime(2024, 1, 1, hour, tzinfo=zone) for hour in (1, 20)]
    _, found = read(when=pd.Series(cells, dtype=object))
    np.testing.assert_allclose(found, [[0, 1], [19 / 24, 20]])


def test_dates_periods_durations_and_times_of_day():
    encoder, found = read(
        day=pd.Series([date(2024, 1, 1), None, date(2024, 1, 31)], dtype=object),
        month=pd.Series(pd.period_range("2024-01", periods=3, freq="M")),
        lasted=pd.to_timedelta([90, None, 0.5], unit="s"),
        began=pd.Series([time(1, 0, 30), None, time(0, 0, 0, 250000)], dtype=object),
        took=pd.Series([timedelta(minutes=1), None, timedelta(0)], dtype=object),
    )
    assert encoder.names == [
        "day: days",
        "day: weekday",
        "month: days",
        "month: month",
        "month: weekday",
        "lasted",
        "began",
        "took",
    ]
    expected = [[0, 0, 0, 1, 0, 90, 3630, 60], [NAN, NAN, 31, 2, 3, NAN, NAN, NAN], [30, 2, 60, 3, 4, 0.5, 0.25, 0]]
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(
    ("texts", "way"),
    [
        (["2024-01-31", "2024-02-01T10:00:00Z", "2024-2-1 10:30"], "year first"),
        (["2024/01/31", "2024.02.01"], "year first"),
        (["31.1.2024", "01.02.2024 7:05"], "day first"),
        (["31/1/2024", "01/02/2024"], "day first"),
        (["1/31/2024", "01/02/2024 11:59 PM"], "month first"),
        (["31 Jan 2024", "Thursday, 1st February 2024", "Feb 2, 2024"], "month by name"),
        (["1/2/2024", "3/4/2024"], None),
        (["1.2.2024", "3.4.2024"], "day first"),
        (["31.01.24", "01.02.24 10:30"], "day first"),
        (["1/31/24", "2/1/24"], "month first"),
        (["24-01-31", "24-02-01"], None),
        (["1.2.10", "1.3.11"], None),
        (["2024-01-31", "31 Jan 2024", "2024-02-01"], "year first"),
        (["2024-01-31", "1/31/2024", "2/1/2024"], "month first"),
        (["2024-01-31", "1/2/2024"], None),
        ([*(f"2024-01-{day:02d}" for day in range(10, 28)), "1/31/2024", "31/1/2024", "30/1/2024"], None),
        (["2024-01-31", "word"], None),
        (["12", "13"], None),
        (["2024-13-31", "2024-02-31"], None),
        ([], None),
    ],
)
def test_ways_of_writing(texts, way):
    assert way_of_writing(dict.fromkeys(texts, 1)) == way


def test_written_dates_are_read():
    for text, way in (
        ("2024-02-01T10:30:05.25+02:00", "year first"),
        (" 1.2.2024 10:30:05", "day first"),
        ("2/1/2024 10:30:05 am", "month first"),
        ("Thu, 1 February 2024 10:30:05", "month by name"),
        ("Feb. 1st, 2024 10:30:05 AM", "month by name"),
    ):
        assert moments_of_text([text], way).values.tolist() == [datetime(2024, 2, 1, 10, 30, 5)], text
    hours = moments_of_text(["1/2/2024 12:00 am", "1/2/2024 12:00 pm", None, "2/30/2024"], "month first").part("hour")
    np.testing.assert_array_equal(hours, [0, 12, NAN, NAN])


def test_a_column_that_several_people_wrote():
    texts = ["2024-01-01", "2/1/2024", "13/1/2024", "14 Jan 2024"] * 3
    encoder, found = read(when=texts)
    assert encoder.names[0] == "when: days"
    np.testing.assert_array_equal(found[:4, 0], [0, 1, 12, 13])


def test_rows_to_come_are_read_as_in_training_unless_they_plainly_say_otherwise():
    day_first = ["13/1/2024", "14/1/2024", "15/1/2024", "2/1/2024"] * 5
    encoder, _ = read(when=day_first)
    new = ["2024-01-13"] * 90 + ["3/1/2024"] * 9 + ["1/31/2024"]
    with pytest.warns(UserWarning, match="1 of 100 cells could not be read"):
        found = encoder.transform(pd.DataFrame({"when": new}))
    np.testing.assert_array_equal(found[[0, 90, 99], 0], [11, 1, NAN])


def test_nearly_all_is_enough_and_the_rest_is_missing():
    texts = [f"2024-01-{day:02d}" for day in range(1, 31)] + ["unknown"]
    with pytest.warns(UserWarning, match="1 of 31 cells could not be read, for example 'unknown'"):
        encoder, found = read(when=texts)
    assert encoder.names == ["when: days", "when: weekday"]
    np.testing.assert_array_equal(found[[0, 29, 30], 0], [0, 29, NAN])
    assert read(when=[*texts[:10], "unknown"])[0].names == ["when"]  # a category: one cell in eleven is no date


def test_dates_as_text_in_one_table_and_as_dates_in_another():
    days = pd.date_range("2024-01-01", periods=40)
    typed, found = read(when=days)
    written, same = read(when=days.strftime("%Y-%m-%d"))
    np.testing.assert_array_equal(found, same)
    for encoder in (typed, written):
        for cells in (days, days.strftime("%d.%m.%Y") if encoder is typed else days.strftime("%Y/%m/%d")):
            np.testing.assert_array_equal(encoder.transform(pd.DataFrame({"when": cells})), found)
    with pytest.raises(ValueError, match=r"'when' must hold dates, as in training. Got values such as 7"):
        typed.transform(pd.DataFrame({"when": [7, 8]}))
    with pytest.warns(UserWarning, match="1 of 1 cells could not be read, for example 'soon'"):
        assert np.isnan(written.transform(pd.DataFrame({"when": ["soon"]}))).all()


GERMAN = [f"{day:02d}.01.2024" for day in range(1, 32)]
BRITISH = [text.replace(".", "/") for text in GERMAN]


def days_of(trained, new):
    encoder, _ = read(when=trained)
    return encoder.transform(pd.DataFrame({"when": new}))[:, 0].tolist()


@pytest.mark.parametrize(
    "new", [["2024-01-05", "2024-01-31"], ["05.01.2024", "2024-01-31"], ["5 Jan 2024", "31.01.24"]]
)
def test_plain_dates_are_read_whatever_the_training_wrote(new):
    assert days_of(GERMAN, new) == [4, 30]


def test_days_and_months_in_other_places():
    with pytest.warns(UserWarning, match="has dates with the month first, which were written with the day first in tr"):
        assert days_of(BRITISH, ["01/05/2024", "1/31/2024"]) == [4, 30]
    assert days_of(BRITISH, ["05/01/2024", "06/01/2024"]) == [4, 5]  # both ways fit: that of training counts


def test_cells_that_are_no_dates_are_counted():
    with pytest.warns(UserWarning, match="2 of 3 cells could not be read, for example '2024/31/01'"):
        assert days_of(GERMAN, ["05.01.2024", "2024/31/01", "32.01.2024"]) == pytest.approx([4, NAN, NAN], nan_ok=True)


def test_categories_that_are_numbers_are_no_dates():
    with pytest.warns(UserWarning, match="1 of 1 cells could not be read, for example 20240131"):
        days_of(GERMAN, pd.Categorical([20240131]))


def test_years_of_two_digits():
    years = moments_of_text(["01.02.69", "01.02.70", "1/2/24"], "day first").part("year")
    np.testing.assert_array_equal(years, [2069, 1970, 2024])


@given(st.lists(st.datetimes(datetime(1, 1, 1), datetime(9999, 12, 31)), min_size=1, max_size=20))
def test_parts_agree_with_the_standard_library(moments):
    found = utc_of(moments)
    for part, of in (("year", "year"), ("month", "month"), ("hour", "hour")):
        assert found.part(part).tolist() == [getattr(moment, of) for moment in moments]
    assert found.part("weekday").tolist() == [moment.weekday() for moment in moments]
    assert moments_of_text([m.isoformat(" ", "seconds") for m in moments], "year first").values.tolist() == [
        m.replace(microsecond=0) for m in moments
    ]
