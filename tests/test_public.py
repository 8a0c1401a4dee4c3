"""What is public can be rebuilt from a view alone; characters and dots may be exchanged."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import zhuoji_env as zj
from tests.test_games import PRESETS
from zhuoji_env.actions import BAOTING, GANG, HU, PASS, PENG
from zhuoji_env.engine.layout import (
    AFTER_PENG,
    CLAIM,
    CLAIM_SHIFT,
    CLAIMER_SHIFT,
    MELDS,
    PENG_MELD,
    ROB,
    TURN,
    ZHUAN_WAN,
)
from zhuoji_env.engine.wall import table_seeds
from zhuoji_env.observation import page, swap

Event = tuple[Any, ...]


class Witness:
    """Notes what everybody at one table can see, from the actions alone."""

    def __init__(self, games: zj.Games) -> None:
        self.games = games
        self.events: list[Event] = []
        self.passed: list[Event] = []
        self.let_go: list[set[int]] = [set() for _ in range(4)]

    def step(self, action: int) -> None:
        """Play an action and note what it let everybody see."""
        before = self.games.state[0].copy()
        seat, phase = int(before["seat"]), int(before["phase"])
        made = int(before["n_discards"])
        self.games.step([action])
        after = self.games.state[0]
        if phase in (TURN, AFTER_PENG) and action < PENG:
            drawn = phase == TURN and action == before["drawn"]
            self.events.append(("discard", made, seat, action, drawn))
        elif action == BAOTING:
            self.events.append(("baoting", seat))
        elif phase == TURN and action < HU and before["hand"][seat, action - GANG] == 4:
            self.events.append(("men", made, seat, action - GANG))
        if phase == CLAIM:
            legal = int(before["legal"])
            if legal >> HU & 1 and action != HU:
                self.passed.append((made - 1, seat, "win"))
            if legal >> PENG & 1 and action in (HU, PASS):
                self.passed.append((made - 1, seat, "meld"))
        self._note_claims(before, after)
        if after["n_draws"].sum() > before["n_draws"].sum():
            self.let_go[int(after["seat"])] = set()

    def _note_claims(self, before: Any, after: Any) -> None:
        made = int(after["n_discards"])
        if after["phase"] in (CLAIM, ROB) or before["end"] != after["end"]:
            return
        asked = before["phase"] in (CLAIM, ROB)
        kind = int(before["tile"]) if asked else int(after["discards"][made - 1])
        thrown = made > before["n_discards"]
        robbed = (
            before["phase"] == ROB
            or (after["meld_type"] == ZHUAN_WAN).sum() > (before["meld_type"] == ZHUAN_WAN).sum()
        )
        if not (asked or thrown or robbed):
            return
        shooter = int(before["shooter"]) if asked else int(before["seat"])
        if robbed:
            place = np.argwhere(
                (after["meld_type"] == ZHUAN_WAN) & (before["meld_type"] != ZHUAN_WAN)
            )
            kind = int(after["meld_kind"][tuple(place[0])])
            self.events.append(("zhuan_wan", made, shooter, kind))
        for seat in range(4):
            if seat != shooter:
                self.let_go[seat].add(kind)
        taken = np.flatnonzero(after["n_melds"] > before["n_melds"])
        if asked and not robbed and len(taken):
            seat = int(taken[0])
            meld = MELDS[int(after["meld_type"][seat, after["n_melds"][seat] - 1])]
            self.events.append((meld, made, seat, kind, shooter))


def told_by(v: Any) -> list[Event]:
    """The public events of a deal, from a view alone."""
    me = int(v["seat"])
    events: list[Event] = []
    for i in range(v["n_discards"]):
        seat = (int(v["discard_seat"][i]) + me) % 4
        events.append(("discard", i, seat, int(v["discards"][i]), bool(v["discard_flag"][i] & 1)))
    for place in range(4):
        seat = (place + me) % 4
        if v["baoting"][place]:
            events.append(("baoting", seat))
        for i in range(v["n_melds"][place]):
            meld, kind = int(v["meld_type"][place, i]), int(v["meld_kind"][place, i])
            at, kong_at = int(v["meld_at"][place, i]), int(v["kong_at"][place, i])
            feeder = (int(v["meld_from"][place, i]) + me) % 4
            if meld in (PENG_MELD, ZHUAN_WAN):
                events.append(("peng", at, seat, kind, feeder))
            if meld == ZHUAN_WAN:
                events.append(("zhuan_wan", kong_at, seat, kind))
            elif meld != PENG_MELD:
                told = (MELDS[meld], kong_at, seat, kind)
                events.append(told if MELDS[meld] == "men" else (*told, feeder))
    return events


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**9), rules=st.sampled_from(PRESETS), steps=st.integers(1, 140))
def test_everything_public_can_be_rebuilt(seed: int, rules: str, steps: int) -> None:
    games = zj.Games(1, rules, seed=seed)
    games.reset()
    witness = Witness(games)
    states = table_seeds(seed, 1)
    for _ in range(steps):
        action = int(games.sample(states)[0])
        if games.legal_bits[0] >> BAOTING & 1:
            action = BAOTING
        witness.step(action)
        if games.done[0]:
            break
    for viewer in range(4):
        v = games.view(seats=[viewer])[0]
        assert Counter(told_by(v)) == Counter(witness.events)
        if games.done[0]:
            continue
        for place in range(4):
            bits = int(v["let_go"][place])
            told = {kind for kind in range(27) if bits >> kind & 1}
            assert told == witness.let_go[(viewer + place) % 4]
        own = {(i, what) for i, seat, what in witness.passed if seat == viewer}
        n = int(v["n_discards"])
        told_passed = {(i, "win") for i in range(n) if v["passed"][i] & 1}
        told_passed |= {(i, "meld") for i in range(n) if v["passed"][i] >> 4 & 1}
        assert told_passed == own
        for i in range(n):
            flag = int(v["discard_flag"][i])
            if flag >> CLAIM_SHIFT & 3:
                claimer = (viewer + (flag >> CLAIMER_SHIFT & 3)) % 4
                claims = [e for e in witness.events if e[1:4:2] == (i + 1, int(v["discards"][i]))]
                assert any(e[0] in ("peng", "dian") and e[2] == claimer for e in claims)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10**9), rules=st.sampled_from(PRESETS))
def test_characters_and_dots_may_be_exchanged(seed: int, rules: str) -> None:
    loaded = zj.Rules.load(rules)
    if not swap.exchangeable(loaded):
        loaded = zj.Rules.load({"preset": rules, "ji": {"wu_gu": 0, "wu_gu_charge": 0}})
    games = zj.Games(1, loaded, seed=seed)
    games.reset()
    mirror = zj.Games(1, loaded)
    mirror.reset(walls=swap.KINDS[games.state["wall"]], dealers=games.state["dealer"].astype(int))
    states = table_seeds(seed, 1)
    while not games.done[0]:
        planes, rows = games.observe()
        other_planes, other_rows = mirror.observe()
        assert (swap.swap_planes(planes) == other_planes).all()
        assert (swap.swap_globals(rows) == other_rows).all()
        assert (swap.swap_actions(games.legal) == mirror.legal).all()
        assert (games.seat == mirror.seat).all()
        actions = games.sample(states)
        if games.legal_bits[0] >> HU & 1:
            actions[0] = HU
        games.step(actions)
        mirror.step(swap.ACTIONS[actions])
    # The flip's zhuo ji is exchanged too, so that the bills are equal to the last entry.
    assert games.bill(0) == mirror.bill(0)
    assert (games.scores == mirror.scores).all()


@pytest.mark.parametrize(
    ("change", "allowed"),
    [({}, True), ({"wu_gu": 1}, False), ({"chui_feng": True}, False), ({"ben": True}, True)],
)
def test_a_switch_that_names_a_dot_forbids_the_exchange(
    change: dict[str, Any], allowed: bool
) -> None:
    rules = zj.Rules.load({"preset": "guiyang", "ji": change})
    assert swap.exchangeable(rules) is allowed


def test_the_reference_page_is_in_step() -> None:
    path = Path(__file__).parent.parent / "docs" / "observation.md"
    assert path.read_text() == page.page()
