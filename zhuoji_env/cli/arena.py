"""`zhuoji arena`: a match of two agents, with error bars."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from zhuoji_env.cli.output import print_columns, print_json
from zhuoji_env.errors import ZhuojiError

if TYPE_CHECKING:
    from zhuoji_env.arena import MatchResult
    from zhuoji_env.arena.play import Progress

_AGENT = "A name such as greedy, module:factory, or a policy file."
# Figures that are shares of the deals; the others are shown as numbers.
_SHARES = {
    *("win", "self_draw", "discard_win", "rob_win"),
    *("deal_in", "draw", "ready_at_draw", "baoting"),
}


def register(app: typer.Typer) -> None:
    """Add `zhuoji arena ...`."""
    app.command("arena")(arena)


def arena(
    a: Annotated[str, typer.Option("--a", help=_AGENT)],
    b: Annotated[str, typer.Option("--b", help=_AGENT)],
    rules: Annotated[
        list[str] | None,
        typer.Option(
            "--rules", help="A preset or a YAML file; twice for the same walls under two."
        ),
    ] = None,
    blocks: Annotated[int, typer.Option(help="Walls, each dealt anew for every seating.")] = 500,
    seed: Annotated[int, typer.Option(help="What walls and agents' draws follow from.")] = 0,
    layout: Annotated[
        str, typer.Option(help="one-vs-three, three-vs-one or two-vs-two.")
    ] = "one-vs-three",
    interval: Annotated[str, typer.Option(help="t or bootstrap, over blocks.")] = "t",
    threads: Annotated[int, typer.Option(help="Threads; the result is the same.")] = 1,
    per_block: Annotated[bool, typer.Option("--per-block", help="JSON with every block.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON alone.")] = False,
) -> None:
    """Play agent A against agent B and say how many points a deal A gains."""
    from zhuoji_env.arena import PairedResult, match

    given = rules or ["guiyang"]
    if len(given) > 2:
        raise ZhuojiError(f"--rules is given {len(given)} times; allowed: once or twice")
    with _bar() as progress:
        result = match(
            a,
            b,
            rules=(given[0], given[1]) if len(given) == 2 else given[0],
            blocks=blocks,
            seed=seed,
            layout=layout,
            interval=interval,
            threads=threads,
            progress=progress,
        )
    if as_json:
        print_json(result.to_dict(per_block))
    elif isinstance(result, PairedResult):
        _print(result.first)
        _print(result.second)
        first, second = result.first.rules.name, result.second.rules.name
        typer.echo(f"{first} less {second}: {_interval(result.mean, result.low, result.high)}")
    else:
        _print(result)


@contextmanager
def _bar() -> Iterator[Progress]:
    """Show a bar on standard error, where that is a terminal, once deals are being played."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (BarColumn(), MofNCompleteColumn(), "deals", TimeRemainingColumn())
    bar = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
    task = bar.add_task("deals", total=None)

    def progress(ended: int, deals: int) -> None:
        bar.start()
        bar.update(task, completed=ended, total=deals)

    try:
        yield progress
    finally:
        bar.stop()


def _print(result: MatchResult) -> None:
    from zhuoji_env.arena.panel import MEANINGS

    typer.echo(
        f"{result.a} against {result.b}: {result.layout}, {result.rules.name}, seed {result.seed}, "
        f"{result.blocks} blocks, {result.deals} deals"
    )
    gain = _interval(result.mean, result.low, result.high)
    typer.echo(f"points per deal of {result.a}: {gain}")
    a, b = result.panel["a"], result.panel["b"]
    rows = [(_figure(key, a[key]), _figure(key, b[key]), text) for key, text in MEANINGS.items()]
    print_columns([(result.a, result.b, ""), *rows], "  ")


def _interval(mean: float, low: float, high: float) -> str:
    return f"{mean:+.3f}, 95% interval {low:+.3f} .. {high:+.3f}"


def _figure(key: str, value: float | None) -> str:
    if value is None:
        return "-"
    if key in _SHARES:
        return f"{value:.2%}"
    return f"{value:+.3f}" if key.startswith("points") else f"{value:.3f}"
