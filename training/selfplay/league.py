"""The learner's past selves: copies kept, and which of them a shard meets in an update."""

from __future__ import annotations

import numpy as np
from torch import Tensor

Weights = dict[str, Tensor]
# Families of draws, apart from each other.
KEEP, MEET = 1, 2


def draw(seed: int, family: int, *numbers: int, below: int) -> int:
    """Return a number in 0..below-1, a function of what is given alone."""
    generator = np.random.Philox(np.random.SeedSequence([seed, family, *numbers]))
    return int(np.random.Generator(generator).integers(below))


class League:
    """Up to `size` past copies of the actor.

    Once it is full a new copy takes the place of any, drawn evenly: so the copies' ages thin out
    towards the past and early ones stay for long.
    """

    def __init__(self, size: int, seed: int) -> None:
        self.size, self.seed = size, seed
        self.copies: list[Weights] = []

    def add(self, weights: Weights, update: int) -> None:
        """Keep a copy of the actor as it stands after some update."""
        copied = {name: tensor.detach().to("cpu", copy=True) for name, tensor in weights.items()}
        if len(self.copies) < self.size:
            self.copies.append(copied)
        else:
            self.copies[draw(self.seed, KEEP, update, below=self.size)] = copied

    def meet(self, update: int, shard: int) -> Weights:
        """Return the copy that a shard's past seats play in an update."""
        return self.copies[draw(self.seed, MEET, update, shard, below=len(self.copies))]
