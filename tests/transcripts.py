"""Golden transcripts: for every preset twenty deals as records and as text.

`tests/data/transcripts/<preset>.jsonl` holds the records, `<preset>.txt` what they tell.

    python -m tests.transcripts            writes the texts anew from the records
    python -m tests.transcripts --choose   picks the deals anew first: a few that greedy plays
                                           against itself, then rigged ones until every branch of
                                           COVERAGE.md that the preset allows is shown
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from random import Random

from tests.corpus import (
    RULESETS,
    Deal,
    Record,
    allowed,
    cover,
    load,
    pool,
    reached,
    reached_by,
    refereed,
    save,
)
from zhuoji_env import baselines
from zhuoji_env.record import play_out, transcript

FOLDER = Path(__file__).parent / "data" / "transcripts"
DEALS = 20
SELF_PLAY, SESSION = 3, 40
"""Deals of greedy against itself: how many are shown if there is room, out of how many played."""
EACH = 300
"""Rigged deals played of every theme before choosing."""
RARE = 4
"""How many of a deal's lines its note names."""


def records(preset: str) -> list[Record]:
    """The deals of a preset."""
    return load(FOLDER / f"{preset}.jsonl")


def text_file(preset: str) -> Path:
    return FOLDER / f"{preset}.txt"


def text(preset: str, deals: Sequence[Record]) -> str:
    """What the text file of a preset holds: every deal under a heading with its note."""
    parts = []
    for number, record in enumerate(deals, 1):
        heading = f"=== {preset}, deal {number} of {len(deals)}\n=== {record['note']}"
        parts.append(f"{heading}\n\n{transcript(record)}\n")
    return "\n\n".join(parts)


def self_play(preset: str) -> list[Deal]:
    """A session of greedy against itself."""
    players = [baselines.make("greedy") for _ in range(4)]
    played = play_out(preset, SESSION, players, seed=len(preset), names=["greedy"] * 4)
    deals = []
    for record in played:
        counter: Counter[str] = Counter()
        refereed(record, RULESETS[preset], counter).result()
        deals.append(Deal(record, reached(counter)))
    return deals


def choose(preset: str) -> list[Record]:
    """Twenty deals that show all that a preset allows: ordinary ones as room is, then rigged."""
    rng, needs = Random(f"transcripts {preset}"), allowed(RULESETS[preset])
    ordinary, rigged = self_play(preset), pool(RULESETS[preset], rng, EACH)
    for number in range(SELF_PLAY, -1, -1):
        first = cover(ordinary, needs)[:number]
        rest = cover(rigged, needs - reached_by(first))
        if number + len(rest) <= DEALS:
            break
    else:
        raise SystemExit(f"{preset}: {DEALS} deals do not show all")
    more = [deal for deal in ordinary if deal not in first]
    first += more[: DEALS - number - len(rest)]
    frequency = Counter(line for deal in [*ordinary, *rigged] for line in deal.lines)
    return [_noted(preset, deal, frequency) for deal in [*first, *rest]]


def _noted(preset: str, deal: Deal, frequency: Counter[str]) -> Record:
    """The record with a note of how it came about and the rarest that it shows."""
    theme = deal.record.get("note")
    how = f"rigged ({theme})" if theme else "greedy against itself"
    rarest = sorted(deal.lines, key=lambda line: (frequency[line], line))[:RARE]
    return {**deal.record, "rules": preset, "note": f"{how}: {'; '.join(rarest)}"}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--choose", action="store_true", help="pick the deals anew first")
    options = parser.parse_args()
    for preset in RULESETS:
        if options.choose:
            save(choose(preset), FOLDER / f"{preset}.jsonl")
        text_file(preset).write_text(text(preset, records(preset)), encoding="utf-8")


if __name__ == "__main__":
    main()
