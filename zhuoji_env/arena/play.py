"""Many deals in lockstep: each decision is put to the agent of its seat, in batches.

Nothing but the deal itself decides its course: its table seed, its seats' agents, and what those
make of each view. So the outcomes are the same for any number of tables and threads.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from threading import Event, Lock
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from zhuoji_env.actions import N_ACTIONS
from zhuoji_env.arena.entrants import Entrant, Player
from zhuoji_env.arena.luck import KEPT, note_draws, note_flips
from zhuoji_env.engine import tables as lookup
from zhuoji_env.engine.games import Games
from zhuoji_env.engine.kernel import kernel
from zhuoji_env.engine.layout import DONE, GAME, ITEMS, N_SEATS, PENG_MELD, VIEW
from zhuoji_env.engine.view import write_view
from zhuoji_env.errors import IllegalAction, ZhuojiError
from zhuoji_env.rules import Rules

# What is kept of a finished deal.
OUTCOME = np.dtype(
    [
        ("dealer", np.int8),
        ("end", np.int8),
        ("shooter", np.int8),
        ("n_discards", np.int8),
        ("winners", np.uint8),  # bit per seat
        ("ready", np.uint8, (4,)),
        ("baoting", np.uint8, (4,)),
        ("pengs", np.int8, (4,)),  # melds that ended as such
        ("kongs", np.int8, (4,)),
        ("draws", np.int8, (4,)),  # tiles drawn one at a time; the dealer's opening counts as one
        ("pattern", np.int8, (4,)),  # of a winner, an index into layout.PATTERNS; else -1
        ("fan", np.int32, (4,)),  # v(w) of a winner
        ("scores", np.int32, (4,)),  # points
        ("money", np.int32, (4, len(ITEMS))),  # points by the bill's items, in layout's order
        ("luck", np.float64, (4, KEPT)),  # as arena.luck has it, where it is asked for
    ],
    align=True,
)

Progress = Callable[[int, int], None]
# Is given the numbers of deals that have just ended, (k,) int64, and their outcomes, (k,) OUTCOME.
Landed = Callable[[NDArray[np.int64], NDArray[np.void]], None]
Tables = Any


class Deals(NamedTuple):
    """Deals to be played, n of them; a deal begins a session of its own, streak 1."""

    seeds: NDArray[np.uint64]  # (n,) table seeds: wall, dice and R2's dealer
    numbers: NDArray[np.int64]  # (n,) what tells an agent's draws apart
    seats: NDArray[np.int8]  # (n, 4) which agent plays each seat
    dealers: NDArray[np.int8]  # (n,) -1 leaves the dealer to R2


@kernel
def gather(
    games: Tables,
    rules: Tables,
    deals: NDArray[np.int64],
    seats: NDArray[np.int8],
    starts: NDArray[np.int64],
    order: NDArray[np.int64],
    views: Tables,
    legal: NDArray[np.bool_],
) -> None:
    """Write the acting seats' views and legal actions, the agents' decisions side by side.

    Table i plays deal deals[i], -1 for none. Agent k's are rows starts[k] to starts[k + 1];
    `order` names each row's table.
    """
    starts[:] = 0
    for i in range(games.shape[0]):
        if games[i].phase != DONE and deals[i] >= 0:
            starts[seats[deals[i], games[i].seat] + 1] += 1
    for k in range(1, starts.shape[0]):
        starts[k] += starts[k - 1]
    fill = starts.copy()
    for i in range(games.shape[0]):
        g = games[i]
        if g.phase != DONE and deals[i] >= 0:
            k = seats[deals[i], g.seat]
            row = fill[k]
            fill[k] = row + 1
            order[row] = i
            write_view(g, g.seat, rules[g.rules], views[row])
            for a in range(N_ACTIONS):
                legal[row, a] = g.legal >> a & 1


@kernel
def harvest(games: Tables, rules: Tables, tables: NDArray[np.int64], out: Tables) -> None:
    """Write the outcomes of some finished tables."""
    for j in range(tables.shape[0]):
        g, o = games[tables[j]], out[j]
        base = rules[g.rules].base
        o.dealer = g.dealer
        o.end = g.end
        o.shooter = g.shooter
        o.n_discards = g.n_discards
        o.winners = g.winners
        o.ready[:] = g.ready
        o.baoting[:] = g.baoting
        o.draws[:] = g.n_draws
        o.pattern[:] = g.pattern
        o.fan[:] = g.fan
        o.scores[:] = g.scores
        o.money[:] = 0
        for seat in range(N_SEATS):
            o.pengs[seat] = 0
            for i in range(g.n_melds[seat]):
                o.pengs[seat] += 1 if g.meld_type[seat, i] == PENG_MELD else 0
            o.kongs[seat] = g.n_melds[seat] - o.pengs[seat]
            for item in range(g.bill.shape[0]):
                for other in range(N_SEATS):
                    net = g.bill[item, other, seat] - g.bill[item, seat, other]
                    o.money[seat, item] += base * net


class _Board:
    """What the threads of one run share: deals not yet begun, outcomes, progress."""

    def __init__(self, deals: Deals, progress: Progress | None, landed: Landed | None) -> None:
        self.deals = deals
        self.outcomes: NDArray[np.void] = np.zeros(len(deals.seeds), OUTCOME)
        self.stop = Event()
        self._progress, self._landed = progress, landed
        self._lock = Lock()
        self._begun = 0
        self._ended = 0

    def take(self, n: int) -> NDArray[np.int64]:
        """Return the numbers of up to n deals to begin."""
        with self._lock:
            first = self._begun
            self._begun = min(first + n, len(self.deals.seeds))
            return np.arange(first, self._begun)

    def ended(self, deals: NDArray[np.int64], outcomes: NDArray[np.void]) -> None:
        """Keep the outcomes of some deals that have ended."""
        with self._lock:
            self.outcomes[deals] = outcomes
            self._ended += len(deals)
            if self._landed is not None:
                self._landed(deals, outcomes)
            if self._progress is not None:
                self._progress(self._ended, len(self.deals.seeds))


class _Hall:
    """One thread's tables, each dealt anew when its deal has ended."""

    def __init__(
        self, board: _Board, players: Sequence[Player], rules: Rules, n: int, luck: bool
    ) -> None:
        self.board, self.players = board, players
        self.needs = lookup.needs() if luck else None
        self.luck: NDArray[np.float64] = np.zeros((n, N_SEATS, KEPT))
        self.scratch: NDArray[np.void] = np.zeros(1, GAME)
        self.drawn: NDArray[np.int64] = np.zeros(n, np.int64)
        self.games = Games(n, rules)
        self.deal: NDArray[np.int64] = np.full(n, -1)
        self.starts: NDArray[np.int64] = np.zeros(len(players) + 1, np.int64)
        self.order: NDArray[np.int64] = np.zeros(n, np.int64)
        self.views: NDArray[np.void] = np.zeros(n, VIEW)
        self.legal: NDArray[np.bool_] = np.zeros((n, N_ACTIONS), np.bool_)
        self.actions: NDArray[np.int64] = np.zeros(n, np.int64)

    def play(self) -> None:
        """Play until no deal is left."""
        self.seat_deals(np.arange(len(self.games)))
        while np.any(self.deal >= 0) and not self.board.stop.is_set():
            self.decide()
            over = np.flatnonzero(self.games.done & (self.deal >= 0))
            if len(over):
                out = np.zeros(len(over), OUTCOME)
                harvest(self.games.state, self.games.records, over, out)
                if self.needs is not None:
                    games = self.games
                    note_flips(
                        games.state, games.records, games.wins, over, self.scratch, self.luck
                    )
                    out["luck"] = self.luck[over]
                self.board.ended(self.deal[over], out)
                self.seat_deals(over)

    def seat_deals(self, tables: NDArray[np.int64]) -> None:
        """Begin new deals at some tables, as far as there are any; the others stay empty."""
        taken = self.board.take(len(tables))
        deals, state = self.board.deals, self.games.state
        self.deal[tables] = -1
        state["phase"][tables] = DONE
        if len(taken) == 0:
            return
        tables = tables[: len(taken)]
        self.deal[tables] = taken
        state["seed"][tables] = deals.seeds[taken]
        state["deal"][tables] = -1
        where = np.zeros(len(self.games), np.bool_)
        where[tables] = True
        dealers = deals.dealers[taken]
        self.games.reset(where, dealers=None if dealers.min() < 0 else dealers)
        self.luck[tables] = 0
        self.drawn[tables] = state["n_draws"][tables].sum(axis=1)

    def decide(self) -> None:
        """Ask each player for the decisions at its seats, and play them."""
        games, deals = self.games, self.board.deals
        gather(
            *(games.state, games.records, self.deal, deals.seats),
            *(self.starts, self.order, self.views, self.legal),
        )
        for k, player in enumerate(self.players):
            rows = slice(self.starts[k], self.starts[k + 1])
            tables = self.order[rows]
            if len(tables):
                numbers = deals.numbers[self.deal[tables]]
                self.actions[tables] = player.ask(self.views[rows], self.legal[rows], numbers)
        try:
            games.step(self.actions)
        except IllegalAction as error:
            deal = self.deal[error.table]
            name = self.players[deals.seats[deal, error.seat]].name
            raise ZhuojiError(f"agent {name!r}, deal {deal}: {error}") from error
        if self.needs is not None:
            note_draws(games.state, self.drawn, self.luck, self.needs)


def play(
    deals: Deals,
    entrants: Sequence[Entrant],
    rules: Rules,
    *,
    seed: int,
    threads: int,
    tables: int,
    progress: Progress | None = None,
    landed: Landed | None = None,
    luck: bool = False,
) -> NDArray[np.void]:
    """Play every deal and return its outcome: (n,) OUTCOME records, in the order of the deals.

    `luck` has the luck of draws and flips in the outcomes. Each thread plays at up to `tables`
    tables; `progress(ended, n)` and `landed(deals, outcomes)` are called by any of them, one at a
    time. Raises ZhuojiError naming the agent that plays an illegal action.
    """
    board = _Board(deals, progress, landed)
    n = max(1, min(tables, -(-len(deals.seeds) // threads)))
    halls = []
    for _ in range(threads):
        players = [entrant.player() for entrant in entrants]
        for player in players:
            player.reset(n, seed)
        halls.append(_Hall(board, players, rules, n, luck))
    if threads == 1:
        halls[0].play()
        return board.outcomes
    with ThreadPoolExecutor(threads) as pool:
        try:
            for job in as_completed([pool.submit(hall.play) for hall in halls]):
                job.result()
        finally:
            board.stop.set()
    return board.outcomes
