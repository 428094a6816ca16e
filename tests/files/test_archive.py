"""Archives and arrays: all is bounded by the bytes that are there, and whatever is wrong is one kind of error."""

import hashlib
import io
import json
import tracemalloc
import zipfile

import numpy as np
import pytest

import agnoboost
from agnoboost import ModelFileError
from agnoboost.basics.fact_schema import SchemaError
from agnoboost.files import archive
from agnoboost.files.container import write
from agnoboost.files.npy import from_npy, to_npy
from agnoboost.rl import Mixture


@pytest.fixture
def saved(tmp_path):
    path = tmp_path / "coin.agno"
    Mixture().save(path)
    return path


def members(path):
    with zipfile.ZipFile(path) as file:
        return {name: file.read(name) for name in file.namelist()}


def rewritten(path, change=lambda members: None, method=zipfile.ZIP_DEFLATED, extra=()):
    """The file with members changed, and checksums that are right."""
    found = members(path)
    del found["manifest.json"]
    change(found)
    sums = {name: hashlib.sha256(content).hexdigest() for name, content in found.items()}
    manifest = json.dumps({"format": "agnoboost-model", "version": 1, "sha256": sums})
    with zipfile.ZipFile(path, "w", method) as file:
        for name, content in [("manifest.json", manifest), *found.items(), *extra]:
            file.writestr(name, content)


def refused(path, match="."):
    with pytest.raises(ModelFileError, match=match) as caught:
        agnoboost.load(path)
    assert str(path) in str(caught.value)


def test_rewriting_by_itself_changes_nothing(saved):
    rewritten(saved)
    assert agnoboost.load(saved) == Mixture()


def test_the_bit_that_says_encrypted(saved):
    content = bytearray(saved.read_bytes())
    content[content.find(b"PK\x01\x02") + 8] ^= 1
    saved.write_bytes(content)
    refused(saved, "manifest.json is encrypted")


@pytest.mark.parametrize("method", [zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2])
def test_other_compressions(method, saved):
    rewritten(saved, method=method)
    refused(saved)


def test_bombs_are_refused_before_they_are_unpacked(saved):
    def plant(found):
        found["zeros.npy"] = bytes(200 * archive.MIB)

    rewritten(saved, plant)
    assert saved.stat().st_size < archive.MIB
    tracemalloc.start()
    refused(saved, "for its size .* are allowed")
    assert tracemalloc.get_traced_memory()[1] < 10 * archive.MIB
    tracemalloc.stop()


def test_bombs_that_declare_less_are_not_unpacked_either(saved):
    rewritten(saved, lambda found: found.update({"zeros.npy": bytes(100 * archive.MIB)}))
    content = saved.read_bytes()
    size = (100 * archive.MIB).to_bytes(4, "little")
    assert content.count(size) >= 2
    saved.write_bytes(content.replace(size, (1000).to_bytes(4, "little")))
    tracemalloc.start()
    refused(saved, "checksum of zeros.npy differs")
    assert tracemalloc.get_traced_memory()[1] < 10 * archive.MIB
    tracemalloc.stop()


def test_a_flood_of_members_is_refused_before_they_become_objects(saved):
    content = saved.read_bytes()
    start, end = content.find(b"PK\x01\x02"), content.rfind(b"PK\x05\x06")
    flood = content[start:end] * 30_000
    ending = bytearray(content[end:])
    ending[12:16] = len(flood).to_bytes(4, "little")
    saved.write_bytes(content[:start] + flood + ending)
    refused(saved, "members; for its size")


def test_equal_models_are_equal_files(saved, tmp_path):
    Mixture().save(tmp_path / "other.agno")
    assert (tmp_path / "other.agno").read_bytes() == saved.read_bytes()


@pytest.mark.parametrize(
    ("content", "match"),
    [
        (b"[" * 100_000 + b"]" * 100_000, "nested too deeply"),
        (b"[" + b"[]," * 500_001 + b"0]", "500,000 lists and objects"),
        (b"[" + b"0," * 600_000 + b"0]", "600,002 values"),
        (b'{"kind": "Mixture", "weights": [Infinity]}', "finite, not Infinity"),
        (b'{"kind": "Mixture", "weights": [NaN]}', "finite, not NaN"),
        (b'{"kind": ' + b"9" * 5000 + b"}", "digits"),
        ('{"kind": "Mixture"}'.encode("utf-16"), "utf-8"),
        (b"[]", "must be an object"),
        (b"{}", "must be an object"),
        (b"{", "not a whole"),
        (b" " * 5 * archive.MIB, "are allowed"),  # more than such a small file may have
    ],
)
def test_odd_json(content, match, saved):
    rewritten(saved, lambda found: found.update({"model.json": content}))
    refused(saved, match)


def test_members_that_are_twice_there_or_not_named_or_of_no_kind(saved):
    with pytest.warns(UserWarning, match="Duplicate name"):
        rewritten(saved, extra=[("model.json", "{}")])
    refused(saved)
    Mixture().save(saved)
    rewritten(saved, extra=[("hello.txt", "hello")])
    refused(saved, "does not name hello.txt")
    Mixture().save(saved)
    rewritten(saved, lambda found: found.update({"hello.txt": b"hello"}))
    refused(saved, "of no kind")


@pytest.mark.parametrize("sums", [None, [], "x", {"model.json": None}, {"model.json": 1}, {}, {"manifest.json": "x"}])
def test_odd_manifests(sums, saved):
    found = members(saved)
    manifest = {**json.loads(found["manifest.json"]), "sha256": sums}
    with zipfile.ZipFile(saved, "w") as file:
        file.writestr("manifest.json", json.dumps(manifest))
        file.writestr("model.json", found["model.json"])
    refused(saved)


def buffer(content):
    """Bytes, as an archive hands them out."""
    return np.frombuffer(bytearray(content), dtype=np.uint8)


@pytest.mark.parametrize("kind", ["?", "i1", "u1", "i2", "i4", "u4", "i8", "u8", "f4", "f8", ">f8", ">i4"])
@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 3), (0, 4), (2, 3, 4)])
def test_arrays_come_back(kind, shape):
    array = np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(kind)
    for one in (array, np.asfortranarray(array)):
        found = from_npy(buffer(to_npy(one)), "it")
        np.testing.assert_array_equal(found, one)
        assert found.dtype == np.dtype(kind).newbyteorder("=")
        assert found.flags.writeable


@pytest.mark.parametrize("kind", ["f2", "c8", "U3", "M8[s]"])
def test_arrays_that_could_not_be_read_are_not_written(kind, tmp_path):
    with pytest.raises(ValueError, match="plain numbers"):
        write(tmp_path / "m.agno", {"kind": "x"}, {"a": np.zeros(3, kind)})
    assert list(tmp_path.iterdir()) == []


def declared(shape, kind="<f8", data=b"\0" * 16):
    header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + data


def test_the_header_above_is_a_good_one():
    np.testing.assert_array_equal(from_npy(buffer(declared("(2,)")), "it"), np.zeros(2))


def pickled():
    buffer = io.BytesIO()
    np.save(buffer, np.array([{}], dtype=object), allow_pickle=True)
    return buffer.getvalue()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        to_npy(np.zeros(3))[:-1],
        to_npy(np.zeros(3)) + b"x",
        to_npy(np.zeros(3)).replace(b"\x01\x00", b"\x02\x00", 1),
        declared("(2,)").replace(b"v\0", b"u\0", 1).replace(b" \n", b"\n", 1),  # not aligned
        declared("(1000000000000,)"),
        declared("(4611686018427387904, 4)"),
        declared("(1, 1, 1, 1, 2)"),
        declared("(-2,)"),
        declared("(2,", data=b"\0" * 16),
        declared("(2, 99999999999999999999999)"),
        declared("(2,)", "O"),
        declared("(2,)", "|V8"),
        declared("(2,)", "<U2"),
        declared("(2,)", "<c8"),
        declared("(2,)", "<M8[s]"),
        declared("(1,)", "<f16"),
        declared("(16,)", "|b1", b"\x02" * 16),
        declared("(__import__('os').getpid(),)"),
        pickled(),
    ],
)
def test_what_is_no_array_of_numbers_is_refused(content):
    with pytest.raises(SchemaError, match="it must"):
        from_npy(buffer(content), "it")
