"""What a ladder's blocks say: the cross-table, Bradley–Terry strengths, OpenSkill ratings, cycles.

All intervals come from one bootstrap over block numbers: meetings share their walls, so a resample
draws a wall for all of them together.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zhuoji_env.arena.book import Book
from zhuoji_env.arena.luck import LEAST_BLOCKS, Reduced, reduced, without
from zhuoji_env.arena.panel import Figures, intervals
from zhuoji_env.arena.stats import Interval, percentiles, resampled
from zhuoji_env.arena.tally import PLACE
from zhuoji_env.errors import ZhuojiError

# Blocks each way between any two, so that strengths stay finite where one side never wins a block,
# or where two have not met yet.
PRIOR = 1.0
# Ratings per natural logarithm of the odds of a block, as Elo counts them.
ELO = 400 / np.log(10)
_STEPS, _STILL = 10_000, 1e-9


@dataclass(frozen=True)
class Skill:
    """An OpenSkill rating (Plackett–Luce), from blocks in the order of their numbers."""

    mu: float
    sigma: float


@dataclass(frozen=True)
class Standing:
    """One agent of a ladder under one ruleset."""

    agent: str
    spec: str
    blocks: int
    deals: int
    strength: Interval  # Bradley–Terry in Elo's units, 0 the field's mean
    skill: Skill
    panel: dict[str, Interval | None]
    reduced: Reduced | None  # points per deal without luck, where the field keeps it

    @property
    def figures(self) -> Figures:
        """The panel without its intervals."""
        return {key: value and value.mean for key, value in self.panel.items()}


@dataclass(frozen=True)
class Standings:
    """A ladder under one ruleset, the strongest agent first.

    `cross[i][j]` is how many points per deal agent i gains on the middle between it and j where
    the two meet: between two agents alone, what i gains per deal. None where they have not met.
    `cycles` are the threes of which each beats the next, `sure` where every interval says so.
    """

    rules: dict[str, Any]
    blocks: int
    agents: tuple[Standing, ...]
    cross: tuple[tuple[Interval | None, ...], ...]
    cycles: tuple[tuple[tuple[str, str, str], bool], ...]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON takes it."""
        return {
            "rules": self.rules,
            "blocks": self.blocks,
            "agents": [
                {
                    "agent": one.agent,
                    "spec": one.spec,
                    "blocks": one.blocks,
                    "deals": one.deals,
                    "bradley_terry": one.strength._asdict(),
                    "openskill": {"mu": one.skill.mu, "sigma": one.skill.sigma},
                    "panel": {key: gap and gap._asdict() for key, gap in one.panel.items()},
                    **({"reduced": one.reduced._asdict()} if one.reduced is not None else {}),
                }
                for one in self.agents
            ],
            "cross": [[cell and cell._asdict() for cell in row] for row in self.cross],
            "cycles": [{"agents": list(names), "sure": sure} for names, sure in self.cycles],
        }


@dataclass(frozen=True)
class _Duels:
    """Every two agents' blocks: sums over (blocks, n * n), the pair (i, j) at i * n + j."""

    n: int
    met: NDArray[np.float64]
    gap: NDArray[np.float64]  # half of what i has more than j, in points per deal of a seat
    won: NDArray[np.float64]  # 1 for a block in which i has more, a half for equals


def standings(book: Book, rules: int) -> Standings:
    """Return what a book says under one of its rulesets; ZhuojiError for fewer than two blocks."""
    numbers = book.numbers(rules)
    name = book.rules_names[rules]
    if len(numbers) < 2:
        raise ZhuojiError(f"{book.path}: {len(numbers)} blocks under {name}; allowed: 2 or more")
    duels = _duels(book, rules, numbers)
    seed = book.header["seed"]
    strengths = _strengths(duels, seed)
    cross = _cross(duels, seed)
    skills = _skills(book, rules, numbers)
    agents = book.agents
    order = sorted(range(len(agents)), key=lambda i: -strengths[i].mean)
    rows = []
    for i in order:
        counted = book.tally(rules, agents[i])
        seats = counted.counts[:, PLACE["seats"]]
        rows.append(
            Standing(
                agent=agents[i],
                spec=book.header["agents"][agents[i]]["spec"],
                blocks=sum(
                    len(h) for (r, m), h in book.blocks.items() if r == rules and agents[i] in m
                ),
                deals=int(seats.sum()),
                strength=strengths[i],
                skill=skills[agents[i]],
                panel=intervals(counted, seed),
                reduced=_reduced(book, rules, agents[i]),
            )
        )
    sorted_cross = tuple(tuple(cross[i][j] for j in order) for i in order)
    return Standings(
        rules=book.header["rules"][rules],
        blocks=len(numbers),
        agents=tuple(rows),
        cross=sorted_cross,
        cycles=_cycles([agents[i] for i in order], sorted_cross),
    )


def _reduced(book: Book, rules: int, agent: str) -> Reduced | None:
    """Return an agent's points without luck, each meeting fitted on its own, their mean."""
    points, luck = book.scored(rules, agent)
    if not book.header["reduce"] or points.shape[1] < LEAST_BLOCKS:
        return None
    left = np.stack([without(*meeting) for meeting in zip(points, luck, strict=True)])
    return reduced(points.mean(axis=0), left.mean(axis=0), "bootstrap", book.header["seed"])


def _duels(book: Book, rules: int, numbers: list[int]) -> _Duels:
    agents = book.agents
    n = len(agents)
    place = {number: k for k, number in enumerate(numbers)}
    met, gap, won = (np.zeros((len(numbers), n * n)) for _ in range(3))
    for (r, meeting), held in book.blocks.items():
        if r != rules:
            continue
        for number, lines in held.items():
            points = [_points(line) for line in lines]
            for x, y in permutations(range(len(meeting)), 2):
                pair = agents.index(meeting[x]) * n + agents.index(meeting[y])
                at = place[number], pair
                met[at] += 1
                gap[at] += (points[x] - points[y]) / 2
                won[at] += (1 + np.sign(points[x] - points[y])) / 2
    return _Duels(n, met, gap, won)


def _points(line: dict[str, Any]) -> float:
    counts = line["counts"]
    return float(counts.get("points", 0) / counts["seats"])


def _cross(duels: _Duels, seed: int) -> list[list[Interval | None]]:
    met, gap = duels.met.sum(axis=0), duels.gap.sum(axis=0)
    drawn = []
    for weights in resampled(len(duels.met), seed):
        times = weights @ duels.met
        means = np.full(times.shape, np.nan)
        drawn.append(np.divide(weights @ duels.gap, times, out=means, where=times > 0))
    low, high = percentiles(np.concatenate(drawn))
    cells: list[Interval | None] = [
        Interval(float(gap[k] / met[k]), float(low[k]), float(high[k])) if met[k] else None
        for k in range(duels.n**2)
    ]
    return [cells[i * duels.n : (i + 1) * duels.n] for i in range(duels.n)]


def _strengths(duels: _Duels, seed: int) -> list[Interval]:
    """Return each agent's Bradley–Terry strength in Elo's units."""
    plain = bradley_terry(_square(duels.won.sum(axis=0)), _square(duels.met.sum(axis=0)))
    drawn = [
        bradley_terry(_square(weights @ duels.won), _square(weights @ duels.met), plain)
        for weights in resampled(len(duels.met), seed)
    ]
    low, high = percentiles(np.concatenate(drawn))
    return [
        Interval(float(mean), float(a), float(b))
        for mean, a, b in zip(plain[0], low, high, strict=True)
    ]


def _square(flat: NDArray[np.float64]) -> NDArray[np.float64]:
    n = int(np.sqrt(flat.shape[-1]))
    return flat.reshape(-1, n, n)


def bradley_terry(
    won: NDArray[np.float64],
    met: NDArray[np.float64],
    start: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """Return maximum-likelihood strengths in Elo's units, mean 0: (r, n) of r tables (r, n, n).

    `won[r, i, j]` of `met[r, i, j]` blocks went to i; PRIOR more each way. Minorise–maximise
    (Hunter 2004), from strengths (1, n) if given.
    """
    others = 1 - np.eye(met.shape[-1])
    apart = met + 2 * PRIOR * others
    wins = (won + PRIOR * others).sum(axis=2)
    log = np.zeros(wins.shape) if start is None else np.broadcast_to(start / ELO, wins.shape)
    for _ in range(_STEPS):
        power = np.exp(log)
        shared = apart / (power[:, :, None] + power[:, None, :])
        found = np.log(wins / shared.sum(axis=2))
        found -= found.mean(axis=1, keepdims=True)
        moved = np.abs(found - log).max()
        log = found
        if moved < _STILL:
            break
    strengths: NDArray[np.float64] = ELO * log
    return strengths


def _skills(book: Book, rules: int, numbers: list[int]) -> dict[str, Skill]:
    try:
        from openskill.models import PlackettLuce
    except ModuleNotFoundError as error:
        raise ZhuojiError("ratings need openskill: pip install 'zhuoji[arena]'") from error
    model = PlackettLuce()
    ratings = {agent: model.rating(name=agent) for agent in book.agents}
    held = [(meeting, blocks) for (r, meeting), blocks in sorted(book.blocks.items()) if r == rules]
    for number in numbers:
        for meeting, blocks in held:
            if number in blocks:
                scores = [_points(line) for line in blocks[number]]
                rated = model.rate([[ratings[agent]] for agent in meeting], scores=scores)
                ratings.update(zip(meeting, (team[0] for team in rated), strict=True))
    return {agent: Skill(float(r.mu), float(r.sigma)) for agent, r in ratings.items()}


def _cycles(
    agents: list[str], cross: tuple[tuple[Interval | None, ...], ...]
) -> tuple[tuple[tuple[str, str, str], bool], ...]:
    """Return the threes of which each beats the next, named from the highest of them."""
    found = []
    for i, j, k in permutations(range(len(agents)), 3):
        cells = cross[i][j], cross[j][k], cross[k][i]
        if i < min(j, k) and all(cell is not None and cell.mean > 0 for cell in cells):
            sure = all(cell is not None and cell.low > 0 for cell in cells)
            found.append(((agents[i], agents[j], agents[k]), sure))
    return tuple(found)
