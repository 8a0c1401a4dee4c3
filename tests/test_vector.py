"""The vector faces: N single environments at once, and every seat of N tables for self-play."""

from __future__ import annotations

import copy
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers.vector import (
    DictInfoToList,
    FlattenObservation,
    RecordEpisodeStatistics,
    TransformReward,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import zhuoji_env as zj
from tests.test_aec import opening_win
from zhuoji_env import baselines, observation, zhuoji_v0
from zhuoji_env.actions import N_ACTIONS, PASS
from zhuoji_env.engine.layout import N_SEATS
from zhuoji_env.envs import vector
from zhuoji_env.envs.single import SeatEnv
from zhuoji_env.envs.vector import SeatVectorEnv, SelfPlayVectorEnv
from zhuoji_env.rules.ruleset import PRESETS

ID = "zhuoji_env:zhuoji/Seat-v0"
MIXED = ["greedy", "random", "hu_first"]


def picks(rng: np.random.Generator, shown: Any) -> NDArray[np.int64]:
    """A random legal action of each table."""
    mask = shown["action_mask"]
    chosen: NDArray[np.int64] = (rng.random(mask.shape) * mask).argmax(1)
    return chosen


class Singles:
    """Single environments stepped one by one as NEXT_STEP autoreset says."""

    def __init__(self, n: int, **arguments: Any) -> None:
        self.envs = [SeatEnv(**arguments) for _ in range(n)]
        self.ended = [False] * n

    def reset(self, seeds: list[int | None], **options: Any) -> list[tuple[Any, ...]]:
        self.ended = [False] * len(self.envs)
        return [
            (*env.reset(seed=seed, **options),) for env, seed in zip(self.envs, seeds, strict=True)
        ]

    def step(self, actions: NDArray[np.int64]) -> list[tuple[Any, ...]]:
        out = []
        for i, env in enumerate(self.envs):
            if self.ended[i]:
                shown, info = env.reset()
                out.append((shown, 0.0, False, False, info))
            else:
                out.append(env.step(int(actions[i])))
            self.ended[i] = out[-1][2]
        return out


def row(batch: tuple[Any, ...], i: int) -> tuple[Any, ...]:
    """Table i's part of what a vector face returned, as a single environment has it."""
    shown, *arrays, infos = batch
    info = {key: infos[key][i] for key in infos if not key.startswith("_") and infos[f"_{key}"][i]}
    return {key: array[i] for key, array in shown.items()}, *(array[i] for array in arrays), info


def same(batch: tuple[Any, ...], singles: list[tuple[Any, ...]]) -> None:
    for i, expected in enumerate(singles):
        got = row(batch, i)
        assert np.array_equal(got[0]["observation"], expected[0]["observation"])
        assert np.array_equal(got[0]["action_mask"], expected[0]["action_mask"])
        assert got[1:] == expected[1:]


class TestSeat:
    @pytest.mark.parametrize(
        "arguments",
        [
            {"opponents": MIXED, "deals": 2},
            {"opponents": "random", "rules": "zhuoji", "skip_forced": False, "seat": 2},
            {"opponents": "greedy", "rules": "duole", "reward_scale": 0.1},
        ],
    )
    def test_plays_as_single_ones_with_equal_seeds(self, arguments: dict[str, Any]) -> None:
        n, rng = 12, np.random.default_rng(1)
        envs, singles = SeatVectorEnv(n, **arguments), Singles(n, **arguments)
        ended = 0
        for seed, each in (
            (5, range(5, 5 + n)),
            (None, [None] * n),
            ([3, None] * 6, [3, None] * 6),
        ):
            begun = envs.reset(seed=seed)
            same(begun, singles.reset(list(each)))
            shown = begun[0]
            for _ in range(60):
                chosen = picks(rng, shown)
                batch = envs.step(chosen)
                same(batch, singles.step(chosen))
                shown = batch[0]
                ended += int(batch[2].sum())
        assert ended > 30

    def test_illegal_actions_are_replaced_alike(self) -> None:
        n, rng = 8, np.random.default_rng(2)
        arguments: dict[str, Any] = {"illegal": "random", "opponents": "random", "deals": 2}
        envs, singles = SeatVectorEnv(n, **arguments), Singles(n, **arguments)
        same(envs.reset(seed=0), singles.reset(list(range(n))))
        swapped = 0
        for _ in range(120):
            chosen = rng.integers(-2, N_ACTIONS + 2, n)
            batch = envs.step(chosen)
            same(batch, singles.step(chosen))
            swapped += batch[-1].get("_played", np.zeros(n)).sum()
        assert swapped > 500

    def test_gymnasium_makes_it(self) -> None:
        for mode in (None, "vector_entry_point"):
            envs = gymnasium.make_vec(
                ID, num_envs=3, vectorization_mode=mode, opponents="greedy", rules="duole"
            )
            assert type(envs) is SeatVectorEnv and envs.num_envs == 3
            assert envs.tables.games.rules[0].name == "duole"
            assert envs.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
            assert envs.spec is not None and envs.spec.id == "zhuoji/Seat-v0"
            shown, _ = envs.reset(seed=0)
            assert envs.observation_space.contains(shown)
            assert envs.single_observation_space == SeatEnv().observation_space
            assert envs.single_action_space == SeatEnv().action_space
            assert envs.action_space.contains(picks(np.random.default_rng(0), shown))
            envs.close()
            envs.close()

    def test_gymnasiums_own_vectorization_is_no_different(self) -> None:
        """Down to the arrays of infos and their masks."""
        ours = gymnasium.make_vec(ID, num_envs=6, opponents=MIXED, deals=2)
        theirs = gymnasium.make_vec(
            ID, num_envs=6, opponents=MIXED, deals=2, vectorization_mode="sync"
        )
        rng = np.random.default_rng(0)
        got: Any = ours.reset(seed=4)
        assert data_equivalence(got, theirs.reset(seed=4))
        for _ in range(120):
            chosen = picks(rng, got[0])
            got = ours.step(chosen)
            assert data_equivalence(got, theirs.step(chosen))

    def test_episode_statistics(self) -> None:
        envs = RecordEpisodeStatistics(SeatVectorEnv(8, opponents="random"))
        shown, _ = envs.reset(seed=0)
        rng = np.random.default_rng(0)
        length = np.zeros(8, int)
        told = 0
        fresh = np.zeros(8, bool)
        for _ in range(100):
            shown, rewards, over, _, infos = envs.step(picks(rng, shown))
            length = np.where(fresh, 0, length + 1)
            for i in np.flatnonzero(over):
                assert infos["episode"]["r"][i] == rewards[i]
                assert (
                    infos["episode"]["r"][i] == infos["results"][i][0]["scores"][infos["seat"][i]]
                )
                assert infos["episode"]["l"][i] == length[i]
                told += 1
            fresh = over
        assert told == envs.episode_count > 10

    def test_other_wrappers_of_gymnasiums(self) -> None:
        envs = DictInfoToList(
            FlattenObservation(TransformReward(SeatVectorEnv(4), lambda rewards: rewards / 10))
        )
        shown, infos = envs.reset(seed=0)
        assert shown.shape == (4, observation.N_CHANNELS * 27 + N_ACTIONS)
        assert [set(info) for info in infos] == [{"seat"}] * 4

    def test_every_mask_allows_something_and_the_end_pass_alone(self) -> None:
        envs = SeatVectorEnv(32, opponents="hu_first")
        shown, _ = envs.reset(seed=0)
        rng = np.random.default_rng(0)
        ends = 0
        for _ in range(60):
            shown, rewards, over, truncated, infos = envs.step(picks(rng, shown))
            assert shown["action_mask"].any(1).all()
            assert shown["action_mask"].dtype == np.int8
            assert rewards.dtype == np.float64 and over.dtype == truncated.dtype == np.bool_
            assert not truncated.any() and not rewards[~over].any()
            for i in np.flatnonzero(over):
                assert np.flatnonzero(shown["action_mask"][i]).tolist() == [PASS]
                assert np.array_equal(
                    shown["observation"][i, 0].ravel(),
                    envs.games.state["hand"][i, infos["seat"][i]],
                )
            ends += int(over.sum())
        assert ends > 32

    def test_an_episode_over_before_a_decision_ends_with_a_pass(self) -> None:
        envs = SeatVectorEnv(3, opponents="hu_first")
        options = {"wall": opening_win(), "dealer": [0, 0, 0], "seat": [1, 0, 2]}
        _, infos = envs.reset(seed=0, options=options)
        assert infos["seat"].tolist() == [1, 0, 2]
        with pytest.raises(zj.IllegalAction, match="table 0, seat 0"):
            envs.step([0, 55, PASS])
        _, rewards, over, _, infos = envs.step([PASS, 55, PASS])
        assert over.all() and rewards.tolist() == [
            infos["results"][i][0]["scores"][seat] for i, seat in enumerate([1, 0, 2])
        ]

    def test_one_that_an_autoreset_begins_does_too(self) -> None:
        """The second episode of these seeds is over before the learner's turn."""
        seeds, rng = [2785, 2913, 4469, 7428], np.random.default_rng(0)
        envs, singles = SeatVectorEnv(4), Singles(4)
        shown = envs.reset(seed=seeds)[0]
        singles.reset(list(seeds))
        begun, met, over = np.zeros(4, int), np.zeros(4, bool), np.zeros(4, bool)
        while begun.min() < 2:
            begun += over
            chosen = picks(rng, shown)
            pass_alone = shown["action_mask"].sum(1) == shown["action_mask"][:, PASS]
            lone, before = pass_alone & ~over, over
            batch = envs.step(chosen)
            same(batch, singles.step(chosen))
            shown, rewards, over, _, infos = batch
            assert not rewards[before].any() and not over[before].any()
            assert over[lone].all() and all("results" in infos for _ in np.flatnonzero(lone))
            met |= lone
        assert met.all()

    def test_arrays_are_copies(self) -> None:
        envs = SeatVectorEnv(8, opponents="random")
        rng = np.random.default_rng(0)
        held: list[Any] = [envs.reset(seed=0)]
        for _ in range(40):
            held.append(envs.step(picks(rng, held[-1][0])))
        kept = copy.deepcopy(held)
        shown = held[-1][0]
        for _ in range(20):
            shown = envs.step(picks(rng, shown))[0]
        assert data_equivalence(held, kept, exact=True)

    def test_an_illegal_action_changes_nothing(self) -> None:
        envs = SeatVectorEnv(8, opponents="random", deals=1)
        rng = np.random.default_rng(0)
        shown, _ = envs.reset(seed=0)
        over = np.zeros(8, bool)
        for _ in range(60):
            chosen = picks(rng, shown)
            wrong = chosen.copy()
            at = int(np.flatnonzero(~over)[-1])
            wrong[at] = (shown["action_mask"][at] == 0).argmax()
            kept = envs.games.state.tobytes()
            with pytest.raises(zj.IllegalAction) as raised:
                envs.step(wrong)
            assert raised.value.table == at
            assert envs.games.state.tobytes() == kept
            # The step after an episode's end ignores its action.
            chosen[over] = -5
            shown, _, over, _, _ = envs.step(chosen)

    @pytest.mark.parametrize("chosen", [np.zeros(3, int), np.zeros(4), [[57]] * 4])
    def test_actions_of_another_shape_or_type_are_refused(self, chosen: Any) -> None:
        envs = SeatVectorEnv(4, opponents="random")
        envs.reset(seed=0)
        with pytest.raises(ValueError, match=r"integers of shape \(4,\)"):
            envs.step(chosen)

    @pytest.mark.parametrize(
        ("given", "says"),
        [
            ({"seed": -1}, "seed is -1"),
            ({"seed": [1, 2]}, "seeds are 2; allowed: one, or 4"),
            ({"seed": [1, 2, 3, "x"]}, "seed is 'x'"),
            ({"options": {"seat": [0, 1, 2]}}, "seat is"),
            ({"options": {"dealer": [0, 1, 2, 4]}}, "a dealer is outside"),
            ({"options": [1]}, r"options are \[1\]; allowed: a mapping"),
        ],
    )
    def test_a_refused_reset_changes_nothing(self, given: dict[str, Any], says: str) -> None:
        envs = SeatVectorEnv(4, opponents="random")
        envs.reset(seed=0)
        kept = envs.games.state.tobytes()
        with pytest.raises(ValueError, match=says):
            envs.reset(**{"seed": 9, **given})
        assert envs.games.state.tobytes() == kept

    def test_a_step_needs_a_reset(self) -> None:
        with pytest.raises(zj.ZhuojiError, match="call reset"):
            SeatVectorEnv(2).step([0, 0])

    def test_without_a_seed_the_system_gives_it(self) -> None:
        walls = set()
        for _ in range(2):
            envs = SeatVectorEnv(3)
            envs.reset()
            walls |= {wall.tobytes() for wall in envs.games.state["wall"]}
        assert len(walls) == 6

    def test_a_batch_may_mix_rulesets(self) -> None:
        index = np.arange(32) % 2
        envs = SeatVectorEnv(32, rules=["guiyang", "zhuoji"], rules_index=index)
        shown, _ = envs.reset(seed=0)
        rng = np.random.default_rng(0)
        paid = np.zeros((2, 0)).tolist()
        for _ in range(80):
            shown, rewards, over, _, _ = envs.step(picks(rng, shown))
            for i in np.flatnonzero(over):
                paid[index[i]].append(rewards[i])
        assert any(reward % 10 for reward in paid[0])
        assert paid[1] and not any(reward % 10 for reward in paid[1])

    def test_the_docstrings_example_runs(self) -> None:
        lines = (vector.__doc__ or "").splitlines()
        code = "\n".join(line[4:] for line in lines if line.startswith("    ") or not line)
        exec(compile(code, "example", "exec"), {})


class TestSelfPlay:
    @settings(max_examples=40, deadline=None)
    @given(
        seed=st.integers(0, 2**32),
        rules=st.sampled_from(sorted(PRESETS)),
        deals=st.integers(1, 3),
        skip=st.booleans(),
    )
    def test_plays_as_the_aec_does(self, seed: int, rules: str, deals: int, skip: bool) -> None:
        """Table i's walls are those of seed s + i there; all four are paid the same."""
        n, rng = 3, np.random.default_rng(seed)
        envs = SelfPlayVectorEnv(n, rules=rules, deals=deals, skip_forced=skip)
        raws = [zhuoji_v0.raw_env(rules=rules, deals=deals) for _ in range(n)]
        for i, raw in enumerate(raws):
            raw.reset(seed=seed + i)
        shown, infos = envs.reset(seed=seed)
        over = np.zeros(n, bool)
        totals = np.zeros((n, N_SEATS))
        for _ in range(80):
            forced(raws, over, skip)
            for i in np.flatnonzero(~over).tolist():
                agent = raws[i].agent_selection
                assert agent == f"player_{infos['seat'][i]}"
                expected = raws[i].observe(agent)
                assert np.array_equal(shown["observation"][i], expected["observation"])
                assert np.array_equal(shown["action_mask"][i], expected["action_mask"])
            chosen, before = picks(rng, shown), over
            shown, rewards, over, _, infos = envs.step(chosen)
            assert not rewards.sum(1).any()
            for i in np.flatnonzero(before).tolist():
                assert not rewards[i].any() and not over[i]
                raws[i].reset()
                totals[i] = 0
            for i in np.flatnonzero(~before).tolist():
                raws[i].step(chosen[i])
                totals[i] += rewards[i]
                forced(raws[i : i + 1], before[i : i + 1], skip)
                assert totals[i].tolist() == raws[i].scores.tolist()
                assert all(raws[i].terminations.values()) == over[i]
                if rewards[i].any():
                    assert infos["bill"][i] == raws[i].infos["player_0"]["bill"]

    def test_labels_and_shapes(self) -> None:
        envs = SelfPlayVectorEnv(16)
        assert envs.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
        shown, infos = envs.reset(seed=0)
        rng, seen = np.random.default_rng(0), set()
        ends = 0
        for _ in range(150):
            assert envs.observation_space.contains(shown)
            assert infos["table"].tolist() == list(range(16))
            hands = envs.games.state["hand"][np.arange(16), infos["seat"]]
            assert np.array_equal(shown["observation"][:, 0].reshape(16, 27), hands)
            assert shown["action_mask"].any(1).all()
            shown, rewards, over, _, infos = envs.step(picks(rng, shown))
            seen |= set(infos["seat"].tolist())
            assert rewards.shape == (16, N_SEATS)
            assert not rewards[~over].any()
            for i in np.flatnonzero(over):
                assert np.flatnonzero(shown["action_mask"][i]).tolist() == [PASS]
                assert rewards[i].tolist() == infos["results"][i][0]["scores"]
            ends += int(over.sum())
        assert seen == set(range(N_SEATS)) and ends > 16

    def test_four_greedy_seats_are_a_learner_among_greedy_opponents(self) -> None:
        """Self-play and the single seat pay the same where the same play is played."""
        n = 24
        table, seat = SelfPlayVectorEnv(n), SeatVectorEnv(n)
        agent = baselines.make("greedy")
        paid = []
        for envs in (table, seat):
            envs.reset(seed=3)
            total: list[Any] = [None] * n
            while any(one is None for one in total):
                chosen = agent.act(envs.games.view(seats=envs.tables.seats))
                _, rewards, over, _, infos = envs.step(chosen)
                for i in np.flatnonzero(over):
                    if total[i] is None:
                        total[i] = (rewards[i], infos["seat"][i])
            paid.append(total)
        for (four, _), (own, where) in zip(*paid, strict=True):
            assert four[where] == own

    def test_only_options_that_it_has(self) -> None:
        envs = SelfPlayVectorEnv(2)
        with pytest.warns(UserWarning, match="'seat' are unknown"):
            envs.reset(seed=0, options={"seat": 1})
        envs.reset(options={"dealer": [1, 3], "streak": 5})
        assert envs.games.state["dealer"].tolist() == [1, 3]
        assert envs.games.state["streak"].tolist() == [5, 5]


def forced(raws: list[Any], over: NDArray[np.bool_], skip: bool) -> None:
    """Play the moves without a choice that `skip_forced` plays unasked."""
    for raw, ended in zip(raws, over, strict=True):
        while skip and not ended and not all(raw.terminations.values()):
            legal = np.flatnonzero(raw.games.legal[0])
            if len(legal) > 1:
                break
            raw.step(int(legal[0]))
