"""`zhuoji rules ...`: what it prints, what it refuses, and how."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer

from zhuoji_env.cli import main
from zhuoji_env.rules import PRESETS, Rules, switches

Capture = pytest.CaptureFixture[str]


def run(capsys: Capture, *args: str) -> str:
    """Standard output of a command that succeeds."""
    assert main(args) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


def run_json(capsys: Capture, *args: str) -> Any:
    return json.loads(run(capsys, *args, "--json"))


def refused(capsys: Capture, *args: str) -> str:
    """The one line on standard error of a command that exits with 2."""
    assert main(args) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("zhuoji: ")
    assert err.count("\n") == 1
    return err


def test_list(capsys: Capture) -> None:
    lines = run(capsys, "rules", "list").splitlines()
    assert [line.split()[0] for line in lines] == list(PRESETS)
    listed = run_json(capsys, "rules", "list")
    assert {row["name"]: row["fingerprint"] for row in listed} == {
        name: Rules.load(name).fingerprint for name in PRESETS
    }


def test_show_has_a_line_a_switch(capsys: Capture) -> None:
    head, *lines = run(capsys, "rules", "show", "zhuoji").splitlines()
    assert head == "zhuoji  9c34aab88a9c"
    assert [line.split()[0] for line in lines] == [s.path for s in switches()]
    assert any(line.split()[:3] == ["ji.men_yao", "80", "R42"] for line in lines)
    assert any(line.split()[:3] == ["baoting.enabled", "false", "R29"] for line in lines)


def test_show_json_is_a_ruleset_again(capsys: Capture) -> None:
    shown = run_json(capsys, "rules", "show", "guiyang")
    assert Rules.load(shown["rules"]).fingerprint == shown["fingerprint"]
    assert shown["rules"]["ji"]["men_yao"] is None


def test_diff(capsys: Capture) -> None:
    head, *lines = run(capsys, "rules", "diff", "zhuoji", "zhuoji_double").splitlines()
    assert head.split() == ["zhuoji", "zhuoji_double"]
    assert [line.split() for line in lines] == [
        ["ji.yao_held", "10", "20"],
        ["ji.yao_river", "0", "10"],
        ["ji.charge", "20", "10"],
        ["ji.men_yao", "80", "null"],
    ]
    told = run_json(capsys, "rules", "diff", "zhuoji", "zhuoji_double")
    assert told["differences"][3] == {"path": "ji.men_yao", "a": 80, "b": None}


def test_diff_of_equals(capsys: Capture) -> None:
    assert run(capsys, "rules", "diff", "duole", "duole") == (
        "duole and duole: no switch differs\n"
    )
    assert run_json(capsys, "rules", "diff", "duole", "duole")["differences"] == []


def test_check_says_what_differs_from_the_nearest_preset(capsys: Capture, tmp_path: Path) -> None:
    file = tmp_path / "house.yaml"
    file.write_text("preset: zhuoji\nji: {wu_gu: 2, men_yao: null}\nwin: {multiple: false}\n")
    head, *lines = run(capsys, "rules", "check", str(file)).splitlines()
    assert head.startswith(f"{file}: house ")
    assert head.endswith(" is sound; nearest preset: zhuoji")
    assert [line.split() for line in lines] == [
        ["win.multiple", "true", "->", "false"],
        ["ji.men_yao", "80", "->", "null"],
        ["ji.wu_gu", "0", "->", "2"],
    ]
    checked = run_json(capsys, "rules", "check", str(file))
    assert Rules.load(checked["rules"]).fingerprint == checked["fingerprint"]


def test_check_of_a_preset_unchanged(capsys: Capture, tmp_path: Path) -> None:
    file = tmp_path / "same.yaml"
    file.write_text("preset: duole")
    assert run(capsys, "rules", "check", str(file)) == (
        f"{file}: same 75696248d5fb is sound; nearest preset: duole\n"
    )
    assert run_json(capsys, "rules", "check", str(file))["rules"] == "duole"


def test_standard_input(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    def feed(data: bytes) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))

    feed(b"preset: guiyang\nbase: 7")
    assert run_json(capsys, "rules", "check", "-")["rules"] == {"preset": "guiyang", "base": 7}
    feed(b"preset: guiyang\nbase: 7")
    assert run_json(capsys, "rules", "show", "-")["rules"]["base"] == 7
    feed(b"base: \xff")
    assert refused(capsys, "rules", "check", "-") == (
        "zhuoji: standard input: is not UTF-8 (byte 7)\n"
    )


@pytest.mark.parametrize("as_json", [[], ["--json"]])
def test_bad_input_is_one_line(capsys: Capture, tmp_path: Path, as_json: list[str]) -> None:
    file = tmp_path / "bad.yaml"
    file.write_text("preset: zhuoji\ndou:\n  men: -1\n")
    assert refused(capsys, "rules", "check", str(file), *as_json) == (
        f"zhuoji: {file}: dou.men: -1 given; allowed: int 0..10000\n"
    )
    assert "did you mean duole?" in refused(capsys, "rules", "show", "doule", *as_json)
    assert "unknown preset x" in refused(capsys, "rules", "diff", "duole", "x", *as_json)
    missing = tmp_path / "none.yaml"
    assert f"{missing}: cannot be read: No such file" in refused(
        capsys, "rules", "check", str(missing), *as_json
    )


def test_a_preset_is_no_file_to_check(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert "guiyang: cannot be read" in refused(capsys, "rules", "check", "guiyang")


@pytest.mark.parametrize(
    ("args", "about", "command"),
    [
        ("rules shw", "'shw'", "rules"),
        ("nothing", "'nothing'", ""),
        ("rules show", "Missing argument", "rules show"),
        ("rules diff guiyang", "Missing argument", "rules diff"),
        ("rules list --wrong", "--wrong", "rules list"),
        ("rules list more", "more", "rules list"),
        ("play-out", "'--out'", "play-out"),
        ("play-out --out - --deals 0", "'--deals'", "play-out"),
        ("play-out --out - --deals 1.5", "'--deals'", "play-out"),
        ("play-out --out - --seed -1", "'--seed'", "play-out"),
        ("bench --rounds 0", "'--rounds'", "bench"),
        ("--wrong", "--wrong", ""),
    ],
)
def test_bad_usage_is_one_line(capsys: Capture, args: str, about: str, command: str) -> None:
    told = refused(capsys, *args.split())
    assert about in told
    assert told.endswith(f" (see {' '.join(['zhuoji', *command.split(), '--help'])})\n")


@pytest.mark.parametrize("args", [[], ["rules"]])
def test_a_group_alone_shows_its_help(capsys: Capture, args: list[str]) -> None:
    assert main(args) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("Usage: zhuoji")
    assert "Commands:" in err


@pytest.mark.parametrize(
    ("raised", "code", "said"),
    [(KeyboardInterrupt(), 130, ""), (EOFError(), 1, "aborted"), (typer.Exit(3), 3, "")],
)
def test_a_command_that_is_broken_off(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch, raised: BaseException, code: int, said: str
) -> None:
    def broken_off(*_: Any) -> None:
        raise raised

    monkeypatch.setattr(Rules, "load", broken_off)
    assert main(["rules", "list"]) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert said in err and "Traceback" not in err


@pytest.mark.parametrize("args", [[], ["rules"], ["rules", "check"]])
def test_help(capsys: Capture, args: list[str]) -> None:
    assert "Usage: zhuoji" in run(capsys, *args, "--help")


def test_the_module_is_the_command() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "zhuoji_env", "rules", "show", "nowhere"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("zhuoji: unknown preset nowhere")
    assert "Traceback" not in done.stderr


def test_a_reader_that_goes_away_is_no_traceback() -> None:
    script = "import sys, zhuoji_env.cli as c; sys.exit(c.main(['rules', 'show', 'guiyang']))"
    process = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    process.stdout.close()
    process.stdout = None
    _, err = process.communicate()
    assert process.returncode == 1
    assert err == b""


def test_rules_are_listed_without_loading_the_compiler() -> None:
    script = (
        "import sys, zhuoji_env.cli as c; c.main(['rules', 'list']); "
        "print(*sorted({'numba', 'torch'} & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stderr.strip() == ""
    assert done.stdout.startswith("guiyang")
