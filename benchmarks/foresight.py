"""How surely do students foresee what machines say, and what checked labels say? By this both bounds were chosen.

    python benchmarks/foresight.py --data FOLDER --out benchmarks/results/foresight.json

Development tables of the study of machine labels, with pools of up to 3,000 rows. Standard errors are those of
``estimators/table/machines.foresight``. First, with 50 checked rows, how surely students foresee their machines: coins,
which cannot be foreseen, beside machines that can. Then, with 25 to 100 checked rows, what different bounds on how
students go with the checked labels make of the gain in AUC over checked labels alone, and how often more than .005 is
lost (other draws than those that chose the bound).
"""

import argparse
import warnings
from pathlib import Path
from unittest.mock import patch

import numpy as np
import record
from sklearn.metrics import roc_auc_score

from agnoboost.estimators.table import machines as joining
from agnoboost_experiments.machine_labels import tables
from agnoboost_experiments.machine_labels.draws import draw, sizes
from agnoboost_experiments.machine_labels.machines import MACHINES, available
from agnoboost_experiments.machine_labels.methods import both
from agnoboost_experiments.studies import generator

POOL, CHECKED = 3000, 50
DRAWS = {"coin": 8, "fewer columns": 2, "taught nonsense": 2, "rule of thumb": 1, "wrong by class": 1}

CHECKED_ROWS, LATER, LOST = (25, 50, 100), 2000, -0.005  # LATER: the number of the first draw
KINDS = {
    "of use": {"legacy model": 3, "rule of thumb": 3, "fewer columns": 2, "wrong by class": 2, "wrong by region": 2},
    "wrong three times in four": {"opposite": 2},
    "taught nonsense": {"taught nonsense": 6},
}
BOUNDS = {
    "none": lambda told, rows: True,
    "two standard errors": lambda told, rows: abs(told) >= 2.0,
    "a correlation of .2, or two": lambda told, rows: (
        told >= min(joining.TOLD, joining.TELLING * rows**0.5) or told <= -joining.TOLD
    ),
}


def shown(name, scene, machine, checked, seed):
    """A draw, and what methods see of it."""
    drawn = draw(name, scene, min(POOL, sizes(len(scene.here.y))[2]), seed)
    return drawn, drawn.seen(checked, MACHINES[machine].label(drawn, generator(seed, name, machine)))


def foreseen(name, scene, machine, seed):
    """By how many standard errors a student foresees its machine."""
    _, seen = shown(name, scene, machine, CHECKED, seed)
    found, plain = [], joining.foresees

    def noted(unseen, terms):
        found.append(joining.foresight(unseen[:, 0], terms.pull[:, 0], terms.psi))
        return plain(unseen, terms)

    with patch.object(joining, "foresees", noted):
        both(seen, seed)
    return found[0]


def told(name, scene, machine, checked, seed):
    """By how many standard errors a student goes with the checked labels, and the gain in AUC if it takes part."""
    drawn, seen = shown(name, scene, machine, checked, seed)
    found, areas = [], []
    for believed in (True, False):

        def noted(student, terms, spread, believed=believed):
            found.append(joining.foresight(student.said[:, 0], terms.pull[:, 0], terms.psi))
            return believed

        with patch.object(joining, "goes_with_gold", noted):
            areas.append(roc_auc_score(drawn.tested, both(seen, seed)))
    return (found[0], areas[0] - areas[1]) if found else None  # what cannot be foreseen never comes so far


def by_bound(cells, rows):
    """What each bound makes of these students: the mean gain in AUC, and how often more than .005 is lost."""
    found = {}
    for bound, passes in BOUNDS.items():
        gains = np.array([gain * passes(told, rows) for told, gain in cells])
        found[bound] = {"gain": round(float(gains.mean()), 4), "lost": round(float(np.mean(gains < LOST)), 3)}
        print(
            f"  {bound:28} gain in AUC {gains.mean():+.4f}, loses more than .005: {found[bound]['lost']:.0%}",
            flush=True,
        )
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", help="a folder with the larger tables")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    warnings.simplefilter("ignore")  # a coin is left out, and that is said
    scenes = {name: tables.scene(name, options.data) for name in tables.names("development", options.data)}
    machines = {}
    for machine, draws in DRAWS.items():
        own = [name for name, scene in scenes.items() if machine in available(scene)]
        machines[machine] = [foreseen(name, scenes[name], machine, seed) for name in own for seed in range(draws)]
        above = ", ".join(f"{np.sum(np.array(machines[machine]) >= bound)} reach {bound}" for bound in (2, 3, 4, 5))
        print(f"{machine:16} {len(machines[machine]):3} students: {above}", flush=True)
    checked = {}
    for rows in CHECKED_ROWS:
        for kind, draws in KINDS.items():
            cells = [
                told(name, scene, machine, rows, LATER + seed)
                for machine, count in draws.items()
                for name, scene in scenes.items()
                if machine in available(scene)
                for seed in range(count)
            ]
            known = [cell for cell in cells if cell is not None]
            print(f"{rows} checked rows, {kind}: {len(known)} students")
            checked[f"{rows}, {kind}"] = {"students": len(known), **by_bound(known, rows)}
    command = "python benchmarks/foresight.py --data FOLDER"
    found = {machine: np.round(own, 2).tolist() for machine, own in machines.items()}
    record.write(options.out, command, {"machines": found, "checked labels": checked})


if __name__ == "__main__":
    main()
