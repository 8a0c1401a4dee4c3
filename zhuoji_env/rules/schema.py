"""Every switch of a ruleset: clause, type, range and what it does to the bill (docs/rules.md).

The models are strict (an int is no bool and a bool no int), frozen, and refuse unknown keys. The
order of the values of an enumeration is the code that the engine uses, the first being 0; the order
of the switches is that of `switches()`. Switches with a default are the house variants, off unless
asked for; the others must be given.

Bounds: with fan up to 10,000, base up to 100 and a dealer bonus up to 1,000, no seat's points in a
deal pass 2**31 as long as a dealer's streak stays below 1,000 (the dearest bill, three robbers of a
kong and every tile a ji, stays below 6 million fan, the dealer's bonus apart).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic.fields import FieldInfo

MAX_FAN = 10_000
MAX_BASE = 100
MAX_DEALER_BONUS = 1_000
MAX_DICE = 2
MAX_NAME = 80
BOOL_TYPE = "true or false"

Fan = Annotated[int, Field(ge=0, le=MAX_FAN)]
MaybeFan = Fan | None
Value = int | str | None
"""The value of a switch (bool included, being an int to Python)."""


def _of(clause: str, meaning: str) -> Any:
    return Field(description=meaning, json_schema_extra={"clause": clause})


def _house(clause: str, meaning: str, off: Value) -> Any:
    return Field(default=off, description=meaning, json_schema_extra={"clause": clause})


class Section(BaseModel):
    """A group of switches."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class Deal(Section):
    """Set-up: dice and the first dealer."""

    dice: Annotated[int, Field(ge=1, le=MAX_DICE)] = _of(
        "R2", "How many dice are thrown per deal; they choose a dealer but never change a payment."
    )
    first_dealer: Literal["uniform", "dice"] = _of(
        "R2", "Who may earn the dealer bonus first: a random seat, or the one the dice count to."
    )


class Win(Section):
    """Who may take a win, and who pays when several do."""

    multiple: bool = _of(
        "R9", "All who take hu on one tile are paid; if false, only the first after the shooter."
    )
    passport: bool = _of(
        "R16", "A plain ping_hu is paid on a discard only to a winner who has declared a dou."
    )
    passed: Literal["free", "forbid", "pays_three"] = _of(
        "R19, R25",
        "After passing a win, until the own next draw, a win on another's tile is paid as ever, "
        "is not allowed, or is a foul whose winner pays all three.",
    )
    triple: Literal["discarder_pays", "winners_pay"] = _of(
        "R24", "Three winners on one discard are paid by its discarder, or each pay the discarder."
    )
    foul_forfeits: bool = _house(
        "R25", "A fouling winner collects no dou and no ji of their own, zeren_ji included.", False
    )
    double_dealer: Literal["counter_clockwise", "shooter"] = _house(
        "R45",
        "After two winners the dealer bonus passes to the first of them counted from the dealer, "
        "or to the shooter.",
        "counter_clockwise",
    )
    dealer_counts_first: bool = _house(
        "R45",
        "When winners are counted for the next deal, a winning dealer is counted first and keeps "
        "the bonus growing; if false, last.",
        True,
    )


class Hand(Section):
    """Fan of the complete hands; a pattern that is null does not exist."""

    ping_hu: Annotated[int, Field(ge=1, le=MAX_FAN)] = _of(
        "R13, R14, R36", "Fan paid for four sequences-or-triplets and a pair; the unit of R36."
    )
    da_dui_zi: MaybeFan = _of("R13, R14", "Fan paid for four triplets and a pair.")
    qi_dui: MaybeFan = _of("R13, R14", "Fan paid for seven pairs.")
    long_qi_dui: MaybeFan = _of("R13, R14", "Fan paid for seven pairs with a kind held four times.")
    qing_yi_se: MaybeFan = _of("R13, R14", "Fan paid for a ping_hu shape in one suit.")
    qing_da_dui: MaybeFan = _of("R13, R14", "Fan paid for four triplets and a pair in one suit.")
    qing_qi_dui: MaybeFan = _of("R13, R14", "Fan paid for seven pairs in one suit.")
    qing_long_bei: MaybeFan = _of(
        "R13, R14", "Fan paid for seven pairs in one suit with a kind held four times."
    )
    dragon_needs_winning_tile: bool = _of(
        "R14",
        "A kind held four times raises the price of seven pairs only if the winning tile is one "
        "of such a four.",
    )
    gang_shang_hua: Fan = _of("R20", "Fan added to a hand self-drawn on a replacement tile.")
    zi_mo: Fan = _house("R22", "Fan added to any self-drawn hand (not to a robbed kong).", 0)
    tian_hu: Fan = _house("R22", "Fan added to the dealer's win on the opening 14 tiles.", 0)
    di_hu: Fan = _house(
        "R22",
        "Fan added to another seat's self-drawn win on its first draw, no meld made before it.",
        0,
    )


class Baoting(Section):
    """Declaring a ready hand on the first turn."""

    enabled: bool = _of("R29", "A ready hand may be declared on the first turn, for R30's price.")
    value: Fan = _of("R30", "Fan of a win by, or on the discard of, a player who is baoting.")
    combine: Literal["max", "add", "replace"] = _of(
        "R30", "That fan is a floor under the hand's own, is added to it, or is paid instead of it."
    )
    sha_bao: Fan = _house(
        "R30", "Fan a baoting player pays on top to each winner on their discard.", 0
    )


class RePao(Section):
    """The hot shot: a discard won in the turn of a kong."""

    void: Literal["turn", "all"] = _of(
        "R31", "The shooter is not paid for the dou declared in this turn, or for any of their dou."
    )
    burn_ji: bool = _of("R31", "The shooter is paid for none of their ji and still pays others'.")
    surcharge: bool = _of(
        "R31", "The shooter pays each winner what this turn's dou would have collected."
    )
    on_rob: bool = _house(
        "R33", "A robbed player loses dou and ji as a hot shooter does, without a surcharge.", False
    )


class Dou(Section):
    """Kongs and what they collect."""

    men: Fan = _of("R35", "Fan each other seat pays for a concealed kong.")
    zhuan_wan: Fan = _of("R35", "Fan each other seat pays for a kong added to an own peng.")
    dian: Fan = _of("R35", "Fan its feeder pays for a kong of three in hand and a discard.")
    dealt_late: Literal["full", "passport"] = _of(
        "R12",
        "A kong of four dealt tiles declared after the own first discard is paid in full, or is "
        "worth 0 fan and only a passport.",
    )
    late_added: Literal["full", "passport", "forbid"] = _of(
        "R12",
        "A kong added with a tile not drawn in this turn is paid in full, is worth 0 fan and only "
        "a passport, or is not allowed.",
    )
    requires_ting: bool = _of("R35", "Only players who are ready or have won are paid for dou.")
    table: bool = _of(
        "R36",
        "A winner's dou are not paid as dou: each adds one ping_hu to the hand's fan, a men dou "
        "two.",
    )


class Ji(Section):
    """Chickens: bonus tiles, paid by each other seat when somebody won."""

    yao_held: Fan = _of("R39", "Fan each other seat pays for a yaoji held in hand or melds.")
    yao_river: Fan = _of("R39", "Fan each other seat pays for a yaoji in the own river.")
    charge: Fan = _of(
        "R39", "Fan paid instead for the deal's first discarded yaoji if nobody claimed it."
    )
    zhuo_held: Fan = _of("R40", "Fan each other seat pays for an indicated tile that is held.")
    zhuo_river: Fan = _of("R40", "Fan each other seat pays for an indicated tile in the own river.")
    gold: Literal["double", "add"] = _of(
        "R40",
        "When yaoji itself is indicated, its own prices are doubled, or the indicated tile's price "
        "is paid on top.",
    )
    zeren: Fan = _of(
        "R41", "Fan the discarder of the deal's first yaoji pays the player who claimed it."
    )
    zeren_on: Literal["peng", "peng_gang"] = _of(
        "R41", "That is paid for a claim by peng only, or by peng or gang."
    )
    men_yao: MaybeFan = _of(
        "R42",
        "Fan each other seat pays for a concealed kong of yaoji in place of its dou and its four "
        "yaoji; null: the ordinary sum.",
    )
    requires_ting: bool = _of("R43", "Only players who are ready or have won are paid for ji.")
    ben: bool = _house("R40", "The indicator's own kind is paid as a zhuo ji too.", False)
    yao_bai: bool = _house(
        "R40", "The rank below the indicator (1 wraps to 9) is paid as a zhuo ji too.", False
    )
    wu_gu: Fan = _house(
        "R39, R40", "Fan each other seat pays for an 8p, held or in the river; 0: no such ji.", 0
    )
    wu_gu_charge: Fan = _house(
        "R39, R40",
        "Fan paid instead for the deal's first discarded 8p if nobody claimed it; 0: no such "
        "thing; needs ji.wu_gu.",
        0,
    )
    xing_qi: Annotated[int, Field(ge=0, le=9)] = _house(
        "R40", "Every tile of this rank, in all suits, is paid as a zhuo ji too; 0: off.", 0
    )
    chui_feng: bool = _house(
        "R37", "If 5p is turned as the indicator, no ji is paid at all.", False
    )
    bao: bool = _house(
        "R39",
        "Players neither ready nor winners pay every ready player and winner for their own yaoji "
        "(and 8p).",
        False,
    )

    @model_validator(mode="after")
    def _charge_needs_wu_gu(self) -> Ji:
        if self.wu_gu_charge and not self.wu_gu:
            raise ValueError(
                f"ji.wu_gu_charge: {self.wu_gu_charge} given while ji.wu_gu is 0; "
                "allowed: 0, or a ji.wu_gu of 1 or more"
            )
        return self


class Dealer(Section):
    """Who deals next."""

    on_draw: Literal["stay", "ready"] = _of(
        "R46",
        "After an exhaustive draw the dealer keeps the growing bonus, or the ready hands decide "
        "who deals.",
    )


class Ruleset(Section):
    """A complete ruleset."""

    name: Annotated[str, Field(min_length=1, max_length=MAX_NAME, pattern=r"^[^\x00-\x1f\x7f]*$")]
    base: Annotated[int, Field(ge=1, le=MAX_BASE)] = _of(
        "R26", "Points for one fan; multiplies the whole bill."
    )
    dealer_bonus: Annotated[int, Field(ge=0, le=MAX_DEALER_BONUS)] = _of(
        "R21", "Fan times the dealer's streak, added to each hu payment to or from the dealer."
    )
    deal: Deal
    win: Win
    hand: Hand
    baoting: Baoting
    re_pao: RePao
    dou: Dou
    ji: Ji
    dealer: Dealer


@dataclass(frozen=True)
class Switch:
    """One switch: its key path, clauses, type in words, and what it does to the bill.

    default is the value of a house variant that is not mentioned; house is False where a ruleset
    must say (default is then None). choices are an enumeration's values in code order.
    """

    path: str
    clause: str
    type: str
    meaning: str
    default: Value
    house: bool
    choices: tuple[str, ...] = ()
    low: int = 0
    high: int = 1
    nullable: bool = False

    def code(self, value: Value) -> int:
        """The engine's number for a value: the int itself, false 0, true 1, null -1."""
        if value is None:
            return -1
        return self.choices.index(value) if isinstance(value, str) else int(value)

    def value(self, code: int) -> Value:
        """The value that `code` packed."""
        if self.nullable and code == -1:
            return None
        if self.choices:
            return self.choices[code]
        return bool(code) if self.type == BOOL_TYPE else code


@cache
def switches() -> tuple[Switch, ...]:
    """Every switch, in the schema's order (the order in which the engine packs them)."""
    found: list[Switch] = []
    for name, field in Ruleset.model_fields.items():
        section = field.annotation
        if isinstance(section, type) and issubclass(section, Section):
            found += [_switch(f"{name}.{key}", f) for key, f in section.model_fields.items()]
        elif name != "name":
            found.append(_switch(name, field))
    return tuple(found)


@cache
def sections() -> dict[str, tuple[str, ...]]:
    """Keys of each section, and under "" those of the top level (sections and name included)."""
    keys: dict[str, tuple[str, ...]] = {"": tuple(Ruleset.model_fields)}
    for name, field in Ruleset.model_fields.items():
        if isinstance(field.annotation, type) and issubclass(field.annotation, Section):
            keys[name] = tuple(field.annotation.model_fields)
    return keys


def flatten(nested: Mapping[str, Any]) -> dict[str, Value]:
    """Value of every switch by path, in the order of `switches()`, from a complete nested dict."""
    flat: dict[str, Value] = {}
    for switch in switches():
        head, _, key = switch.path.partition(".")
        flat[switch.path] = nested[head][key] if key else nested[head]
    return flat


def nest(flat: Mapping[str, Value]) -> dict[str, Any]:
    """The nested dict of some switches by path."""
    nested: dict[str, Any] = {}
    for path, value in flat.items():
        head, _, key = path.partition(".")
        if key:
            nested.setdefault(head, {})[key] = value
        else:
            nested[head] = value
    return nested


def _switch(path: str, field: FieldInfo) -> Switch:
    extra = field.json_schema_extra
    assert isinstance(extra, dict)
    required = field.is_required()
    described = _described(field)
    return Switch(
        path=path,
        clause=str(extra["clause"]),
        meaning=field.description or "",
        default=None if required else field.default,
        house=not required,
        **described,
    )


def _described(field: FieldInfo) -> dict[str, Any]:
    """Type in words, choices and range of a field."""
    annotation = field.annotation
    if annotation is bool:
        return {"type": BOOL_TYPE}
    choices = get_args(annotation)
    if choices and isinstance(choices[0], str):
        return {
            "type": "one of " + ", ".join(choices),
            "choices": choices,
            "high": len(choices) - 1,
        }
    nullable = type(None) in choices
    limits = get_args(choices[0])[1].metadata if nullable else field.metadata
    low = next(m.ge for m in limits if hasattr(m, "ge"))
    high = next(m.le for m in limits if hasattr(m, "le"))
    text = f"int {low}..{high}" + (" or null" if nullable else "")
    return {"type": text, "low": low, "high": high, "nullable": nullable}
