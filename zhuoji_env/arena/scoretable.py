"""Benchmarks side by side, as the Markdown that `docs/benchmark.md` has."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from zhuoji_env.arena.scores import SEATS, Card, Score
from zhuoji_env.arena.stats import Interval
from zhuoji_env.errors import ZhuojiError
from zhuoji_env.writing import write_whole

BEGIN = "<!-- Written by `zhuoji benchmark table`. -->"
END = "<!-- As far as here. -->"

Cell = Callable[[Score, Interval], str]


def markdown(cards: Sequence[Card]) -> str:
    """Return the scores of some result files, the best agent first.

    Raises ZhuojiError if they are of different benchmarks, or one agent's twice.
    """
    if not cards:
        raise ZhuojiError("no result files; allowed: one or more")
    frozen = cards[0].gauntlet
    for card in cards:
        if card.gauntlet != frozen:
            raise ZhuojiError(
                f"{card.path} is of {card.gauntlet.name} {card.gauntlet.fingerprint}, "
                f"{cards[0].path} of {frozen.name} {frozen.fingerprint}; allowed: one benchmark"
            )
    names = [card.name for card in cards]
    for name in names:
        if names.count(name) > 1:
            raise ZhuojiError(f"{name} is given {names.count(name)} times; allowed: once")
    ranked = sorted(cards, key=_mean, reverse=True)
    parts = [
        _about(ranked),
        "In standard deviations of greedy self-play, points per deal, mean over the opponents:",
        _by_preset(ranked, _sigmas),
        "The same in points:",
        _by_preset(ranked, _points),
    ]
    for preset in frozen.rules:
        parts += [f"`{preset}`, by opponent, in standard deviations:", _by_member(ranked, preset)]
    return "\n\n".join(parts) + "\n"


def write(cards: Sequence[Card], page: str | Path) -> None:
    """Put the scores into a page, between its two marks. Raises ZhuojiError if it has none."""
    text = Path(page).read_text(encoding="utf-8")
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ZhuojiError(f"{page}: has no place for the scores; allowed: {BEGIN} and {END}")
    write_whole(Path(page), f"{before}{BEGIN}\n\n{markdown(cards)}\n{END}{after}")


def _mean(card: Card) -> float:
    """Return the mean of an agent's scores in standard deviations."""
    means = [score.in_sigmas(score.points).mean for score in card.scores()]
    return sum(means) / len(means) if means else float("-inf")


def _about(cards: Sequence[Card]) -> str:
    frozen = cards[0].gauntlet
    deals = frozen.blocks * len(SEATS)
    runs = [run for card in cards for run in card.runs]
    days = sorted(run["began"][:10] for run in runs)
    versions = sorted({f"{name} {v}" for run in runs for name, v in run["versions"].items()})
    when = f"; {days[0]} to {days[-1]}, {', '.join(versions)}" if runs else ""
    return (
        f"`{frozen.name}`, fingerprint `{frozen.fingerprint}`: {frozen.blocks:,} blocks, "
        f"{deals:,} deals against each of {', '.join(frozen.members)}; walls of seed "
        f"{frozen.seed}{when}. After ± the half width of the 95% interval; * is a quick look at "
        "fewer blocks, which is not the benchmark."
    )


def _by_preset(cards: Sequence[Card], cell: Cell) -> str:
    rows = []
    for card in cards:
        of = {score.rules: score for score in card.scores()}
        cells = [cell(of[p], of[p].points) if p in of else "" for p in card.gauntlet.rules]
        rows.append([card.name, *cells])
    return _table(["agent", *cards[0].gauntlet.rules], rows)


def _by_member(cards: Sequence[Card], preset: str) -> str:
    rows = []
    for card in cards:
        for score in card.scores():
            if score.rules == preset:
                rows.append([card.name, *(_sigmas(score, m) for m in score.members.values())])
    return _table(["agent", *cards[0].gauntlet.members], rows)


def _sigmas(score: Score, points: Interval) -> str:
    return _cell(score, score.in_sigmas(points), 3)


def _points(score: Score, points: Interval) -> str:
    return _cell(score, points, 2)


def _cell(score: Score, value: Interval, digits: int) -> str:
    half = (value.high - value.low) / 2
    star = "" if score.whole else "*"
    return f"{value.mean:+.{digits}f} ± {half:.{digits}f}{star}"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
