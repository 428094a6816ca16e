"""Signed files: only those with the key can make one that is taken."""

import hashlib
import json
import secrets
import zipfile

import pytest

import agnoboost
from agnoboost import ModelFileError
from agnoboost.files import fingerprint
from agnoboost.rl import Mixture

KEY, OTHER = secrets.token_bytes(32), secrets.token_bytes(32)


@pytest.fixture
def signed(tmp_path):
    path = tmp_path / "coin.agno"
    Mixture().save(path, sign=KEY)
    return path


def test_the_key_opens(signed):
    assert agnoboost.load(signed, verify=KEY) == Mixture()
    assert agnoboost.load(signed) == Mixture()  # without a key nobody looks


def test_another_key_or_none_is_refused(signed):
    with pytest.raises(ModelFileError, match="not by this key"):
        agnoboost.load(signed, verify=OTHER)
    Mixture().save(signed)
    with pytest.raises(ModelFileError, match="must be signed, and is not"):
        agnoboost.load(signed, verify=KEY)


def test_a_changed_file_with_new_checksums_is_refused(signed):
    with zipfile.ZipFile(signed) as file:
        found = {name: file.read(name) for name in file.namelist()}
    found["model.json"] = found["model.json"].replace(b'"n_features": null', b'"n_features": 3')
    manifest = json.loads(found["manifest.json"])
    manifest["sha256"]["model.json"] = hashlib.sha256(found["model.json"]).hexdigest()
    found["manifest.json"] = json.dumps(manifest, indent=1).encode()
    with zipfile.ZipFile(signed, "w") as file:
        for name, content in found.items():
            file.writestr(name, content)
    assert agnoboost.load(signed).n_features == 3
    with pytest.raises(ModelFileError, match="not by this key"):
        agnoboost.load(signed, verify=KEY)


@pytest.mark.parametrize(
    ("key", "error", "match"), [("x" * 32, TypeError, "as bytes. Got str"), (b"x", ValueError, "16 bytes. Got 1")]
)
def test_keys_that_are_none(key, error, match, tmp_path, signed):
    with pytest.raises(error, match=match):
        Mixture().save(tmp_path / "other.agno", sign=key)
    assert not (tmp_path / "other.agno").exists()
    with pytest.raises(error, match=match):
        agnoboost.load(signed, verify=key)


def test_the_fingerprint_is_that_of_the_whole_file(signed):
    assert fingerprint(signed) == hashlib.sha256(signed.read_bytes()).hexdigest()
