"""Tables with dates, codes and texts: some made, with known rules, and one of real sentences.

Each has a frame and two classes; ``columns`` are those that are neither numbers nor few categories.
"""

import importlib
import pkgutil
import warnings
from dataclasses import dataclass

import numpy as np
import pandas as pd


@dataclass(frozen=True)
class ColumnTable:
    """A frame, its labels, and the columns that this is about."""

    name: str
    X: pd.DataFrame
    y: np.ndarray
    columns: tuple[str, ...]


def all_tables(rows, seed):
    """All tables, with at most so many rows, shuffled."""
    for make in (orders, postal, products, complaints, titles, sentences):
        table = make(rows, np.random.default_rng(seed))
        order = np.random.default_rng(seed).permutation(len(table.y))[:rows]
        yield ColumnTable(table.name, table.X.iloc[order].reset_index(drop=True), table.y[order], table.columns)


def drawn(score, rng):
    """Labels by the logistic of a score, brought to a mean of zero and a standard deviation of 2.5."""
    score = (score - score.mean()) / score.std() * 2.5
    return (rng.random(len(score)) < 1.0 / (1.0 + np.exp(-score))).astype(int)


def numbers(rows, rng):
    return {"amount": rng.lognormal(size=rows), "age": rng.integers(18, 80, rows)}


def orders(rows, rng):
    """Fraud by the hour and the weekday, in December more than else, and by the amount."""
    when = pd.Timestamp("2023-01-01") + pd.to_timedelta(rng.integers(0, 730 * 24 * 60, rows), unit="min")
    own = numbers(rows, rng)
    score = 2.0 * (when.hour < 6) + 1.5 * (when.weekday >= 5) + 1.0 * (when.month == 12) + 0.8 * np.log(own["amount"])
    X = pd.DataFrame(
        {**own, "when": when, "born": (when - pd.to_timedelta(own["age"] * 365, unit="D")).strftime("%d/%m/%Y")}
    )
    return ColumnTable("orders by date", X, drawn(np.asarray(score, float), rng), ("when", "born"))


def _often(rows, values, rng):
    """Numbers of values, few of them often and most of them seldom."""
    share = 1.0 / (5.0 + np.arange(values))
    return rng.choice(values, rows, p=share / share.sum())


def postal(rows, rng):
    """Postal codes: a region has its own mean, and so has each of its 2,000 places."""
    codes = rng.permutation(np.arange(1000, 99999))[:2000]
    place = _often(rows, 2000, rng)
    effect = rng.normal(size=100)[codes // 1000] + 0.7 * rng.normal(size=2000)
    own = numbers(rows, rng)
    X = pd.DataFrame({**own, "zip": [f"{code:05d}" for code in codes[place]]})
    return ColumnTable("postal codes", X, drawn(effect[place] + 0.5 * np.log(own["amount"]), rng), ("zip",))


def products(rows, rng):
    """1,500 codes that say nothing by themselves: each has a mean of its own."""
    codes = np.array(["".join(rng.choice(list("ABCDEFGHJKLMNPQRSTUVWXYZ23456789"), 6)) for _ in range(1500)])
    place = _often(rows, 1500, rng)
    own = numbers(rows, rng)
    X = pd.DataFrame({**own, "product": codes[place]})
    return ColumnTable(
        "product codes", X, drawn(rng.normal(size=1500)[place] + 0.5 * np.log(own["amount"]), rng), ("product",)
    )


def _word(rng):
    return "".join(rng.choice(list("bcdfglmnprst")) + rng.choice(list("aeiou")) for _ in range(rng.integers(2, 5)))


def _misspelled(word, rng):
    if rng.random() > 0.15 or len(word) < 4:
        return word
    place = int(rng.integers(1, len(word) - 1))
    return word[:place] + word[place + 1 :]


def complaints(rows, rng):
    """Sentences of made words about one of eight matters, some words misspelled; matters differ in urgency."""
    common = [_word(rng) for _ in range(300)]
    matters = [[_word(rng) for _ in range(25)] for _ in range(8)]
    matter = rng.integers(0, 8, rows)
    texts = []
    for number in matter:
        words = [*rng.choice(common, rng.integers(4, 12)), *rng.choice(matters[number], rng.integers(2, 6))]
        texts.append(" ".join(_misspelled(str(word), rng) for word in rng.permutation(words)))
    own = numbers(rows, rng)
    X = pd.DataFrame({**own, "text": texts})
    score = rng.permutation(np.linspace(-1.5, 1.5, 8))[matter] + 0.4 * np.log(own["amount"])
    return ColumnTable("complaints", X, drawn(score, rng), ("text",))


def titles(rows, rng):
    """Titles of posts, put together of a rank, a trade and a place, with misspellings: the trade and rank count."""
    ranks = ["junior", "senior", "chief", "assistant", "deputy", "principal", "trainee"]
    trades = [_word(rng) for _ in range(60)]
    places = [_word(rng) for _ in range(40)]
    parts = [(rng.integers(0, len(words), rows), words) for words in (ranks, trades, places)]
    texts = [" ".join(_misspelled(words[number[row]], rng) for number, words in parts) for row in range(rows)]
    effect = rng.normal(size=7)[parts[0][0]] + 1.3 * rng.normal(size=60)[parts[1][0]]
    own = numbers(rows, rng)
    return ColumnTable("titles of posts", pd.DataFrame({**own, "title": texts}), drawn(effect, rng), ("title",))


def sentences(rows, rng):
    """Real English: the first sentences of docstrings of scikit-learn and of scipy; the class is the package."""
    found = []
    for label, package in enumerate(("scipy", "sklearn")):
        texts = sorted(set(_first_sentences(package)))
        found += [(text, label) for text in rng.permutation(texts)[: rows // 2]]
    text, label = zip(*found, strict=True)
    own = {"length": [len(one) for one in text], "words": [len(one.split()) for one in text]}
    return ColumnTable("docstrings", pd.DataFrame({**own, "sentence": text}), np.array(label), ("sentence",))


def _first_sentences(package):
    root = importlib.import_module(package)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for module in pkgutil.walk_packages(root.__path__, f"{package}.", onerror=lambda name: None):
            if any(word in module.name for word in ("tests", "conftest", "_lib", "_build")):
                continue
            try:
                own = importlib.import_module(module.name)
            except Exception:
                continue
            for name, value in sorted(vars(own).items()):
                if getattr(value, "__module__", None) == module.name and isinstance(value.__doc__, str):
                    sentence = " ".join(value.__doc__.strip().split("\n\n")[0].split()).replace(name, "it")
                    if 20 < len(sentence) < 300:
                        yield sentence
