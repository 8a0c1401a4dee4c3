"""The rules page: in step with the schema, every value accounted for, every bill worked out."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import zhuoji_env as zj
from tests import referee
from zhuoji_env.cli import main
from zhuoji_env.engine.layout import ITEMS
from zhuoji_env.handbook import rules_page, rules_table
from zhuoji_env.handbook.examples import EXAMPLES, Example
from zhuoji_env.handbook.introduction import INTRODUCTION
from zhuoji_env.handbook.page import QUADS, told_bill
from zhuoji_env.rules import PRESETS, Rules, switches
from zhuoji_env.rules.provenance import READINGS, SOURCES, Provenance, provenance, readings_in_use
from zhuoji_env.rules.schema import nest

PAGE = Path(__file__).parents[1] / "docs" / "rules.md"


@pytest.fixture(scope="module")
def page() -> str:
    return PAGE.read_text(encoding="utf-8")


class TestPage:
    def test_it_is_in_step(self, page: str) -> None:
        assert page == rules_page(), "run: zhuoji rules page > docs/rules.md"

    def test_the_command_prints_it(self, page: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["rules", "page"]) == 0
        assert capsys.readouterr().out == page
        assert main(["rules", "page", "--json"]) == 0
        assert json.loads(capsys.readouterr().out) == rules_table()

    def test_every_switch_has_one_row_with_every_value(self, page: str) -> None:
        for switch in switches():
            (row,) = [line for line in page.splitlines() if f"| `{switch.path}` |" in line]
            clause, _, *cells, type_, meaning = row.strip("| ").split(" | ")
            assert (clause, type_, meaning) == (switch.clause, switch.type, switch.meaning)
            for preset, cell in zip(PRESETS, cells, strict=True):
                value = json.loads(json.dumps(Rules.load(preset).values[switch.path]))
                shown = {True: "true", False: "false", None: "null"}
                text = shown[value] if isinstance(value, bool | None) else str(value)
                assert re.fullmatch(rf"`{text}`( [EZPS]| off)?( r\d+)?", cell), row
                assert " " in cell, row

    def test_every_item_has_a_bill_and_a_name(self, page: str) -> None:
        for item in ITEMS:
            assert re.search(rf"^\| `{item}` \| \S+ \| \[\d+\]\(#bill-\d+\)", page, re.M), item

    def test_its_links_lead_somewhere(self, page: str) -> None:
        heads = re.findall(r"^#+ (.*)$", page, re.M)
        anchors = {head.lower().replace("`", "").replace(" ", "-") for head in heads}
        assert set(re.findall(r"\]\(#(.*?)\)", page)) <= anchors

    @pytest.mark.parametrize(
        ("word", "characters"),
        [
            ("Zhuoji", "捉鸡"),
            ("yaoji", "幺鸡"),
            ("peng", "碰"),
            ("gang", "杠"),
            ("hu", "胡"),
            ("men dou", "闷豆"),
            ("zhuan wan dou", "转弯豆"),
            ("dian dou", "点豆"),
            ("fan", "番"),
            ("zhuo ji", "捉鸡"),
            ("cha jiao", "查叫"),
        ],
    )
    def test_a_word_comes_with_its_characters_at_first(self, word: str, characters: str) -> None:
        game = INTRODUCTION.partition("## The game in one page")[2]
        first = re.search(rf"\b{word}\*+ \({characters}|\b{word}\b", game)
        assert first is not None
        assert characters in first[0], game[first.start() : first.start() + 40]

    def test_the_differences_hold(self, page: str) -> None:
        assert zj.shanten(QUADS) == -1
        assert f"`{QUADS}` is complete here, at distance -1" in page
        assert "is at distance 0 with 0 waits" in page
        assert "is at distance 1." in page


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.title)
class TestBills:
    def test_the_lines_add_up_to_the_bill(self, example: Example) -> None:
        result = zj.settle(example.position).to_dict()
        assert told_bill(example) == [tuple(entry) for entry in result["items"]]

    def test_the_referee_says_the_same(self, example: Example) -> None:
        changed = Rules.load("guiyang").diff(Rules.load(example.rules))
        spec = {"preset": "guiyang", **nest({path: here for path, (_, here) in changed.items()})}
        result = referee.settle({**example.position, "rules": spec})
        assert result == zj.settle(example.position).to_dict()

    def test_every_line_cites_its_clause(self, example: Example) -> None:
        assert all(re.match(r"R\d+(, R\d+)*: ", line.why) for line in example.lines)


class TestProvenance:
    @pytest.mark.parametrize("preset", PRESETS)
    def test_every_value_comes_from_somewhere(self, preset: str) -> None:
        for switch in switches():
            told = provenance(preset, switch.path)
            assert told.source or told.reading, switch.path
            assert told.source is None or told.source in SOURCES
            assert told.reading is None or told.reading in READINGS

    @pytest.mark.parametrize(
        ("preset", "document"),
        [("guiyang", "E"), ("zhuoji", "Z"), ("zhuoji_double", "Z"), ("duole", "P")],
    )
    def test_a_preset_has_one_document(self, preset: str, document: str) -> None:
        told = {provenance(preset, switch.path).source for switch in switches()}
        assert told == {document, "off", None}

    def test_custom_is_what_the_street_changes(self) -> None:
        changed = Rules.load("guiyang").diff(Rules.load("guiyang_street"))
        custom = [s.path for s in switches() if provenance("guiyang_street", s.path).source == "S"]
        assert custom == list(changed)

    @pytest.mark.parametrize("preset", ["guiyang", "zhuoji", "zhuoji_double", "duole"])
    def test_off_is_off(self, preset: str) -> None:
        for switch in switches():
            if provenance(preset, switch.path).source == "off":
                assert switch.house
                assert Rules.load(preset).values[switch.path] == switch.default

    def test_some_by_hand(self) -> None:
        assert provenance("guiyang", "dou.men") == Provenance("E", None)
        assert provenance("zhuoji", "ji.men_yao") == Provenance("Z", "four_yaoji")
        assert provenance("zhuoji_double", "ji.men_yao") == Provenance(None, "four_yaoji_double")
        assert provenance("duole", "hand.qing_qi_dui") == Provenance(None, "additive")
        assert provenance("guiyang_street", "ji.wu_gu") == Provenance("S", None)
        assert provenance("guiyang", "ji.wu_gu") == Provenance("off", None)

    @pytest.mark.parametrize("asked", [("nowhere", "base"), ("guiyang", "ji.nothing")])
    def test_what_does_not_exist(self, asked: tuple[str, str]) -> None:
        with pytest.raises(KeyError):
            provenance(*asked)

    def test_readings_without_a_switch_are_few(self) -> None:
        assert [key for key, count in readings_in_use().items() if not count] == [
            "no_dealer",
            "tail",
            "no_peng_lock",
            "last_discard",
            "no_dou_on_draw",
        ]
