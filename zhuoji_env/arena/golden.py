"""Golden decisions: what an agent does in fixed views, as a digest that a release can be held to.

The views are the same in every release as long as the engine deals and `greedy` plays alike: greedy
play with every eighth decision a random one, under several rulesets, and only where there is a
choice. An agent is asked with seed 0 and the views' places as its tables.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from hashlib import sha256
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from zhuoji_env.actions import BAOTING
from zhuoji_env.arena.entrants import Entrant, Source
from zhuoji_env.asking import legal_of
from zhuoji_env.baselines import make
from zhuoji_env.engine.games import Games
from zhuoji_env.engine.layout import VIEW
from zhuoji_env.engine.wall import table_seeds
from zhuoji_env.errors import ZhuojiError

VIEWS = 10_000
DIGITS = 16
# Deals that are played for each ruleset; they hold about 6,000 choices.
_DEALS = 128
# Baoting is offered in the first turns, and in three deals of a hundred.
_OPENINGS, _OPENING_STEPS = 2048, 8
_SEED, _STRAY = 20, 8


def views(presets: Sequence[str], n: int = VIEWS) -> NDArray[np.void]:
    """Return fixed views in which there is a choice, as many of each preset: (n,) VIEW."""
    out = np.zeros(n, VIEW)
    bounds = np.linspace(0, n, len(presets) + 1).astype(int)
    for preset, first, last in zip(presets, bounds, bounds[1:], strict=False):
        met = _met(preset)
        out[first:last] = met[np.linspace(0, len(met) - 1, last - first).astype(int)]
    return out


@cache
def _met(preset: str) -> NDArray[np.void]:
    """Return the choices of some deals, and those between baoting and not of many more openings."""
    choices = np.concatenate([*_played(preset, _DEALS)])
    opening = np.concatenate([*islice(_played(preset, _OPENINGS), _OPENING_STEPS)])
    met = np.concatenate([choices, opening[opening["legal"] >> BAOTING & 1 == 1]])
    real: NDArray[np.void] = met[met["legal"] & (met["legal"] - 1) != 0]
    return real


def _played(preset: str, deals: int) -> Iterator[NDArray[np.void]]:
    """Yield the views of some deals at every step until all have ended."""
    games, greedy = Games(deals, preset, seed=_SEED), make("greedy")
    games.reset()
    states, tables = table_seeds(_SEED, deals), np.arange(deals)
    step = 0
    while not games.done.all():
        shown = games.view()
        yield shown
        strays = (tables + step) % _STRAY == 0
        games.step(np.where(strays, games.sample(states), greedy.act(shown)))
        step += 1


def digest(agent: Source, shown: NDArray[np.void]) -> str:
    """Return the digest of an agent's decisions in some views; ZhuojiError for an illegal one."""
    entrant = Entrant(agent)
    player = entrant.player()
    player.reset(len(shown), 0)
    legal = legal_of(shown)
    chosen = player.ask(shown, legal, np.arange(len(shown)))
    if not np.all(legal[np.arange(len(shown)), chosen]):
        raise ZhuojiError(f"agent {entrant.name!r} plays an illegal action in a golden view")
    return sha256(chosen.astype(np.int8).tobytes()).hexdigest()[:DIGITS]
