"""Checkpoints that were changed, and places where none can be written."""

import errno
import json
import os
import resource
from contextlib import contextmanager

import numpy as np
import pytest

import agnoboost as ab
from agnoboost.basics.errors import CheckpointError
from agnoboost.files.container import CHECKPOINT_FORMAT, read, write
from agnoboost.rounds import checkpoint as module
from agnoboost.rounds.checkpoint_checks import seal
from fuzz.runs import ROUNDS, RUNS, SEED, data

KEPT = ("reuse", "pab", "parities", "incremental", "sampled, case B")  # all that samplers, sources and engines keep


@pytest.fixture(autouse=True)
def without_waiting_for_the_disk(monkeypatch):
    monkeypatch.setattr(os, "fsync", lambda file: None)


def go_on(case, path, rounds=ROUNDS):
    booster, learner, settings = RUNS[case](*data(np.random.default_rng(0)))
    return ab.boost(booster, learner, rounds=rounds, rng=SEED, checkpoint=path, **settings)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("checkpoints")
    for case in KEPT:
        go_on(case, folder / case, ROUNDS // 2)
    return folder


def changed(files, tmp_path, case, change, sealed=True):
    """A file with other facts or arrays, whose checksums fit; and, if ``sealed``, its seal too."""
    facts, arrays = read(files / case, CHECKPOINT_FORMAT)
    change(facts, arrays)
    if sealed:
        facts.pop("seal", None)
        facts["seal"] = seal(facts, arrays)
    path = tmp_path / "state"
    write(path, facts, arrays, CHECKPOINT_FORMAT)
    return path


@pytest.mark.parametrize("case", KEPT)
def test_what_is_packed_again_is_taken(files, tmp_path, case):
    whole = go_on(case, tmp_path / "whole")
    assert go_on(case, changed(files, tmp_path, case, lambda facts, arrays: None)).tape == whole.tape


def test_whatever_was_changed_without_its_seal_is_refused(files, tmp_path):
    def other_coefficient(facts, arrays):
        arrays["tape/coef"] = arrays["tape/coef"] + (np.arange(len(arrays["tape/coef"])) == 3)

    def other_generator(facts, arrays):
        facts["generator"]["state"]["state"] += 1

    for change in (other_coefficient, other_generator, lambda facts, arrays: facts.pop("seal")):
        with pytest.raises(CheckpointError, match=r"state.*changed after it was written.*Delete it"):
            go_on("reuse", changed(files, tmp_path, "reuse", change, sealed=False))


ODD = [None, True, -1, 0.5, "x", {}, [0, 0, 0], [-1, 0], 2**70]


@pytest.mark.parametrize("case", ["pab", "incremental"])
def test_odd_facts_are_refused_in_a_sentence(files, tmp_path, case):
    for name in read(files / case, CHECKPOINT_FORMAT)[0]:
        if name in ("seal", "problem"):
            continue
        odd = [value for value in ODD if not (name == "features" and value is None)]
        if name == "potential":  # a number that no schema can know
            odd.remove(0.5)
        for value in odd:
            path = changed(files, tmp_path, case, lambda facts, arrays, n=name, v=value: facts.update({n: v}))
            with pytest.raises(CheckpointError, match=r"Delete it|Pass the same kind"):
                go_on(case, path)
        with pytest.raises(CheckpointError):
            go_on(case, changed(files, tmp_path, case, lambda facts, arrays, n=name: facts.pop(n)))


def damages(array):
    """Arrays that nobody would have written in place of this one."""
    yield array.astype(np.float32 if array.dtype != np.float32 else np.float64)
    yield np.stack([array, array])
    if array.ndim:
        yield array[:-1]
    if array.dtype.kind == "f":
        for value in (np.nan, np.inf):
            odd = array.copy()
            odd.reshape(-1)[-1:] = value
            yield odd


def may_be(name, odd):
    """Thresholds may be infinite; rows may be of any numbers, and lack a value."""
    if name.endswith("threshold"):
        return odd.dtype == np.float64 and np.isinf(odd).any()
    return name.endswith("X") and odd.dtype.kind == "f" and odd.ndim == 2 and len(odd) == 15 and not np.isinf(odd).any()


@pytest.mark.parametrize("case", KEPT)
def test_odd_arrays_are_refused_in_a_sentence(files, tmp_path, case):
    names = list(read(files / case, CHECKPOINT_FORMAT)[1])
    names = [name for name in names if "/inner/" not in name or name.startswith(("state/inner/3/", "state/inner/g"))]
    for name in names:
        original = read(files / case, CHECKPOINT_FORMAT)[1][name]
        for odd in damages(original):
            if odd.size == 0 or may_be(name, odd):
                continue
            path = changed(files, tmp_path, case, lambda facts, arrays, n=name, v=odd: arrays.update({n: v}))
            with pytest.raises(CheckpointError, match=r"whole checkpoint file"):
                go_on(case, path)
        path = changed(files, tmp_path, case, lambda facts, arrays, n=name: arrays.pop(n))
        with pytest.raises(CheckpointError):
            go_on(case, path)
    more = changed(files, tmp_path, case, lambda facts, arrays: arrays.update(more=np.zeros(3)))
    with pytest.raises(CheckpointError, match="other parts"):
        go_on(case, more)


def test_parts_that_do_not_agree_are_refused(files, tmp_path):
    def other_branch(facts, arrays):
        arrays["history/branch"] = ~arrays["history/branch"]

    def other_count(facts, arrays):
        facts["drawn"][1] += 1

    def other_order(facts, arrays):
        arrays["order0"][:2] = arrays["order0"][0]

    def other_size(facts, arrays):
        """Margins would leave the tables of the compiled kernels, and end the process."""
        arrays["tape/coef"][-1] = 2**31

    cases = [("incremental", other_branch, "other steps"), ("incremental", other_count, "other rows")]
    cases += [(case, other_size, "steps of other sizes") for case in ("incremental", "sampled, case B")]
    for case, change, message in [*cases, ("pab", other_order, "every row once")]:
        with pytest.raises(CheckpointError, match=message):
            go_on(case, changed(files, tmp_path, case, change))


@pytest.mark.parametrize(("kind", "name"), [(np.random.MT19937, "pos"), (np.random.Philox, "buffer_pos")])
@pytest.mark.parametrize("position", [-1, 10**6, 2**40, True])
def test_a_generator_that_would_read_beyond_its_numbers_is_refused(kind, name, position, tmp_path):
    """numpy takes any position."""

    def run(rounds):
        booster, learner, settings = RUNS["fresh rows"](*data(np.random.default_rng(0)))
        rng = np.random.Generator(kind(3))
        return ab.boost(booster, learner, rounds=rounds, rng=rng, checkpoint=tmp_path / "state", **settings)

    def move(facts, arrays):
        state = facts["generator"]["state"] if name == "pos" else facts["generator"]
        state[name] = position

    run(5)
    changed(tmp_path, tmp_path, "state", move)
    with pytest.raises(CheckpointError, match="the state of the generator must have"):
        run(8)


def test_a_file_of_a_later_layout_is_refused(files, tmp_path):
    with pytest.raises(CheckpointError, match=r"has layout 3; .* up to 2"):
        go_on("reuse", changed(files, tmp_path, "reuse", lambda facts, arrays: facts.update(layout=3)))


def test_sources_are_left_as_they_were_if_a_file_is_refused(files, tmp_path):
    path = changed(files, tmp_path, "pab", lambda facts, arrays: arrays.pop("tape/coef"))
    booster, learner, _ = RUNS["pab"](*data(np.random.default_rng(0)))
    with pytest.raises(CheckpointError):
        ab.boost(booster, learner, rounds=ROUNDS, rng=SEED, checkpoint=path)
    path.unlink()
    again = ab.boost(booster, learner, rounds=ROUNDS, rng=SEED, checkpoint=path)
    assert again.tape == go_on("pab", tmp_path / "fresh").tape


@pytest.mark.parametrize("content", [b"", b"PK\x05\x06" + bytes(18), json.dumps({}).encode(), b"\xff" * 1000])
def test_files_that_are_something_else_are_refused(tmp_path, content):
    (tmp_path / "state").write_bytes(content)
    with pytest.raises(CheckpointError, match=r"state must be a checkpoint file"):
        go_on("numpy", tmp_path / "state")


# ------------------------------------------------------------------------------- places


@contextmanager
def largest_file(size):
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def never(progress):
    raise AssertionError("a round was run")


def test_a_place_without_room_is_found_before_the_first_round(tmp_path):
    booster, learner, settings = RUNS["numpy"](*data(np.random.default_rng(0)))
    with largest_file(1000), pytest.raises(CheckpointError, match=r"can be written. Got .*File too large.*make room"):
        ab.boost(booster, learner, rounds=9, rng=0, checkpoint=tmp_path / "state", callbacks=[never], **settings)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("fails", ["open", "fsync"])
def test_a_closed_folder_and_a_full_disk_are_found_before_the_first_round(tmp_path, monkeypatch, fails):
    def refuse(*_, **__):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    X, y = data(np.random.default_rng(0))
    monkeypatch.setattr(os, fails, refuse)
    model = ab.AgnosticBoostingClassifier(checkpoint=tmp_path / "state", random_state=0, n_rounds=5)
    monkeypatch.setattr(ab.AgnosticBoostingClassifier, "_read", never, raising=False)
    with pytest.raises(CheckpointError, match="No space left"):
        model.fit(X, y)
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_there_is_not_touched_by_the_trial(tmp_path):
    path = tmp_path / "state"
    path.write_bytes(b"mine")
    before = path.stat()
    with pytest.raises(CheckpointError):
        go_on("numpy", path)
    assert (path.read_bytes(), path.stat().st_ino, path.stat().st_mtime_ns) == (
        b"mine",
        before.st_ino,
        before.st_mtime_ns,
    )


def test_a_write_that_fails_later_costs_the_checkpoint_and_not_the_run(tmp_path, monkeypatch):
    whole = go_on("incremental", tmp_path / "whole")
    path, written = tmp_path / "state", module.write

    def full_after_the_first(*parts):
        if path.exists():
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        written(*parts)

    monkeypatch.setattr(module, "write", full_after_the_first)
    monkeypatch.setattr("agnoboost.rounds.boosting._WATCHED", 8)
    booster, learner, settings = RUNS["incremental"](*data(np.random.default_rng(0)))
    settings |= {"checkpoint": path, "checkpoint_every": 1e-9, "callbacks": [lambda progress: None]}
    with pytest.warns(RuntimeWarning, match=r"state could not be written: No space left.*The run goes on"):
        run = ab.boost(booster, learner, rounds=ROUNDS, rng=SEED, **settings)
    assert run.tape == whole.tape
    assert not run.interrupted
    monkeypatch.setattr(module, "write", written)
    assert go_on("incremental", path).tape == whole.tape  # from the state before


def test_a_file_that_outgrows_its_limit_costs_nothing_else(tmp_path):
    whole = go_on("reuse", tmp_path / "whole")
    booster, learner, settings = RUNS["reuse"](*data(np.random.default_rng(0)))
    limit = largest_file(1000)

    def shrink(progress):
        if progress.round.number == 10:
            limit.__enter__()

    try:
        with pytest.warns(RuntimeWarning, match="File too large"):
            run = ab.boost(
                booster, learner, rounds=ROUNDS, rng=SEED, checkpoint=tmp_path / "state", callbacks=[shrink], **settings
            )
    finally:
        limit.__exit__(None, None, None)
    assert run.tape == whole.tape
    assert [path.name for path in tmp_path.iterdir()] == ["whole"]
