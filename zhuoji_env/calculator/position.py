"""A position to settle, `zhuoji-position/1` of docs/formats.md: checked when it is made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from zhuoji_env import tiles
from zhuoji_env.calculator import melds
from zhuoji_env.calculator.melds import Meld
from zhuoji_env.engine.arguments import MAX_STREAK
from zhuoji_env.engine.layout import (
    DIAN,
    DISCARD_WIN,
    DRAW,
    ENDS,
    MAX_MELDS,
    MEN,
    N_SEATS,
    PENG_MELD,
    ROB_WIN,
    SELF_DRAW,
)
from zhuoji_env.errors import PositionError
from zhuoji_env.record.fields import Fields
from zhuoji_env.record.reading import parse_json
from zhuoji_env.rules import Rules
from zhuoji_env.tiles import N_KINDS, WU_GU, YAOJI

FORMAT = "zhuoji-position/1"
HAND = 13
COPIES = 4
KEYS = (
    "format",
    "rules",
    "dealer",
    "streak",
    "seats",
    "end",
    "shooter",
    "winners",
    "tile",
    "indicator",
    "first_yaoji",
    "first_wu_gu",
    "turn_kongs",
    "on_replacement",
    "marked",
    "opening",
)
SEAT_KEYS = ("hand", "melds", "river", "baoting")


@dataclass(frozen=True)
class Seat:
    """What one seat holds: concealed tiles without the winning one, and the river, as counts."""

    hand: list[int]
    melds: list[Meld]
    river: list[int]
    baoting: bool


@dataclass(frozen=True)
class First:
    """Who discarded the deal's first yaoji or 8p, and who claimed it, and how."""

    seat: int
    claimer: int | None
    by_gang: bool


@dataclass(frozen=True)
class Position:
    """A position that has been checked, but for whether the winners' hands are complete.

    `end` is the number of `layout.ENDS`, `turn_kongs` has a bit for each of the shooter's melds.
    """

    rules: Rules
    dealer: int
    streak: int
    seats: list[Seat]
    end: int
    shooter: int | None
    winners: list[int]
    tile: int | None
    indicator: int | None
    first_yaoji: First | None
    first_wu_gu: First | None
    turn_kongs: int
    on_replacement: bool
    marked: list[int]
    opening: bool

    @classmethod
    def parse(cls, raw: Position | Mapping[str, Any] | str | bytes) -> Position:
        """From an object or its JSON text. PositionError: which key, and the reason."""
        if isinstance(raw, Position):
            return raw
        value = parse_json(raw, PositionError) if isinstance(raw, (str, bytes)) else raw
        fields = Fields(value, KEYS, PositionError)
        fields.constant("format", FORMAT)
        rules = fields.rules("rules")
        seats = _seats(fields, rules)
        end = ENDS.index(fields.choice("end", ENDS[1:]))
        position = cls(
            rules=rules,
            dealer=fields.seat("dealer"),
            streak=fields.integer("streak", 1, MAX_STREAK) if "streak" in fields else 1,
            seats=seats,
            end=end,
            shooter=_shooter(fields, end),
            winners=fields.seats("winners"),
            tile=_tile(fields, end),
            indicator=fields.maybe_tile("indicator"),
            first_yaoji=_first(fields, "first_yaoji", YAOJI, seats),
            first_wu_gu=_first(fields, "first_wu_gu", WU_GU, seats),
            turn_kongs=_turn_kongs(fields, seats),
            on_replacement=fields.flag("on_replacement"),
            marked=fields.seats("marked"),
            opening=fields.flag("opening"),
        )
        _check_end(fields, position)
        _check_firsts(fields, position)
        _check_copies(position)
        return position


def _seats(fields: Fields, rules: Rules) -> list[Seat]:
    listed = fields.sequence("seats", "a list of four seats")
    if len(listed) != N_SEATS:
        raise fields.fail("seats", f"{len(listed)} given; allowed: a list of four seats")
    return [_seat(raw, i, rules) for i, raw in enumerate(listed)]


def _seat(raw: Any, i: int, rules: Rules) -> Seat:
    fields = Fields(raw, SEAT_KEYS, PositionError, f"seats[{i}]")
    laid = _melds(fields, i)
    hand = fields.tiles("hand")
    if len(hand) != HAND - 3 * len(laid):
        raise fields.fail(
            "hand",
            f"{len(hand)} tiles with {len(laid)} melds given; allowed: {HAND - 3 * len(laid)} "
            "(13 less 3 for each meld, the winning tile apart)",
        )
    baoting = fields.flag("baoting")
    if baoting and not rules.baoting.enabled:
        raise fields.fail("baoting", "true given; allowed: false, as baoting is not enabled")
    if baoting and laid:
        raise fields.fail(
            "baoting",
            f"true given; allowed: false beside melds such as '{laid[0]}': baoting comes before "
            "them and rules them out (R29)",
        )
    river = fields.tiles("river") if "river" in fields else []
    return Seat(_counts(hand), laid, _counts(river), baoting)


def _melds(fields: Fields, seat: int) -> list[Meld]:
    listed = fields.sequence("melds", "a list of melds") if "melds" in fields else []
    if len(listed) > MAX_MELDS:
        raise fields.fail("melds", f"{len(listed)} given; allowed: 0..{MAX_MELDS}")
    laid = []
    for i, text in enumerate(listed):
        try:
            meld = melds.parse(text)
        except ValueError as reason:
            raise fields.fail(f"melds[{i}]", str(reason)) from None
        if meld.feeder == seat:
            raise fields.fail(f"melds[{i}]", f"'{meld}' is from oneself; allowed: another seat")
        laid.append(meld)
    return laid


def _counts(kinds: Sequence[int]) -> list[int]:
    counts = [0] * N_KINDS
    for kind in kinds:
        counts[kind] += 1
    return counts


def _shooter(fields: Fields, end: int) -> int | None:
    if end in (DISCARD_WIN, ROB_WIN):
        return fields.seat("shooter")
    if fields.optional("shooter") is not None:
        given = fields.optional("shooter")
        raise fields.refuse("shooter", given, f"null, as end is {ENDS[end]}")
    return None


def _tile(fields: Fields, end: int) -> int | None:
    tile = fields.maybe_tile("tile")
    if end == DRAW and tile is not None:
        raise fields.refuse("tile", tiles.NAMES[tile], "null, as end is draw")
    if end != DRAW and tile is None:
        raise fields.refuse("tile", None, f"the tile won on, as end is {ENDS[end]}")
    return tile


def _first(fields: Fields, key: str, kind: int, seats: Sequence[Seat]) -> First | None:
    if fields.optional(key) is None:
        return None
    first = Fields(fields.optional(key), ("seat", "claimed_by"), PositionError, key)
    seat, claimer = first.seat("seat"), first.maybe_seat("claimed_by")
    name = tiles.NAMES[kind]
    if claimer is None:
        if not seats[seat].river[kind]:
            raise fields.fail(key, f"unclaimed, but seat {seat} has no {name} in its river")
        return First(seat, None, False)
    if claimer == seat:
        raise first.fail("claimed_by", f"{claimer} given; allowed: another seat than {seat}")
    for meld in seats[claimer].melds:
        if meld.kind == kind and meld.type != MEN and meld.feeder in (melds.NOBODY, seat):
            return First(seat, claimer, meld.type == DIAN)
    raise first.fail("claimed_by", f"seat {claimer} has no claimed meld of {name} from {seat}")


def _turn_kongs(fields: Fields, seats: Sequence[Seat]) -> int:
    listed = fields.sequence("turn_kongs", "a list of kongs") if "turn_kongs" in fields else []
    if not listed:
        return 0
    shooter = fields.maybe_seat("shooter")
    if shooter is None:
        raise fields.fail(
            "turn_kongs", "kongs given; allowed: none where nobody shot or was robbed"
        )
    places = {meld: place for place, meld in enumerate(seats[shooter].melds) if meld.is_kong}
    bits = 0
    for i, text in enumerate(listed):
        key = f"turn_kongs[{i}]"
        try:
            place = places[melds.parse(text)]
        except ValueError as reason:
            raise fields.fail(key, str(reason)) from None
        except KeyError:
            raise fields.fail(
                key, f"'{text}' is not among the kongs of the shooter, seat {shooter}"
            ) from None
        if bits >> place & 1:
            raise fields.fail(key, f"'{text}' is given twice")
        bits |= 1 << place
    return bits


def _check_end(fields: Fields, p: Position) -> None:
    name = ENDS[p.end]
    n = len(p.winners)
    if p.end == DRAW:
        if n:
            raise fields.fail("winners", f"{p.winners} given; allowed: none, as end is draw")
        if p.indicator is not None:
            raise fields.refuse("indicator", tiles.NAMES[p.indicator], "null, as end is draw")
    elif p.end == SELF_DRAW and n != 1:
        raise fields.fail("winners", f"{p.winners} given; allowed: one seat, as end is {name}")
    elif not n:
        raise fields.fail("winners", f"none given; allowed: one to three, as end is {name}")
    if p.shooter in p.winners:
        raise fields.fail("winners", f"seat {p.shooter} is the shooter; allowed: other seats")
    if n > 1 and not p.rules.win.multiple:
        raise fields.fail("winners", f"{p.winners} given; allowed: one, as win.multiple is false")
    if p.end == ROB_WIN and p.shooter is not None and p.tile is not None:
        laid = p.seats[p.shooter].melds
        if not any(meld.type == PENG_MELD and meld.kind == p.tile for meld in laid):
            tile = tiles.NAMES[p.tile]
            raise fields.fail("shooter", f"seat {p.shooter} was robbed of {tile}, but has no peng")
    for key, given in (("on_replacement", p.on_replacement), ("opening", p.opening)):
        if given and p.end != SELF_DRAW:
            raise fields.refuse(key, given, f"false, as end is {name}")
    if p.end == SELF_DRAW:
        _check_draw(fields, p, p.winners[0])


def _check_draw(fields: Fields, p: Position, winner: int) -> None:
    """R20 needs a kong of one's own; tian_hu and di_hu come before any meld, kongs included."""
    if p.on_replacement and not any(meld.is_kong for meld in p.seats[winner].melds):
        raise fields.fail(
            "on_replacement",
            f"true given; allowed: false, as the winner, seat {winner}, has no kong",
        )
    if not p.opening:
        return
    for i, seat in enumerate(p.seats):
        if seat.melds:
            raise fields.fail(
                "opening", f"true given; allowed: false, as seat {i} has '{seat.melds[0]}'"
            )
    if any(p.seats[winner].river):
        raise fields.fail(
            "opening", f"true given; allowed: false, as the winner, seat {winner}, has discarded"
        )


def _check_firsts(fields: Fields, p: Position) -> None:
    """`first_yaoji`, and where 8p is a ji `first_wu_gu`, cannot be null with one in a river or in a
    meld that was claimed."""
    asked = [("first_yaoji", p.first_yaoji, YAOJI)]
    if p.rules.ji.wu_gu:
        asked.append(("first_wu_gu", p.first_wu_gu, WU_GU))
    for key, first, kind in asked:
        for i, seat in enumerate(p.seats):
            if first is None and seat.river[kind]:
                raise fields.fail(
                    key, f"null or missing, but seat {i} has a {tiles.NAMES[kind]} in its river"
                )
            for meld in seat.melds:
                if first is None and meld.kind == kind and meld.type != MEN:
                    raise fields.fail(
                        key, f"null or missing, but seat {i}'s '{meld}' was claimed from a discard"
                    )


def _check_copies(p: Position) -> None:
    total = [sum(column) for column in zip(*(s.hand for s in p.seats), strict=True)]
    for seat in p.seats:
        for kind, n in enumerate(seat.river):
            total[kind] += n
        for meld in seat.melds:
            total[meld.kind] += meld.size
    for tile in (p.tile, p.indicator):
        if tile is not None:
            total[tile] += 1
    if max(total) > COPIES:
        kind = next(kind for kind, n in enumerate(total) if n > COPIES)
        raise PositionError(
            f"seats: {total[kind]} of {tiles.NAMES[kind]} in hands, melds, rivers, tile and "
            f"indicator; allowed: at most {COPIES} of a kind"
        )
