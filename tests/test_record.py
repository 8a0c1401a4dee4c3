"""Deal records: written, replayed, verified, and refused when they are wrong."""

from __future__ import annotations

import copy
import io
import json
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import zhuoji_env as zj
from tests.strategies import damaged, damaged_text, lively, rules_values
from zhuoji_env import actions
from zhuoji_env.record import Record, Recorder, play_out, replay, replay_all
from zhuoji_env.record.reading import MAX_BYTES, parse_json, read_items
from zhuoji_env.record.replaying import first_difference
from zhuoji_env.record.writing import whole_file
from zhuoji_env.rules import PRESETS

# The record of FORMATS.md.
EXAMPLE: dict[str, Any] = {
    "format": "zhuoji-deal/1",
    "rules": "guiyang",
    "dealer": 2,
    "streak": 1,
    "dice": [3, 3],
    "wall": (
        "4m1s9m8m9m6m3s5p3m5m2s2s3s6m2s3m1p4m8m7s6m7s5m4s1m9p3p1p5s7p1s5m6p7p7m8s1s9m6p2m4p2p3p2p"
        "6s5s8p8p9s1m4m6s8m1p2m9s2s7m2m8s9p1s7s9s8s5s4p3m7s3p1p8s5p8p6s2p7m7m7p3m9p3s9s3s5s4s1m8p"
        "4m4s3p2m5m8m5p6s6p6p5p4p9m1m2p9p6m4s7p4p"
    ),
    "actions": [
        *("2 discard 9m", "3 pass", "3 discard 7s", "0 baoting", "0 discard 9p", "1 discard 3m"),
        *("0 pass", "2 discard 1p", "3 discard 1p", "0 discard 2m", "1 discard 6m", "0 hu"),
    ],
    "result": {
        "end": "discard",
        "winners": [0],
        "shooter": 1,
        "tile": "6m",
        "indicator": "9p",
        "ready": [True, False, False, False],
        "items": [
            *(["hu", 1, 0, 10], ["yao_ji", 0, 1, 1], ["yao_ji", 0, 2, 1], ["yao_ji", 0, 3, 1]),
            *(["yao_ji", 1, 2, 1], ["yao_ji", 1, 3, 1], ["yao_ji", 2, 1, 1], ["yao_ji", 2, 3, 1]),
            *(["yao_ji", 3, 1, 1], ["yao_ji", 3, 2, 1], ["zhuo_ji", 0, 2, 1]),
            *(["zhuo_ji", 0, 3, 1], ["zhuo_ji", 1, 0, 1], ["zhuo_ji", 1, 2, 1]),
            *(["zhuo_ji", 1, 3, 1], ["zhuo_ji", 2, 0, 1], ["zhuo_ji", 2, 3, 1]),
            *(["zhuo_ji", 3, 0, 1], ["zhuo_ji", 3, 2, 1]),
        ],
        "scores": [8, -12, 2, 2],
        "next_dealer": 0,
        "next_streak": 1,
    },
}


def example(**changes: Any) -> dict[str, Any]:
    return {**copy.deepcopy(EXAMPLE), **changes}


def played(rules: Any, seed: int, n: int = 1, deals: int = 1) -> list[dict[str, Any]]:
    """Records of lively deals at n tables, dealer and streak carried on."""
    games = zj.Games(n, rules=rules, seed=seed)
    recorder = Recorder(games)
    games.reset()
    states = np.arange(n, dtype=np.uint64) + np.uint64(1000 * seed)
    records = []
    for deal in range(deals):
        if deal:
            games.next_deal()
        while not games.done.all():
            recorder.step(lively(games, states))
        records += [recorder.record(i) for i in range(n)]
    return records


# Replaying


def test_the_example_of_the_format() -> None:
    unpaid = example()
    del unpaid["result"]
    assert zj.replay(unpaid).to_dict() == EXAMPLE
    assert zj.replay(EXAMPLE).to_dict() == EXAMPLE
    assert zj.replay(json.dumps(EXAMPLE)).to_dict() == EXAMPLE
    assert zj.replay(EXAMPLE).verify()


@settings(max_examples=120, deadline=None)
@given(rules=rules_values(), seed=st.integers(0, 2**32), n=st.integers(1, 5))
def test_writing_and_replaying_give_the_same(rules: Any, seed: int, n: int) -> None:
    for record in played(rules, seed, n, deals=2):
        again = replay(json.dumps(record))
        assert again.to_dict() == record
        assert again.verify()
        assert again.games.rules[again.games.state["rules"][again.table]] == zj.Rules.load(rules)


@pytest.mark.parametrize("preset", sorted(PRESETS))
def test_many_at_once_are_as_each_alone(preset: str) -> None:
    records = played(preset, 7, n=120, deals=3)
    assert [done.to_dict() for done in replay_all(records)] == records
    assert all(replay(record).to_dict() == record for record in records[::17])
    assert {record["streak"] for record in records} > {1}
    assert {record["dealer"] for record in records} == {0, 1, 2, 3}


def test_rulesets_may_be_mixed() -> None:
    records = [record for seed, preset in enumerate(PRESETS) for record in played(preset, seed, 5)]
    assert [done.to_dict() for done in replay_all(records[::2])] == records[::2]


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6), data=st.data())
def test_a_partial_record_is_an_unfinished_deal(seed: int, data: st.DataObject) -> None:
    (whole,) = played("zhuoji", seed)
    n = data.draw(st.integers(0, len(whole["actions"]) - 1))
    partial = {**whole, "actions": whole["actions"][:n]}
    del partial["result"]
    done = replay(partial)
    assert not done.finished
    assert done.to_dict() == partial
    assert not done.verify()
    seat = int(whole["actions"][n].split()[0])
    assert done.games.seat[done.table] == seat
    # The next action, played at the table where the record stops, is legal there.
    action = actions.parse(whole["actions"][n].partition(" ")[2])
    assert done.games.legal[done.table, action]


def test_a_record_that_stops_short_of_its_result_is_unfinished() -> None:
    short = example(actions=EXAMPLE["actions"][:-1])
    assert "result" not in replay(short).to_dict()
    with pytest.raises(
        zj.RecordError, match=r"^result: recorded, but .* unfinished after 11 actions$"
    ):
        replay(short).verify()


def test_optional_keys_are_carried() -> None:
    carried = {
        "seed": 2**70,
        "agents": ["甲", "b", "c", "d"],
        "note": {"any": [1.5, None, "\ud800"]},
    }
    assert replay(example(**carried)).to_dict() == example(**carried)
    assert replay(json.dumps(example(**carried))).to_dict() == example(**carried)


def test_rules_wall_and_dice_are_carried_as_written() -> None:
    rules = {"preset": "guiyang", "ji": {"zhuo_held": 1}}
    wall = EXAMPLE["wall"].replace("4m1s9m8m9m6m", "4m1s9896m")
    written = example(rules=rules, wall=wall, dice=["thrown", 7])
    assert replay(written).to_dict() == written


def test_a_peng_may_name_its_tile() -> None:
    record = next(r for r in played("duole", 3, n=50) if any("peng" in a for a in r["actions"]))
    place = next(i for i, action in enumerate(record["actions"]) if "peng" in action)
    tile = next(a for a in record["actions"][place::-1] if "discard" in a).split()[2]
    named = copy.deepcopy(record)
    named["actions"][place] += f" {tile}"
    assert replay(named).to_dict() == named
    other = "1m" if tile != "1m" else "2m"
    named["actions"][place] = f"{record['actions'][place]} {other}"
    with pytest.raises(zj.RecordError, match=rf"^actions\[{place}\]: .* may not peng that tile;"):
        replay(named)


# Wrong actions


@pytest.mark.parametrize(
    ("place", "action", "reason"),
    [
        (0, "2 pass", "seat 2 may not; legal: seat 2: discard "),
        (0, "1 discard 9m", "seat 1 is not to act; legal: seat 2: discard "),
        (1, "3 gang 9m", "seat 3 may not; legal: seat 3: peng, pass"),
        (4, "0 discard 1m", "seat 0 may not; legal: seat 0: discard 9p"),
        (6, "0 peng", "seat 0 may not; legal: seat 0: hu, pass"),
    ],
)
def test_the_first_wrong_action_is_named(place: int, action: str, reason: str) -> None:
    wrong = example()
    wrong["actions"][place] = action
    with pytest.raises(zj.RecordError) as refused:
        replay(wrong)
    assert str(refused.value).startswith(f"actions[{place}]: '{action}': {reason}")


def test_an_action_after_the_end() -> None:
    with pytest.raises(
        zj.RecordError,
        match=r"^actions\[12\]: '1 pass' after the end of the deal; allowed: 12 actions$",
    ):
        replay(example(actions=[*EXAMPLE["actions"], "1 pass"]))


@settings(max_examples=80, deadline=None)
@given(seed=st.integers(0, 10**6), data=st.data())
def test_any_other_action_is_legal_or_refused_in_its_place(seed: int, data: st.DataObject) -> None:
    (record,) = played("guiyang", seed)
    place = data.draw(st.integers(0, len(record["actions"]) - 1))
    before = replay({**record, "actions": record["actions"][:place]})
    seat, action = data.draw(st.integers(0, 3)), data.draw(st.integers(0, actions.N_ACTIONS - 1))
    text = f"{seat} {actions.show(action)}"
    wrong = {**record, "actions": [*record["actions"][:place], text]}
    is_legal = seat == before.games.seat[0] and before.games.legal[0, action]
    if is_legal:
        replay(wrong)
    else:
        with pytest.raises(zj.RecordError, match=rf"^actions\[{place}\]: '{text}'"):
            replay(wrong)


def test_the_sound_ones_before_a_bad_one_are_replayed() -> None:
    records = played("zhuoji", 1, n=5)
    records[3]["actions"][0] = "0 pass"
    made = replay_all(records)
    assert [next(made).to_dict() for _ in range(3)] == records[:3]
    with pytest.raises(zj.RecordError, match=r"^actions\[0\]: '0 pass'"):
        next(made)
    records[1]["dealer"] = 4
    made = replay_all(records)
    assert next(made).to_dict() == records[0]
    with pytest.raises(zj.RecordError, match=r"^dealer: 4 given"):
        next(made)


# Malformed records

REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"format": "zhuoji-deal/2"}, "format: 'zhuoji-deal/2' given; allowed: \"zhuoji-deal/1\""),
    ({"rules": "guiyan"}, "rules: 'guiyan' given; allowed: guiyang, zhuoji, "),
    ({"rules": "/etc/hostname"}, "rules: '/etc/hostname' given; allowed: guiyang, "),
    ({"rules": {"preset": "guiyang", "ji": {"wugu": 2}}}, "rules: unknown key ji.wugu; "),
    ({"rules": {"preset": "guiyang", "base": 0}}, "rules: base: 0 given; allowed: int 1..100"),
    ({"rules": 3}, "rules: a preset, file or mapping expected, 3 given"),
    ({"dealer": 4}, "dealer: 4 given; allowed: a seat 0..3"),
    ({"dealer": True}, "dealer: true given; allowed: a seat 0..3"),
    ({"dealer": 1.0}, "dealer: 1.0 given; allowed: a seat 0..3"),
    ({"streak": 0}, "streak: 0 given; allowed: 1..999"),
    ({"streak": 10**40}, "streak: a huge number given; allowed: 1..999"),
    ({"wall": "1m"}, "wall: 1 tiles, 1 of them 1m, given; allowed: 108 tiles, four of each kind"),
    ({"wall": EXAMPLE["wall"] + "1m"}, "wall: 109 tiles, 5 of them 1m, given; allowed: 108 tiles"),
    ({"wall": "1x"}, "wall: 'x' at position 2 is neither a rank 1-9 nor a suit m, p or s"),
    ({"wall": None}, "wall: null given; allowed: tiles such as 123m55p"),
    ({"actions": "2 pass"}, "actions: '2 pass' given; allowed: a list of actions such as"),
    ({"actions": [2]}, "actions[0]: 2 given; allowed: an action such as"),
    ({"actions": ["4 pass"]}, "actions[0]: '4 pass' given; allowed: a seat 0..3 and an action"),
    ({"actions": ["2 chi"]}, "actions[0]: '2 chi' given: unknown action 'chi'; allowed: discard,"),
    ({"actions": ["2 gang"]}, "actions[0]: '2 gang' given: gang needs one tile such as 5p"),
    ({"actions": ["2  pass"]}, "actions[0]: '2  pass' given: unknown action ' pass'"),
    ({"agents": ["a", "b", "c"]}, "agents: a list given; allowed: a list of four names"),
    ({"agents": "abcd"}, "agents: 'abcd' given; allowed: a list of four names"),
    ({"note": float("inf")}, "note: inf given; allowed: a finite number"),
    ({"note": {1}}, "note: a list given; allowed: what JSON can hold"),
    ({"result": []}, "result: a list given; allowed: the result object, or no such key"),
    ({"resutl": {}}, "unknown key 'resutl'; did you mean result? allowed: format, rules, dealer"),
]


@pytest.mark.parametrize(("changes", "reason"), REFUSED)
def test_malformed_records_are_refused(changes: dict[str, Any], reason: str) -> None:
    with pytest.raises(zj.RecordError) as refused:
        replay(example(**changes))
    assert str(refused.value).startswith(reason)


@pytest.mark.parametrize("key", ["format", "rules", "dealer", "streak", "wall", "actions"])
def test_what_must_be_there(key: str) -> None:
    lacking = example()
    del lacking[key]
    with pytest.raises(zj.RecordError, match=f"^{key} is missing; allowed: "):
        replay(lacking)


def test_nesting_is_bounded() -> None:
    deep: Any = 0
    for _ in range(500):
        deep = [deep]
    with pytest.raises(zj.RecordError, match=r"^note: nested too deeply; allowed: 20 levels$"):
        replay(example(note=deep))


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(value=damaged(EXAMPLE))
def test_a_damaged_record_replays_or_is_refused(value: Any) -> None:
    try:
        done = replay(value)
        done.verify()
    except zj.RecordError as refused:
        assert str(refused)
    else:
        json.dumps(done.to_dict(), allow_nan=False)


@settings(max_examples=300, deadline=None)
@given(text=damaged_text(EXAMPLE))
def test_a_damaged_text_replays_or_is_refused(text: bytes) -> None:
    try:
        replay(text)
    except zj.RecordError as refused:
        assert "\n" not in str(refused)


# Reading JSON


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (b'{"a": 1, "a": 2}', "not JSON: key 'a' is given twice"),
        (b"[NaN]", "not JSON: NaN is no JSON number"),
        (b"[-Infinity]", "not JSON: -Infinity is no JSON number"),
        (b"[1e999]", "not JSON: a number is too large"),
        (b"1" * 5000, "not JSON: a number is too long"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"a":' * 100_000, "nested too deeply"),
        (b"\xff\xfe{\x00}\x00", "not UTF-8 (byte 1)"),
        (b'{"a": 1', "line 1: not JSON: Expecting ',' delimiter at column 8"),
        (b'{\n"a": x}', "line 2: not JSON: Expecting value at column 6"),
        (b'"' + b"a" * MAX_BYTES + b'"', f"longer than the {MAX_BYTES} bytes allowed"),
    ],
    ids=lambda value: str(value)[:24],
)
def test_what_is_no_json(text: bytes, reason: str) -> None:
    with pytest.raises(zj.RecordError) as refused:
        parse_json(text, zj.RecordError)
    assert str(refused.value) == reason


def items(tmp_path: Path, data: bytes, name: str = "f.json") -> list[tuple[str, Any, bool]]:
    file = tmp_path / name
    file.write_bytes(data)
    found = read_items(str(file), zj.RecordError)
    return [(item.where.removeprefix(str(file)), item.value, item.alone) for item in found]


def test_one_text_or_one_a_line(tmp_path: Path) -> None:
    assert items(tmp_path, b'{"a": 1}') == [("", {"a": 1}, True)]
    assert items(tmp_path, b'\xef\xbb\xbf\n{\n"a":\n1}\n') == [("", {"a": 1}, True)]
    two = [(": line 1", 1, False), (": line 3", 2, False)]
    assert items(tmp_path, b"1\n\r\n2") == two
    assert items(tmp_path, b"1\n \n2\n", "f.jsonl") == two
    assert items(tmp_path, b"1\n", "f.jsonl") == [(": line 1", 1, False)]


@pytest.mark.parametrize(
    ("data", "name", "reason"),
    [
        (b"", "f.json", ": empty; allowed: a JSON object, or one a line"),
        (b"\n\n", "f.jsonl", ": empty; allowed: a JSON object, or one a line"),
        (b"1\n{\n", "f.jsonl", ": line 2: not JSON: Expecting property name"),
        (b"{\n}\n", "f.jsonl", ": line 1: not JSON: Expecting property name"),
        (b'{\n"a": 1\n"b"', "f.json", ": line 3: not JSON: Expecting ',' delimiter"),
        (b"1\n2\n\xff", "f.json", ": line 3: not UTF-8 (byte 1)"),
        (b"1\n" + b"[" * 50_000, "f.json", ": line 2: nested too deeply"),
        (b"1\n" + b"2" * (MAX_BYTES + 1), "f.json", f": line 2: longer than the {MAX_BYTES}"),
        (b"{\n" + b" " * MAX_BYTES + b"}", "f.json", f": line 1: longer than the {MAX_BYTES}"),
    ],
)
def test_where_a_file_is_wrong(tmp_path: Path, data: bytes, name: str, reason: str) -> None:
    with pytest.raises(zj.RecordError) as refused:
        items(tmp_path, data, name)
    assert str(refused.value).startswith(f"{tmp_path / name}{reason}")


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"1\n2\n")))
    found = [(item.where, item.value) for item in read_items("-", zj.RecordError)]
    assert found == [("standard input: line 1", 1), ("standard input: line 2", 2)]


def test_files_that_cannot_be_opened(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        list(read_items(str(tmp_path / "none"), zj.RecordError))
    with pytest.raises(zj.RecordError, match="cannot be read"):
        list(read_items("a\0b", zj.RecordError))


# Verifying


@pytest.mark.parametrize(
    ("path", "value", "difference"),
    [
        (("end",), "rob", 'result.end: "rob" recorded, "discard" replayed'),
        (("winners",), [0, 2], "result.winners: 2 entries recorded, 1 replayed"),
        (("items", 0, 3), 11, "result.items[0][3]: 11 recorded, 10 replayed"),
        (("ready", 1), 0, "result.ready[1]: 0 recorded, false replayed"),
        (("scores", 0), 8.0, "result.scores[0]: 8.0 recorded, 8 replayed"),
        (("shooter",), None, "result.shooter: null recorded, 1 replayed"),
        (("extra",), 1, "result.extra: 1 recorded, no such key replayed"),
    ],
)
def test_verify_names_the_first_difference(path: Any, value: Any, difference: str) -> None:
    edited = example()
    node = edited["result"]
    for key in path[:-1]:
        node = node[key]
    node[path[-1]] = value
    done = replay(edited)
    with pytest.raises(zj.RecordError) as refused:
        done.verify()
    assert str(refused.value) == difference
    assert done.to_dict() == EXAMPLE


def test_a_missing_key_is_a_difference() -> None:
    edited = example()
    del edited["result"]["tile"]
    with pytest.raises(zj.RecordError, match=r'^result.tile: missing in the record, "6m" replayed'):
        replay(edited).verify()


@settings(max_examples=200, deadline=None)
@given(value=damaged(EXAMPLE["result"]))
def test_verify_finds_any_difference(value: Any) -> None:
    same = json.dumps(value, sort_keys=True) == json.dumps(EXAMPLE["result"], sort_keys=True)
    assert (first_difference(value, EXAMPLE["result"], "result") is None) == same


# Writing


def test_a_record_is_parsed_once() -> None:
    record = Record.parse(EXAMPLE)
    assert Record.parse(record) is record
    record.to_dict()["dealer"] = 3
    assert record.to_dict() == EXAMPLE


def test_the_recorder_follows_resets_and_next_deals() -> None:
    games = zj.Games(3, rules="guiyang", seed=2)
    recorder = Recorder(games)
    games.reset()
    states = np.arange(3, dtype=np.uint64)
    assert [recorder.record(i)["actions"] for i in range(3)] == [[], [], []]
    for _ in range(5):
        recorder.step(lively(games, states))
    games.reset(where=[False, True, False])
    recorder.step(lively(games, states))
    assert [len(recorder.record(i)["actions"]) for i in range(3)] == [6, 1, 6]
    while not games.done.all():
        recorder.step(lively(games, states))
    first = [recorder.record(i) for i in range(3)]
    games.next_deal(where=[True, False, False])
    assert recorder.record(0)["actions"] == []
    assert [recorder.record(i) for i in (1, 2)] == first[1:]
    recorder.step(lively(games, states))
    assert len(recorder.record(0)["actions"]) == 1
    assert [done.to_dict() for done in replay_all(first)] == first


def test_an_illegal_action_is_not_noted() -> None:
    games = zj.Games(2, rules="guiyang", seed=2)
    recorder = Recorder(games)
    games.reset()
    with pytest.raises(zj.IllegalAction):
        recorder.step(np.array([actions.PASS, actions.PASS]))
    with pytest.raises(ValueError, match="shape"):
        recorder.step(np.array([1, 2, 3]))
    assert recorder.record(0)["actions"] == []
    chosen = games.legal.argmax(axis=1)
    recorder.step(chosen)
    with pytest.raises(zj.IllegalAction):
        recorder.step(np.array([99, 99]))
    seat = int(games.state["dealer"][1])
    assert recorder.record(1)["actions"] == [f"{seat} {actions.show(int(chosen[1]))}"]


def test_the_recorder_wants_deals_from_their_beginning() -> None:
    games = zj.Games(2, rules="guiyang", seed=2)
    games.reset()
    games.step(games.legal.argmax(axis=1))
    with pytest.raises(zj.ZhuojiError, match=r"^table 0: its deal is already under way$"):
        Recorder(games)
    while not games.done.all():
        games.step(games.legal.argmax(axis=1))
    with pytest.raises(zj.ZhuojiError, match=r"^table 1: its deal was not noted"):
        Recorder(games).record(1)


def test_what_the_recorder_carries() -> None:
    games = zj.Games(1, rules="guiyang", seed=2)
    recorder = Recorder(games)
    games.reset()
    assert recorder.record(0, note="n", seed=4)["note"] == "n"
    with pytest.raises(
        zj.ZhuojiError, match=r"^key 'nota' is unknown; allowed: seed, agents, note"
    ):
        recorder.record(0, nota="n")


def make(*names: str) -> list[zj.Agent]:
    return [zj.baselines.make(name) for name in names]


def test_play_out_is_one_session() -> None:
    names = ("greedy", "random", "shanten", "hu_first")
    records = list(play_out("zhuoji", 30, make(*names), seed=5, names=names))
    for before, after in pairwise(records):
        assert after["dealer"] == before["result"]["next_dealer"]
        assert after["streak"] == before["result"]["next_streak"]
    assert [done.to_dict() for done in replay_all(records)] == records
    assert {tuple(record["agents"]) for record in records} == {names}
    assert {record["seed"] for record in records} == {5}
    again = list(play_out("zhuoji", 30, make(*names), seed=5, names=names))
    assert again == records
    assert list(play_out("zhuoji", 12, make(*names), seed=5, names=names)) == records[:12]
    other = list(play_out("zhuoji", 1, make(*names), seed=6, names=names))
    assert other[0]["wall"] != records[0]["wall"]


def test_equal_agents_at_one_table_do_not_play_alike() -> None:
    class Seeded:
        def __init__(self) -> None:
            self.seeds: list[int] = []

        def reset(self, n: int, seed: int) -> None:
            assert n == 1
            self.seeds.append(seed)

        def act(self, views: Any, legal: Any, observations: Any) -> Any:
            assert observations is None
            return legal.argmax(axis=1)

    players = [Seeded() for _ in range(4)]
    list(play_out("duole", 2, players))
    assert all(len(player.seeds) == 1 for player in players)
    assert len({player.seeds[0] for player in players}) == 4


def test_agents_that_ask_for_observations_get_them() -> None:
    class Watcher:
        needs_observations = True

        def reset(self, n: int, seed: int) -> None: ...

        def act(self, views: Any, legal: Any, observations: Any) -> Any:
            planes, rows = observations
            assert planes.shape[0] == rows.shape[0] == 1
            return legal.argmax(axis=1)

    (record,) = play_out("duole", 1, [Watcher()] * 4)
    assert replay(record).verify()


def test_play_out_refuses_what_agents_must_not_do() -> None:
    class Wrong:
        def __init__(self, given: Any) -> None:
            self.given = given

        def reset(self, n: int, seed: int) -> None: ...

        def act(self, views: Any, legal: Any, observations: Any) -> Any:
            return self.given

    with pytest.raises(zj.ZhuojiError, match=r"^3 agents given; allowed: 4, one a seat$"):
        list(play_out("duole", 1, make("random", "random", "random")))
    with pytest.raises(zj.ZhuojiError, match=r"gave int64 of shape \(2,\); allowed: integers of"):
        list(play_out("duole", 1, [Wrong([1, 2])] * 4))
    with pytest.raises(zj.IllegalAction):
        list(play_out("duole", 1, [Wrong([actions.PASS])] * 4))


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    file = tmp_path / "f.jsonl"
    file.write_text("before")
    with pytest.raises(RuntimeError), whole_file(str(file)) as stream:
        stream.write("half")
        raise RuntimeError
    assert file.read_text() == "before"
    assert list(tmp_path.iterdir()) == [file]
    with whole_file(str(file)) as stream:
        stream.write("whole")
    assert file.read_text() == "whole"
    assert list(tmp_path.iterdir()) == [file]


def test_a_link_is_written_through(tmp_path: Path) -> None:
    file, link = tmp_path / "f", tmp_path / "link"
    file.write_text("before")
    link.symlink_to(file)
    with whole_file(str(link)) as stream:
        stream.write("after")
    assert link.is_symlink()
    assert file.read_text() == "after"


def test_a_device_is_written_as_it_is() -> None:
    with whole_file("/dev/null") as stream:
        stream.write("gone")
    assert not Path("/dev/null").is_file()
