"""Shanten, waits and the win test against PyPI `mahjong`, on 200,000 hands of three suits.

Both sides are asked for the standard shape (melds and a pair) and for seven pairs. The definitions
differ in these places, and each difference is stated exactly below, not excused:

- **Seven pairs.** Four of a kind are two pairs here (R13, long_qi_dui); `mahjong` wants seven
  different kinds. So a distance here is less by one for every kind held four times and by one for
  every kind that seven are short of; a hand with such a four wins here and not there.
- **Ready (R18).** A kind of which the hand *and its melds* hold all four is no wait. `mahjong` has
  no list of waits: it is asked kind by kind, and not for a kind that the hand holds four times;
  melds are not told to it. So a wait that a kong or peng has used up must be taken out of its
  answer. Distance 0 asks neither side about melds.
- **Distances** count the copies in hand alone, and both sides hold that nobody can draw a fifth:
  1111m beside three melds is one tile from ready, not ready for a 1m.
- **Thirteen orphans** and honours do not exist here (R1); `mahjong` is asked without them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from mahjong.agari import Agari
from mahjong.shanten import Shanten
from numpy.typing import NDArray

import zhuoji_env as zj
from zhuoji_env import tiles
from zhuoji_env.engine.distance import pairs_distance, standard_distance
from zhuoji_env.engine.hand import PING_HU, QI_DUI, full_hand_patterns, hand_waits
from zhuoji_env.engine.kernel import kernel
from zhuoji_env.engine.layout import MEN, PENG_MELD
from zhuoji_env.engine.position import take_stock
from zhuoji_env.engine.tables import needs, wins

CHUNK = 10_000
CHUNKS = [0, *(pytest.param(i, marks=pytest.mark.slow) for i in range(1, 20))]
HONOURS = [0] * 7
SUITS = np.repeat(np.arange(3), 9)
Ints = NDArray[Any]


@kernel
def judge(
    games: Any, rules: Any, wins: Any, needs: Any, standard: Any, pairs: Any, waits: Any, won: Any
) -> None:
    """Ours, at seat 0 of every table: distances of both shapes, waits, and R13's patterns of the
    hand with the tile in question (`tile` -1: none)."""
    for i in range(games.shape[0]):
        g = games[i]
        r = rules[g.rules]
        take_stock(g, 0)
        waits[i] = hand_waits(g, 0, r, wins)
        if g.tile >= 0:
            won[i] = full_hand_patterns(g, 0, g.tile, r, wins)
            g.hand[0, g.tile] += 1
            take_stock(g, 0)
        key0, key1, key2 = g.key[0, 0], g.key[0, 1], g.key[0, 2]
        standard[i] = standard_distance(key0, key1, key2, g.n_melds[0], needs)
        pairs[i] = pairs_distance(key0, key1, key2)


@dataclass
class Hands:
    """Hands of 13 less 3 for each meld: `counts` (n, 27), and beside half of them a `tile` (n,).

    `tile` is -1 where there is none; `melds` (n, 4) are kinds, -1 where there is none, and a kong
    where `kong` (n, 4) says so, else a peng.
    """

    counts: Ints
    tile: Ints
    n_melds: Ints
    melds: Ints
    kong: Ints

    @property
    def whole(self) -> Ints:
        """Counts of hand and tile."""
        whole = self.counts.copy()
        with_tile = np.flatnonzero(self.tile >= 0)
        whole[with_tile, self.tile[with_tile]] += 1
        return whole

    @property
    def own(self) -> Ints:
        """Counts of hand and melds."""
        own = self.counts.copy()
        for row, melds, kongs in zip(own, self.melds, self.kong, strict=True):
            for kind, kong in zip(melds, kongs, strict=True):
                if kind >= 0:
                    row[kind] += 3 + kong
        return own


def pick(rng: np.random.Generator, allowed: Ints) -> Ints:
    """An allowed kind of each row."""
    return np.where(allowed, rng.random(allowed.shape), -1.0).argmax(axis=1)


def scattered(rng: np.random.Generator, size: Ints) -> Ints:
    """Any tiles of the wall: counts (n, 27) of `size` (n,) tiles."""
    wall = rng.random((len(size), 4 * tiles.N_KINDS)).argsort(axis=1)
    return (wall < size[:, None]).reshape(len(size), 27, 4).sum(axis=2)


def nearly_complete(rng: np.random.Generator, size: Ints) -> Ints:
    """Melds and a pair, or pairs, of one to three suits, up to three tiles changed; some hands
    come out with more than four of a kind."""
    n = len(size)
    rows = np.arange(n)
    suits = rng.random((n, 3)).argsort(axis=1) < rng.integers(1, 4, n)[:, None]
    open_ = suits[:, SUITS]
    counts = np.zeros((n, 27), np.int64)
    pairs = (size == 14) & (rng.random(n) < 0.3)
    for place in range(7):
        counts[rows, pick(rng, open_)] += np.where(pairs | (place == 0), 2, 0)
    for place in range(4):
        meld = ~pairs & (size > 3 * place + 2)
        run = meld & (rng.random(n) < 0.6)
        first = pick(rng, open_ & ((np.arange(27) % 9 < 7) | ~run[:, None]))
        counts[rows, first] += np.where(run, 1, 3 * meld)
        for step in (1, 2):
            counts[rows[run], first[run] + step] += 1
    for _ in range(3):
        changed = rng.random(n) < 0.4
        counts[rows, pick(rng, counts > 0)] -= changed
        counts[rows, pick(rng, counts < 4)] += changed
    return counts


def deal(rng: np.random.Generator, n: int) -> Hands:
    """Hands that can lie on a table: a fifth scattered, the rest nearly complete."""
    n_melds = rng.choice(5, n, p=[0.5, 0.2, 0.1, 0.1, 0.1])
    size = 14 - 3 * n_melds
    whole = scattered(rng, size)
    wrong = rng.random(n) < 0.8
    while wrong.any():
        whole[wrong] = nearly_complete(rng, size[wrong])
        wrong = whole.max(axis=1) > 4
    rows = np.arange(n)
    taken = pick(rng, whole > 0)
    whole[rows, taken] -= 1
    kong = rng.random((n, 4)) < 0.4
    melds = np.full((n, 4), -1)
    free = 4 - whole
    free[rows, taken] -= 1
    for place in range(4):
        laid = rows[n_melds > place]
        copies = 3 + kong[laid, place]
        melds[laid, place] = pick(rng, free[laid] >= copies[:, None])
        free[laid, melds[laid, place]] -= copies
    return Hands(whole, np.where(rows % 2, taken, -1), n_melds, melds, kong)


def ours(hands: Hands) -> tuple[Ints, Ints, Ints, Ints]:
    """Distances of both shapes, waits and patterns, as `judge` has them."""
    n = len(hands.counts)
    games = zj.Games(n, rules="guiyang")
    games.state["hand"][:, 0] = hands.counts
    games.state["tile"] = hands.tile
    games.state["n_melds"][:, 0] = hands.n_melds
    games.state["meld_kind"][:, 0] = hands.melds
    games.state["meld_type"][:, 0] = np.where(hands.kong, MEN, PENG_MELD)
    answers = np.zeros((4, n), np.int64)
    judge(games.state, games.records, wins(), needs(), *answers)
    return answers[0], answers[1], answers[2], answers[3]


def winning_kinds(counts: list[int], own: list[int]) -> int:
    """`mahjong`'s winning kinds (bits), those left out of which hand and melds hold four (R18)."""
    bits = 0
    for kind in range(27):
        if own[kind] < 4:
            counts[kind] += 1
            bits |= Agari.is_agari(counts) << kind
            counts[kind] -= 1
    return bits


def quads_pairs_wait(counts: list[int]) -> int:
    """Bits of the wait on seven pairs of which one kind, at least, will be held four times."""
    odd = [kind for kind in range(27) if counts[kind] % 2]
    if sum(counts) != 13 or len(odd) != 1:
        return 0
    counts = counts.copy()
    counts[odd[0]] += 1
    return 1 << odd[0] if max(counts) == 4 else 0


@pytest.mark.parametrize("chunk", CHUNKS)
def test_distances_waits_and_wins(chunk: int) -> None:
    hands = deal(np.random.default_rng([3, chunk]), CHUNK)
    standard, pairs, waits, patterns = ours(hands)
    whole, own = hands.whole.tolist(), hands.own.tolist()
    for i, counts in enumerate(whole):
        assert standard[i] == Shanten.calculate_shanten_for_regular_hand(counts + HONOURS), counts
        if hands.n_melds[i] == 0:
            fours = sum(n == 4 for n in counts)
            short = max(0, 7 - sum(n > 0 for n in counts))
            theirs = Shanten.calculate_shanten_for_chiitoitsu_hand(counts + HONOURS)
            assert pairs[i] == theirs - fours - short, counts
        if hands.tile[i] < 0:
            theirs = winning_kinds(counts + HONOURS, own[i]) | quads_pairs_wait(counts)
            assert waits[i] == theirs, (counts, own[i])
        else:
            won_pairs = bool(patterns[i] >> QI_DUI & 1)
            won = bool(patterns[i] >> PING_HU & 1) or (won_pairs and max(counts) < 4)
            assert won == Agari.is_agari(counts + HONOURS), counts
            assert won_pairs == (hands.n_melds[i] == 0 and pairs[i] == -1), counts
    least = np.where(hands.n_melds == 0, np.minimum(standard, pairs), standard)
    assert np.bincount(least + 1, minlength=4)[:4].min() > CHUNK // 20


def test_the_public_names_say_the_same() -> None:
    hands = deal(np.random.default_rng(4), 300)
    standard, pairs, waits, patterns = ours(hands)
    for i, counts in enumerate(hands.whole):
        melds = [
            f"{'men' if kong else 'peng'} {tiles.NAMES[kind]}"
            for kind, kong in zip(hands.melds[i], hands.kong[i], strict=True)
            if kind >= 0
        ]
        text = tiles.show(np.repeat(np.arange(27), counts).tolist())
        least = standard[i] if melds else min(standard[i], pairs[i])
        assert zj.shanten(text, melds=len(melds)) == least
        if hands.tile[i] < 0:
            told = zj.waits(text, melds=melds)
            assert sum(1 << tiles.NAMES.index(name) for name in told) == waits[i]
        else:
            fan = zj.fan(text, melds=melds, winning=tiles.NAMES[hands.tile[i]])
            assert (fan > 0) == (patterns[i] > 0)


class TestDifferences:
    """The docstring's list, one hand each."""

    def test_four_of_a_kind_are_two_pairs(self) -> None:
        hand = tiles.counts(tiles.parse("1111m22m3344p5566s")).tolist() + HONOURS
        assert zj.shanten("1111m22m3344p5566s") == -1
        assert zj.fan("1111m22m3344p5566s", rules="guiyang") == 10
        assert not Agari.is_agari(hand)
        assert Shanten.calculate_shanten_for_chiitoitsu_hand(hand) == 1

    def test_a_wait_that_the_melds_have_used_up(self) -> None:
        assert zj.shanten("2355m", melds=3) == 0
        assert zj.waits("2355m", melds=["peng 9p", "men 1m", "men 4m"]) == []
        hand = tiles.counts(tiles.parse("2355m")).tolist() + HONOURS
        assert Shanten.calculate_shanten(hand) == 0
        assert winning_kinds(hand, [0] * 27) == 1 << 0 | 1 << 3

    def test_nobody_draws_a_fifth(self) -> None:
        hand = tiles.counts(tiles.parse("1111m")).tolist() + HONOURS
        assert zj.shanten("1111m", melds=3) == 1
        assert zj.waits("1111m", melds=["peng 9p", "peng 8p", "peng 7p"]) == []
        assert Shanten.calculate_shanten(hand) == 1
