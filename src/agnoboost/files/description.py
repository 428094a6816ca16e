"""The schemas of all kinds of files in words, for the documentation: ``python -m agnoboost.files.description``."""

from __future__ import annotations

from collections.abc import Iterator

from ..basics.array_schema import Array, ArrayGroup
from ..basics.fact_schema import Record
from ..tables.readers.choosing import READERS
from .common import COMMON
from .kinds import KINDS
from .schema import HEAD, FileSchema


def described() -> str:
    """Tables in Markdown: what each kind of file holds."""
    schemas: dict[int, tuple[list[str], FileSchema]] = {}
    for name, kind in KINDS.items():
        schema = kind.module.SCHEMA
        schemas.setdefault(id(schema), ([], schema))[0].append(f"`{name}` (layout {kind.layout})")
    common = _table("`model.json`", "what it may be", list(_facts(HEAD | COMMON, set())))
    columns = _table("kind", "in `columns` or in arrays", list(_readers()))
    return "\n\n".join(
        [
            f"### All classifiers\n\n{common}",
            *(_section(", ".join(names), schema) for names, schema in schemas.values()),
            f"### Columns that are more than numbers\n\n{columns}",
        ]
    )


def _section(title: str, schema: FileSchema) -> str:
    of_all = {*HEAD.fields, *COMMON.fields}
    facts = _table("`model.json`", "what it may be", list(_facts(schema.facts, of_all)))
    arrays = _table("array", "numbers (shape)", list(_arrays(schema.arrays, "", False)))
    return f"### {title}\n\n{facts}\n\n{arrays}"


def _facts(record: Record, but: set[str]) -> Iterator[tuple[str, str, str]]:
    for name, value in record.fields.items():
        if name not in but:
            yield _named(name, name in record.optional), value.words, record.meaning.get(name, "")


def _readers() -> Iterator[tuple[str, str, str]]:
    for kind, reader in READERS.items():
        words = [reader.fact_schema.words] if reader.fact_schema.fields else []
        words += [f"{name}: {numbers}" for name, numbers, _ in _arrays(reader.array_schema, "columns/*/", False)]
        yield f"`{kind}`", "; ".join(words) or "nothing", (reader.__doc__ or "").split(".")[0]


def _named(name: str, optional: bool) -> str:
    return f"`{name}`" + (" (optional)" if optional else "")


def _arrays(group: ArrayGroup, where: str, optional: bool) -> Iterator[tuple[str, str, str]]:
    for name, field in group.fields.items():
        place, may_miss = where + name.replace("{}", "*"), optional or field.optional
        if isinstance(field, Array):
            yield _named(place, may_miss), field.words, field.meaning
        else:
            yield from _arrays(field, f"{place}/", may_miss)


def _table(first: str, second: str, rows: list[tuple[str, str, str]]) -> str:
    lines = [f"| {first} | {second} | meaning |", "|---|---|---|"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])


if __name__ == "__main__":
    print(described())
