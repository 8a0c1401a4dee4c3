"""The rules page (`docs/rules.md`): switches, values and their provenance, readings, bills."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from textwrap import fill
from typing import Any

from zhuoji_env.calculator import settle, shanten, waits
from zhuoji_env.engine.layout import ITEMS, N_SEATS
from zhuoji_env.handbook.examples import EACH, EXAMPLES, Example, Line
from zhuoji_env.handbook.introduction import DIFFERENCES, INTRODUCTION
from zhuoji_env.render.words import CHINESE, ENGLISH
from zhuoji_env.rules import PRESETS, Rules, Switch, Value, switches
from zhuoji_env.rules.provenance import READINGS, SOURCES, provenance, readings_in_use
from zhuoji_env.rules.schema import Ruleset, Section

WIDTH = 100
QUADS = "1111m22m3344p5566s"

# Marks of the page: readings are numbered in their order.
_NUMBERS = {key: f"r{number}" for number, key in enumerate(READINGS, start=1)}
_SEATS = ENGLISH.seats
_FACTOR = " * "
_TERM = " + "


def rules_page() -> str:
    """The whole page as Markdown, ending in one newline."""
    parts = (
        INTRODUCTION,
        _presets(),
        _switches(),
        _readings(),
        _bills(),
        _differences(),
    )
    return "\n".join(part.rstrip("\n") + "\n" for part in parts)


def rules_table() -> list[dict[str, Any]]:
    """Every switch as a JSON object: the schema's, and each preset's value and its provenance."""
    return [
        {
            "path": switch.path,
            "clause": switch.clause,
            "type": switch.type,
            "meaning": switch.meaning,
            "presets": {
                name: {
                    "value": Rules.load(name).values[switch.path],
                    **asdict(provenance(name, switch.path)),
                }
                for name in PRESETS
            },
        }
        for switch in switches()
    ]


def arithmetic(line: Line, rules: Rules) -> tuple[int, str]:
    """Fan of a line, and how it comes about: `"3 × 20 (dou.men)"`."""
    total, told = 0, []
    for term in line.sum.split(_TERM):
        product, factors = 1, []
        for factor in term.split(_FACTOR):
            value = int(factor) if factor.isdigit() else int(rules.codes[factor])
            product *= value
            factors.append(factor if factor.isdigit() else f"{value} (`{factor}`)")
        total += product
        told.append(" × ".join(factors))
    return total, " + ".join(told)


def told_bill(example: Example) -> list[tuple[str, int, int, int]]:
    """The bill that an example's lines add up to, as `Games.bill` gives one."""
    rules = Rules.load(example.rules)
    fan: Counter[tuple[str, int, int]] = Counter()
    for line in example.lines:
        payers = range(N_SEATS) if line.payer == EACH else [line.payer]
        for payer in payers:
            if payer != line.payee:
                fan[line.item, payer, line.payee] += arithmetic(line, rules)[0]
    return sorted((*key, value) for key, value in fan.items())


def _row(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _table(head: Sequence[str], rows: Iterable[Iterable[str]]) -> list[str]:
    return [_row(head), _row("---" for _ in head), *map(_row, rows)]


def _prose(text: str) -> str:
    return fill(text, WIDTH, break_long_words=False, break_on_hyphens=False)


def _presets() -> str:
    rows = [(f"`{name}`", about, Rules.load(name).fingerprint) for name, about in PRESETS.items()]
    marks = [(f"**{mark}**", what) for mark, what in SOURCES.items()]
    marks.append(
        (
            "**r1**, **r2**, …",
            "our [reading](#readings): alone, where no document gives the value; beside a letter, "
            "where it does and leaves something open",
        )
    )
    return "\n".join(
        [
            "## Presets",
            "",
            _prose(
                "A ruleset is a value for every switch. These come with the library; one of your "
                "own is a preset and what you change in it (`zhuoji rules check FILE`)."
            ),
            "",
            *_table(["preset", "what it is like", "fingerprint"], rows),
            "",
            _prose(
                "Three documents describe the game, and they differ. A mark beside a value says "
                "which of them gives it, or that it is our reading:"
            ),
            "",
            *_table(["mark", "where the value comes from"], marks),
        ]
    )


def _switches() -> str:
    lines = [
        "## Switches",
        "",
        "Fan unless another unit is named. `null` means that there is no such pattern or price.",
    ]
    for title, about, some in _sections():
        head = ["clause", "switch", *PRESETS, "type and range", "what it does to the money"]
        rows = [
            (s.clause, f"`{s.path}`", *(_cell(name, s) for name in PRESETS), s.type, s.meaning)
            for s in some
        ]
        lines += ["", f"### {title}", "", about, "", *_table(head, rows)]
    return "\n".join(lines)


def _sections() -> list[tuple[str, str, list[Switch]]]:
    """Title, one sentence and switches of each group, in the schema's order."""
    top = [s for s in switches() if "." not in s.path]
    found = [("Stakes", "What a fan and the deal itself are worth.", top)]
    for name, model_field in Ruleset.model_fields.items():
        model = model_field.annotation
        if isinstance(model, type) and issubclass(model, Section):
            some = [s for s in switches() if s.path.startswith(f"{name}.")]
            found.append((f"`{name}`", (model.__doc__ or "").splitlines()[0], some))
    return found


def _cell(preset: str, switch: Switch) -> str:
    """A value and its mark: `20 Z`, `0 r2`, `uniform E r4`."""
    told = provenance(preset, switch.path)
    marks = [told.source or "", _NUMBERS[told.reading] if told.reading else ""]
    value = _value(Rules.load(preset).values[switch.path])
    return " ".join([f"`{value}`", *filter(None, marks)])


def _value(value: Value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "null" if value is None else str(value)


def _readings() -> str:
    used = readings_in_use()
    rows = [
        (
            _NUMBERS[key],
            reading.clause or "all",
            reading.text,
            reading.why,
            str(used[key]) if used[key] else "no switch",
        )
        for key, reading in READINGS.items()
    ]
    return "\n".join(
        [
            "## Readings",
            "",
            _prose(
                "Where a document is silent or can be read in more than one way, this is how we "
                "read it. E, Z and P are the documents above; the last column counts the values "
                "that rest on a reading."
            ),
            "",
            *_table(["mark", "clause", "we read", "because", "values"], rows),
        ]
    )


def _bills() -> str:
    lines = [
        "## Worked bills",
        "",
        _prose(
            "A bill is a list of payments, each under one item. These are all the items, and the "
            "bills below in which each stands. Hands are given without the winning tile; "
            "`zhuoji settle FILE` settles positions of your own."
        ),
        "",
        *_table(["item", "in Chinese", "bill"], map(_item_row, ITEMS)),
    ]
    for number, example in enumerate(EXAMPLES, start=1):
        lines += ["", *_bill(number, example)]
    return "\n".join(lines)


def _item_row(item: str) -> tuple[str, str, str]:
    places = [
        f"[{number}](#bill-{number})"
        for number, example in enumerate(EXAMPLES, start=1)
        if any(line.item == item for line in example.lines)
    ]
    return f"`{item}`", CHINESE.items[item], ", ".join(places)


def _bill(number: int, example: Example) -> list[str]:
    rules = Rules.load(example.rules)
    rows = []
    for line in example.lines:
        fan, how = arithmetic(line, rules)
        who = f"each other seat pays {_SEATS[line.payee]}"
        if line.payer != EACH:
            who = f"{_SEATS[line.payer]} pays {_SEATS[line.payee]}"
        rows.append((f"`{line.item}`", f"{who} **{fan}**", how, line.why))
    scores = zip(_SEATS, settle(example.position).to_dict()["scores"], strict=True)
    return [
        f"### Bill {number}",
        "",
        _prose(f"**{example.title}** (`{example.rules}`; {_dealer(example)}). {example.story}"),
        "",
        *_table(["seat", "hand", "melds", "river"], map(_seat_row, _SEATS, example.seats)),
        "",
        *_table(["item", "payment", "arithmetic", "clause"], rows),
        "",
        f"Points: {', '.join(f'{seat} {points:+d}' for seat, points in scores)}.",
    ]


def _dealer(example: Example) -> str:
    turned = f"; the indicator is {example.indicator}" if example.indicator else ""
    return f"{_SEATS[example.dealer]} deals{turned}"


def _seat_row(name: str, seat: dict[str, Any]) -> tuple[str, str, str, str]:
    """Seats are numbered in positions; a player of the page knows them by their winds."""
    melds = [re.sub(r"from (\d)", lambda m: f"from {_SEATS[int(m[1])]}", m) for m in seat["melds"]]
    hand = f"`{seat['hand']}`" + (", baoting" if seat.get("baoting") else "")
    return name, hand, ", ".join(melds), f"`{seat['river']}`" if seat["river"] else ""


def _differences() -> str:
    used, fifth = "2355m", "1111m"
    melds = ["men 1m", "men 4m", "men 9p"]
    return DIFFERENCES.format(
        quads=f"`{QUADS}`",
        quads_distance=shanten(QUADS),
        used=f"`{used}`",
        melds=", ".join(f"`{meld.split()[1]}`" for meld in melds),
        used_distance=shanten(used, melds=len(melds)),
        used_waits=len(waits(used, melds=melds)),
        fifth=f"`{fifth}`",
        fifth_distance=shanten(fifth, melds=3),
    )
