"""The stump engine side by side with other boosters: the same rows, rounds and threads, binning counted for all.

    python benchmarks/engine.py --out benchmarks/results/engine.json --plot benchmarks/results/engine.png

Every contender runs in a process of its own, in turn, ``--repeats`` times; figures are medians. Ours are run in full.
Peers are run for a few rounds and for some more: the difference gives their seconds a round, from which long runs are
extrapolated (marked ~). Peak memory is what a fit adds to the process that holds the data.
"""

import argparse
import json
import platform
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from contenders import OURS, PEERS, THREADS, make, use_threads
from record import version_of

from agnoboost_experiments.pages import label_axes, legend_below, panel_grid, write_plot

LENGTHS = (100, 1_000, 10_000)
SHAPES = [(rows, features) for rows in (10_000, 1_000_000, 100_000) for features in (20, 100, 50)]
SLOW = {"EBM": 5_000_000}  # cells beyond which a contender takes too long to wait for
OUR_LABEL = "agnoboost (a whole run of 10,000, binning too)"
PACKAGES = ("agnoboost", "numpy", "numba", "scikit-learn", "lightgbm", "xgboost-cpu", "catboost", "interpret-core")


def peak_memory(task):
    """What a task gives, and the megabytes that it adds at its peak."""
    Path("/proc/self/clear_refs").write_text("5")  # forget earlier peaks
    before = _status("VmRSS")
    result = task()
    return result, (_status("VmHWM") - before) / 1024


def _status(name):
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(name))


def seconds(task):
    start = time.perf_counter()
    task()
    return time.perf_counter() - start


def work(name, rows, features, length):
    """One measurement, in a process of its own."""
    use_threads()
    fit = {**OURS, **PEERS}[name]
    X, y = make(rows, features)
    fit(X[:20_000].copy(), y[:20_000], 200)  # load the libraries and their kernels
    if name in OURS:
        took, memory = peak_memory(lambda: seconds(lambda: fit(X, y, length)))
        return {"seconds": took, "memory": memory}
    # Rounds enough for a slope: more where they are quick.
    few = features if name == "EBM" else 10
    many = few * int(np.clip(2e8 / X.size, 6, 100))
    short, memory = peak_memory(lambda: seconds(lambda: fit(X, y, few)))
    slope = (seconds(lambda: fit(X, y, many)) - short) / (many - few)
    return {"start": short - few * slope, "slope": slope, "memory": memory}


def measure(name, rows, features, length=0):
    arguments = [__file__, "--work", name, str(rows), str(features), str(length)]
    done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{name} at {rows} x {features} failed:\n{done.stderr[-2000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def medians(found):
    return {key: float(np.median([one[key] for one in found])) for key in found[0]}


def compare(rows, features, repeats):
    """Median figures of all contenders on one shape."""
    results = {}
    ours = [("agnoboost", length) for length in LENGTHS] + [("agnoboost, rebuild", 100)]
    peers = [name for name in PEERS if rows * features <= SLOW.get(name, 10**12)]
    found = {}
    for _ in range(repeats):
        for name, length in ours:
            found.setdefault((name, length), []).append(measure(name, rows, features, length))
        for name in peers:
            found.setdefault((name, 0), []).append(measure(name, rows, features))
    for (name, length), each in found.items():
        middle = medians(each)
        entry = results.setdefault(name, {"memory": 0.0, "total": {}})
        entry["memory"] = max(entry["memory"], middle["memory"])
        if name in OURS:
            entry["total"][length] = middle["seconds"]
        else:
            entry |= {"start": middle["start"], "slope": middle["slope"]}
            entry["total"] = {length: middle["start"] + length * middle["slope"] for length in LENGTHS}
            results[name] = entry
    return results


def show(rows, features, results):
    print(f"\n{rows:,} rows x {features} features, {THREADS} threads: seconds, and how many times ours")
    print(f"  {'':<22}" + "".join(f"{f'T = {length:,}':>20}" for length in LENGTHS) + f"{'memory':>12}")
    for name, entry in results.items():
        line = f"  {name:<22}"
        for length in LENGTHS:
            total = entry["total"].get(length)
            mark = "" if name in OURS else "~"
            ratio = "" if total is None else f"{total / results['agnoboost']['total'][length]:.1f} x"
            line += f"{'' if total is None else f'{mark}{total:.2f}':>11}{ratio:>9}"
        print(f"{line}{entry['memory']:>9.0f} MB", flush=True)


def plot(results, path):
    """Seconds a round against rows."""
    write_plot(path, lambda figure: draw(figure, results))


def draw(figure, results):
    panels = panel_grid(figure, 3, 3.0, sharey=True)
    for panel, features in zip(panels, (20, 50, 100), strict=True):
        own = sorted((r for r in results if r["features"] == features), key=lambda r: r["rows"])
        for place, name in enumerate(PEERS):
            points = [(r["rows"], r["contenders"][name]["slope"]) for r in own if name in r["contenders"]]
            if points:
                look = {
                    "color": f"C{place % 7}",
                    "linestyle": ("-", "--", ":")[place // 7],
                    "marker": "osv^DPX"[place % 7],
                }
                panel.plot(*zip(*points, strict=True), linewidth=1.2, label=name, **look)
        ours = [(r["rows"], r["contenders"]["agnoboost"]["total"]["10000"] / 10_000) for r in own]
        panel.plot(*zip(*ours, strict=True), color="C7", marker="o", linewidth=2.6, label=OUR_LABEL)
        panel.set(xscale="log", yscale="log", title=f"{features} features")
    label_axes(panels, "rows", "seconds a round")
    legend_below(figure, panels[0], 3)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--work", nargs=4, help=argparse.SUPPRESS)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--plot", type=Path)
    parser.add_argument("--redraw", type=Path, help="figures of an earlier run: only draws the plot, measures nothing")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--shapes", help="for example 10000x20,1000000x100; all nine by default")
    options = parser.parse_args()
    if options.work:
        name, *numbers = options.work
        print(json.dumps(work(name, *map(int, numbers))))
        return
    if options.redraw:
        plot(json.loads(options.redraw.read_text())["results"], options.plot or options.redraw.with_suffix(".png"))
        return
    shapes = SHAPES
    if options.shapes:
        shapes = [tuple(int(number) for number in shape.split("x")) for shape in options.shapes.split(",")]
    asked = f" --shapes {options.shapes}" if options.shapes else ""
    record = {
        "command": f"python benchmarks/engine.py --repeats {options.repeats}{asked}",
        "machine": f"{platform.machine()}, {THREADS} threads",
        "versions": {"python": platform.python_version(), **{name: version_of(name) for name in PACKAGES}},
        "results": [],
    }
    for rows, features in shapes:
        found = compare(rows, features, options.repeats)
        show(rows, features, found)
        record["results"].append({"rows": rows, "features": features, "contenders": found})
        if options.out:  # after each shape: a long run that is cut short is not lost
            options.out.write_text(json.dumps(record, indent=1) + "\n")
    if options.plot:
        plot(json.loads(json.dumps(record))["results"], options.plot)


if __name__ == "__main__":
    main()
