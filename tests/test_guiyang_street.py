"""The preset `guiyang_street`: its eight switches, what its file says of them, and its bills."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.coverage_table import new_counts
from tests.lockstep import play_together
from tests.rigging import THEMES
from tests.scenario import DULL_MS, bill, each, pay, position, seat, settle
from zhuoji_env.rules import Rules
from zhuoji_env.rules.schema import nest

# What differs from guiyang: (there, here).
STREET: dict[str, tuple[Any, Any]] = {
    "dou.requires_ting": (False, True),
    "ji.requires_ting": (False, True),
    "ji.bao": (False, True),
    "ji.wu_gu": (0, 2),
    "ji.wu_gu_charge": (0, 4),
    "baoting.sha_bao": (0, 10),
    "dou.late_added": ("full", "passport"),
    "re_pao.on_rob": (False, True),
}
OVERRIDES = {"preset": "guiyang", **nest({path: here for path, (_, here) in STREET.items()})}
FILE = Path(__file__).parents[1] / "zhuoji_env" / "rules" / "presets" / "guiyang_street.yaml"


def test_its_switches() -> None:
    street = Rules.load("guiyang_street")
    assert Rules.load("guiyang").diff(street) == STREET
    assert street == Rules.load(OVERRIDES)
    assert street.fingerprint == "1175298c9eb8"
    assert street.to_overrides() == "guiyang_street"


def test_a_hot_shot_burns_everything() -> None:
    re_pao = Rules.load("guiyang_street").re_pao
    assert (re_pao.void, re_pao.burn_ji, re_pao.on_rob) == ("all", True, True)


def test_its_file_marks_the_switches_that_differ() -> None:
    told, section = {}, ""
    for line in FILE.read_text(encoding="utf-8").splitlines():
        code, _, comment = line.partition("#")
        if code.strip().endswith(":"):
            section = code.strip()[:-1]
        elif comment.startswith(" street "):
            key, value = code.strip().split(": ")
            told[f"{section}.{key}"] = (comment.split("(guiyang: ")[1].split(")")[0], value.strip())
    words = {False: "false", True: "true"}
    assert told == {
        path: tuple(words[v] if isinstance(v, bool) else str(v) for v in values)
        for path, values in STREET.items()
    }


@pytest.mark.parametrize("implementation", ["engine", "referee"])
class TestBills:
    def test_a_declared_hand_deals_in(self, implementation: str) -> None:
        """sha_bao, bao_ji; a men dou whose holder is not ready collects nothing."""
        seats = [
            seat("789m222s333p777p6p"),
            seat("123456m234567s9p", baoting=True),
            seat("1245789m13568s9p", river="8p"),
            seat("12478m369s15p", "men 2p"),
        ]
        end: dict[str, Any] = {
            "end": "discard",
            "winners": [0],
            "shooter": 1,
            "tile": "6p",
            "dealer": 3,
        }
        end["first_wu_gu"] = {"seat": 2, "claimed_by": None}
        result = settle(implementation, position(OVERRIDES, seats, **end))
        assert result.items == bill(
            pay("hu", 1, 0, 10),  # R30: max(1, 10)
            pay("sha_bao", 1, 0, 10),
            pay("bao_ji", 2, 0, 1 + 4),  # yaoji held, first 8p unclaimed
            pay("bao_ji", 2, 1, 1 + 4),
        )

    def test_a_robbed_kong_burns_everything(self, implementation: str) -> None:
        """The robbed player's dou and yaoji are lost; a late added kong is worth nothing."""
        seats = [
            seat("789m222s777p45p99s"),
            seat("11s23456m", "peng 6p from 2", "men 2p"),
            seat("345678s8p", "zhuan_wan 9p late", "men 1p"),
            seat(DULL_MS),
        ]
        end: dict[str, Any] = {
            "end": "rob",
            "winners": [0],
            "shooter": 1,
            "tile": "6p",
            "dealer": 3,
        }
        result = settle(implementation, position(OVERRIDES, seats, **end))
        assert result.items == bill(
            pay("hu", 1, 0, 3 * 1),
            pay("dealer", 1, 0, 1),
            each("men_dou", 2, 2),
            each("wu_gu_ji", 2, 2),
        )


@pytest.mark.parametrize("theme", THEMES)
def test_the_engine_and_the_referee_agree(theme: str) -> None:
    street = Rules.load("guiyang_street").to_dict()
    play_together([(theme, street)] * 10, Random(f"street {theme}"), new_counts())
