"""The two worked examples of FORMATS.md, priced by hand."""

from __future__ import annotations

from tests.golden.conftest import Settle
from tests.golden.test_setup import GRABS, REST
from tests.scenario import Scenario, bill, each, pay, position, seat

ACTIONS = (
    "2 discard 9m",
    "3 pass",
    "3 discard 7s",
    "0 baoting",
    "0 discard 9p",
    "1 discard 3m",
    "0 pass",
    "2 discard 1p",
    "3 discard 1p",
    "0 discard 2m",
    "1 discard 6m",
    "0 hu",
)


def test_the_record(implementation: str) -> None:
    """R29, R30, R37-R40: a declared hand wins at 10 in guiyang; indicator 9p, zhuo ji 1p.

    The only fan of the dealer, seat 2, is that of its tiles; it neither won nor shot.
    """
    deal = Scenario.on_wall(implementation, "guiyang", "".join(GRABS) + REST, dealer=2)
    result = deal.play(*ACTIONS).result()
    assert (result.end, result.winners, result.shooter, result.tile) == ("discard", [0], 1, "6m")
    assert result.indicator == "9p"
    assert result.ready == [True, False, False, False]
    assert result.items == bill(
        # max(pattern, 10); seat 1 threw it.
        pay("hu", 1, 0, 10),
        # 1s: one each with seats 1, 2 and 3 ...
        *(each("yao_ji", s, 1) for s in (1, 2, 3)),
        # ... and 1p: one each with seats 0, 2 (in the river), and 3 (in the river).
        *(each("zhuo_ji", s, 1) for s in (0, 2, 3)),
    )
    # Each of the six tiles brings its holder 3 and costs each other seat 1.
    assert result.scores == [10 + 3 - 5, -10 + 3 - 5, 6 - 4, 6 - 4]
    assert (result.next_dealer, result.next_streak) == (0, 1)


def test_the_position(settle: Settle) -> None:
    """R31, R35, R39, R40, R43: the dealer's hot shot after men 2p, thrown to big pairs."""
    result = settle(
        position(
            "zhuoji",
            [
                seat("123456789m123s5p"),
                seat("89m147p15s", "zhuan_wan 6p", "men 2p"),
                seat("777s444s33m88m", "peng 9p from 3"),
                seat("12579m358p25689s", river="1s"),
            ],
            end="discard",
            shooter=1,
            winners=[2],
            tile="3m",
            dealer=1,
            indicator="2m",
            first_yaoji={"seat": 3, "claimed_by": None},
            turn_kongs=["men 2p"],
        )
    )
    assert result.items == bill(
        pay("hu", 1, 2, 50),
        pay("dealer", 1, 2, 10),
        pay("re_pao", 1, 2, 3 * 20),
        # The men dou is void, the earlier zhuan_wan is not.
        each("zhuan_wan_dou", 1, 30),
        # Seat 1's yaoji burns, seat 3's charge chicken is not ready: seat 0's alone.
        each("yao_ji", 0, 10),
        each("zhuo_ji", 0, 10),
        each("zhuo_ji", 2, 3 * 10),
    )
    assert result.scores == [0, -80, 160, -80]
