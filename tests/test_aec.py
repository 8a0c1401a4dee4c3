"""The PettingZoo AEC environment: its own testers, rewards, options, masks, what it hides."""

from __future__ import annotations

import copy
import importlib
import logging
import pickle
import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pettingzoo
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pettingzoo.test import api_test, render_test, seed_test

import zhuoji_env as zj
from tests.hidden import redealt
from zhuoji_env import actions, baselines, envs, observation, tiles, zhuoji_v0
from zhuoji_env.engine.layout import N_SEATS
from zhuoji_env.envs import aec
from zhuoji_env.rules.ruleset import PRESETS

LOGGER = "pettingzoo.utils.env_logger"
# The two things that PettingZoo's tester says of every environment with a mask beside its array.
DICTIONARIES = (
    "ignore:Observation is not a NumPy array$:UserWarning",
    "ignore:Observation space for each agent probably should be gymnasium.spaces.box or "
    "gymnasium.spaces.discrete$:UserWarning",
)
GREEDY = baselines.make("greedy")
GREEDY.reset(1, 0)
SORTED_WALL = np.repeat(np.arange(tiles.N_KINDS), 4)


def decide(env: Any, rng: np.random.Generator) -> int:
    """What greedy does, or now and then any legal action: deals with wins, kongs and mistakes."""
    games = env.unwrapped.games
    if rng.random() < 0.1:
        return int(rng.choice(np.flatnonzero(games.legal[0])))
    return int(GREEDY.act(games.view(), games.legal, None)[0])


def play(env: Any, seed: int = 0, decisions: int | None = None) -> Iterator[tuple[str, int]]:
    """Play to the end of the session; yield (agent, action) after each."""
    rng = np.random.default_rng(seed)
    made = 0
    while env.agents and made != decisions:
        agent = env.agent_selection
        if env.terminations[agent]:
            env.step(None)
            continue
        action = decide(env, rng)
        env.step(action)
        made += 1
        yield agent, action


def begun(seed: int = 0, decisions: int = 0, **arguments: Any) -> Any:
    """A raw environment some decisions into the session of a seed."""
    env = zhuoji_v0.raw_env(**arguments)
    env.reset(seed=seed)
    for _ in play(env, seed, decisions):
        pass
    return env


def snapshot(env: Any) -> tuple[Any, ...]:
    """Everything that a refused call must leave as it was."""
    keys = ("rewards", "_cumulative_rewards", "terminations", "truncations", "infos")
    return (
        env.games.state.tobytes(),
        env.agent_selection,
        list(env.agents),
        env.scores.tolist(),
        *(copy.deepcopy(getattr(env, key)) for key in keys),
    )


class TestPettingZoosOwn:
    @pytest.mark.filterwarnings(*DICTIONARIES)
    @pytest.mark.parametrize("deals", [1, 3])
    @pytest.mark.parametrize("rules", PRESETS)
    def test_api(self, rules: str, deals: int) -> None:
        api_test(zhuoji_v0.env(rules=rules, deals=deals))
        api_test(zhuoji_v0.raw_env(rules=rules, deals=deals))

    @pytest.mark.parametrize("deals", [1, 3])
    @pytest.mark.parametrize("rules", PRESETS)
    def test_seed(self, rules: str, deals: int) -> None:
        seed_test(lambda: zhuoji_v0.env(rules=rules, deals=deals), num_cycles=500)

    @pytest.mark.parametrize("deals", [1, 3])
    @pytest.mark.parametrize("rules", PRESETS)
    def test_render(self, rules: str, deals: int) -> None:
        render_test(lambda **kwargs: zhuoji_v0.env(rules=rules, deals=deals, **kwargs))


class TestMaking:
    def test_from_the_registry(self) -> None:
        env = pettingzoo.make("aec", "zhuoji/zhuoji-v0", rules="duole", deals=2)
        assert str(env) == "zhuoji_v0"
        assert env.unwrapped.games.rules[0].name == "duole"
        assert env.unwrapped.deals == 2

    def test_registering_twice_warns_of_nothing(self) -> None:
        importlib.reload(envs)

    def test_env_is_raw_env_in_bounds_and_order_checks_only(self) -> None:
        env = zhuoji_v0.env()
        layers = []
        while env is not env.unwrapped:
            layers.append(type(env).__name__)
            env = env.env
        assert layers == ["OrderEnforcingWrapper", "AssertOutOfBoundsWrapper"]
        assert type(env) is zhuoji_v0.raw_env

    @pytest.mark.parametrize(
        ("arguments", "says"),
        [
            ({"deals": 0}, "deals is 0; allowed: an integer, 1 or more"),
            ({"deals": True}, "deals is True"),
            ({"deals": 1.5}, "deals is 1.5"),
            ({"render_mode": "rgb_array"}, "render_mode is 'rgb_array'; allowed: None, 'ansi'"),
            ({"tiles": "emoji"}, "tiles is 'emoji'; allowed: 'mpsz', 'faces'"),
            ({"language": "fr"}, "language is 'fr'; allowed: 'en', 'zh'"),
            ({"reward_scale": 0}, "reward_scale is 0; allowed: a number above 0"),
            ({"reward_scale": -1.0}, "reward_scale is -1.0"),
            ({"reward_scale": float("nan")}, "reward_scale is nan"),
            ({"reward_scale": "1"}, "reward_scale is '1'"),
            ({"reward_scale": None}, "reward_scale is None"),
            ({"reward_scale": True}, "reward_scale is True"),
            ({"reward_scale": 1e-60}, "reward_scale is 1e-60"),
            ({"reward_scale": 1e300}, "reward_scale is 1e"),
            ({"reward_scale": 10**400}, "reward_scale is 1000"),
            ({"reward_scale": float("inf")}, "reward_scale is inf"),
            ({"rules": "sichuan"}, "sichuan"),
        ],
    )
    def test_bad_arguments(self, arguments: dict[str, Any], says: str) -> None:
        with pytest.raises(ValueError, match="^.*" + says.replace(".", r"\.")):
            zhuoji_v0.env(**arguments)

    def test_spaces_are_the_same_objects_at_every_call_and_each_agents_own(self) -> None:
        env = zhuoji_v0.env()
        for space in (env.observation_space, env.action_space):
            assert [space(a) is space(a) for a in env.possible_agents] == [True] * N_SEATS
            assert len({id(space(a)) for a in env.possible_agents}) == N_SEATS

    def test_the_docstring_is_the_specification(self) -> None:
        text = aec.__doc__ or ""
        channels = [c.name for c in (*observation.PLANES, *observation.GLOBALS)]
        told = 0
        for line in text.splitlines():
            cells = [cell.strip() for cell in line.strip("| ").split("|")]
            if cells[0][:1].isdigit() and "`" in cells[1]:
                first, _, last = cells[0].partition("-")
                names = cells[1].replace("`", "").replace("…", ",").split(",")
                assert channels[int(first)] == names[0].strip(), line
                assert channels[int(last or first)] == names[-1].strip(), line
                assert int(first) == told, line
                told = int(last or first) + 1
        assert told == observation.N_CHANNELS
        assert f"`({observation.N_CHANNELS}, 3, 9)` float32" in text
        assert f"`({aec.N_STATE},)` float32" in text
        assert f"(version {observation.VERSION}," in text

    def test_the_docstrings_example_runs(self, capsys: pytest.CaptureFixture[str]) -> None:
        lines = (aec.__doc__ or "").splitlines()
        code = "\n".join(line[4:] for line in lines if line.startswith("    ") or not line)
        exec(compile(code, "example", "exec"), {})
        assert "next dealer: " in capsys.readouterr().out

    def test_metadata(self) -> None:
        metadata = zhuoji_v0.env().metadata
        assert metadata["name"] == "zhuoji_v0"
        assert metadata["is_parallelizable"] is False
        assert metadata["render_modes"] == ["ansi", "human"]


class TestRewards:
    @settings(max_examples=25, deadline=None)
    @given(
        seed=st.integers(0, 2**32 - 1),
        rules=st.sampled_from(sorted(PRESETS)),
        deals=st.integers(1, 3),
        scale=st.sampled_from([1.0, 0.5, 0.1, 1 / 3, 0.007, 2]),
    )
    def test_sums_are_exact(self, seed: int, rules: str, deals: int, scale: float) -> None:
        """Four rewards add up to 0, and a seat's to its score x scale, to the last bit."""
        env = begun(seed, rules=rules, deals=deals, reward_scale=scale)
        assert env.reward_scale == pytest.approx(scale, rel=1e-7)
        received = [0.0] * N_SEATS
        for _ in play(env, seed):
            assert sum(env.rewards.values()) == 0
            received = [a + b for a, b in zip(received, env.rewards.values(), strict=True)]
            if all(env.terminations.values()):
                break
        assert received == [score * env.reward_scale for score in env.scores.tolist()]
        assert sum(env.scores.tolist()) == 0

    @pytest.mark.parametrize("scale", [1.0, 0.1])
    @pytest.mark.parametrize("rules", PRESETS)
    def test_all_four_are_paid_in_the_step_that_ends_a_deal(self, rules: str, scale: float) -> None:
        env = begun(5, rules=rules, deals=4, reward_scale=scale)
        exact = env.reward_scale
        handed = dict.fromkeys(env.possible_agents, 0.0)
        totals = np.zeros(N_SEATS, np.int64)
        ended = 0
        rng = np.random.default_rng(5)
        while env.agents:
            agent = env.agent_selection
            _, reward, dead, _, _ = env.last(observe=False)
            handed[agent] += reward
            if dead:
                env.step(None)
                continue
            before = env.scores.copy()
            twin = env.games.copy()
            action = decide(env, rng)
            env.step(action)
            if twin.step([action]):
                ended += 1
                totals += twin.scores[0]
                assert list(env.rewards.values()) == [n * exact for n in twin.scores[0].tolist()]
                assert (env.scores - before).tolist() == twin.scores[0].tolist()
            else:
                assert list(env.rewards.values()) == [0.0] * N_SEATS
        assert ended == 4
        assert list(handed.values()) == [n * exact for n in totals.tolist()]
        assert env.scores.tolist() == totals.tolist()

    def test_terminations_are_python_bools_and_come_with_the_last_deal(self) -> None:
        env = begun(3, deals=2)
        flags = []
        for _ in play(env, 3):
            assert {type(flag) for flag in env.terminations.values()} == {bool}
            assert set(env.truncations.values()) == {False}
            flags.append(set(env.terminations.values()))
        assert flags == [{False}] * (len(flags) - 1) + [{True}]
        assert env.agents == []


class TestEndOfADeal:
    def finished(self, **arguments: Any) -> Any:
        """A session stepped up to its end, every agent still to be told."""
        env = begun(11, **arguments)
        for _ in play(env, 11):
            if all(env.terminations.values()):
                break
        return env

    def test_infos_carry_the_bill_to_all_four(self) -> None:
        env = self.finished()
        result = env.infos["player_0"]["result"]
        assert result["items"] == [list(entry) for entry in env.games.bill(0)]
        assert result["scores"] == env.scores.tolist()
        for agent in env.possible_agents:
            assert env.infos[agent]["bill"] == env.games.bill(0)
            assert env.infos[agent]["results"] == [result]
            assert env.infos[agent]["result"] == result

    def test_dead_agents_leave_one_by_one_and_take_only_none(self) -> None:
        env = self.finished()
        assert env.agent_selection == "player_0"
        for left in (3, 2, 1, 0):
            kept = snapshot(env)
            with pytest.raises(ValueError, match="only valid action is None"):
                env.step(actions.PASS)
            assert snapshot(env) == kept
            assert env.last()[2] is True
            env.step(None)
            assert len(env.agents) == left
        with pytest.raises(zj.ZhuojiError, match="reset"):
            env.step(None)

    def test_the_selected_dead_agent_is_shown_pass_alone(self) -> None:
        env = self.finished()
        for agent in env.agents:
            mask = env.observe(agent)["action_mask"]
            expected = [actions.PASS] if agent == env.agent_selection else []
            assert np.flatnonzero(mask).tolist() == expected
            assert env.observation_space(agent).contains(env.observe(agent))

    def test_the_next_deal_shows_the_bill_until_the_agent_has_decided(self) -> None:
        env = begun(2, deals=3)
        rng = np.random.default_rng(2)
        while not any(env.rewards.values()):
            env.step(decide(env, rng))
        paid = dict(env.rewards)
        result = env.infos["player_0"]["result"]
        assert env.games.state["dealer"][0] == result["next_dealer"]
        assert env.games.state["streak"][0] == result["next_streak"]
        told: set[str] = set()
        for _ in range(12):
            assert not any(env.rewards.values()) or not told
            agent = env.agent_selection
            _, reward, _, _, info = env.last()
            if agent in told:
                assert (reward, info) == (0.0, {})
            else:
                assert (reward, info["result"]) == (paid[agent], result)
            told.add(agent)
            env.step(decide(env, rng))
        assert len(told) == N_SEATS

    def test_an_agent_that_never_decided_is_told_of_every_deal(self) -> None:
        """Heavenly hands: the dealer wins on the opening tiles twice, the others never act."""
        env = zhuoji_v0.raw_env(deals=2)
        env.reset(seed=0, options={"wall": opening_win(), "dealer": 0})
        env.step(actions.HU)
        first = env.infos["player_1"]["result"]
        second_wall = np.array([opening_win()], np.int8)
        env.games.reset(walls=second_wall, dealers=0, streaks=2)
        env.step(actions.HU)
        info = env.infos["player_1"]
        assert info["results"] == [first, info["result"]]
        assert env.infos["player_0"]["results"] == [info["result"]]
        assert env.last()[1] == env.rewards["player_0"]
        paid = sum(result["scores"][1] for result in info["results"])
        assert env._cumulative_rewards["player_1"] == env.scores[1] == paid < 0


def opening_win() -> list[int]:
    """A wall whose dealer, East, is dealt a complete hand."""
    hand = tiles.parse("123456789m33p66p") + tiles.parse("6p")
    places = [16 * turn + i for turn in range(3) for i in range(4)] + [48, 52]
    wall: list[int] = [-1] * len(SORTED_WALL)
    for place, kind in zip(places, hand, strict=True):
        wall[place] = kind
    left = np.bincount(SORTED_WALL, minlength=tiles.N_KINDS)
    left -= np.bincount(hand, minlength=tiles.N_KINDS)
    rest = iter(np.repeat(np.arange(tiles.N_KINDS), left).tolist())
    return [next(rest) if kind < 0 else kind for kind in wall]


class TestOrder:
    def test_calls_before_reset(self) -> None:
        env = zhuoji_v0.env()
        for call in (lambda: env.step(0), lambda: env.observe("player_0"), env.state, env.render):
            with pytest.raises(AssertionError, match="reset"):
                call()
        with pytest.raises(AttributeError, match="before reset"):
            _ = env.agent_selection
        with pytest.raises(zj.ZhuojiError, match="reset"):
            zhuoji_v0.raw_env().step(0)

    def test_a_step_after_the_end_is_logged(self, caplog: pytest.LogCaptureFixture) -> None:
        env = zhuoji_v0.env()
        env.reset(seed=1)
        for _ in play(env, 1):
            pass
        with caplog.at_level(logging.WARNING, LOGGER):
            env.step(None)
        assert "Should reset() first" in caplog.text

    def test_a_new_session_after_a_broken_off_end(self) -> None:
        env = begun(4)
        for _ in play(env, 4):
            pass
        env.reset(seed=4)
        for _ in play(env, 4, decisions=10):
            pass
        assert env.agents == env.possible_agents
        assert not any(env.terminations.values())


class TestIllegalActions:
    def test_nothing_changes_and_another_may_follow(self) -> None:
        env = zhuoji_v0.env(deals=2)
        env.reset(seed=8)
        raw = env.unwrapped
        for _ in play(env, 8):
            if any(raw.terminations.values()):
                break
            kept = snapshot(raw)
            legal = np.flatnonzero(env.observe(env.agent_selection)["action_mask"])
            wrong = next(a for a in range(actions.N_ACTIONS) if a not in legal)
            with pytest.raises(zj.IllegalAction) as raised:
                env.step(wrong)
            assert raised.value.action == wrong
            assert raised.value.legal == tuple(legal)
            assert f"player_{raised.value.seat}" == env.agent_selection
            assert snapshot(raw) == kept

    @pytest.mark.parametrize("action", [-1, 58, 10**30])
    def test_out_of_bounds(self, action: int) -> None:
        raw = begun()
        kept = snapshot(raw)
        with pytest.raises(zj.IllegalAction, match=f"action {action} is not legal"):
            raw.step(action)
        assert snapshot(raw) == kept
        env = zhuoji_v0.env()
        env.reset(seed=0)
        with pytest.raises(AssertionError, match="action is not in action space"):
            env.step(action)

    @pytest.mark.parametrize("action", [None, 3.0, "peng", [3], np.array([3, 4]), True, np.True_])
    def test_no_integer(self, action: Any) -> None:
        env = begun()
        kept = snapshot(env)
        with pytest.raises(zj.ZhuojiError, match=r"an integer 0\.\.57 is due"):
            env.step(action)
        assert snapshot(env) == kept

    @pytest.mark.parametrize("kind", [np.int8, np.int32, np.uint64, np.intp])
    def test_numpy_integers_are_integers(self, kind: Callable[[int], Any]) -> None:
        env = begun()
        legal = np.flatnonzero(env.observe(env.agent_selection)["action_mask"])
        env.step(kind(int(legal[0])))
        assert env.games.state["n_discards"][0] == 1


class TestMasks:
    def test_of_nobody(self) -> None:
        for env in (zhuoji_v0.env(), zhuoji_v0.raw_env()):
            env.reset(seed=0)
            with pytest.raises(zj.ZhuojiError, match=r"^agent is 'player_9'; allowed: player_0, "):
                env.observe("player_9")

    @pytest.mark.parametrize("rules", PRESETS)
    def test_only_the_seat_to_act_has_one(self, rules: str) -> None:
        env = begun(6, rules=rules, deals=2)
        for _ in play(env, 6):
            if any(env.terminations.values()):
                break
            for agent in env.agents:
                shown = env.observe(agent)
                mask = shown["action_mask"]
                assert (mask.dtype, mask.shape) == (np.int8, (actions.N_ACTIONS,))
                if agent == env.agent_selection:
                    assert mask.astype(bool).tolist() == env.games.legal[0].tolist()
                    assert mask.any()
                else:
                    assert not mask.any()
                assert env.observation_space(agent).contains(shown)

    def test_observations_are_the_observers_own_and_copies(self) -> None:
        env = begun(9, decisions=30)
        first = env.observe("player_2")
        kept = first["observation"].copy()
        planes, rows = env.games.observe(seats=[2])
        assert np.array_equal(kept, observation.stack(planes, rows)[0])
        assert kept.dtype == np.float32
        for _ in play(env, 9, decisions=5):
            env.observe("player_1")
        assert np.array_equal(first["observation"], kept)


class TestReset:
    def walls(self, env: Any, deals: int) -> list[bytes]:
        """The walls of a session begun, played to its end."""
        state = env.games.state
        found = {int(state["deal"][0]): state["wall"][0].tobytes()}
        for _ in play(env, 0):
            found[int(state["deal"][0])] = state["wall"][0].tobytes()
        assert len(found) == deals
        return list(found.values())

    def test_one_seed_is_one_play(self) -> None:
        env = zhuoji_v0.raw_env(deals=3)
        env.reset(seed=7)
        first = self.walls(env, 3)
        env.reset()
        assert not set(self.walls(env, 3)) & set(first)
        env.reset(seed=7)
        assert self.walls(env, 3) == first
        assert self.walls(begun(7, deals=3), 3) == first

    def test_other_seeds_have_other_walls_in_every_deal(self) -> None:
        walls = [wall for seed in range(5) for wall in self.walls(begun(seed, deals=3), 3)]
        assert len(set(walls)) == len(walls)

    def test_without_a_seed_chance_comes_from_the_system(self) -> None:
        first, second = zhuoji_v0.raw_env(), zhuoji_v0.raw_env()
        first.reset()
        second.reset()
        assert first.games.state["wall"].tobytes() != second.games.state["wall"].tobytes()

    def test_options_hold_for_one_session(self) -> None:
        env = zhuoji_v0.raw_env(deals=2)
        env.reset(seed=1, options={"wall": SORTED_WALL, "dealer": 2, "streak": 5})
        state = env.games.state[0]
        assert state["wall"].tolist() == SORTED_WALL.tolist()
        assert (state["dealer"], state["streak"]) == (2, 5)
        assert env.agent_selection == "player_2"
        env.reset()
        state = env.games.state[0]
        assert state["wall"].tolist() != SORTED_WALL.tolist()
        assert state["streak"] == 1
        dealers = set()
        for _ in range(40):
            env.reset()
            dealers.add(int(env.games.state["dealer"][0]))
        assert dealers == {0, 1, 2, 3}

    def test_a_wall_as_text_is_the_same_wall(self) -> None:
        rng = np.random.default_rng(3)
        wall = rng.permutation(SORTED_WALL).tolist()
        envs = [zhuoji_v0.raw_env() for _ in range(3)]
        for env, given_wall in zip(envs, (wall, tuple(wall), tiles.show_wall(wall)), strict=True):
            env.reset(seed=0, options={"wall": given_wall, "dealer": 1})
        states = {env.games.state.tobytes() for env in envs}
        assert len(states) == 1

    def test_the_dealers_opening_follows_the_wall(self) -> None:
        env = zhuoji_v0.raw_env()
        env.reset(seed=0, options={"wall": opening_win(), "dealer": 0})
        assert tiles.show(np.repeat(np.arange(27), env.games.state["hand"][0, 0])) == (
            "123456789m33666p"
        )

    @pytest.mark.parametrize(
        ("options", "says"),
        [
            ({"wall": "1m2m"}, "allowed: integers of shape"),
            ({"wall": "1m2x"}, "wall: 'x' at position 4"),
            ({"wall": SORTED_WALL[:107]}, "allowed: integers of shape"),
            ({"wall": np.full(108, 3)}, "four of each kind"),
            ({"wall": np.arange(108)}, "four of each kind"),
            ({"wall": SORTED_WALL - 1}, "four of each kind"),
            ({"wall": SORTED_WALL / 1}, "allowed: integers of shape"),
            ({"wall": [SORTED_WALL]}, "allowed: 108 kinds, or mpsz text"),
            ({"wall": 5}, "allowed: 108 kinds, or mpsz text"),
            ({"dealer": 4}, "dealer is outside 0..3"),
            ({"dealer": -1}, "dealer is outside 0..3"),
            ({"dealer": "0"}, "dealer"),
            ({"dealer": 1.0}, "dealer"),
            ({"dealer": True}, "dealer"),
            ({"dealer": [0, 1]}, "dealer"),
            ({"streak": 0}, "streak is outside"),
            ({"streak": 10**9}, "streak is outside"),
            ({"streak": "2"}, "streak"),
            ({"streak": 2.0}, "streak"),
            ([1], "options are [1]; allowed: a mapping, or None"),
            ("dealer", "options are 'dealer'; allowed: a mapping, or None"),
        ],
    )
    def test_bad_options_change_nothing(self, options: Any, says: str) -> None:
        env = begun(0, decisions=9, deals=2)
        kept = snapshot(env)
        with pytest.raises(ValueError, match=re.escape(says)):
            env.reset(seed=5, options=options)
        assert snapshot(env) == kept

    @pytest.mark.parametrize("seed", [-1, 1.5, "1", True])
    def test_bad_seeds_change_nothing(self, seed: Any) -> None:
        env = begun(0, decisions=9)
        kept = snapshot(env)
        with pytest.raises(ValueError, match=r"seed is .*; allowed: an integer, 0 or more"):
            env.reset(seed=seed)
        assert snapshot(env) == kept

    def test_numpy_seeds_are_seeds(self) -> None:
        env: Any = zhuoji_v0.raw_env()
        env.reset(seed=np.int64(7))
        assert env.games.state.tobytes() == begun(7).games.state.tobytes()

    def test_unknown_options_are_warned_about(self, caplog: pytest.LogCaptureFixture) -> None:
        env = zhuoji_v0.env()
        with caplog.at_level(logging.WARNING, LOGGER):
            env.reset(seed=0, options={"dealer": 3, "weather": "rain"})
        assert "'weather'" in caplog.text
        assert "wall, dealer, streak" in caplog.text
        assert env.agent_selection == "player_3"


class TestCopies:
    @pytest.mark.parametrize("way", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
    def test_a_copy_plays_on_alike_and_apart(self, way: Callable[[Any], Any]) -> None:
        env = begun(12, decisions=20, deals=2)
        twin = way(env)
        kept = snapshot(env)
        told = list(play(twin, 1))
        assert snapshot(env) == kept
        assert list(play(env, 1)) == told
        assert env.scores.tolist() == twin.scores.tolist()


class TestState:
    def test_it_is_the_full_table(self) -> None:
        env = begun(13, decisions=40, deals=2)
        state = env.state()
        assert (state.dtype, state.shape) == (np.float32, (aec.N_STATE,))
        assert env.state_space.contains(state)
        g = env.games.state[0]
        part = {name: state[where] for name, where in aec.STATE.items()}
        assert sum(len(values) for values in part.values()) == aec.N_STATE
        assert part["hand"].tolist() == g["hand"].ravel().tolist()
        assert part["wall"].tolist() == g["wall"].tolist()
        assert part["seat"].tolist() == [g["seat"]]
        assert part["session_scores"].tolist() == env.scores.tolist()
        waits = [int(g["waits"][seat]) >> kind & 1 for seat in range(4) for kind in range(27)]
        assert part["waits"].tolist() == waits

    def test_it_changes_with_what_is_hidden(self) -> None:
        env = begun(13, decisions=40)
        before = env.state()
        head = int(env.games.state["head"][0])
        wall = env.games.state["wall"][0]
        wall[head], wall[-1] = wall[-1], wall[head]
        assert wall[head] != wall[-1]
        assert not np.array_equal(env.state(), before)


class TestHiddenInformation:
    @settings(max_examples=60, deadline=None)
    @given(
        seed=st.integers(0, 2**32 - 1),
        decisions=st.integers(0, 120),
        rules=st.sampled_from(sorted(PRESETS)),
        viewer=st.integers(0, 3),
    )
    def test_hidden_tiles_leave_no_trace(
        self, seed: int, decisions: int, rules: str, viewer: int
    ) -> None:
        """Other hands, the wall and pending answers dealt anew: observation and infos stay."""
        env = begun(seed, decisions=decisions, rules=rules, deals=9)
        agent = f"player_{viewer}"
        before, infos = env.observe(agent), copy.deepcopy(env.infos[agent])
        env.games = redealt(env.games, viewer, np.random.default_rng(seed))
        after = env.observe(agent)
        assert before["observation"].tobytes() == after["observation"].tobytes()
        assert before["action_mask"].tobytes() == after["action_mask"].tobytes()
        assert env.infos[agent] == infos

    def test_infos_are_empty_while_a_deal_is_played(self) -> None:
        env = begun(14)
        for _ in play(env, 14):
            if not all(env.terminations.values()):
                assert not any(env.infos.values())


class TestRendering:
    def test_human_prints_what_ansi_returns(self, capsys: pytest.CaptureFixture[str]) -> None:
        ansi = begun(15, render_mode="ansi", deals=2)
        capsys.readouterr()
        human = begun(15, render_mode="human", deals=2)
        assert capsys.readouterr().out == ansi.render() + "\n"
        for agent, action in play(ansi, 15):
            assert human.agent_selection == agent
            human.step(action)
            assert capsys.readouterr().out == ansi.render() + "\n"
        assert human.render() is None

    def test_a_session_shows_the_finished_deal_once_before_the_next(self) -> None:
        env = begun(16, render_mode="ansi", deals=2)
        pages = [env.render()]
        pages += [env.render() for _ in play(env, 16)]
        heads = [[line for line in page.splitlines() if " of 2, points" in line] for page in pages]
        both = [page for page, head in zip(pages, heads, strict=True) if len(head) == 2]
        assert len(both) == 1
        first, second = both[0].split("\n\n")
        assert first.startswith("deal 1 of 2, points so far: East ")
        assert "next dealer: " in first
        assert second.startswith("deal 2 of 2, points so far: East ")
        assert "last: " not in second
        assert "next dealer: " in pages[-1]
        assert heads[0] == ["deal 1 of 2, points so far: East +0, South +0, West +0, North +0"]

    def test_style_and_language_are_passed_on(self) -> None:
        env = begun(17, render_mode="ansi", tiles="faces", language="zh", deals=2)
        page = env.render()
        assert page.startswith("第 1 局，共 2 局，总分：东家 +0")
        assert "幺鸡" in page
        assert "1s" not in page

    def test_no_mode_draws_nothing_and_says_so(self) -> None:
        env = begun()
        with pytest.warns(UserWarning, match="render_mode"):
            assert env.render() is None
