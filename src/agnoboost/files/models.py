"""Models of every kind to and from files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .._version import __version__
from .container import ModelFileError, read, write
from .kinds import KINDS, kind_of, migrated


def save(model: Any, path: str | Path) -> None:
    """Write a fitted model, or a policy, to ``path``."""
    kind = kind_of(model)
    facts, arrays = kind.module.pack(model)
    about = {"kind": type(model).__name__, "agnoboost": __version__, "layout": kind.layout}
    write(Path(path), {**about, **facts}, arrays)


def load(path: str | Path) -> Any:
    """Read a model, or a policy, that was saved with its ``save``.

    Nothing in the file is executed. Predictions are the same to the bit. Raises :class:`ModelFileError` for a file
    that is not a model, is damaged, or is from a later version.
    """
    facts, arrays = read(Path(path))
    try:
        name = facts["kind"]
        if name not in KINDS:
            raise ModelFileError(f"{path} holds a {name}, which this version of agnoboost does not know.")
        return KINDS[name].module.unpack(*migrated(name, facts, arrays))
    except ModelFileError:
        raise
    except (KeyError, TypeError, IndexError, ValueError, AttributeError) as error:
        raise ModelFileError(f"{path} is not a whole model file: {error!r}. Save the model again.") from None
