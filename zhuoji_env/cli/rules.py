"""`zhuoji rules`: list, show, compare and check rulesets."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from zhuoji_env.cli.output import print_columns, print_json
from zhuoji_env.rules import PRESETS, Rules, Value, switches
from zhuoji_env.rules.reading import MAX_BYTES, decode

STDIN = "-"

Name = Annotated[str, typer.Argument(help="A preset, a YAML file, or - for standard input.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON alone.")]

commands = typer.Typer(
    help="Rulesets: presets, files of one's own, and how they differ.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


def register(app: typer.Typer) -> None:
    """Add `zhuoji rules ...`."""
    app.add_typer(commands, name="rules")


@commands.command("list")
def list_presets(as_json: Json = False) -> None:
    """The presets, their fingerprints, and what they are like."""
    if as_json:
        print_json(
            [
                {"name": name, "fingerprint": Rules.load(name).fingerprint, "about": about}
                for name, about in PRESETS.items()
            ]
        )
    else:
        print_columns([(n, Rules.load(n).fingerprint, about) for n, about in PRESETS.items()])


@commands.command("show")
def show(name: Name, as_json: Json = False) -> None:
    """Every switch of a ruleset: value, clause, and what it does to the bill."""
    rules = _load(name)
    if as_json:
        fingerprint = rules.fingerprint
        print_json({"name": rules.name, "fingerprint": fingerprint, "rules": rules.to_dict()})
        return
    typer.echo(f"{rules.name}  {rules.fingerprint}")
    print_columns([(s.path, _text(rules.values[s.path]), s.clause, s.meaning) for s in switches()])


@commands.command("diff")
def diff(a: Name, b: Name, as_json: Json = False) -> None:
    """The switches in which two rulesets differ."""
    mine, theirs = _load(a), _load(b)
    changed = mine.diff(theirs)
    if as_json:
        rows = [{"path": path, "a": x, "b": y} for path, (x, y) in changed.items()]
        print_json({"a": mine.name, "b": theirs.name, "differences": rows})
    elif changed:
        head = ("", mine.name, theirs.name)
        print_columns([head, *((path, _text(x), _text(y)) for path, (x, y) in changed.items())])
    else:
        typer.echo(f"{mine.name} and {theirs.name}: no switch differs")


@commands.command("check")
def check(
    file: Annotated[str, typer.Argument(help="A YAML file, or - for standard input.")],
    as_json: Json = False,
) -> None:
    """Check a ruleset's file; a bad one is refused with the key and what is allowed."""
    rules = _from_stdin() if file == STDIN else Rules.load(Path(file))
    nearest = rules.to_overrides()
    if as_json:
        print_json(
            {
                "file": file,
                "name": rules.name,
                "fingerprint": rules.fingerprint,
                "rules": nearest,
            }
        )
        return
    preset = nearest if isinstance(nearest, str) else str(nearest["preset"])
    changed = Rules.load(preset).diff(rules)
    typer.echo(f"{file}: {rules.name} {rules.fingerprint} is sound; nearest preset: {preset}")
    if changed:
        print_columns(
            [(path, f"{_text(old)} -> {_text(new)}") for path, (old, new) in changed.items()], "  "
        )


@commands.command("page")
def page(as_json: Json = False) -> None:
    """The rules page (docs/rules.md): the game, every switch and its origin, worked bills."""
    from zhuoji_env.handbook import rules_page, rules_table

    if as_json:
        print_json(rules_table())
    else:
        typer.echo(rules_page(), nl=False)


def _load(name: str) -> Rules:
    return _from_stdin() if name == STDIN else Rules.load(name)


def _from_stdin() -> Rules:
    text = decode(sys.stdin.buffer.read(MAX_BYTES + 1), "standard input")
    return Rules.parse(text, where="standard input")


def _text(value: Value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "null" if value is None else str(value)
