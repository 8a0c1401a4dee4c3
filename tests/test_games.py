"""Games: the batch API, what it refuses, and what holds for every batch, thread and ruleset."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import zhuoji_env as zj
from tests.strategies import lively, rulesets
from zhuoji_env import tiles
from zhuoji_env.actions import DISCARD, HU, N_ACTIONS, PASS
from zhuoji_env.engine.layout import DISCARD_WIN, DONE, GAME, PENG_MELD, ROB, ROB_WIN, VIEW
from zhuoji_env.engine.wall import PURPOSES, table_seeds
from zhuoji_env.rules import presets

PRESETS = presets()


def make_games(*args: Any, **kwargs: Any) -> zj.Games:
    """Games from arguments of whatever type."""
    return zj.Games(*args, **kwargs)


def play(games: zj.Games, steps: int, seed: int = 0, eager: bool = True) -> None:
    """Play random actions, hu whenever legal if eager, dealing on."""
    states = table_seeds(seed, len(games))
    for _ in range(steps):
        actions = games.sample(states)
        if eager:
            actions[games.legal_bits >> HU & 1 == 1] = HU
        if games.step(actions):
            games.next_deal()


def play_on(games: zj.Games, choices: Any, steps: int) -> None:
    """Play lively actions, a generator a table, dealing on."""
    for _ in range(steps):
        if games.step(lively(games, choices)):
            games.next_deal()


def tiles_of(games: zj.Games) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Every tile of every table wherever it lies, as counts (N, 27)."""
    s = games.state
    total = s["hand"].astype(int).sum(axis=1) + s["river"].astype(int).sum(axis=1)
    for i, g in enumerate(s):
        for seat in range(4):
            for place in range(g["n_melds"][seat]):
                size = 3 if g["meld_type"][seat, place] == PENG_MELD else 4
                total[i, g["meld_kind"][seat, place]] += size
        np.add.at(total[i], g["wall"][g["head"] : g["tail"]], 1)
        open_tile = g["phase"] == ROB or (g["phase"] == DONE and g["end"] in (DISCARD_WIN, ROB_WIN))
        if open_tile:
            total[i, g["tile"]] += 1
    return total


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**9), steps=st.integers(0, 400), eager=st.booleans())
def test_tiles_are_conserved_points_sum_to_zero_and_somebody_may_act(
    seed: int, steps: int, eager: bool
) -> None:
    games = zj.Games(10, list(PRESETS), seed=seed, rules_index=np.arange(10) % 5)
    games.reset()
    play(games, steps, seed, eager)
    games.step(games.sample(table_seeds(seed + 1, 10)))
    assert (tiles_of(games) == 4).all()
    assert (games.scores.sum(axis=1) == 0).all()
    assert ((games.legal_bits != 0) == ~games.done).all()
    base = np.array([games.rules[r].base for r in games.state["rules"]])
    net = games.bills.sum(axis=(1, 2)) - games.bills.sum(axis=(1, 3))
    assert (games.scores == base[:, None] * net).all()


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 10**9), n=st.integers(2, 40), threads=st.integers(2, 3))
def test_play_is_the_same_for_any_batch_and_threads(seed: int, n: int, threads: int) -> None:
    together = zj.Games(n, "zhuoji", seed=seed, threads=threads)
    together.reset()
    play(together, 150, seed)
    for first in range(0, n, max(1, n // 3)):
        alone = zj.Games(1, "zhuoji", seed=seed, first=first)
        alone.reset()
        states = table_seeds(seed, n)[first : first + 1].copy()
        for _ in range(150):
            actions = alone.sample(states)
            actions[alone.legal_bits >> HU & 1 == 1] = HU
            if alone.step(actions):
                alone.next_deal()
        assert alone.state.tobytes() == together.state[first : first + 1].tobytes()


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    rules=st.lists(rulesets(), min_size=16, max_size=16, unique_by=lambda r: r.fingerprint),
    seed=st.integers(0, 10**9),
    threads=st.integers(1, 2),
)
def test_mixed_rulesets_play_as_they_would_alone(
    rules: list[zj.Rules], seed: int, threads: int
) -> None:
    """16 rulesets at 48 tables in any order, and 16 batches of three: every byte is the same."""
    index = np.random.default_rng(seed).permutation(np.repeat(np.arange(16), 3))
    mixed = zj.Games(48, rules, seed=seed, rules_index=index, threads=threads)
    mixed.reset()
    choices = table_seeds(seed + 1, 48)
    apart = []
    for which, one in enumerate(rules):
        games, own = zj.Games(3, one), index == which
        for field in ("seed", "number"):
            games.state[field] = mixed.state[field][own]
        games.reset()
        apart.append((games, own, choices[own].copy()))
    for _ in range(4):
        play_on(mixed, choices, 90)
        views = mixed.view()
        for which, (games, own, own_choices) in enumerate(apart):
            play_on(games, own_choices, 90)
            # Compared outside the assertion: a difference of kilobytes is not worth a report.
            same_view = games.view().tobytes() == views[own].tobytes()
            alone = games.state.copy()
            alone["rules"] = which
            same_state = alone.tobytes() == mixed.state[own].tobytes()
            assert same_view
            assert same_state


def test_an_illegal_action_names_everything_and_changes_nothing() -> None:
    games = zj.Games(3, seed=1, threads=2)
    games.reset()
    before = games.state.tobytes()
    actions = np.argmax(games.legal, axis=1)
    actions[1] = PASS
    with pytest.raises(zj.IllegalAction, match=r"table 1, seat .*: pass is not legal"):
        games.step(actions)
    for bad in (-1, N_ACTIONS, 10**12, np.uint64(2**64 - 1)):
        actions = actions.astype(type(bad) if isinstance(bad, np.uint64) else int)
        actions[1] = bad
        with pytest.raises(zj.IllegalAction, match=f"table 1, .*action {bad} is not legal"):
            games.step(actions)
    assert games.state.tobytes() == before


def test_a_table_that_was_not_dealt_may_do_nothing() -> None:
    with pytest.raises(zj.ZhuojiError, match=r"table 0 has not been dealt: call reset\(\) first"):
        zj.Games(1).step([DISCARD])


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (lambda g: g.step([0]), r"allowed: integers of shape \(2,\)"),
        (lambda g: g.step([0.0, 1.0]), "allowed: integers"),
        (lambda g: g.reset(walls=np.zeros((2, 108), int)), "wall 0 is not 108 tiles with four"),
        (lambda g: g.reset(walls=np.zeros((2, 107), int)), r"shape \(2, 108\)"),
        (lambda g: g.reset(dealers=[0, 4]), "a dealer is outside 0..3"),
        (lambda g: g.reset(dealers=[0, -1]), "a dealer is outside 0..3"),
        (lambda g: g.reset(streaks=0), "a streak is outside 1..999"),
        (lambda g: g.reset(where=[1, 0]), "allowed: bool of shape"),
        (lambda g: g.reset(seed=-1), "seed is -1"),
        (lambda g: g.next_deal(where=np.array([True, False])), "table 0 has not finished"),
    ],
)
def test_bad_input_is_refused_and_changes_nothing(
    act: Callable[[zj.Games], None], message: str
) -> None:
    games = zj.Games(2, seed=3)
    games.reset()
    before = games.state.tobytes()
    with pytest.raises(ValueError, match=message):
        act(games)
    assert games.state.tobytes() == before


@pytest.mark.parametrize(
    ("look", "message"),
    [
        (lambda g: g.view(seats=[9, 9]), r"a seat is outside 0\.\.3"),
        (lambda g: g.view(seats=[0, -1]), r"a seat is outside 0\.\.3"),
        (lambda g: g.view(seats=[0]), r"seats are int64 \(1,\); allowed: integers"),
        (lambda g: g.view(seats=[1.7, 0.0]), "seats are float64"),
        (lambda g: g.view(np.zeros(1, VIEW)), r"out is .* allowed: an array of such records"),
        (lambda g: g.view(np.zeros(2, GAME)), "allowed: an array of such records"),
        (lambda g: g.view(np.zeros(4, VIEW)[::2]), "not contiguous"),
        (lambda g: g.observe(seats=[9, 9]), r"a seat is outside 0\.\.3"),
        (lambda g: g.observe(rows="x"), "rows is 'x'; allowed: 'all', 'cheap'"),
        (lambda g: g.observe(g.observe(rows="cheap")), "out: planes is int8"),
        (lambda g: g.observe(g.observe(), oracle=True), "a tuple of planes, globals, hidden"),
        (lambda g: g.observe(5), "out is int"),
        (lambda g: g.sample(np.zeros(1, np.uint64)), r"states is uint64 \(1,\)"),
        (lambda g: g.sample(np.zeros(2, np.int64)), r"states is int64 \(2,\)"),
    ],
)
def test_looking_with_wrong_seats_or_buffers_is_refused(
    look: Callable[[zj.Games], Any], message: str
) -> None:
    games = zj.Games(2, seed=3)
    games.reset()
    with pytest.raises(ValueError, match=message):
        look(games)


@pytest.mark.parametrize("purpose", PURPOSES)
def test_a_new_seed_stays_in_its_purposes_family(purpose: str) -> None:
    games = zj.Games(3, seed=7, purpose=purpose, first=5)
    games.reset()
    walls = games.state["wall"].copy()
    play(games, 50)
    picked = games[[2, 0]]
    for again in (games, pickle.loads(pickle.dumps(games))):
        again.reset(seed=7)
        assert (again.state["wall"] == walls).all()
    picked.reset(seed=7)
    assert (picked.state["wall"] == walls[[2, 0]]).all()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: make_games(2.5), "n is 2.5; allowed: a whole number, 1"),
        (lambda: make_games(True), "n is True; allowed: a whole number"),
        (lambda: make_games("3"), "n is '3'"),
        (lambda: make_games(1, seed=1.5), "seed is 1.5"),
        (lambda: make_games(1, seed=None), "seed is None"),
        (lambda: zj.Games(1, first=-1), "first is -1"),
        (lambda: zj.Games(1, seed=-1), "seed is -1; allowed: 0 or more"),
        (lambda: zj.Games(0), "n is 0"),
        (lambda: zj.Games(1, threads=0), "threads is 0"),
        (lambda: zj.Games(1, []), "empty list"),
        (lambda: zj.Games(1, "nanjing"), "nanjing"),
        (lambda: zj.Games(2, ["guiyang"], rules_index=[0, 1]), r"outside 0\.\.0"),
        (lambda: zj.Games(2, ["guiyang"], rules_index=[0]), r"allowed: integers \(2,\)"),
        (lambda: zj.Games(1, purpose="fun"), "allowed: free, training, arena, benchmark"),
    ],
)
def test_games_that_cannot_be_made(make: Callable[[], zj.Games], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()


def test_a_given_wall_dealer_and_streak_hold_for_that_deal_only() -> None:
    wall = np.repeat(np.arange(27), 4)
    games = zj.Games(2, seed=4)
    games.reset()
    games.reset(np.array([False, True]), walls=wall, dealers=2, streaks=7)
    assert games.state["wall"][1].tolist() == wall.tolist()
    assert (games.state["dealer"][1], games.state["streak"][1]) == (2, 7)
    assert (
        games.state["hand"][1, 2].tolist()
        == tiles.counts([0] * 4 + [4] * 4 + [8] * 4 + [12, 13]).tolist()
    )
    play(games, 200, eager=False)
    assert games.state["wall"][1].tolist() != wall.tolist()


def test_seeding() -> None:
    one, other = zj.Games(4, seed=1), zj.Games(4, seed=2)
    walls: list[Any] = []
    for games in (one, other):
        games.reset()
        for _ in range(3):
            walls.append(games.state["wall"].copy())
            games.reset()
    flat = {wall.tobytes() for batch in walls for wall in batch}
    assert len(flat) == 24
    one.reset(seed=1)
    assert (one.state["wall"] == walls[0]).all()
    with_purpose = {p: set(table_seeds(1, 1000, p).tolist()) for p in PURPOSES}
    assert len(set.union(*with_purpose.values())) == 4000


def test_walls_are_shuffled_without_bias() -> None:
    games = zj.Games(20_000, seed=12)
    games.reset()
    counts = np.stack([np.bincount(games.state["wall"][:, p], minlength=27) for p in (0, 53, 107)])
    expected = 20_000 / 27
    chi2 = ((counts - expected) ** 2 / expected).sum(axis=1)
    assert (chi2 < 60).all()  # 26 degrees of freedom: 60 is beyond 1 in 5,000
    dealers = np.bincount(games.state["dealer"], minlength=4)
    assert (abs(dealers - 5000) < 300).all()


def test_dice_name_the_first_dealer_where_the_rules_say_so() -> None:
    games = zj.Games(500, ["zhuoji", "duole"], seed=8, rules_index=np.arange(500) % 2)
    games.reset()
    dice = games.state["dice"]
    assert (games.state["dealer"] == (dice.sum(axis=1) - 1) % 4).all()
    assert (dice[0::2] >= 1).all()
    assert (dice[1::2, 1] == 0).all()


def test_copies_are_independent_and_forks_share_nothing() -> None:
    games = zj.Games(3, seed=6)
    games.reset()
    play(games, 20)
    forks = games[[1, 1, 1, 0]]
    before = games.state.tobytes()
    play(forks, 5)
    assert games.state.tobytes() == before
    assert len(games[np.array([True, False, True])]) == 2
    assert len(games[0:2]) == 2
    copy = games.copy()
    play(copy, 30, seed=3)
    play(games, 30, seed=3)
    assert copy.state.tobytes() == games.state.tobytes()


def test_save_and_load(tmp_path: Path) -> None:
    games = zj.Games(3, ["guiyang", {"preset": "duole", "base": 3}], seed=6, rules_index=[0, 1, 1])
    games.reset()
    play(games, 40)
    path = tmp_path / "games.npz"
    games.save(path)
    assert [p.name for p in tmp_path.iterdir()] == ["games.npz"]
    loaded = zj.Games.load(path)
    assert loaded.state.tobytes() == games.state.tobytes()
    assert loaded.rules == games.rules
    play(loaded, 40)
    play(games, 40)
    assert loaded.state.tobytes() == games.state.tobytes()
    path.write_bytes(path.read_bytes()[:1000])
    with pytest.raises(zj.ZhuojiError, match="not a zhuoji-games/1 file"):
        zj.Games.load(path)


def test_a_table_is_small() -> None:
    assert GAME.itemsize <= 2048
