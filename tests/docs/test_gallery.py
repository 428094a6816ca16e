"""The gallery: every script runs, its pictures are no empty frames, and what its text says of its figures is true."""

import re
import runpy
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest

plt = pytest.importorskip("matplotlib.pyplot")
pytest.importorskip("gymnasium")
pytest.importorskip("pandas")

ROOT = Path(__file__).parents[2]
SCRIPTS = sorted((ROOT / "examples").glob("plot_*.py"))


def few_labels(made):
    clean, flipped = made["accuracy"].mean(axis=-1)  # methods x sizes; ours first
    assert (clean[0, 1:] > clean[1:, 1:].max(axis=0) + 0.02).all()  # ahead of all from 60 labels on
    assert np.abs(flipped[0, 1:] - flipped[1:, 1:].max(axis=0)).max() < 0.02  # level with the best
    assert (flipped[0] > flipped[-1]).all()


def messy_table(made):
    table = made["table"]
    assert str(table["price"].dtype) == "float64"
    assert 0.03 < table["price"].isna().mean() < 0.1
    assert "offer" in str(made["told"][0].message)
    area = made["roc_auc_score"](made["sold"][made["unseen"]], made["model"].predict_proba(table[made["unseen"]])[:, 1])
    assert area > 0.85
    assert area > made["area"] + 0.1  # that of the careless reading
    assert "srcdoc" in made["Framed"]()._repr_html_()


def machine_labels(made):
    both, alone, filtered = (made["accuracy"][name].mean(axis=0) for name in made["ways"])
    assert both[0] > max(alone[0], filtered[0]) + 0.02  # 30 checked mails: clearly ahead of either
    assert abs(alone[0] - filtered[0]) < 0.02
    assert abs(both[-1] - alone[-1]) < 0.01  # 480: nothing left to add
    ((mail, false_alarm), (passed, spam)) = made["record"].confusion
    assert passed / (passed + spam) > 0.2
    assert false_alarm / (mail + false_alarm) < 0.1


def useless_machine(made):
    qualities, gain = made["qualities"], made["gain"].mean(axis=0)
    assert gain[0] > 0.03
    assert gain[-1] > 0.03
    assert gain[qualities.index(0.5)] == 0.0  # it is found out, and leaves no trace
    believing = made["accuracy"][:, -1, 1].mean()
    assert believing > made["accuracy"][:, -1, 2].mean()  # where the machine is right, caution has its price
    roles = np.reshape(made["roles"], made["weight"].shape)
    assert set(roles[:, 0]) == {"inverted"}
    assert set(roles[:, 3]) == {"left out"}


def label_kinds(made):
    chance, truth = made["chance_unseen"], made["y_unseen"]
    found = {
        way: (np.mean((np.array(said) > 0.5) == (truth == 1)), np.sqrt(np.mean((np.array(said) - chance) ** 2)))
        for (_, way), said in made["predicted"].items()
    }
    for read, rounded in (
        ("SoftLabels()", "rounded"),
        ("CrowdVotes()", "majority"),
        ("FlipRates(...)", "at face value"),
    ):
        assert found[read][0] > found[rounded][0] + 0.01
        assert found[read][1] < found[rounded][1] - 0.02
    assert np.allclose(found["mended afterwards"], found["FlipRates(...)"], atol=0.01)
    right = [person.right for person in made["people"]]
    assert right == sorted(right, reverse=True)  # as careful as they are


def positives_only(made):
    negative, ours, everything = np.mean(made["accuracy"], axis=0)
    assert negative == pytest.approx(np.mean(made["y_unseen"] == 0), abs=0.01)
    assert ours > negative + 0.15
    assert everything - 0.06 < ours < everything
    by_share = dict(zip(made["stated"], made["by_share"], strict=True))
    assert by_share[0.45] > by_share[0.35] - 0.02
    assert by_share[0.2] < negative + 0.05


def rare_classes(made):
    mean = {name: np.mean(found) for name, found in made["costs"].items()}
    assert mean["the likelier class"] > 1.8 * mean["class_weight, balanced"]
    weighed = min(mean["class_weight, balanced"], mean["class_weight, 20 to 1"])
    assert made["lowest"] < mean["P(fraud) > 1/21"] < mean["tune_threshold, 20 to 1"] < weighed
    assert "never predicted" in str(made["told"][0].message)


def audit(made):
    for figure, truth in made["shown"].values():
        assert figure.low <= truth <= figure.high
        assert figure.high - figure.low < 1.01 * (figure.gold_high - figure.gold_low)
    held, width = {}, {}
    for name, found in made["intervals"].items():
        low, high = np.transpose(found)
        held[name] = np.mean((low <= made["true_accuracy"]) & (made["true_accuracy"] <= high))
        width[name] = np.mean(high - low)
    machine, checked, both = held
    assert held[machine] < 0.1
    assert min(held[checked], held[both]) > 0.92
    assert width[both] < 0.8 * width[checked]


def suspicious_labels(made):
    assert made["found"] >= 45  # of the 50 wrong labels
    assert made["end"] <= 60  # labels looked at
    assert made["wrong"][:16].all()
    assert not made["wrong"][made["shown"]].all()
    given, checked, right = made["scores"].values()
    assert given < checked <= right + 0.005


def label_next(made):
    mean = {name: found.mean(axis=0) for name, found in made["accuracy"].items()}
    assert mean["suggest"][-1] > mean["at random"][-1] + 0.015
    assert abs(mean["suggest"][-1] - mean["most uncertain"][-1]) < 0.015
    assert np.mean(made["plain"]) > 2 * made["truth"]
    assert np.mean(made["weighed"]) == pytest.approx(made["truth"], abs=0.03)


def explain(made):
    used = sorted(made["used"], key=made["used"].get, reverse=True)
    assert used[:3] == ["glucose", "bmi", "age"]
    model, table, unseen = made["model"], made["X"], made["unseen"]
    assert model.score(table.iloc[unseen], made["y"][unseen]) > np.mean(made["y"][unseen] == "healthy") + 0.08


def stump_curves(made):
    stumps, blend = np.mean(made["scores"], axis=0)
    assert abs(stumps - blend) < 0.01
    assert stumps < made["best"]
    assert made["difference"] < 1e-8
    assert np.array_equal(made["again"].predict(made["table"].X), made["model"].predict(made["table"].X))


def unlabeled_rows(made):
    clean, wrong = (found.mean(axis=0) for found in made["by_share"].values())  # labeled-only, Algorithm 1
    assert clean[0, -1] > clean[1, -1] + 0.03
    assert wrong[1, -1] > wrong[0, -1] + 0.01
    assert (wrong.max(axis=1) > wrong[:, -1] + 0.1).all()  # who stops in time gains far more
    assert (made["gain"].mean(axis=1) < 0.015).all()  # real tables: nothing


def the_loop(made):
    case, accuracy, potential = made["case"], made["accuracy"], made["run"].history["potential"]
    first = int(np.argmax(case == "B"))
    assert first > 10
    assert np.all(np.diff(potential[:first]) < 0)
    assert {"A", "B"} == set(case[first:])
    assert accuracy[made["chosen"].rounds] > accuracy[-1] + 0.05
    assert np.corrcoef(accuracy, made["agreement"])[0, 1] > 0.7


def family(made):
    costs = made["on_paper"]
    slope = {name: np.polyfit(np.log(made["epsilons"]), np.log(found), 1)[0] for name, found in costs.items()}
    assert [round(slope[name]) for name in ("algorithm1", "GS24 (2024)", "PAB (2009)")] == [-2, -3, -4]
    mean = {name: found.mean() for name, found in made["excess"].items()}
    assert mean["labeled-only boosting"] < mean["Algorithm 1 (2025)"] < mean["GS24 (2024)"] < mean["PAB (2009)"]
    assert mean["SmoothBoost (2003)"] < mean["Algorithm 1 (2025)"]


def policy(made):
    chosen = [own[run.chosen] for run, own in zip(made["runs"], made["returns"], strict=True)]
    assert [value > 490 for value in chosen] == [True, True, False]  # two runs in three get there
    assert all(own[-1] < 400 for own in made["returns"])  # and the last policy of none is good
    assert all(own[0] < 15 for own in made["returns"])


CLAIMS = {
    f"plot_{check.__name__}": check
    for check in (
        few_labels, messy_table, machine_labels, useless_machine, label_kinds, positives_only, rare_classes, audit,
        suspicious_labels, label_next, explain, stump_curves, unlabeled_rows, the_loop, family, policy,
    )
}  # fmt: skip
LONGER = ["plot_useless_machine", "plot_policy", "plot_unlabeled_rows", "plot_rare_classes", "plot_label_next"]


def keeps_its_word(name, monkeypatch):
    """Run a script as a reader would, but for windows; then look at its pictures and at what it says."""
    plt.switch_backend("Agg")
    plt.close("all")  # of whoever was here before
    monkeypatch.setattr(plt, "show", lambda: None)
    try:
        with plt.rc_context():
            made = runpy.run_path(str(ROOT / "examples" / f"{name}.py"))
            figures = [plt.figure(number) for number in plt.get_fignums()]
            assert 1 <= len(figures) <= 2
            for figure in figures:
                figure.canvas.draw()
                assert all(panel.has_data() for panel in figure.axes)
    finally:
        plt.close("all")
    assert not list(Path.cwd().iterdir())  # nothing is left where the reader stands
    CLAIMS[name](made)


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """The reader stands in an empty folder; what scripts write goes to another one."""
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


@pytest.mark.parametrize("name", [name for name in CLAIMS if name not in LONGER])
def test_an_example_keeps_its_word(name, monkeypatch):
    keeps_its_word(name, monkeypatch)


@pytest.mark.parametrize("name", LONGER)
def test_a_longer_example_keeps_its_word(name, monkeypatch):
    keeps_its_word(name, monkeypatch)


def test_every_script_is_checked_and_has_its_place(monkeypatch):
    monkeypatch.setattr(sys, "path", [str(ROOT / "docs" / "_ext"), *sys.path])
    from gallery_order import ORDER, ReadingOrder

    names = {path.stem for path in SCRIPTS}
    assert 12 <= len(names) <= 16
    assert names == set(CLAIMS)
    assert {path.name for path in SCRIPTS} == set(ORDER)
    assert sorted(ORDER, key=ReadingOrder("examples")) == list(ORDER)


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_the_text_of_a_script(path):
    """A title, an introduction that leads to a page of the docs, and links that lead somewhere."""
    text = path.read_text()
    title, rule, *intro = text.split('"""')[1].strip().splitlines()
    assert rule == "=" * len(title)
    links = re.findall(r":doc:`([^`]+)`", text)
    assert any(f":doc:`{link}`" in "\n".join(intro) for link in links if link.startswith("/"))
    for link in links:
        page = ROOT / "docs" / f"{link[1:]}.md" if link.startswith("/") else path.with_name(f"{link}.py")
        assert page.exists(), link
    assert "\n# %%\n" in text
    assert "plt.show()" in text
