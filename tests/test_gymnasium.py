"""Seat-v0, singly: Gymnasium's own checker, who is paid when, options, what it hides."""

from __future__ import annotations

import copy
import importlib
import pickle
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env, data_equivalence
from gymnasium.wrappers import RecordEpisodeStatistics
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import zhuoji_env as zj
from tests.hidden import redealt
from tests.test_aec import SORTED_WALL, opening_win
from zhuoji_env import baselines, envs, observation, tiles, zhuoji_v0
from zhuoji_env.actions import BAOTING, N_ACTIONS, PASS
from zhuoji_env.engine.layout import N_SEATS, VIEW
from zhuoji_env.envs import single
from zhuoji_env.envs.sb3 import SeatVecEnv
from zhuoji_env.envs.single import SeatEnv
from zhuoji_env.rules.ruleset import PRESETS

ID = "zhuoji_env:zhuoji/Seat-v0"
WALL = np.random.default_rng(5).permutation(SORTED_WALL).tolist()
PASS_ALONE = [action == PASS for action in range(N_ACTIONS)]
Pick = Callable[[NDArray[Any]], int]


def at_random(seed: int = 0) -> Pick:
    """Picks among a mask's legal actions: equal masks in the same order, equal actions."""
    rng = np.random.default_rng(seed)

    def pick(mask: NDArray[Any]) -> int:
        legal = np.flatnonzero(mask)
        return int(legal[int(rng.integers(len(legal)))])

    return pick


def greedily(env: SeatEnv) -> Pick:
    agent = baselines.make("greedy")
    return lambda mask: int(agent.act(env.games.view(), mask, None)[0])


def episode(env: Any, pick: Pick, **reset: Any) -> Iterator[tuple[int, Any, float, bool, Any]]:
    """Yield each action of an episode and what it led to."""
    shown, _ = env.reset(**reset)
    over = False
    while not over:
        action = pick(shown["action_mask"])
        shown, reward, over, truncated, info = env.step(action)
        assert not truncated
        yield action, shown, reward, over, info


class TestGymnasiumsOwn:
    @pytest.mark.parametrize("deals", [1, 3])
    @pytest.mark.parametrize("rules", PRESETS)
    def test_check_env_has_nothing_to_say(self, rules: str, deals: int) -> None:
        """Any warning would fail it, as pytest is set up."""
        check_env(gymnasium.make(ID, rules=rules, deals=deals, illegal="random").unwrapped)

    def test_made_as_designed(self) -> None:
        env = gymnasium.make(ID, opponents="greedy", rules="duole")
        assert type(env.unwrapped) is SeatEnv
        assert env.unwrapped.games.rules[0].name == "duole"
        shown, info = env.reset(seed=1)
        assert env.observation_space.contains(shown)
        assert info["seat"] in range(N_SEATS)

    def test_registering_twice_warns_of_nothing(self) -> None:
        importlib.reload(envs)

    def test_episode_statistics(self) -> None:
        env = RecordEpisodeStatistics(gymnasium.make(ID, opponents="random"))
        for seed in range(5):
            paid = [
                (reward, info) for _, _, reward, _, info in episode(env, at_random(), seed=seed)
            ]
            told = paid[-1][1]["episode"]
            assert told["r"] == sum(reward for reward, _ in paid)
            assert told["l"] == len(paid)

    @pytest.mark.parametrize("vectorization_mode", ["sync", "async"])
    def test_vectorized_by_gymnasium(self, vectorization_mode: str) -> None:
        """Infos of several tables must fit into arrays, deal after deal."""
        envs = gymnasium.make_vec(
            ID, num_envs=2, vectorization_mode=vectorization_mode, opponents="random"
        )
        shown, _ = envs.reset(seed=0)
        ended = 0
        for _ in range(60):
            picked = shown["action_mask"].argmax(1)
            shown, _, over, _, infos = envs.step(picked)
            ended += over.sum()
            for i in np.flatnonzero(over):
                assert sum(infos["results"][i][-1]["scores"]) == 0
        assert ended > 2
        envs.close()

    def test_the_docstrings_example_runs(self, capsys: pytest.CaptureFixture[str]) -> None:
        lines = (single.__doc__ or "").splitlines()
        code = "\n".join(line[4:] for line in lines if line.startswith("    ") or not line)
        exec(compile(code, "example", "exec"), {})
        reward, bill = capsys.readouterr().out.split(" ", 1)
        assert float(reward).is_integer() and bill.startswith("[")

    def test_the_docstring_gives_the_shapes(self) -> None:
        assert f"({observation.N_CHANNELS}, 3, 9)" in (single.__doc__ or "")
        assert f"({N_ACTIONS},)" in (single.__doc__ or "")


class TestArguments:
    @pytest.mark.parametrize(
        ("arguments", "says"),
        [
            ({"deals": 0}, "deals is 0; allowed: an integer, 1 or more"),
            ({"deals": True}, "deals is True"),
            ({"seat": 4}, r"seat is 4; allowed: 0\.\.3, or None for any"),
            ({"seat": True}, "seat is True"),
            ({"illegal": "pass"}, "illegal is 'pass'; allowed: 'raise', 'random'"),
            ({"render_mode": "rgb_array"}, "render_mode is 'rgb_array'; allowed: None, 'ansi'"),
            ({"tiles": "emoji"}, "tiles is 'emoji'; allowed: 'mpsz', 'faces'"),
            ({"language": "fr"}, "language is 'fr'; allowed: 'en', 'zh'"),
            ({"reward_scale": 0}, "reward_scale is 0; allowed: a number above 0"),
            ({"rules": "sichuan"}, "sichuan"),
            ({"opponents": "nobody"}, "unknown agent 'nobody'; allowed: random"),
            ({"opponents": "no_such_module:agent"}, "no_such_module"),
            ({"opponents": "no_such.safetensors"}, "no_such.safetensors"),
            ({"opponents": ["greedy", "random"]}, "opponents are 2; allowed: one, or 3"),
            ({"opponents": 5}, "an opponent is 5; allowed: a spec or an Agent"),
            ({"opponents": [None, "random", "random"]}, "an opponent is None"),
            ({"opponents": baselines.Baseline}, "an opponent is <class"),
        ],
    )
    def test_bad_ones(self, arguments: dict[str, Any], says: str) -> None:
        with pytest.raises(ValueError, match=says):
            SeatEnv(**arguments)

    @pytest.mark.parametrize(
        ("given", "says"),
        [
            ({"seed": -1}, "seed is -1; allowed: an integer, 0 or more, or None"),
            ({"seed": 1.5}, "seed is 1.5"),
            ({"options": {"seat": 4}}, r"seat is 4; allowed: 0\.\.3"),
            ({"options": {"dealer": 7}}, "a dealer is outside"),
            ({"options": {"streak": 0}}, "a streak is outside"),
            ({"options": {"wall": [0] * 108}}, "not 108 tiles with four of each"),
            ({"options": {"wall": "5x"}}, "wall: "),
            ({"seed": 3, "options": {"dealer": 7}}, "a dealer is outside"),
            ({"options": [1]}, r"options are \[1\]; allowed: a mapping, or None"),
        ],
    )
    def test_a_refused_reset_changes_nothing(self, given: dict[str, Any], says: str) -> None:
        env, twin = SeatEnv(), SeatEnv()
        for one in (env, twin):
            one.reset(seed=5)
        with pytest.raises(ValueError, match=says):
            env.reset(**given)
        pick, same = at_random(), at_random()
        assert data_equivalence(env._observe(), twin._observe(), exact=True)
        assert env.step(pick(env.action_masks()))[1:] == twin.step(same(twin.action_masks()))[1:]
        assert data_equivalence(env.reset(), twin.reset(), exact=True)

    def test_unknown_options_are_warned_about(self) -> None:
        env = SeatEnv()
        with pytest.warns(UserWarning, match="'colour' are unknown and have no effect"):
            env.reset(options={"colour": "red"})

    def test_options_hold_for_one_episode(self) -> None:
        env = SeatEnv(opponents="random")
        options = {"wall": WALL, "dealer": 2, "streak": 4, "seat": 2}
        _, info = env.reset(seed=0, options=options)
        g = env.games.state[0]
        assert info == {"seat": 2} and env.seat == 2
        assert g["wall"].tolist() == WALL
        assert (g["dealer"], g["streak"]) == (2, 4)
        env.reset()
        g = env.games.state[0]
        assert g["wall"].tolist() != WALL and g["streak"] == 1

    def test_a_wall_as_text(self) -> None:
        env = SeatEnv()
        text = "".join(tiles.NAMES[kind] for kind in WALL)
        env.reset(options={"wall": text, "dealer": 0, "seat": 0})
        assert env.games.state["wall"][0].tolist() == WALL


class TestSeats:
    def test_drawn_anew_for_every_episode_whoever_deals(self) -> None:
        env = SeatEnv(opponents="hu_first")
        counts: Counter[Any] = Counter()
        for _ in range(800):
            _, info = env.reset() if counts else env.reset(seed=1)
            counts[info["seat"], int(env.games.state["dealer"][0])] += 1
        assert len(counts) == 16
        # 16 equally likely pairs; each within 5 standard deviations.
        assert max(abs(n - 50) for n in counts.values()) < 5 * 50**0.5

    def test_given_for_good_or_for_once(self) -> None:
        env = SeatEnv(seat=3)
        assert [env.reset(seed=s)[1]["seat"] for s in range(6)] == [3] * 6
        assert env.reset(options={"seat": 0})[1]["seat"] == 0
        assert env.reset()[1]["seat"] == 3

    def test_kept_through_an_episode_of_several_deals(self) -> None:
        env = SeatEnv(opponents="random", deals=3)
        infos = [info for *_, info in episode(env, at_random(), seed=4)]
        assert len({info["seat"] for info in infos}) == 1
        assert sum(len(info.get("results", [])) for info in infos) == 3

    def test_the_observation_is_the_learners_own(self) -> None:
        env = SeatEnv()
        for seed in range(4):
            shown, info = env.reset(seed=seed)
            hand = env.games.state["hand"][0, info["seat"]]
            assert np.array_equal(shown["observation"][0].ravel(), hand)
            assert env.games.seat[0] == info["seat"]


class Witness:
    """Plays as hu_first does and keeps what it was asked."""

    def __init__(self, needs_observations: bool = False) -> None:
        self.needs_observations = needs_observations
        self.seats: set[int] = set()
        self.resets: list[tuple[int, int]] = []
        self.agent = baselines.make("hu_first")

    def reset(self, n: int, seed: int) -> None:
        self.resets.append((n, seed))

    def act(self, views: Any, legal: NDArray[np.bool_], observations: Any) -> NDArray[np.int64]:
        assert views.dtype == VIEW and len(views) == len(legal) > 0
        assert np.array_equal(legal[:, PASS], views["legal"] >> PASS & 1)
        assert legal.any(1).all()
        assert (observations is not None) == self.needs_observations
        if observations is not None:
            assert np.array_equal(observations[0][:, 0], views["hand"])
        self.seats |= set(views["seat"].tolist())
        return self.agent.act(views, legal)


class TestOpponents:
    def test_three_sit_next_across_and_before(self) -> None:
        three = [Witness(), Witness(needs_observations=True), Witness()]
        env = SeatEnv(opponents=three, seat=1)
        for seed in range(5):
            for _ in episode(env, at_random(), seed=seed):
                pass
        assert [one.seats for one in three] == [{2}, {3}, {0}]

    def test_one_agent_sits_everywhere_and_begins_anew_with_the_seed(self) -> None:
        one = Witness()
        env = SeatEnv(opponents=one, seat=0)
        before = len(one.resets)
        for _ in episode(env, at_random(), seed=0):
            pass
        for _ in episode(env, at_random()):
            pass
        assert one.seats == {1, 2, 3}
        assert len(one.resets) == before + 1 and set(one.resets) == {(1, 0)}

    def test_specs_name_factories_too(self) -> None:
        env = SeatEnv(opponents=["greedy", f"{__name__}:Witness", "greedy"], seat=0)
        for _ in episode(env, at_random(), seed=0):
            pass
        assert [type(player.agent).__name__ for player in env._tables.opponents.players] == [
            "Baseline",
            "Witness",
        ]

    @pytest.mark.parametrize("answer", [[0, 0], [0.5], "x"])
    def test_answers_of_another_shape_or_type_are_refused(self, answer: Any) -> None:
        class Odd(Witness):
            def act(self, views: Any, legal: Any, observations: Any) -> Any:
                return answer

        env = SeatEnv(opponents=Odd(), seat=0)
        with pytest.raises(zj.ZhuojiError, match="agent 'Odd' gave"):
            for _ in episode(env, at_random(), seed=0, options={"dealer": 1}):
                pass

    def test_an_opponents_illegal_action_is_told(self) -> None:
        class Foul(Witness):
            def act(self, views: Any, legal: Any, observations: Any) -> Any:
                return (~legal).argmax(1)

        env = SeatEnv(opponents=Foul(), seat=0)
        with pytest.raises(zj.IllegalAction) as raised:
            env.reset(options={"dealer": 1})
        assert raised.value.seat == 1

    def test_random_ones_play_otherwise_in_the_same_deal_of_another_seed(self) -> None:
        """Their draws come with the seed, and a wall given again and again is played anew."""
        env = SeatEnv(opponents="random")
        options = {"wall": WALL, "dealer": 1, "seat": 0}
        played = [env.reset(seed=s, options=options)[0]["observation"].tobytes() for s in range(9)]
        again = [env.reset(options=options)[0]["observation"].tobytes() for _ in range(9)]
        assert len(set(played)) > 5 and len(set(again)) > 5


class TestIllegalActions:
    def test_raise_and_change_nothing(self) -> None:
        env = SeatEnv()
        shown, _ = env.reset(seed=2)
        pick = at_random()
        over = False
        while not over:
            kept = env.games.state.tobytes()
            legal = np.flatnonzero(shown["action_mask"]).tolist()
            for wrong in (int((shown["action_mask"] == 0).argmax()), -1, N_ACTIONS, 10**30):
                with pytest.raises(zj.IllegalAction) as raised:
                    env.step(wrong)
                assert (raised.value.action, raised.value.legal) == (wrong, tuple(legal))
                assert raised.value.seat == env.seat
            assert env.games.state.tobytes() == kept
            shown, _, over, _, _ = env.step(pick(shown["action_mask"]))

    @pytest.mark.parametrize("mode", ["raise", "random"])
    @pytest.mark.parametrize("action", [None, 3.0, "peng", [3], True])
    def test_what_is_no_integer_is_refused(self, mode: str, action: Any) -> None:
        env = SeatEnv(illegal=mode)
        env.reset(seed=0)
        with pytest.raises(zj.ZhuojiError, match=r"an integer 0\.\.57 is due"):
            env.step(action)

    def test_random_plays_a_legal_one_and_says_so(self) -> None:
        env = SeatEnv(illegal="random", opponents="random")
        rng = np.random.default_rng(0)
        swapped: Counter[int] = Counter()
        for seed in range(20):
            shown, _ = env.reset(seed=seed)
            over = False
            while not over:
                mask, twin = shown["action_mask"], copy.deepcopy(env)
                action = int(rng.integers(-2, N_ACTIONS + 2))
                shown, reward, over, _, info = env.step(action)
                legal = 0 <= action < N_ACTIONS and mask[action]
                assert ("illegal" in info) is ("played" in info) is not legal
                if not legal:
                    assert info.pop("illegal") == action
                    action = info.pop("played")
                    assert mask[action]
                    swapped[np.flatnonzero(mask).tolist().index(action)] += 1
                assert data_equivalence(twin.step(action), (shown, reward, over, False, info))
        assert len(swapped) > 8, "every legal action may be the one"

    def test_each_replacement_is_drawn_anew(self) -> None:
        env = SeatEnv(illegal="random", opponents="random")
        drawn: dict[int, set[int]] = {}
        mask, over = env.reset(seed=0)[0]["action_mask"], False
        while not over:
            legal = np.flatnonzero(mask).tolist()
            shown, _, over, _, info = env.step(-1)
            drawn.setdefault(len(legal), set()).add(legal.index(info["played"]))
            mask = shown["action_mask"]
        assert max(len(places) for places in drawn.values()) > 2

    def test_the_replacement_comes_with_the_seed(self) -> None:
        env = SeatEnv(illegal="random")
        played = []
        for seed in (0, 0, *range(1, 12)):
            env.reset(seed=seed, options={"wall": WALL, "dealer": 0, "seat": 0})
            played.append(env.step(-1)[-1]["played"])
        assert played[0] == played[1] and len(set(played)) > 2


class TestOrder:
    def test_a_step_needs_a_reset(self) -> None:
        env = SeatEnv(opponents="random")
        with pytest.raises(zj.ZhuojiError, match="call reset"):
            env.step(0)
        for _ in episode(env, at_random(), seed=0):
            pass
        with pytest.raises(zj.ZhuojiError, match="call reset"):
            env.step(PASS)

    def test_the_end_allows_pass_alone(self) -> None:
        env = SeatEnv(opponents="random")
        for seed in range(5):
            *_, (_, shown, _, over, _) = episode(env, at_random(), seed=seed)
            assert over and np.flatnonzero(shown["action_mask"]).tolist() == [PASS]
            assert np.flatnonzero(env.action_masks()).tolist() == [PASS]
            assert env.observation_space.contains(shown)

    def test_forced_moves_are_skipped_or_asked(self) -> None:
        """A baoting hand must discard what it draws, unless it wins."""
        wall, dealt = WALL.copy(), [*range(4), *range(16, 20), *range(32, 36), 48, 52]
        for done, kind in enumerate(tiles.parse("123456789m33p66p1s")):
            free = [i for i in range(len(wall)) if i not in dealt[:done] and wall[i] == kind]
            wall[dealt[done]], wall[free[0]] = kind, wall[dealt[done]]
        fewest = {}
        for skip in (True, False):
            env = SeatEnv(skip_forced=skip, opponents="random")
            env.reset(seed=0)
            options = {"wall": wall, "dealer": 0, "seat": 0}
            steps = list(episode(env, greedily(env), seed=0, options=options))
            assert steps[0][0] == BAOTING
            fewest[skip] = min(shown["action_mask"].sum() for _, shown, *_ in steps[:-1])
        assert fewest == {True: 2, False: 1}


class TestAnEpisodeOverBeforeADecision:
    """East wins on its opening tiles; the learner sits elsewhere."""

    OPTIONS: dict[str, Any] = {"wall": opening_win(), "dealer": 0, "seat": 1}  # noqa: RUF012

    def test_is_shown_as_it_ended_and_pass_brings_its_reward(self) -> None:
        env = SeatEnv(opponents="hu_first")
        shown, info = env.reset(seed=0, options=self.OPTIONS)
        assert info == {"seat": 1}
        assert np.flatnonzero(shown["action_mask"]).tolist() == [PASS]
        with pytest.raises(zj.IllegalAction) as raised:
            env.step(3)
        assert raised.value.legal == (PASS,)
        shown, reward, over, _, info = env.step(PASS)
        assert over and reward < 0
        assert reward == info["results"][0]["scores"][1]

    def test_unmasked_callers_pass_too(self) -> None:
        env = SeatEnv(opponents="hu_first", illegal="random")
        env.reset(seed=0, options=self.OPTIONS)
        _, reward, over, _, info = env.step(3)
        assert over and reward < 0
        assert (info["illegal"], info["played"]) == (3, PASS)

    def test_in_a_longer_episode_the_first_decision_brings_it(self) -> None:
        env = SeatEnv(opponents="hu_first", deals=2)
        steps = list(episode(env, at_random(), seed=0, options=self.OPTIONS))
        first = steps[0][4]["results"][0]
        assert first["end"] == "self_draw" and first["winners"] == [0]
        if len(steps[0][4]["results"]) == 1:
            assert steps[0][2] == first["scores"][1]
        told = [result for *_, info in steps for result in info.get("results", [])]
        assert len(told) == 2
        assert sum(reward for _, _, reward, _, _ in steps) == sum(r["scores"][1] for r in told)


class TestRewards:
    def test_somebody_elses_last_move_reaches_the_learner(self) -> None:
        """A loss on another's draw or discard is paid in the step of the last decision."""
        env = SeatEnv()
        lost: Counter[str] = Counter()
        for seed in range(150):
            steps = list(episode(env, greedily(env), seed=seed))
            assert [reward for _, _, reward, _, _ in steps[:-1]] == [0] * (len(steps) - 1)
            *_, reward, over, info = steps[-1]
            (result,) = info["results"]
            assert over and reward == result["scores"][env.seat]
            assert info["bill"] == [tuple(item) for item in result["items"]] == env.games.bill(0)
            if reward < 0 and result["end"] == "discard":
                lost["own" if result["shooter"] == env.seat else "another's discard"] += 1
            elif reward < 0:
                lost[result["end"]] += 1
        assert {"own", "another's discard", "self_draw"} <= lost.keys()

    @pytest.mark.parametrize("scale", [0.1, 1 / 3, 2])
    def test_add_up_to_the_score_exactly(self, scale: float) -> None:
        env = SeatEnv(reward_scale=scale, deals=4, opponents="random")
        total = points = 0.0
        for _, _, reward, _, info in episode(env, at_random(), seed=3):
            assert type(reward) is float
            total += reward
            points += sum(result["scores"][env.seat] for result in info.get("results", []))
        assert total == points * env.reward_scale
        assert env.reward_scale == pytest.approx(scale, rel=1e-7)


class TestSeeds:
    def run(self, env: SeatEnv, **reset: Any) -> list[Any]:
        return [env.reset(**reset), *episode(env, at_random())]

    @pytest.mark.parametrize("opponents", ["random", ["greedy", "shanten", "hu_first"]])
    def test_equal_ones_play_equally_in_every_episode(self, opponents: Any) -> None:
        one, other = SeatEnv(opponents=opponents, deals=2), SeatEnv(opponents=opponents, deals=2)
        for seed in (7, None, None):
            assert data_equivalence(self.run(one, seed=seed), self.run(other, seed=seed))
        self.run(one, seed=8)
        assert data_equivalence(
            self.run(one, seed=7), self.run(SeatEnv(deals=2, opponents=opponents), seed=7)
        )

    def test_other_ones_deal_other_walls_in_every_deal(self) -> None:
        walls = set()
        for seed in range(3):
            env = SeatEnv()
            for given_seed in (seed, None, None):
                env.reset(seed=given_seed)
                walls.add(env.games.state["wall"].tobytes())
        assert len(walls) == 9

    def test_without_one_the_system_gives_it(self) -> None:
        walls = set()
        for _ in range(3):
            env = SeatEnv()
            env.reset()
            walls.add(env.games.state["wall"].tobytes())
        assert len(walls) == 3

    def test_copies_and_pickles_play_on_alike(self) -> None:
        env = SeatEnv(opponents="random", deals=2)
        shown, _ = env.reset(seed=3)
        twins = [copy.deepcopy(env), pickle.loads(pickle.dumps(env))]
        action = int(shown["action_mask"].argmax())
        expected = env.step(action)
        for twin in twins:
            assert data_equivalence(twin.step(action), expected, exact=True)


class TestHiding:
    @settings(max_examples=15, deadline=None)
    @given(seed=st.integers(0, 2**32), rules=st.sampled_from(sorted(PRESETS)))
    def test_what_is_hidden_changes_nothing_shown(self, seed: int, rules: str) -> None:
        env = SeatEnv(rules=rules, render_mode="ansi")
        rng = np.random.default_rng(seed)
        shown, _ = env.reset(seed=seed)
        pick, over = at_random(seed), False
        while not over:
            kept, page = env.games.state.copy(), env.render()
            env.games.state[:] = redealt(env.games, env.seat, rng).state
            assert data_equivalence(env._observe(), shown, exact=True)
            assert env.render() == page
            env.games.state[:] = kept
            shown, _, over, _, info = env.step(pick(shown["action_mask"]))
            assert over or info == {"seat": env.seat}

    def test_observations_are_the_callers_own(self) -> None:
        env = SeatEnv(opponents="random")
        held = [shown for _, shown, *_ in episode(env, at_random(), seed=0)]
        kept = copy.deepcopy(held)
        for _ in episode(env, at_random(), seed=1):
            pass
        assert data_equivalence(held, kept, exact=True)
        held[-1]["observation"][:] = 7
        assert not np.array_equal(env.reset(seed=0)[0]["observation"], held[-1]["observation"])


class TestRendering:
    def test_ansi_shows_what_the_learner_sees_and_the_bill(self) -> None:
        env = SeatEnv(render_mode="ansi", opponents="random")
        env.reset(seed=0)
        page = env.render() or ""
        assert page.count("####") and page.endswith("\n")
        for _ in episode(env, at_random(), seed=0):
            pass
        assert "next dealer: " in (env.render() or "")

    def test_a_finished_deal_is_shown_before_the_next(self) -> None:
        env = SeatEnv(render_mode="ansi", opponents="random", deals=2)
        seen = []
        for _, _, _, over, info in episode(env, at_random(), seed=0):
            pages = (env.render() or "").count("in the wall")
            seen.append(pages)
            assert pages == (2 if info.get("results") and not over else 1)
        assert 2 in seen

    def test_human_prints_after_reset_and_every_step(
        self, capsys: pytest.CaptureFixture[str]
    ) -> None:
        env = SeatEnv(render_mode="human", language="zh", tiles="faces")
        env.reset(seed=0)
        first = capsys.readouterr().out
        env.step(int(env.action_masks().argmax()))
        assert first and capsys.readouterr().out not in ("", first)

    def test_without_a_mode_it_warns(self) -> None:
        env = SeatEnv()
        env.reset(seed=0)
        with pytest.warns(UserWarning, match="render_mode"):
            assert env.render() is None


def replay(left: Iterator[int]) -> Pick:
    return lambda mask: next(left)


def others(mask: NDArray[np.bool_], games: zj.Games) -> int:
    """Greedy's choice, or a forced move."""
    legal = np.flatnonzero(mask)
    if len(legal) == 1:
        return int(legal[0])
    return int(baselines.make("greedy").act(games.view())[0])


class TestFacesAgree:
    """The same seeds and actions: the same rewards everywhere."""

    @settings(max_examples=60, deadline=None)
    @given(
        seed=st.integers(0, 2**32),
        rules=st.sampled_from(sorted(PRESETS)),
        deals=st.integers(1, 3),
        skip=st.booleans(),
    )
    def test_aec_and_native(self, seed: int, rules: str, deals: int, skip: bool) -> None:
        env = SeatEnv(rules=rules, deals=deals, skip_forced=skip)
        env.reset(seed=seed)
        asked = env.action_masks().tolist() != PASS_ALONE
        steps = list(episode(env, at_random(seed), seed=seed))
        learner = env.seat
        chosen = [action for action, *_ in steps] if asked else []
        rewards = [reward for _, _, reward, _, _ in steps]

        raw = zhuoji_v0.raw_env(rules=rules, deals=deals)
        raw.reset(seed=seed)
        native = zj.Games(1, rules, seed)
        native.reset()
        left, total, received = iter(chosen), 0, []
        played, scores = 0, np.zeros(N_SEATS, np.int64)
        for agent in raw.agent_iter():
            _, reward, dead, _, _ = raw.last(observe=False)
            if agent == f"player_{learner}" and (dead or not skip or raw.games.legal.sum() > 1):
                received.append(reward + total)
                total = 0
            elif agent == f"player_{learner}":
                total += reward
            if dead:
                raw.step(None)
                continue
            forced = raw.games.legal.sum() == 1 and skip
            mine = agent == f"player_{learner}" and not forced
            action = next(left) if mine else others(raw.games.legal[0], raw.games)
            raw.step(action)
            if native.step([action]):
                played += 1
                scores += native.scores[0]
                assert native.bill(0) == raw.infos[agent]["bill"]
                native.next_deal()
        assert next(left, None) is None and played == deals
        if asked:
            # What a deal paid that ended before the first decision comes with it.
            received[:2] = [received[0] + received[1]]
        assert received == rewards
        assert sum(rewards) == scores[learner]

    def test_stable_baselines(self) -> None:
        """Deals of the SB3 face, played again in this one from their walls."""
        batch = SeatVecEnv(48, rules="guiyang", opponents="greedy", seed=9, skip_forced=False)
        batch.reset()
        env = SeatEnv(skip_forced=False)
        pick = at_random()
        begun = [(g["wall"].copy(), int(g["dealer"])) for g in batch.games.state]
        acted: list[list[int]] = [[] for _ in begun]
        compared = 0
        for _ in range(90):
            chosen = [pick(mask) for mask in batch.action_masks()]
            for mine, action in zip(acted, chosen, strict=True):
                mine.append(action)
            _, rewards, dones, infos = batch.step(np.array(chosen))
            for i in np.flatnonzero(dones):
                wall, dealer = begun[i]
                options = {"wall": wall, "dealer": dealer, "seat": infos[i]["deal"]["seat"]}
                left = iter(acted[i])
                steps = list(episode(env, replay(left), options=options))
                assert next(left, None) is None
                assert sum(reward for _, _, reward, _, _ in steps) == rewards[i]
                assert steps[-1][4]["bill"] == infos[i]["deal"]["bill"]
                compared += 1
                g = batch.games.state[i]
                begun[i], acted[i] = (g["wall"].copy(), int(g["dealer"])), []
        assert compared > 150
