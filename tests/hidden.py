"""What a seat cannot see, dealt anew: for tests that nothing hidden shows."""

from __future__ import annotations

import numpy as np

from zhuoji_env.engine.games import Games
from zhuoji_env.engine.layout import CLAIM, N_SEATS, NO_ANSWER, ROB, SAID_HU


def redealt(games: Games, viewer: int, rng: np.random.Generator) -> Games:
    """A copy of a batch whose hidden tiles, as `viewer` sees it, and other answers are shuffled.

    Open tiles, sizes of hands and whose turn it is stay; what follows from hidden tiles alone
    (other seats' waits, suit keys, marks, late kongs) is filled with noise.
    """
    other = games.copy()
    for g in other.state:
        hidden = [seat for seat in range(N_SEATS) if seat != viewer]
        sizes = [int(g["hand"][seat].sum()) for seat in hidden]
        wall = slice(int(g["head"]), int(g["tail"]))
        held = [np.repeat(np.arange(27), g["hand"][seat]) for seat in hidden]
        pool = rng.permutation(np.concatenate([*held, g["wall"][wall]]))
        for seat, size in zip(hidden, sizes, strict=True):
            g["hand"][seat] = np.bincount(pool[:size], minlength=27)
            pool = pool[size:]
            g["waits"][seat] = rng.integers(1 << 27)
            g["key"][seat] = rng.integers(5**9, size=3)
            g["marked"][seat] = rng.integers(2)
            g["dealt_quad"][seat] = rng.integers(1 << 27)
            g["meld_late"][seat] = rng.integers(2, size=4)
            if g["phase"] in (CLAIM, ROB):
                g["answer"][seat] = rng.integers(NO_ANSWER, SAID_HU + 1)
        g["wall"][wall] = pool
        if g["phase"] in (CLAIM, ROB):
            g["may_hu"] = rng.integers(1 << N_SEATS)
            g["claimer"] = rng.integers(-1, N_SEATS)
    return other
