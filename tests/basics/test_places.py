"""Only regular files are ever replaced; everything else is written through, or refused in a sentence."""

import os
import socket
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from agnoboost.basics.atomic import replacing, write_text
from agnoboost.basics.places import is_standard_output, place_of


def read_in_background(path):
    """What comes through a pipe, to be joined; its writer waits for somebody who reads."""
    found = []
    thread = threading.Thread(target=lambda: found.append(Path(path).read_text()), daemon=True)
    thread.start()
    return lambda: (thread.join(10), found[0])[1]


def test_a_link_stays_and_its_target_is_replaced(tmp_path):
    (tmp_path / "deep").mkdir()
    target, link, second = tmp_path / "deep" / "real.txt", tmp_path / "link.txt", tmp_path / "second.txt"
    target.write_text("old")
    link.symlink_to(Path("deep", "real.txt"))
    second.symlink_to(link)
    before = target.stat().st_ino
    write_text(second, "new")
    assert target.read_text() == "new"
    assert target.stat().st_ino != before  # whole or not at all
    assert link.is_symlink()
    assert second.is_symlink()
    assert sorted(os.listdir(tmp_path)) == ["deep", "link.txt", "second.txt"]


def test_a_link_to_nothing_makes_its_target(tmp_path):
    (tmp_path / "link").symlink_to("missing")
    write_text(tmp_path / "link", "made")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "missing").read_text() == "made"


@pytest.mark.parametrize("linked", [False, True])
def test_a_pipe_is_written_through(tmp_path, linked):
    pipe = place = tmp_path / "pipe"
    os.mkfifo(pipe)
    if linked:
        place = tmp_path / "link"
        place.symlink_to(pipe)
    read = read_in_background(pipe)
    write_text(place, "through")
    assert read() == "through"
    assert stat.S_ISFIFO(os.lstat(pipe).st_mode)
    assert place.is_symlink() == linked


def test_nothing_goes_through_a_pipe_if_the_work_fails(tmp_path):
    def fails():
        with replacing(tmp_path / "pipe") as file:  # nobody reads: it would wait for ever
            file.write(b"half")
            raise RuntimeError("no")

    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(RuntimeError):
        fails()


def test_a_terminal_is_written_through():
    ours, theirs = os.openpty()
    try:
        name = os.ttyname(theirs)
        kind = os.stat(name).st_mode
        write_text(name, "seen")
        assert os.read(ours, 100) == b"seen"
        assert stat.S_ISCHR(kind)
        assert os.stat(name).st_mode == kind
    finally:
        os.close(ours)
        os.close(theirs)


def test_standard_output(tmp_path):
    """A pipe; and a file that is appended to, which must keep what it has."""
    names = ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"]
    code = (
        "import sys; from agnoboost.basics.atomic import write_text\n"
        "for name in sys.argv[1:]: print('before', end=' '); write_text(name, name + ' ')"
    )
    command = [sys.executable, "-c", code, *names]
    expected = "".join(f"before {name} " for name in names)
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == expected
    kept = tmp_path / "kept"
    kept.write_text("first\n")
    with kept.open("a") as file:
        subprocess.run(command, stdout=file, check=True)
    assert kept.read_text() == "first\n" + expected
    assert all(is_standard_output(Path(name)) for name in names)
    assert not is_standard_output(kept)


def test_an_open_descriptor_and_a_link_to_it(tmp_path):
    here, there = os.pipe()
    (tmp_path / "link").symlink_to(f"/dev/fd/{there}")
    try:
        write_text(f"/dev/fd/{there}", "one,")
        write_text(tmp_path / "link", "two")
        assert os.read(here, 100) == b"one,two"
        assert (tmp_path / "link").is_symlink()
        with pytest.raises(OSError, match="not open for writing"):
            write_text(f"/dev/fd/{here}", "no")
    finally:
        os.close(here)
        os.close(there)


def test_permissions_are_kept(tmp_path):
    path = tmp_path / "file"
    write_text(path, "new")
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~mask
    for mode in (0o600, 0o640, 0o777):
        path.chmod(mode)
        write_text(path, "again")
        assert stat.S_IMODE(path.stat().st_mode) == mode


def test_what_cannot_be_written_is_refused_and_left_alone(tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "loop").symlink_to("loop")
    with socket.socket(socket.AF_UNIX) as taken:
        taken.bind(os.path.relpath(tmp_path / "socket"))
        for name, message in (
            ("folder", "it is a folder. Name a file in it"),
            ("none/file", "There is no folder .*none for file"),
            ("loop", "leads to itself"),
            ("socket", "neither a file nor a pipe"),
        ):
            with pytest.raises(OSError, match=message):
                write_text(tmp_path / name, "no")
    assert sorted(os.listdir(tmp_path)) == ["folder", "loop", "socket"]


def test_protected_files_and_closed_folders(tmp_path, monkeypatch):
    """As somebody for whom permissions count: who runs the tests may be allowed everything."""
    closed = set()
    monkeypatch.setattr(os, "access", lambda path, mode: str(path) not in closed)
    path = tmp_path / "file"
    path.write_text("a long old text")
    closed.add(str(tmp_path))
    write_text(path, "short")  # the file may be written to, but nothing be put beside it
    assert path.read_text() == "short"
    with pytest.raises(PermissionError, match="its folder may not be written to"):
        write_text(tmp_path / "new", "no")
    closed.add(str(path))
    with pytest.raises(PermissionError, match="it is protected"):
        place_of(path).check()
