"""One hand without a table: its fan, its waits, its distance to a win."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any, SupportsIndex

from zhuoji_env import tiles
from zhuoji_env.calculator import melds as notation
from zhuoji_env.calculator.melds import Meld
from zhuoji_env.engine.distance import distance_of
from zhuoji_env.engine.games import Games
from zhuoji_env.engine.hand import best_pattern, full_hand_patterns, hand_waits, pattern_fan
from zhuoji_env.engine.layout import MAX_MELDS
from zhuoji_env.engine.position import take_stock
from zhuoji_env.engine.tables import POW5, needs, wins
from zhuoji_env.errors import PositionError
from zhuoji_env.rules import Rules
from zhuoji_env.rules.reading import describe
from zhuoji_env.rules.ruleset import Source

HAND = 13
COPIES = 4


def fan(
    hand: str, melds: Sequence[str] = (), winning: str | None = None, rules: Source = "guiyang"
) -> int:
    """Fan of a complete hand: the greatest of its patterns (R13, R14), 0 if it is not complete.

    `hand` is the concealed tiles in mpsz: 13 less 3 for each meld and `winning` beside them, or 14
    less 3 for each meld, `winning` among them (where it is not named, the last tile written). A
    meld is `peng 5p`, `men 5p`, `zhuan_wan 5p` or `dian 5p`; `from S` may follow. Nothing but the
    pattern is counted: not R20, R30 or R36. Raises PositionError.

    >>> fan("123456789m123s5p", winning="5p")
    1
    >>> fan("1133557799m1122p", rules="zhuoji")
    60
    >>> fan("777444s3388m", melds=["peng 9p from 3"], winning="8m", rules="duole")
    30
    """
    ruleset = Rules.load(rules)
    laid = _melds(melds)
    kinds = _tiles(hand, "hand")
    full = HAND + 1 - 3 * len(laid)
    _check_size(kinds, laid, (full,) if winning is None else (full - 1, full))
    tile = kinds[-1] if winning is None else _tile(winning)
    if len(kinds) == full:
        if tile not in kinds:
            raise PositionError(f"winning: {winning} is not among the {full} tiles of the hand")
        kinds.remove(tile)
    _check_copies([*kinds, tile], laid)
    games = _table(kinds, laid, ruleset)
    g, r = games.state[0], games.records[0]
    pattern = best_pattern(full_hand_patterns(g, 0, tile, r, wins()), r)
    return int(pattern_fan(pattern, r)) if pattern >= 0 else 0


def waits(hand: str, melds: Sequence[str] = (), rules: Source = "guiyang") -> list[str]:
    """The tiles that complete a hand of 13 less 3 for each meld; none if it is not ready (R18).

    Kinds of which hand and melds hold all four are left out. Notation and errors as for `fan`.

    >>> waits("123456789m23s55p")
    ['1s', '4s']
    >>> waits("1112223334445m")
    ['2m', '3m', '4m', '5m', '6m']
    >>> waits("5m", melds=["peng 1p", "peng 9p", "men 2s", "dian 7s from 0"])
    ['5m']
    """
    laid = _melds(melds)
    kinds = _tiles(hand, "hand")
    _check_size(kinds, laid, (HAND - 3 * len(laid),))
    _check_copies(kinds, laid)
    games = _table(kinds, laid, Rules.load(rules))
    bits = int(hand_waits(games.state[0], 0, games.records[0], wins()))
    return [tiles.NAMES[kind] for kind in range(tiles.N_KINDS) if bits >> kind & 1]


def shanten(hand: str, melds: SupportsIndex = 0) -> int:
    """How many tiles a hand lacks to be ready: 0 ready, -1 complete.

    The least over four melds and a pair and, without melds, seven pairs (four of a kind are two of
    them). `hand` is 13 or 14 concealed tiles less 3 for each of `melds`. Which tiles others hold is
    not asked. Raises PositionError.

    >>> shanten("123456789m23s55p")
    0
    >>> shanten("1m4m7m2p5p8p3s6s9s1s4m5p9m")
    4
    >>> shanten("123m55p", melds=3)
    -1
    """
    n_melds = -1 if isinstance(melds, bool) or not isinstance(melds, Integral) else int(melds)
    if not 0 <= n_melds <= MAX_MELDS:
        raise PositionError(f"melds: {describe(melds)} given; allowed: 0..{MAX_MELDS}")
    kinds = _tiles(hand, "hand")
    least = HAND - 3 * n_melds
    if len(kinds) not in (least, least + 1):
        raise PositionError(f"hand: {len(kinds)} tiles given; allowed: {least} or {least + 1}")
    _check_copies(kinds, [])
    keys = [0, 0, 0]
    for kind in kinds:
        keys[kind // tiles.N_RANKS] += POW5[kind % tiles.N_RANKS]
    return int(distance_of(keys[0], keys[1], keys[2], n_melds, needs()))


def _tiles(text: Any, key: str) -> list[int]:
    try:
        return tiles.parse(text)
    except ValueError as reason:
        raise PositionError(f"{key}: {reason}") from None


def _tile(text: Any) -> int:
    if text not in tiles.NAMES:
        raise PositionError(f"winning: {describe(text)} given; allowed: a tile such as 5p")
    return tiles.NAMES.index(text)


def _melds(texts: Sequence[str]) -> list[Meld]:
    if isinstance(texts, str) or not isinstance(texts, Sequence) or len(texts) > MAX_MELDS:
        raise PositionError(f"melds: allowed: a list of up to {MAX_MELDS} melds")
    laid = []
    for i, text in enumerate(texts):
        try:
            laid.append(notation.parse_unfed(text))
        except ValueError as reason:
            raise PositionError(f"melds[{i}]: {reason}") from None
    return laid


def _check_size(kinds: Sequence[int], laid: Sequence[Meld], allowed: tuple[int, ...]) -> None:
    if len(kinds) not in allowed:
        raise PositionError(
            f"hand: {len(kinds)} tiles with {len(laid)} melds given; "
            f"allowed: {' or '.join(map(str, allowed))}"
        )


def _check_copies(kinds: Sequence[int], laid: Sequence[Meld]) -> None:
    for kind in set(kinds).union(meld.kind for meld in laid):
        n = kinds.count(kind) + sum(meld.size for meld in laid if meld.kind == kind)
        if n > COPIES:
            raise PositionError(f"hand: {n} of {tiles.NAMES[kind]} given; allowed: {COPIES}")


def _table(kinds: Sequence[int], laid: Sequence[Meld], rules: Rules) -> Games:
    """A table at which seat 0 holds the tiles."""
    games = Games(1, rules=rules)
    g = games.state[0]
    g["hand"][0] = tiles.counts(list(kinds))
    g["n_melds"][0] = len(laid)
    for place, meld in enumerate(laid):
        g["meld_type"][0, place] = meld.type
        g["meld_kind"][0, place] = meld.kind
    take_stock(g, 0)
    return games
