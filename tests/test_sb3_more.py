"""SB3's own checks, monitors and MaskablePPO itself, on the batch and single faces."""

from __future__ import annotations

import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest
import torch
from gymnasium.wrappers import TransformObservation
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.env_checker import check_env
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv, VecEnv, VecMonitor, VecNormalize
from torch import nn

from agents.network import NetworkConfig
from training.maskable import Policy
from zhuoji_env import observation
from zhuoji_env.actions import N_ACTIONS
from zhuoji_env.envs.sb3 import SeatVecEnv
from zhuoji_env.envs.single import SeatEnv

SMALL = {"network": NetworkConfig(channels=4, convolutions=1, hidden=8)}
# What SB3 says of any box with three axes; they hold for its CnnPolicy, which is not for this game.
IMAGES = ("observation", "observation space", "channels-last", "minimal resolution for an image")


def array_only(illegal: str = "raise") -> Any:
    """Seat-v0 with the array alone, as MaskablePPO wants it."""
    env = SeatEnv(opponents="random", illegal=illegal)
    space = env.observation_space["observation"]  # type: ignore[index]
    return TransformObservation(env, lambda shown: shown["observation"], space)


@pytest.mark.parametrize("array", [False, True])
def test_check_env_takes_the_array_for_an_image_and_says_nothing_else(array: bool) -> None:
    env = array_only("random") if array else SeatEnv(illegal="random")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        check_env(env)
    said = [str(warning.message) for warning in caught]
    assert len(said) == len(IMAGES)
    assert all(about in one and "image" in one for about, one in zip(IMAGES, said, strict=True))


def test_check_env_without_advice_is_silent() -> None:
    check_env(SeatEnv(illegal="random"), warn=False)


def test_vec_monitor_counts_as_the_environment_does() -> None:
    with pytest.warns(UserWarning, match="already wrapped"):
        env = VecMonitor(SeatVecEnv(8, opponents="random", reward_scale=0.5))
    env.reset()
    rng = np.random.default_rng(0)
    counted = 0
    for _ in range(60):
        masks = get_action_masks(env)
        _, rewards, dones, infos = env.step((rng.random(masks.shape) * masks).argmax(1))
        for i in np.flatnonzero(dones):
            deal = infos[i]["deal"]
            assert infos[i]["episode"]["r"] == rewards[i] == 0.5 * deal["scores"][deal["seat"]]
            assert "terminal_observation" in infos[i]
            counted += 1
    assert counted == env.episode_count > 8


def test_masks_reach_through_wrappers() -> None:
    inner = SeatVecEnv(4, opponents="random")
    env = VecNormalize(inner, norm_obs=False)
    env.reset()
    assert is_masking_supported(env)
    assert np.array_equal(get_action_masks(env), inner.action_masks())


def test_single_environments_mask_in_sb3s_own_vectorization() -> None:
    env = DummyVecEnv([array_only, array_only])
    shown: Any = env.reset()
    assert shown.shape == (2, observation.N_CHANNELS, 3, 9)
    assert is_masking_supported(env)
    rng = np.random.default_rng(0)
    ended = 0
    for _ in range(60):
        masks = get_action_masks(env)
        assert masks.shape == (2, N_ACTIONS) and masks.any(1).all()
        _, _, dones, infos = env.step((rng.random(masks.shape) * masks).argmax(1))
        for i in np.flatnonzero(dones):
            assert env.observation_space.contains(infos[i]["terminal_observation"])
            ended += 1
    assert ended > 2


def batch() -> VecEnv:
    return SeatVecEnv(4, opponents="random", reward_scale=0.1)


def singles() -> VecEnv:
    return DummyVecEnv([lambda: Monitor(array_only())] * 4)


@pytest.mark.parametrize("make", [batch, singles])
def test_maskable_ppo_trains_with_our_extractor(make: Any) -> None:
    """An action outside the mask would raise."""
    env = make()
    arguments: dict[str, Any] = {"n_steps": 32, "batch_size": 32, "n_epochs": 2, "seed": 0}
    model = MaskablePPO(Policy, env, policy_kwargs=SMALL, **arguments)
    extractor = model.policy.features_extractor
    assert model.observation_space.shape == (observation.N_CHANNELS, 3, 9)
    assert any(isinstance(part, nn.Conv1d | nn.Conv2d) for part in extractor.modules())
    before = [weight.clone() for weight in model.policy.parameters()]
    model.learn(256)
    moved = [not torch.equal(a, b) for a, b in zip(before, model.policy.parameters(), strict=True)]
    assert np.mean(moved) > 0.9
    assert model.ep_info_buffer
    shown: Any = env.reset()
    chosen, _ = model.predict(shown, action_masks=get_action_masks(env), deterministic=True)
    assert get_action_masks(env)[np.arange(4), chosen].all()


def test_gymnasiums_make_gives_what_sb3_takes() -> None:
    env = gymnasium.make("zhuoji_env:zhuoji/Seat-v0", opponents="random")
    env.reset(seed=0)
    assert is_masking_supported(env)
    assert get_action_masks(env).shape == (N_ACTIONS,)
