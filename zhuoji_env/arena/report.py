"""A ladder's report: one self-contained HTML page, or the same as Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from zhuoji_env.arena.book import Book
from zhuoji_env.arena.luck import Reduced
from zhuoji_env.arena.panel import FIGURES
from zhuoji_env.arena.ratings import Standing, Standings, standings
from zhuoji_env.arena.stats import Interval
from zhuoji_env.engine.layout import ITEMS
from zhuoji_env.errors import ZhuojiError
from zhuoji_env.writing import write_whole

SUFFIXES = (".html", ".md")
NONE = "–"


@dataclass(frozen=True)
class Heading:
    """A title, of level 1 to 3."""

    level: int
    text: str


@dataclass(frozen=True)
class Table:
    """Rows of text under a head; `heat` shades the cells, -1 to 1, None for no shade."""

    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    heat: Sequence[Sequence[float | None]] | None = None


@dataclass(frozen=True)
class Waterfall:
    """Steps that add up to a sum, each with its name."""

    title: str
    steps: Sequence[tuple[str, float]]


Part = Heading | str | Table | Waterfall


def write(book: Book, out: str | Path) -> list[Standings]:
    """Write a book's report to a `.html` or `.md` file and return what it says.

    Raises ZhuojiError.
    """
    suffix = Path(out).suffix
    if suffix not in SUFFIXES:
        raise ZhuojiError(f"{out}: its suffix is {suffix!r}; allowed: {', '.join(SUFFIXES)}")
    said = [standings(book, place) for place in range(len(book.rules_names))]
    text = (html if suffix == ".html" else markdown)(parts(book, said))
    write_whole(Path(out), text)
    return said


def parts(book: Book, said: Sequence[Standings]) -> list[Part]:
    """Return what a report says, ruleset by ruleset."""
    header = book.header
    told: list[Part] = [
        Heading(1, f"Ladder: {', '.join(book.agents)}"),
        f"Layout {header['layout']}, walls of seed {header['seed']}, zhuoji {header['version']}. "
        "A block is one wall and one dealer, dealt anew for every seating. Intervals are 95%, "
        "bootstrapped over blocks that all meetings share.",
        Table(
            ("agent", "spec", "file's SHA-256"),
            [(n, a["spec"], a.get("sha256", NONE)) for n, a in header["agents"].items()],
        ),
    ]
    for one in said:
        told += _ruleset(one)
    return told


def _ruleset(said: Standings) -> list[Part]:
    names = [one.agent for one in said.agents]
    return [
        Heading(2, f"Rules: {said.rules['name']} ({said.rules['fingerprint']})"),
        Heading(3, "Standings"),
        "Bradley–Terry strengths in Elo's units from blocks won, 0 the field's mean; OpenSkill "
        "(Plackett–Luce) from the blocks in order.",
        _standings(said.agents),
        Heading(3, "Cross-table"),
        "Points per deal that the agent of the row gains on the middle between it and that of the "
        "column, where they meet.",
        _cross(names, said),
        _cycles(said),
        Heading(3, "Income by bill item"),
        *(Waterfall(one.agent, _income(one)) for one in said.agents),
        Heading(3, "Panel"),
        Table(
            ("figure", *names),
            [
                (figure.meaning, *(_figure(one.panel[key], figure.share) for one in said.agents))
                for key, figure in FIGURES.items()
            ],
        ),
    ]


def _standings(agents: Sequence[Standing]) -> Table:
    head = ["agent", "points per deal", "Bradley–Terry", "OpenSkill", "blocks", "deals of a seat"]
    rows = [
        [
            one.agent,
            _interval(one.panel["points"], "+.3f"),
            _interval(one.strength, "+.0f"),
            f"{one.skill.mu:.1f} ± {one.skill.sigma:.1f}",
            str(one.blocks),
            str(one.deals),
        ]
        for one in agents
    ]
    if any(one.reduced is not None for one in agents):
        head.append("points without luck, of the deviation")
        for row, one in zip(rows, agents, strict=True):
            row.append(_reduced(one.reduced))
    return Table(tuple(head), [tuple(row) for row in rows])


def _reduced(reduced: Reduced | None) -> str:
    if reduced is None:
        return NONE
    points = Interval(reduced.mean, reduced.low, reduced.high)
    return f"{_interval(points, '+.3f')}, {reduced.ratio:.2f}"


def _cross(names: Sequence[str], said: Standings) -> Table:
    met = [abs(cell.mean) for row in said.cross for cell in row if cell is not None]
    most = max(met, default=0.0) or 1.0
    return Table(
        ("", *names),
        [
            (name, *(_interval(cell, "+.3f") for cell in row))
            for name, row in zip(names, said.cross, strict=True)
        ],
        heat=[[None if c is None else c.mean / most for c in row] for row in said.cross],
    )


def _cycles(said: Standings) -> str:
    if not said.cycles:
        return "No three agents beat each other in a circle."
    told = [
        f"{' > '.join((*names, names[0]))}{'' if sure else ' (within the intervals)'}"
        for names, sure in said.cycles
    ]
    return f"Not transitive: {'; '.join(told)}."


def _income(one: Standing) -> list[tuple[str, float]]:
    values = [(item, one.figures[f"points_{item}"]) for item in ITEMS]
    return [(item, value) for item, value in values if value]


def _interval(cell: Interval | None, form: str) -> str:
    if cell is None:
        return NONE
    return f"{cell.mean:{form}} ({cell.low:{form}} .. {cell.high:{form}})"


def _figure(cell: Interval | None, share: bool) -> str:
    return _interval(cell, ".2%" if share else ".3f")


def markdown(told: Sequence[Part]) -> str:
    """Return a report as Markdown."""
    return "\n\n".join(map(_markdown, told)) + "\n"


def _markdown(part: Part) -> str:
    if isinstance(part, Heading):
        return f"{'#' * part.level} {_plain(part.text)}"
    if isinstance(part, Table):
        rows = [part.head, ["---"] * len(part.head), *part.rows]
        return "\n".join("| " + " | ".join(map(_plain, row)) + " |" for row in rows)
    if isinstance(part, Waterfall):
        rows = [(name, f"{value:+.3f}") for name, value in part.steps]
        total = sum(value for _, value in part.steps)
        return _markdown(Table((part.title, "points per deal"), [*rows, ("sum", f"{total:+.3f}")]))
    return _plain(part)


def _plain(text: str) -> str:
    """Return text in which Markdown and HTML find nothing of their own to read."""
    for char in "\\`*_[]|":
        text = text.replace(char, "\\" + char)
    return escape(text, quote=False).replace("&gt;", ">").replace("\n", " ")


_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 75rem; padding: 0 1rem }
table { border-collapse: collapse; display: block; margin: 1rem 0; overflow-x: auto }
th, td { border: 1px solid #ccc; padding: .25rem .6rem; text-align: right; white-space: nowrap }
th:first-child, td:first-child { text-align: left }
th { background: #f2f2f2 }
svg { display: block; margin: 1rem 0; max-width: 100% }
"""


def html(told: Sequence[Part]) -> str:
    """Return a report as one HTML page that needs nothing else."""
    title = next((part.text for part in told if isinstance(part, Heading)), "")
    body = "\n".join(map(_html, told))
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{_STYLE}</style>\n</head>\n"
        f"<body>\n{body}\n</body>\n</html>\n"
    )


def _html(part: Part) -> str:
    if isinstance(part, Heading):
        return f"<h{part.level}>{escape(part.text)}</h{part.level}>"
    if isinstance(part, Table):
        return _html_table(part)
    if isinstance(part, Waterfall):
        return _svg(part)
    return f"<p>{escape(part)}</p>"


def _html_table(table: Table) -> str:
    heat = table.heat or [[None] * (len(table.head) - 1)] * len(table.rows)
    head = "".join(f"<th>{escape(text)}</th>" for text in table.head)
    lines = [f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>"]
    for (first, *rest), shades in zip(table.rows, heat, strict=True):
        cells = "".join(
            f"<td{_shade(shade)}>{escape(text)}</td>"
            for text, shade in zip(rest, shades, strict=True)
        )
        lines.append(f"<tr><td>{escape(first)}</td>{cells}</tr>")
    return "\n".join([*lines, "</tbody>\n</table>"])


def _shade(value: float | None) -> str:
    if value is None:
        return ""
    # Blue gains and orange losses, which those who confuse red and green can tell apart.
    red, green, blue = (33, 102, 172) if value > 0 else (217, 95, 2)
    return f' style="background: rgba({red}, {green}, {blue}, {0.6 * abs(value):.2f})"'


_WIDTH, _ROW, _LEFT, _RIGHT = 720, 22, 140, 80


def _svg(chart: Waterfall) -> str:
    """Return a waterfall of bars, each beginning where the one above ends, and their sum."""
    bars, level = [], 0.0
    for name, value in chart.steps:
        bars.append((name, level, level + value, value))
        level += value
    bars.append(("sum", 0.0, level, level))
    low = min(min(a, b) for _, a, b, _ in bars)
    high = max(max(a, b) for _, a, b, _ in bars)
    scale = (_WIDTH - _LEFT - _RIGHT) / ((high - low) or 1.0)
    height = _ROW * (len(bars) + 1)
    zero = _LEFT + (0 - low) * scale
    lines = [
        f'<svg viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" role="img" font-size="13">',
        f"<title>{escape(chart.title)}: points per deal by bill item</title>",
        f'<text x="0" y="15" font-weight="bold">{escape(chart.title)}</text>',
        f'<line x1="{zero:.1f}" y1="{_ROW}" x2="{zero:.1f}" y2="{height}" stroke="#999"/>',
    ]
    for row, (name, start, end, value) in enumerate(bars, 1):
        x = _LEFT + (min(start, end) - low) * scale
        wide, y = abs(end - start) * scale, row * _ROW
        color = "#2166ac" if value > 0 else "#d95f02"
        lines += [
            f'<text x="0" y="{y + 15}">{escape(name)}</text>',
            f'<rect x="{x:.1f}" y="{y + 3}" width="{wide:.1f}" height="{_ROW - 6}" '
            f'fill="{color}"/>',
            f'<text x="{x + wide + 4:.1f}" y="{y + 15}">{value:+.3f}</text>',
        ]
    return "\n".join([*lines, "</svg>"])
