"""From bytes to text: the encoding, found by looking, and what is no table at all."""

from __future__ import annotations

import codecs
import re

from .findings import Findings

MARKS = (  # longer ones first: the mark of UTF-32 begins like that of UTF-16
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
PAGE = re.compile(r"<(!doctype|html|head|body|table|\?xml|!--)", re.IGNORECASE)
CONTROL = [*map(chr, range(9)), *map(chr, range(14, 32)), "\x7f"]  # those that no text has
EXPECTED = "Expected CSV (or TSV), JSON lines, Parquet, Feather or Excel."


def decode(data: bytes, encoding: str | None, findings: Findings) -> str:
    """The text of a file, with plain line ends."""
    text = _text(data, encoding, findings)
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if any(character in text for character in CONTROL):
        found = next(character for character in text if character in CONTROL)
        raise findings.fail(
            f"cannot be read as a table: it has the control character {found!r}, as files of other kinds do. {EXPECTED}"
        )
    if PAGE.match(text.lstrip()):
        raise findings.fail(
            "is a web page (HTML or XML), not a table. Download the file itself: often there is a link 'raw' or "
            "'download'."
        )
    if not text.strip("\ufeff \t\n,;|"):
        raise findings.fail("is empty: it has no rows and no header. Was it written to the end?")
    return text


def _text(data: bytes, encoding: str | None, findings: Findings) -> str:
    if encoding is not None:
        return _as_told(data, encoding, findings)
    for mark, name in MARKS:
        if data.startswith(mark):
            if not name.startswith("utf-8"):
                findings.note(f"it was read as {name.upper()}, by the mark at its beginning")
            return _as_told(data, name, findings)
    if order := _utf16_order(data[:2000]):
        raise findings.fail(f"looks like UTF-16 without a mark at its beginning. Pass --encoding utf-16-{order}.")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        pass
    if b"\x00" in data:
        raise findings.fail(f"cannot be read as a table: it has bytes that no text has. {EXPECTED}")
    try:
        text = data.decode("cp1252")
    except UnicodeDecodeError as error:
        raise findings.fail(
            f"cannot be read as a table: it is neither UTF-8 nor cp1252 (byte {data[error.start]:#04x} at place "
            f"{error.start}). Set its encoding (--encoding), or save it as UTF-8."
        ) from None
    example = next(line for line in text.splitlines() if not line.isascii()).strip()
    findings.note(f"it is no UTF-8, and was read as cp1252 (Western European), such as {example[:60]!r}")
    return text


def _utf16_order(head: bytes) -> str | None:
    """By the zeros that Western text has in every other byte: after a character (le) or before it (be)."""
    before, after = (head[place::2].count(0) / max(len(head) // 2, 1) for place in (0, 1))
    if max(before, after) < 0.5 or min(before, after) > 0.1:
        return None
    return "le" if after > before else "be"


def _as_told(data: bytes, encoding: str, findings: Findings) -> str:
    try:
        codec = codecs.lookup(encoding)
        if codec.name == "utf-8":
            encoding = "utf-8-sig"  # the mark at the beginning is no part of the first name
        return data.decode(encoding)
    except UnicodeError as error:
        raise findings.fail(
            f"cannot be read as {encoding}: {error}. Set its encoding (--encoding), or save it as UTF-8."
        ) from None
    except LookupError:
        raise findings.fail(
            f"cannot be read with the encoding {encoding!r}, which is not known. Expected a name such as utf-8, "
            "utf-16, cp1252 or latin-1."
        ) from None
