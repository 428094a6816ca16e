"""What the first fit on a machine compiles: numba takes a kernel once more for a literal that it is handed."""

import json
import os
import subprocess
import sys

PROGRAM = """
import json
from collections import Counter

import numpy as np
from numba import types
from numba.core import event

compiled = Counter()


class Listener(event.Listener):
    def on_start(self, started):
        function = started.data["dispatcher"].py_func
        if function.__module__.startswith("agnoboost."):
            plain = ", ".join(str(types.unliteral(one)) for one in started.data["args"])
            compiled[f"{function.__module__}.{function.__qualname__}({plain})"] += 1

    def on_end(self, ended):
        pass


event.register("numba:compile", Listener())
import agnoboost as ab

rng = np.random.default_rng(0)
X = rng.normal(size=(1000, 12))
ab.TableClassifier(random_state=0).fit(X, X[:, 0] > 0).predict_proba(X)
rows = rng.normal(size=(100_000, 12))
booster = ab.algorithm1((rows[:9000], np.where(rows[:9000, 0] > 0, 1, -1)), rows[9000:], step=0.002)
learner = ab.HistogramStumpLearner.from_data(rows)
ab.boost(booster, learner, rounds=600, rng=0, engine="incremental")
print(json.dumps(compiled))
"""


def test_no_kernel_is_compiled_for_a_literal_and_for_a_number(tmp_path):
    there = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path), "NUMBA_DISABLE_JIT": "0"}
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, env=there, check=True)
    compiled = json.loads(done.stdout)
    names = {name.split("(")[0].rsplit(".", 1)[1] for name in compiled}
    assert {"rounds", "go_on", "find_level_cut", "advance", "best_stump"} <= names
    assert [name for name, times in compiled.items() if times > 1] == []
