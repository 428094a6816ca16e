"""Table 1 as a Markdown page and a plot, beside what the paper prints."""

from __future__ import annotations

from typing import Any

from ..pages import curve, label_axes, legend_below, markdown_table, origin, panel_grid, short, with_error
from .boosters import kinds_of, title
from .printed import METHODS, printed

_INTRODUCTION = {
    "honest": """# Table 1, honestly

Accuracy on rows that nothing has seen: every fold in turn is scored, all of its rows. Of the other rows half (sonar,
ionosphere) or nine tenths (the others) lose their labels; noise is added to the labels that are left. {choice}

"printed" is what the paper's Table 1 says. Mean over folds +- standard error; folds share training rows, so the errors
are a little too small. AgnosticBoostingClassifier, which takes longer than all others together where it has enough
labels to cross-validate, is run on one fold in {estimator_every} there; compare it by the differences below.
""",
    "printed": """# Table 1, as it was printed

An optimistic protocol, which explains the printed figures and which no user should take for accuracy: random splits, a
quarter of the *labeled* rows as test, and grid point and iterate picked on those very rows. Mean over splits +-
standard error.
""",
}


_TICKETS = """PAB's grid points that come to the same rows and rounds, because labels run out, are run once. The others
(m rows for T = 25, 50 or 100 rounds) are runs of their own: PAB and GS24 choose among more runs than Algorithm 1.
"""
_STUMPS = {
    "correlation": """Correlation stumps are ours: the stump of largest correlation with the batch. Columns have at most
255 bins, categories are grouped, and missing values go to the better side.
""",
    "gini": """Gini stumps are those of scikit-learn, which the paper cites: DecisionTreeClassifier(max_depth=1), the
split of least Gini impurity and the majority of each side, ties between features at random. Codes of categories are
taken for numbers.
""",
}
_CHOICE = {
    False: "Grid point and\niterate of the boosters are chosen on the rows that train them.",
    True: "A third of them\nchooses grid point and iterate of the boosters; the other methods train on all of them.",
}


def markdown(summary: dict[str, Any]) -> str:
    """The page."""
    settings = summary["settings"]
    parts = [_INTRODUCTION[settings["protocol"]].format(choice=_CHOICE[settings["held_out"]], **settings)]
    parts += [_STUMPS[kind] for kind in kinds_of(settings["stumps"])]
    parts.append(_TICKETS)
    for entry in summary["means"]:
        parts.append(f"## {entry['noise']:.0%} of the labels flipped\n")
        parts.append(_table(summary, entry) + "\n")
    parts.append("## Differences, fold by fold, mean over the data sets\n")
    parts.append(_differences(summary) + "\n")
    if "deviation" in summary:
        parts.append("## How far from the printed table\n")
        parts.append(_deviations(summary["deviation"]) + "\n")
        parts.append(_spread(summary["printed_spread"]) + "\n")
    parts.append(
        f"{settings['folds_run']} of {settings['folds']} folds or splits, step {settings['step']:g}, seed "
        f"{settings['seed']}.\n"
    )
    return "\n".join([*parts, origin(summary)])


def _table(summary: dict[str, Any], entry: dict[str, Any]) -> str:
    data_sets, noise = summary["settings"]["data_sets"], entry["noise"]
    cells = {cell["data_set"]: cell["accuracy"] for cell in summary["cells"] if cell["noise"] == noise}
    last_rows = {title(method, kinds_of(summary["settings"]["stumps"])[-1]): method for method in METHODS}
    rows = []
    for name, mean in entry["accuracy"].items():
        counts = sorted({cells[data_set][name]["folds"] for data_set in data_sets})
        few = "" if counts == [summary["settings"]["folds_run"]] else f" ({' or '.join(map(str, counts))} folds)"
        rows.append([name + few, *(with_error(cells[data_set][name]) for data_set in data_sets), with_error(mean)])
        if method := last_rows.get(name):
            values = [printed(data_set, noise, method)[0] for data_set in data_sets]
            rows.append([f"*{method}, printed*", *(f"*{short(v, 2)}*" for v in [*values, sum(values) / len(values)])])
    return markdown_table(["", *data_sets, "mean"], rows)


def _differences(summary: dict[str, Any]) -> str:
    names = list(summary["means"][0]["difference"])
    rows = [[name, *(with_error(entry["difference"][name]) for entry in summary["means"])] for name in names]
    return markdown_table(["", *(f"{entry['noise']:.0%} flipped" for entry in summary["means"])], rows)


def _spread(off: dict[str, float]) -> str:
    parts = ", ".join(f"over {name} by {value:.3f}" for name, value in off.items())
    return f"The printed +- differ from 95% intervals of the printed accuracies {parts} on average."


def _deviations(found: dict[str, Any]) -> str:
    rows = [
        [name, entry["column"], f"{entry['mean_absolute']:.3f}", f"{entry['mean']:+.3f}"]
        for name, entry in found.items()
    ]
    return markdown_table(["method", "printed column", "mean absolute deviation", "mean deviation"], rows)


_COLORS = {"Algorithm 1": "C0", "PAB": "C4", "GS24": "C3", "labeled-only Huber": "C2"}
_LINES = {"correlation": "-", "gini": ":"}
_PEERS = {"AgnosticBoostingClassifier": ("C7", "-"), "random forest": ("C1", "--")}
_FEW_FOLDS = {"linestyle": "", "marker": "D", "markerfacecolor": "none"}  # a line would suggest a course


def draw(figure: Any, summary: dict[str, Any]) -> None:
    """Accuracy against noise, one panel a data set; Gini stumps dotted, the printed values as crosses."""
    data_sets, noise = summary["settings"]["data_sets"], summary["settings"]["noise"]
    panels = panel_grid(figure, len(data_sets), 2.7)
    percent = [100 * rate for rate in noise]
    kinds = kinds_of(summary["settings"]["stumps"])
    shown = {title(name, kind): (color, _LINES[kind]) for name, color in _COLORS.items() for kind in kinds} | _PEERS
    for panel, data_set in zip(panels, data_sets, strict=True):
        cells = [cell["accuracy"] for cell in summary["cells"] if cell["data_set"] == data_set]
        for name, (color, style) in shown.items():
            if name not in cells[0]:
                continue
            entries = [cell[name] for cell in cells]
            few = entries[0]["folds"] < summary["settings"]["folds_run"]
            looks = _FEW_FOLDS if few else {"linestyle": style, "marker": "."}
            curve(panel, percent, entries, color=color, label=_label(summary, name), **looks)
        for name in METHODS:
            values = [printed(data_set, rate, name)[0] for rate in noise]
            panel.plot(percent, values, "x", color=_COLORS[name], label=f"{name}, printed")
        panel.set(title=data_set, xticks=percent)
    label_axes(panels, "flipped labels, %", "accuracy")
    legend_below(figure, panels[0], 3)


def _label(summary: dict[str, Any], name: str) -> str:
    """The name, and on how many folds it was run where that is not all of them: points without a line."""
    fewest = min(cell["accuracy"][name]["folds"] for cell in summary["cells"])
    share = summary["settings"]["folds_run"] / fewest
    return name if share <= 1 else f"{name} (diamonds: one fold in {share:.0f})"
