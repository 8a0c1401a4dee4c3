"""The referee by itself: the worked examples of FORMATS.md, and what holds of every deal."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import pytest

from tests.coverage_table import LINES, column, missing, new_counts, reachable, table, unknown
from tests.referee import (
    KINDS,
    PASS,
    PENG,
    PRESETS,
    Meld,
    Referee,
    Rules,
    action_name,
    hand_name,
    merged,
    overrides,
    parse_action,
    parse_tiles,
    perft,
    settle,
)
from tests.rigging import THEMES, VALUES, choose, random_rules, rigged, turned_once, value_at

WORKED_WALL = (
    "4m1s9m8m9m6m3s5p3m5m2s2s3s6m2s3m1p4m8m7s6m7s5m4s1m9p3p1p5s7p1s5m6p7p7m8s1s9m6p2m4p2p3p2p6s5s8p"
    "8p9s1m4m6s8m1p2m9s2s7m2m8s9p1s7s9s8s5s4p3m7s3p1p8s5p8p6s2p7m7m7p3m9p3s9s3s5s4s1m8p4m4s3p2m5m8m"
    "5p6s6p6p5p4p9m1m2p9p6m4s7p4p"
)
WORKED_ACTIONS = (
    "2 discard 9m, 3 pass, 3 discard 7s, 0 baoting, 0 discard 9p, 1 discard 3m, 0 pass, "
    "2 discard 1p, 3 discard 1p, 0 discard 2m, 1 discard 6m, 0 hu"
)
WORKED_RESULT = {
    "end": "discard",
    "winners": [0],
    "shooter": 1,
    "tile": "6m",
    "indicator": "9p",
    "ready": [True, False, False, False],
    "items": [
        ["hu", 1, 0, 10],
        ["yao_ji", 0, 1, 1],
        ["yao_ji", 0, 2, 1],
        ["yao_ji", 0, 3, 1],
        ["yao_ji", 1, 2, 1],
        ["yao_ji", 1, 3, 1],
        ["yao_ji", 2, 1, 1],
        ["yao_ji", 2, 3, 1],
        ["yao_ji", 3, 1, 1],
        ["yao_ji", 3, 2, 1],
        ["zhuo_ji", 0, 2, 1],
        ["zhuo_ji", 0, 3, 1],
        ["zhuo_ji", 1, 0, 1],
        ["zhuo_ji", 1, 2, 1],
        ["zhuo_ji", 1, 3, 1],
        ["zhuo_ji", 2, 0, 1],
        ["zhuo_ji", 2, 3, 1],
        ["zhuo_ji", 3, 0, 1],
        ["zhuo_ji", 3, 2, 1],
    ],
    "scores": [8, -12, 2, 2],
    "next_dealer": 0,
    "next_streak": 1,
}

WORKED_POSITION: dict[str, Any] = {
    "format": "zhuoji-position/1",
    "rules": "zhuoji",
    "dealer": 1,
    "streak": 1,
    "seats": [
        {"hand": "123456789m123s5p", "melds": [], "river": ""},
        {"hand": "89m147p15s", "melds": ["zhuan_wan 6p", "men 2p"], "river": ""},
        {"hand": "777s444s33m88m", "melds": ["peng 9p from 3"], "river": ""},
        {"hand": "12579m358p25689s", "melds": [], "river": "1s"},
    ],
    "end": "discard",
    "shooter": 1,
    "winners": [2],
    "tile": "3m",
    "indicator": "2m",
    "first_yaoji": {"seat": 3, "claimed_by": None},
    "turn_kongs": ["men 2p"],
}


def played(referee: Referee, actions: str) -> Referee:
    """The referee after `"0 discard 9m, 1 pass, ..."`, the seats checked."""
    for line in actions.split(", "):
        seat, _, text = line.partition(" ")
        assert int(seat) == referee.seat, line
        referee.step(parse_action(text))
    return referee


class TestWorkedExamples:
    def test_the_deal_record(self) -> None:
        referee = Referee(PRESETS["guiyang"], parse_tiles(WORKED_WALL), 2, coverage=Counter())
        assert played(referee, WORKED_ACTIONS).result() == WORKED_RESULT

    def test_the_position(self) -> None:
        result = settle(WORKED_POSITION, Counter())
        assert result["scores"] == [0, -80, 160, -80]
        assert ["re_pao", 1, 2, 60] in result["items"]
        assert ["zhuo_ji", 3, 2, 30] in result["items"]
        assert {item for item, *_ in result["items"]} == {
            *("hu", "dealer", "re_pao", "zhuan_wan_dou", "yao_ji", "zhuo_ji")
        }


def tiles_in_play(referee: Referee) -> Counter[int]:
    """Every tile, wherever it is."""
    tiles: Counter[int] = Counter(referee.wall[referee.head : referee.tail])
    for seat in range(4):
        tiles.update({kind: n for kind, n in enumerate(referee.hands[seat]) if n})
        tiles.update(referee.rivers[seat])
        for meld in referee.melds[seat]:
            tiles[meld.kind] += meld.size
    if referee.tile is not None:
        tiles[referee.tile] += 1
    return tiles


@pytest.mark.parametrize("theme", THEMES)
class TestEveryDeal:
    def test_108_tiles_at_every_step(self, theme: str) -> None:
        rng = Random(f"tiles {theme}")
        for name in PRESETS:
            deal = rigged(theme, rng, PRESETS[name])
            referee = Referee(PRESETS[name], deal.wall, deal.dealer, coverage=Counter())
            while not referee.done:
                assert tiles_in_play(referee) == dict.fromkeys(KINDS, 4)
                assert referee.legal()
                referee.step(choose(deal.policy, referee, rng))
            assert tiles_in_play(referee) == dict.fromkeys(KINDS, 4)
            assert referee.legal() == set()

    def test_a_position_tells_all_that_the_bill_needs(self, theme: str) -> None:
        """Also zero-sum, and items sorted, positive and unique."""
        rng = Random(f"position {theme}")
        for number in range(80):
            rules = PRESETS[rng.choice(list(PRESETS))] if number % 2 else random_rules(rng)
            result, position = _play_out(theme, rng, rules)
            assert settle(position, Counter()) == result
            assert sum(result["scores"]) == 0
            keys = [tuple(item[:3]) for item in result["items"]]
            assert keys == sorted(set(keys))
            assert all(fan > 0 and payer != payee for _, payer, payee, fan in result["items"])


def _play_out(theme: str, rng: Random, rules: Rules) -> tuple[dict[str, Any], dict[str, Any]]:
    deal = rigged(theme, rng, rules)
    referee = Referee(rules, deal.wall, deal.dealer, deal.streak, Counter())
    while not referee.done:
        referee.step(choose(deal.policy, referee, rng))
    return referee.result(), referee.position()


class TestInterface:
    def test_an_illegal_action_is_refused_and_changes_nothing(self) -> None:
        referee = Referee(PRESETS["guiyang"], parse_tiles(WORKED_WALL), 2, coverage=Counter())
        before = [hand[:] for hand in referee.hands]
        with pytest.raises(ValueError, match="seat 2 may not peng"):
            referee.step(PENG)
        assert referee.hands == before

    def test_a_wall_of_other_tiles_is_refused(self) -> None:
        with pytest.raises(ValueError, match="108"):
            Referee(PRESETS["guiyang"], [0] * 108, 0)

    def test_a_copy_goes_its_own_way(self) -> None:
        referee = Referee(PRESETS["guiyang"], parse_tiles(WORKED_WALL), 2, coverage=Counter())
        twin = referee.copy()
        played(twin, WORKED_ACTIONS)
        assert played(referee, WORKED_ACTIONS).result() == twin.result() == WORKED_RESULT

    def test_perft_counts_sequences(self) -> None:
        referee = Referee(PRESETS["guiyang"], parse_tiles(WORKED_WALL), 2, coverage=Counter())
        assert [perft(referee, depth) for depth in (0, 1)] == [1, len(referee.legal())]
        by_hand = 0
        for action in referee.legal():
            child = referee.copy()
            child.step(action)
            by_hand += perft(child, 2)
        assert perft(referee, 3) == by_hand

    @pytest.mark.parametrize("action", range(58))
    def test_action_names_parse(self, action: int) -> None:
        assert parse_action(action_name(action)) == action

    def test_tiles_and_melds_parse(self) -> None:
        assert parse_tiles("123m55p1s") == [0, 1, 2, 13, 13, 18]
        assert hand_name([3] + [0] * 16 + [1] + [0] * 9) == "111m9p"
        for text in ("peng 9p from 3", "men 1s late", "zhuan_wan 2m", "dian 8p from 0"):
            assert str(Meld.parse(text)) == text

    def test_passing_is_open_to_all_who_are_asked(self) -> None:
        rng = Random(5)
        deal = rigged("several", rng, PRESETS["zhuoji"])
        referee = Referee(PRESETS["zhuoji"], deal.wall, deal.dealer, coverage=Counter())
        while not referee.done:
            assert (PASS in referee.legal()) == (referee.phase in ("claim", "rob"))
            referee.step(choose(deal.policy, referee, rng))


class TestRulesets:
    def test_overrides_and_merged_are_inverse(self) -> None:
        rng = Random(6)
        for rules in [random_rules(rng) for _ in range(50)]:
            assert {**merged(overrides(rules)), "name": "random"} == rules

    @pytest.mark.parametrize("preset", PRESETS)
    def test_turned_once_turns_every_switch(self, preset: str) -> None:
        turned = {label.split(" ")[1].split("=")[0] for label, _ in turned_once(preset)}
        assert turned == set(VALUES)
        for label, rules in turned_once(preset):
            path, _, value = label.split(" ")[1].partition("=")
            assert str(value_at(rules, path)) == value


class TestCoverageTable:
    def test_a_branch_that_no_deal_reached_is_named(self) -> None:
        counts = new_counts()
        for line in LINES:
            for counter in counts.values():
                counter[line] = 1
        assert missing(counts) == []
        for counter in counts.values():
            counter["R36 table"] = 0
        counts["zhuoji"]["item bao"] = 0
        assert missing(counts) == ["R36 table", "zhuoji: item bao"]

    def test_a_count_under_no_known_name_is_named(self) -> None:
        counts = new_counts()
        counts["duole"]["R99"] = 1
        assert unknown(counts) == ["R99"]

    def test_the_table_has_a_line_for_each_branch(self) -> None:
        lines = table(new_counts()).splitlines()
        assert len(lines) == len(LINES) + 1 == 145
        assert lines[1].split()[:2] == ["action", "baoting"]

    def test_what_a_preset_cannot_reach(self) -> None:
        assert reachable("item bao", PRESETS["zhuoji"])
        assert not reachable("item bao", PRESETS["guiyang"])
        assert not reachable("R42 without gold", PRESETS["duole"])
        assert column(PRESETS["duole"]) == "duole"
        assert column(turned_once("duole")[0][1]) == "others"
