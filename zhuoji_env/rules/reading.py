"""Reading a ruleset's YAML, written by anybody: a plain mapping comes back, or RulesError."""

from __future__ import annotations

from collections.abc import Hashable
from pathlib import Path
from typing import Any

import yaml

from zhuoji_env.errors import RulesError

MAX_BYTES = 65_536


class _Loader(yaml.SafeLoader):
    """SafeLoader that refuses what a ruleset never needs and a mistake or an attack may bring:
    aliases (they multiply), explicit tags, and keys given twice."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        event = self.peek_event()  # type: ignore[no-untyped-call]  # untyped in its stubs
        if isinstance(event, yaml.AliasEvent) or getattr(event, "tag", None) is not None:
            raise yaml.composer.ComposerError(
                None, None, "aliases and tags are not allowed", event.start_mark
            )
        return super().compose_node(parent, index)

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        seen: set[str] = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode):
                if key.value in seen:
                    raise yaml.constructor.ConstructorError(
                        None, None, f"key {key.value[:40]!r} is given twice", key.start_mark
                    )
                seen.add(key.value)
        return super().construct_mapping(node, deep)


def read_text(path: Path) -> str:
    """A file's text; RulesError when it cannot be read, is no UTF-8, or is too large."""
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise RulesError(f"{path}: cannot be read: {error.strerror or error}") from None
    except ValueError as error:
        raise RulesError(f"{str(path)!r}: cannot be read: {error}") from None
    return decode(data, str(path))


def decode(data: bytes, where: str) -> str:
    """Text of a ruleset's bytes; RulesError when it is no UTF-8 or longer than MAX_BYTES."""
    if len(data) > MAX_BYTES:
        raise RulesError(f"{where}: larger than the {MAX_BYTES} bytes allowed for a ruleset")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise RulesError(f"{where}: is not UTF-8 (byte {error.start + 1})") from None


def parse_yaml(text: str, where: str) -> dict[Any, Any]:
    """The mapping that a YAML text holds; RulesError with the line of the first mistake."""
    try:
        content = yaml.load(text, Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = f"line {mark.line + 1}: " if mark else ""
        raise RulesError(f"{where}: {line}{error.problem or 'not YAML'}") from None
    except RecursionError:
        raise RulesError(f"{where}: nested too deeply") from None
    # Scalars that YAML takes for a number or a date and Python does not.
    except (yaml.YAMLError, ValueError, ArithmeticError) as error:
        reason = " ".join(str(error).split())[:120]
        raise RulesError(f"{where}: not YAML: {reason}") from None
    if not isinstance(content, dict):
        raise RulesError(f"{where}: a mapping of switches expected, {describe(content)} given")
    return content


def describe(value: object, width: int = 40) -> str:
    """A value in a few characters for an error message, never its whole content."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, (dict, list, tuple, set)):
        return "a mapping" if isinstance(value, dict) else "a list"
    if isinstance(value, int) and value.bit_length() > 64:
        return "a huge number"
    if isinstance(value, str):
        return repr(value if len(value) <= width else value[:width] + "...")
    return repr(value) if isinstance(value, (int, float)) else f"a {type(value).__name__}"
