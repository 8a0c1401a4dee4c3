"""How many worlds a stage of a search gets: a fixed number, or what the clock allows."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

Sizes = Callable[[int], Iterator[int]]
"""Given a stage, the sizes of its rounds in worlds; asked for the next when one has been played."""

# Worlds of the first round, from which the speed of the next is known.
FIRST = 8


def by_worlds(worlds: int, stages: int) -> Sizes:
    """One round a stage, each with twice the worlds of the one before, together `worlds`.

    Half the actions stay at each stage, so that all stages take about as long.
    """
    bounds = [worlds * (2**stage - 1) // (2**stages - 1) for stage in range(stages + 1)]

    def sizes(stage: int) -> Iterator[int]:
        n = bounds[stage + 1] - bounds[stage]
        if n:
            yield n

    return sizes


def by_time(seconds: float, stages: int, at_once: int) -> Sizes:
    """Rounds until the time from now is spent, the stages' shares alike.

    The clock is looked at between rounds, whose sizes follow from the speed of those before; none
    is begun that would not end in time as far as that tells.
    """
    begun = time.perf_counter()
    least, per_world = 0.0, 0.0

    def sizes(stage: int) -> Iterator[int]:
        nonlocal least, per_world
        end = begun + seconds * (stage + 1) / stages
        while (now := time.perf_counter()) + least < end:
            n = min(at_once, max(1, int((end - now) / per_world))) if per_world else FIRST
            yield n
            spent = time.perf_counter() - now
            least = min(least, spent) if least else spent
            per_world = spent / n

    return sizes
