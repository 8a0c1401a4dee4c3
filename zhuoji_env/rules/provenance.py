"""Where each value of the presets comes from: a document, a reading of ours, or custom."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from zhuoji_env.rules.ruleset import PRESETS, Rules
from zhuoji_env.rules.schema import switches

STREET_PRESET = "guiyang_street"

SOURCES: dict[str, str] = {
    "E": "the encyclopaedia rules of Guiyang zhuoji mahjong",
    "Z": 'the document called "捉鸡麻将规则"',
    "P": "the help page of a gaming platform",
    "S": "custom: how it is most often played around Guiyang today; none of the documents",
    "off": "a house variant that none of the documents knows; off",
}
"""What a value can come from, by the mark that stands for it."""


@dataclass(frozen=True)
class Reading:
    """What we take a document to mean where it does not say it outright, and why."""

    clause: str
    text: str
    why: str


READINGS: dict[str, Reading] = {
    "one_point": Reading(
        "R26",
        "One fan is one point.",
        "The documents leave the base stake to the table.",
    ),
    "not_mentioned": Reading(
        "",
        "What a document does not mention is not played.",
        "It names no such payment, condition or declaration.",
    ),
    "two_dice": Reading(
        "R2",
        "Z: two dice are thrown, and they choose the first dealer.",
        "It says dice, not how many.",
    ),
    "no_dealer": Reading(
        "R2",
        "E and P: there is a dealer.",
        "Their introductions deny it, and their own rules then define one.",
    ),
    "tail": Reading(
        "R4",
        "E and Z: the tile that replaces a kong comes from the tail of the wall.",
        "Only P says so; the tile that is turned is the head one in all three.",
    ),
    "no_peng_lock": Reading(
        "R8",
        "E and Z: declining a peng never bars a later one.",
        "Only P says so.",
    ),
    "last_discard": Reading(
        "R10",
        "The last discard can be claimed for a win only, and there is no kong on an empty wall.",
        "The deal ends when all tiles are drawn.",
    ),
    "dragon": Reading(
        "R14",
        "Z: the winning tile may be one of any four that the hand holds.",
        '"One of the four equal tiles" does not say which four.',
    ),
    "additive": Reading(
        "R14",
        "P: seven pairs in one suit are worth seven pairs and one suit together.",
        "The page leaves the pattern out; its other one-suit prices are such sums.",
    ),
    "dealer_n": Reading(
        "R21",
        "E: a dealer's n-th deal in a row adds n times the bonus.",
        "Z says so; E adds fan by the number of deals kept.",
    ),
    "triple": Reading(
        "R24",
        "Z and P: three winners on one discard each pay its discarder.",
        "Both write it so; `win.triple: discarder_pays` turns it off.",
    ),
    "foul": Reading(
        "R25",
        "Z and P: a win after a passed win is taken, and its winner pays all three others.",
        "They name the payment and nothing else.",
    ),
    "baoting_floor": Reading(
        "R30",
        "E: baoting is a floor under the price of any hand.",
        "The sentence that prices it like a hand of one suit names the price of a basic hand.",
    ),
    "baoting_elsewhere": Reading(
        "R30",
        "Z and P: a variant that turns baoting on finds its price at that of one suit.",
        "They have no baoting; E prices it so.",
    ),
    "chain": Reading(
        "R31",
        "Z and P: a hot shot voids every dou of the turn, not the last alone.",
        "A chain of kongs is one turn.",
    ),
    "burn": Reading(
        "R31",
        "E and Z: all ji of a hot shooter burn, those in the river too.",
        "Everything burns in E; Z speaks of all the ji one has.",
    ),
    "surcharge": Reading(
        "R31",
        "Z: the surcharge of a hot shot is what the turn's dou would have collected.",
        "P gives three numbers, and they are what its own dou would have collected.",
    ),
    "feeder": Reading(
        "R35",
        "A dian dou is paid by the player who discarded its fourth tile.",
        "E uses the word for the feeder that the others use for the kong's owner; the money is "
        "the same.",
    ),
    "no_ready_needed": Reading(
        "R35, R43",
        "E: dou and ji need no ready hand.",
        "It names no such condition.",
    ),
    "second_list": Reading(
        "R36",
        "Z: its closing list of prices is not paid on top of the first, or at all.",
        "It contradicts the first list for the added kong; `dou.table: true` plays it instead.",
    ),
    "charge": Reading(
        "R39",
        "The charge chicken is the deal's first discarded yaoji if nobody did claim it; there is "
        "one in a deal, not one for each player.",
        '"Nobody can" is read as "nobody does".',
    ),
    "man_tang": Reading(
        "R40",
        "E and P: a zhuo ji counts in the river too.",
        "They name a full-hall chicken (满堂鸡) and do not define it.",
    ),
    "gold_adds": Reading(
        "R40",
        "Z: a yaoji that is also indicated is paid both as yaoji and as zhuo ji.",
        "It knows no gold chicken, and prices both.",
    ),
    "zeren_gang": Reading(
        "R41",
        "The responsibility chicken is owed to a claim by gang as well as by peng.",
        "E speaks of a tile taken by peng; Z and P do not know the payment.",
    ),
    "four_yaoji": Reading(
        "R42",
        "Z: four yaoji are paid their own price when they are a declared men dou.",
        "The sentence stands under that kind of dou.",
    ),
    "four_yaoji_double": Reading(
        "R42",
        "Z, double chicken: four yaoji are paid the ordinary sum.",
        "A dou and four yaoji at the double price come to more already.",
    ),
    "ordinary_sum": Reading(
        "R42",
        "P: its price of a men dou of ji is the ordinary sum, no switch of its own.",
        "It is its men dou and four ji.",
    ),
    "all_ready": Reading(
        "R43",
        "Z: every ji needs a ready hand, a yaoji in hand too.",
        "Its double column and its note say so.",
    ),
    "no_dou_on_draw": Reading(
        "R44",
        "E: no dou and no ji are paid at an exhaustive draw.",
        "The other two say so; its formulas speak of wins.",
    ),
    "two_winners": Reading(
        "R45",
        "Two winners: the count for the next dealer starts at the dealer.",
        "As dice are counted; Z is silent on two winners.",
    ),
}
"""The readings in the order of their clauses; the first ones hold for whole documents."""

# Path -> guiyang (E), zhuoji (Z), duole (P): the document's mark where it gives the value, and the
# reading where there is one. Switches left out are house variants, off.
_VALUES: dict[str, tuple[str, str, str]] = {
    "base": ("one_point", "one_point", "one_point"),
    "dealer_bonus": ("E dealer_n", "Z", "not_mentioned"),
    "deal.dice": ("E", "two_dice", "P"),
    "deal.first_dealer": ("E", "Z two_dice", "P"),
    "win.multiple": ("E", "Z", "P"),
    "win.passport": ("E", "Z", "P"),
    "win.passed": ("E", "Z foul", "P foul"),
    "win.triple": ("E", "Z triple", "P triple"),
    "win.double_dealer": ("E", "two_winners", "P"),
    "win.dealer_counts_first": ("two_winners", "two_winners", "two_winners"),
    "hand.ping_hu": ("E", "Z", "P"),
    "hand.da_dui_zi": ("E", "Z", "P"),
    "hand.qi_dui": ("E", "Z", "P"),
    "hand.long_qi_dui": ("E", "Z", "P"),
    "hand.qing_yi_se": ("E", "Z", "P"),
    "hand.qing_da_dui": ("E", "Z", "P"),
    "hand.qing_qi_dui": ("E", "Z", "additive"),
    "hand.qing_long_bei": ("E", "Z", "P"),
    "hand.dragon_needs_winning_tile": ("E", "Z dragon", "P"),
    "hand.gang_shang_hua": ("not_mentioned", "Z", "P"),
    "baoting.enabled": ("E", "not_mentioned", "not_mentioned"),
    "baoting.value": ("E", "baoting_elsewhere", "baoting_elsewhere"),
    "baoting.combine": ("baoting_floor", "baoting_elsewhere", "baoting_elsewhere"),
    "re_pao.void": ("E", "Z chain", "P chain"),
    "re_pao.burn_ji": ("E burn", "Z burn", "not_mentioned"),
    "re_pao.surcharge": ("not_mentioned", "Z surcharge", "P"),
    "dou.men": ("E", "Z", "P"),
    "dou.zhuan_wan": ("E", "Z", "P"),
    "dou.dian": ("E feeder", "Z", "P"),
    "dou.dealt_late": ("not_mentioned", "Z", "not_mentioned"),
    "dou.late_added": ("not_mentioned", "not_mentioned", "not_mentioned"),
    "dou.requires_ting": ("no_ready_needed", "not_mentioned", "not_mentioned"),
    "dou.table": ("not_mentioned", "second_list", "not_mentioned"),
    "ji.yao_held": ("E", "Z", "P"),
    "ji.yao_river": ("E", "not_mentioned", "P"),
    "ji.charge": ("E charge", "Z charge", "P charge"),
    "ji.zhuo_held": ("E", "Z", "P"),
    "ji.zhuo_river": ("E man_tang", "Z", "P man_tang"),
    "ji.gold": ("E", "gold_adds", "P"),
    "ji.zeren": ("E", "not_mentioned", "not_mentioned"),
    "ji.zeren_on": ("zeren_gang", "zeren_gang", "zeren_gang"),
    "ji.men_yao": ("E", "Z four_yaoji", "P ordinary_sum"),
    "ji.requires_ting": ("no_ready_needed", "Z all_ready", "P"),
    "dealer.on_draw": ("E", "Z", "P"),
}
_COLUMNS = {"guiyang": 0, "zhuoji": 1, "zhuoji_double": 1, "duole": 2, STREET_PRESET: 0}
# Where the double chicken's column says otherwise than zhuoji's.
_DOUBLE = {"ji.yao_river": "Z", "ji.men_yao": "four_yaoji_double"}


@dataclass(frozen=True)
class Provenance:
    """Where a value comes from: a mark of SOURCES, a key of READINGS, or a source read so."""

    source: str | None
    reading: str | None


@cache
def provenance(preset: str, path: str) -> Provenance:
    """Where a preset's value of a switch comes from; KeyError for an unknown preset or path."""
    column = _COLUMNS[preset]
    switch = next((s for s in switches() if s.path == path), None)
    if switch is None:
        raise KeyError(path)
    if preset == STREET_PRESET and path in _changed_on_the_street():
        return Provenance("S", None)
    if path not in _VALUES:
        return Provenance("off", None)
    told = _VALUES[path][column]
    if preset == "zhuoji_double":
        told = _DOUBLE.get(path, told)
    source, _, reading = told.rpartition(" ")
    if reading in SOURCES:
        return Provenance(reading, None)
    return Provenance(source or None, reading)


@cache
def _changed_on_the_street() -> frozenset[str]:
    return frozenset(Rules.load("guiyang").diff(Rules.load(STREET_PRESET)))


def readings_in_use() -> dict[str, int]:
    """How many values of the presets rest on each reading; 0 where no switch has it."""
    used = [provenance(preset, s.path).reading for preset in PRESETS for s in switches()]
    return {key: used.count(key) for key in READINGS}
