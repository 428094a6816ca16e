"""Seconds of 1,000 stump rounds against the number of rows, from 10^4 to 10^8: draws what other benchmarks measured.

    python benchmarks/rows.py benchmarks/results/rows.png

Two cores: ``engine.json`` (10^4 to 10^6 rows). A Dask cluster of two workers on two cores: ``dask_stumps.json``. A GPU:
``gpu_stumps.json``, ``gpu_stumps_tall.json``. A line was measured in one run, lines of different machines were not.
Everybody has depth 1; peers on two cores and on Dask are extrapolated from fewer rounds.
"""

import json
import sys
from pathlib import Path

from agnoboost_experiments.pages import label_axes, legend_below, panel_grid, write_plot

RESULTS = Path(__file__).parent / "results"
PLACES = {"two cores": "o", "Dask, two cores": "s", "H200 GPU": "D"}
OURS, ROUNDS = "agnoboost", 1000


def lines(features):
    """(contender, place) -> points of rows and seconds."""
    found = {}

    def add(name, place, rows, seconds):
        found.setdefault((name, place), []).append((rows, seconds))

    for one in _results("engine"):
        if one["features"] == features:
            for name in (OURS, "LightGBM", "XGBoost", "EBM"):
                if name in one["contenders"]:
                    add(name, "two cores", one["rows"], one["contenders"][name]["total"][str(ROUNDS)])
    for one in _results("dask_stumps") if features == 20 else []:
        add(OURS, "Dask, two cores", one["rows"], one["ours"]["seconds"])
        add("XGBoost", "Dask, two cores", one["rows"], one["xgboost"]["extrapolated"])
    for one in [*_results("gpu_stumps")["fits"], *_results("gpu_stumps_tall")["fits"]]:
        if one["features"] == features and one["rounds"] == ROUNDS:
            add(OURS, "H200 GPU", one["rows"], one["fits"]["CuPy float32"]["median"])
            if "XGBoost" in one:
                add("XGBoost", "H200 GPU", one["rows"], one["XGBoost"]["median"])
    return {key: sorted(points) for key, points in found.items()}


def _results(name):
    return json.loads((RESULTS / f"{name}.json").read_text())["results"]


def draw(figure):
    panels = panel_grid(figure, 2, 3.6, columns=2, sharey=True)
    colours = {OURS: "C7", "XGBoost": "C1", "LightGBM": "C0", "EBM": "C2"}
    by_features = {features: lines(features) for features in (20, 100)}
    everybody = [key for found in by_features.values() for key in found]  # for a legend of both panels
    for panel, (features, found) in zip(panels, by_features.items(), strict=True):
        for name, place in dict.fromkeys(everybody):
            rows, seconds = zip(*found.get((name, place), [(None, None)]), strict=True)
            look = {"marker": PLACES[place], "color": colours[name], "linewidth": 2.6 if name == OURS else 1.2}
            panel.plot(rows, seconds, label=f"{name}, {place}", **look)
        panel.set(xscale="log", yscale="log", title=f"{features} features")
    label_axes(panels, "rows", f"seconds of {ROUNDS:,} rounds", columns=2)
    legend_below(figure, panels[0], 3)


if __name__ == "__main__":
    write_plot(Path(sys.argv[1]), draw)
