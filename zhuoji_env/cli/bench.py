"""`zhuoji bench`: how fast this machine plays."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from zhuoji_env.cli.output import print_columns, print_json


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("bench")(bench)


def bench(
    rules: Annotated[str, typer.Option(help="A preset's name or a YAML file.")] = "guiyang",
    rounds: Annotated[int, typer.Option(min=1, help="Rounds; medians are reported.")] = 5,
    start: Annotated[
        bool, typer.Option(help="Also time a start on an empty compile cache, and a warm one.")
    ] = True,
    agents: Annotated[
        str, typer.Option(help="Specs, a comma between: how fast these decide, and nothing else.")
    ] = "",
    seconds: Annotated[float, typer.Option(min=0.1, help="Seconds for each of --agents.")] = 10.0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON alone.")] = False,
) -> None:
    """Decisions and deals per second by way of play, one and two threads, cold and warm start.

    With --agents: their decisions per second in batches, and what one decision takes, on one core.
    """
    if agents:
        _agents(agents.split(","), rules, seconds, as_json)
    else:
        _play(rules, rounds, start, as_json)


def _agents(agents: list[str], rules: str, seconds: float, as_json: bool) -> None:
    from rich.console import Console
    from rich.progress import Progress

    from zhuoji_env import latency
    from zhuoji_env.rules import Rules

    results = []
    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("measuring", total=len(agents))
        for result in latency.measure_all(agents, Rules.load(rules), seconds):
            results.append(result)
            bar.advance(task)
    if as_json:
        print_json({"rules": rules, "agents": [asdict(result) for result in results]})
        return
    rows = [("agent", "batch", "decisions/s", "one at a time", "p50 ms", "p99 ms")]
    rows += [
        (
            r.agent,
            str(r.batch),
            f"{r.decisions_per_s:,.0f}",
            str(r.singles),
            f"{r.p50_ms:.3f}",
            f"{r.p99_ms:.3f}",
        )
        for r in results
    ]
    print_columns(rows)


def _play(rules: str, rounds: int, start: bool, as_json: bool) -> None:
    from rich.console import Console
    from rich.progress import Progress

    from zhuoji_env import bench as measuring
    from zhuoji_env.rules import Rules

    entries = measuring.scenarios(Rules.load(rules))
    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("measuring", total=rounds * len(entries))
        results = measuring.measure(entries, rounds, lambda: bar.advance(task))
        starts = measuring.starts() if start else {}
    if as_json:
        print_json({"rules": rules, "results": measuring.as_dicts(results), **starts})
        return
    rows = [("way of play", "tables", "threads", "builds", "decisions/s", "deals/s")]
    rows += [
        (
            r.name,
            str(r.tables),
            str(r.threads),
            r.builds,
            f"{r.decisions_per_s:,.0f}",
            f"{r.deals_per_s:,.0f}",
        )
        for r in results
    ]
    print_columns(rows)
    for name, seconds in starts.items():
        typer.echo(f"{name.split('_')[0]} start, Python to first step: {seconds:.1f} s")
