"""Rigged deals kept as records: `tests/data/rigged.jsonl`.

    python -m tests.corpus

plays rigged deals through the referee and picks anew: under every preset, deals that reach each
branch of COVERAGE.md that its switches allow; for every switch, deals that would have gone
otherwise without it; and deals under random rulesets that reach every branch once more.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from tests.coverage_table import LINES, new_counts, reachable
from tests.lockstep import Job, Table
from tests.referee import PRESETS, Referee, Rules, parse_action, parse_tiles
from tests.rigging import THEMES, VALUES, focused, random_rules, value_at, with_value
from zhuoji_env.rules import Rules as CheckedRules

FILE = Path(__file__).parent / "data" / "rigged.jsonl"
MAX_BYTES = 1_000_000

STREET = "guiyang_street"
RULESETS: dict[str, Rules] = {**PRESETS, STREET: CheckedRules.load(STREET).to_dict()}
"""Every preset, as the referee takes it."""

NOT_IN_A_DEAL = ("deal.dice", "deal.first_dealer")
"""Switches that a record cannot show: it begins after them."""

EACH, TIMES = 60, 2
"""Deals played of every theme before choosing, and how often a line is to be reached."""

Record = dict[str, Any]


@dataclass(frozen=True)
class Deal:
    """A finished deal and the lines of COVERAGE.md that it reaches."""

    record: Record
    lines: frozenset[str]

    @property
    def length(self) -> int:
        return len(self.record["actions"])


def reached(counter: Counter[str]) -> frozenset[str]:
    return frozenset(line for line, n in counter.items() if n)


def play(job: Job, rng: Random) -> Deal:
    """One rigged deal, played to its end by the referee."""
    counts = new_counts()
    table = Table(job, rng, counts)
    while not table.referee.done:
        table.referee.step(table.choose(rng))
    record = json.loads(table.record())
    record["result"] = table.referee.result()
    return Deal(record, reached(sum(counts.values(), Counter())))


def refereed(record: Record, rules: Rules, counter: Counter[str] | None = None) -> Referee:
    """Play a record through the referee; ValueError at the first action it does not allow."""
    for referee in steps(record, rules, Counter() if counter is None else counter):
        last = referee
    return last


def steps(record: Record, rules: Rules, counter: Counter[str]) -> Iterator[Referee]:
    """The referee before every decision of a record, and after the last."""
    wall = parse_tiles(record["wall"])
    referee = Referee(rules, wall, record["dealer"], record["streak"], counter)
    yield referee
    for text in record["actions"]:
        seat, _, action = text.partition(" ")
        if int(seat) != referee.seat:
            raise ValueError(f"{text!r}: seat {referee.seat} is asked")
        referee.step(parse_action(action))
        yield referee


def cover(deals: Sequence[Deal], needs: Collection[str], times: int = 1) -> list[Deal]:
    """Those of the deals that reach every line needed so many times, or as often as all do.

    Greedy, rare lines weighing most; of equals, the shorter deal.
    """
    frequency = Counter(line for deal in deals for line in deal.lines)
    left = {line: min(times, frequency[line]) for line in LINES if line in needs}
    rest, chosen = list(deals), []
    while left := {line: n for line, n in left.items() if n}:
        weights = {line: 1 / frequency[line] for line in left}
        best = max(rest, key=partial(_gain, weights))
        rest.remove(best)
        chosen.append(best)
        left = {line: n - (line in best.lines) for line, n in left.items()}
    return without_spare(chosen, needs, times)


def _gain(weights: dict[str, float], deal: Deal) -> tuple[float, int]:
    return sum(weights[line] for line in weights if line in deal.lines), -deal.length


def without_spare(chosen: Sequence[Deal], needs: Collection[str], times: int) -> list[Deal]:
    """The same without those that later choices have made needless, long ones first."""
    kept = list(chosen)
    number = Counter(line for deal in kept for line in deal.lines)
    for deal in sorted(chosen, key=lambda deal: -deal.length):
        if all(number[line] > times for line in deal.lines if line in needs):
            kept.remove(deal)
            number.subtract(deal.lines)
    return kept


def pool(rules: Rules, rng: Random, each: int = EACH) -> list[Deal]:
    """Deals of every theme under one ruleset; enough of them to reach all that it allows."""
    needs = allowed(rules)
    deals: list[Deal] = []
    while needs - reached_by(deals):
        deals += [play((theme, rules), rng) for theme in THEMES for _ in range(each)]
    return deals


def allowed(rules: Rules) -> set[str]:
    """The lines that a ruleset's switches allow."""
    return {line for line in LINES if reachable(line, rules)}


def reached_by(deals: Iterable[Deal]) -> set[str]:
    return {line for deal in deals for line in deal.lines}


# --------------------------------------------------------------------------------------------------
# Switches


def switch_values() -> list[tuple[str, Any]]:
    """What to turn every switch to: each word, truth and null that it takes, and some number."""
    kinds = {
        (path, "number" if type(value) is int else value): None
        for path, values in VALUES.items()
        for value in values
        if path not in NOT_IN_A_DEAL
    }
    return [turn for turn in kinds if turned(*turn)]


def turned(path: str, kind: Any) -> list[tuple[Rules, Rules]]:
    """Presets with one switch turned to a kind of value, each beside the preset itself."""
    wanted = [v for v in VALUES[path] if (type(v) is int if kind == "number" else v == kind)]
    return [
        (preset, with_value(preset, path, value))
        for preset in PRESETS.values()
        for value in wanted
        if value != value_at(preset, path)
    ]


def felt(record: Record, rules: Rules, path: str, value: Any) -> bool:
    """Whether the deal would have gone otherwise, or been paid otherwise, at another value."""
    there = with_value(rules, path, value)
    try:
        for one, other in zip(
            steps(record, rules, Counter()), steps(record, there, Counter()), strict=True
        ):
            if (one.seat, one.legal()) != (other.seat, other.legal()):
                return True
    except ValueError:
        return True
    return bool(one.result() != other.result())


def feel(path: str, kind: Any, rng: Random) -> Deal:
    """A deal under a preset with one switch turned that would have gone otherwise without it."""
    while True:
        preset, changed = rng.choice(turned(path, kind))
        deal = play((rng.choice(list(THEMES)), changed), rng)
        if felt(deal.record, changed, path, value_at(preset, path)):
            return deal


# --------------------------------------------------------------------------------------------------
# The file


def load(file: Path = FILE) -> list[Record]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def save(records: Iterable[Record], file: Path) -> None:
    text = "".join(json.dumps(record, separators=(",", ":")) + "\n" for record in records)
    file.write_text(text, encoding="utf-8")


def main() -> None:
    rng = Random("corpus")
    deals = [deal for rules in RULESETS.values() for deal in cover(pool(rules, rng), LINES, TIMES)]
    deals += [feel(path, kind, rng) for path, kind in switch_values()]
    jobs = [(theme, random_rules(rng)) for theme in THEMES for _ in range(EACH)]
    drawn = [play(job, rng) for job in [*jobs, *focused() * EACH]]
    deals += cover(drawn, LINES, TIMES)
    save((deal.record for deal in deals), FILE)


if __name__ == "__main__":
    main()
