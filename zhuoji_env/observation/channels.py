"""The rows of an observation: name, range and meaning of each plane, global and hidden plane.

Rows of the cheap set come first, so that it is a prefix of the full one.
"""

from typing import NamedTuple

from zhuoji_env.rules.schema import switches

SEATS = ("self", "next", "across", "before")
OTHERS = SEATS[1:]
N_RECENT = 8
MAX_JI = 120
FULL_WALL = 55.0
MAX_STREAK_SHOWN = 10.0
FAN_SCALE = 20.0
PERCENT = 100
# Distances are shown up to this; a route that is closed is as far.
FAR_SHOWN = 9
MELDS = ("peng", "dian", "zhuan_wan", "men")
PHASES = ("turn", "after_peng", "claim", "rob")
ORACLE_TILES = 8
N_SWITCHES = len(switches())


class Channel(NamedTuple):
    """One row of an observation."""

    name: str
    low: float
    high: float
    meaning: str


def _cheap_planes() -> list[Channel]:
    return [
        Channel("hand", 0, 4, "own concealed tiles"),
        *(Channel(f"hand_{n}", 0, 1, f"own hand holds at least {n}") for n in range(1, 5)),
        Channel("drawn", 0, 1, "the own tile just drawn"),
        Channel("waits", 0, 1, "kinds that complete the own 13 tiles (R18)"),
        Channel("tile", 0, 1, "the tile in question: a discard, or a kong that may be robbed"),
        Channel("unseen", 0, 4, "copies neither in hand, melds nor rivers"),
        Channel("ji_held", 0, MAX_JI, "fan of a held one as a standing ji, in units of ping_hu"),
        Channel("ji_river", 0, MAX_JI, "the same of one in the river"),
        Channel("zhuo_chance", 0, PERCENT, "chance in % that a flip now makes it a zhuo ji (R37)"),
        Channel("may_discard", 0, 1, "legal to discard"),
        Channel("may_gang", 0, 1, "legal to gang"),
        *(Channel(f"{m}_{seat}", 0, 1, f"{m} laid by {seat}") for m in MELDS for seat in SEATS),
        *(Channel(f"river_{seat}", 0, 4, f"unclaimed discards of {seat}") for seat in SEATS),
        *(
            Channel(f"recent_{seat}", 0, N_RECENT, f"{N_RECENT} for the last discard of {seat}, …")
            for seat in SEATS
        ),
        *(
            Channel(f"drawn_river_{seat}", 0, 4, f"discards of {seat} thrown as drawn (摸切)")
            for seat in SEATS
        ),
        *(Channel(f"claimed_{seat}", 0, 4, f"discards of {seat} claimed") for seat in SEATS),
        *(
            Channel(f"let_go_{seat}", 0, 1, f"{seat} did not win on it since its last draw (R19)")
            for seat in OTHERS
        ),
    ]


def _dear_planes() -> list[Channel]:
    return [
        Channel("advance", 0, 1, "kinds that lower the distance of the own hand"),
        Channel("left", 0, FAR_SHOWN, "1 + the distance that its discard leaves, 0 if not legal"),
        *(
            Channel(f"danger_{seat}", 0, PERCENT, f"an estimate of how likely {seat} wins on it")
            for seat in OTHERS
        ),
    ]


def _cheap_globals() -> list[Channel]:
    return [
        Channel("wall_left", 0, 1, f"undrawn tiles / {FULL_WALL:.0f}"),
        Channel("streak", 0, 1, f"the dealer's streak / {MAX_STREAK_SHOWN:.0f}, at most 1"),
        *(Channel(f"dealer_{seat}", 0, 1, f"{seat} is the dealer") for seat in SEATS),
        *(Channel(f"phase_{phase}", 0, 1, f"the phase is {phase}") for phase in PHASES),
        *(Channel(f"shooter_{seat}", 0, 1, f"the tile in question is {seat}'s") for seat in OTHERS),
        *(Channel(f"baoting_{seat}", 0, 1, f"{seat} is baoting") for seat in SEATS),
        *(Channel(f"melds_{seat}", 0, 1, f"melds of {seat} / 4") for seat in SEATS),
        *(Channel(f"dou_{seat}", 0, 1, f"kongs of {seat} / 4") for seat in SEATS),
        Channel("declared", 0, 1, "baoting is declared and its discard owed"),
        Channel("marked", 0, 1, "the viewer is marked (R19)"),
        Channel("hot", 0, 1, "a kong was declared in this turn (R31)"),
        Channel("replacement", 0, 1, "the drawn tile is a replacement tile (R20)"),
        Channel("ready", 0, 1, "the own 13 tiles are ready (R18)"),
        Channel("passport", 0, 1, "a ping_hu of one's own may win on a discard (R16, R17c)"),
        Channel("yaoji_none", 0, 1, "nobody has discarded a yaoji yet (R39)"),
        *(
            Channel(f"charge_{seat}", 0, 1, f"the first yaoji lies unclaimed, thrown by {seat}")
            for seat in SEATS
        ),
        *(
            Channel(f"zeren_{seat}", 0, 1, f"{seat} took the first yaoji by peng or gang (R41)")
            for seat in SEATS
        ),
        *(Channel(f"may_{a}", 0, 1, f"{a} is legal") for a in ("peng", "hu", "baoting", "pass")),
        *(
            Channel(f"rule_{s.path}", -1, 1, f"the switch ({s.type}), scaled; null is -1")
            for s in switches()
        ),
    ]


def _dear_globals() -> list[Channel]:
    routes = {
        "standard": "melds and a pair",
        "pairs": "seven pairs",
        "triplets": "triplets and a pair",
        "suit_m": "one suit, characters",
        "suit_p": "one suit, dots",
        "suit_s": "one suit, bamboo",
    }
    return [
        Channel(f"to_{name}", 0, 1, f"(1 + distance to {what}) / {FAR_SHOWN}; 1 if closed")
        for name, what in routes.items()
    ]


CHEAP_PLANES = len(_cheap_planes())
CHEAP_GLOBALS = len(_cheap_globals())
PLANES = (*_cheap_planes(), *_dear_planes())
GLOBALS = (*_cheap_globals(), *_dear_globals())
N_PLANES = len(PLANES)
N_GLOBALS = len(GLOBALS)
N_CHANNELS = N_PLANES + N_GLOBALS
ORACLE = (
    *(Channel(f"hand_{seat}", 0, 4, f"concealed tiles of {seat}") for seat in OTHERS),
    *(Channel(f"waits_{seat}", 0, 1, f"waits of {seat}") for seat in OTHERS),
    *(Channel(f"next_{i}", 0, 1, f"tile {i} from the wall's head") for i in range(ORACLE_TILES)),
)
N_ORACLE = len(ORACLE)

PLANE_AT = {channel.name: i for i, channel in enumerate(PLANES)}
GLOBAL_AT = {channel.name: i for i, channel in enumerate(GLOBALS)}
