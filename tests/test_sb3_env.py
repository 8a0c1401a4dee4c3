"""SeatVecEnv: the VecEnv contract, who is paid when, and what is shown."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import VecCheckNan

import zhuoji_env as zj
from agents.network import Network, NetworkConfig
from agents.policy import PolicyInfo, save_policy
from zhuoji_env import baselines, observation
from zhuoji_env.actions import N_ACTIONS, PASS
from zhuoji_env.engine.layout import VIEW
from zhuoji_env.envs.sb3 import SeatVecEnv

PLANE = {channel.name: i for i, channel in enumerate(observation.PLANES)}
GLOBAL = {channel.name: len(PLANE) + i for i, channel in enumerate(observation.GLOBALS)}


class Player:
    """Picks a random legal action of each table's mask."""

    def __init__(self, seed: int = 0) -> None:
        self.rng = np.random.default_rng(seed)

    def __call__(self, masks: NDArray[np.bool_]) -> NDArray[np.int64]:
        return (self.rng.random(masks.shape) * masks).argmax(1)


class Greedy:
    """Plays the learner's seats as the baseline does."""

    def __init__(self) -> None:
        self.agent = baselines.make("greedy")

    def __call__(self, env: SeatVecEnv) -> NDArray[np.int64]:
        return self.agent.act(env.games.view(), env.action_masks(), None)


def play(env: SeatVecEnv, steps: int, seed: int = 0) -> Iterator[tuple[Any, ...]]:
    """Play randomly and yield each step's masks, actions and what the environment returned."""
    player = Player(seed)
    for _ in range(steps):
        masks = env.action_masks()
        actions = player(masks)
        yield masks, actions, *env.step(actions)


def deals(env: SeatVecEnv, steps: int) -> Iterator[tuple[float, dict[str, Any]]]:
    """Play greedily and yield reward and info of every deal that ends."""
    player = Greedy()
    for _ in range(steps):
        _, rewards, dones, infos = env.step(player(env))
        for i in np.flatnonzero(dones):
            yield float(rewards[i]), infos[i]


def test_spaces_and_shapes() -> None:
    env = SeatVecEnv(8, opponents="random")
    obs: Any = env.reset()
    assert obs.shape == (8, observation.N_CHANNELS, 3, 9) and obs.dtype == np.float32
    assert env.observation_space.shape == obs.shape[1:]
    for _, actions, obs, rewards, dones, infos in play(env, 40):
        assert all(env.observation_space.contains(row) for row in obs)
        assert all(env.action_space.contains(action) for action in actions)
        assert rewards.shape == dones.shape == (8,) and len(infos) == 8
        assert rewards.dtype == np.float32 and dones.dtype == np.bool_


def test_masks_reach_maskable_ppo_and_are_never_empty() -> None:
    env = SeatVecEnv(16, opponents="hu_first")
    env.reset()
    assert is_masking_supported(env)
    for masks, *_ in play(env, 60):
        assert masks.shape == (16, N_ACTIONS) and masks.dtype == np.bool_
        assert masks.any(1).all()
        assert np.array_equal(get_action_masks(env), env.action_masks())
    picked = env.env_method("action_masks", indices=[3, 5])
    assert np.array_equal(np.stack(picked), env.action_masks()[[3, 5]])


def test_stable_baselines_wrappers_pass_everything_through() -> None:
    env = VecCheckNan(SeatVecEnv(4, opponents="random"), raise_exception=True)
    env.reset()
    assert is_masking_supported(env)
    player = Player()
    episodes = 0
    for _ in range(60):
        _, _, dones, infos = env.step(player(get_action_masks(env)))
        episodes += sum("episode" in infos[i] for i in np.flatnonzero(dones))
    assert episodes
    assert env.env_is_wrapped(Monitor) == [True] * 4


def test_the_observation_is_the_learners_own() -> None:
    env = SeatVecEnv(32, opponents="greedy")
    obs: Any = env.reset()
    for _ in range(20):
        seats = env.games.seat
        hands = env.games.state["hand"][np.arange(32), seats].reshape(32, 3, 9)
        assert np.array_equal(obs[:, PLANE["hand"]], hands)
        legal = env.action_masks()
        assert np.array_equal(obs[:, PLANE["may_discard"]].reshape(32, 27), legal[:, :27])
        assert np.array_equal(obs[:, GLOBAL["may_pass"], 0, 0] == 1, legal[:, PASS])
        obs, *_ = env.step(legal.argmax(1))


def test_the_learner_sits_everywhere() -> None:
    env = SeatVecEnv(64, opponents="greedy")
    env.reset()
    assert len(set(env.games.seat.tolist())) == 4
    seen = np.zeros((4, 4), int)
    for _, info in deals(env, 150):
        deal = info["deal"]
        seen[deal["seat"], (deal["dealer"] - deal["seat"]) % 4] += 1
    n = seen.sum()
    assert n > 300
    # 16 equally likely places; each within 5 standard deviations.
    assert np.abs(seen - n / 16).max() < 5 * np.sqrt(n / 16)


def test_rewards_are_the_settlements_points() -> None:
    env = SeatVecEnv(64, opponents="greedy", reward_scale=0.5)
    env.reset()
    player = Greedy()
    paid = np.zeros(64)
    ends = set()
    for _ in range(80):
        _, rewards, dones, infos = env.step(player(env))
        assert not rewards[~dones].any()
        paid += rewards
        for i in np.flatnonzero(dones):
            deal = infos[i]["deal"]
            assert sum(deal["scores"]) == 0
            got = [0, 0, 0, 0]
            for _, payer, payee, fan in deal["bill"]:
                got[payer] -= fan
                got[payee] += fan
            assert got == deal["scores"]
            assert paid[i] == 0.5 * got[deal["seat"]] == infos[i]["episode"]["r"]
            paid[i] = 0
            ends.add(deal["end"])
    assert {"self_draw", "discard", "draw"} <= ends


def test_what_others_do_after_the_last_decision_reaches_the_learner() -> None:
    """A loss on somebody else's draw or discard is paid in the step of the last decision."""
    env = SeatVecEnv(256, opponents="greedy")
    env.reset()
    lost = {"own discard": 0, "other's discard": 0, "other's draw": 0}
    for reward, info in deals(env, 120):
        deal = info["deal"]
        seat = deal["seat"]
        if deal["end"] not in ("discard", "self_draw") or seat in deal["winners"]:
            continue
        assert reward == deal["scores"][seat]
        if deal["end"] == "self_draw":
            lost["other's draw"] += reward < 0
        elif deal["shooter"] == seat:
            lost["own discard"] += reward < 0
        else:
            lost["other's discard"] += reward < 0
    assert all(lost.values()), lost


def test_terminal_observations_show_the_end_and_allow_pass_alone() -> None:
    env = SeatVecEnv(64, opponents="greedy")
    env.reset()
    player = Greedy()
    n = 0
    for _ in range(40):
        obs, _, dones, infos = env.step(player(env))
        assert all(not infos[i] for i in np.flatnonzero(~dones))
        for i in np.flatnonzero(dones):
            n += 1
            last, mask = infos[i]["terminal_observation"], infos[i]["terminal_action_mask"]
            assert env.observation_space.contains(last)
            assert not np.array_equal(last, np.asarray(obs)[i])
            assert np.flatnonzero(mask).tolist() == [PASS]
            assert not last[PLANE["may_discard"]].any()
            assert infos[i]["TimeLimit.truncated"] is False
            melds = 4 * last[GLOBAL["melds_self"], 0, 0]
            assert last[PLANE["hand"]].sum() in (13 - 3 * melds, 14 - 3 * melds)
    assert n


def summary(env: SeatVecEnv, steps: int = 50) -> list[bytes]:
    """Return the bytes of everything that random play shows."""
    shown = [env.reset().tobytes()]
    for masks, actions, obs, rewards, dones, infos in play(env, steps):
        shown += [array.tobytes() for array in (masks, actions, obs, rewards, dones)]
        shown.append(repr([info.get("deal") for info in infos]).encode())
    return shown


MIX = {"greedy": 1.0, "random": 1.0}


def test_equal_seeds_play_equally() -> None:
    first = summary(SeatVecEnv(16, opponents=MIX, seed=3))
    assert summary(SeatVecEnv(16, opponents=MIX, seed=3)) == first
    assert summary(SeatVecEnv(16, opponents=MIX, seed=4)) != first
    env = SeatVecEnv(16, opponents=MIX, seed=4)
    env.reset()
    assert env.seed(3) == [3] * 16
    assert summary(env) == first
    assert summary(env) != first, "a reset without a seed goes on to other walls"


def test_seeds_give_other_walls_in_every_deal() -> None:
    walls = []
    for seed in (0, 1):
        env = SeatVecEnv(8, opponents="random", seed=seed)
        seen = set()
        for _ in range(3):
            env.reset()
            seen |= {wall.tobytes() for wall in env.games.state["wall"]}
        assert len(seen) == 24
        walls.append(seen)
    assert not walls[0] & walls[1]


def test_walls_are_the_training_familys() -> None:
    env = SeatVecEnv(4, opponents="random", seed=7)
    env.reset()
    for purpose, same in (("training", True), ("free", False), ("arena", False)):
        games = zj.Games(4, seed=7, purpose=purpose)
        games.reset()
        assert np.array_equal(games.state["wall"], env.games.state["wall"]) is same


def test_arrays_are_copies() -> None:
    env = SeatVecEnv(8, opponents="random")
    held = [env.reset(), env.action_masks()]
    kept = [array.copy() for array in held]
    for masks, _, obs, rewards, dones, infos in play(env, 40):
        arrays = [masks, obs, rewards, dones]
        arrays += [info["terminal_observation"] for info in infos if info]
        held += arrays
        kept += [array.copy() for array in arrays]
    assert all(np.array_equal(a, b) for a, b in zip(held, kept, strict=True))


def test_forced_moves_are_skipped_or_asked() -> None:
    """A baoting hand's discard is the common forced move."""
    fewest = {}
    for skip in (True, False):
        env = SeatVecEnv(64, opponents="greedy", skip_forced=skip)
        env.reset()
        player = Greedy()
        counts = []
        for _ in range(60):
            counts.append(env.action_masks().sum(1).min())
            env.step(player(env))
        fewest[skip] = min(counts)
    assert fewest == {True: 2, False: 1}


def test_an_illegal_action_changes_nothing() -> None:
    env = SeatVecEnv(4, opponents="random")
    env.reset()
    before = env.games.state.tobytes()
    actions = env.action_masks().argmax(1)
    actions[2] = (~env.action_masks()[2]).argmax()
    with pytest.raises(zj.IllegalAction) as raised:
        env.step(actions)
    assert raised.value.table == 2 and raised.value.seat == env.games.seat[2]
    assert raised.value.legal == tuple(np.flatnonzero(env.action_masks()[2]))
    assert env.games.state.tobytes() == before


@pytest.mark.parametrize("actions", [np.zeros(3, int), np.zeros(4), [[57]] * 4])
def test_actions_of_another_shape_or_type_are_refused(actions: Any) -> None:
    env = SeatVecEnv(4, opponents="random")
    env.reset()
    with pytest.raises(ValueError, match=r"integers of shape \(4,\)"):
        env.step(actions)


def test_stepping_needs_actions() -> None:
    env = SeatVecEnv(4, opponents="random")
    env.reset()
    with pytest.raises(RuntimeError, match="step_async"):
        env.step_wait()


class Witness:
    """Plays legally at random and keeps what it was shown."""

    def __init__(self, needs_observations: bool = False) -> None:
        self.needs_observations = needs_observations
        self.asked = 0
        self.seeds: list[tuple[int, int]] = []

    def reset(self, n: int, seed: int) -> None:
        self.seeds.append((n, seed))

    def act(self, views: Any, legal: NDArray[np.bool_], observations: Any) -> NDArray[np.int64]:
        assert views.dtype == VIEW and len(views) == len(legal) > 0
        assert legal.any(1).all()
        assert np.array_equal(legal[:, PASS], views["legal"] >> PASS & 1)
        if self.needs_observations:
            planes, rows = observations
            assert np.array_equal(planes[:, PLANE["hand"]], views["hand"])
            assert rows.shape == (len(views), observation.N_GLOBALS)
        else:
            assert observations is None
        self.asked += len(views)
        return legal.argmax(1)


def test_agents_play_the_other_seats_in_batch() -> None:
    eyes, blind, never = Witness(True), Witness(False), Witness(False)
    env = SeatVecEnv(32, opponents=[(eyes, 1), (blind, 2), (never, 0)], seed=1)
    env.reset()
    labels = [i["deal"]["opponents"] for *_, infos in play(env, 40) for i in infos if i]
    assert set(labels) == {"Witness"}
    assert eyes.asked and blind.asked and not never.asked
    assert all(n == 32 for n, _ in eyes.seeds)


def test_opponents_can_be_changed_between_deals() -> None:
    env = SeatVecEnv(32, opponents="random")
    env.reset()
    env.set_opponents({"random": 0, "hu_first": 1})
    first: set[str] = set()
    later: set[str] = set()
    for i, (*_, infos) in enumerate(play(env, 90)):
        (first if i < 10 else later).update(i["deal"]["opponents"] for i in infos if i)
    assert first <= {"random"}, "deals in progress go on with whom they began with"
    assert "hu_first" in later


@pytest.mark.parametrize(
    "weights", [{}, {"greedy": -1.0}, {"greedy": 0.0}, {"greedy": np.nan}, {"greedy": "x"}]
)
def test_weights_without_sense_are_refused(weights: Any) -> None:
    with pytest.raises(ValueError, match="opponents weigh"):
        SeatVecEnv(2, opponents=weights)


@pytest.mark.parametrize(
    ("opponents", "says"),
    [
        ("nobody", "unknown agent 'nobody'; allowed: random"),
        ("no_such_module:agent", "no_such_module"),
        ({"no_such.safetensors": 1}, "no_such.safetensors"),
        (5, "opponents are 5; allowed: a spec or an Agent, or a mapping or pairs"),
        (["greedy", "random"], "opponents are"),
        ([(5, 1)], "an opponent is 5; allowed: a spec or an Agent"),
        (baselines.Baseline, "an opponent is <class"),
    ],
)
def test_what_is_no_opponent_is_refused(opponents: Any, says: str) -> None:
    with pytest.raises(zj.ZhuojiError, match=says):
        SeatVecEnv(2, opponents=opponents)


def test_specs_name_factories_too() -> None:
    env = SeatVecEnv(8, opponents={f"{__name__}:Witness": 1})
    env.reset()
    labels = {i["deal"]["opponents"] for *_, infos in play(env, 40) for i in infos if i}
    assert labels == {f"{__name__}:Witness"}


def test_a_policy_files_path_is_a_spec(tmp_path: Path) -> None:
    path = str(tmp_path / "p.safetensors")
    config = NetworkConfig(channels=4, convolutions=1, hidden=8)
    info = PolicyInfo("guiyang", "", observation.VERSION, config)
    save_policy(Path(path), Network(config).state_dict(), info)
    env = SeatVecEnv(4, opponents=path, seed=1)
    env.reset()
    labels = {i["deal"]["opponents"] for *_, infos in play(env, 40) for i in infos if i}
    assert labels == {path}


@pytest.mark.parametrize("answer", [[0.5], "x"])
def test_an_opponents_answer_is_checked(answer: Any) -> None:
    class Odd(Witness):
        def act(self, views: Any, legal: Any, observations: Any) -> Any:
            return answer

    env = SeatVecEnv(8, opponents=Odd(False))
    with pytest.raises(zj.ZhuojiError, match="agent 'Odd' gave"):
        env.reset()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"reward_scale": np.nan}, "reward_scale is nan; allowed: a number above 0"),
        ({"reward_scale": -1}, "reward_scale is -1"),
        ({"reward_scale": True}, "reward_scale is True"),
        ({"num_envs": 0}, "num_envs is 0; allowed: an integer, 1 or more"),
        ({"num_envs": 2.5}, "num_envs is 2.5"),
        ({"seed": -1}, "seed is -1; allowed"),
        ({"seed": 1.5}, "seed is 1.5; allowed"),
    ],
)
def test_bad_arguments(arguments: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        SeatVecEnv(**{"num_envs": 2, "opponents": "random", **arguments})


@pytest.mark.parametrize("seed", [-1, 1.5, True])
def test_bad_seeds_are_refused_at_once(seed: Any) -> None:
    with pytest.raises(ValueError, match="seed is"):
        SeatVecEnv(2, opponents="random").seed(seed)


def test_steps_before_a_reset_are_refused() -> None:
    env = SeatVecEnv(2, opponents="random")
    with pytest.raises(zj.ZhuojiError, match=r"call reset\(\)"):
        env.step(np.zeros(2, np.int64))


def test_a_batch_may_mix_rulesets() -> None:
    index = np.arange(32) % 2
    env = SeatVecEnv(32, rules=["guiyang", "zhuoji"], rules_index=index, opponents="greedy")
    env.reset()
    player = Greedy()
    streets: dict[int, list[int]] = {0: [], 1: []}
    for _ in range(60):
        _, _, dones, infos = env.step(player(env))
        for i in np.flatnonzero(dones):
            streets[int(i) % 2] += infos[i]["deal"]["scores"]
    assert any(score % 10 for score in streets[0])
    assert streets[1] and not any(score % 10 for score in streets[1])


@pytest.mark.parametrize("carry_on", [False, True])
def test_dealer_and_streak_are_carried_on_if_asked(carry_on: bool) -> None:
    env = SeatVecEnv(32, opponents="random", carry_on=carry_on)
    env.reset()
    streaks = [info["deal"]["streak"] for _, info in deals(env, 60)]
    assert (max(streaks) > 1) is carry_on


def test_attributes_are_shared_by_all_tables() -> None:
    env = SeatVecEnv(3, opponents="random")
    env.set_attr("reward_scale", 2.0)
    assert env.get_attr("reward_scale") == [2.0] * 3
    assert env.get_attr("reward_scale", indices=1) == [2.0]
    with pytest.raises(ValueError, match="shared"):
        env.set_attr("reward_scale", 1.0, indices=0)
    assert not env.has_attr("no_such_thing")
    env.close()
