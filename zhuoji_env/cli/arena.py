"""`zhuoji arena`: agents against agents, with error bars."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from zhuoji_env.cli.output import deals_bar, duration, ends, print_columns, print_json
from zhuoji_env.errors import ZhuojiError

if TYPE_CHECKING:
    from zhuoji_env.arena import MatchResult, PairedResult, TableResult
    from zhuoji_env.arena.luck import Reduced
    from zhuoji_env.arena.panel import Figures
    from zhuoji_env.arena.ratings import Standings
    from zhuoji_env.arena.stats import Interval

_AGENT = "A name such as greedy, module:factory, or a policy file."
_LAYOUTS = "one-vs-three, three-vs-one, swap (both) or two-vs-two."

Json = Annotated[bool, typer.Option("--json", help="Print JSON alone.")]
Threads = Annotated[int, typer.Option(help="Threads; the result is the same.")]
Reduce = Annotated[
    bool, typer.Option("--reduce", help="Take the luck of draws and flips out too; from 50 blocks.")
]

commands = typer.Typer(invoke_without_command=True, no_args_is_help=True, rich_markup_mode=None)


def register(app: typer.Typer) -> None:
    """Add `zhuoji arena ...`."""
    app.add_typer(commands, name="arena")


@commands.callback()
def arena(
    ctx: typer.Context,
    a: Annotated[str | None, typer.Option("--a", help=_AGENT)] = None,
    b: Annotated[str | None, typer.Option("--b", help=_AGENT)] = None,
    agents: Annotated[
        str | None,
        typer.Option("--agents", help="Four agents, commas between: an open table, all orders."),
    ] = None,
    rules: Annotated[
        list[str] | None,
        typer.Option(
            "--rules", help="A preset or a YAML file; twice for the same walls under two."
        ),
    ] = None,
    blocks: Annotated[int, typer.Option(help="Walls, each dealt anew for every seating.")] = 500,
    seed: Annotated[int, typer.Option(help="What walls and agents' draws follow from.")] = 0,
    layout: Annotated[str | None, typer.Option(help=f"{_LAYOUTS} Default: the first.")] = None,
    interval: Annotated[str, typer.Option(help="t or bootstrap, over blocks.")] = "t",
    threads: Threads = 1,
    reduce: Reduce = False,
    per_block: Annotated[bool, typer.Option("--per-block", help="JSON with every block.")] = False,
    as_json: Json = False,
) -> None:
    """Play agent A against agent B and say how many points a deal A gains.

    With --agents, seat four at one table. Ladders of a whole field, their reports, and how long a
    match must be: the commands below.
    """
    if ctx.invoked_subcommand is not None:
        if a or b or agents:
            raise ZhuojiError(f"--a, --b, --agents stand after {ctx.invoked_subcommand}, if at all")
        return
    from zhuoji_env.arena import PairedResult, TableResult, match, table

    given = rules or ["guiyang"]
    result: MatchResult | PairedResult | TableResult
    with deals_bar() as progress:
        if agents is not None:
            _check_open(a, b, given, layout)
            result = table(
                agents.split(","), given[0], blocks, seed,
                reduce=reduce, interval=interval, threads=threads, progress=progress,
            )  # fmt: skip
        else:
            result = match(
                *_both(a, b), _one_or_two(given), blocks, seed,
                layout=layout or "one-vs-three", reduce=reduce,
                interval=interval, threads=threads, progress=progress,
            )  # fmt: skip
    if as_json:
        print_json(result.to_dict(per_block))
    elif isinstance(result, PairedResult):
        _print_paired(result)
    elif isinstance(result, TableResult):
        _print_table(result)
    else:
        _print(result)


def _check_open(a: str | None, b: str | None, rules: list[str], layout: str | None) -> None:
    if a or b or layout:
        raise ZhuojiError("--agents stands without --a, --b and --layout")
    if len(rules) > 1:
        raise ZhuojiError(f"--rules is given {len(rules)} times; allowed with --agents: once")


def _both(a: str | None, b: str | None) -> tuple[str, str]:
    if a is None or b is None:
        raise ZhuojiError("a match needs --a and --b, an open table --agents")
    return a, b


def _one_or_two(rules: list[str]) -> str | tuple[str, str]:
    if len(rules) > 2:
        raise ZhuojiError(f"--rules is given {len(rules)} times; allowed: once or twice")
    return (rules[0], rules[1]) if len(rules) == 2 else rules[0]


@commands.command("plan")
def plan(
    a: Annotated[str, typer.Option("--a", help=_AGENT)],
    b: Annotated[str, typer.Option("--b", help=_AGENT)],
    half_width: Annotated[
        float, typer.Option("--half-width", help="Of the 95% interval, in points per deal.")
    ],
    rules: Annotated[str, typer.Option("--rules", help="A preset or a YAML file.")] = "guiyang",
    pilot: Annotated[int, typer.Option(help="Blocks of the pilot run.")] = 100,
    seed: Annotated[int, typer.Option(help="What the pilot's walls follow from.")] = 0,
    layout: Annotated[str, typer.Option(help=_LAYOUTS)] = "one-vs-three",
    threads: Threads = 1,
    reduce: Reduce = False,
    as_json: Json = False,
) -> None:
    """Say how many blocks a match of two agents needs and how long they take, from a pilot run."""
    from zhuoji_env.arena import planner

    with deals_bar() as progress:
        told = planner.plan(
            a, b, half_width, rules, pilot, seed,
            layout=layout, threads=threads, reduce=reduce, progress=progress,
        )  # fmt: skip
    if as_json:
        print_json(told.to_dict())
        return
    typer.echo(
        f"{a} against {b}, {layout}, {rules}: a block's standard deviation is "
        f"{told.deviation:.3f} points per deal{' without luck' * reduce}, of {told.pilot} blocks"
    )
    typer.echo(
        f"for 95% intervals of ±{half_width:g}: {told.blocks} blocks ({told.fewest} to "
        f"{told.most}, as far as the pilot tells), {told.deals} deals, about "
        f"{duration(told.seconds)} with {threads} thread{'s' * (threads > 1)}"
    )


@commands.command("ladder")
def ladder(
    field: Annotated[
        str,
        typer.Argument(
            help="A field's YAML file: agents, rules (files beside it), layout, blocks, seed."
        ),
    ],
    out: Annotated[str, typer.Option("--out", help="The JSON Lines file to begin or go on with.")],
    blocks: Annotated[int | None, typer.Option(help="Instead of the field's.")] = None,
    threads: Threads = 1,
    as_json: Json = False,
) -> None:
    """Play a field's ladder, or what is missing of it, and say who stands where.

    The file gains a line for each block that has ended; a run that was stopped goes on from there.
    """
    from zhuoji_env.arena import ratings
    from zhuoji_env.arena.field import load_field
    from zhuoji_env.arena.ladder import ladder as climb

    with deals_bar() as progress:
        book = climb(load_field(field), out, blocks=blocks, threads=threads, progress=progress)
    _say([ratings.standings(book, place) for place in range(len(book.rules_names))], out, as_json)


@commands.command("report")
def report(
    file: Annotated[str, typer.Argument(help="A ladder's JSON Lines file.")],
    out: Annotated[
        str, typer.Option("--out", help="The page to write, .html or .md.")
    ] = "report.html",
    as_json: Json = False,
) -> None:
    """Write a ladder's report: one self-contained HTML page, or Markdown."""
    from zhuoji_env.arena import book
    from zhuoji_env.arena import report as page

    _say(page.write(book.read(file), out), out, as_json)


def _say(said: list[Standings], out: str, as_json: bool) -> None:
    if as_json:
        told = {"format": "zhuoji-standings/1", "file": out}
        print_json({**told, "standings": [one.to_dict() for one in said]})
        return
    for one in said:
        typer.echo(f"{one.rules['name']}, {one.blocks} blocks; points per deal, Bradley-Terry:")
        rows = [
            (s.agent, ends(s.panel["points"], ".3f"), ends(s.strength, ".0f"), _less(s.reduced))
            for s in one.agents
        ]
        print_columns(rows, "  ")
    typer.echo(f"written: {out}")


def _less(reduced: Reduced | None) -> str:
    if reduced is None:
        return ""
    return f"without luck {ends(reduced, '.3f')}, {reduced.ratio:.2f} of the deviation"


def _print(result: MatchResult) -> None:
    typer.echo(
        f"{result.a} against {result.b}: {result.layout}, {result.rules.name}, seed {result.seed}, "
        f"{result.blocks} blocks, {result.deals} deals"
    )
    gain = _interval(result.mean, result.low, result.high)
    typer.echo(f"points per deal of {result.a}: {gain}")
    if result.reduced is not None:
        _print_reduced(result.reduced)
    _print_panels((result.a, result.b), (result.panel["a"], result.panel["b"]))


def _print_reduced(reduced: Reduced) -> None:
    *interval, ratio = reduced
    typer.echo(
        f"without the luck of draws and flips: {_interval(*interval)}, "
        f"{ratio:.2f} of the standard deviation"
    )


def _print_panels(names: Sequence[str], panels: Sequence[Figures]) -> None:
    from zhuoji_env.arena.panel import MEANINGS

    rows = [
        (*(_figure(key, panel[key]) for panel in panels), text) for key, text in MEANINGS.items()
    ]
    print_columns([(*names, ""), *rows], "  ")


def _print_table(result: TableResult) -> None:
    typer.echo(
        f"open table: {result.rules.name}, seed {result.seed}, {result.blocks} blocks, "
        f"{result.deals} deals"
    )
    for agent, (name, points) in enumerate(zip(result.agents, result.points, strict=True)):
        typer.echo(f"points per deal of {name}: {_interval(*points)}")
        if result.reduced is not None:
            _print_reduced(result.reduced[agent])
    _print_panels(result.agents, result.panels)


def _print_paired(result: PairedResult) -> None:
    from zhuoji_env.arena.panel import MEANINGS

    _print(result.first)
    _print(result.second)
    first, second = result.first.rules.name, result.second.rules.name
    typer.echo(f"{first} less {second}, bootstrapped 95% intervals:")
    a, b = result.panel["a"], result.panel["b"]
    rows = [(_gap(key, a[key]), _gap(key, b[key]), text) for key, text in MEANINGS.items()]
    print_columns([(result.first.a, result.first.b, ""), *rows], "  ")
    gap = _interval(result.mean, result.low, result.high)
    typer.echo(f"{first} less {second}: {gap} ({result.first.interval}, over pairs of blocks)")


def _interval(mean: float, low: float, high: float) -> str:
    return f"{mean:+.3f}, 95% interval {low:+.3f} .. {high:+.3f}"


def _gap(key: str, value: Interval | None) -> str:
    from zhuoji_env.arena.panel import FIGURES

    return ends(value, ".2%" if FIGURES[key].share else ".3f")


def _figure(key: str, value: float | None) -> str:
    from zhuoji_env.arena.panel import FIGURES

    if value is None:
        return "-"
    if FIGURES[key].share:
        return f"{value:.2%}"
    return f"{value:+.3f}" if FIGURES[key].signed else f"{value:.3f}"
