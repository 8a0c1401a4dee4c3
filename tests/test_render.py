"""Tables and bills as text: golden pages in both languages, and nothing hidden in a seat's page."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import zhuoji_env as zj
from tests.hidden import redealt
from tests.scenario import DULL, Scenario
from zhuoji_env import actions, baselines, render, tiles
from zhuoji_env.engine.layout import ITEMS, PATTERNS
from zhuoji_env.rules.ruleset import PRESETS

GREEDY = baselines.make("greedy")
GREEDY.reset(1, 0)

# The example of FORMATS.md.
DEAL: dict[str, Any] = {
    "rules": "guiyang",
    "dealer": 2,
    "streak": 1,
    "wall": (
        "4m1s9m8m9m6m3s5p3m5m2s2s3s6m2s3m1p4m8m7s6m7s5m4s1m9p3p1p5s7p1s5m6p7p7m8s1s9m6p2m4p2p3p2p6s"
        "5s8p8p9s1m4m6s8m1p2m9s2s7m2m8s9p1s7s9s8s5s4p3m7s3p1p8s5p8p6s2p7m7m7p3m9p3s9s3s5s4s1m8p4m4s"
        "3p2m5m8m5p6s6p6p5p4p9m1m2p9p6m4s7p4p"
    ),
    "actions": [
        "2 discard 9m", "3 pass", "3 discard 7s", "0 baoting", "0 discard 9p", "1 discard 3m",
        "0 pass", "2 discard 1p", "3 discard 1p", "0 discard 2m", "1 discard 6m", "0 hu",
    ],
}  # fmt: skip


def played(record: dict[str, Any], n: int | None = None) -> zj.Games:
    """The table after the first n decisions of a record."""
    games = zj.Games(1, rules=record["rules"], seed=0)
    games.reset(
        walls=[tiles.parse(record["wall"])], dealers=record["dealer"], streaks=record["streak"]
    )
    for text in record["actions"][:n]:
        seat, _, action = text.partition(" ")
        assert int(seat) == games.seat[0], text
        games.step([actions.parse(action)])
    return games


def added_kong(rules: Any = "zhuoji") -> Scenario:
    """South adds the 6p that it kept to its peng; West, who waits for it, is asked."""
    deal = Scenario(
        "engine",
        rules,
        hands={0: DULL + "6p", 1: "666p456789m33p7s9s", 2: "123456789m45p22s"},
        draws="1m 1m 1m 7s",
        replacements="7s",
        indicator="8m",
        streak=3,
    )
    deal.play("0 discard 6p", "1 peng", "1 discard 9s").coast(discards=3)
    return deal.play("1 gang 6p")


DECLARED = """\
rules guiyang, 53 tiles in the wall, dice 2 2
> East (player_0), baoting
    hand    1345m1223349p22s + 2m
    melds   -
    river   -
  South (player_1)
    hand    356m788p1235566s
    melds   -
    river   -
  West (player_2), dealer, deal 1 in a row
    hand    447888m167p1789s
    melds   -
    river   9m
  North (player_3)
    hand    1256699m156p134s
    melds   -
    river   7s
(in parentheses: claimed)
East to act, has declared baoting and owes the discard, may discard 9p"""

WON_ZH = """\
规则 guiyang，牌墙剩 48 张，骰子 2 2
  东家（player_0），报听
    手牌    一万 二万 三万 四万 五万 一筒 二筒 二筒 三筒 三筒 四筒 二条 二条 + 六万，听 三万 六万
    副露    无
    牌河    九筒 二万
  南家（player_1）
    手牌    五万 七筒 八筒 八筒 幺鸡 二条 三条 五条 五条 六条 六条 八条 九条
    副露    无
    牌河    三万 (六万)
  西家（player_2），庄，连庄第 1 局
    手牌    四万 四万 七万 八万 八万 八万 六筒 七筒 幺鸡 二条 七条 八条 九条
    副露    无
    牌河    九万 一筒
  北家（player_3）
    手牌    一万 二万 五万 六万 六万 七万 九万 九万 五筒 六筒 幺鸡 三条 四条
    副露    无
    牌河    七条 一筒
（括号中的牌已被碰、杠或胡）
东家胡南家打出的 六万：平胡，10 番
翻牌 九筒，捉鸡 一筒
听牌：东家
  胡                        南家付东家 10
  幺鸡                      东家、西家、北家各付南家 1
  幺鸡                      东家、南家、北家各付西家 1
  幺鸡                      东家、南家、西家各付北家 1
  捉鸡                      东家、南家、北家各付西家 1
  捉鸡                      东家、南家、西家各付北家 1
  捉鸡                      南家、西家、北家各付东家 1
得分：东家 +8、南家 -12、西家 +2、北家 +2
下一局庄：东家，连庄第 1 局"""

WON_NORTH = """\
rules guiyang, 48 tiles in the wall, dice 2 2
  East (player_0), baoting
    hand    12345m122334p22s + 6m, waits for 3m 6m
    melds   -
    river   9p 2m
  South (player_1)
    hand    #############
    melds   -
    river   3m (6m)
  West (player_2), dealer, deal 1 in a row
    hand    #############
    melds   -
    river   9m 1p
  North (player_3)
    hand    12566799m56p134s
    melds   -
    river   7s 1p
(in parentheses: claimed)
East wins on 6m, discarded by South: ping_hu, 10 fan
indicator 9p, zhuo ji 1p
ready: East
  hu                        South pays East 10
  yao_ji                    East, West and North pay South 1 each
  yao_ji                    East, South and North pay West 1 each
  yao_ji                    East, South and West pay North 1 each
  zhuo_ji                   East, South and North pay West 1 each
  zhuo_ji                   East, South and West pay North 1 each
  zhuo_ji                   South, West and North pay East 1 each
points: East +8, South -12, West +2, North +2
next dealer: East, deal 1 in a row"""

ASKED = """\
rules zhuoji, 51 tiles in the wall, dice 2 2
  East (player_0), dealer, deal 3 in a row
    hand    1245789p235689s
    melds   -
    river   (6p) 1m
  South (player_1)
    hand    456789m33p77s, waits for 3p 7s
    melds   peng 6p from East
    river   9s
> West (player_2)
    hand    123456789m45p22s, waits for 3p 6p
    melds   -
    river   1m
  North (player_3)
    hand    1245789p235689s
    melds   -
    river   1m
(in parentheses: claimed)
last: East discard 1m, South gang 6p
6p, added by South to a peng, is in question, West is asked, may hu, pass"""

ASKED_SOUTH = """\
rules zhuoji, 51 tiles in the wall, dice 2 2
  East (player_0), dealer, deal 3 in a row
    hand    #############
    melds   -
    river   (6p) 1m
  South (player_1)
    hand    456789m33p77s, waits for 3p 7s
    melds   peng 6p from East
    river   9s
  West (player_2)
    hand    #############
    melds   -
    river   1m
  North (player_3)
    hand    #############
    melds   -
    river   1m
(in parentheses: claimed)
6p, added by South to a peng, is in question"""

PASSED_ZH = """\
规则 zhuoji，牌墙剩 50 张，骰子 2 2
  东家（player_0），庄，连庄第 3 局
    手牌    1245789p235689s
    副露    无
    牌河    (6p) 1m
> 南家（player_1）
    手牌    456789m33p77s + 7s，听 3p 7s
    副露    转弯豆 6p（东家）
    牌河    9s
  西家（player_2），过胡
    手牌    123456789m45p22s，听 3p 6p
    副露    无
    牌河    1m
  北家（player_3）
    手牌    1245789p235689s
    副露    无
    牌河    1m
（括号中的牌已被碰、杠或胡）
轮到南家，杠后摸 7s，可打、胡"""

ROBBED = """\
West wins on 6p, robbed from the kong of South: ping_hu, 10 fan
indicator 8m, zhuo ji 9m
ready: South and West
  dealer                    South pays West 30
  hu                        South pays West 30
  zhuo_ji                   East, West and North pay South 10 each
  zhuo_ji                   East, South and North pay West 10 each
points: East -20, South -40, West +80, North -20
next dealer: West, deal 1 in a row"""


class TestGolden:
    def test_a_declared_baoting_owes_its_discard(self) -> None:
        assert render.table(played(DEAL, 4)) == DECLARED

    def test_a_win_on_a_discard(self) -> None:
        games = played(DEAL)
        assert render.table(games, tiles="faces", language="zh") == WON_ZH
        assert render.bill(games, tiles="faces", language="zh") == WON_ZH.partition("胡）\n")[2]

    def test_at_the_end_winners_show_and_losers_keep_their_hands(self) -> None:
        assert render.table(played(DEAL), seat=3) == WON_NORTH

    def test_an_added_kong_that_may_be_robbed(self) -> None:
        games = played(added_kong().record())
        last = [(0, actions.parse("discard 1m")), (1, actions.parse("gang 6p"))]
        assert render.table(games, events=last) == ASKED
        assert render.table(games, seat=1, events=last) == ASKED_SOUTH

    def test_a_passed_win_and_a_replacement(self) -> None:
        games = played(added_kong().play("2 pass").record())
        assert render.table(games, language="zh") == PASSED_ZH

    def test_a_robbed_kong(self) -> None:
        assert render.bill(played(added_kong().play("2 hu").record())) == ROBBED

    def test_a_late_kong_is_its_owners_secret(self) -> None:
        """R12 prices it, and only the owner knows which tiles were drawn when."""
        rules = {"preset": "zhuoji", "base": 2, "dou": {"late_added": "passport"}}
        deal = added_kong(rules).play("2 pass")
        games = played(deal.record())
        late = "melds   zhuan_wan 6p from East late"
        assert late in render.table(games)
        assert late in render.table(games, seat=1)
        assert "melds   zhuan_wan 6p from East\n" in render.table(games, seat=0)
        bill = render.bill(played(deal.play("1 hu").record()))
        assert bill.splitlines()[-2].endswith(", base 2 per fan")

    def test_after_a_peng(self) -> None:
        games = played(added_kong().record(), 2)
        assert render.table(games).endswith("\nSouth to act after a peng, may discard")

    def test_a_session(self) -> None:
        head = render.session(2, 3, [1, -2, 1, 0])
        assert head == "deal 2 of 3, points so far: East +1, South -2, West +1, North +0"

    def test_a_table_not_dealt(self) -> None:
        assert render.table(zj.Games(1)) == "not dealt yet"


class TestWords:
    def test_every_item_and_pattern_has_a_name_in_every_language(self) -> None:
        for words in render.LANGUAGES.values():
            assert set(words.items) == set(ITEMS)
            assert set(words.patterns) == set(PATTERNS)
            assert len(set(words.items.values())) == len(ITEMS)

    @pytest.mark.parametrize(
        ("arguments", "says"),
        [
            ({"i": 1}, "table 1 does not exist"),
            ({"i": -1}, "table -1 does not exist"),
            ({"tiles": "svg"}, "tiles 'svg' is unknown; allowed: mpsz, faces"),
            ({"language": "de"}, "language 'de' is unknown; allowed: en, zh"),
            ({"seat": 4}, "seat 4 is unknown"),
        ],
    )
    def test_bad_arguments(self, arguments: dict[str, Any], says: str) -> None:
        with pytest.raises(ValueError, match=says):
            render.table(played(DEAL, 2), **arguments)

    def test_no_bill_before_the_end(self) -> None:
        with pytest.raises(ValueError, match="table 0 has not finished its deal"):
            render.bill(played(DEAL, 5))


def some_way_in(rules: str, seed: int, decisions: int) -> zj.Games:
    games = zj.Games(1, rules=rules, seed=seed)
    games.reset()
    rng = np.random.default_rng(seed)
    for _ in range(decisions):
        if games.done[0]:
            break
        wild = rng.random() < 0.1
        choice = rng.choice(np.flatnonzero(games.legal[0])) if wild else None
        games.step(
            GREEDY.act(games.view(), games.legal, None) if choice is None else np.array([choice])
        )
    return games


PRESET = st.sampled_from(sorted(PRESETS))
SEED = st.integers(0, 2**32 - 1)
STYLE = st.fixed_dictionaries(
    {"tiles": st.sampled_from(render.TILES), "language": st.sampled_from(sorted(render.LANGUAGES))}
)


@settings(max_examples=80, deadline=None)
@given(
    rules=PRESET, seed=SEED, decisions=st.integers(0, 150), viewer=st.integers(0, 3), style=STYLE
)
def test_a_seats_page_shows_nothing_hidden(
    rules: str, seed: int, decisions: int, viewer: int, style: dict[str, str]
) -> None:
    """Dealt anew behind its back the page stays the same; the spectator's does not."""
    games = some_way_in(rules, seed, decisions)
    assume(not games.done[0])
    other = redealt(games, viewer, np.random.default_rng(seed))
    page: Any = {"seat": viewer, **style}
    assert render.table(games, **page) == render.table(other, **page)
    spectator: Any = style
    assert render.table(games, **spectator) != render.table(other, **spectator)


@settings(max_examples=60, deadline=None)
@given(rules=PRESET, seed=SEED)
def test_a_bill_in_words_adds_up(rules: str, seed: int) -> None:
    """Every line of payments read back gives the scores."""
    games = some_way_in(rules, seed, 10**4)
    seats = render.LANGUAGES["en"].seats
    received = dict.fromkeys(seats, 0)
    for line in render.bill(games).splitlines():
        if line.startswith("  "):
            told = line[28:].replace(" each", "").replace(" pays ", " pay ")
            payers, _, rest = told.partition(" pay ")
            payee, fan = rest.split(" ")
            for payer in payers.replace(" and ", ", ").split(", "):
                received[payer] -= int(fan)
                received[payee] += int(fan)
    assert list(received.values()) == games.scores[0].tolist()
