"""Arguments of a script: one dataclass, each field of which explains itself on the command line."""

from __future__ import annotations

import argparse
from dataclasses import field, fields
from typing import Any


def arg(default: Any, meaning: str) -> Any:
    """Return a dataclass field with its meaning."""
    return field(default=default, metadata={"help": meaning})


def parser(of: type[Any], program: str, description: str) -> argparse.ArgumentParser:
    """Return a parser with a flag for each of a dataclass's fields, of its default's type."""
    made = argparse.ArgumentParser(
        prog=f"python -m {program}",
        description=description,
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    for one in fields(of):
        flag = "--" + one.name.replace("_", "-")
        kind = type(one.default)
        made.add_argument(flag, type=kind, default=one.default, help=one.metadata["help"])
    return made
