"""The page: claims and whether they are reached, gains, rivals, machines, the curve; and the plot."""

from __future__ import annotations

from typing import Any

from ..few_labels.few_labels_page import HALVES, TITLES, made_by
from ..few_labels.measures import MEASURES, RANKED
from ..house_style import QUIET, SOFT, WIDTH
from ..pages import gain_with_error, label_budgets, legend_below, markdown_table, origin, short
from .draws import MOST_TEST
from .machines import KINDS, MACHINES
from .methods import BASE, MACHINE, MAIN, METHODS
from .summary import GROUPS, HARM, USEFUL

_INTRODUCTION = """# Machine labels beside few gold ones

{half}.
A machine has labeled every row of a pool of {pool} rows (fewer on small tables), cheaply and with a bias; {gold} of
them have gold labels, by an expert. Up to {test} rows, which nothing has seen, give the scores. Draws of each kind:
{seeds}; {few} of them for rivals, and for the curve. All methods see the same rows and
labels, and all but the peers on gold labels alone are built on the same classifier, with its defaults, so that what
differs is what is made of the labels.

*Real* machines are a legacy model of another time or place, a person's rule of thumb (written before any of them was
compared with labels), a lexicon of moods and a small language model; *simulated* ones are wrong by class, by region,
by difficulty, see fewer columns, or are too sure; *useless* ones are a coin, a constant and a model that was
taught shuffled labels; the *opposed* one is wrong three times in four.

{tables}

Differences are paired, averaged within tables, then over tables; +- is half of a 95% interval (Student's t over tables,
which are what is independent). For the Brier score, of which less is better, the sign is turned. **Bold: worse**, with
a star if the interval says so too.
{left_out}"""


def markdown(summary: dict[str, Any]) -> str:
    """The page."""
    parts = [introduction(summary), claims(summary)]
    parts += [gains_by_group(summary, group) for group in GROUPS]
    if _has_main(summary):
        parts += [rivals(summary), by_machine(summary), harm(summary)]
    parts += [curve(summary), methods(summary), made_by(summary)]
    return "\n".join([*(part for part in parts if part), origin(summary)])


def introduction(summary: dict[str, Any]) -> str:
    settings = summary["settings"]
    rows = [
        [name, f"{facts['rows']:,}", str(facts["columns"]), f"{facts['pool']:,}", "; ".join(_real(facts["machines"]))]
        for name, facts in settings["tables"].items()
    ]
    missing = settings["not_installed"]
    return _INTRODUCTION.format(
        half=HALVES[settings["half"]],
        pool=f"{settings['pool']:,}",
        gold=" or ".join(map(str, settings["gold"])),
        test=f"{MOST_TEST:,}",
        seeds=settings["seeds"],
        few=settings["rival_seeds"],
        tables=markdown_table(["table", "rows", "columns", "pool", "real machines"], rows),
        left_out=f"\nNot installed here, and so left out: {'; '.join(missing)}.\n" if missing else "",
    )


def _real(machines: list[str]) -> list[str]:
    return [name for name in machines if MACHINES[name].kind == "real"]


def claims(summary: dict[str, Any]) -> str:
    """What was to be shown."""
    if not summary["verdicts"]:
        return ""
    words = {True: "reached", False: "**not reached**", None: "not measured"}
    rows = [[entry["claim"], words[entry["reached"]], entry["figures"]] for entry in summary["verdicts"]]
    return f"## What was to be shown\n\n{markdown_table(['claim', '', 'gold labels: figures'], rows)}\n"


def gains_by_group(summary: dict[str, Any], group: str) -> str:
    """Every method over gold labels alone, with machines of one kind."""
    sizes = [size for size in summary["sizes"] if group in size["groups"]]
    if not sizes:
        return ""
    asked = [name for name in summary["settings"]["methods"] if name != BASE]
    parts = [f"## Gains over gold labels alone: {group} machines\n\n{_counts(sizes, group)}\n"]
    for measure in RANKED:
        rows = [
            [_shown(name), *(gain_with_error(size["groups"][group]["gains"][name][measure]) for size in sizes)]
            for name in asked
        ]
        base = [short(size["groups"][group]["means"][BASE][MEASURES.index(measure)]) for size in sizes]
        parts.append(f"{markdown_table(_header(measure, sizes), [[f'({BASE})', *base], *rows])}\n")
    return "\n".join(parts)


def _counts(sizes: list[dict[str, Any]], group: str) -> str:
    counts = [
        f"{size['gold']}: {size['groups'][group]['cells']} on {size['groups'][group]['tables']}" for size in sizes
    ]
    return f"Cells (machine, draw) and tables by number of gold labels: {'; '.join(counts)}."


def rivals(summary: dict[str, Any]) -> str:
    """Ours minus each rival in AUC, where machines are worth something."""
    parts = ["## Ours minus each rival, AUC\n\nThe best rival of each column is marked by (best).\n"]
    for group in (USEFUL, "real"):
        sizes = [size for size in summary["sizes"] if group in size["groups"]]
        if not sizes:
            continue
        rows = []
        for name in sizes[0]["groups"][group]["against"]:
            own = [size["groups"][group] for size in sizes]
            marks = [" (best)" if found["best_rival"] == name else "" for found in own]
            cells = [gain_with_error(found["against"][name]["auc"]) for found in own]
            rows.append([name, *(cell + mark for cell, mark in zip(cells, marks, strict=True))])
        parts.append(f"{markdown_table(_header(f'{group} machines', sizes), rows)}\n")
    return "\n".join(parts)


def by_machine(summary: dict[str, Any]) -> str:
    """Ours over gold labels alone with each machine, beside the machine alone."""
    sizes = summary["sizes"]
    rows = []
    for machine in MACHINES:
        found = [size["machines"].get(machine) for size in sizes]
        if not any(found):
            continue
        cells = [gain_with_error(one["against"][BASE]["auc"]) if one else "" for one in found]
        alone = [
            gain_with_error(one["gains"][MACHINE]["auc"]) if one and MACHINE in one["gains"] else "" for one in found
        ]
        right = summary["right"][machine].values()
        rows.append([machine, MACHINES[machine].kind, f"{min(right):.0%} to {max(right):.0%}", *cells, *alone])
    header = [
        "",
        "kind",
        "labels that are right",
        *(f"ours, {size['gold']}" for size in sizes),
        *(f"{MACHINE}, {s['gold']}" for s in sizes),
    ]
    return f"## Machine by machine: AUC over gold labels alone\n\n{markdown_table(header, rows)}\n"


def harm(summary: dict[str, Any]) -> str:
    """What useless machines cost."""
    rows = [
        [
            str(size["gold"]),
            str(found["cells"]),
            short(found["mean"]),
            f"{found['share']:.1%}",
            f"{found['share_of_pairs']:.1%}",
            short(found["worst"]),
        ]
        for size in summary["sizes"]
        if (found := size["harm"])
    ]
    if not rows:
        return ""
    header = ["gold labels", "cells", "mean change", f"cells that lose more than {short(HARM)}"]
    header += ["pairs of table and machine that do, on average", "worst cell"]
    return f"## Useless machines: what ours loses, AUC\n\n{markdown_table(header, rows)}\n"


def curve(summary: dict[str, Any]) -> str:
    """AUC by number of machine-labeled rows."""
    found = summary["curve"]
    if not found:
        return ""
    rows = [[_shown(name), *(short(value) for value in values)] for name, values in found["auc"].items()]
    if "against_machine" in found:
        entries = [gain_with_error(entry) if entry else "" for entry in found["against_machine"]]
        rows.append([f"ours minus {MACHINE}, where the machine is good", *entries])
    header = ["AUC", *(f"{pool:,} rows" for pool in found["pools"])]
    text = (
        f"## The number of machine-labeled rows\n\n{found['gold']} gold labels; machines of use; tables with rows "
        f"enough ({', '.join(found['tables'])}), {found['cells']} cells. A machine counts as good for a table if, with "
        "the most rows, it is better alone than gold labels alone: known in hindsight only, and in its favour.\n"
    )
    return f"{text}\n{markdown_table(header, rows)}\n"


def methods(summary: dict[str, Any]) -> str:
    """What each method does, and what it costs."""
    first: dict[str, Any] = next((size["groups"] for size in summary["sizes"] if size["groups"]), {})
    found: dict[str, list[float]] = next((group["means"] for group in first.values()), {})
    seconds = MEASURES.index("seconds")
    rows = [
        [_shown(name), _said(name), f"{found[name][seconds]:.1f}"]
        for name in summary["settings"]["methods"]
        if name in found
    ]
    header = ["", "", f"CPU seconds, {summary['sizes'][0]['gold']} gold labels"]
    return f"## Methods\n\n{markdown_table(header, rows)}\n"


def _said(name: str) -> str:
    """The first line of what the method's function says of itself."""
    predict = METHODS[name].predict
    return str(getattr(predict, "func", predict).__doc__).split("\n")[0]


def _header(first: str, sizes: list[dict[str, Any]]) -> list[str]:
    return [TITLES.get(first, first), *(str(size["gold"]) for size in sizes)]


def _shown(name: str) -> str:
    return f"**{name}**" if name == MAIN else name


def _has_main(summary: dict[str, Any]) -> bool:
    return MAIN in summary["settings"]["methods"]


def draw(figure: Any, summary: dict[str, Any]) -> None:
    """Gains in AUC by number of gold labels, one panel a kind of machine; and the curve over machine-labeled rows."""
    kinds = [kind for kind in KINDS if any(kind in size["groups"] for size in summary["sizes"])]
    count = len(kinds) + (summary["curve"] is not None)
    figure.set_size_inches(WIDTH, 3.4 * -(-count // 3) + 1.1)
    panels = list(figure.subplots(-(-count // 3), min(3, count), squeeze=False).ravel())
    for panel in panels[count:]:
        panel.remove()
    for panel, kind in zip(panels, kinds, strict=False):
        _draw_gains(panel, summary, kind)
    if summary["curve"] is not None:
        _draw_curve(panels[count - 1], summary["curve"])
    legend_below(figure, panels[0], 3)


def _draw_gains(panel: Any, summary: dict[str, Any], kind: str) -> None:
    sizes = [size for size in summary["sizes"] if kind in size["groups"]]
    for name, look in _looks(summary).items():
        entries = [size["groups"][kind]["gains"][name]["auc"] for size in sizes]
        middle, halves = ([entry[part] or 0.0 for entry in entries] for part in ("mean", "half_width"))
        panel.errorbar(
            [size["gold"] for size in sizes],
            middle,
            halves if name == MAIN else None,
            capsize=2,
            elinewidth=1.2,
            **look,
        )
    panel.axhline(0.0, color=SOFT, linewidth=1)
    label_budgets(panel, [size["gold"] for size in sizes], [str(size["gold"]) for size in sizes])
    panel.set_title(f"{kind}: AUC gained")
    panel.set_xlabel("gold labels")


def _draw_curve(panel: Any, found: dict[str, Any]) -> None:
    styles = {MAIN: "-", MACHINE: "--", BASE: ":"}
    for name, values in found["auc"].items():
        panel.plot(found["pools"], values, linestyle=styles[name], marker="o", label=name)
    label_budgets(panel, found["pools"], [f"{pool // 1000}k" for pool in found["pools"]])
    panel.set_title(f"AUC, {found['gold']} gold labels")
    panel.set_xlabel("machine-labeled rows")
    panel.legend(loc="center")  # between what machines bring and gold labels alone


def _looks(summary: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """How each method is drawn; ours last, and what uses gold labels alone quietly."""
    names = [name for name in summary["settings"]["methods"] if name not in (BASE, MAIN)]
    loud = [name for name in names if METHODS[name].asks_machine]
    looks: dict[str, dict[str, Any]] = {
        name: {"color": QUIET, "linewidth": 1.0, "label": name, "marker": "sv^"[place % 3]}
        for place, name in enumerate(name for name in names if name not in loud)
    }
    for place, name in enumerate(loud):
        looks[name] = {"color": f"C{place % 7 + 1}", "linestyle": "--", "marker": "sv^DPX*"[place % 7], "label": name}
    if _has_main(summary):
        looks[MAIN] = {"color": "C0", "linewidth": 3.0, "marker": "o", "label": MAIN, "zorder": 3}
    return looks
