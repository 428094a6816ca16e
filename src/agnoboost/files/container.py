"""The container: a zip archive of JSON and .npy members with a manifest of checksums, written atomically."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from ..basics.atomic import replacing
from ..basics.places import read_bytes
from ..basics.typing import Arrays

FORMAT = "agnoboost-model"
FORMAT_VERSION = 1
CHECKPOINT_FORMAT = "agnoboost-checkpoint"

_NAMES = {FORMAT: "model file", CHECKPOINT_FORMAT: "checkpoint file"}
_REMEDIES = {FORMAT: "Copy it again, or save the model again.", CHECKPOINT_FORMAT: "Delete it to start anew."}

Facts = dict[str, Any]  # what goes into JSON


class ModelFileError(ValueError):
    """A file that is not a model, is damaged, or is from a later version."""


def write(path: Path, facts: Facts, arrays: Arrays, form: str = FORMAT) -> None:
    """Write ``facts`` (JSON) and ``arrays``; the file appears whole or not at all."""
    members = {"model.json": json.dumps(facts, indent=1, allow_nan=False).encode()}
    for name, array in arrays.items():
        buffer = io.BytesIO()
        np.save(buffer, array, allow_pickle=False)
        members[f"{name}.npy"] = buffer.getvalue()
    sums = {name: hashlib.sha256(content).hexdigest() for name, content in members.items()}
    manifest = {"format": form, "version": FORMAT_VERSION, "sha256": sums}
    with replacing(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("manifest.json", json.dumps(manifest, indent=1))
        for name, content in members.items():
            archive.writestr(name, content)


def read(path: Path, form: str = FORMAT) -> tuple[Facts, Arrays]:
    """Read what :func:`write` wrote, after checking the version and every checksum."""
    content = read_bytes(path)
    try:
        archive = zipfile.ZipFile(io.BytesIO(content))
        manifest = json.loads(archive.read("manifest.json"))
    except (zipfile.BadZipFile, zlib.error, KeyError, ValueError, EOFError, OSError, NotImplementedError):
        raise ModelFileError(
            f"{path} must be a {_NAMES[form]} of agnoboost. It is something else, or it was cut short. "
            f"{_REMEDIES[form]}"
        ) from None
    if not isinstance(manifest, dict) or manifest.get("format") != form:
        raise ModelFileError(f"{path} must be a {_NAMES[form]} of agnoboost. It is another kind of archive.")
    version = manifest.get("version")
    if not isinstance(version, int) or isinstance(version, bool) or not 1 <= version <= FORMAT_VERSION:
        raise ModelFileError(
            f"{path} has format version {version}; this agnoboost reads versions up to {FORMAT_VERSION}. "
            "Update with: pip install -U agnoboost"
        )
    try:
        members = {name: _member(archive, name, checksum, path, form) for name, checksum in manifest["sha256"].items()}
        arrays = {
            name.removesuffix(".npy"): np.load(io.BytesIO(content), allow_pickle=False)
            for name, content in members.items()
            if name.endswith(".npy")
        }
        return json.loads(members["model.json"]), arrays
    except ModelFileError:
        raise
    except (KeyError, ValueError, TypeError, AttributeError, EOFError) as error:
        raise ModelFileError(f"{path} is not a whole {_NAMES[form]}: {error}. {_REMEDIES[form]}") from None


def _member(archive: zipfile.ZipFile, name: str, checksum: str, path: Path, form: str) -> bytes:
    try:
        content = archive.read(name)
    except (zipfile.BadZipFile, zlib.error, KeyError, EOFError, OSError, ValueError, NotImplementedError):
        content = b""
    if hashlib.sha256(content).hexdigest() != checksum:
        raise ModelFileError(f"{path} is damaged or was changed: the checksum of {name} differs. {_REMEDIES[form]}")
    return content
