"""R3 and R4: who is dealt what, and where the tiles come from."""

from __future__ import annotations

import pytest

from tests.golden.conftest import Play
from tests.scenario import DULL, Scenario

# The wall of the record in FORMATS.md, cut into the four-tile grabs of R3.
GRABS = (
    "4m1s9m8m", "9m6m3s5p", "3m5m2s2s", "3s6m2s3m",
    "1p4m8m7s", "6m7s5m4s", "1m9p3p1p", "5s7p1s5m",
    "6p7p7m8s", "1s9m6p2m", "4p2p3p2p", "6s5s8p8p",
)  # fmt: skip
REST = (
    "9s1m4m6s8m1p2m9s2s7m2m8s9p1s7s9s8s5s4p3m7s3p1p8s5p8p6s2p7m7m7p3m9p3s9s3s5s4s1m8p4m4s3p2m"
    "5m8m5p6s6p6p5p4p9m1m2p9p6m4s7p4p"
)
# wall[48..51] is one tile each, wall[52] the dealer's last; wall[53..55] the first three draws.
SINGLES = ("9s", "1m", "4m", "6s")
DEALERS_LAST = "8m"
DRAWS = ("1p", "2m", "9s")


def discards_of(text: str, seat: int) -> set[str]:
    return {f"{seat} discard {text[i : i + 2]}" for i in range(0, len(text), 2)}


def discards(deal: Scenario) -> set[str]:
    return {action for action in deal.legal() if " discard " in action}


@pytest.mark.parametrize("dealer", range(4))
def test_r3_grabs_of_four_then_one_each_then_the_dealers_last(
    implementation: str, dealer: int
) -> None:
    """R3: three rounds of four from the dealer on, one tile each, and the dealer's fourteenth."""
    deal = Scenario.on_wall(implementation, "zhuoji", "".join(GRABS) + REST, dealer=dealer)
    for distance in range(4):
        seat = (dealer + distance) % 4
        dealt = "".join(GRABS[distance::4]) + SINGLES[distance]
        # The dealer's last tile, or the draw that opens the other seats' first turns.
        turn_tile = DEALERS_LAST if distance == 0 else DRAWS[distance - 1]
        assert deal.seat == seat
        assert discards(deal) == discards_of(dealt + turn_tile, seat)
        deal.coast(discards=1)


def test_r4_replacements_come_from_the_tail_draws_from_the_head(play: Play) -> None:
    """R4: two kongs take wall[107] and wall[106]; the next player draws wall[53] all the same."""
    deal = play(
        "zhuoji",
        hands={0: "1111m7777m33366p4s"},
        replacements="6p 9m",
        draws="7s",
    )
    deal.play("0 gang 1m")
    # 14 - 4 + wall[107]: three 6p now.
    assert deal.legal() == discards_of("7m3p6p4s", 0) | {"0 gang 7m"}
    deal.play("0 gang 7m")
    assert deal.legal() == discards_of("3p6p4s9m", 0)
    deal.play("0 discard 9m")
    assert deal.seat == 1
    assert "1 discard 7s" in deal.legal()


def test_r4_r37_the_flip_is_the_head_tile_not_the_tail(play: Play) -> None:
    """R4, R37: a replacement leaves the head alone, which is turned when the deal ends."""
    deal = play(
        "zhuoji",
        hands={0: "2222m456789m333p6p"},
        replacements="6p",
        indicator="9m",
    )
    result = deal.play("0 gang 2m", "0 hu").result()
    assert (result.tile, result.indicator) == ("6p", "9m")


def test_r4_a_kong_takes_one_tile_off_the_end_of_the_deal(play: Play) -> None:
    """R4, R10: the wall's 108 - 53 = 55 tiles are drawn, whether as draws or as replacements."""
    plain = play("zhuoji", hands={0: DULL + "6p"}).coast()
    konged = play("zhuoji", hands={0: "1111m1245789p235s"}, replacements="9s")
    konged.play("0 gang 1m").coast()
    # The dealer's opening discard and one for each draw ...
    assert sum(" discard " in action for action in plain.actions) == 1 + 55
    # ... of which the kong's replacement took one without a discard of its own.
    assert sum(" discard " in action for action in konged.actions) == 1 + 55 - 1
