"""A session played by four agents, deal by deal, as records."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from zhuoji_env import observation
from zhuoji_env.engine.games import Games
from zhuoji_env.engine.layout import N_SEATS
from zhuoji_env.errors import ZhuojiError
from zhuoji_env.record.recorder import Recorder
from zhuoji_env.rules.ruleset import Source


class Player(Protocol):
    """What playing asks of an agent; `baselines.Agent` says what the arguments are."""

    def reset(self, n: int, seed: int) -> None: ...

    def act(
        self, views: NDArray[np.void], legal: NDArray[np.bool_], observations: Any
    ) -> NDArray[np.integer[Any]]: ...


def play_out(
    rules: Source, deals: int, agents: Sequence[Player], seed: int = 0, names: Sequence[str] = ()
) -> Iterator[dict[str, Any]]:
    """Play a session of some deals, dealer and streak carried on, and yield a record a deal.

    `agents` are the four seats', each with a seed of its own that follows from `seed`, as the
    walls do; `names` goes into the records. Raises IllegalAction for what an agent must not do.
    """
    if len(agents) != N_SEATS:
        raise ZhuojiError(f"{len(agents)} agents given; allowed: {N_SEATS}, one a seat")
    games = Games(1, rules=rules, seed=seed)
    for agent, own in zip(agents, np.random.SeedSequence(seed).spawn(N_SEATS), strict=True):
        agent.reset(1, int(own.generate_state(1)[0]))
    recorder = Recorder(games)
    games.reset()
    told: dict[str, Any] = {"agents": list(names)} if names else {}
    for deal in range(deals):
        if deal:
            games.next_deal()
        while not games.done[0]:
            agent = agents[games.seat[0]]
            seen = observation.observe(games) if _needs_observations(agent) else None
            chosen = np.asarray(agent.act(games.view(), games.legal, seen))
            if chosen.shape != (1,) or chosen.dtype.kind not in "iu":
                raise ZhuojiError(
                    f"the agent at seat {games.seat[0]} gave {chosen.dtype} of shape "
                    f"{chosen.shape}; allowed: integers of shape (1,)"
                )
            recorder.step(chosen)
        yield recorder.record(0, seed=seed, **told)


def _needs_observations(agent: Player) -> bool:
    return bool(getattr(agent, "needs_observations", False))
