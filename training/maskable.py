"""The seam with sb3-contrib: our network as a MaskablePPO policy, and a slim rollout buffer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from numpy.typing import NDArray
from sb3_contrib.common.maskable.buffers import MaskableRolloutBuffer
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from stable_baselines3.common.type_aliases import Schedule
from torch import Tensor, nn

from agents.network import Encoder, Heads, NetworkConfig
from zhuoji_env.observation import N_CHANNELS, N_GLOBALS, N_PLANES
from zhuoji_env.tiles import N_KINDS

PACKED = N_PLANES * N_KINDS + N_GLOBALS
# The network's parts as the policy's attributes name them.
_PARTS = {"encoder.": "features_extractor.encoder.", "heads.": "mlp_extractor.heads."}


def pack(observations: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return (N, C, 3, 9) observations as (N, P * 27 + G): the globals once, not 27 times."""
    n = len(observations)
    out = np.empty((n, PACKED), np.float32)
    out[:, : N_PLANES * N_KINDS] = observations[:, :N_PLANES].reshape(n, -1)
    out[:, N_PLANES * N_KINDS :] = observations[:, N_PLANES:, 0, 0]
    return out


class Extractor(BaseFeaturesExtractor):
    """The network's encoder; takes observations as the environment gives them, or packed."""

    def __init__(self, observation_space: spaces.Box, config: NetworkConfig) -> None:
        super().__init__(observation_space, config.features)
        self.encoder = Encoder(config)

    def forward(self, observations: Tensor) -> Tensor:
        """Return features (N, F)."""
        if observations.ndim == 2:
            end = N_PLANES * N_KINDS
            planes, rows = observations[:, :end], observations[:, end:]
        else:
            planes = observations[:, :N_PLANES]
            rows = observations[:, N_PLANES:N_CHANNELS, 0, 0]
        features: Tensor = self.encoder(planes, rows)
        return features


class _Latents(nn.Module):
    """The network's heads where SB3 expects hidden layers: its latents are logits and value."""

    def __init__(self, config: NetworkConfig) -> None:
        super().__init__()
        self.heads = Heads(config)

    def forward(self, features: Tensor) -> tuple[Tensor, Tensor]:
        return self.forward_actor(features), self.forward_critic(features)

    def forward_actor(self, features: Tensor) -> Tensor:
        return self.heads.logits(features)

    def forward_critic(self, features: Tensor) -> Tensor:
        return self.heads.value(features)


class Policy(MaskableActorCriticPolicy):
    """MaskablePPO's policy over our network; `network` sizes it."""

    def __init__(
        self,
        observation_space: spaces.Box,
        action_space: spaces.Discrete,
        lr_schedule: Schedule,
        network: NetworkConfig,
        **kwargs: Any,
    ) -> None:
        self.network_config = network
        super().__init__(
            observation_space,
            action_space,
            lr_schedule,
            features_extractor_class=Extractor,
            features_extractor_kwargs={"config": network},
            **kwargs,
        )

    def _build(self, lr_schedule: Schedule) -> None:
        latents = _Latents(self.network_config)
        self.mlp_extractor = latents  # type: ignore[assignment]
        # The heads end in logits and value already; SB3 would put a layer of its own on top.
        self.action_net = nn.Identity()
        self.value_net = nn.Identity()  # type: ignore[assignment]
        _first_weights(self, latents.heads)
        self.optimizer = self.optimizer_class(
            self.parameters(),
            lr=lr_schedule(1),  # type: ignore[call-arg]
            **self.optimizer_kwargs,
        )

    def network_weights(self) -> dict[str, Tensor]:
        """Return a copy of the weights under the names of `agents.network.Network`."""
        mine = self.state_dict()
        return {
            part + name.removeprefix(place): tensor.clone()
            for part, place in _PARTS.items()
            for name, tensor in mine.items()
            if name.startswith(place)
        }

    def load_network_weights(self, weights: Mapping[str, Tensor]) -> None:
        """Take weights that `network_weights` gave."""
        mine = self.state_dict()
        for name, tensor in weights.items():
            part = name.partition(".")[0] + "."
            mine[_PARTS[part] + name.removeprefix(part)].copy_(tensor)


def _first_weights(policy: Policy, heads: Heads) -> None:
    """Begin orthogonal, with near-equal logits: an untrained policy plays uniformly."""
    for module in policy.modules():
        if isinstance(module, nn.Linear | nn.Conv2d):
            policy.init_weights(module, gain=2**0.5)
    for last, gain in ((heads.kind, 0.01), (heads.plain, 0.01), (heads.critic[-1], 1.0)):
        policy.init_weights(last, gain=gain)


class PackedRolloutBuffer(MaskableRolloutBuffer):
    """A rollout buffer that keeps observations packed, a third of their size."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.obs_shape = (PACKED,)
        self.reset()

    def add(self, obs: NDArray[np.float32], *args: Any, **kwargs: Any) -> None:  # type: ignore[override]
        """Add one step of all tables."""
        super().add(pack(obs), *args, **kwargs)


def set_up_torch(threads: int) -> None:
    """Set the threads, and spare every distribution a check of its own arguments."""
    torch.set_num_threads(threads)
    torch.distributions.Distribution.set_default_validate_args(False)
