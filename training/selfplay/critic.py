"""The critic: what a seat will be paid, seen with the hidden truth that its actor never sees.

The value is a distribution over bins that lie evenly in the signed square root of sigma, fitted to
smoothed payments (HL-Gauss, arXiv 2403.03950) against heavy tails; its mean is taken in sigma
itself. Beside it one number a group of bill items: the last group is the value less the others, so
that they sum to it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import torch
from torch import Tensor, nn

from agents.network import Encoder, NetworkConfig
from training.selfplay.config import Config
from training.selfplay.tables import N_GROUPS, TRUTH
from zhuoji_env.observation import N_PLANES

# Width of the smoothing in bins, as the paper advises.
SMOOTHING = 0.75
# Bins beyond the span on both sides, so that smoothed payments at its ends keep their mean.
MARGIN = 3
# Variance, in sigma, of what a critic expects at first; in roots of sigma that is a bell.
FIRST_SPREAD = 0.3
# Points of the table that finds the smoothed target with a given mean.
FINENESS = 4001


class Bins:
    """The grid of a value's distribution: `centres` (B,) float32 in sigma."""

    def __init__(self, count: int, span: float) -> None:
        end = math.sqrt(span)
        step = 2 * end / (count - 1)
        roots = np.arange(-MARGIN, count + MARGIN) * step - end
        edges = np.append(roots - step / 2, roots[-1] + step / 2)
        self.edges = torch.from_numpy(edges)
        self.width = SMOOTHING * step
        centres = np.sign(roots) * roots**2
        self.centres = torch.from_numpy(centres.astype(np.float32))
        # The mean of a smoothed target is not its middle, the scale being curved: this table says
        # which middle gives a wanted mean.
        self._middles = np.linspace(-end, end, FINENESS)
        weights = self._smoothed(torch.from_numpy(self._middles)).numpy()
        self._means = weights @ centres

    def __len__(self) -> int:
        return len(self.centres)

    def _smoothed(self, middles: Tensor) -> Tensor:
        cdf = torch.special.ndtr((self.edges - middles[:, None]) / self.width)
        weights: Tensor = cdf[:, 1:] - cdf[:, :-1]
        return weights / weights.sum(1, keepdim=True)

    def targets(self, payments: Tensor) -> Tensor:
        """Return the bins' weights (M, B) float32 whose mean is each payment (M,), in sigma.

        Both are on the CPU.
        """
        middles = np.interp(payments.double().numpy(), self._means, self._middles)
        return self._smoothed(torch.from_numpy(middles)).float()

    def mean(self, logits: Tensor) -> Tensor:
        """Return the expected payment (M,) of logits (M, B), in sigma."""
        # A product and a sum: a matrix product would be taken in bfloat16 where that is on.
        return (logits.float().softmax(1) * self.centres.to(logits.device)).sum(1)


class Critic(nn.Module):
    """Planes, the truth and globals to the logits of the value's bins, and the items' values."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        size = NetworkConfig(
            channels=config.critic_channels,
            convolutions=config.critic_convolutions,
            hidden=config.critic_hidden,
            planes=N_PLANES + TRUTH,
        )
        self.bins = Bins(config.bins, config.span)
        self.encoder = Encoder(size)
        self.body = nn.Linear(size.hidden, size.hidden)
        self.value = nn.Linear(size.hidden, len(self.bins))
        self.items = nn.Linear(size.hidden, N_GROUPS - 1)

    def forward(self, planes: Tensor, truth: Tensor, rows: Tensor) -> tuple[Tensor, Tensor]:
        """Return the value's logits (M, B) and the value of each group of items (M, G) in sigma."""
        table = self.encoder.table_features(torch.cat([planes, truth], 1), rows)
        body = torch.relu(self.body(table))
        logits = self.value(body).float()
        items = self.items(body).float()
        rest = self.bins.mean(logits)[:, None] - items.sum(1, keepdim=True)
        return logits, torch.cat([items, rest], 1)

    def expected(self, planes: Tensor, truth: Tensor, rows: Tensor) -> Tensor:
        """Return the expected payment (M,) float32 in sigma."""
        return self.bins.mean(self(planes, truth, rows)[0])


def begin_critic(critic: Critic, seed: int) -> None:
    """Give a critic first weights that expect nothing, give or take FIRST_SPREAD."""
    begin(critic, seed, {"value": 0.01, "items": 0.01})
    with torch.no_grad():
        critic.value.bias.copy_(-critic.bins.centres.abs() / (2 * FIRST_SPREAD))


def begin(module: nn.Module, seed: int, last: dict[str, float]) -> None:
    """Give a module orthogonal first weights and no offsets; `last` are gains of layers by name."""
    generator = torch.Generator().manual_seed(seed)
    for name, layer in _layers(module):
        nn.init.orthogonal_(layer.weight, last.get(name, math.sqrt(2)), generator)
        if layer.bias is not None:
            nn.init.zeros_(layer.bias)


def _layers(module: nn.Module) -> Iterator[tuple[str, nn.Linear | nn.Conv2d]]:
    for name, layer in module.named_modules():
        if isinstance(layer, nn.Linear | nn.Conv2d):
            yield name, layer
