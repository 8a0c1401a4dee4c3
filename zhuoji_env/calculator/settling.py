"""Settling positions: many in one kernel call."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from zhuoji_env import tiles
from zhuoji_env.calculator.explanation import Line, explain, page, section
from zhuoji_env.calculator.melds import Meld
from zhuoji_env.calculator.position import First, Position
from zhuoji_env.engine.games import Games
from zhuoji_env.engine.layout import (
    CLAIM_SHIFT,
    CLAIMED_GANG,
    CLAIMED_PENG,
    CLAIMER_SHIFT,
    MAX_DISCARDS,
    MAX_MELDS,
    N_SEATS,
    SELF_DRAW,
)
from zhuoji_env.engine.position import settle_positions
from zhuoji_env.engine.tables import wins
from zhuoji_env.errors import PositionError
from zhuoji_env.record.result import results
from zhuoji_env.rules import Rules
from zhuoji_env.tiles import WU_GU, YAOJI

Raw = Position | Mapping[str, Any] | str | bytes

_NO_MELD = (0, -1, -1, False)


@dataclass(frozen=True)
class Settlement:
    """A settled position: its table, and the `result` object of docs/formats.md."""

    position: Position
    games: Games
    table: int
    result: dict[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """The `result` object."""
        return dict(self.result)

    def explain(self, language: str = "en") -> list[Line]:
        """The bill in words ("en" or "zh"): clause and arithmetic, and what is not paid and why.

        Over the lines of an item, each (payer, payee) comes to the fan of the bill.
        """
        return explain(self.position, self.games, self.table, self.result, language)

    def to_section(self, title: str, language: str = "en") -> str:
        """A heading and an HTML table of the explanation, to stand on a page."""
        return section(title, self.result, self.explain(language), language)

    def to_html(self, language: str = "en") -> str:
        """A self-contained page with that table."""
        return "".join(page([self.to_section(self.position.rules.name, language)], language))


def settle(position: Raw) -> Settlement:
    """The bill (R20–R47) of one `zhuoji-position/1`, an object or its JSON text.

    Raises PositionError: the key's path and the reason.
    """
    return next(settle_all([position]))


def settle_all(positions: Iterable[Raw]) -> Iterator[Settlement]:
    """Settle many positions in one kernel call and yield them in order.

    Raises PositionError at the first bad one, after the settlements before it.
    """
    parsed, fault = _parse_while_sound(positions)
    if parsed:
        games = tables(parsed)
        incomplete = np.zeros(len(parsed), np.uint8)
        settle_positions(games.state, games.records, wins(), incomplete)
        bad = int(np.argmax(incomplete != 0)) if incomplete.any() else len(parsed)
        for i, result in enumerate(results(games.state[:bad])):
            yield Settlement(parsed[i], games, i, result)
        if bad < len(parsed):
            raise _not_complete(parsed[bad], int(incomplete[bad]))
    if fault is not None:
        raise fault


def tables(positions: Sequence[Position]) -> Games:
    """Tables that stand as the positions say, before they are settled."""
    index: dict[Rules, int] = {}
    numbers = [index.setdefault(position.rules, len(index)) for position in positions]
    games = Games(len(positions), rules=list(index), rules_index=numbers)
    for columns in (_tile_columns(positions), _end_columns(positions), _first_columns(positions)):
        for name, values in columns.items():
            games.state[name] = values
    games.state["pattern"] = -1
    return games


def _tile_columns(positions: Sequence[Position]) -> dict[str, Any]:
    """The fields of GAME that say what the seats have."""
    seats = [p.seats for p in positions]
    laid = np.array([[_padded(seat.melds) for seat in four] for four in seats], np.int8)
    return {
        "hand": [[seat.hand for seat in four] for four in seats],
        "river": [[seat.river for seat in four] for four in seats],
        "baoting": [[seat.baoting for seat in four] for four in seats],
        "n_melds": [[len(seat.melds) for seat in four] for four in seats],
        **{f"meld_{name}": laid[..., i] for i, name in enumerate(("type", "kind", "from", "late"))},
    }


def _end_columns(positions: Sequence[Position]) -> dict[str, Any]:
    """The fields of GAME that say how the deal ended."""
    return {
        "deal": 0,
        "dealer": [p.dealer for p in positions],
        "streak": [p.streak for p in positions],
        "end": [p.end for p in positions],
        "winners": [sum(1 << w for w in p.winners) for p in positions],
        # A self-drawn winner acts last; elsewhere nothing reads it.
        "seat": [p.winners[0] if p.winners else p.dealer for p in positions],
        "shooter": [_number(p.shooter) for p in positions],
        "tile": [_number(p.tile) for p in positions],
        "drawn": [_number(p.tile if p.end == SELF_DRAW else None) for p in positions],
        # R37: the indicator is the head of what is left of the wall.
        "wall": np.array([_number(p.indicator) for p in positions], np.int8)[:, None],
        "tail": [int(p.indicator is not None) for p in positions],
        "turn_kongs": [p.turn_kongs for p in positions],
        "replacement": [p.on_replacement for p in positions],
        "marked": [[seat in p.marked for seat in range(N_SEATS)] for p in positions],
        # tian_hu and di_hu speak of a first draw.
        "n_draws": [[1 if p.opening else 2] * N_SEATS for p in positions],
    }


def _first_columns(positions: Sequence[Position]) -> dict[str, Any]:
    """The fields of GAME that say where the first yaoji and 8p went, as if discarded in turn."""
    firsts = [(p.first_yaoji, p.first_wu_gu) for p in positions]
    n = len(positions)
    discards = np.full((n, MAX_DISCARDS), -1, np.int8)
    seats = discards.copy()
    flags = np.zeros((n, MAX_DISCARDS), np.uint8)
    for i, pair in enumerate(firsts):
        for place, (first, kind) in enumerate(zip(pair, (YAOJI, WU_GU), strict=True)):
            if first is not None:
                discards[i, place] = kind
                seats[i, place] = first.seat
                flags[i, place] = _flag(first)
    return {
        "first_yaoji": [-1 if yaoji is None else 0 for yaoji, _ in firsts],
        "first_wu_gu": [-1 if wu_gu is None else 1 for _, wu_gu in firsts],
        "discards": discards,
        "discard_seat": seats,
        "discard_flag": flags,
    }


def _flag(first: First) -> int:
    if first.claimer is None:
        return 0
    claim = CLAIMED_GANG if first.by_gang else CLAIMED_PENG
    return claim << CLAIM_SHIFT | first.claimer << CLAIMER_SHIFT


def _padded(laid: Sequence[Meld]) -> list[tuple[int, int, int, bool]]:
    return [*laid, *[_NO_MELD] * (MAX_MELDS - len(laid))]


def _number(value: int | None) -> int:
    return -1 if value is None else value


def _not_complete(position: Position, losers: int) -> PositionError:
    seat = next(seat for seat in range(N_SEATS) if losers >> seat & 1)
    assert position.tile is not None
    tile = tiles.NAMES[position.tile]
    return PositionError(f"winners: seat {seat}'s hand is not complete with {tile} (R15)")


def _parse_while_sound(raws: Iterable[Raw]) -> tuple[list[Position], PositionError | None]:
    parsed: list[Position] = []
    for raw in raws:
        try:
            parsed.append(Position.parse(raw))
        except PositionError as fault:
            return parsed, fault
    return parsed, None
