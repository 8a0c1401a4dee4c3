"""`zhuoji settle` and `resettle`: positions paid, and finished deals paid under other rules."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Annotated, Any, TextIO

import typer

from zhuoji_env.cli.batches import print_value, worked
from zhuoji_env.cli.output import print_columns, print_json
from zhuoji_env.errors import PositionError, RecordError, ZhuojiError
from zhuoji_env.rules import Rules

if TYPE_CHECKING:
    from zhuoji_env.calculator import Resettled, Resettlement, Settlement

STDOUT = "-"
SEATS = range(4)

Positions = Annotated[
    str, typer.Argument(help="A position, or a .jsonl of many, or - for standard input.")
]
Records = Annotated[
    str, typer.Argument(help="A record, or a .jsonl of many, or - for standard input.")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON alone.")]


def register(app: typer.Typer) -> None:
    """Add the two commands."""
    app.command("settle")(settle)
    app.command("resettle")(resettle)


def settle(
    file: Positions,
    language: Annotated[
        str | None, typer.Option(help="Language of the words: en, which is the default, or zh.")
    ] = None,
    as_json: Json = False,
    explain: Annotated[
        bool, typer.Option("--explain", help="With --json: the words as well as the result.")
    ] = False,
    html: Annotated[bool, typer.Option("--html", help="Print a page with a table each.")] = False,
    out: Annotated[str, typer.Option(help="Where it goes; - is standard output.")] = STDOUT,
) -> None:
    """Print the bill of positions in words: who pays whom how much for what, and by which clause.

    What is not paid is said too, with the reason.
    """
    from zhuoji_env.calculator.explanation.lines import words_of

    if as_json and html:
        raise ZhuojiError("--json and --html given; allowed: one of them")
    if explain and not as_json:
        raise ZhuojiError("--explain given; allowed: with --json, as text and page explain anyway")
    if language is not None and as_json and not explain:
        raise ZhuojiError("--language given; allowed: without --json, or with --explain")
    spoken = language or "en"
    words_of(spoken)
    with _opened(out) as stream:
        if html:
            _write_page(file, spoken, stream)
            return
        from zhuoji_env.calculator import settle_all
        from zhuoji_env.record.reading import read_items

        for item, settled in worked(read_items(file, PositionError), settle_all):
            if not as_json:
                _print_bill(item.where, settled, spoken, stream)
                continue
            value: dict[str, Any] = settled.to_dict()
            if explain:
                told = [line.to_dict() for line in settled.explain(spoken)]
                value = {"result": value, "explanation": told}
            print_value(value, item, stream)


def _opened(out: str) -> AbstractContextManager[TextIO]:
    from zhuoji_env.record.writing import whole_file

    return whole_file(out)


def _write_page(file: str, language: str, stream: TextIO) -> None:
    from zhuoji_env.calculator import settle_all
    from zhuoji_env.calculator.explanation import page
    from zhuoji_env.record.reading import read_items

    def sections() -> Iterator[str]:
        for item, settled in worked(read_items(file, PositionError), settle_all):
            title = f"{item.where}: {settled.position.rules.name}"
            yield settled.to_section(title, language)

    for piece in page(sections(), language):
        stream.write(piece)


def _print_bill(where: str, settled: Settlement, language: str, stream: TextIO) -> None:
    from zhuoji_env.calculator.explanation import LANGUAGES, headline

    name = settled.position.rules.name
    typer.echo(f"{where}: {name}: {headline(settled.result, language)}", file=stream)
    words = LANGUAGES[language]
    item, clause, told, total = words.columns
    seats = [words.phrases["seat"].format(n=seat) for seat in SEATS]
    rows = [(item, clause, *seats, told)]
    change = [0] * len(SEATS)
    for line in settled.explain(language):
        numbers = line.change
        change = [a + b for a, b in zip(change, numbers, strict=True)]
        shown = [f"{n:+d}" if n else "" for n in numbers]
        rows.append((line.item or "", line.clause, *shown, line.words))
    rows.append((total, "", *(f"{n:+d}" for n in change), ""))
    print_columns(rows, "  ", stream)


def resettle(
    file: Records,
    rules: Annotated[str, typer.Option(help="The other ruleset: a preset, or a YAML file.")],
    each: Annotated[
        bool, typer.Option("--each", help="Tell of every deal, before the summary.")
    ] = False,
    as_json: Json = False,
) -> None:
    """What would these deals have paid? Finished deals, priced under another ruleset.

    Draws, discards, melds and the win stay as they were played; a deal that could not have been
    played so is counted, with the reason. All amounts are sums over the deals that could.
    """
    from zhuoji_env import calculator
    from zhuoji_env.record.reading import read_items

    summary = calculator.Resettlement(Rules.load(rules))
    items = read_items(file, RecordError)
    for item, done in worked(items, lambda raws: calculator.resettle_all(raws, summary.rules)):
        summary.add(done)
        if each and as_json:
            typer.echo(json.dumps(done.to_dict()))
        elif each:
            typer.echo(f"{item.where}: {_resettled(done)}")
    if as_json and each:
        typer.echo(json.dumps(summary.to_dict()))
    elif as_json:
        print_json(summary.to_dict())
    else:
        _print_summary(file, summary)


def _resettled(done: Resettled) -> str:
    """A deal in one line."""
    old, new = done.original.result, done.result
    if old is None or new is None:
        return f"not priced: {done.why}"
    return f"points {_points(old['scores'])} -> {_points(new['scores'])}"


def _points(scores: Sequence[int]) -> str:
    return " ".join(f"{points:+d}" for points in scores)


def _print_summary(file: str, summary: Resettlement) -> None:
    from zhuoji_env.calculator.resettling import REASONS

    told = summary.to_dict()
    typer.echo(
        f"{file}: {summary.deals} deals, {summary.priced} priced under {summary.rules.name}; "
        f"another next dealer in {summary.other_dealer}"
    )
    for reason, n in told["not_priced"].items():
        typer.echo(f"  not priced: {n}: {REASONS[reason].format(who='a player')}")
    rows = [("", "as played", summary.rules.name, "difference")]
    for item, fan in told["items"].items():
        numbers = fan["original"], fan["new"], f"{fan['difference']:+d}"
        rows.append((item, *map(str, numbers)))
    scores = zip(*told["scores"].values(), strict=True)
    for seat, (old, new, change) in enumerate(scores):
        rows.append((f"seat {seat}, points", f"{old:+d}", f"{new:+d}", f"{change:+d}"))
    print_columns(rows, "  ")
