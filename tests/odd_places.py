"""Places of every kind to write to, each of which says afterwards whether it is still what it was."""

import os
import socket
import stat
import threading
import tty
from contextlib import closing, contextmanager
from pathlib import Path

WRITABLE = ["file", "link", "link to nothing", "pipe", "link to a pipe", "terminal", "descriptor"]
REFUSED = ["folder", "link to a folder", "socket"]


class Place:
    """``path`` is for the command; ``content()`` is what has arrived."""

    def __init__(self, path, content):
        self.path, self.content = Path(path), content
        self._before = self._kinds()

    def _kinds(self):
        """What the path is, link or not, and what it leads to; nothing is followed for a link to nothing."""
        found = stat.S_IFMT(os.lstat(self.path).st_mode)
        return found, os.readlink(self.path) if stat.S_ISLNK(found) else None

    def check(self):
        assert self._kinds() == self._before


def _drained(descriptor, write_end=None):
    """All that comes out of a descriptor, in the background: its writer waits for somebody who reads."""
    parts = []

    def read():
        try:
            while part := os.read(descriptor, 65536):
                parts.append(part)
        except OSError:  # a terminal that was closed on the other side
            pass

    thread = threading.Thread(target=read, daemon=True)
    thread.start()

    def content():
        if write_end is not None:
            os.close(write_end)
        thread.join(10)
        os.close(descriptor)
        return b"".join(parts)

    return content


@contextmanager
def place(kind, folder, name="out.csv"):
    """A place of this kind in an empty folder."""
    path, target = folder / name, folder / f"target-{name}"
    if kind == "file":
        path.write_text("old")
        path.chmod(0o640)
        before = path.stat().st_ino
        yield Place(path, path.read_bytes)
        assert stat.S_IMODE(path.stat().st_mode) == 0o640
        assert path.stat().st_ino != before  # a new file, which was whole when it came
    elif kind == "link":
        target.write_text("old")
        path.symlink_to(target.name)
        yield Place(path, target.read_bytes)
    elif kind == "link to nothing":
        path.symlink_to(target.name)
        yield Place(path, target.read_bytes)
    elif kind in ("pipe", "link to a pipe"):
        os.mkfifo(path if kind == "pipe" else target)
        if kind != "pipe":
            path.symlink_to(target)
        # Opened for both, so that opening does not wait for the command; kept open until it is done.
        keeper = os.open(path, os.O_RDWR)
        reader = os.open(path, os.O_RDONLY)
        yield Place(path, _drained(reader, keeper))
        assert stat.S_ISFIFO(path.stat().st_mode)
    elif kind == "terminal":
        ours, theirs = os.openpty()
        tty.setraw(theirs)
        yield Place(os.ttyname(theirs), _drained(ours, theirs))
    elif kind == "descriptor":
        reader, writer = os.pipe()
        yield Place(f"/dev/fd/{writer}", _drained(reader, writer))
    elif kind == "folder":
        path.mkdir()
        yield Place(path, None)
    elif kind == "link to a folder":
        target.mkdir()
        path.symlink_to(target)
        yield Place(path, None)
    elif kind == "socket":
        with closing(socket.socket(socket.AF_UNIX)) as taken:
            taken.bind(os.path.relpath(path))
            yield Place(path, None)
