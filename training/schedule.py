"""How a learning rate falls over a run."""

import math


def falling(first: float, last: float, progress: float) -> float:
    """Return what lies between two rates when a share `progress` is done: half a cosine wave."""
    wave = 0.5 + 0.5 * math.cos(math.pi * min(1.0, progress))
    return last + (first - last) * wave
