"""Finished deals under other rules: the referee's second opinion, every reason, the command."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import zhuoji_env as zj
from tests import referee, rigging
from tests.referee import Referee, action_name, overrides, parse_action, parse_tiles
from tests.rigging import THEMES, random_rules
from tests.strategies import lively
from tests.test_cli_rules import Capture, refused, run
from tests.test_record import EXAMPLE
from zhuoji_env import tiles
from zhuoji_env.calculator import Resettled, position_of, resettle_all
from zhuoji_env.calculator.resettling import CHUNK, REASONS
from zhuoji_env.record import Recorder
from zhuoji_env.rules.schema import nest

Deal = dict[str, Any]


def played(theme: str, rng: Random, rules: referee.Rules) -> Deal:
    """The record of a rigged deal."""
    deal = rigging.rigged(theme, rng, rules)
    table = Referee(rules, deal.wall, deal.dealer, deal.streak, Counter())
    actions = []
    while not table.done:
        action = rigging.choose(deal.policy, table, rng)
        actions.append(f"{table.seat} {action_name(action)}")
        table.step(action)
    return {
        "format": "zhuoji-deal/1",
        "rules": overrides(rules),
        "dealer": deal.dealer,
        "streak": deal.streak,
        "dice": [1, 1],
        "wall": "".join(map(referee.tile_name, deal.wall)),
        "actions": actions,
        "result": table.result(),
    }


def seated(deal: Deal, rules: referee.Rules) -> Referee:
    wall = parse_tiles(deal["wall"])
    return Referee(rules, wall, deal["dealer"], deal["streak"], Counter())


def turns(deal: Deal) -> list[tuple[int, int, dict[int, int]]]:
    """Who did what on an own turn, and what the others answered, as the referee saw it."""
    table = seated(deal, referee.merged(deal["rules"]))
    found: list[tuple[int, int, dict[int, int]]] = []
    for text in deal["actions"]:
        seat, action = int(text[0]), parse_action(text[2:])
        if table.phase in ("claim", "rob"):
            found[-1][2][seat] = action
        else:
            found.append((seat, action, {}))
        table.step(action)
    return found


def second_opinion(deal: Deal, rules: referee.Rules) -> dict[str, Any] | None:
    """The referee's result where the deal's moves are legal and lead to the same winners."""
    table = seated(deal, rules)
    left = turns(deal)
    answers: dict[int, int] = {}
    while not table.done:
        if table.phase in ("claim", "rob"):
            action = answers.get(table.seat, referee.PASS)
            action = action if action in table.legal() else referee.PASS
        else:
            if not left:
                return None
            seat, action, answers = left.pop(0)
            if seat != table.seat or action not in table.legal():
                return None
        table.step(action)
    result: dict[str, Any] = table.result()
    same = not left and result["winners"] == deal["result"]["winners"]
    return result if same and result["end"] == deal["result"]["end"] else None


def rules_to_try(rng: Random) -> list[referee.Rules]:
    return [*referee.PRESETS.values(), *(random_rules(rng) for _ in range(4))]


@pytest.fixture(scope="module")
def seen() -> list[tuple[Deal, referee.Rules, Resettled]]:
    """Rigged deals of all themes and of many rulesets, each resettled under many others."""
    found = []
    for theme in sorted(THEMES):
        rng = Random(f"resettle {theme}")
        deals = [played(theme, rng, rules) for rules in rules_to_try(rng) for _ in range(2)]
        for rules in rules_to_try(rng):
            done = resettle_all(deals, overrides(rules))
            found += [(deal, rules, one) for deal, one in zip(deals, done, strict=True)]
    return found


def test_the_referee_agrees(seen: list[tuple[Deal, referee.Rules, Resettled]]) -> None:
    for deal, rules, done in seen:
        told = json.dumps([deal, overrides(rules), done.why])
        assert done.original.result == deal["result"]
        assert done.result == second_opinion(deal, rules), told
        assert (done.result is None) == (done.reason is not None)
    priced = sum(done.result is not None for _, _, done in seen)
    assert priced > len(seen) // 3


def test_every_reason_is_true_and_told(
    seen: list[tuple[Deal, referee.Rules, Resettled]],
) -> None:
    """What stood in the way is switched away, and the same obstacle is met no more."""
    cures: dict[str, dict[str, Any]] = {
        "baoting": {"baoting.enabled": True},
        "late_added": {"dou.late_added": "full"},
        "passport": {"win.passport": False},
        "marked": {"win.passed": "free"},
        "multiple": {"win.multiple": True},
        "void_hu": {"win.multiple": False},
        "not_complete": nothing_null(),
    }
    met: Counter[str] = Counter()
    for deal, rules, done in seen:
        if done.reason is None:
            continue
        met[done.reason] += 1
        assert done.seat is not None
        assert done.why == REASONS[done.reason].format(who=f"seat {done.seat}")
        if met[done.reason] <= 20:
            cured = rules
            for path, value in cures[done.reason].items():
                cured = rigging.with_value(cured, path, value)
            (again,) = resettle_all([deal], overrides(cured))
            assert again.reason != done.reason, json.dumps([deal, overrides(rules)])
    assert set(met) == set(cures)


def nothing_null() -> dict[str, Any]:
    names = [path for path in rigging.VALUES if path.startswith("hand.")]
    prices = {path: 5 for path in names if None in rigging.VALUES[path]}
    return {**prices, "hand.dragon_needs_winning_tile": False}


def test_under_their_own_rules_deals_pay_what_they_paid() -> None:
    rng = Random("own rules")
    for theme in THEMES:
        for rules in rules_to_try(rng):
            deal = played(theme, rng, rules)
            (same,) = resettle_all([deal], deal["rules"])
            assert same.result == deal["result"]


def test_a_baoting_that_leaves_nothing_ready() -> None:
    """Six pairs wait for a seventh, which is nothing where seven pairs do not exist."""
    dealt = tiles.parse("1133557799m11p2p4s")
    rest = [kind for kind in range(tiles.N_KINDS) for _ in range(4 - dealt.count(kind))]
    Random(1).shuffle(rest)
    opening = [*range(4), *range(16, 20), *range(32, 36), 48, 52]
    wall = np.full(108, -1)
    wall[opening] = dealt
    wall[wall < 0] = rest
    games = zj.Games(1, rules="guiyang")
    recorder = Recorder(games)
    games.reset(walls=wall, dealers=0)
    states = np.ones(1, np.uint64)
    while not games.done[0]:
        recorder.step(lively(games, states))
    deal = recorder.record(0)
    assert deal["actions"][0] == "0 baoting"
    none = dict.fromkeys(("qi_dui", "long_qi_dui", "qing_qi_dui", "qing_long_bei"))
    (done,) = resettle_all([deal], {"preset": "guiyang", "hand": none})
    assert (done.result, done.reason, done.seat) == (None, "not_ready", 0)
    assert done.why == "seat 0 declared baoting, but the discard does not leave it ready (R29)"


def test_where_the_way_there_does_not_matter_the_final_position_pays_the_same() -> None:
    """Neither marks nor late kongs have a price: the position at the end says it all."""
    plain = {"win.passed": "free", "dou.dealt_late": "full", "dou.late_added": "full"}
    rng, priced = Random("position"), 0
    for theme in sorted(THEMES):
        for _ in range(6):
            rules, other = random_rules(rng), random_rules(rng)
            for path, value in plain.items():
                rules = rigging.with_value(rules, path, value)
                other = rigging.with_value(other, path, value)
            deal = played(theme, rng, rules)
            (done,) = resettle_all([deal], overrides(other))
            if done.result is None:
                continue
            end = position_of(done.original.games, done.original.table)
            if not other["ji"]["wu_gu"]:
                end.pop("first_wu_gu", None)
            elif not rules["ji"]["wu_gu"]:
                continue  # who discarded the first 8p is told only where it matters
            priced += 1
            assert zj.settle({**end, "rules": overrides(other)}).to_dict() == done.result
    assert priced > 10


# The sums


def test_sums_over_deals() -> None:
    deals = [EXAMPLE] * 3 + [{**EXAMPLE, "actions": EXAMPLE["actions"][:5]}]
    del deals[3]["result"]
    summary = zj.resettle(deals, "guiyang_street").to_dict()
    assert summary["rules"] == "guiyang_street"
    assert (summary["deals"], summary["priced"]) == (4, 3)
    assert summary["not_priced"] == {"unfinished": 1}
    assert summary["other_next_dealer"] == 0
    (one,) = resettle_all([EXAMPLE], "guiyang_street")
    assert one.result is not None
    fan: Counter[str] = Counter()
    for item, _, _, n in one.result["items"]:
        fan[item] += 3 * n
    for item, sums in summary["items"].items():
        assert sums["new"] == fan.pop(item, 0)
        assert sums["difference"] == sums["new"] - sums["original"]
    assert not fan
    # Seat 0 alone is ready: the three others' yaoji, one each, collect in guiyang only.
    assert summary["items"]["hu"] == {"original": 30, "new": 30, "difference": 0}
    assert summary["items"]["yao_ji"]["original"] == 27
    assert summary["items"]["yao_ji"]["new"] == 0
    assert summary["scores"]["original"] == [24, -36, 6, 6]
    assert summary["scores"]["new"] == [3 * n for n in one.result["scores"]]


def test_many_deals_in_chunks() -> None:
    summary = zj.resettle((EXAMPLE for _ in range(CHUNK + 5)), "guiyang")
    assert (summary.deals, summary.priced) == (CHUNK + 5, CHUNK + 5)
    assert summary.scores == summary.new_scores == [(CHUNK + 5) * n for n in (8, -12, 2, 2)]


def test_a_deal_of_baoting_where_there_is_none() -> None:
    (done,) = resettle_all([json.dumps(EXAMPLE)], "zhuoji")
    assert done.to_dict() == {
        "original": EXAMPLE["result"],
        "result": None,
        "reason": "baoting",
        "why": "seat 0 declared baoting, which is not enabled (R29)",
    }


def test_what_is_refused() -> None:
    wrong = {**EXAMPLE, "actions": ["0 pass"]}
    done = resettle_all([EXAMPLE, wrong, EXAMPLE], "guiyang")
    assert next(done).result == EXAMPLE["result"]
    with pytest.raises(zj.RecordError, match=r"actions\[0\]: '0 pass': seat 0 is not to act"):
        next(done)
    with pytest.raises(zj.RulesError, match="unknown preset guiyan"):
        zj.resettle([EXAMPLE], "guiyan")
    assert zj.resettle([], "guiyang").to_dict()["deals"] == 0
    for one, told in ((EXAMPLE, "a mapping"), (json.dumps(EXAMPLE), "'{")):
        with pytest.raises(zj.RecordError, match=f"^{told}.* given; allowed: a list of records$"):
            zj.resettle(one, "guiyang")


def test_a_path_is_no_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    file_of(tmp_path, EXAMPLE)
    said = r"^'deals\.jsonl' is a file; give its text, not its path$"
    with pytest.raises(zj.RecordError, match=said):
        zj.resettle("deals.jsonl", "guiyang")
    with pytest.raises(zj.RecordError, match=said):
        zj.replay("deals.jsonl")
    with pytest.raises(zj.PositionError, match=said):
        zj.settle("deals.jsonl")
    with pytest.raises(zj.RecordError, match=r"^line 1: not JSON"):
        zj.replay("elsewhere.jsonl")


# The command


def file_of(tmp_path: Path, *deals: Deal) -> str:
    file = tmp_path / "deals.jsonl"
    file.write_text("".join(json.dumps(deal) + "\n" for deal in deals))
    return str(file)


def test_resettle_prints_a_table(capsys: Capture, tmp_path: Path) -> None:
    file = file_of(tmp_path, EXAMPLE, EXAMPLE)
    text = run(capsys, "resettle", file, "--rules", "guiyang_street")
    head, columns, *rows = text.splitlines()
    assert head == (f"{file}: 2 deals, 2 priced under guiyang_street; another next dealer in 0")
    assert columns.split() == ["as", "played", "guiyang_street", "difference"]
    yaoji = next(row for row in rows if row.split()[0] == "yao_ji")
    assert yaoji.split() == ["yao_ji", "18", "0", "-18"]
    assert [row.split()[:2] for row in rows[-4:]] == [["seat", f"{n},"] for n in range(4)]


def test_resettle_says_what_could_not_be(capsys: Capture, tmp_path: Path) -> None:
    file = file_of(tmp_path, EXAMPLE, EXAMPLE)
    told = run(capsys, "resettle", file, "--rules", "duole", "--each").splitlines()
    assert told[0] == (
        f"{file}: line 1: not priced: seat 0 declared baoting, which is not enabled (R29)"
    )
    assert told[2].startswith(f"{file}: 2 deals, 0 priced under duole")
    assert told[3] == "  not priced: 2: a player declared baoting, which is not enabled (R29)"


def test_resettle_json(capsys: Capture, tmp_path: Path) -> None:
    rules = tmp_path / "mine.yaml"
    rules.write_text("preset: guiyang\nbase: 3\n")
    file = file_of(tmp_path, EXAMPLE, EXAMPLE)
    args = ("resettle", file, "--rules", str(rules), "--json")
    summary = json.loads(run(capsys, *args))
    expected = zj.resettle([EXAMPLE] * 2, nest({"base": 3}) | {"preset": "guiyang"}).to_dict()
    assert summary == expected
    assert summary["scores"]["new"] == [48, -72, 12, 12]
    *deals, last = map(json.loads, run(capsys, *args, "--each").splitlines())
    assert last == expected
    assert [deal["original"] for deal in deals] == [EXAMPLE["result"]] * 2
    assert [deal["result"]["scores"] for deal in deals] == [[24, -36, 6, 6]] * 2


def test_resettle_refuses(capsys: Capture, tmp_path: Path) -> None:
    file = file_of(tmp_path, EXAMPLE, {**EXAMPLE, "dealer": 7})
    reason = f"zhuoji: {file}: line 2: dealer: 7 given; allowed: a seat 0..3\n"
    assert refused(capsys, "resettle", file, "--rules", "duole") == reason
    assert "unknown preset" in refused(capsys, "resettle", file, "--rules", "guiyan")
