"""Explanations as HTML: tables on one self-contained page, everything escaped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape
from typing import Any

from zhuoji_env.calculator.explanation.account import SEATS, Line
from zhuoji_env.calculator.explanation.lines import headline, words_of

_TAGS = {"en": "en", "zh": "zh-Hans"}
_STYLE = (
    "body{font:15px/1.5 system-ui,sans-serif;margin:2em;color:#222}"
    "table{border-collapse:collapse;margin-bottom:2em}"
    "th,td{padding:.25em .7em;border-bottom:1px solid #ddd;text-align:left;vertical-align:top}"
    "td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}"
    "tr.note td{color:#777}tfoot td{font-weight:bold;border-top:2px solid #222}"
)


def page(sections: Iterable[str], language: str = "en") -> Iterator[str]:
    """A page of `section`s, piece by piece."""
    words_of(language)
    yield (
        f'<!doctype html>\n<html lang="{_TAGS[language]}">\n<head>\n<meta charset="utf-8">\n'
        f"<title>zhuoji</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
    )
    yield from sections
    yield "</body>\n</html>\n"


def section(title: str, result: dict[str, Any], lines: Iterable[Line], language: str = "en") -> str:
    """A heading and the table of one explanation: what each line gives or takes from each seat."""
    words = words_of(language)
    item, clause, told, total = words.columns
    seats = [words.phrases["seat"].format(n=seat) for seat in SEATS]
    head = _row("th", (item, clause), seats, told)
    change = [0] * len(SEATS)
    rows = []
    for line in lines:
        change = [a + b for a, b in zip(change, line.change, strict=True)]
        numbers = [f"{n:+d}" if n else "" for n in line.change]
        cells = _row("td", (line.item or "", line.clause), numbers, line.words)
        rows.append(f"<tr>{cells}</tr>" if line.entries else f'<tr class="note">{cells}</tr>')
    foot = _row("td", (total, ""), [f"{n:+d}" for n in change], "")
    body = "\n".join(rows)
    return (
        f"<h2>{escape(title)}</h2>\n<p>{escape(headline(result, language))}</p>\n<table>\n"
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n"
        f"<tfoot><tr>{foot}</tr></tfoot>\n</table>\n"
    )


def _row(tag: str, start: Iterable[str], numbers: Iterable[str], words: str) -> str:
    cells = [f"<{tag}>{escape(text)}</{tag}>" for text in start]
    cells += [f'<{tag} class="n">{escape(text)}</{tag}>' for text in numbers]
    return "".join([*cells, f"<{tag}>{escape(words)}</{tag}>"])
