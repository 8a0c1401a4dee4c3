"""The 58 actions (R5): 0-26 discard, 27 peng, 28-54 gang, 55 hu, 56 baoting, 57 pass."""

from __future__ import annotations

from zhuoji_env import tiles

DISCARD = 0
PENG = DISCARD + tiles.N_KINDS
GANG = PENG + 1
HU = GANG + tiles.N_KINDS
BAOTING = HU + 1
PASS = BAOTING + 1
N_ACTIONS = PASS + 1

_WITH_TILE = {"discard": DISCARD, "gang": GANG}
_PLAIN = {"peng": PENG, "hu": HU, "baoting": BAOTING, "pass": PASS}
NAMES: tuple[str, ...] = (
    *(f"discard {tile}" for tile in tiles.NAMES),
    "peng",
    *(f"gang {tile}" for tile in tiles.NAMES),
    "hu",
    "baoting",
    "pass",
)


def show(action: int) -> str:
    """Name of an action id, such as ``"discard 5p"`` or ``"peng"``; ValueError out of 0..57."""
    if not 0 <= action < N_ACTIONS:
        raise ValueError(f"action {action} is out of range; allowed: 0..{N_ACTIONS - 1}")
    return NAMES[action]


def parse(text: str) -> int:
    """Action id of a name as `show` writes it; ValueError says what is wrong and what is allowed.

    discard and gang name a tile, the others do not (which kong, and what is claimed, follow from
    the position).
    """
    if not isinstance(text, str):
        raise ValueError(f"an action is a string such as 'discard 5p', not {type(text).__name__}")
    verb, _, tile = text.partition(" ")
    if verb in _PLAIN:
        if tile or text != verb:
            raise ValueError(f"{verb} takes no tile, {_clip(tile)} given")
        return _PLAIN[verb]
    if verb not in _WITH_TILE:
        allowed = ", ".join([*_WITH_TILE, *_PLAIN])
        raise ValueError(f"unknown action {_clip(text)}; allowed: {allowed}")
    if tile not in tiles.NAMES:
        raise ValueError(f"{verb} needs one tile such as 5p, {_clip(tile)} given")
    return _WITH_TILE[verb] + tiles.NAMES.index(tile)


def _clip(text: str, width: int = 30) -> str:
    return repr(text if len(text) <= width else text[:width] + "...")
