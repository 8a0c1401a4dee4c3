"""What freezes the benchmark: golden decisions, fingerprints, and walls that nobody else has."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import zhuoji_env as zj
from tests import gauntlets
from tests.gauntlets import PRESETS, changed
from zhuoji_env.actions import BAOTING, GANG, HU, N_ACTIONS, PENG
from zhuoji_env.arena import benchmark, contest, gauntlet, golden, load_field
from zhuoji_env.arena.gauntlet import Gauntlet
from zhuoji_env.arena.play import play
from zhuoji_env.arena.scores import SEATS
from zhuoji_env.engine.layout import CLAIM, TURN
from zhuoji_env.engine.wall import PURPOSES, table_seeds

ROOT = Path(__file__).parent.parent
SHIPPED = gauntlet.load()


@pytest.fixture(scope="module")
def small() -> Gauntlet:
    return gauntlets.small()


class TestGolden:
    @pytest.mark.parametrize("spec", SHIPPED.members)
    def test_opponents_decide_as_they_did(self, spec: str) -> None:
        shown = golden.views(list(SHIPPED.rules))
        assert golden.digest(spec, shown) == SHIPPED.members[spec]

    @pytest.mark.parametrize("preset", SHIPPED.rules)
    def test_rules_are_as_they_were(self, preset: str) -> None:
        assert zj.Rules.load(preset).fingerprint == SHIPPED.rules[preset].fingerprint

    def test_views_hold_every_sort_of_choice(self) -> None:
        shown = golden.views(list(SHIPPED.rules))
        legal = shown["legal"]
        assert len(shown) == golden.VIEWS
        assert np.all(legal & (legal - 1) != 0)
        of_rules = np.unique(shown["rules"]["base"], return_counts=True)[1]
        assert of_rules.sum() == golden.VIEWS
        gangs = legal >> GANG & (1 << 27) - 1 != 0
        for some in (
            shown["phase"] == TURN,
            shown["phase"] == CLAIM,
            legal >> HU & 1,
            legal >> PENG & 1,
            legal >> BAOTING & 1,
            gangs,
        ):
            assert np.count_nonzero(some) >= 20

    def test_presets_have_equal_shares(self) -> None:
        both, alone = golden.views(PRESETS, 1001), golden.views(["duole"], 501)
        assert np.array_equal(both[500:], alone)

    def test_one_decision_changes_the_digest(self) -> None:
        shown = golden.views(PRESETS, 400)
        digests = {golden.digest(name, shown) for name in zj.baselines.names()}
        assert len(digests) == 4

        class Once:
            """Greedy but for the last view."""

            def reset(self, n: int, seed: int) -> None:
                pass

            def act(
                self, views: NDArray[np.void], legal: NDArray[np.bool_], observations: Any
            ) -> NDArray[np.int64]:
                chosen = zj.baselines.make("greedy").act(views)
                legal[-1, chosen[-1]] = False
                chosen[-1] = np.argmax(legal[-1])
                return chosen

        legal = shown["legal"][-1:, None] >> np.arange(N_ACTIONS) & 1
        assert legal.sum() > 1
        assert golden.digest(Once, shown) not in digests

    def test_an_illegal_decision_is_refused(self) -> None:
        class Wrong:
            def reset(self, n: int, seed: int) -> None:
                pass

            def act(
                self, views: NDArray[np.void], legal: NDArray[np.bool_], observations: Any
            ) -> NDArray[np.int64]:
                return np.argmin(legal, axis=1)

        with pytest.raises(zj.ZhuojiError, match="'Wrong' plays an illegal action"):
            golden.digest(Wrong, golden.views(PRESETS, 10))


class TestGauntlet:
    def test_the_field_is_the_gauntlet(self) -> None:
        field = load_field(ROOT / "configs" / "arena" / "gauntlet.yaml")
        assert list(field.agents) == list(SHIPPED.members)
        assert [rules.name for rules in field.rules] == list(SHIPPED.rules)

    def test_the_fingerprint_is_of_all_but_the_name(self, small: Gauntlet) -> None:
        other = {
            "members": {**small.members, "greedy": "0"},
            "rules": {"guiyang": small.rules["guiyang"].model_dump()},
            "seed": 8,
            "blocks": 7,
        }
        prints = [changed(small, **{key: value}).fingerprint for key, value in other.items()]
        assert len({small.fingerprint, *prints}) == 5
        assert changed(small, name="small/2").fingerprint == small.fingerprint

    def test_sigma_is_the_deviation_of_greedy_among_itself(self, small: Gauntlet) -> None:
        result = zj.arena.match("greedy", "greedy", "duole", blocks=500, layout="one-vs-three")
        deviation = np.concatenate([one.scores for one in result.tallies]).std()
        assert small.rules["duole"].sigma == pytest.approx(deviation, rel=0.1)

    def test_what_is_not_as_frozen_is_not_played(self, small: Gauntlet, tmp_path: Path) -> None:
        other = {"fingerprint": "0" * 12, "sigma": 1.0}
        for wrong, reason in (
            ({"members": {"shanten": "0" * 16}}, "small/1: shanten no longer decides as it did"),
            ({"rules": {"duole": other}}, "the rules of duole were 000000000000 and are 75"),
            ({"rules": {"mine": other}}, "the rules of mine were 0+ and are no such preset"),
            (
                {"members": {"greedy": "0", "master": "0"}},
                "small/1 is played against greedy, master: unknown agent 'master'",
            ),
        ):
            with pytest.raises(zj.ZhuojiError, match=reason):
                benchmark("greedy", tmp_path / "x.jsonl", against=changed(small, **wrong))
        assert not list(tmp_path.iterdir())

    @pytest.mark.parametrize(
        ("wrong", "reason"),
        [
            ({"blocks": 1}, "blocks: Input should be greater than or equal to 2"),
            ({"seed": "x"}, "seed: Input should be a valid integer"),
            ({"members": {}}, "members: Dictionary should have at least 1 item"),
            ({"rules": {"guiyang": {"sigma": 1.0}}}, "rules.guiyang.fingerprint: Field required"),
            ({"block": 3}, "block: Extra inputs are not permitted"),
            ({"format": "zhuoji-gauntlet/2"}, "format: Input should be 'zhuoji-gauntlet/1'"),
        ],
    )
    def test_a_bad_file_names_its_key(
        self, small: Gauntlet, tmp_path: Path, wrong: dict[str, Any], reason: str
    ) -> None:
        path = tmp_path / "g.json"
        path.write_text(json.dumps({**small.model_dump(), **wrong}))
        with pytest.raises(zj.ZhuojiError, match=re.escape(f"{path}: {reason}")):
            gauntlet.load(path)

    def test_without_a_checkout_it_says_so(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(gauntlet, "FILE", Path("nowhere.json"))
        with pytest.raises(zj.ZhuojiError, match="is run from a checkout of the project"):
            gauntlet.load()


class TestWalls:
    @given(seed=st.integers(0, 2**32), other=st.integers(0, 2**32))
    def test_no_other_purpose_has_a_benchmark_wall(self, seed: int, other: int) -> None:
        blind = set(table_seeds(SHIPPED.seed, SHIPPED.blocks, "benchmark").tolist())
        assert len(blind) == SHIPPED.blocks
        for purpose in set(PURPOSES) - {"benchmark"}:
            for drawn in (SHIPPED.seed, seed, other):
                assert blind.isdisjoint(table_seeds(drawn, SHIPPED.blocks, purpose).tolist())

    def test_they_are_what_is_played(
        self, small: Gauntlet, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        played: list[NDArray[np.uint64]] = []
        plain = play

        def noted(deals: Any, *args: Any, **kwargs: Any) -> NDArray[np.void]:
            played.append(deals.seeds)
            return plain(deals, *args, **kwargs)

        monkeypatch.setattr(contest, "play", noted)
        benchmark("random", tmp_path / "x.jsonl", against=small, rules=["duole"])
        seeds = table_seeds(small.seed, small.blocks, "benchmark").repeat(len(SEATS))
        assert len(played) == len(small.members)
        assert all(np.array_equal(one, seeds) for one in played)
