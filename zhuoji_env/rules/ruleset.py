"""Rules: a ruleset that has been checked, and the presets."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache, cached_property
from importlib import resources
from pathlib import Path
from typing import Any, Union

from pydantic import ValidationError

from zhuoji_env.errors import RulesError
from zhuoji_env.rules import schema
from zhuoji_env.rules.reading import describe, parse_yaml, read_text

PRESETS: dict[str, str] = {
    "guiyang": "declared ready hand, charge and responsibility chicken, small fan",
    "zhuoji": "fan in tens, late dealt kongs are passports only, single chicken, surcharge",
    "zhuoji_double": "zhuoji with the double chicken",
    "duole": "one die, fan in tens, dead and live chickens",
    "guiyang_street": "guiyang as played now: only ready hands collect, bao ji, wu gu ji, sha bao",
}
FINGERPRINT_DIGITS = 12

Source = Union[str, Path, Mapping[str, Any], "Rules"]


@dataclass(frozen=True, eq=False)
class Rules:
    """A checked ruleset. Equal, and of equal hash, when every switch is equal; names apart.

    Sections and switches are attributes: ``rules.base``, ``rules.dou.men``.
    """

    ruleset: schema.Ruleset

    @classmethod
    def load(cls, source: Source) -> Rules:
        """Rules from a preset's name, a YAML file, a mapping, or Rules (returned as they are).

        A path is told from a name by a suffix or a separator. Files and mappings either give every
        switch of the numbered clauses (house variants default to off), or name a ``preset``
        and the switches that differ from it; both may give a ``name``. Raises RulesError: where,
        which key, what was given, what is allowed.
        """
        if isinstance(source, Rules):
            return source
        if isinstance(source, Mapping):
            return _build(source, where="rules", name=None)
        if isinstance(source, str) and source in PRESETS:
            return _preset(source)
        if isinstance(source, Path) or (isinstance(source, str) and _is_path(source)):
            path = Path(source)
            return cls.parse(read_text(path), where=str(path), name=path.stem[: schema.MAX_NAME])
        if isinstance(source, str):
            raise _unknown("preset", source, "", tuple(PRESETS))
        raise RulesError(f"rules: a preset, file or mapping expected, {describe(source)} given")

    @classmethod
    def parse(cls, text: str, where: str = "rules", name: str | None = None) -> Rules:
        """Rules from YAML text; where names it in errors, name is used if the text gives none."""
        return _build(parse_yaml(text, where), where, name)

    @property
    def name(self) -> str:
        return self.ruleset.name

    @property
    def base(self) -> int:
        return self.ruleset.base

    @property
    def dealer_bonus(self) -> int:
        return self.ruleset.dealer_bonus

    @property
    def deal(self) -> schema.Deal:
        return self.ruleset.deal

    @property
    def win(self) -> schema.Win:
        return self.ruleset.win

    @property
    def hand(self) -> schema.Hand:
        return self.ruleset.hand

    @property
    def baoting(self) -> schema.Baoting:
        return self.ruleset.baoting

    @property
    def re_pao(self) -> schema.RePao:
        return self.ruleset.re_pao

    @property
    def dou(self) -> schema.Dou:
        return self.ruleset.dou

    @property
    def ji(self) -> schema.Ji:
        return self.ruleset.ji

    @property
    def dealer(self) -> schema.Dealer:
        return self.ruleset.dealer

    @cached_property
    def values(self) -> Mapping[str, schema.Value]:
        """Value of every switch by path, in the order of `schema.switches()`."""
        return schema.flatten(self.ruleset.model_dump())

    @cached_property
    def codes(self) -> Mapping[str, int]:
        """The engine's number for every switch by path: ints, false 0, true 1, null -1, and an
        enumeration's place in its list."""
        return {s.path: s.code(self.values[s.path]) for s in schema.switches()}

    @cached_property
    def fingerprint(self) -> str:
        """Twelve hex digits of the switch values; the name and the order of keys do not matter.

        A house variant that is off is left out, so that one added later changes no fingerprint.
        """
        told = {
            s.path: self.values[s.path]
            for s in schema.switches()
            if not (s.house and self.values[s.path] == s.default)
        }
        canonical = json.dumps(told, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(canonical.encode()).hexdigest()[:FINGERPRINT_DIGITS]

    def diff(self, other: Rules) -> dict[str, tuple[schema.Value, schema.Value]]:
        """Path -> (mine, theirs) of every switch that differs."""
        mine, theirs = self.values, other.values
        return {path: (mine[path], theirs[path]) for path in mine if mine[path] != theirs[path]}

    def to_dict(self) -> dict[str, Any]:
        """Name and every switch, nested; `Rules.load` takes it back."""
        return self.ruleset.model_dump()

    def to_overrides(self) -> str | dict[str, Any]:
        """The `rules` value of a record: a preset's name, or the preset with the fewest differences
        and the switches that differ from it."""
        differing = {name: _preset(name).diff(self) for name in PRESETS}
        nearest = min(differing, key=lambda name: len(differing[name]))
        changed = {path: theirs for path, (_, theirs) in differing[nearest].items()}
        return {"preset": nearest, **schema.nest(changed)} if changed else nearest

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Rules):
            return NotImplemented
        return self.fingerprint == other.fingerprint

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def __repr__(self) -> str:
        return f"<Rules {self.name} {self.fingerprint}>"


def presets() -> tuple[str, ...]:
    """Names of the presets."""
    return tuple(PRESETS)


@cache
def _preset(name: str) -> Rules:
    file = resources.files("zhuoji_env.rules") / "presets" / f"{name}.yaml"
    return _checked(parse_yaml(file.read_text(encoding="utf-8"), where=name), where=name)


def _is_path(source: str) -> bool:
    return "/" in source or "\\" in source or Path(source).suffix != "" or Path(source).is_file()


def _build(content: Mapping[Any, Any], where: str, name: str | None) -> Rules:
    """Rules from a mapping; name is used where the mapping gives none."""
    given = dict(content)
    preset = given.pop("preset", None)
    nested: dict[str, Any] = {}
    if "preset" in content:
        if not isinstance(preset, str) or preset not in PRESETS:
            raise _unknown("preset", preset, where, tuple(PRESETS))
        nested = _preset(preset).to_dict()
        del nested["name"]
    _merge(nested, given, where)
    if preset is None:
        _require_all(nested, where)
    named = "name" in nested
    nested.setdefault("name", name or preset or "unnamed")
    rules = _checked(nested, where)
    if rules.name not in PRESETS or rules == _preset(rules.name):
        return rules
    if named:
        raise RulesError(
            f"{where}: name: {rules.name!r} given; allowed: a name that is no preset's, as "
            "the switches differ"
        )
    return _renamed(rules, f"{rules.name}+{rules.fingerprint}")


def _checked(nested: Mapping[str, Any], where: str) -> Rules:
    try:
        return Rules(schema.Ruleset.model_validate(nested))
    except ValidationError as error:
        raise RulesError(f"{where}: {_reason(error)}") from None


def _renamed(rules: Rules, name: str) -> Rules:
    return Rules(rules.ruleset.model_copy(update={"name": name}))


def _merge(nested: dict[str, Any], given: Mapping[Any, Any], where: str) -> None:
    """Lay given switches over nested ones; refuses keys that are no switch."""
    sections = schema.sections()
    for key, value in given.items():
        head, dot, inner_key = str(key).partition(".")
        if dot and inner_key in sections.get(head, ()):
            shown = f"{head}: {{{inner_key}: {describe(value)}}}"
            raise RulesError(f"{where}: {key} given; write it nested: {shown}")
        if key not in sections[""]:
            raise _unknown("key", key, where, ("preset", *sections[""]))
        if key not in sections:
            nested[key] = value
            continue
        if not isinstance(value, Mapping):
            allowed = "a mapping of " + ", ".join(sections[key])
            raise RulesError(f"{where}: {key}: {describe(value)} given; allowed: {allowed}")
        for inner in value:
            if inner not in sections[key]:
                raise _unknown("key", inner, where, sections[key], f"{key}.")
        nested[key] = {**nested.get(key, {}), **value}


def _require_all(nested: Mapping[str, Any], where: str) -> None:
    for switch in schema.switches():
        head, _, key = switch.path.partition(".")
        present = key in nested.get(head, {}) if key else head in nested
        if not present and not switch.house:
            raise RulesError(
                f"{where}: {switch.path} is missing; allowed: {switch.type}, or start from a "
                f"preset ('preset: NAME', one of {', '.join(PRESETS)})"
            )


def _reason(error: ValidationError) -> str:
    """The first mistake of a ruleset: key's path, what was given, what is allowed."""
    first = error.errors()[0]
    if first["type"] == "value_error":
        return str(first["ctx"]["error"])
    path = ".".join(map(str, first["loc"]))
    types = {switch.path: switch.type for switch in schema.switches()}
    allowed = types.get(path, f"one line of 1..{schema.MAX_NAME} characters")
    return f"{path}: {describe(first['input'])} given; allowed: {allowed}"


def _unknown(
    what: str, given: object, where: str, allowed: tuple[str, ...], prefix: str = ""
) -> RulesError:
    """Error for a preset or key that does not exist, with the one that was probably meant."""
    near = get_close_matches(given, allowed, n=1) if isinstance(given, str) else []
    hint = f"did you mean {prefix}{near[0]}? " if near else ""
    shown = f"{prefix}{given}" if isinstance(given, str) and given.isidentifier() else None
    text = f"unknown {what} {(shown or prefix + describe(given))[:60]}; {hint}"
    return RulesError(f"{where + ': ' if where else ''}{text}allowed: {', '.join(allowed)}")
