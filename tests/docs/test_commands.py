"""Every ``agnoboost ...`` that stands in README and docs runs, in the order of the page, in a folder with tables."""

import gzip
import re
import shlex
import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest

pd = pytest.importorskip("pandas")
pytest.importorskip("typer")
from typer.testing import CliRunner  # noqa: E402

import agnoboost  # noqa: E402
from agnoboost.cli import reproduce, suspects, training, worth  # noqa: E402
from agnoboost.cli.app import app  # noqa: E402
from agnoboost.cli.classifiers import Effort  # noqa: E402

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
# Below docs, blocks are run by test_site_pages, with files that the page makes; what is named in a sentence, here.
BELOW = [page for folder in ("guide", "coming_from", "research", "benchmarks") for page in (DOCS / folder).glob("*.md")]
PAGES = [ROOT / "README.md", *sorted(DOCS.glob("*.md")), *sorted(BELOW)]

# Within a sentence a command may be named without all that it needs.
NAMED_ONLY = {
    "fit", "fit --report", "evaluate", "explain", "suspects", "suggest", "worth", "COMMAND --help", "reproduce",
}  # fmt: skip
# Not run: it would change the shell of whoever runs the tests.
LEFT_OUT = {"--install-completion", "--show-completion"}
SHELL = re.compile(r"[|<>]")


def commands(page):
    """Lines of blocks, and inline code; comments at the end of a line are left out."""
    text = page.read_text()
    lines = [line.strip().removeprefix("$ ") for line in re.findall(r"^(?: {4}|\$ )?.*\bagnoboost .*$", text, re.M)]
    blocks = [line for line in lines if re.match(r"agnoboost |[\w .-]+\| agnoboost ", line) and line in _blocks(text)]
    inline = re.findall(r"`(agnoboost [^`]+)`", text)
    blocks = [] if page in BELOW else blocks
    found = [re.sub(r"\s+#.*", "", line) for line in blocks] + [re.sub(r"\s+", " ", line) for line in inline]
    return [line for line in found if line.removeprefix("agnoboost ") not in NAMED_ONLY | LEFT_OUT]


def _blocks(text):
    fenced = "\n".join(re.findall(r"^```\w*\n(.*?)^```", text, re.M | re.S))
    indented = "\n".join(re.findall(r"^ {4}.*$", text, re.M))
    return {line.strip().removeprefix("$ ") for line in f"{fenced}\n{indented}".splitlines()}


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    """The tables that the pages speak of, and a model of them."""
    path = tmp_path_factory.mktemp("pages")
    rng = np.random.default_rng(0)
    rows = pd.DataFrame({"id": np.arange(150), "size": rng.normal(size=150), "age": rng.integers(18, 80, 150)})
    label = np.where(rows["size"] + 0.5 * rng.normal(size=150) > 0.2, "yes", "no")
    partly = rows[:90].assign(label=pd.Series(label[:90], dtype=object).where(np.arange(90) < 60))
    partly.to_csv(path / "data.csv", index=False)
    partly.to_parquet(path / "big.parquet", index=False)
    (path / "data.csv.gz").write_bytes(gzip.compress((path / "data.csv").read_bytes()))
    rows[90:].assign(label=label[90:]).to_csv(path / "test.csv", index=False)
    rows[:90].to_csv(path / "train.csv", index=False)
    rows[:90].assign(churn=label[:90]).to_csv(path / "customers.csv", index=False)
    checked = pd.Series(label[90:], dtype=object).where(np.arange(60) < 40).to_numpy()
    rows[90:].assign(gold=checked, llm=label[90:]).to_csv(path / "checked.csv", index=False)
    for name in ("new", "more", "pool", "rows"):
        rows[90:].to_csv(path / f"{name}.csv", index=False)
    votes = {name: np.where(rng.random(150) < 0.2, "no", label) for name in ("ann", "ben", "cleo")}
    rows.assign(**votes).to_csv(path / "votes.csv", index=False)
    partly.assign(llm_label=votes["ann"][:90]).to_csv(path / "tickets.csv", index=False)
    model = agnoboost.TableClassifier(effort="fast", random_state=0)
    model.fit(partly[["size", "age"]], partly["label"].to_numpy()).save(path / "model.agno")
    return path


@pytest.fixture
def in_the_folder(tables, tmp_path, monkeypatch):
    """A copy for each page, which may write over models. Long studies are only read, not run. Fits are quick ones."""
    monkeypatch.chdir(shutil.copytree(tables, tmp_path / "folder"))
    monkeypatch.setattr(training, "make_classifier", partial(_quick, training.make_classifier))
    for command in (suspects, worth):
        monkeypatch.setattr(command, "TableClassifier", partial(agnoboost.TableClassifier, members=["stumps"]))
    monkeypatch.setattr(reproduce, "_run", lambda *_, **__: {})


def _quick(make, kind, common, effort, *others):
    return make(kind, common, effort or (Effort.fast if kind.value == "table" else None), *others)


@pytest.mark.parametrize("page", [page for page in PAGES if commands(page)], ids=lambda page: "/".join(page.parts[-2:]))
def test_the_commands_of_a_page_run(page, in_the_folder):
    for line in commands(page):
        if SHELL.search(line):
            done = _in_a_shell(line)
            assert done.returncode == 0, (line, done.stderr)
        else:
            done = CliRunner().invoke(app, shlex.split(line)[1:])
            assert done.exit_code == 0, (line, done.output)


def _in_a_shell(line):
    ours = f'agnoboost() {{ {shlex.quote(sys.executable)} -m agnoboost "$@"; }}; set -o pipefail; {line}'
    return subprocess.run(["bash", "-c", ours], capture_output=True, text=True, timeout=120)


def test_commands_are_found():
    """Blocks, inline code, and pipes; a wrong option would not go unseen."""
    found = commands(ROOT / "docs" / "command_line.md")
    assert "agnoboost fit data.csv --target label" in found
    assert "cat new.csv | agnoboost predict model.agno - --out - | head -3" in found
    assert any("few-labels --data FOLDER" in line for line in commands(ROOT / "docs" / "experiments.md"))
    named = {command.callback.__name__ for command in app.registered_commands}
    assert named <= {line.split()[1] for line in found if line.startswith("agnoboost ")}


def test_a_wrong_option_of_a_study_is_seen(in_the_folder):
    assert CliRunner().invoke(app, ["reproduce", "shift", "--quik"]).exit_code == 2
