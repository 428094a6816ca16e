"""How all plots of studies and benchmarks look.

Pages show a figure about 840 pixels wide. All figures have one width in inches, so that texts have the same, readable
size in all of them, whatever is in them.
"""

from __future__ import annotations

from typing import Any

WIDTH = 9.0  # inches
DPI = 160
INK, SOFT, RULE = "#1b1f27", "#545c6b", "#dfe3e9"

# Told apart by colour-blind people, too (after Okabe and Ito); lines differ by marks or dashes besides.
PALETTE = ("#0072b2", "#d55e00", "#009e73", "#b3589a", "#a67c00", "#4a9fd8", "#7a3b2e", "#222222")
QUIET = "#c3c9d2"  # what is there, but is not the point

# The same colour and mark for the same method in every study.
_METHODS = ("Algorithm 1", "Algorithm 2", "labeled-only", "GS24", "PAB")
_MARKS = "osv^DPX*"

_STYLE = {
    "figure.dpi": DPI,
    "savefig.dpi": DPI,
    "figure.constrained_layout.use": True,
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 10.0,
    "axes.titlesize": 10.5,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.labelsize": 10.0,
    "axes.labelcolor": INK,
    "axes.edgecolor": SOFT,
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.grid.axis": "y",
    "axes.axisbelow": True,
    "grid.color": RULE,
    "grid.linewidth": 0.8,
    "xtick.labelsize": 9.0,
    "ytick.labelsize": 9.0,
    "xtick.color": SOFT,
    "ytick.color": SOFT,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "text.color": INK,
    "legend.fontsize": 9.0,
    "legend.frameon": False,
    "lines.linewidth": 1.8,
    "lines.markersize": 4.5,
}


def house_style() -> Any:
    """A context in which matplotlib draws as we do; an error says how to get it where it is missing."""
    return require_matplotlib().rc_context(_settings())


def gallery_style(gallery_conf: Any, name: str) -> None:
    """For sphinx-gallery's ``reset_modules``: every example starts in our style, whatever the last one changed."""
    plt = require_matplotlib()
    plt.rcdefaults()
    plt.rcParams.update(_settings())


def _settings() -> dict[str, Any]:
    return {**_STYLE, "axes.prop_cycle": require_matplotlib().cycler(color=PALETTE)}


def look_of(name: str, place: int) -> dict[str, str]:
    """Colour and mark of a method, or of a variant that is named behind a comma: its own, else those of its place.

    >>> look_of("GS24, tuned", 0), look_of("ERM", 5)
    ({'color': 'C3', 'marker': '^'}, {'color': 'C5', 'marker': 'P'})
    """
    method = name.partition(",")[0]
    number = (_METHODS.index(method) if method in _METHODS else place) % len(PALETTE)
    return {"color": f"C{number}", "marker": _MARKS[number]}


def require_matplotlib() -> Any:
    """matplotlib's pyplot, without a window; or an error that says how to get it."""
    try:
        import matplotlib

        matplotlib.use("Agg")
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError("The plot needs matplotlib. Install it with: pip install 'agnoboost[plot]'") from None
    return plt
