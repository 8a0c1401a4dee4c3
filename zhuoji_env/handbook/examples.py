"""Worked bills: positions, and for every line of their bill the arithmetic behind it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

EACH = -1
"""Payer of a line that each other seat pays alike."""

DULL = "1245789p235689s"
"""Thirteen tiles without a pair, a yaoji or a wait, which three seats can hold at once."""
DULL_MS = "1245789m235689s"
PING_HU = "789m444m333m777s6p"
"""Beside such seats, ready for 6p."""
EAST, SOUTH, WEST, NORTH = range(4)


@dataclass(frozen=True)
class Line:
    """One payment: its fan as a sum of products of switches and counts, and why in words."""

    item: str
    payer: int
    payee: int
    sum: str
    why: str


@dataclass(frozen=True)
class Example:
    """A position, what happened in it, and its bill line by line."""

    title: str
    story: str
    rules: str
    seats: Sequence[dict[str, Any]]
    end: str
    lines: Sequence[Line]
    winners: Sequence[int] = (EAST,)
    tile: str | None = "6p"
    shooter: int | None = None
    dealer: int = NORTH
    streak: int = 1
    indicator: str | None = None
    extras: dict[str, Any] = field(default_factory=dict)

    @property
    def position(self) -> dict[str, Any]:
        """The `zhuoji-position/1` object."""
        return {
            "format": "zhuoji-position/1",
            "rules": self.rules,
            "dealer": self.dealer,
            "streak": self.streak,
            "seats": list(self.seats),
            "end": self.end,
            "shooter": self.shooter,
            "winners": list(self.winners),
            "tile": self.tile,
            "indicator": self.indicator,
            **self.extras,
        }


def _seat(hand: str, *melds: str, **more: Any) -> dict[str, Any]:
    return {"hand": hand, "melds": list(melds), "river": "", **more}


_DULL = _seat(DULL)
_SELF_DRAW = Line("hu", EACH, EAST, "hand.ping_hu", "R22: a self-drawn ping hu")
_BONUS = Line("dealer", NORTH, EAST, "dealer_bonus", "R21: one of the two seats is the dealer")

EXAMPLES: tuple[Example, ...] = (
    Example(
        title="A win on a discard",
        story="South, who deals for the second time in a row, discards the 6p that East's four "
        "triplets wait for.",
        rules="zhuoji",
        seats=[_seat("333m444m777s99m66p"), _DULL, _DULL, _DULL],
        end="discard",
        shooter=SOUTH,
        dealer=SOUTH,
        streak=2,
        lines=[
            Line("hu", SOUTH, EAST, "hand.da_dui_zi", "R23: the shooter alone pays for da dui zi"),
            Line("dealer", SOUTH, EAST, "2 * dealer_bonus", "R21: the dealer's second deal"),
        ],
    ),
    Example(
        title="A self-draw on a replacement tile, and a men dou",
        story="East declares a concealed kong of 4s and wins on the tile that replaces it.",
        rules="duole",
        seats=[_seat("789m444m333m6p", "men 4s"), _DULL, _DULL, _DULL],
        end="self_draw",
        extras={"on_replacement": True},
        lines=[
            Line(
                *("hu", EACH, EAST, "hand.ping_hu + hand.gang_shang_hua"),
                "R22, R20: ping hu, and gang shang hua on top",
            ),
            Line("men_dou", EACH, EAST, "dou.men", "R35: a concealed kong"),
        ],
    ),
    Example(
        title="Dou of a player who did not win",
        story="South has added a fourth 3p to a peng, and has made a kong of three 4s and West's "
        "discard. East wins by self-draw, and pays South for the dou like everybody else.",
        rules="guiyang",
        seats=[
            _seat("789m444m333m777s6p"),
            _seat("1245789p", "zhuan_wan 3p", "dian 4s from 2"),
            _DULL,
            _DULL,
        ],
        end="self_draw",
        lines=[
            _SELF_DRAW,
            _BONUS,
            Line("zhuan_wan_dou", EACH, SOUTH, "dou.zhuan_wan", "R35: a kong added to a peng"),
            Line("dian_dou", WEST, SOUTH, "dou.dian", "R35: its feeder alone pays"),
        ],
    ),
    Example(
        title="A hot shot",
        story="South declares a concealed kong of 4s, and discards the 6p that East wins on. The "
        "dou of that turn is void, and South's yaoji burns.",
        rules="zhuoji",
        seats=[_seat(PING_HU), _seat("1245789p125s", "men 4s"), _DULL, _DULL],
        end="discard",
        shooter=SOUTH,
        extras={"turn_kongs": ["men 4s"]},
        lines=[
            Line("hu", SOUTH, EAST, "hand.ping_hu", "R23: ping hu; R17 waives the passport"),
            Line(
                *("re_pao", SOUTH, EAST, "3 * dou.men"),
                "R31: what the dou would have collected from three seats",
            ),
        ],
    ),
    Example(
        title="A win after a passed win",
        story="East passed a 6p and takes the next one, which South discards before East has "
        "drawn again: a foul.",
        rules="zhuoji",
        seats=[_seat(PING_HU), _DULL, _DULL, _DULL],
        end="discard",
        shooter=SOUTH,
        extras={"marked": [EAST]},
        lines=[
            Line("bao", EAST, seat, "hand.ping_hu", "R25: the fouling winner pays all three")
            for seat in (SOUTH, WEST, NORTH)
        ],
    ),
    Example(
        title="Three winners on one discard",
        story="North discards a 6p that East, South and West all win on. Here they pay North.",
        rules="zhuoji",
        seats=[_seat(PING_HU), _seat("234567888s45p99m"), _seat("222m555m888m45p11p"), _DULL],
        end="discard",
        shooter=NORTH,
        winners=[EAST, SOUTH, WEST],
        dealer=EAST,
        lines=[
            Line("hu", seat, NORTH, "hand.ping_hu", "R24: each winner pays the discarder")
            for seat in (EAST, SOUTH, WEST)
        ],
    ),
    Example(
        title="A robbed kong",
        story="South adds a 6p to a peng, and East wins on it. South pays the shares of all three.",
        rules="guiyang",
        seats=[
            _seat("789m444m777s45p99s"),
            _seat("1245789p235s", "peng 6p from 2"),
            _DULL,
            _DULL,
        ],
        end="rob",
        shooter=SOUTH,
        lines=[
            Line("hu", SOUTH, EAST, "3 * hand.ping_hu", "R33: three shares of a self-draw"),
            Line("dealer", SOUTH, EAST, "dealer_bonus", "R33: the bonus in the dealer's share"),
        ],
    ),
    Example(
        title="Four yaoji",
        story="East declares a concealed kong of yaoji and wins by self-draw.",
        rules="zhuoji",
        seats=[_seat("789m444m333m6p", "men 1s"), _DULL, _DULL, _DULL],
        end="self_draw",
        lines=[
            _SELF_DRAW,
            _BONUS,
            Line("men_yao", EACH, EAST, "ji.men_yao", "R42: instead of one dou and four ji"),
        ],
    ),
    Example(
        title="Gold and the charge chicken",
        story="West discarded the deal's first yaoji, and nobody claimed it. East wins with two "
        "in hand. The indicator is 9s, so that yaoji are indicated themselves: gold.",
        rules="guiyang",
        seats=[_seat("789m444m333m45p11s"), _DULL, _seat(DULL, river="1s"), _DULL],
        end="self_draw",
        indicator="9s",
        extras={"first_yaoji": {"seat": WEST, "claimed_by": None}},
        lines=[
            _SELF_DRAW,
            _BONUS,
            Line("yao_ji", EACH, EAST, "2 * 2 * ji.yao_held", "R39, R40: two yaoji, doubled"),
            Line("charge_ji", EACH, WEST, "2 * ji.charge", "R39, R40: the charge chicken, doubled"),
        ],
    ),
    Example(
        title="Zhuo ji, and who collects them",
        story="East wins by self-draw; the indicator is 8m, so that 9m is zhuo ji. East holds "
        "one. South, who is ready, has one in the river. So has West, who is not ready and "
        "collects nothing.",
        rules="duole",
        seats=[
            _seat(PING_HU),
            _seat("555m666m222m56s99p", river="9m"),
            _seat(DULL, river="9m"),
            _DULL,
        ],
        end="self_draw",
        indicator="8m",
        lines=[
            _SELF_DRAW,
            Line("zhuo_ji", EACH, EAST, "ji.zhuo_held", "R40: one held"),
            Line("zhuo_ji", EACH, SOUTH, "ji.zhuo_river", "R40: one in the river"),
        ],
    ),
    Example(
        title="The responsibility chicken",
        story="West discarded the deal's first yaoji, and South took it by peng.",
        rules="guiyang",
        seats=[_seat(PING_HU), _seat("1245789p235s", "peng 1s from 2"), _DULL, _DULL],
        end="self_draw",
        extras={"first_yaoji": {"seat": WEST, "claimed_by": SOUTH}},
        lines=[
            _SELF_DRAW,
            _BONUS,
            Line("yao_ji", EACH, SOUTH, "3 * ji.yao_held", "R39: a peng is three yaoji held"),
            Line("zeren_ji", WEST, SOUTH, "ji.zeren", "R41: its discarder pays more"),
        ],
    ),
    Example(
        title="Wu gu ji",
        story="East wins by self-draw and holds an 8p, a ji on the street.",
        rules="guiyang_street",
        seats=[_seat("789p333m444777s6m"), *[_seat(DULL_MS)] * 3],
        end="self_draw",
        tile="6m",
        lines=[
            _SELF_DRAW,
            _BONUS,
            Line("wu_gu_ji", EACH, EAST, "ji.wu_gu", "R39: one 8p held"),
        ],
    ),
    Example(
        title="Sha bao and bao ji",
        story="South, who is baoting, discards East's 6m. West is not ready and holds a yaoji "
        "and an 8p; East has won and South is ready.",
        rules="guiyang_street",
        seats=[
            _seat("123p333m444777s6m"),
            _seat("123456p456m99p23s", baoting=True),
            _seat("124578m12358s89p"),
            _seat(DULL_MS),
        ],
        end="discard",
        tile="6m",
        shooter=SOUTH,
        lines=[
            Line(
                *("hu", SOUTH, EAST, "baoting.value"),
                "R23, R30: the floor of a win on a baoting player's discard",
            ),
            Line("sha_bao", SOUTH, EAST, "baoting.sha_bao", "R30: a declared hand that deals in"),
            *(
                Line(
                    *("bao_ji", WEST, seat, "ji.yao_held + ji.wu_gu"),
                    "R39: West owes for its own ji, a yaoji and an 8p",
                )
                for seat in (EAST, SOUTH)
            ),
        ],
    ),
    Example(
        title="Nobody wins",
        story="The wall is empty. East is ready for four triplets and a pair, South for a ping "
        "hu; West and North are not ready.",
        rules="zhuoji",
        seats=[_seat("333m444m777s99m66p"), _seat("555m666m222m56s99p"), _DULL, _DULL],
        end="draw",
        winners=[],
        tile=None,
        lines=[
            Line("cha_jiao", payer, payee, price, f"R44: {what} at its dearest")
            for payee, price, what in (
                (EAST, "hand.da_dui_zi", "East's hand"),
                (SOUTH, "hand.ping_hu", "South's hand"),
            )
            for payer in (WEST, NORTH)
        ],
    ),
)
