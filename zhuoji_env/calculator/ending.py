"""The position in which a played deal ended."""

from __future__ import annotations

from typing import Any

from zhuoji_env import tiles
from zhuoji_env.calculator.melds import Meld
from zhuoji_env.calculator.position import FORMAT
from zhuoji_env.engine.games import Games
from zhuoji_env.engine.layout import (
    CLAIM_SHIFT,
    CLAIMED_HU,
    CLAIMER_SHIFT,
    DISCARD_WIN,
    DONE,
    DRAW,
    ENDS,
    N_SEATS,
    ROB_WIN,
    SELF_DRAW,
    UNCLAIMED,
)
from zhuoji_env.errors import PositionError
from zhuoji_env.record.result import in_order


def position_of(games: Games, i: int) -> dict[str, Any]:
    """The `zhuoji-position/1` of a table whose deal has ended; settling it gives the same bill.

    `marked` names winners alone, as nobody else's mark is paid for. PositionError while the deal
    runs.
    """
    g = games.state[i]
    if g["phase"] != DONE:
        raise PositionError(f"table {i}: the deal has not ended; allowed: a finished deal")
    rules = games.rules[g["rules"]]
    end = int(g["end"])
    shooter = int(g["shooter"]) if end in (DISCARD_WIN, ROB_WIN) else None
    winner = int(g["seat"])
    start = winner if shooter is None else shooter
    winners = in_order(int(g["winners"]), start)
    position: dict[str, Any] = {
        "format": FORMAT,
        "rules": rules.to_overrides(),
        "dealer": int(g["dealer"]),
        "streak": int(g["streak"]),
        "seats": [_seat(g, seat) for seat in range(N_SEATS)],
        "end": ENDS[end],
        "shooter": shooter,
        "winners": winners,
        "tile": None if end == DRAW else tiles.NAMES[g["tile"]],
        "indicator": tiles.NAMES[g["indicator"]] if g["indicator"] >= 0 else None,
        "first_yaoji": _first(g, int(g["first_yaoji"])),
    }
    if rules.ji.wu_gu:
        position["first_wu_gu"] = _first(g, int(g["first_wu_gu"]))
    if shooter is not None:
        kongs = [str(_meld(g, shooter, place)) for place in _places(int(g["turn_kongs"]))]
        position["turn_kongs"] = kongs
        position["marked"] = [seat for seat in winners if g["marked"][seat]]
    if end == SELF_DRAW:
        position["on_replacement"] = bool(g["replacement"])
        position["opening"] = bool(g["n_draws"][winner] == 1 and not g["any_meld"])
    return position


def _seat(g: Any, seat: int) -> dict[str, Any]:
    hand = [kind for kind in range(tiles.N_KINDS) for _ in range(g["hand"][seat, kind])]
    if g["end"] == SELF_DRAW and g["winners"] >> seat & 1:
        hand.remove(int(g["tile"]))
    log = zip(g["discards"], g["discard_seat"], g["discard_flag"], strict=True)
    river = [
        kind
        for kind, owner, flag in list(log)[: g["n_discards"]]
        if owner == seat and flag >> CLAIM_SHIFT & 3 == UNCLAIMED
    ]
    shown: dict[str, Any] = {
        "hand": tiles.show(hand),
        "melds": [str(_meld(g, seat, place)) for place in range(g["n_melds"][seat])],
        "river": tiles.show_wall(river),
    }
    return shown | {"baoting": True} if g["baoting"][seat] else shown


def _meld(g: Any, seat: int, place: int) -> Meld:
    fields = ("meld_type", "meld_kind", "meld_from", "meld_late")
    meld, kind, feeder, late = (int(g[name][seat, place]) for name in fields)
    return Meld(meld, kind, feeder, bool(late))


def _places(bits: int) -> list[int]:
    return [place for place in range(bits.bit_length()) if bits >> place & 1]


def _first(g: Any, place: int) -> dict[str, int | None] | None:
    """A first yaoji or 8p as positions tell it: null too where it was won on."""
    if place < 0:
        return None
    flag = int(g["discard_flag"][place])
    claim = flag >> CLAIM_SHIFT & 3
    if claim == CLAIMED_HU:
        return None
    claimer = None if claim == UNCLAIMED else flag >> CLAIMER_SHIFT & 3
    return {"seat": int(g["discard_seat"][place]), "claimed_by": claimer}
