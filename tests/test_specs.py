"""From specs to agents, and how agents are asked."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import agents
import zhuoji_env as zj
from zhuoji_env import baselines, specs
from zhuoji_env.asking import Player, name_of


class Echo:
    """Tells what it is given and answers with what it was made with."""

    def __init__(self, answer: Any = None, needs_observations: bool = False) -> None:
        self.answer, self.needs_observations = answer, needs_observations

    def reset(self, n: int, seed: int) -> None: ...

    def act(self, views: Any, legal: Any, observations: Any) -> Any:
        self.observations = observations
        return legal.argmax(1) if self.answer is None else self.answer


class Numbered(Echo):
    def act(self, views: Any, legal: Any, observations: Any, tables: Any = None) -> Any:
        self.tables = tables
        return super().act(views, legal, observations)


def dealt(n: int) -> zj.Games:
    games = zj.Games(n, seed=3)
    games.reset()
    return games


def test_names_beyond_the_baselines_are_the_checkouts() -> None:
    assert isinstance(specs.make("greedy"), zj.Agent)
    with pytest.raises(zj.ZhuojiError, match=r"missing\.safetensors"):
        specs.make("missing.safetensors")
    with pytest.raises(zj.ZhuojiError, match=r"missing\.onnx"):
        specs.make("missing.onnx")


@pytest.mark.parametrize("beside_the_library", [False, True])
def test_anothers_agents_module_is_not_taken_for_ours(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, beside_the_library: bool
) -> None:
    foreign = tmp_path / "agents" / "__init__.py"
    foreign.parent.mkdir()
    foreign.write_text("raise AssertionError('imported')")
    monkeypatch.syspath_prepend(tmp_path)
    if beside_the_library:
        monkeypatch.setattr(specs, "__file__", str(tmp_path / "zhuoji_env" / "specs.py"))
    for name in [n for n in sys.modules if n.partition(".")[0] == "agents"]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(zj.ZhuojiError, match=r"or, in a checkout of the project, a policy file$"):
        specs.make("expert")


EVERYONE = ", ".join((*baselines.names(), *agents.NAMES))
ALLOWED = f"allowed: {EVERYONE}, module:factory, or a policy file"


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        ("greedi", f"unknown agent 'greedi'; did you mean greedy? {ALLOWED}"),
        ("mine", f"unknown agent 'mine'; {ALLOWED}"),
        ("mine.Mine", f"unknown agent 'mine.Mine'; did you mean mine:Mine? {ALLOWED}"),
        (
            "./mine.py:Mine",
            "agent './mine.py:Mine': './mine.py' given; "
            "allowed: a module's dotted name before the colon, as in mine:Mine",
        ),
        (":Mine", "agent ':Mine': '' given; allowed: a module's dotted name before the colon,"),
        ("broken_agents:Raises", "agent 'broken_agents:Raises': OSError: no weights here"),
        ("broken_agents:Wants", "agent 'broken_agents:Wants': TypeError: "),
        ("not_python:Any", "agent 'not_python:Any': SyntaxError: "),
    ],
)
def test_what_makes_no_agent_is_said_in_one_line(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, spec: str, reason: str
) -> None:
    (tmp_path / "not_python.py").write_text("class")
    (tmp_path / "broken_agents.py").write_text(
        "class Wants:\n"
        "    def __init__(self, path): pass\n"
        "def Raises():\n"
        "    raise OSError('no weights\\nhere')\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(zj.ZhuojiError) as refused:
        specs.make(spec)
    assert str(refused.value).startswith(reason) and "\n" not in str(refused.value)


def test_resolve_takes_specs_and_agents() -> None:
    agent = Echo()
    assert specs.resolve(agent) is agent
    assert isinstance(specs.resolve(f"{__name__}:Echo"), zj.Agent)
    for wrong in (None, 5, Echo, {"greedy": 1}):
        with pytest.raises(zj.ZhuojiError, match="allowed: a spec or an Agent"):
            specs.resolve(wrong)


def test_names() -> None:
    assert name_of("module:factory") == "module:factory"
    assert name_of(zj.baselines.make("greedy")) == "greedy"
    assert name_of(Echo()) == name_of(Echo) == "Echo"


def test_a_player_is_given_what_it_wants() -> None:
    games = dealt(3)
    views, legal, numbers = games.view(), games.legal, np.arange(3)
    blind, seeing, numbered = Echo(), Echo(needs_observations=True), Numbered()
    for agent in (blind, seeing, numbered):
        actions = Player("p", agent).ask(views, legal, numbers)
        assert actions.dtype == np.int64 and np.array_equal(actions, legal.argmax(1))
    assert blind.observations is None
    for given, wanted in zip(seeing.observations, games.observe(), strict=True):
        assert np.array_equal(given, wanted)
    assert numbered.tables is numbers
    Player("p", numbered).ask(views, legal)
    assert numbered.tables is None


@pytest.mark.parametrize("answer", [[0, 0], 0, [0.0], "x", [[0]], [True]])
def test_a_players_answer_is_checked(answer: Any) -> None:
    games = dealt(1)
    with pytest.raises(
        zj.ZhuojiError, match=r"^agent 'p' gave .*; allowed: integers of shape \(1,"
    ):
        Player("p", Echo(answer)).ask(games.view(), games.legal)
