"""Views and observations: what they say is true, and nothing hidden shows in them."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import zhuoji_env as zj
from tests.hidden import redealt
from tests.test_games import PRESETS, play
from zhuoji_env import observation
from zhuoji_env.actions import GANG, HU, PENG
from zhuoji_env.engine.layout import (
    CLAIM,
    CLAIM_SHIFT,
    PENG_MELD,
    ROB,
    TURN,
    UNCLAIMED,
    VIEW,
)


def midgame(seed: int, steps: int, n: int = 8) -> zj.Games:
    games = zj.Games(n, list(PRESETS), seed=seed, rules_index=np.arange(n) % 5)
    games.reset()
    play(games, steps, seed)
    return games


def row(rows: Any, name: str) -> Any:
    """One named row of planes or globals."""
    channels = observation.PLANES if rows.dtype == np.int8 else observation.GLOBALS
    return rows[:, [c.name for c in channels].index(name)]


@settings(max_examples=300, deadline=None)
@given(seed=st.integers(0, 10**9), steps=st.integers(0, 150))
def test_nothing_hidden_shows(seed: int, steps: int) -> None:
    games = midgame(seed, steps)
    rng = np.random.default_rng(seed)
    for i in range(len(games)):
        table = games[[i]]
        viewer = int(table.seat[0]) if rng.random() < 0.7 else int(rng.integers(4))
        other = redealt(table, viewer, rng)
        assert other.view(seats=[viewer]).tobytes() == table.view(seats=[viewer]).tobytes()
        planes, rows = table.observe(seats=[viewer])
        other_planes, other_rows = other.observe(seats=[viewer])
        assert planes.tobytes() == other_planes.tobytes()
        assert rows.tobytes() == other_rows.tobytes()


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**9), steps=st.integers(0, 200), turn=st.integers(0, 3))
def test_a_view_says_what_stands_on_the_table(seed: int, steps: int, turn: int) -> None:
    games = midgame(seed, steps)
    seats = (games.seat + turn) % 4
    views = games.view(seats=seats)
    for g, v in zip(games.state, views, strict=True):
        seat = int(v["seat"])
        order = [(seat + k) % 4 for k in range(4)]
        assert v["hand"].tolist() == g["hand"][seat].tolist()
        assert v["river"].tolist() == g["river"][order].tolist()
        assert v["n_melds"].tolist() == g["n_melds"][order].tolist()
        assert v["meld_kind"].tolist() == g["meld_kind"][order].tolist()
        assert v["baoting"].tolist() == g["baoting"][order].tolist()
        assert v["n_hand"].tolist() == g["hand"][order].sum(axis=1).tolist()
        assert order[v["dealer"]] == g["dealer"]
        assert v["wall_left"] == g["tail"] - g["head"]
        assert v["legal"] == (g["legal"] if seat == g["seat"] else 0)
        hidden = g["hand"][order[1:]].sum(axis=0) + np.bincount(
            g["wall"][g["head"] : g["tail"]], minlength=27
        )
        assert v["unseen"].tolist() == hidden.tolist()
        n = v["n_discards"]
        claimed = (v["discard_flag"][:n] >> CLAIM_SHIFT & 3) != UNCLAIMED
        rivers = np.zeros((4, 27), int)
        np.add.at(rivers, (v["discard_seat"][:n][~claimed], v["discards"][:n][~claimed]), 1)
        assert rivers.tolist() == v["river"].tolist()


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**9), steps=st.integers(0, 200))
def test_an_observation_says_what_the_view_says(seed: int, steps: int) -> None:
    games = midgame(seed, steps)
    views = games.view()
    planes, rows = games.observe()
    low, high = observation.bounds()
    stacked = observation.stack(planes, rows)
    assert (stacked >= low).all()
    assert (stacked <= high).all()
    assert (row(planes, "hand") == views["hand"]).all()
    assert (sum(row(planes, f"hand_{n}") for n in range(1, 5)) == views["hand"]).all()
    assert (row(planes, "unseen") == views["unseen"]).all()
    for k, seat in enumerate(observation.SEATS):
        assert (row(planes, f"river_{seat}") == views["river"][:, k]).all()
        assert (row(rows, f"baoting_{seat}") == views["baoting"][:, k]).all()
        laid = sum(
            row(planes, f"{m}_{seat}").sum(axis=1) for m in ("peng", "dian", "zhuan_wan", "men")
        )
        assert (laid == views["n_melds"][:, k]).all()
    legal = games.legal
    assert (row(planes, "may_discard") == legal[:, :27]).all()
    assert (row(planes, "may_gang") == legal[:, GANG : GANG + 27]).all()
    assert (row(rows, "may_peng") == legal[:, PENG]).all()
    assert (row(rows, "may_hu") == legal[:, HU]).all()
    assert row(rows, "wall_left") * 55 == pytest.approx(views["wall_left"])
    assert (row(planes, "drawn").sum(axis=1) == (views["phase"] == TURN)).all()
    assert (row(planes, "tile").sum(axis=1) == np.isin(views["phase"], (CLAIM, ROB))).all()


def test_the_latest_discards_are_told_from_the_older() -> None:
    games = midgame(3, 120, 1)
    v = games.view()[0]
    recent = observation.PLANES.index(
        next(c for c in observation.PLANES if c.name == "recent_self")
    )
    planes, _ = games.observe()
    for k in range(4):
        own = v["discards"][: v["n_discards"]][v["discard_seat"][: v["n_discards"]] == k][::-1]
        expected = np.zeros(27, int)
        for age, kind in enumerate(own[: observation.N_RECENT]):
            expected[kind] = max(expected[kind], observation.N_RECENT - age)
        assert planes[0, recent + k].tolist() == expected.tolist()


def test_ji_prices_follow_the_rules() -> None:
    for rules, yaoji, wu_gu, seven in (
        ("guiyang", 1, 0, 0),
        ("zhuoji_double", 2, 0, 0),
        ({"preset": "guiyang", "ji": {"wu_gu": 2, "xing_qi": 7}}, 1, 2, 1),
        ({"preset": "guiyang", "ji": {"wu_gu": 2, "xing_qi": 8}}, 1, 4, 0),
        ({"preset": "zhuoji", "ji": {"xing_qi": 1}}, 2, 0, 0),
    ):
        games = zj.Games(1, rules)
        games.reset()
        held = row(games.observe()[0], "ji_held")[0]
        assert (held[18], held[16], held[6]) == (yaoji, wu_gu, seven)


def test_rulesets_are_told_apart() -> None:
    games = zj.Games(5, list(PRESETS), rules_index=np.arange(5))
    games.reset()
    rows = games.observe()[1][:, -observation.N_SWITCHES :]
    assert len({r.tobytes() for r in rows}) == 5
    assert (row(games.observe()[1], "rule_ji.men_yao") < 0).tolist() == [
        True,
        False,
        True,
        True,
        True,
    ]


def test_the_oracle_stands_apart() -> None:
    games = midgame(5, 60)
    planes, rows, hidden = games.observe(oracle=True)
    seen = games.observe()
    assert planes.tobytes() == seen[0].tobytes()
    assert rows.tobytes() == seen[1].tobytes()
    for g, truth in zip(games.state, hidden, strict=True):
        for k in range(3):
            assert truth[k].tolist() == g["hand"][(g["seat"] + 1 + k) % 4].tolist()
        left = g["wall"][g["head"] : g["tail"]][: observation.ORACLE_TILES]
        assert truth[6 : 6 + len(left)].argmax(axis=1).tolist() == left.tolist()
        assert truth[6 + len(left) :].sum() == 0


def test_buffers_are_reused() -> None:
    games = midgame(5, 60)
    out = games.observe(oracle=True)
    for rows in out:
        rows[:] = 99
    again = games.observe(out, oracle=True)
    assert all(a is b for a, b in zip(out, again, strict=True))
    assert all((a == b).all() for a, b in zip(again, games.observe(oracle=True), strict=True))
    views = np.zeros(len(games), VIEW)
    assert games.view(views) is views


def test_peng_is_the_first_meld_type() -> None:
    # The planes of melds are laid out by (type - PENG_MELD).
    assert PENG_MELD == 1


def test_a_lookout_sees_what_observe_shows_in_copies_too() -> None:
    games = midgame(5, 60)
    seats = games.viewers()
    first = observation.Lookout(len(games))
    for lookout in (copy.deepcopy(first), pickle.loads(pickle.dumps(first)), first):
        lookout.look(games, seats)
        planes, rows = games.observe()
        assert (lookout.planes == planes).all()
        assert (lookout.globals == rows).all()
        assert lookout.views.tobytes() == games.view().tobytes()
