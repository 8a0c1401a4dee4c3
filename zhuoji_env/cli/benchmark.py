"""`zhuoji benchmark`: one score per preset, against frozen opponents on frozen walls."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from zhuoji_env.cli.output import deals_bar, duration, ends, print_columns, print_json
from zhuoji_env.errors import ZhuojiError

if TYPE_CHECKING:
    from zhuoji_env.arena.scores import Card

Json = Annotated[bool, typer.Option("--json", help="Print JSON alone.")]
Given = Annotated[
    str | None,
    typer.Option("--gauntlet", help="A gauntlet's file of one's own; default: the project's."),
]

commands = typer.Typer(invoke_without_command=True, no_args_is_help=True, rich_markup_mode=None)


def register(app: typer.Typer) -> None:
    """Add `zhuoji benchmark ...`."""
    app.add_typer(commands, name="benchmark")


@commands.callback()
def benchmark(
    ctx: typer.Context,
    agent: Annotated[
        str | None,
        typer.Option("--agent", help="A name such as greedy, module:factory, or a policy file."),
    ] = None,
    rules: Annotated[
        list[str] | None,
        typer.Option("--rules", help="A preset, as often as there are; default: all of them."),
    ] = None,
    blocks: Annotated[
        int | None,
        typer.Option(help="For a quick look, which is not the benchmark: fewer blocks."),
    ] = None,
    threads: Annotated[int, typer.Option(help="Threads; the result is the same.")] = 1,
    out: Annotated[
        str | None,
        typer.Option("--out", help="The result file; default: benchmark-AGENT.jsonl."),
    ] = None,
    gauntlet: Given = None,
    as_json: Json = False,
) -> None:
    """Score an agent: frozen opponents, rules, walls and length, so that scores compare.

    The result file gains a line for each part that has been played; a run that was stopped goes on
    from there.
    """
    if ctx.invoked_subcommand is not None:
        if agent:
            raise ZhuojiError(f"--agent stands without {ctx.invoked_subcommand}")
        return
    if agent is None:
        raise ZhuojiError("a benchmark needs --agent")
    from zhuoji_env.arena import benchmark as play
    from zhuoji_env.arena.gauntlet import load

    path = out or "benchmark-" + re.sub(r"[^\w.-]+", "-", agent) + ".jsonl"
    with deals_bar() as progress:
        card = play(
            agent, path, against=load(gauntlet), rules=rules, blocks=blocks,
            threads=threads, progress=progress,
        )  # fmt: skip
    if as_json:
        print_json({**card.to_dict(), "file": path})
    else:
        _print(card)


def _print(card: Card) -> None:
    frozen = card.gauntlet
    typer.echo(
        f"{card.name} against {frozen.name}, fingerprint {frozen.fingerprint}; "
        "σ per deal and points per deal, 95% intervals:"
    )
    rows = []
    for score in card.scores():
        named = {f"{score.rules}, {score.blocks} blocks": score.points}
        named.update({f"  {name}": points for name, points in score.members.items()})
        rows += [
            (name, ends(score.in_sigmas(points), ".3f"), ends(points, ".3f"))
            for name, points in named.items()
        ]
    print_columns(rows, "  ")
    scores = card.scores()
    if not all(score.whole for score in scores):
        typer.echo(
            f"a quick look, not the benchmark, which is {frozen.blocks} blocks of each preset"
        )
    elif not card.whole:
        left = set(frozen.rules) - {score.rules for score in scores}
        typer.echo(f"a part of the benchmark, without {', '.join(sorted(left))}")
    typer.echo(f"written: {card.path}, {duration(card.seconds)} of play")


@commands.command("table")
def table(
    files: Annotated[list[str], typer.Argument(help="Result files of one benchmark.")],
    page: Annotated[
        str | None, typer.Option("--page", help="A Markdown page to put the scores into.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Put the scores of several agents side by side, as Markdown."""
    from zhuoji_env.arena import scores, scoretable

    cards = [scores.read(file) for file in files]
    text = scoretable.markdown(cards)
    if page is not None:
        scoretable.write(cards, page)
    if as_json:
        print_json({"format": "zhuoji-benchmarks/1", "agents": [card.to_dict() for card in cards]})
    elif page is None:
        typer.echo(text, nl=False)
    else:
        typer.echo(f"written: {page}")


@commands.command("freeze")
def freeze(
    name: Annotated[str, typer.Argument(help="The name of the new gauntlet, as in gauntlet/2.")],
    members: Annotated[
        str | None, typer.Option("--members", help="Specs, commas between; default: as before.")
    ] = None,
    rules: Annotated[
        list[str] | None,
        typer.Option("--rules", help="A preset, as often as there are; default: as before."),
    ] = None,
    blocks: Annotated[int | None, typer.Option(help="Blocks; default: as before.")] = None,
    seed: Annotated[int | None, typer.Option(help="Of the walls; default: as before.")] = None,
    gauntlet: Given = None,
    as_json: Json = False,
) -> None:
    """Freeze opponents and rules as they are now, in place of the gauntlet's file.

    Scores against another gauntlet do not compare, so that it must have another name.
    """
    from zhuoji_env.arena import gauntlet as frozen
    from zhuoji_env.writing import write_whole

    old = frozen.load(gauntlet)
    if name == old.name:
        raise ZhuojiError(f"{name} is frozen already; allowed: a name of its own")
    new = frozen.freeze(
        name,
        members.split(",") if members else list(old.members),
        rules or list(old.rules),
        seed=old.seed if seed is None else seed,
        blocks=old.blocks if blocks is None else blocks,
    )
    path = Path(gauntlet) if gauntlet else frozen.FILE
    write_whole(path, new.text())
    if as_json:
        print_json({**new.model_dump(), "fingerprint": new.fingerprint})
    else:
        typer.echo(f"{new.name}, fingerprint {new.fingerprint}, written: {path}")
