"""How surely do students foresee what machines say? By this the bound for leaving machines out was chosen.

    python benchmarks/foresight.py --data FOLDER --out benchmarks/results/foresight.json

Development tables of the study of machine labels, with pools of up to 3,000 rows of which 50 are checked: coins, which
cannot be foreseen, beside machines that can. Figures are standard errors (``estimators/table/machines.foresight``).
"""

import argparse
import warnings
from pathlib import Path
from unittest.mock import patch

import numpy as np
import record

from agnoboost.estimators.table import machines as joining
from agnoboost_experiments.machine_labels import tables
from agnoboost_experiments.machine_labels.draws import FEWEST_GOLD, draw, sizes
from agnoboost_experiments.machine_labels.machines import MACHINES, available
from agnoboost_experiments.machine_labels.methods import both
from agnoboost_experiments.studies import generator

POOL = 3000
DRAWS = {"coin": 8, "fewer columns": 2, "taught nonsense": 2, "rule of thumb": 1, "wrong by class": 1}


def measured(name, scene, machine, seed):
    """The most of a student of this machine, over its problems."""
    drawn = draw(name, scene, min(POOL, sizes(len(scene.here.y))[2]), seed)
    seen = drawn.seen(FEWEST_GOLD, MACHINES[machine].label(drawn, generator(seed, name, machine)))
    found, plain = [], joining.foresight

    def noted(*given):
        found.append(plain(*given))
        return found[-1]

    with patch.object(joining, "foresight", noted), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a coin is left out, and that is said
        both(seen, seed)
    return max(found)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", help="a folder with the larger tables")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    found = {machine: [] for machine in DRAWS}
    for name in tables.names("development", options.data):
        scene = tables.scene(name, options.data)
        for machine in [machine for machine in DRAWS if machine in available(scene)]:
            found[machine] += [measured(name, scene, machine, seed) for seed in range(DRAWS[machine])]
    for machine, reached in found.items():
        above = ", ".join(f"{np.sum(np.array(reached) >= bound)} reach {bound}" for bound in (2, 3, 4, 5))
        print(f"{machine:16} {len(reached):3} students: {min(reached):.1f} to {max(reached):.1f}; {above}")
    command = "python benchmarks/foresight.py --data FOLDER"
    record.write(options.out, command, {one: np.round(own, 2).tolist() for one, own in found.items()})


if __name__ == "__main__":
    main()
