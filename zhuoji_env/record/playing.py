"""A session played by four agents, deal by deal, as records."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from zhuoji_env.asking import Player, name_of
from zhuoji_env.baselines import Agent
from zhuoji_env.engine.games import Games
from zhuoji_env.engine.layout import N_SEATS
from zhuoji_env.errors import ZhuojiError
from zhuoji_env.record.recorder import Recorder
from zhuoji_env.rules.ruleset import Source


def play_out(
    rules: Source, deals: int, agents: Sequence[Agent], seed: int = 0, names: Sequence[str] = ()
) -> Iterator[dict[str, Any]]:
    """Play a session of some deals, dealer and streak carried on, and yield a record a deal.

    `agents` are the four seats', each with a seed of its own that follows from `seed`, as the
    walls do; `names` goes into the records. Raises IllegalAction for what an agent must not do.
    """
    if len(agents) != N_SEATS:
        raise ZhuojiError(f"{len(agents)} agents given; allowed: {N_SEATS}, one a seat")
    games = Games(1, rules=rules, seed=seed)
    players = [Player(name_of(agent), agent) for agent in agents]
    for player, own in zip(players, np.random.SeedSequence(seed).spawn(N_SEATS), strict=True):
        player.reset(1, int(own.generate_state(1)[0]))
    recorder = Recorder(games)
    games.reset()
    told: dict[str, Any] = {"agents": list(names)} if names else {}
    for deal in range(deals):
        if deal:
            games.next_deal()
        while not games.done[0]:
            player = players[games.seat[0]]
            recorder.step(player.ask(games.view(), games.legal))
        yield recorder.record(0, seed=seed, **told)
