"""The exchange of characters and dots, under which the rules stand: data augmentation.

It holds while no switch names a dot: `ji.wu_gu` (8p) and `ji.chui_feng` (5p) are off.
"""

import numpy as np
from numpy.typing import NDArray

from zhuoji_env.actions import GANG, N_ACTIONS
from zhuoji_env.observation.channels import GLOBAL_AT, N_GLOBALS
from zhuoji_env.rules import Rules
from zhuoji_env.tiles import N_KINDS, N_RANKS

_M, _P, _S = (np.arange(suit * N_RANKS, (suit + 1) * N_RANKS) for suit in range(3))
KINDS: NDArray[np.int64] = np.concatenate([_P, _M, _S])
"""Kind -> the kind that it is exchanged for: (27,)."""

ACTIONS: NDArray[np.int64] = np.arange(N_ACTIONS)
"""Action -> the action that it is exchanged for: (58,)."""
ACTIONS[:N_KINDS] = KINDS
ACTIONS[GANG : GANG + N_KINDS] = GANG + KINDS

_GLOBALS = np.arange(N_GLOBALS)
_GLOBALS[[GLOBAL_AT["to_suit_m"], GLOBAL_AT["to_suit_p"]]] = (
    GLOBAL_AT["to_suit_p"],
    GLOBAL_AT["to_suit_m"],
)


def exchangeable(rules: Rules) -> bool:
    """Whether characters and dots may be exchanged under a ruleset."""
    return rules.ji.wu_gu == 0 and not rules.ji.chui_feng


def swap_planes(planes: NDArray[np.int8]) -> NDArray[np.int8]:
    """Return planes (..., 27) of the exchanged position."""
    return planes[..., KINDS]


def swap_globals(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return globals (..., G), full or cheap, of the exchanged position."""
    return rows[..., _GLOBALS[: rows.shape[-1]]]


def swap_actions(values: NDArray[np.generic]) -> NDArray[np.generic]:
    """Return values by action, (..., 58) such as masks or logits, of the exchanged position."""
    return values[..., ACTIONS]
