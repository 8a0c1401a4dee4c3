"""An open table: four agents, every order of seats, each with its own mean and interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zhuoji_env.arena import contest, entrants, stats
from zhuoji_env.arena.contest import TABLES, Contest
from zhuoji_env.arena.luck import LEAST_BLOCKS, Reduced, controls, reduced, without
from zhuoji_env.arena.panel import Figures, figures
from zhuoji_env.arena.play import Progress
from zhuoji_env.arena.seating import OPEN, open_seats
from zhuoji_env.arena.stats import Interval
from zhuoji_env.arena.tally import Tally
from zhuoji_env.engine.layout import N_SEATS
from zhuoji_env.errors import ZhuojiError
from zhuoji_env.rules import Rules
from zhuoji_env.rules.ruleset import Source


@dataclass(frozen=True)
class TableResult:
    """What four agents came to at one table, in points per deal.

    `points[k]` is agent k's mean with its 95% interval over the independent blocks, `per_block`
    (blocks, 4) float64 with rows that add up to zero, `panels[k]` its figures. `reduced[k]` are
    its points less luck, if asked.
    """

    agents: tuple[str, ...]
    rules: Rules
    blocks: int
    deals: int
    seed: int
    interval: str
    points: tuple[Interval, ...]
    per_block: NDArray[np.float64]
    panels: tuple[Figures, ...]
    reduced: tuple[Reduced, ...] | None = None

    def to_dict(self, per_block: bool = False) -> dict[str, Any]:
        """Return everything as JSON takes it; the blocks only if asked."""
        told: dict[str, Any] = {
            "format": "zhuoji-table/1",
            "rules": self.rules.to_overrides(),
            "rules_name": self.rules.name,
            "rules_fingerprint": self.rules.fingerprint,
            "layout": OPEN,
            "blocks": self.blocks,
            "deals": self.deals,
            "seed": self.seed,
            "interval": self.interval,
            "level": stats.LEVEL,
            "agents": [
                {"agent": name, **points._asdict(), "panel": figures}
                for name, points, figures in zip(self.agents, self.points, self.panels, strict=True)
            ],
        }
        if self.reduced is not None:
            for agent, less in zip(told["agents"], self.reduced, strict=True):
                agent["reduced"] = less._asdict()
        if per_block:
            told["per_block"] = self.per_block.tolist()
        return told


def table(
    agents: Sequence[entrants.Source],
    rules: Source = "guiyang",
    blocks: int = 500,
    seed: int = 0,
    *,
    interval: str = "t",
    threads: int = 1,
    tables: int = TABLES,
    reduce: bool = False,
    progress: Progress | None = None,
) -> TableResult:
    """Seat four agents at one table and return each one's points per deal, with intervals.

    A block is one wall and one dealer with streak 1, dealt anew for each of the 24 orders of the
    agents; arguments are those of `match`, and the blocks' walls are the same. `reduce` estimates
    the same means from scores without the luck of draws and flips. Raises ZhuojiError.
    """
    contest.check(blocks=(blocks, 2), threads=(threads, 1), tables=(tables, 1), seed=(seed, 0))
    if reduce:
        contest.check(blocks=(blocks, LEAST_BLOCKS))
    if len(agents) != N_SEATS:
        raise ZhuojiError(f"an open table has {len(agents)} agents; allowed: {N_SEATS}")
    stats.need_scipy()
    ruleset = Rules.load(rules)
    games = Contest(
        contest.entrants(tuple(agents)),
        open_seats(),
        seed=seed,
        threads=threads,
        tables=tables,
        luck=reduce,
    )
    outcomes = games.play(ruleset, np.arange(blocks), progress=progress)
    tallies = games.tallies(outcomes)
    return TableResult(
        agents=tuple(entrant.name for entrant in games.entrants),
        rules=ruleset,
        blocks=blocks,
        deals=len(outcomes),
        seed=seed,
        interval=interval,
        points=tuple(stats.interval(one.points, interval, seed) for one in tallies),
        per_block=np.stack([one.points for one in tallies], axis=1),
        panels=tuple(figures(one) for one in tallies),
        reduced=_reduced(games, outcomes, tallies, interval) if reduce else None,
    )


def _reduced(
    games: Contest, outcomes: NDArray[np.void], tallies: Sequence[Tally], interval: str
) -> tuple[Reduced, ...]:
    blocks = len(outcomes) // len(games.seats)
    seats = games.all_seats(blocks)
    left = [
        without(one.points, controls(outcomes["luck"], seats, agent, blocks))
        for agent, one in enumerate(tallies)
    ]
    return tuple(
        reduced(one.points, less, interval, games.seed)
        for one, less in zip(tallies, left, strict=True)
    )
