"""What a learner is shown: named planes over the 27 kinds and named globals, from VIEW records.

Seats are relative to the viewer: 0 self, 1 next in order of play, 2 across, 3 before. `PLANES` and
`GLOBALS` name every row, its range and its meaning; a trained policy records `VERSION`.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from zhuoji_env.actions import BAOTING, GANG, HU, PASS, PENG
from zhuoji_env.engine.games import Games
from zhuoji_env.engine.kernel import kernel
from zhuoji_env.engine.layout import (
    AFTER_PENG,
    CLAIM,
    CLAIM_SHIFT,
    CLAIMED_HU,
    CLAIMER_SHIFT,
    PENG_MELD,
    ROB,
    TURN,
    UNCLAIMED,
    VIEW,
)
from zhuoji_env.rules.schema import switches
from zhuoji_env.tiles import WU_GU, YAOJI

VERSION = 1
N_SWITCHES = len(switches())


class Channel(NamedTuple):
    """One row of an observation."""

    name: str
    low: float
    high: float
    meaning: str


SEATS = ("self", "next", "across", "before")
N_RECENT = 8
MAX_JI = 120
FULL_WALL = 55.0
MAX_STREAK_SHOWN = 10.0


def _planes() -> tuple[Channel, ...]:
    rows = [
        Channel("hand", 0, 4, "own concealed tiles"),
        *(Channel(f"hand_{n}", 0, 1, f"own hand holds at least {n}") for n in range(1, 5)),
        Channel("drawn", 0, 1, "the own tile just drawn"),
        Channel("waits", 0, 1, "kinds that complete the own 13 tiles (R18)"),
        Channel("tile", 0, 1, "the tile in question: a discard, or a kong that may be robbed"),
        Channel("unseen", 0, 4, "copies neither in hand, melds nor rivers"),
        Channel("ji_held", 0, MAX_JI, "fan of a held one as a standing ji, in units of ping_hu"),
        Channel("ji_river", 0, MAX_JI, "the same of one in the river"),
        Channel("may_discard", 0, 1, "legal to discard"),
        Channel("may_gang", 0, 1, "legal to gang"),
    ]
    for meld in ("peng", "dian", "zhuan_wan", "men"):
        rows += [Channel(f"{meld}_{seat}", 0, 1, f"{meld} laid by {seat}") for seat in SEATS]
    rows += [Channel(f"river_{seat}", 0, 4, f"unclaimed discards of {seat}") for seat in SEATS]
    rows += [
        Channel(f"recent_{seat}", 0, N_RECENT, f"{N_RECENT} for the latest discard of {seat}, …, 1")
        for seat in SEATS
    ]
    rows += [
        Channel(f"drawn_river_{seat}", 0, 4, f"discards of {seat} thrown as drawn (摸切)")
        for seat in SEATS
    ]
    return tuple(rows)


def _globals() -> tuple[Channel, ...]:
    rows = [
        Channel("wall_left", 0, 1, f"undrawn tiles / {FULL_WALL:.0f}"),
        Channel("streak", 0, 1, f"the dealer's streak / {MAX_STREAK_SHOWN:.0f}, at most 1"),
        *(Channel(f"dealer_{seat}", 0, 1, f"{seat} is the dealer") for seat in SEATS),
        *(
            Channel(f"phase_{p}", 0, 1, f"the phase is {p}")
            for p in ("turn", "after_peng", "claim", "rob")
        ),
        *(Channel(f"shooter_{s}", 0, 1, f"the tile in question is {s}'s") for s in SEATS[1:]),
        *(Channel(f"baoting_{seat}", 0, 1, f"{seat} is baoting") for seat in SEATS),
        *(Channel(f"melds_{seat}", 0, 1, f"melds of {seat} / 4") for seat in SEATS),
        *(Channel(f"dou_{seat}", 0, 1, f"kongs of {seat} / 4") for seat in SEATS),
        Channel("declared", 0, 1, "baoting is declared and its discard owed"),
        Channel("marked", 0, 1, "the viewer is marked (R19)"),
        Channel("hot", 0, 1, "a kong was declared in this turn (R31)"),
        Channel("replacement", 0, 1, "the drawn tile is a replacement tile (R20)"),
        Channel("ready", 0, 1, "the own 13 tiles are ready (R18)"),
        Channel("yaoji_none", 0, 1, "nobody has discarded a yaoji yet (R39)"),
        *(
            Channel(f"charge_{s}", 0, 1, f"the first yaoji lies unclaimed in the river of {s}")
            for s in SEATS
        ),
        *(
            Channel(f"zeren_{s}", 0, 1, f"the first yaoji was taken by {s} with peng or gang (R41)")
            for s in SEATS
        ),
        *(Channel(f"may_{a}", 0, 1, f"{a} is legal") for a in ("peng", "hu", "baoting", "pass")),
    ]
    for switch in switches():
        rows.append(Channel(f"rule_{switch.path}", -1, 1, f"{switch.type}, see `rules_scale`"))
    return tuple(rows)


PLANES = _planes()
GLOBALS = _globals()
N_PLANES = len(PLANES)
N_GLOBALS = len(GLOBALS)
N_CHANNELS = N_PLANES + N_GLOBALS

_AT = {channel.name: i for i, channel in enumerate(PLANES)}
_HAND, _DRAWN, _WAITS, _TILE = _AT["hand"], _AT["drawn"], _AT["waits"], _AT["tile"]
_UNSEEN, _JI_HELD, _JI_RIVER = _AT["unseen"], _AT["ji_held"], _AT["ji_river"]
_MAY_DISCARD, _MAY_GANG = _AT["may_discard"], _AT["may_gang"]
_MELDS, _RIVER, _RECENT = _AT["peng_self"], _AT["river_self"], _AT["recent_self"]
_DRAWN_RIVER = _AT["drawn_river_self"]
_RULES_AT = N_GLOBALS - N_SWITCHES

ORACLE_TILES = 8
ORACLE = (
    *(Channel(f"hand_{s}", 0, 4, f"concealed tiles of {s}") for s in SEATS[1:]),
    *(Channel(f"waits_{s}", 0, 1, f"waits of {s}") for s in SEATS[1:]),
    *(Channel(f"next_{i}", 0, 1, f"tile {i} from the wall's head") for i in range(ORACLE_TILES)),
)
N_ORACLE = len(ORACLE)

FAN_SCALE = 20.0
_EIGHTS = sum(N_RECENT << (8 * seat) for seat in range(4))


def rules_scale() -> NDArray[np.float32]:
    """Return what each switch's code is divided by in the globals: (57,) float32.

    Fan are divided by 20 x `hand.ping_hu` instead (a zero here), enumerations and ranges by their
    greatest code, then clipped to -1..1; null is -1.
    """
    scale = [0.0 if s.high >= 1000 else float(max(s.high, 1)) for s in switches()]
    return np.array(scale, np.float32)


_SCALE = rules_scale()


@kernel
def _standing_ji(v: Any, planes: NDArray[np.int8]) -> None:
    """Write the price of each standing ji, flip or no flip: yaoji, wu_gu, xing_qi (R39, R40)."""
    r = v.rules
    unit = r.hand_ping_hu
    for kind in range(27):
        held = 0
        river = 0
        weekday = r.ji_xing_qi and kind % 9 == r.ji_xing_qi - 1
        standing = False
        if kind == YAOJI:
            held, river = r.ji_yao_held, r.ji_yao_river
            standing = True
        elif kind == WU_GU and r.ji_wu_gu:
            held, river = r.ji_wu_gu, r.ji_wu_gu
            standing = True
        if weekday:
            if standing and r.ji_gold == 0:
                held, river = 2 * held, 2 * river
            else:
                held, river = held + r.ji_zhuo_held, river + r.ji_zhuo_river
        planes[_JI_HELD, kind] = min(MAX_JI, held // unit)
        planes[_JI_RIVER, kind] = min(MAX_JI, river // unit)


@kernel
def _write_planes(v: Any, planes: NDArray[np.int8]) -> None:
    planes[:] = 0
    for kind in range(27):
        n = v.hand[kind]
        planes[_HAND, kind] = n
        for i in range(n):
            planes[_HAND + 1 + i, kind] = 1
        planes[_WAITS, kind] = v.waits >> kind & 1
        planes[_UNSEEN, kind] = v.unseen[kind]
        planes[_MAY_DISCARD, kind] = v.legal >> kind & 1
        planes[_MAY_GANG, kind] = v.legal >> (GANG + kind) & 1
        for seat in range(4):
            planes[_RIVER + seat, kind] = v.river[seat, kind]
    if v.drawn >= 0:
        planes[_DRAWN, v.drawn] = 1
    if v.tile >= 0:
        planes[_TILE, v.tile] = 1
    for seat in range(4):
        for i in range(v.n_melds[seat]):
            planes[_MELDS + 4 * (v.meld_type[seat, i] - PENG_MELD) + seat, v.meld_kind[seat, i]] = 1
    latest = _EIGHTS  # one byte a seat: the recency of its next older discard
    for i in range(v.n_discards - 1, -1, -1):
        seat, kind, flag = v.discard_seat[i], v.discards[i], v.discard_flag[i]
        recency = (latest >> (8 * seat)) & 255
        if recency > 0:
            if planes[_RECENT + seat, kind] == 0:
                planes[_RECENT + seat, kind] = recency
            latest -= 1 << (8 * seat)
        planes[_DRAWN_RIVER + seat, kind] += flag & 1
    _standing_ji(v, planes)


@kernel
def _write_globals(
    v: Any, codes: NDArray[np.int32], scale: NDArray[np.float32], out: NDArray[np.float32]
) -> None:
    out[:] = 0.0
    out[0] = v.wall_left / FULL_WALL
    out[1] = min(1.0, v.streak / MAX_STREAK_SHOWN)
    out[2 + v.dealer] = 1.0
    phases = (TURN, AFTER_PENG, CLAIM, ROB)
    for i in range(4):
        out[6 + i] = 1.0 if v.phase == phases[i] else 0.0
    if v.shooter > 0:
        out[9 + v.shooter] = 1.0
    for seat in range(4):
        out[13 + seat] = v.baoting[seat]
        out[17 + seat] = v.n_melds[seat] / 4.0
        dou = 0
        for i in range(v.n_melds[seat]):
            dou += 1 if v.meld_type[seat, i] != PENG_MELD else 0
        out[21 + seat] = dou / 4.0
    out[25] = v.declared
    out[26] = v.marked
    out[27] = v.hot
    out[28] = v.replacement
    out[29] = 1.0 if v.waits else 0.0
    if v.first_yaoji < 0:
        out[30] = 1.0
    else:
        flag = v.discard_flag[v.first_yaoji]
        claim = (flag >> CLAIM_SHIFT) & 3
        if claim == UNCLAIMED:
            out[31 + v.discard_seat[v.first_yaoji]] = 1.0
        elif claim != CLAIMED_HU:
            out[35 + ((flag >> CLAIMER_SHIFT) & 3)] = 1.0
    out[39] = v.legal >> PENG & 1
    out[40] = v.legal >> HU & 1
    out[41] = v.legal >> BAOTING & 1
    out[42] = v.legal >> PASS & 1
    fan = FAN_SCALE * v.rules.hand_ping_hu
    for i in range(scale.shape[0]):
        code = codes[i]
        value = code / scale[i] if scale[i] > 0 else code / fan
        out[_RULES_AT + i] = -1.0 if code < 0 else min(1.0, value)


@kernel
def _write(
    views: Any,
    codes: NDArray[np.int32],
    scale: NDArray[np.float32],
    planes: NDArray[np.int8],
    rows: NDArray[np.float32],
) -> None:
    for i in range(views.shape[0]):
        _write_planes(views[i], planes[i])
        _write_globals(views[i], codes[i], scale, rows[i])


@kernel
def _write_oracle(games: Any, seats: NDArray[np.int8], out: NDArray[np.int8]) -> None:
    out[:] = 0
    for i in range(games.shape[0]):
        g = games[i]
        for place in range(3):
            q = (seats[i] + 1 + place) & 3
            for kind in range(27):
                out[i, place, kind] = g.hand[q, kind]
                out[i, 3 + place, kind] = g.waits[q] >> kind & 1
        for j in range(min(ORACLE_TILES, g.tail - g.head)):
            out[i, 6 + j, g.wall[g.head + j]] = 1


Arrays = tuple[NDArray[np.int8], NDArray[np.float32]]


def of_views(views: NDArray[np.void], out: Arrays | None = None) -> Arrays:
    """Return planes (N, P, 27) int8 and globals (N, G) float32 of VIEW records."""
    if out is None:
        planes, rows = _arrays(len(views), False)
        out = planes, rows
    codes = views["rules"].view((np.int32, N_SWITCHES))
    _write(views, codes, _SCALE, out[0], out[1])
    return out


def observe(
    games: Games,
    out: Any = None,
    *,
    seats: ArrayLike | None = None,
    oracle: bool = False,
) -> Any:
    """Return what the acting seats (or `seats`, (N,)) of a batch are shown.

    Planes (N, P, 27) int8 and globals (N, G) float32, rows named by `PLANES` and `GLOBALS`; with
    `oracle` also the hidden truth (N, H, 27) int8, rows named by `ORACLE`, as a third array apart,
    for critics and auxiliary targets only. `out` is a tuple of such arrays to write into.
    """
    viewers = np.ascontiguousarray(games.seat if seats is None else seats, np.int8)
    views = np.empty(len(games), VIEW)
    games.view(views, seats=viewers)
    arrays = _arrays(len(games), oracle) if out is None else out
    games.each(lambda p: of_views(views[p], (arrays[0][p], arrays[1][p])))
    if oracle:
        games.each(lambda p: _write_oracle(games.state[p], viewers[p], arrays[2][p]))
    return arrays


def _arrays(n: int, oracle: bool) -> tuple[NDArray[Any], ...]:
    shown = np.empty((n, N_PLANES, 27), np.int8), np.empty((n, N_GLOBALS), np.float32)
    return (*shown, np.empty((n, N_ORACLE, 27), np.int8)) if oracle else shown


def stack(planes: NDArray[np.int8], rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return one float32 array (N, P + G, 3, 9): the planes by suit, the globals broadcast."""
    n = len(planes)
    out = np.empty((n, N_CHANNELS, 3, 9), np.float32)
    out[:, :N_PLANES] = planes.reshape(n, N_PLANES, 3, 9)
    out[:, N_PLANES:] = rows[:, :, None, None]
    return out


def bounds() -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return the lowest and highest values of a stacked observation: two (C, 3, 9) float32."""
    channels = (*PLANES, *GLOBALS)
    low = np.array([c.low for c in channels], np.float32)
    high = np.array([c.high for c in channels], np.float32)
    shape = (N_CHANNELS, 3, 9)
    return (
        np.broadcast_to(low[:, None, None], shape).copy(),
        np.broadcast_to(high[:, None, None], shape).copy(),
    )


Games.observer = staticmethod(observe)
