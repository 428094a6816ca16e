"""All plots of studies: one style, nothing empty, nothing on top of each other, and what the tables say."""

import json
from itertools import pairwise
from pathlib import Path

import pytest

from agnoboost_experiments import EXPERIMENTS, redraw
from agnoboost_experiments.house_style import PALETTE, WIDTH, gallery_style, house_style

plt = pytest.importorskip("matplotlib.pyplot")

RESULTS = Path(__file__).parents[2] / "benchmarks" / "results"
STUDIES = [
    "complexity",
    "family",
    "few-labels",
    "halfspaces",
    "label-models",
    "machine",
    "rl",
    "shift",
    "table1-honest",
    "table1-printed",
]


def drawn(study, check):
    summary = json.loads((RESULTS / f"{study}.json").read_text())
    experiment = redraw._experiment(study)
    with house_style():
        figure = plt.figure()
        try:
            experiment.page.draw(figure, summary)
            figure.canvas.draw()
            check(figure, summary)
        finally:
            plt.close(figure)


def boxes(texts):
    return [text.get_window_extent() for text in texts if text.get_visible() and text.get_text()]


@pytest.mark.parametrize("study", STUDIES)
def test_plots_are_readable(study):
    def check(figure, summary):
        assert figure.get_size_inches()[0] == WIDTH
        for panel in figure.axes:
            assert panel.has_data()
            for one, other in pairwise(boxes(panel.get_xticklabels())):
                assert one.x1 <= other.x0, f"names below {panel.get_title()!r} collide"
            for one, other in pairwise(boxes(panel.get_yticklabels())):
                assert not one.overlaps(other), f"names beside {panel.get_title()!r} collide"
            assert all(text.get_fontsize() >= 7.5 for text in panel.get_xticklabels() + panel.get_yticklabels())
        titles = boxes([panel._left_title for panel in figure.axes])
        assert not any(one.overlaps(other) for place, one in enumerate(titles) for other in titles[:place])
        for legend in figure.legends:
            box, panels = legend.get_window_extent(), [panel.get_window_extent() for panel in figure.axes]
            assert not any(box.overlaps(panel) for panel in panels)
            assert box.x0 >= 0
            assert box.x1 <= figure.bbox.x1

    drawn(study, check)


def test_few_labels_shows_the_ranks_of_its_table():
    def check(figure, summary):
        panels = dict(zip(("accuracy", "auc", "brier"), figure.axes, strict=True))
        for measure, panel in panels.items():
            shown = {line.get_label(): dict(zip(*line.get_data(), strict=True)) for line in panel.lines}
            for size in summary["sizes"]:
                ranks = size["ranks"][measure]
                assert shown[summary["main"]][size["labels"]] == ranks[summary["main"]]
                assert shown["CatBoost"][size["labels"]] == ranks["CatBoost"]
            assert len(panel.lines) == len(summary["settings"]["methods"])
            peers = [text.get_text().partition("\n")[2] for text in panel.get_xticklabels()]
            assert peers == ["17", "17", "17", "16", "13", "12"]
        table = (RESULTS / "few-labels.md").read_text()
        for size in summary["sizes"]:
            assert f"| {size['labels']:,} | {size['ranks']['accuracy'][summary['main']]:.1f} (" in table

    drawn("few-labels", check)


def test_table1_says_what_ran_on_few_folds():
    def check(figure, summary):
        texts = [text.get_text() for text in figure.legends[0].get_texts()]
        assert "AgnosticBoostingClassifier (diamonds: one fold in 10)" in texts

    drawn("table1-honest", check)


def test_the_style_is_left_behind():
    before = plt.rcParams["font.size"], plt.rcParams["axes.spines.top"]
    with house_style():
        assert plt.rcParams["axes.prop_cycle"].by_key()["color"] == list(PALETTE)
    assert (plt.rcParams["font.size"], plt.rcParams["axes.spines.top"]) == before


def test_every_example_of_the_gallery_starts_in_the_style():
    with plt.rc_context():
        plt.rcParams["lines.linestyle"] = ":"  # what an example before has changed
        plt.rcParams["font.size"] = 30.0
        gallery_style({}, "plot_anything.py")
        assert (plt.rcParams["lines.linestyle"], plt.rcParams["font.size"]) == ("-", 10.0)
        assert plt.rcParams["axes.prop_cycle"].by_key()["color"] == list(PALETTE)


def test_plots_are_drawn_again_from_figures_alone(tmp_path, capsys):
    for name in ("shift.json", "core.json"):
        (tmp_path / name).write_text((RESULTS / name).read_text())
    redraw.main([str(tmp_path)])
    assert capsys.readouterr().out == f"Written: {tmp_path / 'shift.png'}\n"
    first = (tmp_path / "shift.png").read_bytes()
    redraw.main([str(tmp_path)])
    assert (tmp_path / "shift.png").read_bytes() == first
    run = [
        one.name for one in EXPERIMENTS if any(redraw._experiment(path.stem) == one for path in RESULTS.glob("*.json"))
    ]
    assert {redraw._experiment(study).name for study in STUDIES} == set(run)
