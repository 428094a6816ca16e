"""Whatever is given as a place to write to: nothing but a regular file is ever replaced."""

import io
import json
import os
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from odd_places import REFUSED, WRITABLE, place

pd = pytest.importorskip("pandas")
typer = pytest.importorskip("typer")
from typer.models import OptionInfo  # noqa: E402
from typer.testing import CliRunner  # noqa: E402
from typer.utils import get_params_from_function  # noqa: E402

import agnoboost  # noqa: E402
from agnoboost.cli import suspects as suspects_command  # noqa: E402
from agnoboost.cli import training  # noqa: E402
from agnoboost.cli.app import app  # noqa: E402
from agnoboost.cli.console import UserError  # noqa: E402
from agnoboost.cli.places import check_places  # noqa: E402
from agnoboost_experiments import covariate_shift  # noqa: E402
from agnoboost_experiments.covariate_shift import design as shift_study  # noqa: E402

SOME = ["link", "pipe", *REFUSED]
READ = {"--unlabeled", "--data", "--background"}  # options that name what is read


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("places")
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(60, 2)), columns=["a", "b"])
    table["label"] = np.where(table["a"] > 0, "yes", "no")
    table.to_csv(path / "rows.csv", index=False)
    model = agnoboost.TableClassifier(effort="fast", random_state=0).fit(table[["a", "b"]], table["label"])
    model.save(path / "model.agno")
    return path


@pytest.fixture
def quick(folder, monkeypatch):
    """``fit`` trains nothing: the model is there."""
    model = agnoboost.load(folder / "model.agno")
    model.fit = lambda *_, **__: model
    monkeypatch.setattr(training, "make_classifier", lambda *_: model)
    few = partial(agnoboost.TableClassifier, members=["stumps"])
    monkeypatch.setattr(suspects_command, "TableClassifier", few)


def run(*arguments, given=None):
    return CliRunner().invoke(app, [str(argument) for argument in arguments], input=given)


def fit(folder, *options):
    return ("fit", folder / "rows.csv", "--target", "label", "--folds", 0, *options)


def with_model(folder, command):
    return (command, folder / "model.agno", folder / "rows.csv")


def suspects(folder):
    return ("suspects", folder / "rows.csv", "--target", "label", "--n", 3, "--effort", "fast")


def is_model(content):
    return content.startswith(b"PK") and content.rstrip(b"\0").find(b"manifest.json") > 0


def is_table(content):
    return pd.read_csv(io.BytesIO(content)).columns.tolist() == ["prediction", "p_no", "p_yes"]


def is_explained(content):
    found = pd.read_csv(io.BytesIO(content))
    return len(found) == 60 and found.columns[-1] == "log-odds of b"


def is_suspicious(content):
    found = pd.read_csv(io.BytesIO(content))
    return len(found) == 3 and found.columns.tolist()[:3] == ["row", "given", "suggested"]


def is_next(content):
    found = pd.read_csv(io.BytesIO(content))
    return len(found) == 20 and {"row", "inclusion_probability", "a", "b"} <= set(found.columns)


def is_plan(content):
    found = pd.read_csv(io.BytesIO(content))
    return len(found) == 60 and {"audit_next", "audit_probability", "a", "b"} <= set(found.columns)


def is_page(content):
    return content.startswith(b"<!doctype html>") and content.endswith(b"</html>\n")


WRITERS = {
    ("fit", "--out"): (lambda folder, aside: fit(folder), is_model),
    ("fit", "--report"): (lambda folder, aside: fit(folder, "--out", aside), is_page),
    ("predict", "--out"): (lambda folder, aside: with_model(folder, "predict"), is_table),
    ("explain", "--out"): (lambda folder, aside: with_model(folder, "explain"), is_explained),
    ("audit", "--out"): (lambda folder, aside: (*with_model(folder, "audit"), "--next", 5), is_plan),
    ("suggest", "--out"): (lambda folder, aside: with_model(folder, "suggest"), is_next),
    ("suspects", "--out"): (lambda folder, aside: suspects(folder), is_suspicious),
}
ELSEWHERE = {("fit", "--checkpoint")}  # has tests of its own, below


def test_every_option_that_names_a_place_is_tried_here():
    """A new one must come into the list above."""
    found = set()
    for command in app.registered_commands:
        for name, parameter in get_params_from_function(command.callback).items():
            if "Path" in str(parameter.annotation) and isinstance(parameter.default, OptionInfo):
                found.add((command.callback.__name__, (parameter.default.param_decls or (f"--{name}",))[0]))
    assert {one for one in found if one[1] not in READ} == set(WRITERS) | ELSEWHERE


LONG = {("fit", "--report"), ("suspects", "--out")}  # where two kinds must do
TRIED = [(one, kind) for one in WRITERS for kind in [*WRITABLE, *REFUSED] if one not in LONG or kind in SOME]


@pytest.mark.parametrize(("writer", "kind"), TRIED, ids=lambda one: one if isinstance(one, str) else " ".join(one))
def test_nothing_but_a_regular_file_is_replaced(writer, kind, folder, quick, tmp_path):
    arguments, is_whole = WRITERS[writer]
    here, aside = tmp_path / "here", tmp_path / "model.agno"
    here.mkdir()
    with place(kind, here) as found:
        before = sorted(os.listdir(here))
        done = run(*arguments(folder, aside), writer[1], found.path)
        if kind in REFUSED:
            assert done.exit_code == 2, done.output
            assert "Cannot write" in done.output
            assert not aside.exists()  # refused before any work
        else:
            assert done.exit_code == 0, done.output
            assert f"written to {found.path}" in done.output
            assert is_whole(found.content())
        if kind != "terminal" and kind != "descriptor":
            found.check()
            made = {"target-out.csv"} if kind == "link to nothing" else set()
            assert set(os.listdir(here)) == set(before) | made


def test_a_checkpoint_must_be_a_file_that_can_be_read_again(folder, tmp_path):
    boosting = fit(folder, "--classifier", "boosting", "--rounds", 3, "--out", tmp_path / "m.agno", "--checkpoint")
    for kind in ("pipe", "folder"):
        (tmp_path / kind).mkdir()
        with place(kind, tmp_path / kind) as found:
            done = run(*boosting, found.path)
            assert done.exit_code == 2
            assert "a pipe or a device" in done.output or "it is a folder" in done.output
            found.check()
            if kind == "pipe":
                assert found.content() == b""
    with place("link to nothing", tmp_path, "state") as found:
        assert run(*boosting, found.path).exit_code == 0
        assert found.content().startswith(b"PK")
        found.check()


def test_a_study_writes_through_what_is_in_its_folder(tmp_path, monkeypatch):
    monkeypatch.setitem(covariate_shift.EXPERIMENT.quick, "repetitions", 2)
    monkeypatch.setitem(covariate_shift.EXPERIMENT.quick, "shifts", (1.0,))
    monkeypatch.setitem(covariate_shift.EXPERIMENT.quick, "labels", (40,))
    monkeypatch.setattr(shift_study, "ROUNDS", 3)
    monkeypatch.setattr(shift_study, "TIMES_ESTIMATED", 1)
    study = ("reproduce", "shift", "--quick", "--jobs", 1, "--out")
    real, linked = tmp_path / "real", tmp_path / "linked"
    real.mkdir()
    linked.symlink_to(real)
    with (
        place("pipe", real, "shift.md") as page,
        place("link", real, "shift.json") as facts,
        place("link to nothing", real, "shift.png") as plot,
        place("link to nothing", real, "shift.journal") as journal,
    ):
        done = run(*study, linked, "--json")
        assert done.exit_code == 0, done.output
        assert json.loads(done.stdout)["written"][0] == str(linked / "shift.json")
        assert json.loads(facts.content())["settings"]
        assert page.content().startswith(b"#")
        assert plot.content().startswith(b"\x89PNG")
        assert journal.content().count(b"\n") > 1
        for one in (page, facts, plot, journal):
            one.check()
    with place("pipe", tmp_path, "shift.journal") as journal:
        done = run(*study, tmp_path)
        assert done.exit_code == 2
        assert "must be a file that can be read again" in done.output
        journal.check()
    assert "--out must be a folder" in run(*study, "-").output


def test_through_standard_input_and_output(folder, quick):
    """Messages make way for the file."""
    rows = (folder / "rows.csv").read_bytes()
    done = run("predict", folder / "model.agno", "-", "--out", "-", given=rows)
    assert done.exit_code == 0, done.output
    assert is_table(done.stdout.encode())
    assert "60 predictions" in done.stderr
    for writer in (("explain", "--out"), ("suggest", "--out"), ("suspects", "--out")):
        arguments, is_whole = WRITERS[writer]
        asked = ["-" if str(one).endswith(".csv") else one for one in arguments(folder, None)]
        done = run(*asked, "--out", "-", given=rows)
        assert done.exit_code == 0, done.output
        assert is_whole(done.stdout.encode()), writer
        assert "written to standard output" in done.stderr
    done = run("fit", "-", "--target", "label", "--folds", 0, "--out", "-", given=rows)
    assert is_model(done.stdout_bytes)
    assert "Model written to standard output" in done.stderr
    done = run("evaluate", "-", folder / "rows.csv", "--target", "label", given=done.stdout_bytes)
    assert "60 labeled rows" in done.stdout
    packed = pd.read_csv(folder / "rows.csv").to_parquet()
    done = run("evaluate", folder / "model.agno", "-", "--target", "label", given=packed)
    assert "60 labeled rows" in done.stdout


def test_a_table_that_is_read_twice_may_come_through_a_pipe(folder):
    """As in ``agnoboost evaluate model.agno <(zcat rows.csv.gz)``; and the device itself, in a process of its own."""
    reader, writer = os.pipe()
    with os.fdopen(writer, "wb") as file:
        file.write((folder / "rows.csv").read_bytes())
    done = run("evaluate", folder / "model.agno", f"/dev/fd/{reader}", "--target", "label")
    os.close(reader)
    assert "60 labeled rows" in done.stdout, done.output
    command = [sys.executable, "-m", "agnoboost", "predict", "model.agno", "/dev/stdin", "--out", "/dev/stdout"]
    rows = (folder / "rows.csv").read_bytes()
    done = subprocess.run(command, cwd=folder, input=rows, capture_output=True, timeout=120, check=True)
    assert is_table(done.stdout)
    assert b"60 predictions" in done.stderr


def test_what_is_read_is_not_overwritten_in_a_closed_folder(folder, monkeypatch):
    """There a file is written through, which destroys it as well."""
    rows, allowed = folder / "rows.csv", os.access
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path) != folder and allowed(path, mode))
    with pytest.raises(UserError, match="--out must not be the input"):
        check_places([rows], {"--out": rows})


def test_what_is_read_is_not_overwritten(folder, quick, tmp_path):
    rows, model = folder / "rows.csv", folder / "model.agno"
    (tmp_path / "again.csv").symlink_to(rows)
    before = rows.read_bytes(), model.read_bytes()
    for arguments, message in (
        (("predict", model, rows, "--out", rows), "--out must not be the input"),
        (("predict", model, rows, "--out", model), "--out must not be the input"),
        (("predict", model, tmp_path / "again.csv", "--out", rows), "--out must not be the input"),
        (fit(folder, "--out", tmp_path / "again.csv"), "--out must not be the input"),
        (fit(folder, "--out", tmp_path / "m", "--report", tmp_path / "m"), "must be different places"),
        (fit(folder, "--out", "-", "--report", "/dev/stdout"), "must be different places"),
        (("predict", "-", "-"), "Only one file can come from standard input"),
        (("predict", model, rows, "--out", "-", "--json"), "--json and a file that is written to standard output"),
    ):
        done = run(*arguments)
        assert done.exit_code == 2, arguments
        assert message in done.stderr
    assert (rows.read_bytes(), model.read_bytes()) == before


def test_standard_input_has_a_name_in_messages(folder):
    done = run("evaluate", folder / "model.agno", "-", "--target", "label", given=b"\xff\xfe\x00")
    assert done.exit_code == 2
    assert "standard input" in done.stderr
    assert str(Path("/tmp")) not in done.stderr
