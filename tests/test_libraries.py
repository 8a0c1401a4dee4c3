"""Other people's libraries on the AEC environment: they collect, are paid, and train.

What was run by hand beside these tests, and what each library makes of the environment, is in
docs/libraries.md.
"""

from __future__ import annotations

import json
import math
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from pettingzoo.test import api_test
from pettingzoo.utils import BaseWrapper
from torch import nn

import zhuoji_env as zj
from agents.network import Network, NetworkConfig
from tests.test_aec import DICTIONARIES, opening_win
from training import ppo_example
from zhuoji_env import observation, zhuoji_v0
from zhuoji_env.actions import HU, N_ACTIONS
from zhuoji_env.engine.layout import N_SEATS
from zhuoji_env.envs.adaptors import ForRLlib, ForTianshou

ROOT = Path(__file__).resolve().parent.parent
FLAT = observation.N_CHANNELS * 27
# Nobody chooses among more actions than a full hand has tiles, hu, baoting and a few kongs.
MOST_CHOICES = 20


# PettingZoo ships no types, which leaves its base class Any.
class EveryOtherDealWon(BaseWrapper):  # type: ignore[misc]
    """Deals East every other time a hand that has won, and lets it only say so.

    Left to random players, few deals are ever paid.
    """

    def __init__(self, env: Any) -> None:
        super().__init__(env)
        self.deals = 0

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        self.deals += 1
        rigged = {"wall": opening_win(), "dealer": 0} if self.deals % 2 else None
        self.env.reset(seed=seed, options=rigged)

    def observe(self, agent: str) -> dict[str, Any]:
        seen: dict[str, Any] = self.env.observe(agent)
        if seen["action_mask"][HU]:
            seen["action_mask"][:] = 0
            seen["action_mask"][HU] = 1
        return seen


def made() -> EveryOtherDealWon:
    """Return a fresh environment for a library's wrapper."""
    return EveryOtherDealWon(zhuoji_v0.env(reward_scale=0.1))


def opening_payment() -> list[float]:
    """What the four are paid for the deal that East has won at once."""
    env = zhuoji_v0.env(reward_scale=0.1)
    env.reset(seed=0, options={"wall": opening_win(), "dealer": 0})
    env.step(HU)
    return [env.rewards[agent] for agent in env.possible_agents]


def network(out: int) -> nn.Sequential:
    """A small network on stacked observations."""
    return nn.Sequential(nn.Flatten(-3), nn.Linear(FLAT, 32), nn.Tanh(), nn.Linear(32, out))


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Torch alone on one core: its threads would wait for those of the other test process."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    np.random.seed(0)  # noqa: NPY002 - Tianshou draws from the global generator
    yield
    torch.set_num_threads(before)


class TestAdaptors:
    @pytest.mark.parametrize("wrapper", [ForTianshou, ForRLlib])
    def test_play_is_the_environments_own(self, wrapper: Any) -> None:
        plain, wrapped = zhuoji_v0.env(deals=2), wrapper(zhuoji_v0.env(deals=2))
        plain.reset(seed=3)
        wrapped.reset(seed=3)
        rng = np.random.default_rng(0)
        while plain.agents:
            assert wrapped.agent_selection == plain.agent_selection
            seen, *expected = plain.last()
            other, *given = wrapped.last()
            assert given[:3] == expected[:3]
            assert np.array_equal(other["action_mask"], seen["action_mask"])
            legal = np.flatnonzero(seen["action_mask"])
            action = None if expected[1] else int(rng.choice(legal))
            plain.step(action)
            wrapped.step(action)
        assert not wrapped.agents

    def test_tianshou_gets_empty_infos(self) -> None:
        env = ForTianshou(zhuoji_v0.env())
        env.reset(options={"wall": opening_win(), "dealer": 0})
        env.step(HU)
        assert env.unwrapped.infos["player_2"]["result"]["winners"] == [0]
        assert env.infos == {agent: {} for agent in env.possible_agents}
        assert env.last()[4] == {}

    def test_rllib_gets_its_key_and_a_flat_box(self) -> None:
        env = ForRLlib(zhuoji_v0.env())
        env.reset(seed=0)
        agent = env.agent_selection
        seen, plain = env.observe(agent), env.env.observe(agent)
        assert env.observation_space(agent).contains(seen)
        assert seen.keys() == {"observations", "action_mask"}
        assert seen["observations"].shape == (FLAT,)
        assert np.array_equal(seen["observations"], plain["observation"].reshape(-1))

    @pytest.mark.parametrize("wrapper", [ForTianshou, ForRLlib])
    @pytest.mark.filterwarnings(*DICTIONARIES)
    def test_pettingzoos_own_check_passes(self, wrapper: Any) -> None:
        api_test(wrapper(zhuoji_v0.env()), num_cycles=200)


@pytest.mark.slow
# Of the library's own: its wrapper names the PettingZoo it was tested with, and it deprecates
# parts of itself while it is imported.
@pytest.mark.filterwarnings("ignore:PettingZoo in TorchRL is tested:UserWarning")
@pytest.mark.filterwarnings("ignore:Creating .* which inherits from Weight:DeprecationWarning")
def test_torchrl_trains_ppo_with_gae() -> None:
    from tensordict import TensorDict
    from tensordict.nn import TensorDictModule
    from torchrl.collectors import Collector
    from torchrl.envs.libs.pettingzoo import PettingZooWrapper
    from torchrl.envs.utils import MarlGroupMapType, check_env_specs
    from torchrl.modules import MaskedCategorical, ProbabilisticActor
    from torchrl.objectives import ClipPPOLoss
    from torchrl.objectives.value import GAE

    frames, updates = 500, 2
    env = PettingZooWrapper(made(), use_mask=True, group_map=MarlGroupMapType.ALL_IN_ONE_GROUP)
    check_env_specs(env)
    seats = "agents"
    names = ("reward", "done", "terminated", "advantage", "value_target", "action", "log_prob")
    keys = {name: (seats, name) for name in names}
    value, logits = (seats, "state_value"), (seats, "logits")
    seen = (seats, "observation", "observation")
    actor = ProbabilisticActor(
        TensorDictModule(network(N_ACTIONS), [seen], [logits]),
        in_keys={"logits": logits, "mask": (seats, "action_mask")},
        out_keys=[keys["action"]],
        distribution_class=MaskedCategorical,
        return_log_prob=True,
        log_prob_key=keys["log_prob"],
    )
    critic = TensorDictModule(network(1), [seen], [value])
    gae = GAE(gamma=1.0, lmbda=0.95, value_network=critic)
    loss = ClipPPOLoss(actor, critic)
    paid = {name: keys[name] for name in ("reward", "done", "terminated")}
    priced = {name: keys[name] for name in ("advantage", "value_target")}
    gae.set_keys(value=value, **priced, **paid)
    loss.set_keys(
        value=value,
        action=keys["action"],
        sample_log_prob=keys["log_prob"],
        **priced,
        **paid,
    )
    optimizer = torch.optim.Adam(loss.parameters(), lr=1e-3)
    before = [p.detach().clone() for p in actor.parameters()]
    collected = 0
    collector = Collector(
        env,
        actor,
        frames_per_batch=frames,
        total_frames=frames * updates,
        auto_register_policy_transforms=True,
    )
    for data in collector:
        collected += data.numel()
        rewards, done = data["next", seats, "reward"].squeeze(-1), data["next", "done"].squeeze(-1)
        assert bool((rewards[~done] == 0).all()) and bool(done.any())
        assert any(np.allclose(row, opening_payment()) for row in rewards[done].tolist())
        # One seat acts in each frame; the others' actions are made up and go nowhere.
        assert bool((data[seats, "mask"].sum(1) == 1).all())
        with torch.no_grad():
            gae(data)
        acted = TensorDict({seats: data[seats][data[seats, "mask"]]}, [frames])
        losses = loss(acted)
        total = sum(losses[f"loss_{part}"] for part in ("objective", "critic", "entropy"))
        assert torch.isfinite(total)
        assert 0 < float(losses["entropy"].detach()) < math.log(MOST_CHOICES)
        optimizer.zero_grad()
        total.backward()
        optimizer.step()
    collector.shutdown()
    assert collected == frames * updates
    assert any(not torch.equal(a, b) for a, b in zip(before, actor.parameters(), strict=True))


@pytest.mark.slow
def test_tianshou_trains_dqn_in_four_seats() -> None:
    from tianshou.algorithm import DQN
    from tianshou.algorithm.algorithm_base import policy_within_training_step
    from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
    from tianshou.algorithm.multiagent.marl import MultiAgentOffPolicyAlgorithm
    from tianshou.algorithm.optim import AdamOptimizerFactory
    from tianshou.data import Collector, VectorReplayBuffer
    from tianshou.env import DummyVectorEnv
    from tianshou.env.pettingzoo_env import PettingZooEnv

    class Values(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.network = network(N_ACTIONS)

        def forward(self, obs: Any, state: Any = None, info: Any = None) -> Any:
            shown = torch.as_tensor(getattr(obs, "obs", obs), dtype=torch.float32)
            return self.network(shown), state

    env = PettingZooEnv(ForTianshou(made()))
    policy = DiscreteQLearningPolicy(
        model=Values(),
        action_space=env.action_space,
        observation_space=env.observation_space,
        eps_training=0.3,
    )
    # Its returns look at the next decision in the buffer, whoever's: with a horizon that no deal
    # outlasts they are what the seat was paid, and bootstrap from nobody else's position.
    dqn = DQN(
        policy=policy, optim=AdamOptimizerFactory(lr=1e-3), gamma=1.0, n_step_return_horizon=256
    )
    algorithm = MultiAgentOffPolicyAlgorithm(algorithms=[dqn] * N_SEATS, env=env)
    envs = DummyVectorEnv([lambda: PettingZooEnv(ForTianshou(made())) for _ in range(2)])
    buffer = VectorReplayBuffer(2000, 2)
    collector = Collector(algorithm, envs, buffer, exploration_noise=True)
    before = [p.detach().clone() for p in policy.parameters()]
    with policy_within_training_step(algorithm.policy):
        stats = collector.collect(n_step=1000, reset_before_collect=True)
        assert stats.n_collected_steps == len(buffer) == 1000
        learnt = [algorithm.update(buffer=buffer, sample_size=128) for _ in range(2)]
    kept, _ = buffer.sample(0)  # all of it
    assert stats.n_collected_episodes == int(kept.done.sum()) > 0
    np.testing.assert_allclose(kept.rew.sum(1), 0, atol=1e-6)
    assert not kept.rew[~kept.done].any()
    assert any(np.allclose(row, opening_payment()) for row in kept.rew)
    assert kept.obs.mask[np.arange(len(kept)), kept.act].all()
    assert set(kept.obs.agent_id) == set(env.agents)
    losses = [loss for stat in learnt for loss in stat.get_loss_stats_dict().values()]
    assert len(losses) == 2 * N_SEATS and np.isfinite(losses).all()
    assert any(not torch.equal(a, b) for a, b in zip(before, policy.parameters(), strict=True))


@pytest.fixture(scope="module")
def rllib_folder() -> Path:
    """RLlib and the Gymnasium that it pins, installed beside ours once for each set of pins."""
    pins = ROOT / "configs" / "libraries" / "rllib.txt"
    folder, stamp = ROOT / ".cache" / "libraries" / "rllib", "made-from.txt"
    wanted = f"{sys.version}\n{pins.read_text(encoding='utf-8')}"
    made_from = folder / stamp
    if not made_from.exists() or made_from.read_text(encoding="utf-8") != wanted:
        shutil.rmtree(folder, ignore_errors=True)
        pip = [sys.executable, "-m", "pip", "install", "-qq", "--no-deps"]
        subprocess.run([*pip, "--target", str(folder), "-r", str(pins)], check=True)
        made_from.write_text(wanted, encoding="utf-8")
    return folder


@pytest.mark.slow
def test_rllib_trains_masked_ppo(rllib_folder: Path) -> None:
    environment = os.environ | {
        "PYTHONPATH": f"{rllib_folder}{os.pathsep}{ROOT}",
        "RAY_USAGE_STATS_ENABLED": "0",
    }
    command = [sys.executable, "-m", "training.rllib_example", "--iterations", "2"]
    done = subprocess.run(
        [*command, "--decisions", "600"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    assert [line["decisions"] for line in lines] == [600, 1200]
    for line in lines:
        assert len(line["returns"]) == N_SEATS and line["deals"] > 0
        assert abs(sum(line["returns"].values())) < 1e-6
        assert 0 < line["entropy"] < math.log(MOST_CHOICES)
        assert math.isfinite(line["value_loss"]) and math.isfinite(line["policy_loss"])


class TestPpoExample:
    def played(self, tables: int = 16) -> tuple[zj.Games, ppo_example.Decisions]:
        games = zj.Games(tables, seed=5)
        games.reset()
        # East wins at the first table, before anybody else has decided anything.
        walls = np.array([opening_win()], np.int8)
        games.reset(np.arange(tables) == 0, walls=walls, dealers=0)
        sizes = NetworkConfig(channels=4, convolutions=1, hidden=8)
        return games, ppo_example.play_deals(games, Network(sizes))

    def test_decisions_are_legal_and_had_a_choice(self) -> None:
        games, played = self.played()
        assert games.done.all()
        assert played.legal.gather(1, played.action).all()
        assert (played.legal.sum(1) > 1).all()
        assert (played.log_prob < 0).all()
        assert set(played.table.tolist()) == set(range(16))

    @pytest.mark.parametrize("trace", [0.0, 0.9, 1.0])
    def test_each_seats_advantages_are_those_of_its_own_chain(self, trace: float) -> None:
        _, played = self.played()
        rewards = np.random.default_rng(0).normal(size=(16, N_SEATS)).astype(np.float32)
        found = ppo_example.advantages(played, rewards, trace)
        for table in range(16):
            for seat in range(N_SEATS):
                mine = torch.nonzero((played.table == table) & (played.seat == seat)).squeeze(1)
                values = played.value[mine].tolist()
                ahead = [*values[1:], float(rewards[table, seat])]
                errors = [b - a for a, b in zip(values, ahead, strict=False)]
                for place, m in enumerate(mine.tolist()):
                    expected = sum(trace**k * e for k, e in enumerate(errors[place:]))
                    assert abs(float(found[m]) - expected) < 1e-4

    def test_what_paid_is_played_more(self) -> None:
        torch.manual_seed(1)
        _, played = self.played(64)
        args = ppo_example.Args(epochs=8, batch_size=256, learning_rate=1e-2, entropy=0.0)
        sizes = NetworkConfig(channels=4, convolutions=1, hidden=8)
        network = Network(sizes)
        optimizer = torch.optim.Adam(network.parameters(), lr=args.learning_rate)
        with torch.no_grad():
            old, _ = ppo_example.judge(network, played.planes, played.rows, played.legal)
        started = old.gather(1, played.action)
        played = ppo_example.Decisions(**{**vars(played), "log_prob": started})
        # Discards of characters are called good, everything else bad.
        good = played.action.squeeze(1) < 9
        ppo_example.improve(network, optimizer, played, torch.where(good, 1.0, -1.0), args)
        with torch.no_grad():
            new, _ = ppo_example.judge(network, played.planes, played.rows, played.legal)
        gained = (new.gather(1, played.action) - started).squeeze(1)
        assert gained[good].mean() > 0.05 > -0.02 > gained[~good].mean()

    def test_the_script_trains_saves_and_plays(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        given = ["--updates", "2", "--tables", "8", "--blocks", "2", "--against", "random"]
        path = ppo_example.main(
            [*given, "--channels", "4", "--hidden", "8", "--out", str(tmp_path)]
        )
        printed = capsys.readouterr().out.splitlines()
        assert [line.split()[:2] for line in printed[1:3]] == [["update", "1"], ["update", "2"]]
        assert "against three random" in printed[-1]
        assert zj.arena.match(str(path), "random", blocks=2).deals == 8
