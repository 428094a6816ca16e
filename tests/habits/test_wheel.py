"""What would be published is looked into: nothing may be missing, and nothing stray. ``make wheel`` also tries it."""

import tarfile
import zipfile

import pytest

from tools import check_wheel


def a_wheel(path, leave_out=(), more=()):
    about = [f"agnoboost-0.1.0.dist-info/{name}" for name in check_wheel.ABOUT]
    with zipfile.ZipFile(path, "w") as archive:
        for name in {"agnoboost/__init__.py", *check_wheel.NEEDED, *about, *more} - set(leave_out):
            archive.writestr(name, "")
    return path


def test_a_wheel_as_it_should_be(tmp_path):
    check_wheel.look_into_the_wheel(a_wheel(tmp_path / "a.whl", more=["agnoboost/report/style.css"]))


@pytest.mark.parametrize(
    "stray",
    ["tests/test_names.py", "agnoboost/notes.txt", "agnoboost/datasets/tables/huge.parquet", "model.agno"],
)
def test_stray_files_are_seen(stray, tmp_path):
    with pytest.raises(SystemExit, match=f"It also holds .*{stray}"):
        check_wheel.look_into_the_wheel(a_wheel(tmp_path / "a.whl", more=[stray]))


@pytest.mark.parametrize("missing", ["agnoboost/py.typed", "agnoboost-0.1.0.dist-info/licenses/LICENSE"])
def test_missing_files_are_seen(missing, tmp_path):
    with pytest.raises(SystemExit, match="The wheel must"):
        check_wheel.look_into_the_wheel(a_wheel(tmp_path / "a.whl", leave_out=[missing]))


def test_a_source_archive_without_tests_is_refused(tmp_path):
    (tmp_path / "pyproject.toml").touch()
    with tarfile.open(tmp_path / "a.tar.gz", "w:gz") as archive:
        archive.add(tmp_path / "pyproject.toml", "agnoboost-0.1.0/pyproject.toml")
    with pytest.raises(SystemExit, match=r"must hold .*tests/conftest\.py"):
        check_wheel.look_into_the_source(tmp_path / "a.tar.gz")
