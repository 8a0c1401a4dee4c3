"""The engine and the referee side by side, deal by deal, decision by decision."""

from __future__ import annotations

import json
from collections.abc import Sequence
from random import Random
from typing import Any

import numpy as np

import zhuoji_env as zj
from tests.coverage_table import Counts, column
from tests.referee import Referee, Rules, action_name, overrides, tile_name
from tests.rigging import Rigged, choose, rigged
from zhuoji_env.calculator import position_of
from zhuoji_env.engine.layout import PHASES
from zhuoji_env.record import results

Job = tuple[str, Rules]
"""A theme of `tests.rigging` and the ruleset to play it under."""


class Table:
    """One deal of a batch, as the referee plays it."""

    def __init__(self, job: Job, rng: Random, counts: Counts) -> None:
        theme, self.rules = job
        self.deal: Rigged = rigged(theme, rng, self.rules)
        deal, counter = self.deal, counts[column(self.rules)]
        self.referee = Referee(self.rules, deal.wall, deal.dealer, deal.streak, counter)
        self.actions: list[str] = []

    def choose(self, rng: Random) -> int:
        """Pick the next action and write it down."""
        action = choose(self.deal.policy, self.referee, rng)
        self.actions.append(f"{self.referee.seat} {action_name(action)}")
        return action

    def record(self) -> str:
        """The deal so far as a `zhuoji-deal/1`, to play again."""
        return json.dumps(
            {
                "format": "zhuoji-deal/1",
                "rules": overrides(self.rules),
                "dealer": self.deal.dealer,
                "streak": self.deal.streak,
                "wall": "".join(map(tile_name, self.deal.wall)),
                "actions": self.actions,
                "note": self.deal.theme,
            }
        )


def engine_tables(jobs: Sequence[Job], tables: Sequence[Table]) -> zj.Games:
    """One batch of the engine with the tables' walls, each under its own ruleset."""
    specs = [overrides(rules) for _, rules in jobs]
    distinct = {json.dumps(spec): spec for spec in specs}
    place = {key: number for number, key in enumerate(distinct)}
    index = [place[json.dumps(spec)] for spec in specs]
    games = zj.Games(len(jobs), rules=list(distinct.values()), rules_index=index)
    deals = [table.deal for table in tables]
    games.reset(
        walls=[deal.wall for deal in deals],
        dealers=[deal.dealer for deal in deals],
        streaks=[deal.streak for deal in deals],
    )
    return games


def play_together(jobs: Sequence[Job], rng: Random, counts: Counts) -> list[Table]:
    """Play a batch through both; AssertionError, with a record, where they part."""
    tables = [Table(job, rng, counts) for job in jobs]
    games = engine_tables(jobs, tables)
    going = list(range(len(tables)))
    actions = np.zeros(len(tables), np.int64)
    while going:
        _compare_decisions(games, tables, going)
        for i in going:
            actions[i] = tables[i].choose(rng)
            tables[i].referee.step(int(actions[i]))
        games.step(actions)
        going = [i for i in going if not tables[i].referee.done]
    assert games.done.all()
    for i, result in enumerate(results(games.state)):
        _compare_end(games, i, tables[i], result)
    return tables


def _compare_decisions(games: zj.Games, tables: Sequence[Table], going: Sequence[int]) -> None:
    """Seat, phase, legal set and every concealed hand."""
    seats, phases = games.seat.tolist(), games.phase.tolist()
    bits, hands = games.legal_bits.tolist(), games.state["hand"].tolist()
    for i in going:
        table, referee = tables[i], tables[i].referee
        mine = (referee.seat, referee.phase, sum(1 << a for a in referee.legal()), referee.hands)
        theirs = (seats[i], PHASES[phases[i]], bits[i], hands[i])
        assert theirs == mine, f"engine, then referee, after {table.record()}"


def _compare_end(games: zj.Games, i: int, table: Table, result: dict[str, Any]) -> None:
    """The whole result, the position it ended in, and that position's bill."""
    expected, position = table.referee.result(), table.referee.position()
    assert result == expected, table.record()
    theirs = _comparable(position_of(games, i), table.rules)
    assert theirs == _comparable(position, table.rules), table.record()
    assert zj.settle(position).to_dict() == expected, json.dumps(position)


def _comparable(position: dict[str, Any], rules: Rules) -> dict[str, Any]:
    """Without the words for the rules, marks that nobody pays for (R25), and the order of kongs."""
    pays = position["shooter"] is not None and rules["win"]["passed"] == "pays_three"
    marks = sorted(set(position.get("marked", [])) & set(position["winners"])) if pays else []
    kongs = sorted(position.get("turn_kongs", []))
    return {**position, "rules": None, "marked": marks, "turn_kongs": kongs}
