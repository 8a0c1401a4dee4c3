"""Garbage of every kind: one line and exit code 2, or ZhuojiError; never more, never half a file.

Hypothesis damages records, positions, rulesets, saved tables and policy files; what is still sound
works, everything else is refused.
"""

from __future__ import annotations

import io
import json
import subprocess
import sys
import zipfile
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import zhuoji_env as zj
from agents import policy
from agents.network import Network, NetworkConfig
from tests import test_calculator, test_record
from tests.strategies import damaged, damaged_text, lively
from zhuoji_env import observation
from zhuoji_env.cli import main
from zhuoji_env.engine.layout import GAME
from zhuoji_env.engine.storage import _RANGES
from zhuoji_env.errors import ZhuojiError
from zhuoji_env.rules.reading import parse_yaml

RECORD, POSITION = test_record.EXAMPLE, test_calculator.EXAMPLE
RULES = {
    "preset": "zhuoji",
    "base": 2,
    "ji": {"wu_gu": 2, "wu_gu_charge": 4, "gold": "add"},
    "dou": {"late_added": "forbid"},
    "name": "mine",
}
MEGABYTE = 1 << 20
SOME = settings(
    max_examples=100,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)

# Tokens that no writer of ours makes, put where a value stood.
TOKENS = [
    "NaN",
    "-Infinity",
    "1e999",
    "-0",
    "0.1",
    "9" * 5000,
    "1e-999",
    "[" * 5000 + "]" * 5000,
    "[" * 100_000,
    '{"a":' * 3000 + "1" + "}" * 3000,
    '"\\ud800"',
    '"\\u0000"',
    '"' + "5" * 70_000 + '"',
    '{"a": 1, "a": 2}',
    "[]",
    "{}",
    "\u00a0",
    "'1'",
    "// 1",
    "",
]
YAML_TOKENS = [
    "&a [*a]",
    "!!python/object/apply:os.getcwd []",
    "!!binary AAAA",
    ".nan",
    "-.inf",
    "0x" + "f" * 5000,
    "1:2:3",
    "2001-99-99",
    "2001-01-01 25:61:00",
    "<<: 1",
    "? [1]\n: 2",
    "{? {a: 1} : 2}",
    "- " * 3000 + "1",
    "|\n  text",
    "%TAG ! x",
    "---\n---",
    "\x07",
    "\u2028",
    "~",
    "yes",
]
ENCODINGS = ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32", "latin-1", "cp037"]


@st.composite
def with_token(draw: st.DrawFn, text: str, tokens: list[str]) -> str:
    """A text with one of its words replaced by a token."""
    places = [i for i, char in enumerate(text) if char in ' :,["']
    start = draw(st.sampled_from(places)) + 1
    end = draw(st.sampled_from([p for p in places if p >= start][:20] or [len(text)]))
    return text[:start] + draw(st.sampled_from(tokens)) + text[end:]


def encoded(text: str, encoding: str) -> bytes:
    return text.encode(encoding, errors="replace")


def one_text(sound: dict[str, Any]) -> st.SearchStrategy[bytes]:
    """The bytes of one damaged JSON text."""
    text = json.dumps(sound)
    return st.one_of(
        damaged(sound).map(lambda value: json.dumps(value).encode()),
        damaged_text(sound),
        with_token(text, TOKENS).map(lambda t: t.encode(errors="replace")),
        st.builds(encoded, damaged(sound).map(json.dumps), st.sampled_from(ENCODINGS)),
        st.binary(max_size=60),
        st.integers(0, len(text)).map(lambda n: text[:n].encode()),
    )


def file_of(sound: dict[str, Any]) -> st.SearchStrategy[bytes]:
    """The bytes of a file of one or a few, a sound one before or after."""
    good = json.dumps(sound).encode() + b"\n"
    return st.one_of(
        one_text(sound),
        one_text(sound).map(lambda bad: good + bad),
        one_text(sound).map(lambda bad: bad + b"\n" + good),
        one_text(sound).map(lambda bad: b"\xef\xbb\xbf" + good + b"\r\n\x00\n" + bad),
        st.just(json.dumps(sound, indent=2).encode() + b"\n" + good),
    )


def rules_file() -> st.SearchStrategy[bytes]:
    text = yaml.safe_dump(RULES)
    return st.one_of(
        damaged(RULES).map(lambda v: yaml.dump(v, allow_unicode=True).encode(errors="replace")),
        damaged(zj.Rules.load("guiyang").to_dict()).map(lambda v: json.dumps(v).encode()),
        with_token(text, YAML_TOKENS + TOKENS).map(lambda t: t.encode(errors="replace")),
        st.builds(encoded, st.just(text), st.sampled_from(ENCODINGS)),
        st.builds(lambda junk, n: text[:n].encode() + junk, st.binary(max_size=40), st.integers(0)),
        st.binary(max_size=60),
        st.text(max_size=60).map(str.encode),
    )


def judge(*args: str) -> tuple[int, str]:
    """Exit code and standard output of a command; 0 without, 2 with one line of complaint."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = main(args)
    told = err.getvalue()
    if code == 0:
        assert told == ""
    else:
        assert code == 2, told
        assert told.startswith("zhuoji: ")
        assert told.count("\n") == 1
        assert len(told) < 2000
    return code, out.getvalue()


def check_whole_lines(out: str) -> None:
    """What was printed before a complaint is whole."""
    for line in out.splitlines():
        json.loads(line)


# Records and positions


@SOME
@given(data=file_of(RECORD))
def test_replay(tmp_path: Path, data: bytes) -> None:
    file = tmp_path / "d.jsonl"
    file.write_bytes(data)
    _, out = judge("replay", "--json", str(file))
    check_whole_lines(out)
    judge("replay", "--verify", str(file))
    (tmp_path / "d.json").write_bytes(data)
    judge("replay", str(tmp_path / "d.json"))


@SOME
@given(data=file_of(RECORD))
def test_resettle(tmp_path: Path, data: bytes) -> None:
    file = tmp_path / "d.jsonl"
    file.write_bytes(data)
    _, out = judge("resettle", str(file), "--rules", "guiyang_street", "--json", "--each")
    check_whole_lines(out)
    judge("resettle", str(file), "--rules", "duole")


@SOME
@given(data=file_of(POSITION))
def test_settle(tmp_path: Path, data: bytes) -> None:
    file, out_file = tmp_path / "p.jsonl", tmp_path / "p.html"
    file.write_bytes(data)
    out_file.write_text("before")
    _, out = judge("settle", "--json", "--explain", str(file))
    check_whole_lines(out)
    code, _ = judge("settle", "--html", "--language", "zh", str(file), "--out", str(out_file))
    page = out_file.read_text(encoding="utf-8")
    assert page.endswith("</html>\n") if code == 0 else page == "before"
    judge("settle", str(file))
    assert {path.name for path in tmp_path.iterdir()} == {"p.jsonl", "p.html"}


@SOME
@given(value=damaged(RECORD) | one_text(RECORD))
def test_replay_and_resettle_of_objects(value: Any) -> None:
    for call in (zj.replay, lambda one: zj.resettle([one], "duole")):
        try:
            call(value)
        except zj.RecordError as error:
            assert len(str(error).splitlines()) == 1


@SOME
@given(value=damaged(POSITION) | one_text(POSITION))
def test_settle_of_objects(value: Any) -> None:
    try:
        settled = zj.settle(value)
    except zj.PositionError as error:
        assert len(str(error).splitlines()) == 1
    else:
        assert sum(settled.result["scores"]) == 0
        assert settled.explain("zh")


# Rulesets


@settings(SOME, max_examples=250)
@given(data=rules_file())
def test_rules(tmp_path: Path, data: bytes) -> None:
    file = tmp_path / "r.yaml"
    file.write_bytes(data)
    try:
        rules = zj.Rules.load(file)
    except zj.RulesError as error:
        assert len(str(error).splitlines()) == 1
        code, _ = judge("rules", "check", str(file))
        assert code == 2
    else:
        assert zj.Rules.load(rules.to_dict()) == rules
        judge("rules", "check", str(file))
        judge("rules", "show", str(file))


@SOME
@given(value=damaged(RULES) | damaged(zj.Rules.load("duole").to_dict()))
def test_rules_of_objects(value: Any) -> None:
    try:
        assert isinstance(zj.Rules.load(value), zj.Rules)
    except (zj.RulesError, OSError) as error:
        assert not isinstance(error, OSError) or isinstance(value, str)


@pytest.mark.parametrize("token", [token for token in YAML_TOKENS + TOKENS if token])
def test_a_token_where_a_ruleset_should_be(token: str) -> None:
    try:
        assert isinstance(parse_yaml(token, "rules"), dict)
    except zj.RulesError as error:
        assert str(error).startswith("rules: ")


# Saved tables


def saved(path: Path) -> tuple[np.ndarray[Any, Any], str, str]:
    """What a file of saved tables holds, some of them in play."""
    games = zj.Games(3, rules=["guiyang", "zhuoji"], rules_index=[0, 1, 0], seed=5)
    games.reset()
    states = np.arange(3, dtype=np.uint64)
    for _ in range(50):
        games.step(games.sample(states))
    games.save(path)
    with np.load(path) as file:
        return file["state"], str(file["rules"]), str(file["format"])


def load_or_refuse(path: Path) -> zj.Games | None:
    """The tables of a file; what loads can be played on."""
    try:
        games = zj.Games.load(path)
    except ZhuojiError as error:
        assert len(str(error).splitlines()) == 1
        return None
    return games


@SOME
@given(st.data())
def test_a_damaged_file_of_tables(tmp_path: Path, data: st.DataObject) -> None:
    path = tmp_path / "games.npz"
    saved(path)
    sound = path.read_bytes()
    start = data.draw(st.integers(0, len(sound) - 1))
    end = data.draw(st.integers(start, min(len(sound), start + 60)))
    path.write_bytes(sound[:start] + data.draw(st.binary(max_size=8)) + sound[end:])
    load_or_refuse(path)


FORGED: dict[str, Callable[[Any, str], tuple[Any, str]]] = {
    "no table": lambda state, rules: (state[:0], rules),
    "two axes": lambda state, rules: (state[None], rules),
    "one record": lambda state, rules: (state[0], rules),
    "numbers": lambda state, rules: (np.zeros(3), rules),
    "no rules": lambda state, rules: (state, "[]"),
    "rules of a number": lambda state, rules: (state, "3"),
    "rules of null": lambda state, rules: (state, "[null, null]"),
    "rules of a file": lambda state, rules: (state, '["/etc/hostname", "/etc/hostname"]'),
    "rules too few": lambda state, rules: (state, json.dumps(json.loads(rules)[:1])),
    "rules too deep": lambda state, rules: (state, "[" * 100_000),
    "rules not JSON": lambda state, rules: (state, "guiyang"),
}


@pytest.mark.parametrize("how", FORGED)
def test_a_forged_file_of_tables(tmp_path: Path, how: str) -> None:
    path = tmp_path / "games.npz"
    state, rules, form = saved(path)
    state, rules = FORGED[how](state, rules)
    np.savez(path, format=np.array(form), state=state, rules=np.array(rules))
    assert load_or_refuse(path) is None


@pytest.mark.parametrize("name", [*_RANGES, "rules"])
@pytest.mark.parametrize("end", ["min", "max"])
def test_tables_with_a_number_out_of_its_range(tmp_path: Path, name: str, end: str) -> None:
    path = tmp_path / "games.npz"
    state, rules, form = saved(path)
    limits = np.iinfo(GAME[name].base)
    state[name][1] = limits.max if limits.min == 0 else getattr(limits, end)
    np.savez(path, format=np.array(form), state=state, rules=np.array(rules))
    with pytest.raises(ZhuojiError, match=f"table 1: {name} is "):
        zj.Games.load(path)


CONTRADICTIONS = {
    "hand": "key does not follow from hand",
    "held": "held does not follow from hand",
    "quad": "quad does not follow from hand",
    "n_melds": "melds are not what n_melds says",
    "wall": "the tiles are not four of each kind",
    "head": "the tiles are not four of each kind",
}


@pytest.mark.parametrize("name", CONTRADICTIONS)
def test_tables_that_contradict_themselves(tmp_path: Path, name: str) -> None:
    path = tmp_path / "games.npz"
    state, rules, form = saved(path)
    field = state[name][2:]
    if name == "wall":
        field[0, 80:] = 0
    elif name == "n_melds":
        field[0] = 4
    else:
        field.flat[0] ^= 2
    np.savez(path, format=np.array(form), state=state, rules=np.array(rules))
    with pytest.raises(ZhuojiError, match=f"table 2: {CONTRADICTIONS[name]}"):
        zj.Games.load(path)


@pytest.mark.parametrize("rules", ["guiyang", "zhuoji", "duole"])
def test_every_table_that_was_played_loads(tmp_path: Path, rules: str) -> None:
    path = tmp_path / "games.npz"
    games = zj.Games(600, rules=rules, seed=3)
    states = np.arange(600, dtype=np.uint64)
    for step in range(12):
        games.save(path)
        assert zj.Games.load(path).state.tobytes() == games.state.tobytes()
        if step == 0:
            games.reset()
        for _ in range(12):
            games.step(lively(games, states))


def test_a_file_of_tables_that_claims_to_be_huge(tmp_path: Path) -> None:
    path = tmp_path / "games.npz"
    state, rules, form = saved(path)
    header = np.lib.format.header_data_from_array_1_0(state)
    header["shape"] = (1 << 40,)
    stream = io.BytesIO()
    np.lib.format.write_array_header_1_0(stream, header)
    np.savez(path, format=np.array(form), rules=np.array(rules))
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("state.npy", stream.getvalue() + state.tobytes())
    assert load_or_refuse(path) is None


# Policy files


def forge(path: Path, header: bytes, data: bytes, length: int | None = None) -> None:
    """Write a safetensors file: the header's length, the header, the numbers."""
    size = len(header) if length is None else length
    path.write_bytes(size.to_bytes(8, "little") + header + data)


def load_policy_or_refuse(path: Path) -> None:
    for read in (policy.load, policy.read_info):
        try:
            read(path)
        except ZhuojiError as error:
            assert len(str(error).splitlines()) == 1


@pytest.fixture(scope="module")
def sound_policy(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], bytes]:
    """A policy file's header and numbers."""
    path = tmp_path_factory.mktemp("policy") / "p.safetensors"
    network = NetworkConfig(channels=2, convolutions=1, hidden=2)
    info = policy.PolicyInfo("guiyang", "0" * 12, observation.VERSION, network)
    policy.save_policy(path, Network(network).state_dict(), info)
    assert policy.load(path).info == info
    raw = path.read_bytes()
    size = int.from_bytes(raw[:8], "little")
    return json.loads(raw[8 : 8 + size]), raw[8 + size :]


@SOME
@given(data=st.data())
def test_a_damaged_policy_file(
    tmp_path: Path, sound_policy: tuple[dict[str, Any], bytes], data: st.DataObject
) -> None:
    header, numbers = sound_policy
    path = tmp_path / "p.safetensors"
    forge(path, data.draw(one_text(header)), numbers)
    load_policy_or_refuse(path)
    told = {**header["__metadata__"]}
    told["network"] = data.draw(one_text(json.loads(told["network"]))).decode(errors="replace")
    changed = {**header, "__metadata__": data.draw(st.just(told) | damaged(told))}
    length = data.draw(st.none() | st.integers(0, 2**64 - 1))
    forge(path, json.dumps(changed).encode(), numbers, length)
    load_policy_or_refuse(path)


# Memory

_GROWTH = """
import io, json, resource, sys
from contextlib import redirect_stderr, redirect_stdout
from zhuoji_env import observation
from zhuoji_env.cli import main
def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
def run(args):
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = main(args)
    return code, err.getvalue()
told = []
for small, big in json.loads(sys.argv[1]):
    run(small)
    before = peak()
    code, err = run(big)
    told.append([code, err, peak() - before])
print(json.dumps(told))
"""


@pytest.mark.parametrize("shape", ["a line", "many lines", "white space", "a name"])
def test_50_megabytes_take_no_more_memory(tmp_path: Path, shape: str) -> None:
    pairs = []
    for command, sound in (("replay", RECORD), ("settle", POSITION), ("resettle", RECORD)):
        small, big = tmp_path / f"{command}.jsonl", tmp_path / f"{command}-big.jsonl"
        small.write_text(json.dumps(sound) + "\n")
        big.write_bytes(huge(json.dumps(sound).encode(), shape))
        extra = ["--rules", "duole"] if command == "resettle" else []
        pairs.append([[command, str(small), *extra], [command, str(big), *extra]])
        alone = big.with_suffix(".json")
        alone.hardlink_to(big)
        pairs.append([[command, str(small), *extra], [command, str(alone), *extra]])
    rules, big = tmp_path / "r.yaml", tmp_path / "big.yaml"
    rules.write_text(yaml.safe_dump(RULES))
    big.write_bytes(huge(json.dumps(RULES).encode(), shape))
    pairs.append([["rules", "check", str(rules)], ["rules", "check", str(big)]])
    args = [sys.executable, "-c", _GROWTH, json.dumps(pairs)]
    done = subprocess.run(args, capture_output=True, text=True, check=True)
    for file in tmp_path.glob("*big*"):
        file.unlink()  # pytest keeps what tests leave
    for code, err, kilobytes in json.loads(done.stdout):
        assert code == 2
        assert err.count("\n") == 1
        assert kilobytes < 16 * 1024


def huge(sound: bytes, shape: str) -> bytes:
    """50 MB of garbage around something sound."""
    size = 50 * MEGABYTE
    return {
        "a line": sound[:-1] + b', "note": "' + b"x" * size + b'"}\n',
        "many lines": b"[\n" * (size // 2),
        "white space": b"{" + b" " * size + sound[1:],
        "a name": b'{"' + b"x" * size + b'": 1}\n',
    }[shape]
