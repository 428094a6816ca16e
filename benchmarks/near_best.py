"""How often is each classifier near the best of all others? From what the few-label study has measured.

    python benchmarks/near_best.py

The best of many classifiers is partly the luckiest, and known only afterwards: a mark that is fair only if everybody is
held to it. Blocks are pairs of table and rate of flips; classifiers that were not run on all of a size are left out.
Below: in how many blocks of each rate of flips ours is ahead of the nearest peer, CatBoost.
"""

import json
from pathlib import Path

RESULT = Path(__file__).parent / "results" / "few-labels.json"
NEAR, SHOWN = 0.003, 3
SIGNS = {"accuracy": 1, "auc": 1, "brier": -1}


def shares(blocks, place, sign, names):
    """The share of blocks in which each is at most NEAR behind the best of the others."""
    found = dict.fromkeys(names, 0)
    for block in blocks:
        scores = {name: sign * block["values"][name][place] for name in names}
        for name, own in scores.items():
            found[name] += own >= max(score for other, score in scores.items() if other != name) - NEAR
    return {name: count / len(blocks) for name, count in found.items()}


def ahead(record, measure, sign, rival="CatBoost"):
    """For each rate of flips: in how many blocks ours is ahead, and of how many."""
    place, found = record["measures"].index(measure), {}
    for block in record["blocks"]:
        ours, theirs = (sign * block["values"][name][place] for name in (record["main"], rival))
        won, of = found.get(block["flips"], (0, 0))
        found[block["flips"]] = won + (ours > theirs), of + 1
    return found


def main():
    record = json.loads(RESULT.read_text())
    for size in record["sizes"]:
        blocks = [block for block in record["blocks"] if block["labels"] == size["labels"]]
        compared = size["against"].keys() | {record["main"]}
        names = [name for name in blocks[0]["values"] if name in compared and all(name in b["values"] for b in blocks)]
        for measure, sign in SIGNS.items():
            found = shares(blocks, record["measures"].index(measure), sign, names)
            best = sorted(found.items(), key=lambda entry: -entry[1])[:SHOWN]
            print(f"{size['labels']:>7} labels, {measure:8}", ", ".join(f"{name} {share:.0%}" for name, share in best))
    for measure, sign in SIGNS.items():
        shown = (f"{rate:.0%} flips {won} of {of}" for rate, (won, of) in ahead(record, measure, sign).items())
        print(f"ahead of CatBoost in {measure:8}", ", ".join(shown))


if __name__ == "__main__":
    main()
