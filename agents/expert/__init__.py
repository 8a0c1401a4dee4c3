"""The expert: it takes the action of the greatest expected value, priced by the ruleset in play.

For each legal action it weighs what the hand may still become (`routes`, over `progress`), what
kongs and chickens collect (`money`) and what a discard may cost (`danger`). What it believes of
others is in a config (`parameters`). Styles are the same player with other parameters.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from agents import STYLES
from agents.expert import parameters
from agents.expert.deciding import WORK, score
from agents.expert.parameters import CONFIGS, Parameters
from zhuoji_env.actions import N_ACTIONS
from zhuoji_env.engine import tables as lookup
from zhuoji_env.engine.layout import VIEW
from zhuoji_env.errors import ZhuojiError

__all__ = ["Expert", "Parameters", "make"]


# Decimals of a fan to which actions are told apart: what the last bits say differs by machine.
EQUAL = 9


class Expert:
    """A player by expected value. It reads VIEW records alone and draws nothing at random."""

    needs_observations: ClassVar[bool] = False
    thread_safe: ClassVar[bool] = True

    def __init__(self, chosen: Parameters, name: str = "expert") -> None:
        self.name, self.parameters = name, chosen
        self._record: NDArray[np.void] = np.atleast_1d(chosen.record())

    def reset(self, n: int, seed: int) -> None:
        """Do nothing: equal views, equal play."""

    def scores(self, views: NDArray[np.void]) -> NDArray[np.float64]:
        """Return what each action comes to, (n, 58) in fan, -inf for illegal ones."""
        if views.dtype != VIEW or views.ndim != 1:
            raise ValueError(
                f"views are {views.dtype.kind!r} of shape {views.shape}; see Games.view"
            )
        out = np.empty((len(views), N_ACTIONS))
        work = np.zeros(1, WORK)
        score(views, self._record, work, lookup.needs(), lookup.wins(), out)
        return out

    def act(
        self,
        views: NDArray[np.void],
        legal: NDArray[np.bool_] | None = None,
        observations: Any = None,
        tables: NDArray[np.int64] | None = None,
    ) -> NDArray[np.int64]:
        """Return an action per view, (k,) int64: the best, the lowest of equals."""
        best: NDArray[np.int64] = self.scores(views).round(EQUAL).argmax(1)
        return best

    def __repr__(self) -> str:
        return f"<Expert {self.name}>"


def make(name: str = "expert", *, config: str | Path | None = None) -> Expert:
    """Return the expert or one of its styles, from its config or the one given.

    Raises ZhuojiError for an unknown name or a config that cannot be read.
    """
    if name not in STYLES:
        raise ZhuojiError(f"unknown style {name!r}; allowed: {', '.join(STYLES)}")
    return Expert(parameters.load(Path(config or CONFIGS / f"{name}.yaml")), name)
