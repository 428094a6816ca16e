"""Look into what would be published, install the wheel where there is nothing else, and use it as the README says."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).parents[1]
PACKAGES = ("agnoboost", "agnoboost_experiments")
MOST_BYTES = 2_000_000  # of the wheel
# Besides modules: types, the bundled tables, and what the report is made of.
DATA = re.compile(
    r"agnoboost/(__init__\.pyi|py\.typed|datasets/tables/\w+\.(csv\.gz|json)|report/(script\.js|style\.css))"
)
ABOUT = {"METADATA", "WHEEL", "entry_points.txt", "licenses/LICENSE", "RECORD"}
NEEDED = ("agnoboost/py.typed", "agnoboost/__init__.pyi", "agnoboost/datasets/tables/spambase.csv.gz")


def main(folder: Path) -> None:
    (wheel,) = folder.glob("*.whl")
    (source,) = folder.glob("*.tar.gz")
    look_into_the_wheel(wheel)
    look_into_the_source(source)
    with tempfile.TemporaryDirectory() as place:
        try_it(wheel, Path(place))
    sizes = " and ".join(f"{one.name} ({one.stat().st_size:,} bytes)" for one in (wheel, source))
    print(f"{sizes} are fit to go.")


def look_into_the_wheel(wheel: Path) -> None:
    """Nothing but the packages, their data and the licence."""
    names = zipfile.ZipFile(wheel).namelist()
    inside = [name for name in names if PurePosixPath(name).parts[0] in PACKAGES]
    about = {name.split("/", 1)[1] for name in names if ".dist-info/" in name}
    stray = [name for name in inside if not name.endswith(".py") and not DATA.fullmatch(name)]
    stray += [name for name in names if name not in inside and ".dist-info/" not in name]
    missing = [name for name in NEEDED if name not in names]
    _must(not stray, f"The wheel must hold modules and their data only. It also holds {stray}.")
    _must(not missing, f"The wheel must hold {missing}.")
    _must(about == ABOUT, f"The wheel must say about itself {sorted(ABOUT)}. Got {sorted(about)}.")
    _must(wheel.stat().st_size < MOST_BYTES, f"The wheel has {wheel.stat().st_size:,} bytes: what has grown?")


def look_into_the_source(source: Path) -> None:
    """All that is needed to build it again and to run the tests."""
    with tarfile.open(source) as archive:
        names = {name.split("/", 1)[1] for name in archive.getnames() if "/" in name}
    needed = {"pyproject.toml", "LICENSE", "README.md", "Makefile", "tests/conftest.py", "src/agnoboost/py.typed"}
    _must(needed <= names, f"The source archive must hold {sorted(needed - names)}.")
    made = sorted(name for name in names if name.startswith((".", "out/", "dist/")) and name != ".gitignore")
    _must(not made, f"The source archive must hold sources only. It also holds {made[:5]}.")


def try_it(wheel: Path, place: Path) -> None:
    """Without extras: the README's first program runs, the command says what it needs. With it: the command runs."""
    venv.create(place / "env", with_pip=True)
    python = place / "env" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    _run(python, "-m", "pip", "install", "-qq", "--disable-pip-version-check", wheel.resolve(), at=place)
    said = _run(python, "-c", _first_program(), at=place)
    _must("150 450" in said and (place / "model.agno").exists(), f"The README's first program said:\n{said}")
    refused = _run(python, "-m", "agnoboost", "--help", at=place, code=1)
    _must("pip install 'agnoboost[cli]'" in refused, f"Without the extra the command must name it. It said:\n{refused}")
    _run(python, "-m", "pip", "install", "-qq", "--disable-pip-version-check", f"{wheel.resolve()}[cli]", at=place)
    offered = _run(python, "-m", "agnoboost", "--help", at=place)
    _must("suspects" in offered, f"With the extra the command must show what there is. It said:\n{offered}")


def _first_program() -> str:
    (program, *_) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    return str(program)


def _run(*command: object, at: Path, code: int = 0) -> str:
    """All that a command says; it must end with this code. Nothing of ours may be found but what is installed."""
    around = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")} | {"PYTHONUTF8": "1"}
    done = subprocess.run([str(part) for part in command], cwd=at, env=around, capture_output=True, text=True)
    said = done.stdout + done.stderr
    _must(done.returncode == code, f"{command} ended with {done.returncode} instead of {code}:\n{said}")
    return said


def _must(holds: bool, message: str) -> None:
    if not holds:
        sys.exit(message)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
