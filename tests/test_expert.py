"""The expert: its money against the settlement, its chances by hand, its choices as situations."""

from __future__ import annotations

from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import agents
import zhuoji_env as zj
from agents.expert import Expert, Parameters, make, parameters
from agents.expert.danger import write_danger
from agents.expert.gains import hot_loss, kongs_to_come, win_pays
from agents.expert.hands import N_HAND, load
from agents.expert.kernel import kernel
from agents.expert.money import ji_held, ji_river
from agents.expert.progress import (
    ELAPSED,
    END,
    IF_NOT,
    LOSS,
    RISE,
    ROUNDS,
    TOP,
    along,
    along_triplets,
    without_win,
)
from tests.hidden import redealt
from tests.scenario import Scenario
from tests.strategies import lively, rulesets
from zhuoji_env import actions, tiles
from zhuoji_env.actions import HU
from zhuoji_env.engine import tables as lookup
from zhuoji_env.engine.layout import DIAN, ITEMS, MEN, TURN
from zhuoji_env.rules import PRESETS

PLAIN = Parameters()


def expert(**changed: float) -> Expert:
    """An expert by the default parameters but for some."""
    return Expert(replace(PLAIN, **changed))


def played(rules: Any, n: int, seed: int) -> list[tuple[zj.Games, NDArray[np.void]]]:
    """Lively play of some deals: the tables and the views before every step."""
    games = zj.Games(n, rules, seed=seed)
    games.reset()
    states = np.random.default_rng(seed).integers(0, 2**63, n).astype(np.uint64)
    steps = []
    while not games.done.all():
        steps.append((games.copy(), games.view()))
        games.step(lively(games, states))
    return steps


def choices(rules: Any = "guiyang", n: int = 32, seed: int = 3) -> NDArray[np.void]:
    """Views of many decisions."""
    return np.concatenate([views[~games.done] for games, views in played(rules, n, seed)])


def by_greedy(rules: str, n: int, seed: int) -> NDArray[np.void]:
    """Views of greedy's decisions."""
    games = zj.Games(n, rules, seed=seed)
    games.reset()
    greedy, seen = zj.baselines.make("greedy"), []
    while not games.done.all():
        views = games.view()
        seen.append(views[~games.done])
        games.step(greedy.act(views))
    return np.concatenate(seen)


def mask(views: NDArray[np.void]) -> NDArray[np.bool_]:
    """The legal actions of views, (n, 58) bool."""
    return (views["legal"][:, None] >> np.arange(actions.N_ACTIONS) & 1).astype(bool)


@kernel
def hu_pays(views: Any, p: Any, hand: Any, wins: Any, out: Any) -> None:
    for i in range(views.shape[0]):
        load(views[i], hand)
        out[i] = win_pays(views[i], p[0], hand, wins)


@kernel
def ji_prices(views: Any, unseen: float, out: Any) -> None:
    for kind in range(27):
        out[0, kind] = ji_held(views[0], kind, unseen)
        out[1, kind] = ji_river(views[0], kind, unseen)


@kernel
def hopes(views: Any, p: Any, hand: Any, out: Any) -> None:
    for i in range(views.shape[0]):
        load(views[i], hand)
        out[i, 0] = kongs_to_come(views[i], hand, 5.0, False, 90.0, p[0])
        out[i, 1] = kongs_to_come(views[i], hand, 5.0, True, 90.0, p[0])


@kernel
def hot_losses(views: Any, out: Any) -> None:
    for i in range(views.shape[0]):
        out[i] = hot_loss(views[i], 0.0, 90.0)


@kernel
def dangers(views: Any, p: Any, waived: bool, out: Any) -> None:
    ways = np.zeros(30)
    for i in range(views.shape[0]):
        write_danger(views[i], p[0], waived, False, 0.0, ways, out[i])


def late_turn(rules: str) -> NDArray[np.void]:
    """An own turn after a dozen discards."""
    views = by_greedy(rules, 4, 3)
    return views[(views["phase"] == TURN) & (views["n_discards"] >= 12)][:1].copy()


def with_kongs(rules: str) -> NDArray[np.void]:
    """An own turn with a men dou of 9m of this turn and a dian dou of 9p of an earlier one."""
    view = late_turn(rules)
    view["n_melds"][:, 0] = 2
    view["meld_type"][:, 0, :2] = MEN, DIAN
    view["meld_kind"][:, 0, :2] = 8, 17
    view["meld_late"][:, 0, :2] = 0
    view["kong_at"][:, 0, 0] = view["n_discards"]
    view["kong_at"][:, 0, 1] = view["n_discards"] - 6
    return view


class TestKongs:
    def losses(self, rules: str) -> float:
        view = with_kongs(rules)
        view["rules"]["re_pao_burn_ji"] = 0
        out = np.empty(1)
        hot_losses(view, out)
        return float(out[0])

    def test_a_hot_shot_voids_what_its_ruleset_says(self) -> None:
        # R31: all dou in guiyang; in zhuoji those of the turn, and their price to the winner.
        assert self.losses("guiyang") == 3 * 2 + 1
        assert self.losses("zhuoji") == 3 * 20 + 3 * 20

    def test_a_dealt_four_is_worth_nothing_once_it_is_late(self) -> None:
        p = np.atleast_1d(PLAIN.record())
        told = {}
        for rules in ("guiyang", "zhuoji"):
            view = own_turn("1111m2457p24579s", "8s", rules)
            out = np.empty((1, 2))
            hopes(view, p, np.zeros(N_HAND, np.int64), out)
            told[rules] = out[0].tolist()
        assert told == {"guiyang": [6, 6], "zhuoji": [60, 0]}

    def test_whoever_robs_a_kong_needs_no_passport(self) -> None:
        view = late_turn("guiyang")
        view["n_melds"][:, 1:] = 0
        view["baoting"] = 0
        p = np.atleast_1d(replace(PLAIN, higher=0.0).record())
        with_passport, waived = np.empty((1, 27)), np.empty((1, 27))
        dangers(view, p, False, with_passport)
        dangers(view, p, True, waived)
        assert not with_passport.any()
        assert waived.sum() > 0

    def test_who_loves_kongs_takes_wins_with_them(self) -> None:
        views = by_greedy("zhuoji", 512, 7)
        kong = views["meld_type"][:, 0, 0] > 1
        wins = views[(views["legal"] >> HU & 1).astype(bool) & (views["tile"] < 0) & kong]
        assert len(wins) > 5
        assert np.all(expert(kong=3.0).act(wins) == HU)


class TestMoney:
    @settings(deadline=None, max_examples=40)
    @given(rules=rulesets(), seed=st.integers(0, 10_000))
    def test_a_win_is_priced_as_the_bill_has_it(self, rules: zj.Rules, seed: int) -> None:
        self.check(rules, played(rules, 24, seed))

    def test_wins_of_both_sorts_are(self) -> None:
        """Greedy's play, which wins off others, where that at random hardly does."""
        for rules in PRESETS:
            games = zj.Games(128, rules, seed=9)
            games.reset()
            greedy, steps = zj.baselines.make("greedy"), []
            while not games.done.all():
                steps.append((games.copy(), games.view()))
                games.step(greedy.act(games.view()))
            assert self.check(zj.Rules.load(rules), steps) >= {"self", "other"}

    def check(self, rules: zj.Rules, steps: list[tuple[zj.Games, NDArray[np.void]]]) -> set[str]:
        """Take every hu that is legal and compare; return what sorts there were."""
        sorts = set()
        p = np.atleast_1d(PLAIN.record())
        worth = [ITEMS.index(name) for name in ("hu", "dealer", "bao", "sha_bao")]
        for games, views in steps:
            asked = np.flatnonzero(games.legal[:, HU])
            if not len(asked):
                continue
            told = np.empty(len(asked))
            hu_pays(views[asked], p, np.zeros(N_HAND, np.int64), lookup.wins(), told)
            ended = games[asked]
            while not ended.done.all():
                # Whoever else is asked passes, so that the one win is paid alone.
                first = ended.seat == games.seat[asked]
                rest = np.where(ended.legal[:, actions.PASS], actions.PASS, HU)
                ended.step(np.where(first, HU, rest))
            for i, seat in enumerate(games.seat[asked]):
                if ended.state["winners"][i] != 1 << seat:
                    continue
                net = ended.bills[i, worth, :, seat].sum() - ended.bills[i, worth, seat].sum()
                assert told[i] == net
                sorts.add("other" if views["tile"][asked[i]] >= 0 else "self")
        return sorts

    def test_a_chicken_is_priced_by_its_chance(self) -> None:
        games = zj.Games(1, "guiyang", seed=1)
        games.reset()
        view = games.view()
        unseen = float(view["unseen"].sum())
        out = np.empty((2, 27))
        ji_prices(view, unseen, out)
        u = view["unseen"][0]
        assert out[0, 4] == pytest.approx(3 * u[3] / unseen)
        assert out[0, 0] == pytest.approx(3 * u[8] / unseen)
        # R39, R40: gold doubles the yaoji, and indicated they are nothing more.
        assert out[0, tiles.YAOJI] == pytest.approx(3 * (1 + u[26] / unseen))
        view["rules"]["ji_zhuo_river"] = 0
        ji_prices(view, unseen, out)
        assert out[1, 4] == 0
        # R40: gold doubles a price of nothing to nothing, and pays nothing else.
        view["rules"]["ji_zhuo_river"], view["rules"]["ji_yao_river"] = 1, 0
        ji_prices(view, unseen, out)
        assert out[1, tiles.YAOJI] == 0

    def after_a_kong(self, **rules: Any) -> tuple[zj.Games, NDArray[np.void]]:
        """A dealer's win on the replacement tile of a kong of the opening hand."""
        deal = Scenario(
            "engine", {"preset": "guiyang"}, hands={0: "11112223333444m"}, replacements="5m"
        )
        games = zj.Games(1, {"preset": "guiyang", **rules})
        games.reset(walls=np.array(deal.wall), dealers=0)
        games.step(np.array([actions.parse("gang 1m")]))
        return games, games.view()

    def test_a_win_after_a_kong_is_not_the_heavens(self) -> None:
        position = self.after_a_kong(hand={"tian_hu": 50})
        assert self.check(zj.Rules.load("guiyang"), [position]) == {"self"}

    def test_kongs_in_the_hands_fan_are_not_paid_again(self) -> None:
        _, view = self.after_a_kong(dou={"table": True})
        without, fond = (expert(kong=kong).scores(view)[0, HU] for kong in (0.0, 2.0))
        assert without == fond


def pace_of(rounds: int, end: float, loss: float = 2.0, if_not: float = 1.0) -> NDArray[np.float64]:
    pace = np.zeros(8)
    pace[[ROUNDS, ELAPSED, LOSS, IF_NOT, END, RISE, TOP]] = rounds, 0, loss, if_not, end, 0, 1
    return pace


class TestProgress:
    def test_a_hand_that_never_wins(self) -> None:
        worth, alive = without_win(pace_of(2, 0.25))
        assert alive == pytest.approx(0.75**2)
        assert worth == pytest.approx(-2 * (0.25 + 0.75 * 0.25) - 0.75**2)

    def test_a_ready_hand_over_two_rounds(self) -> None:
        draw, claim = np.array([0, 0.5, *[0] * 6]), np.array([0, 0.1, *[0] * 6])
        worth = along(1, draw, claim, 9.0, 3.0, 4.0, pace_of(2, 0.2), np.zeros(8))
        first = 0.1 * 3 - 0.9 * 0.2 * 2 + 0.9 * 0.8 * 0.5 * 9
        second = 0.9 * 0.8 * 0.5
        last = second * (0.1 * 3 - 0.9 * 0.2 * 2 + 0.9 * 0.8 * 0.5 * 9 + 0.9 * 0.8 * 0.5 * 4)
        assert worth == pytest.approx(first + last)

    @given(
        lacking=st.integers(1, 4),
        rounds=st.integers(0, 8),
        draws=st.lists(st.floats(0, 1), min_size=4, max_size=4),
        claims=st.lists(st.floats(0, 1), min_size=4, max_size=4),
    )
    def test_the_programme_is_the_sum_over_all_courses(
        self, lacking: int, rounds: int, draws: list[float], claims: list[float]
    ) -> None:
        pace = pace_of(rounds, 0.1)

        def course(left: int, t: int, drawing: bool) -> float:
            """What a hand comes to from here, one event after the other."""
            if t == rounds:
                return 5.0 if left == 1 else -1.0
            chance = (draws if drawing else claims)[left - 1]
            pays = 9.0 if drawing else 3.0
            follow = (lambda n: course(n, t + 1, False)) if drawing else (lambda n: ended(n, t))
            onward = pays if left == 1 else follow(left - 1)
            return chance * onward + (1 - chance) * follow(left)

        def ended(left: int, t: int) -> float:
            return 0.1 * -2.0 + 0.9 * course(left, t, True)

        table = np.zeros((2, 8))
        table[0, 1:5], table[1, 1:5] = draws, claims
        worth = along(lacking, table[0], table[1], 9.0, 3.0, 5.0, pace, np.zeros(8))
        assert worth == pytest.approx(course(lacking, 0, False))

    def test_two_pairs_and_three_triplets_are_a_ready_hand(self) -> None:
        pace = pace_of(5, 0.1)
        draw, claim = np.array([0, 0.06, *[0] * 6]), np.array([0, 0.12, *[0] * 6])
        plain = along(1, draw, claim, 15.0, 5.0, 3.0, pace, np.zeros(8))
        grid = np.zeros((5, 9))
        args = (0.03, 0.4, 0.02, 1.5, 2.0, 15.0, 5.0, 3.0)
        assert along_triplets(1, 2, *args, pace, grid) == pytest.approx(plain)

    @given(wanting=st.integers(1, 4), pairs=st.integers(0, 4))
    def test_a_pair_more_is_never_worse(self, wanting: int, pairs: int) -> None:
        pairs = min(pairs, (1 + 3 * wanting) // 2 - 1)
        args = (0.02, 0.2, 0.02, 1.5, 2.0, 15.0, 5.0, 3.0)
        grid = np.zeros((5, 9))
        fewer = along_triplets(wanting, pairs, *args, pace_of(10, 0.05), grid)
        assert along_triplets(wanting, pairs + 1, *args, pace_of(10, 0.05), grid) >= fewer


class TestPromises:
    @settings(deadline=None, max_examples=15)
    @given(rules=rulesets(), seed=st.integers(0, 1000))
    def test_only_legal_actions_under_any_rules(self, rules: zj.Rules, seed: int) -> None:
        views = choices(rules, 8, seed)
        assert np.all(views["legal"] >> expert().act(views) & 1)

    @pytest.mark.parametrize("name", agents.STYLES)
    def test_styles_play_every_preset(self, name: str) -> None:
        agent = agents.make(name)
        assert isinstance(agent, zj.Agent)
        for rules in PRESETS:
            views = choices(rules, 4)
            assert np.all(views["legal"] >> agent.act(views, mask(views), None) & 1)

    def test_a_decision_does_not_depend_on_its_batch(self) -> None:
        views = choices(n=8)
        agent = expert()
        whole = agent.scores(views)
        for part in (slice(0, 1), slice(7, 8), slice(3, 40), slice(None, None, -1)):
            assert np.array_equal(agent.scores(views[part]), whole[part])

    def test_scores_are_of_legal_actions_alone(self) -> None:
        views = choices(n=8)
        assert np.array_equal(np.isfinite(expert().scores(views)), mask(views))

    def test_nothing_hidden_is_read(self) -> None:
        rng = np.random.default_rng(5)
        for games, views in played("guiyang", 4, 8)[::7]:
            for seat in range(4):
                mine = np.flatnonzero(~games.done & (games.seat == seat))
                if len(mine):
                    other = redealt(games[mine], seat, rng).view()
                    assert np.array_equal(expert().act(other), expert().act(views[mine]))

    def test_threads_change_nothing(self) -> None:
        one, two = (
            zj.arena.match(expert(), "greedy", blocks=20, seed=4, threads=n).per_block
            for n in (1, 2)
        )
        assert np.array_equal(one, two)

    @pytest.mark.boundscheck
    def test_it_reads_within_bounds(self) -> None:
        for rules in PRESETS:
            expert().act(choices(rules, 2))


def own_turn(hand: str, drawn: str, rules: Any = "guiyang", **fields: Any) -> NDArray[np.void]:
    """The view of a dealer's opening hand, then changed."""
    deal = Scenario("engine", rules, hands={0: hand + drawn})
    games = zj.Games(1, rules)
    games.reset(walls=np.array(deal.wall), dealers=0)
    view = games.view()
    for name, value in fields.items():
        view[name] = value
    return view


class TestChoices:
    def one(self, view: NDArray[np.void], **changed: float) -> str:
        return actions.NAMES[int(expert(**changed).act(view)[0])]

    def test_a_big_win_is_taken(self) -> None:
        assert self.one(own_turn("1111222233334m", "4m")) == "hu"

    def test_a_pattern_is_aimed_at_for_what_it_pays(self) -> None:
        # Four pairs and the run 567s: seven pairs would break the run, a basic hand would keep it.
        aims = {}
        for fan in (0, 60):
            rules = {"preset": "guiyang", "hand": {"qi_dui": fan, "long_qi_dui": fan}}
            view = own_turn("1199m1199p567s38m", "5p", rules)
            aims[fan] = self.one(view)
        assert aims[0] in ("discard 3m", "discard 8m", "discard 5p")
        assert expert().scores(own_turn("1199m1199p567s38m", "5p", rules)).max() > 5

    def test_a_foul_is_priced_as_one(self) -> None:
        views = by_greedy("zhuoji", 256, 5)
        marked = views[(views["legal"] >> HU & 1).astype(bool) & (views["tile"] >= 0)].copy()
        assert len(marked) > 3
        marked["marked"] = 0
        assert np.mean(expert().act(marked) == HU) > 0.9
        marked["marked"] = 1
        assert np.mean(expert().act(marked) == HU) < 0.4

    def test_fear_tells_on_what_is_thrown_at_a_baoting_seat(self) -> None:
        views = by_greedy("guiyang", 32, 5)
        turns = views[(views["phase"] == TURN) & (views["n_discards"] > 12)].copy()
        turns["baoting"][:, 1] = 1
        turns["baoting"][:, 0] = 0
        bold, shy = expert(fear=0.0).act(turns), expert(fear=6.0).act(turns)
        safe = [
            {int(d) for d in view["discards"][first:n]}
            for view, first, n in (
                (view, int(np.argmax(view["discard_seat"] == 1)), int(view["n_discards"]))
                for view in turns
            )
        ]
        kept = [
            np.mean([a in s for a, s in zip(chosen, safe, strict=True)]) for chosen in (bold, shy)
        ]
        assert kept[1] > kept[0] + 0.1


class TestWhatCounts:
    """What a ruleset pays for is in the score of what leads to it."""

    # Ready for 3p without the 5s.
    HAND = "123456789m12p99s", "5s"
    KEEP, BREAK = tiles.parse("5s")[0], tiles.parse("1p")[0]

    def score(self, view: NDArray[np.void], action: int, **changed: float) -> float:
        return float(expert(**changed).scores(view)[0, action])

    def test_the_passport_bars_a_basic_hand_from_discards(self) -> None:
        view = own_turn(*self.HAND)
        barred = self.score(view, self.KEEP)
        view["rules"]["win_passport"] = 0
        assert self.score(view, self.KEEP) > barred + 0.1

    def test_at_the_walls_end_a_ready_hand_is_paid_for(self) -> None:
        view = own_turn(*self.HAND, wall_left=0)
        plain = {"fear": 0.0, "kong": 0.0, "ji": 0.0, "others_ready": 0.8, "ready_fan": 1.5}
        gap = self.score(view, self.KEEP, **plain) - self.score(view, self.BREAK, **plain)
        # R44: paid 1 by those of three who are not ready, against paying those who are.
        assert gap == pytest.approx(3 * 0.2 * 1 + 3 * 0.8 * 1.5)

    def test_a_dealers_streak_is_worth_more(self) -> None:
        scores = [self.score(own_turn(*self.HAND, streak=n), self.KEEP) for n in (1, 5)]
        assert scores[1] > scores[0] + 0.1

    def test_the_first_yaoji_is_worth_throwing(self) -> None:
        hand = "123456789m1s994p", "5p"
        first, later = (own_turn(*hand, first_yaoji=place) for place in (-1, 0))
        first["rules"]["ji_zeren"] = later["rules"]["ji_zeren"] = 0
        assert self.score(first, tiles.YAOJI) > self.score(later, tiles.YAOJI)
        for view in (first, later):
            view["rules"]["ji_charge"] = 0
        assert self.score(first, tiles.YAOJI) < self.score(later, tiles.YAOJI)

    def test_nothing_is_worth_doing_after_the_end(self) -> None:
        games = zj.Games(1, "guiyang", seed=1)
        games.reset()
        while not games.done.all():
            games.step(zj.baselines.make("greedy").act(games.view()))
        assert np.all(np.isneginf(expert().scores(games.view())))


class TestConfigs:
    def test_every_parameter_is_explained_and_bounded(self) -> None:
        for one in fields(Parameters):
            assert one.metadata["meaning"]
            assert one.metadata["low"] <= one.default <= one.metadata["high"]

    def test_styles_differ(self) -> None:
        views = choices(n=32)
        legal = mask(views)
        plays = {agents.make(name).act(views, legal, None).tobytes() for name in agents.STYLES}
        assert len(plays) == len(agents.STYLES)

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("fear: -1", "fear is -1; allowed: numbers 0..6"),
            ("fear: much", "fear is 'much'; allowed: numbers 0..6"),
            ("feer: 1", "unknown 'feer'; allowed: others_end, others_rise"),
            ("[1]", "list given; allowed: names and numbers"),
            ("a: [", "cannot be read"),
            ("like: mine", "like is 'mine'; allowed: other"),
            ("like: ../expert", "like is '../expert'; allowed: other"),
            ("like: other", "other.yaml: like is 'mine'; allowed: "),
        ],
    )
    def test_a_bad_config_is_refused(self, tmp_path: Path, text: str, said: str) -> None:
        path = tmp_path / "mine.yaml"
        path.write_text(text)
        (tmp_path / "other.yaml").write_text("like: mine\n")
        with pytest.raises(zj.ZhuojiError, match=f"(mine.yaml: .*)?{said}".replace("[", r"\[")):
            make(config=path)

    def test_a_style_starts_from_another(self, tmp_path: Path) -> None:
        (tmp_path / "base.yaml").write_text("fear: 2\n")
        (tmp_path / "mine.yaml").write_text("like: base\nbig: 0.5\n")
        mine = parameters.load(tmp_path / "mine.yaml")
        assert asdict(mine) == {**asdict(PLAIN), "fear": 2, "big": 0.5}

    def test_an_unknown_agent_is_refused_with_the_nearest(self) -> None:
        with pytest.raises(zj.ZhuojiError, match="did you mean expert"):
            agents.make("exprt")
        with pytest.raises(zj.ZhuojiError, match="did you mean cautious"):
            zj.arena.match("caution", "greedy", blocks=2)
