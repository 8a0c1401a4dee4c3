"""`zhuoji play-out` and `replay`: deals played, and played back."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from zhuoji_env.cli.batches import print_value, worked
from zhuoji_env.cli.output import print_columns, print_json
from zhuoji_env.errors import RecordError, ZhuojiError
from zhuoji_env.rules import Rules

if TYPE_CHECKING:
    from zhuoji_env.record import Replay

STDOUT = "-"
SEATS = range(4)
GREEDY = "greedy,greedy,greedy,greedy"

Records = Annotated[
    str, typer.Argument(help="A record, or a .jsonl of many, or - for standard input.")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON alone.")]

T = TypeVar("T")


def register(app: typer.Typer) -> None:
    """Add the two commands."""
    app.command("play-out")(play_out)
    app.command("replay")(replay)


def play_out(
    out: Annotated[str, typer.Option(help="Where the records go (.jsonl); - is standard output.")],
    rules: Annotated[str, typer.Option(help="A preset, or a YAML file.")] = "guiyang",
    deals: Annotated[int, typer.Option(min=1, help="How many deals the session has.")] = 1,
    agents: Annotated[
        str, typer.Option(help="Four agents, the seats' 0 to 3, joined by commas.")
    ] = GREEDY,
    seed: Annotated[int, typer.Option(min=0, help="Equal seeds, equal records.")] = 0,
    as_json: Json = False,
) -> None:
    """Let four agents play a session, dealer and streak carried on, and write its records."""
    from zhuoji_env.record import playing
    from zhuoji_env.record.writing import whole_file
    from zhuoji_env.specs import make

    names = agents.split(",")
    if len(names) != len(SEATS):
        raise ZhuojiError(f"--agents: {len(names)} given; allowed: four, joined by commas")
    ruleset = Rules.load(rules)
    players = [make(name) for name in names]
    scores = [0] * len(SEATS)
    ends: Counter[str] = Counter()
    with whole_file(out) as stream:
        played = playing.play_out(ruleset, deals, players, seed, names)
        for record in _with_progress(played, deals):
            stream.write(json.dumps(record) + "\n")
            ends[record["result"]["end"]] += 1
            for seat in SEATS:
                scores[seat] += record["result"]["scores"][seat]
    if out == STDOUT:
        return
    if as_json:
        told = {"file": out, "deals": deals, "agents": names, "scores": scores, "ends": ends}
        print_json(told)
        return
    typer.echo(f"{out}: {deals} deals of {ruleset.name}, seed {seed}; {_counted(ends)}")
    print_columns([(f"seat {s}", names[s], f"{scores[s]:+d} points") for s in SEATS], "  ")


def replay(
    file: Records,
    verify: Annotated[
        bool, typer.Option("--verify", help="Compare each recorded result with the replayed one.")
    ] = False,
    as_text: Annotated[
        bool, typer.Option("--transcript", help="Tell each deal draw by draw, marks and bill.")
    ] = False,
    language: Annotated[
        str | None, typer.Option(help="With --transcript: en, which is the default, or zh.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Replay records from nothing but themselves; a wrong action or result is refused."""
    from zhuoji_env.calculator.explanation.lines import words_of
    from zhuoji_env.record import replay_all, transcript
    from zhuoji_env.record.reading import read_items

    if as_text and as_json:
        raise ZhuojiError("--transcript and --json given; allowed: one of them")
    if language is not None and not as_text:
        raise ZhuojiError("--language given; allowed: with --transcript")
    spoken = language or "en"
    words_of(spoken)
    deals = verified = 0
    for item, done in worked(read_items(file, RecordError), replay_all):
        if verify:
            try:
                verified += done.verify()
            except RecordError as error:
                raise RecordError(f"{item.where}: {error}") from None
        deals += 1
        if as_json:
            print_value(done.to_dict(), item)
        elif as_text:
            typer.echo(f"{item.where}\n{transcript(done, language=spoken)}\n")
        else:
            typer.echo(f"{item.where}: {_played(done)}")
    if not as_json:
        checked = f", {verified} results verified" if verify else ""
        typer.echo(f"{deals} replayed{checked}")


def _with_progress(deals: Iterator[T], total: int) -> Iterator[T]:
    """The same deals, counted on a terminal's standard error."""
    from rich.console import Console
    from rich.progress import track

    console = Console(stderr=True)
    yield from track(
        deals, "deals", total, console=console, transient=True, disable=not console.is_terminal
    )


def _played(done: Replay) -> str:
    """A replayed deal in one line."""
    from zhuoji_env.calculator.explanation import headline

    record = done.record
    n = len(record.decisions)
    head = f"{record.rules.name}, dealer {record.dealer}, streak {record.streak}, {n} actions"
    if done.result is None:
        return f"{head}: unfinished, seat {done.games.seat[done.table]} to act"
    return f"{head}: {headline(done.result)}"


def _counted(ends: Counter[str]) -> str:
    return ", ".join(f"{end} {n}" for end, n in sorted(ends.items()))
