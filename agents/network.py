"""The network that training fits: one encoder for the three suits, heads that keep the 3 x 9 shape.

Every suit is read by the same weights and every rank by the same small convolutions, so that what
is learnt of one sequence holds for all. The whole table is pooled over ranks and suits,
joined with the globals, and handed back to every kind; a kind's own features price its discard
and its gang.
"""

from __future__ import annotations

from itertools import pairwise

import torch
from torch import Tensor, nn

from agents.inference import FAR_LEFT, LEFT, plane_shares
from agents.size import NetworkConfig
from zhuoji_env.actions import N_ACTIONS
from zhuoji_env.tiles import N_KINDS

__all__ = ["Encoder", "Heads", "Network", "NetworkConfig"]

N_SUITS, N_RANKS = 3, 9
# discard and gang have one action a kind; peng, hu, baoting and pass one each.
PER_KIND = 2
PLAIN = N_ACTIONS - PER_KIND * N_KINDS


def nearest(planes: Tensor) -> Tensor:
    """Return which discards leave the least distance to a win: (N, 27), 1 or 0."""
    left = planes[:, LEFT]
    legal = left > 0
    least = left.masked_fill(~legal, FAR_LEFT).amin(1, keepdim=True)
    return (legal & (left == least)).to(planes.dtype)


class Encoder(nn.Module):
    """Planes (N, P, 27) and globals (N, G) to features (N, F): the kinds', then the table's."""

    def __init__(self, config: NetworkConfig) -> None:
        super().__init__()
        self.config = config
        rows = config.planes + config.prepared
        widths = [rows] + [config.channels] * config.convolutions
        shares = torch.from_numpy(plane_shares(config.planes)).reshape(1, -1, 1)
        self.shares: Tensor
        self.register_buffer("shares", shares, persistent=False)
        self.convolutions = nn.ModuleList(
            nn.Conv2d(a, b, (1, 3), padding=(0, 1)) for a, b in pairwise(widths)
        )
        self.table = nn.Linear(2 * config.channels + config.globals, config.hidden)
        self.back = nn.Linear(config.hidden, config.channels)

    def forward(self, planes: Tensor, rows: Tensor) -> Tensor:
        """Encode positions; planes may be int8."""
        kinds, table = self.parts(planes, rows)
        return torch.cat([kinds.flatten(1), table], 1)

    def parts(self, planes: Tensor, rows: Tensor) -> tuple[Tensor, Tensor]:
        """Return the kinds' features (N, 27, channels) and the table's (N, hidden)."""
        kinds, table = self._read(planes, rows)
        return torch.relu(kinds + self.back(table)[:, None]), table

    def table_features(self, planes: Tensor, rows: Tensor) -> Tensor:
        """Return the table's features alone, (N, hidden)."""
        return self._read(planes, rows)[1]

    def _read(self, planes: Tensor, rows: Tensor) -> tuple[Tensor, Tensor]:
        fast = torch.is_autocast_enabled("cpu")
        dtype = torch.bfloat16 if fast else rows.dtype
        x = planes.reshape(len(planes), -1, N_KINDS).to(dtype)
        if self.config.prepared:
            x = torch.cat([x * self.shares.to(dtype), nearest(x)[:, None]], 1)
        x = x.reshape(len(planes), -1, N_SUITS, N_RANKS)
        x = x.contiguous(memory_format=torch.channels_last)
        for i, convolution in enumerate(self.convolutions):
            y = torch.relu(convolution(x))
            x = y if i == 0 else x + y
        kinds = x.flatten(2).transpose(1, 2)
        pooled = torch.cat([kinds.mean(1), kinds.amax(1), rows], 1)
        return kinds, torch.relu(self.table(pooled))


class Heads(nn.Module):
    """Features (N, F) to logits (N, 58) and value (N, 1)."""

    def __init__(self, config: NetworkConfig) -> None:
        super().__init__()
        self.config = config
        self.kind = nn.Linear(config.channels, PER_KIND)
        self.plain = nn.Linear(config.hidden, PLAIN)
        if config.value:
            self.critic = nn.Sequential(
                nn.Linear(config.hidden, config.hidden), nn.ReLU(), nn.Linear(config.hidden, 1)
            )

    def _split(self, features: Tensor) -> tuple[Tensor, Tensor]:
        end = self.config.channels * N_KINDS
        return features[:, :end].reshape(len(features), N_KINDS, -1), features[:, end:]

    def logits(self, features: Tensor) -> Tensor:
        """Return unmasked logits (N, 58) in the order of `actions`."""
        return self.price(*self._split(features))

    def price(self, kinds: Tensor, table: Tensor) -> Tensor:
        """Return unmasked logits (N, 58) of kinds' features (N, 27, C) and the table's (N, H)."""
        discard, gang = self.kind(kinds).unbind(2)
        plain = self.plain(table)
        return torch.cat([discard, plain[:, :1], gang, plain[:, 1:]], 1)

    def value(self, features: Tensor) -> Tensor:
        """Return the expected scaled points of the deal, (N, 1)."""
        value: Tensor = self.critic(self._split(features)[1])
        return value


class Network(nn.Module):
    """Encoder and heads together, as a policy file holds them."""

    def __init__(self, config: NetworkConfig) -> None:
        super().__init__()
        self.encoder, self.heads = Encoder(config), Heads(config)

    def forward(self, planes: Tensor, rows: Tensor) -> Tensor:
        """Return unmasked logits (N, 58)."""
        return self.heads.price(*self.encoder.parts(planes, rows))
