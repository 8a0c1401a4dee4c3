"""The reference page of observations: `python -m zhuoji_env.observation.page`."""

from collections.abc import Sequence

from zhuoji_env.observation import (
    CHEAP_GLOBALS,
    CHEAP_PLANES,
    GLOBALS,
    ORACLE,
    PLANES,
    VERSION,
    Channel,
)

INTRODUCTION = f"""# Observations, version {VERSION}

What `games.observe()` and every environment of this library show a seat. Planes are
`(N, {len(PLANES)}, 27)` int8 over the kinds 1m-9m, 1p-9p, 1s-9s; globals are `(N, {len(GLOBALS)})`
float32. The stacked face has the globals spread over all places: `(N, {len(PLANES) + len(GLOBALS)},
3, 9)` float32. Seats are relative to the viewer: self, next in order of play, across, before.

`rows="cheap"` leaves out the distances and dangers, the last rows of both tables from
plane {CHEAP_PLANES} and global {CHEAP_GLOBALS} on. Clauses (R12, …) are those of the rules page.

The danger of a kind against a seat is an estimate, not a probability: the ways in which unseen
tiles could wait for it, relative to the most dangerous kind, times how near the seat looks to
ready. A kind that the seat has let go since its last draw counts as no danger where R19 marks who
passes a win: taking it now is forbidden or a foul, though a hot shot may waive a passport that was
lacking. This game has no rule against winning on what one discarded oneself.

Rules are shown so that one policy can be trained across variants: an amount of fan is divided by
20 x `hand.ping_hu` and cut at 1, a choice by its last place in the list, true is 1, null is -1.

This page is generated from `zhuoji_env/observation/channels.py` by
`python -m zhuoji_env.observation.page > docs/observation.md`.
"""
HIDDEN = """
The hidden truth, `observe(oracle=True)`: int8, a third array apart, for critics and auxiliary
targets. No environment hands it to a player.
"""


def table(channels: Sequence[Channel]) -> str:
    """Return a Markdown table of channels."""
    lines = ["| row | name | range | meaning |", "|---|---|---|---|"]
    lines += [
        f"| {i} | `{c.name}` | {c.low:g} to {c.high:g} | {c.meaning} |"
        for i, c in enumerate(channels)
    ]
    return "\n".join(lines) + "\n"


def page() -> str:
    """Return the whole page as Markdown."""
    parts = [INTRODUCTION, "## Planes\n", table(PLANES), "## Globals\n", table(GLOBALS)]
    return "\n".join([*parts, "## The hidden truth", HIDDEN, table(ORACLE)])


if __name__ == "__main__":
    print(page(), end="")
