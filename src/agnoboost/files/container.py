"""The container: a zip archive of JSON and .npy members with a manifest of checksums, written atomically.

Whatever is wrong with a file, reading it ends in a :class:`ModelFileError`, before anything large is allocated.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from ..basics.atomic import replacing
from ..basics.fact_schema import MapOf, OneOf, Record, SchemaError, Text, Whole
from ..basics.places import read_bytes
from ..basics.typing import Arrays
from .archive import Archive, Bytes, zipped
from .npy import from_npy, to_npy
from .object_limits import room_of
from .signing import SIGNATURE, check_signature, check_signing_key, signature

FORMAT = "agnoboost-model"
FORMAT_VERSION = 1
CHECKPOINT_FORMAT = "agnoboost-checkpoint"
MANIFEST, FACTS = "manifest.json", "model.json"
LONGEST_REASON = 400  # characters: what is wrong may be as long as the file

_NAMES = {FORMAT: "model file", CHECKPOINT_FORMAT: "checkpoint file"}
_REMEDIES = {FORMAT: "Copy it again, or save the model again.", CHECKPOINT_FORMAT: "Delete it to start anew."}
MANIFEST_SCHEMA = Record(
    {"format": OneOf(tuple(_NAMES)), "version": Whole(1, FORMAT_VERSION), "sha256": MapOf(Text(64))}
)

Facts = dict[str, Any]  # what goes into JSON


class ModelFileError(ValueError):
    """A file that is not a model, is damaged, or is from a later version."""


def write(path: Path, facts: Facts, arrays: Arrays, form: str = FORMAT, sign: bytes | None = None) -> None:
    """Write ``facts`` (JSON) and ``arrays``; the file appears whole or not at all."""
    members = {FACTS: json.dumps(facts, indent=1, allow_nan=False).encode()}
    members |= {f"{name}.npy": to_npy(array) for name, array in arrays.items()}
    sums = {name: hashlib.sha256(content).hexdigest() for name, content in members.items()}
    manifest = json.dumps({"format": form, "version": FORMAT_VERSION, "sha256": sums}, indent=1).encode()
    signed = {} if sign is None else {SIGNATURE: signature(manifest, check_signing_key(sign, "sign"))}
    content = zipped({MANIFEST: manifest, **signed, **members}, room_of(arrays))
    with replacing(path) as file:
        file.write(content)


def read(path: Path, form: str = FORMAT, verify: bytes | None = None) -> tuple[Facts, Arrays]:
    """Read what :func:`write` wrote, after checking the version, every checksum and, with a key, the signature."""
    if verify is not None:
        check_signing_key(verify, "verify")
    content = read_bytes(path)
    try:
        archive = Archive(content)
        packed = archive.read(MANIFEST)
        manifest = archive.parsed(MANIFEST, packed)
    except Exception as error:  # zipfile has kinds of errors of its own
        why = f" ({error})" if isinstance(error, SchemaError) else ""
        raise ModelFileError(
            f"{path} must be a {_NAMES[form]} of agnoboost. It is something else, or it was cut short or damaged{why}. "
            f"{_REMEDIES[form]}"
        ) from error
    _check_version(manifest, path, form)
    with refusing(path, form):
        MANIFEST_SCHEMA.check(manifest, MANIFEST, {})
        if verify is not None:
            found = archive.read(SIGNATURE).tobytes() if SIGNATURE in archive else None
            check_signature(found, packed.tobytes(), verify)
        if strangers := archive.names - {MANIFEST, SIGNATURE, *manifest["sha256"]}:
            raise ValueError(f"its manifest does not name {min(strangers)[:60]}")
        facts: Facts = {}
        arrays: Arrays = {}
        for name, checksum in manifest["sha256"].items():
            member = _member(archive, name, checksum, path, form)
            if name == FACTS:
                facts = archive.parsed(name, member)
            elif not name.endswith(".npy"):
                raise ValueError(f"{name[:60]} is of no kind that such a file holds")
            else:
                arrays[name.removesuffix(".npy")] = from_npy(member, name)
        if not isinstance(facts, dict) or not facts:
            raise ValueError(f"{FACTS} must be an object")
        archive.check_room(room_of(arrays))
        return facts, arrays


@contextmanager
def refusing(path: str | PathLike[str], form: str = FORMAT) -> Iterator[None]:
    """Whatever a damaged file leads to is told as such; that an optional package is missing is not the file's fault."""
    try:
        yield
    except (ModelFileError, ImportError):
        raise
    except Exception as error:
        reason = f"{error} is missing" if isinstance(error, KeyError) else str(error) or type(error).__name__
        reason = reason if len(reason) <= LONGEST_REASON else f"{reason[:LONGEST_REASON]}..."
        raise ModelFileError(f"{path} is not a whole {_NAMES[form]}: {reason}. {_REMEDIES[form]}") from error


def fingerprint(path: str | PathLike[str]) -> str:
    """The SHA-256 of a file, in hexadecimal: two files of the same fingerprint are the same, byte by byte.

    Parameters
    ----------
    path : path
        The file.

    Returns
    -------
    str
        64 digits.
    """
    return hashlib.sha256(read_bytes(path)).hexdigest()


def _check_version(manifest: Any, path: Path, form: str) -> None:
    if not isinstance(manifest, dict) or manifest.get("format") != form:
        raise ModelFileError(f"{path} must be a {_NAMES[form]} of agnoboost. It is another kind of archive.")
    version = manifest.get("version")
    if not isinstance(version, int) or isinstance(version, bool) or not 1 <= version <= FORMAT_VERSION:
        shown = repr(version)
        raise ModelFileError(
            f"{path} has format version {shown[:20]}; this agnoboost reads versions up to {FORMAT_VERSION}. "
            "Update with: pip install -U agnoboost"
        )


def _member(archive: Archive, name: str, checksum: str, path: Path, form: str) -> Bytes:
    try:
        content = archive.read(name)
    except SchemaError:  # larger than it may be
        raise
    except Exception:  # missing, cut short, or not to be unpacked: in any case not what was written
        content = np.zeros(0, np.uint8)
    if hashlib.sha256(content.data).hexdigest() != checksum:
        raise ModelFileError(f"{path} is damaged or was changed: the checksum of {name} differs. {_REMEDIES[form]}")
    return content
