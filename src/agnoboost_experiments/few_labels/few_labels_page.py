"""The page and the plot of critical differences."""

from __future__ import annotations

from typing import Any

from ..pages import markdown_table, origin, short, signed, signed_with_error
from .design import MEASURES, RANKED
from .methods import FEW_LABELS
from .ranking import groups
from .tables import MOST_TEST, MOST_UNLABELED, names

_INTRODUCTION = """# Few labels: {count} tables of the {half} half

{labels} labels, {flips} of them flipped, {seeds} random splits each; at most {unlabeled} unlabeled rows, and up to
{test} clean rows, which nothing has seen, for the scores. All methods see the same rows, with the defaults of their
library. Recipes were developed on the development half.

- development: {development}
- reporting: {reporting}
{left_out}
Slow methods (AgnosticBoosting with its own choice of the unlabeled weight, and EBM, here without interactions, with
which it takes minutes a fit) are run on one split in {slow_every}, and measured by their distance from the others on
those splits. TabPFN is left out: its weights cannot be had without a network.
"""


def markdown(summary: dict[str, Any]) -> str:
    """The page."""
    by_setting = [_by_setting(summary, measure) for measure in ("accuracy", "brier")]
    parts = [_introduction(summary), _overview(summary), _differences(summary), *by_setting]
    return "\n".join([*parts, origin(summary)])


def _introduction(summary: dict[str, Any]) -> str:
    settings, blocks = summary["settings"], summary["blocks"]
    missing = settings["not_installed"]
    flips = sorted({block["flips"] for block in blocks})
    return _INTRODUCTION.format(
        count=len(settings["tables"]),
        half=settings["half"],
        labels="/".join(str(n) for n in sorted({block["labels"] for block in blocks})),
        flips="/".join(f"{rate:.0%}" for rate in flips),
        seeds=settings["seeds"],
        unlabeled=MOST_UNLABELED,
        test=MOST_TEST,
        development=", ".join(_named("development", settings)),
        reporting=", ".join(_named("reporting", settings)),
        left_out=f"\nNot installed here, and so left out: {', '.join(missing)}.\n" if missing else "",
        slow_every=settings["slow_every"],
    )


def _named(half: str, settings: dict[str, Any]) -> list[str]:
    return settings["tables"] if half == settings["half"] else names(half, settings["data"])


def _overview(summary: dict[str, Any]) -> str:
    """Mean ranks and means, the best accuracy rank first."""
    ranks = summary["ranks"]
    order = sorted(summary["means"], key=lambda name: ranks["accuracy"]["over_blocks"][name])
    rows = []
    for name in order:
        means = dict(zip(MEASURES, summary["means"][name], strict=True))
        found = [f"{ranks[measure]['over_blocks'][name]:.1f}" for measure in RANKED]
        found += [short(means[measure]) for measure in ("accuracy", "auc", "brier", "ece")]
        rows.append([f"**{name}**" if name == FEW_LABELS else name, *found, f"{means['seconds']:.2f}"])
    header = ["", "rank, accuracy", "rank, AUC", "rank, Brier", "accuracy", "AUC", "Brier", "ECE", "seconds"]
    blocks = len(summary["blocks"])
    text = (
        f"## Mean ranks over {blocks} blocks (table x labels x flips), and means\n\n"
        "Seconds for fitting and predicting, with one thread.\n"
    )
    return f"{text}\n{markdown_table(header, rows)}\n"


def _differences(summary: dict[str, Any]) -> str:
    rows = []
    for name, entry in summary["differences"].items():
        cells = [signed_with_error(entry[m]) for m in RANKED]
        rows.append([name, *cells, signed(entry["accuracy"]["least"])])
    text = (
        f"## {FEW_LABELS} minus each other method\n\nPaired, averaged within tables, then over tables; +- is half of a "
        "95% interval (Student's t over tables, which are what is independent). For the Brier score less is better.\n"
    )
    header = ["against", "accuracy", "AUC", "Brier", "accuracy on the worst table"]
    return f"{text}\n{markdown_table(header, rows)}\n"


def _by_setting(summary: dict[str, Any], measure: str) -> str:
    """Means by number of labels and by rate of flips."""
    blocks = summary["blocks"]
    settings = [(f"{count} labels", "labels", count) for count in sorted({block["labels"] for block in blocks})]
    settings += [(f"{rate:.0%} flipped", "flips", rate) for rate in sorted({block["flips"] for block in blocks})]
    place = MEASURES.index(measure)

    def mean(name: str, kind: str, value: float) -> str:
        own = [block[name][place] for block in blocks if block[kind] == value]
        return short(sum(own) / len(own))

    rows = [[name, *(mean(name, kind, value) for _, kind, value in settings)] for name in summary["means"]]
    return f"## Mean {measure}\n\n{markdown_table(['', *(title for title, _, _ in settings)], rows)}\n"


def draw(figure: Any, summary: dict[str, Any]) -> None:
    """Mean ranks over tables; methods that a bar joins cannot be told apart."""
    figure.set_size_inches(9.0, 10.5)
    panels = figure.subplots(len(RANKED), 1)
    for panel, measure in zip(panels, RANKED, strict=True):
        _critical_differences(panel, measure, summary)


def _critical_differences(panel: Any, measure: str, summary: dict[str, Any]) -> None:
    ranks = sorted(summary["ranks"][measure]["over_tables"].items(), key=lambda entry: entry[1])
    values = [rank for _, rank in ranks]
    count, half = len(ranks), -(-len(ranks) // 2)
    difference = summary["critical_difference"]
    for place, (name, rank) in enumerate(ranks):
        left = place < half
        height = -1.6 - 0.8 * (place if left else count - 1 - place)
        end = 0.4 if left else count + 0.6
        weight = "bold" if name == FEW_LABELS else "normal"
        panel.plot([rank, rank, end], [0, height, height], color="0.4", linewidth=0.8)
        side = "right" if left else "left"
        panel.text(end, height, f" {name} {rank:.1f} ", ha=side, va="center", fontsize=8, fontweight=weight)
    for line, (first, last) in enumerate(groups(values, difference)):
        panel.plot([values[first] - 0.05, values[last] + 0.05], [-0.25 - 0.2 * line] * 2, color="C3", linewidth=2.5)
    panel.plot([1, count], [0, 0], color="black", linewidth=1)
    for tick in range(1, count + 1):
        panel.plot([tick, tick], [0, 0.15], color="black", linewidth=1)
        panel.text(tick, 0.25, str(tick), ha="center", va="bottom", fontsize=8)
    panel.plot([1, 1 + difference], [1.4, 1.4], color="C3", linewidth=2.5)
    panel.text(1 + difference / 2, 1.5, f"critical difference {difference:.1f}", ha="center", va="bottom", fontsize=8)
    tables = len(summary["settings"]["tables"])
    panel.set_title(f"mean rank over {tables} tables: {measure}", fontsize=10, loc="right")
    panel.set(xlim=(-4.5, count + 5.5), ylim=(-1.6 - 0.8 * half, 2.4))
    panel.set_axis_off()
