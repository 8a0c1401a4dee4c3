"""README's examples run as they stand, and its commands do what they say."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from zhuoji_env import cli

README = (Path(__file__).parent.parent / "README.md").read_text()


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.S | re.M)


def commands(program: str) -> list[list[str]]:
    lines = [line for block in blocks("console") for line in block.splitlines()]
    return [shlex.split(line, comments=True)[1:] for line in lines if line.startswith(program)]


@pytest.mark.parametrize("code", blocks("python"), ids=lambda code: code.splitlines()[0])
def test_python_examples_run(code: str, capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile(code, "README.md", "exec"), {"__name__": "readme"})
    if "print(" in code:
        assert capsys.readouterr().out


def test_commands_run_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (ruleset,) = blocks("yaml")
    Path("street.yaml").write_text(ruleset)
    for arguments in commands("zhuoji "):
        assert cli.main(arguments) == 0, arguments
        assert capsys.readouterr().out or "--out" in arguments
    assert (tmp_path / "deals.jsonl").exists()


def test_make_has_the_targets() -> None:
    makefile = (Path(__file__).parent.parent / "Makefile").read_text()
    for arguments in commands("make "):
        assert re.search(rf"^{arguments[0]}:", makefile, re.M), arguments
