"""Melds as docs/formats.md has them: `peng T from S`, `men T`, `zhuan_wan T`, `dian T from S`."""

from __future__ import annotations

from typing import NamedTuple

from zhuoji_env import tiles
from zhuoji_env.engine.layout import DIAN, MELDS, MEN, N_SEATS, PENG_MELD, ZHUAN_WAN
from zhuoji_env.rules.reading import describe

NOBODY = -1
ALLOWED = "peng T from S, dian T from S, men T or zhuan_wan T; ' late' after a worthless one"


class Meld(NamedTuple):
    """One meld: type as in `layout.MELDS`, kind, feeder or NOBODY, and R12's worthlessness."""

    type: int
    kind: int
    feeder: int = NOBODY
    late: bool = False

    @property
    def size(self) -> int:
        """How many tiles lie in it."""
        return 3 if self.type == PENG_MELD else 4

    @property
    def is_kong(self) -> bool:
        """Whether it is a dou."""
        return self.type != PENG_MELD

    def __str__(self) -> str:
        text = f"{MELDS[self.type]} {tiles.NAMES[self.kind]}"
        if self.type in (PENG_MELD, DIAN):
            text += f" from {self.feeder}"
        return text + (" late" if self.late else "")


def parse(text: object) -> Meld:
    """The meld of a text; ValueError says what is allowed."""
    meld = _KNOWN.get(text) if isinstance(text, str) else None
    if meld is None:
        raise ValueError(f"{describe(text)} given; allowed: {ALLOWED}")
    return meld


def parse_unfed(text: object) -> Meld:
    """The same where nobody asks whose discard it was: `from S` may be left out."""
    if isinstance(text, str) and f"{text} from 0" in _KNOWN:
        return _KNOWN[f"{text} from 0"]
    return parse(text)


def _all() -> dict[str, Meld]:
    found = []
    for kind in range(tiles.N_KINDS):
        found += [Meld(t, kind, seat) for t in (PENG_MELD, DIAN) for seat in range(N_SEATS)]
        found += [Meld(t, kind, NOBODY, late) for t in (MEN, ZHUAN_WAN) for late in (False, True)]
    return {str(meld): meld for meld in found}


_KNOWN = _all()
