"""`zhuoji play-out`, `replay` and `settle`: what they print, what they write, what they refuse."""

from __future__ import annotations

import copy
import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests import test_calculator, test_record
from tests.test_cli_rules import Capture, refused, run
from zhuoji_env.cli import batches, main
from zhuoji_env.record import replay_all, transcript
from zhuoji_env.rules import Rules

RECORD = test_record.EXAMPLE
POSITION = test_calculator.EXAMPLE
FOUR = "greedy,random,shanten,hu_first"


def written(tmp_path: Path, *values: Any, name: str = "deals.jsonl") -> str:
    file = tmp_path / name
    file.write_text("".join(json.dumps(value) + "\n" for value in values))
    return str(file)


def lines(text: str) -> list[Any]:
    return [json.loads(line) for line in text.splitlines()]


def feed(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))


# settle


def test_settle_prints_the_bill(capsys: Capture, tmp_path: Path) -> None:
    file = written(tmp_path, {**POSITION, "rules": {"preset": "zhuoji", "base": 2}}, name="p.json")
    head, columns, *bill, total = run(capsys, "settle", file).splitlines()
    name = Rules.load({"preset": "zhuoji", "base": 2}).name
    assert head == (
        f"{file}: {name}: seat 2 on 3m from seat 1, indicator 2m; ready: 0, 2; "
        "points +0 -160 +320 -160; next dealer 2, streak 1"
    )
    seats = [f"seat{n}" for n in range(4)]
    assert columns.replace("seat ", "seat").split() == ["item", "clause", *seats, "in", "words"]
    assert bill[0].split()[:6] == ["hu", "R23", "-50", "+50", "seat", "2"]
    assert bill[-1].split() == ["R26", "points,", "2", "x", "fan:", "+0", "-160", "+320", "-160"]
    assert total.split() == ["sum", "+0", "-80", "+160", "-80"]


def test_settle_json_is_the_result_alone(capsys: Capture, tmp_path: Path) -> None:
    file = written(tmp_path, POSITION, name="p.json")
    told = json.loads(run(capsys, "settle", "--json", file))
    assert told["items"] == test_calculator.ITEMS
    assert told["scores"] == [0, -80, 160, -80]


def test_settle_json_without_words_has_no_language(capsys: Capture, tmp_path: Path) -> None:
    file = written(tmp_path, POSITION, name="p.json")
    for language in ("en", "zh"):
        assert refused(capsys, "settle", "--json", "--language", language, file) == (
            "zhuoji: --language given; allowed: without --json, or with --explain\n"
        )


def test_settle_json_of_many_is_a_line_each(capsys: Capture, tmp_path: Path) -> None:
    positions = [{**POSITION, "streak": 1 + n % 9} for n in range(batches.CHUNK + 7)]
    told = lines(run(capsys, "settle", "--json", written(tmp_path, *positions)))
    dealers = [result["items"][0] for result in told]
    assert dealers == [["dealer", 1, 2, 10 * (1 + n % 9)] for n in range(batches.CHUNK + 7)]


def test_settle_of_one_in_a_jsonl_is_a_line(capsys: Capture, tmp_path: Path) -> None:
    out = run(capsys, "settle", "--json", written(tmp_path, POSITION))
    assert out.count("\n") == 1


def test_settle_reads_standard_input(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    feed(monkeypatch, json.dumps(POSITION, indent=1))
    assert json.loads(run(capsys, "settle", "--json", "-"))["scores"] == [0, -80, 160, -80]


def test_settle_stops_at_the_first_bad_line(capsys: Capture, tmp_path: Path) -> None:
    bad = copy.deepcopy(POSITION)
    bad["seats"][3]["hand"] = "1m"
    file = written(tmp_path, POSITION, bad, POSITION)
    assert main(["settle", "--json", file]) == 2
    out, err = capsys.readouterr()
    assert len(lines(out)) == 1
    assert err.startswith(f"zhuoji: {file}: line 2: seats[3].hand: 1 tiles with 0 melds given; ")
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "standard input: empty; allowed: a JSON object, or one a line"),
        ("{", "standard input: line 1: not JSON: Expecting property name"),
        ("[" * 50_000, "standard input: line 1: nested too deeply"),
        ("[]", "standard input: a list given; allowed: an object of format, rules"),
        ('{"format": NaN}', "standard input: line 1: not JSON: NaN is no JSON number"),
        ('{"format": "x\\ny"}', "standard input: format: 'x\\ny' given; allowed: \"zhuoji-"),
        ('{"a\\nb": 1}', "standard input: unknown key 'a\\nb'; allowed: format, rules"),
    ],
    ids=lambda value: value[:20],
)
@pytest.mark.parametrize("command", ["settle", "replay"])
def test_garbage_is_one_line(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch, command: str, text: str, reason: str
) -> None:
    feed(monkeypatch, text)
    assert refused(capsys, command, "-").startswith(f"zhuoji: {reason}")


@pytest.mark.parametrize("command", ["settle", "replay"])
def test_a_missing_file(capsys: Capture, tmp_path: Path, command: str) -> None:
    file = str(tmp_path / "none.jsonl")
    assert refused(capsys, command, file) == f"zhuoji: {file}: No such file or directory\n"
    assert "directory" in refused(capsys, command, str(tmp_path))


# replay


def test_replay_tells_each_deal(capsys: Capture, tmp_path: Path) -> None:
    partial = {**RECORD, "actions": RECORD["actions"][:3]}
    del partial["result"]
    file = written(tmp_path, RECORD, partial)
    told = run(capsys, "replay", file, "--verify").splitlines()
    assert told == [
        f"{file}: line 1: guiyang, dealer 2, streak 1, 12 actions: seat 0 on 6m from seat 1, "
        "indicator 9p; ready: 0; points +8 -12 +2 +2; next dealer 0, streak 1",
        f"{file}: line 2: guiyang, dealer 2, streak 1, 3 actions: unfinished, seat 0 to act",
        "2 replayed, 1 results verified",
    ]


def test_replay_transcript_tells_the_whole_deal(capsys: Capture, tmp_path: Path) -> None:
    file = written(tmp_path, RECORD)
    told = run(capsys, "replay", file, "--transcript")
    assert told == f"{file}: line 1\n{transcript(RECORD)}\n\n1 replayed\n"
    chinese = run(capsys, "replay", file, "--transcript", "--language", "zh")
    assert transcript(RECORD, language="zh") in chinese
    assert "en, zh" in refused(capsys, "replay", file, "--transcript", "--language", "fr")
    assert "--transcript and --json given; allowed: one of them" in refused(
        capsys, "replay", file, "--transcript", "--json"
    )
    for language in ("en", "zh"):
        assert refused(capsys, "replay", file, "--language", language) == (
            "zhuoji: --language given; allowed: with --transcript\n"
        )


def test_replay_json_is_the_record_with_its_result(capsys: Capture, tmp_path: Path) -> None:
    bare = {**RECORD, "note": "a note"}
    del bare["result"]
    told = run(capsys, "replay", "--json", written(tmp_path, bare, name="r.json"))
    assert json.loads(told) == {**RECORD, "note": "a note"}
    many = lines(run(capsys, "replay", "--json", written(tmp_path, bare, RECORD)))
    assert many == [{**RECORD, "note": "a note"}, RECORD]


def test_replay_verifies(capsys: Capture, tmp_path: Path) -> None:
    edited = copy.deepcopy(RECORD)
    edited["result"]["items"][0][3] = 11
    file = written(tmp_path, RECORD, edited)
    assert main(["replay", file]) == 0
    capsys.readouterr()
    assert main(["replay", "--verify", "--json", file]) == 2
    out, err = capsys.readouterr()
    assert lines(out) == [RECORD]
    assert err == f"zhuoji: {file}: line 2: result.items[0][3]: 11 recorded, 10 replayed\n"


def test_replay_names_the_wrong_action(capsys: Capture, tmp_path: Path) -> None:
    wrong = {**RECORD, "actions": [*RECORD["actions"][:4], "0 discard 1m"]}
    file = written(tmp_path, wrong, name="r.json")
    assert refused(capsys, "replay", file) == (
        f"zhuoji: {file}: actions[4]: '0 discard 1m': seat 0 may not; legal: seat 0: discard 9p\n"
    )


# play-out


def test_play_out_writes_what_replays(capsys: Capture, tmp_path: Path) -> None:
    file = tmp_path / "out.jsonl"
    args = ("--rules", "zhuoji", "--deals", "12", "--agents", FOUR, "--seed", "4")
    head, *seats = run(capsys, "play-out", *args, "--out", str(file)).splitlines()
    records = lines(file.read_text())
    assert len(records) == 12
    assert [done.to_dict() for done in replay_all(records)] == records
    assert head.startswith(f"{file}: 12 deals of zhuoji, seed 4; ")
    total = [sum(record["result"]["scores"][seat] for record in records) for seat in range(4)]
    assert [line.split()[2:4] for line in seats] == [
        [name, f"{points:+d}"] for name, points in zip(FOUR.split(","), total, strict=True)
    ]
    assert run(capsys, "replay", str(file), "--verify").endswith(
        "12 replayed, 12 results verified\n"
    )
    assert list(tmp_path.iterdir()) == [file]


def test_play_out_to_standard_output_is_the_same(capsys: Capture, tmp_path: Path) -> None:
    args = ("play-out", "--rules", "duole", "--deals", "3", "--seed", "9")
    file = tmp_path / "out.jsonl"
    told = json.loads(run(capsys, *args, "--json", "--out", str(file)))
    assert (told["file"], told["deals"], told["agents"]) == (str(file), 3, ["greedy"] * 4)
    assert sum(told["scores"]) == 0
    assert sum(told["ends"].values()) == 3
    assert run(capsys, *args, "--out", "-") == file.read_text()


def test_play_out_takes_a_file_of_rules(capsys: Capture, tmp_path: Path) -> None:
    rules = tmp_path / "mine.yaml"
    rules.write_text("preset: guiyang\nji: {wu_gu: 2}\n")
    (record,) = lines(run(capsys, "play-out", "--rules", str(rules), "--out", "-"))
    assert record["rules"] == {"preset": "guiyang", "ji": {"wu_gu": 2}}


@pytest.mark.parametrize(
    ("args", "reason"),
    [
        (("--agents", "greedy"), "--agents: 1 given; allowed: four, joined by commas"),
        (("--agents", "greedy,greedy,greedy,gready"), "unknown agent 'gready'"),
        (("--rules", "guiyan"), "unknown preset guiyan; did you mean guiyang? allowed: "),
    ],
)
def test_play_out_refuses(
    capsys: Capture, tmp_path: Path, args: tuple[str, ...], reason: str
) -> None:
    file = tmp_path / "out.jsonl"
    assert reason in refused(capsys, "play-out", *args, "--out", str(file))
    assert not file.exists()


def test_play_out_leaves_the_old_file_where_an_agent_fails(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "cheats.py").write_text(
        "import numpy as np\n"
        "class Cheat:\n"
        "    def __init__(self): self.left = 100\n"
        "    def reset(self, n, seed): pass\n"
        "    def act(self, views, legal, observations):\n"
        "        self.left -= 1\n"
        "        return legal.argmax(axis=1) if self.left else np.array([56])\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    file = tmp_path / "out.jsonl"
    file.write_text("before")
    agents = "cheats:Cheat,greedy,greedy,greedy"
    told = refused(capsys, "play-out", "--agents", agents, "--deals", "99", "--out", str(file))
    assert "baoting is not legal; legal: " in told
    assert file.read_text() == "before"
    assert sorted(path.name for path in tmp_path.glob("*out*")) == ["out.jsonl"]


def test_play_out_to_nowhere(capsys: Capture, tmp_path: Path) -> None:
    file = tmp_path / "no" / "out.jsonl"
    told = refused(capsys, "play-out", "--out", str(file))
    assert told == f"zhuoji: {file}: No such file or directory\n"


def test_a_reader_that_goes_away_is_no_traceback(tmp_path: Path) -> None:
    file = written(tmp_path, *[RECORD] * 3000)
    done = subprocess.run(
        f'"{sys.executable}" -m zhuoji_env replay --json "{file}" | head -1',
        shell=True,
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout) == RECORD
    assert "Traceback" not in done.stderr
