"""The page in a real browser, where there is one."""

import numpy as np
import pytest
from browser import CHROMIUM, browser
from report_tables import many, table

from agnoboost import AgnosticBoostingClassifier, TableClassifier, report
from agnoboost.evaluation.held_out import cross_evaluate

pytest.importorskip("pandas")
pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="needs chromium"),
    pytest.mark.filterwarnings("ignore::agnoboost.tables.encoder.LeftOutWarning"),  # a column of row numbers
]

WIDTHS = (1280, 820, 390)
COMMON = {"random_state": 0, "missing_label": None}


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    two, crowd = table(), many(12, 60)
    model = AgnosticBoostingClassifier(n_rounds=15, weak_learner="stump", **COMMON)
    report.write(model.fit(*two), *two, folder / "two.html", folds=2)
    model = TableClassifier("fast", members=["linear"], **COMMON)
    report.write(model.fit(*crowd), *crowd, folder / "crowd.html", folds=2)
    report.write(model.fit(*two), *two, folder / "none.html", folds=0)
    return folder


@pytest.fixture(scope="module")
def tab(tmp_path_factory):
    with browser(tmp_path_factory.mktemp("profile")) as found:
        yield found


@pytest.mark.parametrize("name", ["two", "crowd", "none"])
def test_it_fits_every_width_in_light_and_dark_and_asks_nobody(tab, pages, name):
    for width in WIDTHS:
        for dark in (False, True):
            address = (pages / f"{name}.html").as_uri()
            tab.open(address, width, dark=dark)
            tab.ask("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
            assert tab.ask("document.documentElement.scrollWidth") <= width
            outside = "[...document.querySelectorAll('.card')].filter((one) => one.scrollWidth > one.clientWidth + 1)"
            assert tab.ask(f"{outside}.length") == 0
            assert tab.complaints == []
            assert [url for url in tab.requested if not url.startswith("data:")] == [address]
            assert tab.ask("window.hurt") is None
            light = tab.ask("getComputedStyle(document.body).backgroundColor")
            assert (light == "rgb(18, 21, 26)") == dark


def test_the_slider_shows_what_a_count_gives(tab, pages):
    X, y = table()
    model = AgnosticBoostingClassifier(n_rounds=15, weak_learner="stump", **COMMON)
    judged = cross_evaluate(model, X, y, None, 2, compare=False)
    names = sorted(set(judged.y.tolist()))
    tab.open((pages / "two.html").as_uri())

    def shown(what):
        return tab.ask(f"document.getElementById('live-{what}').textContent")

    def move(name, value):
        event = "change" if name == "flagged-class" else "input"
        tab.ask(f"document.getElementById('{name}').value = {value}")
        tab.ask(f"document.getElementById('{name}').dispatchEvent(new Event('{event}'))")

    classes = tab.ask("JSON.parse(document.getElementById('thresholds').textContent).classes")
    assert shown("cut-now").startswith("0.50")
    assert shown("cut-now").endswith(" (the model's own)")
    for place in (0, 1):
        cuts = classes[place]["cuts"]
        move("flagged-class", place)
        assert (len(cuts), cuts[tab.ask("+document.getElementById('cut').value")]) == (102, 0.5)
        move("cost-alarm", 1)
        for step in (20, 47):
            move("cut", step)
            own, flagged = judged.y == names[place], judged.probabilities[:, place] >= cuts[step] - 1e-12
            hits = np.sum(own & flagged)
            assert shown("precision") == f"{100 * hits / flagged.sum():.1f}%"
            assert shown("recall") == f"{100 * hits / own.sum():.1f}%"
            assert shown("share") == f"{100 * flagged.mean():.1f}%"
            move("cost-miss", 5)
            cost = 5 * np.sum(own & ~flagged) + np.sum(flagged & ~own)
            assert shown("cost") == f"{1000 * cost / len(own):.1f}"
    before = float(shown("cost"))
    tab.ask("document.getElementById('cheapest').click()")
    assert float(shown("cost")) <= before
    assert tab.ask("document.getElementById('curve-recall').getAttribute('d').length") > 100
    assert tab.complaints == []


def test_the_slider_starts_at_the_tuned_threshold_and_marks_it(tab, tmp_path):
    X, y = table()
    model = TableClassifier("fast", members=["linear"], tune_threshold=True, **COMMON).fit(X, y)
    report.write(model, X, y, tmp_path / "tuned.html", folds=2)
    tab.open((tmp_path / "tuned.html").as_uri())
    ask = "document.getElementById('{}').{}".format
    which = int(tab.ask(ask("flagged-class", "value")))
    own = (1 - model.threshold_, model.threshold_)[which]
    assert float(tab.ask(ask("live-cut-now", "textContent")).split()[0]) == pytest.approx(own, abs=0.006)
    marks = [tab.ask(ask(name, "getAttribute('transform')")) for name in ("own-mark", "live-mark")]
    assert marks[0] == marks[1]
    tab.ask(ask("cut", "value = 1"))
    tab.ask(ask("cut", "dispatchEvent(new Event('input'))"))
    assert tab.ask(ask("live-mark", "getAttribute('transform')")) != marks[0]
    tab.ask(ask("own", "click()"))
    assert tab.ask(ask("live-mark", "getAttribute('transform')")) == marks[0]
    ends = "[...document.querySelectorAll('#cut-marks text')].map((one) => Number(one.textContent))"
    assert np.allclose(np.diff(tab.ask(ends), 2), 0)
    assert tab.complaints == []


def test_on_a_phone_nothing_is_covered_or_cut(tab, pages):
    tab.open((pages / "two.html").as_uri(), 390)
    box = "document.querySelector('{}').getBoundingClientRect()".format
    assert tab.ask(box("nav .links") + ".right") <= tab.ask(box("#theme") + ".left")
    tab.ask("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    hidden = "[...document.querySelectorAll('.scroll')].filter((one) => one.scrollWidth > one.clientWidth + 1).length"
    assert tab.ask(hidden) == 0
    name = "getComputedStyle(document.querySelector('.wide td:nth-child(4)'), '::before').content"
    assert "found (recall)" in tab.ask(name)


def test_the_switch_turns_dark_into_light(tab, pages):
    tab.open((pages / "two.html").as_uri())
    colour = "getComputedStyle(document.body).backgroundColor"
    light = tab.ask(colour)
    tab.ask("document.getElementById('theme').click()")
    assert tab.ask(colour) != light
    tab.ask("document.getElementById('theme').click()")
    assert tab.ask(colour) == light


def test_without_scripts_there_is_a_table_instead_of_a_slider(tab, pages):
    tab.open((pages / "two.html").as_uri(), script=False)
    assert tab.ask("getComputedStyle(document.querySelector('.slider')).display") == "none"
    assert tab.ask("getComputedStyle(document.getElementById('theme')).display") == "none"
    assert tab.ask("document.querySelectorAll('noscript table tbody tr').length") == 8


def test_print_is_black_on_white_and_fits_the_paper(tab, pages):
    tab.open((pages / "two.html").as_uri(), 794, dark=True, media="print")
    assert tab.ask("document.documentElement.scrollWidth") <= 794
    assert tab.ask("getComputedStyle(document.getElementById('threshold')).display") == "none"
    assert tab.ask("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert tab.ask("getComputedStyle(document.querySelector('nav')).display") == "none"
