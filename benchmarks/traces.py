"""Which files four typical calls pass through, and which rooms call which.

python benchmarks/traces.py
"""

import argparse
import sys
import threading
from collections import Counter
from pathlib import Path

import numpy as np

import agnoboost as ab

ROOT = Path(ab.__file__).parent.parent


class Trace:
    """Files of ours that are entered, in order, and calls from one file to another."""

    def __init__(self):
        self.files, self.calls = {}, Counter()

    def __enter__(self):
        threading.setprofile_all_threads(self._profile) if sys.version_info >= (3, 12) else threading.setprofile(
            self._profile
        )
        sys.setprofile(self._profile)
        return self

    def __exit__(self, *error):
        sys.setprofile(None)
        threading.setprofile(None)

    def _profile(self, frame, event, _):
        if event != "call":
            return
        entered = _file(frame)
        if entered is None or frame.f_code.co_name == "<module>":
            return
        self.files.setdefault(entered, len(self.files))
        caller = frame.f_back
        while caller is not None and _file(caller) is None:
            caller = caller.f_back
        if caller is not None and _file(caller) != entered:
            self.calls[_file(caller), entered] += 1


def _file(frame):
    path = Path(frame.f_code.co_filename)
    return path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else None


def table(rows=600):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, 6))
    y = (X[:, 0] + X[:, 1] + rng.normal(size=rows) > 0).astype(float)
    y[rows // 2 :] = np.nan
    return X, y


def boosting_classifier():
    ab.AgnosticBoostingClassifier(random_state=0).fit(*table())


def core():
    X, y = table()
    labeled = (X[:300], np.where(y[:300] == 1, 1, -1))
    ab.boost(ab.algorithm1(labeled, X[300:]), ab.HistogramStumpLearner.from_data(X), rounds=50, rng=0)


def front_door():
    ab.TableClassifier(random_state=0).fit(*table(200))


def one_task_of_table1():
    from agnoboost_experiments import table1

    study = table1.EXPERIMENT.study(data_sets=["sonar"], estimator_every=1)
    study.work(study.settings, study.tasks[0])


CALLS = {
    "AgnosticBoostingClassifier().fit": boosting_classifier,
    "boost(algorithm1(..), HistogramStumpLearner(..))": core,
    "TableClassifier().fit": front_door,
    "one task of reproduce table1": one_task_of_table1,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--files", action="store_true", help="list the files, in the order in which they are entered")
    options = parser.parse_args()
    for name, call in CALLS.items():
        with Trace() as trace:
            call()
        rooms = {}
        for (caller, entered), count in trace.calls.items():
            pair = _room(caller), _room(entered)
            if pair[0] != pair[1]:
                rooms[pair] = rooms.get(pair, 0) + count
        back = sorted(f"{a} <-> {b}" for a, b in rooms if a < b and (b, a) in rooms)
        print(f"{name}: {len(trace.files)} files, {len(rooms)} pairs of rooms; both ways: {', '.join(back) or 'none'}")
        if options.files:
            print("  " + "\n  ".join(trace.files))


def _room(file):
    return "/".join(file.split("/")[:2]).removesuffix(".py")


if __name__ == "__main__":
    main()
