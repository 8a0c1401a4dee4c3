"""The size of a network, known to torch's networks and to those that do without."""

from __future__ import annotations

from dataclasses import dataclass

from zhuoji_env import observation
from zhuoji_env.errors import ZhuojiError
from zhuoji_env.tiles import N_KINDS

# What a policy file may ask for: far above any use, low enough to refuse a forged size.
MAX_WIDTH = 4096
LIMITS = {"convolutions": (1, 64), "value": (0, 1), "prepared": (0, 1)}


@dataclass(frozen=True)
class NetworkConfig:
    """The size of a network; a policy file carries it."""

    # Features of a kind after each convolution.
    channels: int = 32
    # Convolutions over ranks, three wide.
    convolutions: int = 2
    # Features of the whole table.
    hidden: int = 128
    # Rows of the observation it was built for.
    planes: int = observation.N_PLANES
    globals: int = observation.N_GLOBALS
    # Whether it has a value head of its own: 1, or 0 where a critic apart fitted it.
    value: int = 1
    # Whether planes are brought to about 1, and the discards that leave the least distance marked.
    prepared: int = 1

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            least, most = LIMITS.get(name, (1, MAX_WIDTH))
            if type(value) is not int or not least <= value <= most:
                raise ZhuojiError(f"network.{name} is {value!r}; allowed: integers {least}..{most}")

    @property
    def features(self) -> int:
        """Numbers that the encoder gives for a position."""
        return self.channels * N_KINDS + self.hidden
