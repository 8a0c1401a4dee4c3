"""Bills in words: every fan once, what is not paid and why, and the pages they make."""

from __future__ import annotations

import json
import string
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import zhuoji_env as zj
from tests import referee, rigging
from tests.rigging import THEMES, random_rules
from tests.scenario import position, seat
from tests.strategies import rulesets
from tests.test_calculator import EXAMPLE, example, finished
from tests.test_cli_rules import Capture, refused, run
from zhuoji_env.calculator import Settlement, position_of, settle_all
from zhuoji_env.calculator.explanation import LANGUAGES, lines

Bill = Counter[tuple[str, int, int]]


def explained(settled: Settlement, language: str = "en") -> Bill:
    """The fan that the lines account for, by (item, payer, payee)."""
    fan: Bill = Counter()
    for line in settled.explain(language):
        for payer, payee, n in line.entries:
            assert line.item is not None
            assert n > 0
            fan[line.item, payer, payee] += n
    return fan


def billed(settled: Settlement) -> Bill:
    items = settled.result["items"]
    return Counter({(item, payer, payee): fan for item, payer, payee, fan in items})


def rigged_end(theme: str, rng: Random, rules: referee.Rules) -> dict[str, Any]:
    """The position in which a rigged deal ends."""
    deal = rigging.rigged(theme, rng, rules)
    table = referee.Referee(rules, deal.wall, deal.dealer, deal.streak, Counter())
    while not table.done:
        table.step(rigging.choose(deal.policy, table, rng))
    return table.position()


def rulesets_of(rng: Random) -> Iterator[referee.Rules]:
    """Every preset some times, every switch turned now and then, and whole rulesets drawn."""
    for preset in referee.PRESETS:
        yield from [referee.PRESETS[preset]] * 8
        turned = rigging.turned_once(preset)
        yield from (rules for _, rules in rng.sample(turned, 8))
    yield from (random_rules(rng) for _ in range(50))


class Said(dict[str, str]):
    """Phrases that remember which of them were used."""

    def __init__(self, phrases: Mapping[str, str], used: set[str]) -> None:
        super().__init__(phrases)
        self.used = used

    def __getitem__(self, key: str) -> str:
        self.used.add(key)
        return super().__getitem__(key)


# Every fan once


def test_rigged_ends_are_explained_to_the_fan_in_every_phrase(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    english, used = LANGUAGES["en"], set[str]()
    heard = replace(english, phrases=Said(english.phrases, used))
    monkeypatch.setattr(lines, "LANGUAGES", {**LANGUAGES, "en": heard})
    for theme in THEMES:
        rng = Random(f"explain {theme}")
        ends = [rigged_end(theme, rng, rules) for rules in rulesets_of(rng)]
        for end, settled in zip(ends, settle_all(ends), strict=True):
            before, state = json.dumps(settled.to_dict()), settled.games.state.tobytes()
            assert explained(settled) == billed(settled), json.dumps(end)
            assert explained(settled, "zh") == billed(settled)
            assert json.dumps(settled.to_dict()) == before
            assert settled.games.state.tobytes() == state
            settled.to_html()
    # No reason and no payment without a case.
    assert english.phrases.keys() - used == set()


@settings(max_examples=40, deadline=None)
@given(rules=rulesets(), seed=st.integers(0, 2**32))
def test_ends_under_any_rules_are_explained_to_the_fan(rules: zj.Rules, seed: int) -> None:
    games = finished(rules, seed, n=40)
    for settled in settle_all([position_of(games, i) for i in range(len(games))]):
        assert explained(settled) == billed(settled)


# The words


def told(spot: dict[str, Any], language: str = "en") -> list[str]:
    """The lines of a position, with their clauses."""
    return [str(line) for line in zj.settle(spot).explain(language)]


def test_the_example_in_words() -> None:
    assert told(EXAMPLE) == [
        "seat 2 wins on 3m: da dui zi 50; the shooter, seat 1, pays 50 (R23)",
        "dealer bonus 10 x 1 = 10, seat 1 in deal 1 in a row: seat 1 to seat 2 (R21)",
        "hot shot: seat 1 declared men dou of 2p in the turn of the discard won on (R31)",
        "for the hot shot seat 1 pays seat 2 what the turn's dou would have collected: "
        "3 x 20 for men dou of 2p = 60 (R31)",
        "the indicator is 2m (R37)",
        "zhuo ji: 3m (R40)",
        "zhuan wan dou of 6p of seat 1: three seats pay 30 each (R35)",
        "men dou of 2p of seat 1: nothing, lost by the hot shot (R31)",
        "seat 0: yaoji 1s, 1 held x 10 = 10; three seats pay 10 each (R39)",
        "seat 0: zhuo ji 3m, 1 held x 10 = 10; three seats pay 10 each (R40)",
        "seat 1: yaoji 1s, 1 held x 10 = 10; nothing, lost by the hot shot (R31)",
        "seat 2: zhuo ji 3m, 3 held x 10 = 30; three seats pay 30 each (R40)",
        "seat 3: charge ji 1s, 20; nothing, as the seat is not ready (R43)",
        "seat 2, the one winner, deals next, deal 1 in a row (R45, R47)",
        "points, 1 x fan: +0 -80 +160 -80 (R26)",
    ]


def test_the_example_in_chinese() -> None:
    words = told(EXAMPLE, "zh")
    assert words[0] == "2号位胡三万：大对子 50 番；放炮的1号位付 50 番 (R23)"
    assert words[3] == ("热炮：1号位另付2号位本轮各豆本可收的钱：二筒闷豆 3×20＝60 番 (R31)")
    assert words[12] == "3号位的冲锋鸡幺鸡，20 番；不收，未听牌 (R43)"


def test_a_line_says_who_pays_whom() -> None:
    dou = zj.settle(EXAMPLE).explain()[6]
    assert dou.to_dict() == {
        "item": "zhuan_wan_dou",
        "clause": "R35",
        "words": "zhuan wan dou of 6p of seat 1: three seats pay 30 each",
        "entries": [[0, 1, 30], [2, 1, 30], [3, 1, 30]],
    }
    assert dou.change == [-30, 90, -30, -30]


@pytest.mark.parametrize(
    ("rules", "reason"),
    [
        ({"dou": {"dealt_late": "passport"}}, "nothing, late, so a passport only (R12)"),
        ({"dou": {"table": True}}, "nothing, counted in the winner's hand instead (R36)"),
    ],
)
def test_why_a_winners_dou_is_not_paid(rules: dict[str, Any], reason: str) -> None:
    late = " late" if "dealt_late" in rules["dou"] else ""
    spot = example(rules={"preset": "zhuoji", **rules}, turn_kongs=[])
    spot["seats"][2]["melds"] = [f"men 9p{late}"]
    assert f"men dou of 9p of seat 2: {reason}" in told(spot)


@pytest.mark.parametrize(
    ("winner", "on_replacement", "parts"),
    [
        (
            {"hand": "123456789m12s55p", "melds": [], "river": "", "baoting": True},
            False,
            "ping hu 1 + 10 for baoting = 11 + zi mo 2 = 13",
        ),
        (
            {"hand": "123456m12s55p", "melds": ["men 9s"], "river": ""},
            True,
            "ping hu 1 + zi mo 2 + gang shang hua 3 = 6",
        ),
    ],
)
def test_the_parts_of_a_hand(winner: dict[str, Any], on_replacement: bool, parts: str) -> None:
    rules = {
        "preset": "guiyang",
        "hand": {"gang_shang_hua": 3, "zi_mo": 2},
        "baoting": {"combine": "add"},
    }
    spot = position(
        rules,
        [winner, *DULL],
        end="self_draw",
        winners=[0],
        tile="3s",
        on_replacement=on_replacement,
    )
    total = parts.rpartition(" = ")[2]
    assert told(spot)[0] == f"seat 0 self-draws 3s: {parts}; three seats pay {total} each (R22)"


DULL = [seat("147m258p368s1478p"), seat("258m369p147s3697p"), seat("369m147p258s2582m")]


def fields_of(phrase: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(phrase) if name}


def test_both_languages_tell_the_same() -> None:
    english, chinese = LANGUAGES["en"], LANGUAGES["zh"]
    assert english.phrases.keys() == chinese.phrases.keys()
    for key, phrase in english.phrases.items():
        # What is the same for a whole line may be said in one language and understood in another.
        assert fields_of(chinese.phrases[key]) <= fields_of(phrase) | {"tile"}, key
    for part in ("melds", "patterns", "items"):
        assert getattr(english, part).keys() == getattr(chinese, part).keys()


def test_a_language_there_is_not() -> None:
    with pytest.raises(zj.ZhuojiError, match="language: 'fr' given; allowed: en, zh"):
        zj.settle(EXAMPLE).explain("fr")


# Pages


class Cells(HTMLParser):
    """The text of every row's cells, and the tags that were opened."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.tags: Counter[str] = Counter()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_data(self, data: str) -> None:
        if self.rows and self.rows[-1]:
            self.rows[-1][-1] += data.strip("\n")


def read(page: str) -> Cells:
    cells = Cells()
    cells.feed(page)
    cells.close()
    return cells


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_the_page_of_a_bill(language: str) -> None:
    settled = zj.settle(EXAMPLE)
    page = settled.to_html(language)
    cells = read(page)
    told = settled.explain(language)
    head, *rows, foot = cells.rows
    assert [row[-1] for row in rows] == [line.words for line in told]
    assert [row[0] for row in rows] == [line.item or "" for line in told]
    assert rows[0] == ["hu", "R23", "", "-50", "+50", "", told[0].words]
    assert foot[2:6] == ["+0", "-80", "+160", "-80"]
    assert len(head) == len(foot) == 7
    assert "http" not in page  # nothing is fetched
    assert cells.tags["script"] == cells.tags["link"] == 0


def test_the_page_escapes_what_others_wrote() -> None:
    name = "<script>alert('&')</script>"
    page = zj.settle(example(rules={"preset": "guiyang", "base": 2, "name": name})).to_html()
    assert read(page).tags["script"] == 0
    assert "&lt;script&gt;alert(&#x27;&amp;&#x27;)" in page


# The command


def file_of(tmp_path: Path, *spots: dict[str, Any]) -> str:
    file = tmp_path / ("p.json" if len(spots) == 1 else "p.jsonl")
    file.write_text("".join(json.dumps(spot) + "\n" for spot in spots))
    return str(file)


def test_settle_prints_the_words(capsys: Capture, tmp_path: Path) -> None:
    text = run(capsys, "settle", file_of(tmp_path, EXAMPLE))
    for line in zj.settle(EXAMPLE).explain():
        assert line.words in text
    chinese = run(capsys, "settle", "--language", "zh", file_of(tmp_path, EXAMPLE))
    for line in zj.settle(EXAMPLE).explain("zh"):
        assert line.words in chinese


def test_settle_json_explains_beside_the_result(capsys: Capture, tmp_path: Path) -> None:
    args = ("settle", "--json", "--explain", "--language", "zh")
    value = json.loads(run(capsys, *args, file_of(tmp_path, EXAMPLE)))
    settled = zj.settle(EXAMPLE)
    assert value == {
        "result": settled.to_dict(),
        "explanation": [line.to_dict() for line in settled.explain("zh")],
    }


def test_settle_writes_a_page_whole_or_not_at_all(capsys: Capture, tmp_path: Path) -> None:
    good = file_of(tmp_path, EXAMPLE, EXAMPLE)
    out = tmp_path / "p.html"
    assert run(capsys, "settle", "--html", good, "--out", str(out)) == ""
    assert read(out.read_text(encoding="utf-8")).tags["table"] == 2
    before = out.read_bytes()
    bad = file_of(tmp_path, EXAMPLE, example(end="never"))
    assert "line 2: end: 'never' given" in refused(
        capsys, "settle", "--html", bad, "--out", str(out)
    )
    assert out.read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["p.html", "p.jsonl"]


def test_settle_html_alone_is_the_page(capsys: Capture, tmp_path: Path) -> None:
    page = run(capsys, "settle", "--html", file_of(tmp_path, EXAMPLE))
    assert read(page).rows[1:] == read(zj.settle(EXAMPLE).to_html()).rows[1:]


@pytest.mark.parametrize(
    ("args", "reason"),
    [
        (("--language", "fr"), "language: 'fr' given; allowed: en, zh"),
        (("--json", "--html"), "--json and --html given; allowed: one of them"),
        (("--explain",), "--explain given; allowed: with --json"),
    ],
)
def test_settle_options_that_do_not_go(
    capsys: Capture, tmp_path: Path, args: tuple[str, ...], reason: str
) -> None:
    assert reason in refused(capsys, "settle", *args, file_of(tmp_path, EXAMPLE))
