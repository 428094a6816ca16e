"""What a value of a JSON file may be, said once: it is checked by that, and described by it.

A length or an upper end may be the name of a size, as in ``ListOf(Number(), "classes")``. The first list of that size
says how long it is, and all others must agree.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isfinite
from reprlib import repr as short
from typing import Any, NoReturn

Sizes = dict[str, int]

LARGEST = 2**53  # whole numbers up to here are exact as floats
LONGEST = 10_000  # characters of a text


class SchemaError(ValueError):
    """What a file says is not what such a file may say."""


def refuse(where: str, expected: str, came: Any) -> NoReturn:
    """An error that says where, what was expected, and what came."""
    raise SchemaError(f"{where} must be {expected}, not {short(came)}")


def same_size(name: int | str | None, found: int, where: str, sizes: Sizes) -> None:
    """A size by its name must be the same everywhere; None is any."""
    wanted = found if name is None else sizes.setdefault(name, found) if isinstance(name, str) else name
    if wanted != found:
        raise SchemaError(f"{where} must have {wanted} {name if isinstance(name, str) else 'entries'}, not {found}")


class FactSchema(ABC):
    """A kind of value. ``words`` say it in the documentation."""

    @property
    @abstractmethod
    def words(self) -> str: ...

    @abstractmethod
    def check(self, value: Any, where: str, sizes: Sizes) -> None:
        """Raise :class:`SchemaError` for any other value."""


@dataclass(frozen=True)
class Number(FactSchema):
    """A finite number, from ``low`` to ``high``."""

    low: float = -1e300
    high: float = 1e300
    positive: bool = False

    @property
    def words(self) -> str:
        usual = Number()
        if self.positive:
            return "a number > 0" if self.high == usual.high else f"a number > 0 and <= {self.high:g}"
        low = "" if self.low == usual.low else f" >= {self.low:g}"
        high = "" if self.high == usual.high else f" <= {self.high:g}"
        return f"a number{low}{' and' if low and high else ''}{high}"

    def check(self, value: Any, where: str, sizes: Sizes) -> None:
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if not is_number or not self.low <= value <= self.high or (self.positive and value <= 0.0):
            refuse(where, self.words, value)


@dataclass(frozen=True)
class Whole(FactSchema):
    """A whole number from ``low`` to ``high``; below ``high`` if that is the name of a size."""

    low: int = 0
    high: int | str = LARGEST

    @property
    def words(self) -> str:
        if isinstance(self.high, str):
            return f"a whole number below the number of {self.high}"
        return f"a whole number >= {self.low}" + ("" if self.high == LARGEST else f" and <= {self.high}")

    def check(self, value: Any, where: str, sizes: Sizes) -> None:
        high = sizes[self.high] - 1 if isinstance(self.high, str) else self.high
        if not isinstance(value, int) or isinstance(value, bool) or not self.low <= value <= high:
            refuse(where, self.words, value)


@dataclass(frozen=True)
class NamedSize(Whole):
    """A whole number that is the size of this name."""

    name: str = ""

    def check(self, value: Any, where: str, sizes: Sizes) -> None:
        super().check(value, where, sizes)
        same_size(self.name, value, where, sizes)


@dataclass(frozen=True)
class Flag(FactSchema):
    words = "true or false"

    def check(self, value: Any, where: str, sizes: Sizes) -> None:
        if not isinstance(value, bool):
            refuse(where, self.words, value)


@dataclass(frozen=True)
class Text(FactSchema):
    longest: int = LONGEST
    words = "a text"

    def check(self, value: Any, where: str, sizes: Sizes) -> None:
        if not isinstance(value, str) or len(value) > self.longest:
            refuse(where, f"a text of at most {self.longest} characters", value)


@dataclass(frozen=True)
class OneOf(FactSchema):
    """One of some texts."""

    options: tuple[str, ...]

    @property
    def words(self) -> str:
        return " or ".join(f'"{option}"' for option in self.options)

    def check(self, value: Any, where: str, sizes: Sizes) -> None:
        if not isinstance(value, str) or value not in self.options:
            refuse(where, self.words, value)


@dataclass(frozen=True)
class PlainValue(FactSchema):
    """What classes, categories and most parameters are: each can be a key of a dict. A ``gap`` is null."""

    gap: bool = True

    @property
    def words(self) -> str:
        return f"{'null, ' if self.gap else ''}true, false, a finite number or a text"

    def check(self, value: Any, where: str, sizes: Sizes) -> None:
        fits = (
            (value is None and self.gap)
            or isinstance(value, (bool, int))
            or (isinstance(value, float) and isfinite(value))
        )
        if not fits and not (isinstance(value, str) and len(value) <= LONGEST):
            refuse(where, self.words, value)


@dataclass(frozen=True)
class Anything(FactSchema):
    """What is checked elsewhere."""

    words: str = "anything"

    def check(self, value: Any, where: str, sizes: Sizes) -> None:
        pass


@dataclass(frozen=True)
class Maybe(FactSchema):
    """Null, or a value."""

    value: FactSchema

    @property
    def words(self) -> str:
        return f"null or {self.value.words}"

    def check(self, value: Any, where: str, sizes: Sizes) -> None:
        if value is not None:
            self.value.check(value, where, sizes)


@dataclass(frozen=True)
class ListOf(FactSchema):
    """A list of values of one kind; of ``size`` entries, if it has one, and at least ``least``."""

    item: FactSchema
    size: int | str | None = None
    least: int = 0
    most: int = LARGEST
    distinct: bool = False

    @property
    def words(self) -> str:
        each = "each" if self.size is None else f"for each of the {self.size}" if isinstance(self.size, str) else "both"
        return f"a list{' without repetitions' if self.distinct else ''}, {each}: {self.item.words}"

    def check(self, value: Any, where: str, sizes: Sizes) -> None:
        if not isinstance(value, list) or not self.least <= len(value) <= self.most:
            most = "" if self.most == LARGEST else f" and at most {self.most}"
            refuse(where, f"a list of at least {self.least}{most} entries", value)
        same_size(self.size, len(value), where, sizes)
        for place, one in enumerate(value):
            self.item.check(one, f"{where}[{place}]", sizes)
        if self.distinct and len(set(value)) != len(value):
            refuse(where, "a list of different entries", value)


@dataclass(frozen=True)
class MapOf(FactSchema):
    """Values of one kind by name; with ``below``, by whole numbers below that size."""

    item: FactSchema
    below: str | None = None

    @property
    def words(self) -> str:
        keys = "by name" if self.below is None else f"by number of one of the {self.below}"
        return f"{keys}: {self.item.words}"

    def check(self, value: Any, where: str, sizes: Sizes) -> None:
        if not isinstance(value, dict):
            refuse(where, "an object", value)
        for name, one in value.items():
            if self.below is not None:
                check_key(name, f"a name in {where}", sizes[self.below])
            self.item.check(one, f"{where}.{name[:60]}", sizes)


def check_key(name: str, where: str, below: int) -> None:
    """A number as a name, in its one way of being written."""
    if not (name.isascii() and name.isdigit() and len(name) < 10 and str(int(name)) == name and int(name) < below):
        refuse(where, f"a whole number below {below}", name)


@dataclass(frozen=True)
class Record(FactSchema):
    """Named values, no others; those that are ``optional`` may be left out. ``meaning`` explains some of them."""

    fields: Mapping[str, FactSchema]
    optional: frozenset[str] = frozenset()
    meaning: Mapping[str, str] = field(default_factory=dict)

    @property
    def words(self) -> str:
        return "; ".join(f"`{name}`: {value.words}" for name, value in self.fields.items())

    def check(self, value: Any, where: str, sizes: Sizes) -> None:
        if not isinstance(value, dict):
            refuse(where, "an object", value)
        start = f"{where}." if where else ""
        for name, one in self.fields.items():
            if name in value:
                one.check(value[name], start + name, sizes)
            elif name not in self.optional:
                raise SchemaError(f"{start}{name} is missing")
        if strangers := value.keys() - self.fields.keys():
            raise SchemaError(f"{where or 'it'} has {min(strangers)[:60]!r}, which no such file has")

    def __or__(self, other: Record) -> Record:
        """Both together."""
        return Record(
            {**self.fields, **other.fields}, self.optional | other.optional, {**self.meaning, **other.meaning}
        )
