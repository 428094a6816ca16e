"""What the study was to show, and whether its figures do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..pages import short, signed, signed_with_error

MOST_LOSS, MOST_SHARE = 0.003, 0.03  # AUC that useless machines may cost on average; share of cells with more than HARM


def verdicts(found: dict[str, Any]) -> list[dict[str, Any]]:
    """Claims with their figures, and whether each is reached; None where nothing was measured."""
    sizes = found["sizes"]
    return [
        _verdict(
            f"A paired gain in AUC over gold labels alone, with an interval above 0 ({group} machines)",
            [_gain(size, group) for size in sizes],
        )
        for group in ("real and simulated", "real")
    ] + [
        _verdict(f"Useless machines cost at most {short(MOST_LOSS)} AUC on average", [_loss(size) for size in sizes]),
        _verdict(f"and more than .005 in at most {MOST_SHARE:.0%} of the cells", [_share(size) for size in sizes]),
        *(
            _verdict(
                f"Not behind the best rival by more than the interval ({group} machines)",
                [_rival(size, group) for size in sizes],
            )
            for group in ("real and simulated", "real")
        ),
        _verdict("With the most machine-labeled rows level with a good machine alone", [_machine(found["curve"])]),
    ]


def _verdict(claim: str, parts: list[tuple[str, bool] | None]) -> dict[str, Any]:
    there = [part for part in parts if part is not None]
    reached = all(fine for _, fine in there) if there else None
    return {"claim": claim, "figures": "; ".join(text for text, _ in there), "reached": reached}


def _of(size: dict[str, Any], group: str, say: Callable[[dict[str, Any]], tuple[str, bool]]) -> tuple[str, bool] | None:
    found = size["groups"].get(group)
    if found is None or "against" not in found:
        return None
    text, fine = say(found)
    return f"{size['gold']}: {text}", fine


def _gain(size: dict[str, Any], group: str) -> tuple[str, bool] | None:
    def say(found: dict[str, Any]) -> tuple[str, bool]:
        entry = found["against"]["gold only"]["auc"]
        return _interval(entry), entry["half_width"] is not None and entry["mean"] > entry["half_width"]

    return _of(size, group, say)


def _rival(size: dict[str, Any], group: str) -> tuple[str, bool] | None:
    def say(found: dict[str, Any]) -> tuple[str, bool]:
        rival = found["best_rival"]
        entry = found["against"][rival]["auc"]
        return f"{_interval(entry)} ({rival})", entry["mean"] + (entry["half_width"] or 0.0) >= 0.0

    return _of(size, group, say)


def _loss(size: dict[str, Any]) -> tuple[str, bool] | None:
    harm = size["harm"]
    return harm and (f"{size['gold']}: {signed(harm['mean'])}", harm["mean"] >= -MOST_LOSS)


def _share(size: dict[str, Any]) -> tuple[str, bool] | None:
    harm = size["harm"]
    return harm and (f"{size['gold']}: {harm['share']:.1%} of {harm['cells']}", harm["share"] <= MOST_SHARE)


def _machine(curve: dict[str, Any] | None) -> tuple[str, bool] | None:
    entry = (curve or {}).get("against_machine", [None])[-1]
    if curve is None or entry is None:
        return None
    text = f"{curve['pools'][-1]:,} rows: {_interval(entry)} in {curve['good']} pairs of table and machine"
    return text, entry["mean"] + (entry["half_width"] or 0.0) >= 0.0


def _interval(entry: dict[str, Any]) -> str:
    return signed(entry["mean"]) if entry["half_width"] is None else signed_with_error(entry)
