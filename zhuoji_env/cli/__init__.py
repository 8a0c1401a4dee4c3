"""The `zhuoji` command. Each sub-module adds its commands with `register(app)`.

Bad input of any kind is one line on standard error and exit code 2, never a traceback.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence
from typing import Any

import typer

from zhuoji_env.cli import arena, bench, benchmark, bills, deals, rules
from zhuoji_env.errors import ZhuojiError

app = typer.Typer(
    name="zhuoji",
    help="Guiyang zhuoji mahjong: rules, records, agents and matches.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
# The base of all that typer refuses, as the package that has it differs between typer's versions.
UsageError: type[Any] = typer.BadParameter.__mro__[1]
rules.register(app)
deals.register(app)
bills.register(app)
arena.register(app)
benchmark.register(app)
bench.register(app)


@app.callback()
def _root() -> None:
    """Keeps a lone sub-command a sub-command."""


def main(args: Sequence[str] | None = None) -> int:
    """Run the command line (sys.argv by default) and return its exit code."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        # Commands return nothing; what comes back is the code of a typer.Exit.
        code = app(args, prog_name="zhuoji", standalone_mode=False)
    except SystemExit as exit_:
        code = exit_.code
    except typer.Abort:
        print("zhuoji: aborted", file=sys.stderr)
        return 1
    except UsageError as error:
        return _misused(error)
    except ZhuojiError as error:
        return _refused(str(error))
    except OSError as error:
        where = f"{error.filename}: " if error.filename is not None else ""
        return _refused(f"{where}{error.strerror or error}")
    return _flushed(code if isinstance(code, int) else int(bool(code)))


def _refused(reason: str) -> int:
    print("zhuoji: " + " ".join(reason.splitlines()), file=sys.stderr)
    return 2


def _misused(error: Any) -> int:
    """Tell what is wrong with the options in a line; a bare group of commands shows its help."""
    told, context = error.format_message(), error.ctx
    if context is not None and told == context.get_help():
        print(told, file=sys.stderr)
        return 2
    where = "zhuoji" if context is None else context.command_path
    return _refused(f"{told.rstrip('.')} (see {where} --help)")


def _flushed(code: int) -> int:
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader has gone: keep the interpreter from complaining when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return code
