"""What a learner is shown: named planes over the 27 kinds and named globals, from VIEW records.

Seats are relative to the viewer: 0 self, 1 next in order of play, 2 across, 3 before. `PLANES` and
`GLOBALS` name every row, its range and its meaning; a trained policy records `VERSION`. The cheap
set leaves out the last rows of both, the distances and dangers.
"""

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from zhuoji_env.engine import arguments as given
from zhuoji_env.engine import batch, tables
from zhuoji_env.engine.games import Games
from zhuoji_env.engine.kernel import kernel
from zhuoji_env.engine.layout import VIEW
from zhuoji_env.observation.channels import (
    CHEAP_GLOBALS,
    CHEAP_PLANES,
    GLOBALS,
    N_CHANNELS,
    N_GLOBALS,
    N_ORACLE,
    N_PLANES,
    N_RECENT,
    N_SWITCHES,
    ORACLE,
    ORACLE_TILES,
    PLANES,
    SEATS,
    Channel,
)
from zhuoji_env.observation.planning import write_danger, write_progress, write_routes
from zhuoji_env.observation.writing import (
    rules_scale,
    write_globals,
    write_oracle,
    write_planes,
)

__all__ = [
    "CHEAP_GLOBALS",
    "CHEAP_PLANES",
    "GLOBALS",
    "N_CHANNELS",
    "N_GLOBALS",
    "N_ORACLE",
    "N_PLANES",
    "N_RECENT",
    "N_SWITCHES",
    "ORACLE",
    "ORACLE_TILES",
    "PLANES",
    "SEATS",
    "VERSION",
    "Arrays",
    "Channel",
    "Lookout",
    "bounds",
    "observe",
    "of_views",
    "rules_scale",
    "stack",
]

VERSION = 2
Rows = Literal["all", "cheap"]
_SCALE = rules_scale()


@kernel
def _write_cheap(
    views: Any,
    codes: NDArray[np.int32],
    scale: NDArray[np.float32],
    planes: NDArray[np.int8],
    globals_: NDArray[np.float32],
) -> None:
    for i in range(views.shape[0]):
        write_planes(views[i], planes[i])
        write_globals(views[i], codes[i], scale, globals_[i])


@kernel
def _write_dear(
    views: Any,
    needs: NDArray[np.uint64],
    planes: NDArray[np.int8],
    globals_: NDArray[np.float32],
) -> None:
    left = np.empty(27, np.int8)
    ways = np.empty(27, np.int64)
    for i in range(views.shape[0]):
        write_routes(views[i], needs, globals_[i])
        write_progress(views[i], needs, left, planes[i])
        write_danger(views[i], ways, planes[i])


Arrays = tuple[NDArray[np.int8], NDArray[np.float32]]


def of_views(views: NDArray[np.void], out: Arrays | None = None, rows: Rows = "all") -> Arrays:
    """Return planes (N, P, 27) int8 and globals (N, G) float32 of VIEW records.

    `rows="cheap"` leaves out the last rows of both (P = `CHEAP_PLANES`, G = `CHEAP_GLOBALS`).
    """
    if out is None:
        out = _arrays(len(views), rows)
    given.buffer("views", views, (len(views),), VIEW)
    _check(out, len(views), rows, oracle=False)
    codes = views["rules"].view((np.int32, N_SWITCHES))
    _write_cheap(views, codes, _SCALE, out[0], out[1])
    if rows == "all":
        _write_dear(views, tables.needs(), out[0], out[1])
    return out


class Lookout:
    """A small batch's views and observations, written into buffers of its own again and again.

    For faces that look at few tables often: what they hand over is theirs, so nothing is checked.
    `views` (N,) VIEW, `planes` (N, P, 27) int8 and `globals` (N, G) float32 are overwritten by
    every look. A copy or pickle is a fresh one: its buffers must share nothing.
    """

    def __init__(self, n: int) -> None:
        self.views: NDArray[np.void] = np.zeros(n, VIEW)
        self.planes, self.globals = _arrays(n, "all")
        self._codes = self.views["rules"].view((np.int32, N_SWITCHES))
        self._needs = tables.needs()

    def __reduce__(self) -> tuple[type, tuple[int]]:
        return Lookout, (len(self.views),)

    def look(self, games: Games, seats: NDArray[np.int8]) -> None:
        """Look at N tables from `seats` (N,) int8, each 0..3."""
        batch.views(games.state, games.records, seats, self.views)
        _write_cheap(self.views, self._codes, _SCALE, self.planes, self.globals)
        _write_dear(self.views, self._needs, self.planes, self.globals)


def observe(
    games: Games,
    out: Any = None,
    *,
    seats: ArrayLike | None = None,
    oracle: bool = False,
    rows: Rows = "all",
) -> Any:
    """Return what the acting seats (or `seats`, (N,)) of a batch are shown.

    Planes (N, P, 27) int8 and globals (N, G) float32, rows named by `PLANES` and `GLOBALS`, or the
    cheap ones alone; with `oracle` also the hidden truth (N, H, 27) int8, rows named by `ORACLE`,
    as a third array apart, for critics and auxiliary targets only. `out` is a tuple of such arrays
    to write into.
    """
    viewers = games.viewers(seats)
    views = np.empty(len(games), VIEW)
    games.view(views, seats=viewers)
    arrays = out
    if out is None:
        arrays = _arrays(len(games), rows)
        if oracle:
            arrays = (*arrays, np.empty((len(games), N_ORACLE, 27), np.int8))
    _check(arrays, len(games), rows, oracle)
    games.each(lambda p: of_views(views[p], (arrays[0][p], arrays[1][p]), rows))
    if oracle:
        games.each(lambda p: write_oracle(games.state[p], viewers[p], arrays[2][p]))
    return arrays


def _shapes(n: int, rows: Rows) -> tuple[tuple[int, int, int], tuple[int, int]]:
    if rows not in ("all", "cheap"):
        raise ValueError(f"rows is {rows!r}; allowed: 'all', 'cheap'")
    if rows == "cheap":
        return (n, CHEAP_PLANES, 27), (n, CHEAP_GLOBALS)
    return (n, N_PLANES, 27), (n, N_GLOBALS)


def _arrays(n: int, rows: Rows) -> Arrays:
    planes, globals_ = _shapes(n, rows)
    return np.empty(planes, np.int8), np.empty(globals_, np.float32)


def _check(out: Any, n: int, rows: Rows, oracle: bool) -> None:
    """Refuse buffers that the kernels would write past."""
    names = ("planes", "globals", "hidden") if oracle else ("planes", "globals")
    if not isinstance(out, tuple | list) or len(out) != len(names):
        raise ValueError(f"out is {type(out).__name__}; allowed: a tuple of {', '.join(names)}")
    planes, globals_ = _shapes(n, rows)
    given.buffer("out: planes", out[0], planes, np.dtype(np.int8))
    given.buffer("out: globals", out[1], globals_, np.dtype(np.float32))
    if oracle:
        given.buffer("out: hidden", out[2], (n, N_ORACLE, 27), np.dtype(np.int8))


def stack(planes: NDArray[np.int8], rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return one float32 array (N, P + G, 3, 9): the planes by suit, the globals broadcast."""
    n, p, g = len(planes), planes.shape[1], rows.shape[1]
    out = np.empty((n, p + g, 3, 9), np.float32)
    out[:, :p] = planes.reshape(n, p, 3, 9)
    out[:, p:] = rows[:, :, None, None]
    return out


def bounds() -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return the lowest and highest values of a stacked observation: two (C, 3, 9) float32."""
    channels = (*PLANES, *GLOBALS)
    low = np.array([c.low for c in channels], np.float32)
    high = np.array([c.high for c in channels], np.float32)
    shape = (N_CHANNELS, 3, 9)
    return (
        np.broadcast_to(low[:, None, None], shape).copy(),
        np.broadcast_to(high[:, None, None], shape).copy(),
    )


Games.observer = staticmethod(observe)
