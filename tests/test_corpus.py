"""The rigged records of `tests/data/rigged.jsonl`, replayed by both implementations.

`python -m tests.corpus` picks them anew, should the rules change.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.corpus import FILE, MAX_BYTES, Record, felt, load, refereed, switch_values
from tests.coverage_table import column, missing, new_counts, table, unknown
from tests.referee import PRESETS, Rules, merged
from tests.rigging import value_at
from zhuoji_env.record import replay_all

RECORDS = load()
AT_LEAST = 200


def turns() -> Iterator[tuple[str, Any, Record, Rules]]:
    """Switch, value in the preset, record and rules, of the records that turn a switch or two."""
    for record in RECORDS:
        if isinstance(record["rules"], str):
            continue
        preset, rules = PRESETS[record["rules"]["preset"]], merged(record["rules"])
        paths = [
            f"{s}.{key}" for s, inner in rules.items() if isinstance(inner, dict) for key in inner
        ]
        changed = [
            path
            for path in ["base", "dealer_bonus", *paths]
            if value_at(rules, path) != value_at(preset, path)
        ]
        if len(changed) <= 2:
            yield from ((path, value_at(preset, path), record, rules) for path in changed)


def test_it_is_large_and_small_enough() -> None:
    assert len(RECORDS) >= AT_LEAST
    assert FILE.stat().st_size < MAX_BYTES


def test_no_deal_is_there_twice() -> None:
    deals = Counter(
        (record["wall"], str(record["rules"]), *record["actions"]) for record in RECORDS
    )
    assert set(deals.values()) == {1}


def test_the_engine_replays_it() -> None:
    for record, replayed in zip(RECORDS, replay_all(RECORDS), strict=True):
        assert replayed.verify(), record


def test_the_referee_replays_it_and_reaches_every_branch(
    record_property: Callable[[str, Any], None],
) -> None:
    counts = new_counts()
    for record in RECORDS:
        rules = merged(record["rules"])
        referee = refereed(record, rules, counts[column(rules)])
        assert referee.result() == record["result"], record
    record_property("table", table(counts))
    assert missing(counts) == []
    assert unknown(counts) == []


def test_every_switch_is_felt() -> None:
    """For each value of each switch a deal that would have gone otherwise under the preset."""
    shown = {
        (path, "number" if type(now := value_at(rules, path)) is int else now)
        for path, before, record, rules in turns()
        if felt(record, rules, path, before)
    }
    assert set(switch_values()) - shown == set()


def test_the_referee_refuses_a_wrong_action() -> None:
    record = RECORDS[0]
    first, *rest = record["actions"]
    other = f"{(int(first[0]) + 1) % 4}{first[1:]}"
    with pytest.raises(ValueError, match="is asked"):
        refereed({**record, "actions": [other, *rest]}, merged(record["rules"]))
