"""Policies as a Markdown page and a plot."""

from __future__ import annotations

from typing import Any

from ..house_style import INK, SOFT, look_of
from ..pages import (
    curve,
    label_axes,
    label_budgets,
    legend_below,
    markdown_table,
    origin,
    panel_grid,
    short,
    with_error,
)
from .balancing import BETA, BETA_JUDGE, ENV, EPISODES, EVALUATED, ROLLOUTS
from .methods import JUDGING, METHODS, OUTER_ROUNDS, POST_SELECTED, Q_LEARNING, REWARD_FREE, UNBOUNDED

_INTRODUCTION = """# Policies where rewards are expensive

Gap to the best policy, as a share of what a coin lacks: 0 is the best policy, 1 a coin. Exact values of the final
mixture policy; mean over {seeds} seeds +- standard error. One reward is looked at in each annotated episode; Algorithms
1 and 2 also run {free:,} episodes without rewards in an outer round, a number that was tried out with Algorithm 2 and
other seeds. Algorithm 1 uses all of their states in every inner round; Algorithm 2 gets a share of new ones in each,
and reuses the old ones with fading mass.

Every method has the settings that are **best in hindsight**: the number of outer rounds ({outer}), and for GS24
and PAB also the inner rounds and sigma. So these are upper bounds on what each would reach, the more generous the
more settings a method has. All rewards go into learning, and the last policy of a run is taken (rollouts=0): the
number of outer rounds is chosen in hindsight for all alike, so that inner boosters are compared. "{post}"
is Algorithm 4 with its own choice among the policies of each run; its rollouts, {judging:.0%} of the budget, are paid
from the same budget.

All use centred labels, which are beyond the paper, except where "the paper's labels" are named: drawn by a coin. {q}
gets as many rewards as there are annotated episodes, one in every step.
"""
_WORLDS = {
    "bits": "128 states of seven bits; weak policies are parities of at most two bits, the best policy is a majority "
    "of three.",
    "maintenance": "Run a machine or service it; stumps on wear and weather. The reward takes an inspection.",
    "chain": "A walk with a reward at its far end only; stumps on the place and a lamp that shows the way. A known "
    "failure of boosting: a coin almost never gets to the end, so the signal is next to nothing and the mismatch huge, "
    "and labels are noise until somebody has been there. Q-learning starts out optimistic, and goes to look.",
    "garnet": "Random transitions and rewards, and features that say nothing simple; trees of depth 3. A known "
    "weakness of boosting: the right actions of 60 states have no short description, the signal of a state is only a "
    "step or two of the booster, and every state must be learned from its own episodes.",
}


def markdown(summary: dict[str, Any]) -> str:
    """The page."""
    parts = [_introduction(summary["settings"])]
    parts += ["## The worlds\n", _worlds(summary["worlds"]) + "\n"]
    for name in summary["worlds"]:
        own = [cell for cell in summary["cells"] if cell["world"] == name]
        parts += [f"## {name}\n", _WORLDS[name] + "\n", _gaps(own) + "\n"]
    if summary["claims"]:
        parts += ["## Differences on bits\n", _claims(summary["claims"])]
    return "\n".join([*parts, _pole(summary["pole"]), origin(summary)])


def _introduction(settings: dict[str, Any]) -> str:
    outer = ", ".join(map(str, OUTER_ROUNDS))
    words = {"free": REWARD_FREE, "outer": outer, "q": Q_LEARNING, "post": POST_SELECTED, "judging": JUDGING}
    return _INTRODUCTION.format(**words, **settings)


def _worlds(worlds: dict[str, Any]) -> str:
    """What predicts how hard they are."""
    rows = [
        [name, str(w["states"]), f"{w['beta']:g}", short(w["signal"], 4), _size(w["mismatch"]), short(w["coin"]),
         short(w["best_value"])]
        for name, w in worlds.items()
    ]  # fmt: skip
    head = ["world", "states", "beta", "signal", "largest mismatch met", "value of a coin", "best value"]
    return markdown_table(head, rows) + (
        "\n\nSignal: E|(1 - beta)(Q(s, +1) - Q(s, -1))| over the states of a coin, the mean size of a label's "
        "expectation. Mismatch: max mu*/mu, over all policies of Algorithm 2's runs; C_inf in the theorem. It is "
        "infinite where some policy never sees a state that the best one sees."
    )


def _size(mismatch: float) -> str:
    return "infinite" if mismatch >= UNBOUNDED else f"{mismatch:.3g}"


def _gaps(cells: list[dict[str, Any]]) -> str:
    rows = []
    for name in [*METHODS, Q_LEARNING]:
        entries = [cell["gap"][name] for cell in cells]
        found = [with_error(entry) + (f" ({entry['setting']})" if entry["setting"] else "") for entry in entries]
        rows.append([name, *found])
    return markdown_table(["annotated episodes", *(f"{cell['episodes']:,}" for cell in cells)], rows)


def _claims(claims: dict[str, Any]) -> str:
    lines = []
    for episodes, found in claims.items():
        for name, entry in found.items():
            if name != "gap":
                what = f"Algorithm 2 {name}, {int(episodes):,} episodes"
                lines.append(f"- {what}: {with_error(entry)} (paired t-test, p = {entry['p']:.1g}).")
    return "\n".join(lines) + "\n"


def _pole(pole: dict[str, Any]) -> str:
    rows = [
        [name, *(f"{pole['medians'][kind][name]:.0f}" for kind in ("likelier", "drawn")),
         f"{min(pole['returns']['likelier'][name]):.0f} to {max(pole['returns']['likelier'][name]):.0f}"]
        for name in pole["medians"]["likelier"]
    ]  # fmt: skip
    head = ["inner booster", "median return, likelier action", "median return, drawn", "range, likelier action"]
    spent = ", ".join(f"{name.replace('_', ' ')} {count:,}" for name, count in pole["spent"].items())
    return (
        f"## {ENV}\n\nLinear weak policies, beta = {BETA:g}, {EPISODES:,} annotated episodes, of which the last "
        f"{ROLLOUTS} a policy choose among the policies of a run (beta = {BETA_JUDGE:g}); the chosen one is judged on "
        f"{EVALUATED} new episodes (500 is the largest return, a coin gets about 22). All inner boosters have the same "
        "settings, which were tried out with Algorithm 2 and other seeds.\n\n"
        f"{markdown_table(head, rows)}\n\nSpent by Algorithm 2 (median): {spent}.\n"
    )


def draw(figure: Any, summary: dict[str, Any]) -> None:
    """Gap against annotated episodes, one panel a world; returns of the pole, one dot a seed."""
    worlds = list(summary["worlds"])
    panels = panel_grid(figure, len(worlds) + 1, 2.7)
    names = [name for name in [*METHODS, Q_LEARNING] if "," not in name]  # variants are in the tables only
    for panel, world in zip(panels, worlds, strict=False):
        own = [cell for cell in summary["cells"] if cell["world"] == world]
        for place, name in enumerate(names):
            style = "--" if name == Q_LEARNING else "-"
            x = [cell["episodes"] * 1.03 ** (place - 2) for cell in own]  # a little apart, so that bars can be told
            entries = [cell["gap"][name] for cell in own]
            curve(panel, x, entries, linestyle=style, label=name, **look_of(name, place))
        panel.set_title(world)
        label_budgets(panel, [cell["episodes"] for cell in own], [f"{cell['episodes']:,}" for cell in own])
        panel.set_ylim(bottom=min(0.0, panel.get_ylim()[0]))
    label_axes(panels[:-1], "annotated episodes", "gap (coin = 1)")
    _draw_pole(panels[-1], summary["pole"], names)
    legend_below(figure, panels[0], 6)


def _draw_pole(panel: Any, pole: dict[str, Any], names: list[str]) -> None:
    for place, (name, values) in enumerate(pole["returns"]["likelier"].items()):
        panel.plot([place] * len(values), values, "o", alpha=0.5, color=look_of(name, names.index(name))["color"])
        panel.plot([place - 0.3, place + 0.3], [pole["medians"]["likelier"][name]] * 2, color=INK)
    panel.axhline(195, color=SOFT, linestyle=":", linewidth=1)
    names = [name.replace(" ", "\n").replace("-", "-\n") for name in pole["medians"]["likelier"]]
    panel.set_xticks(range(len(names)), names, fontsize=8)
    panel.set(title=f"{ENV} (bar: median)", ylabel="return", ylim=(0, 520))
