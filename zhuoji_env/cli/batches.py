"""Files of many records or positions, worked on in batches."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, TextIO, TypeVar

import typer

from zhuoji_env.cli.output import print_json
from zhuoji_env.errors import ZhuojiError

if TYPE_CHECKING:
    from zhuoji_env.record.reading import Item

CHUNK, CHUNK_BYTES = 1024, 1 << 23
"""How many records or positions, and how much of their text, are worked on together at most."""

T = TypeVar("T")


def worked(
    items: Iterator[Item], work: Callable[[Iterable[Any]], Iterator[T]]
) -> Iterator[tuple[Item, T]]:
    """What the work makes of each item; its complaints say where the item stands."""
    for chunk in chunks(items):
        made = work(item.value for item in chunk)
        for item in chunk:
            try:
                one = next(made)
            except ZhuojiError as error:
                raise type(error)(f"{item.where}: {error}") from None
            yield item, one


def chunks(items: Iterator[Item]) -> Iterator[list[Item]]:
    """Items in lists of bounded length; where reading fails, those read before it come first."""
    chunk: list[Item] = []
    size = 0
    try:
        for item in items:
            chunk.append(item)
            size += item.size
            if len(chunk) == CHUNK or size >= CHUNK_BYTES:
                yield chunk
                chunk, size = [], 0
    except ZhuojiError:
        if chunk:
            yield chunk
        raise
    if chunk:
        yield chunk


def print_value(value: dict[str, Any], item: Item, stream: TextIO | None = None) -> None:
    """A lone value as a document, one of many as a line."""
    if item.alone:
        print_json(value, stream)
    else:
        typer.echo(json.dumps(value), file=stream)
