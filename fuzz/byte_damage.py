"""Damage to bytes, as disks, copies and editors do it."""

from collections.abc import Callable
from random import Random


def _flip(data: bytearray, place: int, dice: Random) -> None:
    data[place] ^= 1 << dice.randrange(8)


def _set(data: bytearray, place: int, dice: Random) -> None:
    data[place] = dice.choice((0, 1, 0x7F, 0x80, 0xFF, dice.randrange(256)))


def _cut(data: bytearray, place: int, dice: Random) -> None:
    del data[place:]


def _drop(data: bytearray, place: int, dice: Random) -> None:
    del data[place : place + _length(dice)]


def _repeat(data: bytearray, place: int, dice: Random) -> None:
    data[place:place] = data[place : place + _length(dice)] * dice.choice((1, 1, 50))


def _insert(data: bytearray, place: int, dice: Random) -> None:
    data[place:place] = dice.choice((dice.randbytes(_length(dice)), b"\n", b"\0", b'"', b",,", b"9" * 400))


def _zero(data: bytearray, place: int, dice: Random) -> None:
    length = min(_length(dice), len(data) - place)
    data[place : place + length] = bytes(length)


def _move(data: bytearray, place: int, dice: Random) -> None:
    part = data[place : place + _length(dice)]
    to = dice.randrange(len(data))
    data[to : to + len(part)] = part


def _length(dice: Random) -> int:
    return int(2 ** dice.uniform(0, 10))


WAYS: tuple[Callable[[bytearray, int, Random], None], ...] = (
    _flip,
    _flip,
    _set,
    _cut,
    _drop,
    _repeat,
    _insert,
    _zero,
    _move,
)


def damaged(content: bytes, dice: Random) -> bytes:
    """The content with one damage."""
    if not content:
        return dice.randbytes(8)
    data = bytearray(content)
    # half of the damage goes to the ends, where headers are
    place = dice.choice(
        (
            dice.randrange(len(data)),
            dice.randrange(min(64, len(data))),
            len(data) - 1 - dice.randrange(min(200, len(data))),
        )
    )
    dice.choice(WAYS)(data, place, dice)
    return bytes(data)
