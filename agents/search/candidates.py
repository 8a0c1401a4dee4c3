"""Which actions are worth a search: the base's own, then those that a quick look ranks highest."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from zhuoji_env.actions import N_ACTIONS
from zhuoji_env.asking import legal_of
from zhuoji_env.baselines import Agent
from zhuoji_env.engine import tables as suit_tables
from zhuoji_env.engine.distance import distances_left, lowering_kinds
from zhuoji_env.engine.hand import POW5
from zhuoji_env.engine.kernel import kernel

Views = NDArray[np.void]
NONE = -1
# One tile farther from a win outweighs any number of unseen copies.
STEP = 128.0
# Whatever is no discard is looked at: there are few of them, and much hangs on each.
OTHERS = 1e6


@kernel
def _look(views: Any, needs: Any, out: NDArray[np.float64]) -> None:
    """Score legal actions: no discard first, then discards by distance and unseen copies."""
    left = np.empty(27, np.int8)
    for i in range(views.shape[0]):
        v = views[i]
        out[i] = -np.inf
        for action in range(27, out.shape[1]):
            if v.legal >> action & 1:
                out[i, action] = OTHERS
        if v.legal & ((1 << 27) - 1) == 0:
            continue
        pairs = v.n_melds[0] == 0 and v.rules.hand_qi_dui >= 0
        distances_left(v.key[0], v.key[1], v.key[2], v.n_melds[0], pairs, needs, left)
        for kind in range(27):
            if v.legal >> kind & 1:
                less = POW5[kind % 9]
                helping = lowering_kinds(
                    v.key[0] - (less if kind < 9 else 0),
                    v.key[1] - (less if 9 <= kind < 18 else 0),
                    v.key[2] - (less if kind >= 18 else 0),
                    v.n_melds[0],
                    pairs,
                    needs,
                )
                out[i, kind] = -STEP * left[kind]
                for other in range(27):
                    if helping >> other & 1:
                        out[i, kind] += v.unseen[other]


def quick_look(views: Views) -> NDArray[np.float64]:
    """Return how promising actions look by shape alone: (n, 58) float64, -inf where illegal."""
    out = np.empty((len(views), N_ACTIONS))
    _look(views, suit_tables.needs(), out)
    return out


def shortlist(base: Agent, views: Views, chosen: NDArray[np.int64], most: int) -> NDArray[np.int64]:
    """Return up to `most` legal actions per view: (n, most) int64, NONE beyond the last.

    The first is the base's choice; the rest are ranked by its `scores(views)` (n, 58), if it has
    such, else by a quick look.
    """
    ranked = getattr(base, "scores", quick_look)(views).astype(np.float64)
    legal = legal_of(views)
    ranked[~legal] = -np.inf
    ranked[np.arange(len(views)), chosen] = np.inf
    order = np.argsort(-ranked, axis=1, kind="stable")[:, :most]
    found = np.take_along_axis(legal, order, axis=1)
    return np.where(found, order, NONE)
