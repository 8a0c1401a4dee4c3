"""Ray RLlib's PPO on the AEC environment: one network in all four seats, actions masked.

    pip install --no-deps --target .cache/libraries/rllib -r configs/libraries/rllib.txt
    PYTHONPATH=.cache/libraries/rllib python -m training.rllib_example --iterations 10

RLlib pins a Gymnasium of its own, hence the folder. Each iteration prints one line of JSON.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from typing import Any

import ray
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.env.wrappers.pettingzoo_env import PettingZooEnv
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule
from ray.tune.registry import register_env

from zhuoji_env import zhuoji_v0
from zhuoji_env.envs.adaptors import ForRLlib

POLICY = "all_seats"


def make(config: dict[str, Any]) -> PettingZooEnv:
    """Return the environment as RLlib reads it; `config` goes to `zhuoji_v0.env`."""
    return PettingZooEnv(ForRLlib(zhuoji_v0.env(**config)))


def configure(decisions: int, rules: str) -> PPOConfig:
    """Return PPO's settings, `decisions` an iteration."""
    env = ForRLlib(zhuoji_v0.env())
    module = RLModuleSpec(
        module_class=ActionMaskingTorchRLModule,
        observation_space=env.observation_space("player_0"),
        action_space=env.action_space("player_0"),
        model_config={"head_fcnet_hiddens": [64]},
    )
    return (
        PPOConfig()
        # RLlib's check plays a random action without asking the mask, which is refused.
        .environment(
            "zhuoji", env_config={"rules": rules, "reward_scale": 0.1}, disable_env_checking=True
        )
        .multi_agent(policies={POLICY}, policy_mapping_fn=lambda agent, episode, **_: POLICY)
        .env_runners(num_env_runners=0)
        .training(
            train_batch_size_per_learner=decisions,
            minibatch_size=max(1, decisions // 4),
            num_epochs=1,
            gamma=1.0,
        )
        .rl_module(rl_module_spec=module)
    )


def main(given: Sequence[str] | None = None) -> None:
    """Train for some iterations."""
    parser = argparse.ArgumentParser(prog="python -m training.rllib_example")
    parser.add_argument("--iterations", type=int, default=10, help="Updates of PPO.")
    parser.add_argument("--decisions", type=int, default=4000, help="Decisions an update.")
    parser.add_argument("--rules", default="guiyang", help="A preset's name or a YAML file.")
    args = parser.parse_args(given)
    register_env("zhuoji", make)
    ray.init(address="local", num_cpus=1, include_dashboard=False, log_to_driver=False)
    try:
        algorithm = configure(args.decisions, args.rules).build_algo()
        for _ in range(args.iterations):
            result = algorithm.train()
            sampled, learnt = result["env_runners"], result["learners"][POLICY]
            figures = {
                "decisions": sampled["num_env_steps_sampled_lifetime"],
                "deals": sampled["num_episodes_lifetime"],
                "returns": sampled["agent_episode_returns_mean"],
                "value_loss": learnt["vf_loss"],
                "policy_loss": learnt["policy_loss"],
                "entropy": learnt["entropy"],
            }
            print(json.dumps(figures, default=float), flush=True)
        algorithm.stop()
    finally:
        ray.shutdown()


if __name__ == "__main__":
    main()
