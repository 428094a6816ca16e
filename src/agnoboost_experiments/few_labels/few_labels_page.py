"""The page: ranks, shares and differences by number of labels; and the plot of mean ranks."""

from __future__ import annotations

from typing import Any

from ..house_style import QUIET, WIDTH
from ..pages import gain_with_error, label_budgets, legend_below, markdown_table, origin, short, signed
from .boosters import HELD_OUT, MOST_TREES, PATIENCE
from .measures import MEASURES, RANKED
from .methods import METHODS, PEERS
from .summary import NEAR
from .tables import MOST_UNLABELED, most_test

HALVES = {
    "reporting": "Tables on which nothing was developed",
    "development": "Tables on which recipes were developed: they prove nothing",
}
TITLES = {"accuracy": "accuracy", "auc": "AUC", "brier": "Brier score"}

_INTRODUCTION = """# {sizes} labels: ours against what a user would try in ten minutes

{half}.
All methods see the same rows: the labels, some of them flipped, and at most {unlabeled} unlabeled rows. Up to {test}
clean rows ({large_test} from 10,000 labels on), which nothing has seen, give the scores. All methods have the defaults
of their library, and nobody tuned anything; one thread each. `LightGBM, early stopping` keeps {held_out:.0%} of the
labels, by class, to stop by: up to {trees} trees, until {patience} in a row have not made the log loss on them better,
without a refit. EBM is without interactions, with which it takes minutes a fit.

{what_is_run}
{left_out}
Slow methods ({slow}) are run on one split in {slow_every}, and measured by their distance from the others on those
splits. Not run beyond a number of labels: {limits}.
"""


def markdown(summary: dict[str, Any]) -> str:
    """The page."""
    parts = [introduction(summary)]
    if summary["main"] is not None:
        parts += [standing(summary), differences(summary), best_peers(summary)]
    parts += [ranking(summary, size) for size in summary["sizes"]]
    return "\n".join([*parts, made_by(summary), origin(summary)])


def introduction(summary: dict[str, Any]) -> str:
    settings = summary["settings"]
    methods = {name: METHODS[name] for name in settings["methods"]}
    missing = settings["not_installed"]
    header = ["labels", "tables", "flipped", "splits of each kind", "peers"]
    rows = [
        [
            _count(size["labels"]),
            "; ".join(size["tables"]),
            ", ".join(f"{rate:.0%}" for rate in size["flips"]),
            str(size["seeds"]),
            str(_peers(size)),
        ]
        for size in summary["sizes"]
    ]
    return _INTRODUCTION.format(
        sizes=" to ".join(_count(size["labels"]) for size in (summary["sizes"][0], summary["sizes"][-1])),
        half=HALVES[settings["half"]],
        unlabeled=_count(MOST_UNLABELED),
        test=_count(most_test(0)),
        large_test=_count(most_test(10_000)),
        held_out=HELD_OUT,
        trees=_count(MOST_TREES),
        patience=PATIENCE,
        what_is_run=markdown_table(header, rows),
        left_out=f"\nNot installed here, or without weights, and so left out: {'; '.join(missing)}.\n"
        if missing
        else "",
        slow="; ".join(name for name, method in methods.items() if method.slow) or "none here",
        slow_every=settings["slow_every"],
        limits="; ".join(
            f"{name} {_count(method.most_labels)}" for name, method in methods.items() if method.most_labels is not None
        )
        or "none",
    )


def standing(summary: dict[str, Any]) -> str:
    """Where our main method stands, one line a number of labels."""
    main = summary["main"]
    rows = []
    for size in _with_main(summary):
        cells = []
        for ranks in size["ranks"].values():
            rivals = {name: rank for name, rank in ranks.items() if name in PEERS}
            best = min(rivals, key=lambda name: rivals[name])
            cells.append(f"{ranks[main]:.1f} ({best} {rivals[best]:.1f})")
        cells += [f"{size[share][measure]:.0%}" for share in ("near", "ahead") for measure in RANKED]
        rows.append([_count(size["labels"]), *cells])
    header = ["labels", *(f"{kind}, {title}" for kind in ("rank", "near", "best") for title in TITLES.values())]
    text = (
        f"## {main} among the peers\n\nIts mean rank over the blocks (table x flips), with the best mean rank of a "
        f"peer; the share of blocks in which it is no more than {short(NEAR)} behind the best peer (near), and in "
        "which it is ahead of all peers (best). The best of many peers is partly the luckiest: nobody could have "
        "chosen it before.\n"
    )
    return f"{text}\n{markdown_table(header, rows)}\n"


def differences(summary: dict[str, Any]) -> str:
    """Our main method against each peer: a table a measure, one column a number of labels."""
    sizes = _with_main(summary)
    peers = list(dict.fromkeys(peer for size in sizes for peer in size["against"]))
    parts = [
        f"## {summary['main']} minus each peer\n\nPaired, averaged within tables, then over tables; +- is half of a "
        "95% interval (Student's t over tables, which are what is independent). For the Brier score, of which less is "
        "better, the sign is turned. **Bold: the peer is ahead**, with a star if the interval says so too.\n"
    ]
    for measure in RANKED:
        rows = [
            [
                peer,
                *(gain_with_error(size["against"][peer][measure]) if peer in size["against"] else "" for size in sizes),
            ]
            for peer in peers
        ]
        parts.append(_by_size(measure, sizes, rows))
    return "\n".join(parts)


def best_peers(summary: dict[str, Any]) -> str:
    """On each table, the peer that is best there."""
    sizes = _with_main(summary)
    tables = list(dict.fromkeys(table for size in sizes for table in size["tables"]))
    parts = [
        f"## {summary['main']} minus the best peer of each table\n\nMeans over the rates of flips, and who the best "
        "peer is; for the Brier score with the sign turned. **Bold: the peer is ahead.**\n"
    ]
    for measure in RANKED:
        rows = [
            [table, *(_beside(size["best_peers"][table][measure]) if table in size["tables"] else "" for size in sizes)]
            for table in tables
        ]
        parts.append(_by_size(measure, sizes, rows))
    return "\n".join(parts)


def ranking(summary: dict[str, Any], size: dict[str, Any]) -> str:
    """Mean ranks and means with one number of labels, the best accuracy rank first."""
    rows = []
    for name in sorted(size["means"], key=lambda name: size["ranks"]["accuracy"][name]):
        means = dict(zip(MEASURES, size["means"][name], strict=True))
        found = [f"{size['ranks'][measure][name]:.1f}" for measure in RANKED]
        found += [short(means[measure]) for measure in ("accuracy", "auc", "brier", "ece")]
        rows.append([_shown(name), *found, f"{means['seconds']:.2f}"])
    header = ["", *(f"rank, {title}" for title in TITLES.values()), "accuracy", "AUC", "Brier", "ECE", "CPU seconds"]
    blocks = len(size["tables"]) * len(size["flips"])
    text = (
        f"## {_count(size['labels'])} labels: {blocks} blocks of {len(size['tables'])} tables\n\n"
        "Ours are bold; each of them is ranked against the peers alone. Seconds of the processor for fitting and "
        "predicting.\n"
    )
    return f"{text}\n{markdown_table(header, rows)}\n"


def made_by(summary: dict[str, Any]) -> str:
    """What measured whom."""
    by_version: dict[str, list[str]] = {}
    for name, versions in summary["measured_by"].items():
        by_version.setdefault(" and ".join(versions), []).append(name)
    lines = [f"- {version}: {'; '.join(names)}" for version, names in by_version.items()]
    if summary["settings"].get("beside"):
        settings = summary["settings"]
        tables = "; ".join(settings["tables"]) if settings["tables"] else "all tables"
        lines.append(
            f"- This run measured {'; '.join(settings['measured'])} on {tables}. What stands beside it is of the run "
            "before."
        )
    return "\n".join(["## What was measured with what", "", *lines, ""])


def _by_size(measure: str, sizes: list[dict[str, Any]], rows: list[list[str]]) -> str:
    return f"{markdown_table([TITLES[measure], *(_count(size['labels']) for size in sizes)], rows)}\n"


def _with_main(summary: dict[str, Any]) -> list[dict[str, Any]]:
    """The numbers of labels on which our main method was compared."""
    return [size for size in summary["sizes"] if "against" in size]


def _beside(entry: dict[str, Any]) -> str:
    text = f"{signed(entry['gain'])} {entry['peer']}"
    return f"**{text}**" if entry["gain"] < 0.0 else text


def _shown(name: str) -> str:
    return name if name in PEERS else f"**{name}**"


def _count(number: int) -> str:
    return f"{number:,}"


def draw(figure: Any, summary: dict[str, Any]) -> None:
    """Mean rank against the number of labels, one line a method, one panel a measure: the ranks of the tables.

    Peers that the page names as the best of some column have a colour, the others are only there.
    """
    figure.set_size_inches(WIDTH, 5.6)
    panels = figure.subplots(1, len(RANKED))
    counts = [size["labels"] for size in summary["sizes"]]
    texts = [f"{_few_signs(size['labels'])}\n{_peers(size)}" for size in summary["sizes"]]
    looks = _looks(summary)
    for panel, measure in zip(panels, RANKED, strict=True):
        for name, look in looks.items():
            own = [size for size in summary["sizes"] if name in size["ranks"][measure]]
            x, y = [size["labels"] for size in own], [size["ranks"][measure][name] for size in own]
            panel.plot(x, y, **look)
        label_budgets(panel, counts, texts)
        panel.tick_params(axis="x", labelsize=8)
        panel.invert_yaxis()
        panel.set_title(f"{TITLES[measure]}: mean rank")
        panel.set_xlabel("labels, and how many peers")
    panels[0].set_ylabel("mean rank (1 is best)")
    legend_below(figure, panels[0], 3)


def _looks(summary: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """How each method is drawn, those that matter last."""
    names = list(summary["settings"]["methods"])
    ours = [name for name in names if name not in PEERS]
    rivals = [name for name in names if name in PEERS and _is_ever_best(summary, name)]
    quiet = [name for name in names if name not in ours and name not in rivals]
    looks: dict[str, dict[str, Any]] = {
        name: {"color": QUIET, "linewidth": 1.0, "label": f"the other {len(quiet)} peers" if not place else None}
        for place, name in enumerate(quiet)
    }
    for place, name in enumerate(rivals):
        mark = "sv^DP"[place % 5]
        looks[name] = {"color": f"C{(place + len(ours)) % 8}", "linestyle": "--", "marker": mark, "label": name}
    for place, name in enumerate(ours):
        wide = 3.2 if name == summary["main"] else 1.8
        looks[name] = {"color": f"C{place}", "linewidth": wide, "marker": "o", "label": name, "zorder": 3}
    return looks


def _is_ever_best(summary: dict[str, Any], peer: str) -> bool:
    """Whether no other peer has a better mean rank, in some measure at some number of labels."""
    for size in summary["sizes"]:
        for ranks in size["ranks"].values():
            rivals = {name: rank for name, rank in ranks.items() if name in PEERS}
            if rivals and rivals.get(peer) == min(rivals.values()):
                return True
    return False


def _peers(size: dict[str, Any]) -> int:
    return sum(name in PEERS for name in size["means"])


def _few_signs(count: int) -> str:
    """
    >>> _few_signs(300), _few_signs(10_000)
    ('300', '10k')
    """
    return f"{count // 1000}k" if count >= 1000 and count % 1000 == 0 else str(count)
