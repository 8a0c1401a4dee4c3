"""Golden transcripts: the records in `tests/data/transcripts/` still tell what stands beside them.

`python -m tests.transcripts` writes the texts anew, should the wording change, and with `--choose`
picks the deals anew, should the rules.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from random import Random
from typing import Any

import pytest

import zhuoji_env as zj
from tests import transcripts
from tests.corpus import RULESETS, Record, allowed, reached, refereed
from tests.corpus import load as load_corpus
from zhuoji_env import actions, render, tiles
from zhuoji_env.engine.layout import AFTER_PENG, TURN
from zhuoji_env.record import Record as CheckedRecord
from zhuoji_env.record import replay_all, transcript
from zhuoji_env.rules import PRESETS

CORPUS = load_corpus()
UNDRAWN = 55
"""Tiles in the wall once all hands are dealt (R3)."""


def turns(record: Record) -> list[str]:
    """The turns of a transcript, without the hands before and the table after them."""
    return transcript(record).split("\n\n")[1].split("\n")


def cut(record: Record, number: int) -> Record:
    """A record that stops after so many actions."""
    kept = {key: value for key, value in record.items() if key != "result"}
    return {**kept, "actions": record["actions"][:number]}


def dealt(record: Record) -> zj.Games:
    """A record's table before the first decision."""
    games = zj.Games(1, rules=record["rules"])
    games.reset(
        walls=tiles.parse(record["wall"]), dealers=record["dealer"], streaks=record["streak"]
    )
    return games


def decisions(record: Record) -> list[tuple[int, int]]:
    return [(int(text[0]), actions.parse(text[2:])) for text in record["actions"]]


def undrawn(record: Record) -> int:
    """Undrawn tiles at the end."""
    games = dealt(record)
    for _, action in decisions(record):
        games.step([action])
    return int(games.state["tail"][0]) - int(games.state["head"][0])


def noted(preset: str, line: str) -> Record:
    """The first deal of a preset whose note names a line."""
    return next(record for record in transcripts.records(preset) if line in record["note"])


@pytest.mark.parametrize("preset", PRESETS)
class TestGolden:
    def test_the_text_is_what_the_records_tell(self, preset: str) -> None:
        expected = transcripts.text_file(preset).read_text(encoding="utf-8")
        assert transcripts.text(preset, transcripts.records(preset)) == expected

    def test_twenty_deals_under_the_preset(self, preset: str) -> None:
        records = transcripts.records(preset)
        assert [record["rules"] for record in records] == [preset] * transcripts.DEALS

    def test_the_recorded_results_are_right(self, preset: str) -> None:
        for replayed in replay_all(transcripts.records(preset)):
            assert replayed.verify()

    def test_they_show_every_branch_that_the_preset_allows(self, preset: str) -> None:
        counter: Counter[str] = Counter()
        for record in transcripts.records(preset):
            referee = refereed(record, RULESETS[preset], counter)
            assert referee.result() == record["result"]
        assert allowed(RULESETS[preset]) - reached(counter) == set()

    def test_chinese_says_as_much_and_nothing_in_english(self, preset: str) -> None:
        for record in transcripts.records(preset):
            english, chinese = transcript(record), transcript(record, language="zh")
            assert len(chinese.splitlines()) == len(english.splitlines())
            assert re.findall("[a-z]{2,}", re.sub(rf"player|规则 {preset}", "", chinese)) == []


class TestNothingIsLeftOut:
    """What a transcript tells, counted against the record."""

    @pytest.mark.parametrize("preset", PRESETS)
    def test_discards_draws_and_declarations(self, preset: str) -> None:
        for record in transcripts.records(preset):
            told = Counter(
                event.split()[0]
                for line in turns(record)
                if line[:4].strip()
                for event in line[12:].split(", ")
            )
            verbs = Counter(text.split()[1] for text in record["actions"])
            assert told["discard"] == verbs["discard"]
            assert told["baoting"] == verbs["baoting"]
            assert told["draw"] == UNDRAWN - undrawn(record)

    @pytest.mark.parametrize("preset", PRESETS)
    def test_declined_claims(self, preset: str) -> None:
        for record in transcripts.records(preset):
            passes = sum(text.endswith(" pass") for text in record["actions"])
            assert sum(": pass (could " in line for line in turns(record)) == passes

    def test_marks(self) -> None:
        """R19: East passes a win and is marked until it draws; a foul follows (R25)."""
        record = noted("zhuoji", "R25 foul, discard by 3")
        lines = turns(record)
        passed = next(i for i, line in enumerate(lines) if "marked until the next draw" in line)
        assert "pass (could hu" in lines[passed]
        assert "wins while marked: a foul" in transcript(record)

    def test_a_tile_that_two_ask_for(self) -> None:
        """R9: a peng is void where somebody wins, and the second hu where one alone may."""
        void = [line for record in CORPUS for line in turns(record) if line.endswith(", void")]
        said = {line.split(": ")[1].split(" (")[0].split()[0].rstrip(",") for line in void}
        assert said == {"peng", "gang", "hu"}


class TestAnyRecord:
    def test_the_corpus_is_told_in_both_languages_and_styles(self) -> None:
        for record in CORPUS:
            english = transcript(record)
            chinese = transcript(record, language="zh", tiles="faces")
            assert len(chinese.splitlines()) == len(english.splitlines())
            assert english.splitlines()[-1].startswith("next dealer: ")
            assert all(line == line.rstrip() for line in english.splitlines())

    def test_it_is_a_function_of_the_record_alone(self) -> None:
        record = transcripts.records("guiyang")[0]
        told = transcript(record)
        assert transcript(json.dumps(record)) == told
        assert transcript(CheckedRecord.parse(cut(record, len(record["actions"])))) == told
        assert transcript(zj.replay(record)) == told

    @pytest.mark.parametrize("preset", PRESETS)
    def test_a_deal_that_stops_early_ends_with_what_may_be_done(self, preset: str) -> None:
        record = Random(preset).choice(transcripts.records(preset))
        games, whole = dealt(record), "\n".join(turns(record))
        for number, (_, action) in enumerate(decisions(record), 1):
            games.step([action])
            question = render.table(games).splitlines()[-1]
            assert transcript(cut(record, number)).splitlines()[-1] == question
            if games.phase[0] in (TURN, AFTER_PENG):
                assert whole.startswith("\n".join(turns(cut(record, number))))

    def test_answers_that_nobody_has_acted_on_yet_are_told(self) -> None:
        record = noted("guiyang", "discard by 3")
        told = transcript(cut(record, len(record["actions"]) - 1)).split("\n\n")[1]
        assert told.count(": hu") == 2

    def test_a_variant_says_what_it_varies(self) -> None:
        record = {**cut(CORPUS[0], 0), "rules": {"preset": "zhuoji", "ji": {"men_yao": None}}}
        assert transcript(record).splitlines()[1] == "that is zhuoji with ji.men_yao null (not 80)"
        record["rules"] = {"preset": "guiyang", "win": {"multiple": False}, "ji": {"wu_gu": 1}}
        assert transcript(record, language="zh").splitlines()[1] == (
            "即 guiyang，但 win.multiple false（原 true）、ji.wu_gu 1（原 0）"
        )

    @pytest.mark.parametrize(
        ("dice", "shown"),
        [
            ([3, 4], ", dice 3 4"),
            ([5], ", dice 5"),
            ([True, 2], ", dice 2"),
            ([9, 2**80], ""),
            ([1, 2, 3], ""),
            ([], ""),
            ("3 4", ""),
            (None, ""),
        ],
    )
    def test_dice_are_shown_if_they_are_dice(self, dice: Any, shown: str) -> None:
        record = {**cut(CORPUS[0], 0), "rules": "duole", "dice": dice}
        assert transcript(record).splitlines()[0] == f"rules duole, 55 tiles in the wall{shown}"


class TestRefusals:
    def test_a_wrong_action(self) -> None:
        record = CORPUS[0]
        wrong = {**record, "actions": [*record["actions"], "0 hu"]}
        with pytest.raises(zj.RecordError, match="after the end of the deal"):
            transcript(wrong)

    def test_a_seat_that_is_not_asked(self) -> None:
        record = CORPUS[0]
        seat, action = decisions(record)[0]
        with pytest.raises(ValueError, match="is not asked"):
            render.transcript(dealt(record), [((seat + 1) % 4, action)])

    def test_an_illegal_action(self) -> None:
        record = CORPUS[0]
        with pytest.raises(zj.IllegalAction):
            render.transcript(dealt(record), [(record["dealer"], actions.PASS)])

    def test_an_unknown_style_or_language(self) -> None:
        with pytest.raises(ValueError, match="allowed: mpsz, faces"):
            transcript(CORPUS[0], tiles="emoji")
        with pytest.raises(ValueError, match="allowed: en, zh"):
            transcript(CORPUS[0], language="fr")

    def test_the_table_is_left_as_it_was(self) -> None:
        record = CORPUS[0]
        games = dealt(record)
        before = games.state.tobytes()
        render.transcript(games, decisions(record))
        assert games.state.tobytes() == before
