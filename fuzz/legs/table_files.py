"""Damaged tables in files: refused with a sentence, or read."""

import io
import secrets
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import pandas as pd

from agnoboost.tables.files import TableFileError, read_table

from ..byte_damage import damaged
from ..leg import Leg, Recipe, put
from ..models import mixed
from ..outcomes import Outcome, Verdict, of_exception


def _bytes(write: Callable[[io.BytesIO], object]) -> bytes:
    buffer = io.BytesIO()
    write(buffer)
    return buffer.getvalue()


def _bases() -> dict[str, bytes]:
    """The same table in every kind of file; kinds whose package is missing are left out."""
    table = mixed(30)[0].assign(label=["yes", "no", None] * 10)
    text = table.to_csv(index=False)
    makers: dict[str, Callable[[], bytes]] = {
        "table.csv": text.encode,
        "semicolons.csv": lambda: table.to_csv(index=False, sep=";", decimal=",").encode(),
        "utf16.csv": lambda: text.encode("utf-16"),
        "tabs.txt": lambda: table.to_csv(index=False, sep="\t").encode("latin-1"),
        "lines.jsonl": lambda: table.to_json(orient="records", lines=True, date_format="iso").encode(),
        "list.json": lambda: table.to_json(orient="records", date_format="iso").encode(),
        "table.parquet": lambda: _bytes(table.to_parquet),
        "table.feather": lambda: _bytes(table.to_feather),
        "table.xlsx": lambda: _bytes(lambda file: table.to_excel(file, index=False)),
    }
    for packing, ending in (("gzip", "gz"), ("bz2", "bz2"), ("xz", "xz"), ("zip", "zip")):
        makers[f"table.csv.{ending}"] = lambda way=packing: _bytes(lambda file: table.to_csv(file, compression=way))
    found = {}
    for name, make in makers.items():
        try:
            found[name] = make()
        except ImportError:
            continue
    return found


class TableFiles(Leg):
    name = "table files"
    what = "tables in files"
    share = 1.5
    megabytes = 1000

    def start(self, folder: Path) -> None:
        self._folder = folder / secrets.token_hex(8)
        self._folder.mkdir()
        self._bases = _bases()
        self._whole = {name: self._read(name, content) for name, content in self._bases.items()}

    def _read(self, name: str, content: bytes) -> pd.DataFrame:
        put(self._folder / name, content)
        return read_table(self._folder / name, "label", tell=lambda message: None)

    def recipe(self, dice: Random) -> Recipe:
        count = dice.choice((1, 1, 2, 4))
        return {"base": dice.choice(sorted(self._bases)), "changes": [dice.getrandbits(32) for _ in range(count)]}

    def run(self, recipe: Recipe) -> Verdict:
        name, content = recipe["base"], self._bases[recipe["base"]]
        for number in recipe["changes"]:
            content = damaged(content, Random(number))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                found = self._read(name, content)
            except Exception as error:
                return of_exception(error, (TableFileError,))
        return Verdict(Outcome.SAME if found.equals(self._whole[name]) else Outcome.OTHER)

    def smaller(self, recipe: Recipe) -> Iterator[Recipe]:
        for place in range(len(recipe["changes"]) if len(recipe["changes"]) > 1 else 0):
            yield {**recipe, "changes": recipe["changes"][:place] + recipe["changes"][place + 1 :]}
