"""Where checkpoints are written: tried before the first round; later a failure costs the checkpoint, never the run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike

from ..basics.atomic import try_out
from ..basics.errors import CheckpointError
from ..basics.places import place_of
from ..basics.user_warnings import tell


def check_place(path: str | PathLike[str]) -> None:
    """Refuse, before any work, a place where no file can be written."""
    place = place_of(path)
    if place.is_regular and place.path.parent.is_dir():
        return _try_out(path)
    came = "a pipe or a device, from which no run can go on"
    if place.is_regular or place.path.is_dir():
        came = "in no such folder" if place.is_regular else "a folder"
    raise ValueError(
        f"checkpoint must be a file in a folder that exists. Got {path}, {came}. Give a file name, or make the folder."
    )


def _try_out(path: str | PathLike[str]) -> None:
    try:
        try_out(path)
    except OSError as error:
        raise CheckpointError(
            f"checkpoint must be a file that can be written. Got {path}: {error.strerror or error}. "
            "Choose another place, or make room."
        ) from None


@contextmanager
def told_if_it_fails(path: str | PathLike[str]) -> Iterator[None]:
    """A write that may fail: rounds that are done are worth more than their checkpoint."""
    try:
        yield
    except OSError as error:
        tell(
            f"The checkpoint {path} could not be written: {error.strerror or error}. The run goes on; if it is stopped "
            "now, it goes on from an older state, or from the start. Make room, or choose another place next time.",
            RuntimeWarning,
        )
