"""Tables and lines for a person, at any width: no word is cut in the middle."""

import re
from collections.abc import Sequence

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

#: Columns between columns, the widest that fits.
_GAPS = (2, 1)
_WORD = re.compile(r"\S*\s?")
#: What a pass's spec consists of, which may go on in the next line.
_PIECE = re.compile(r"[^\s,{]*[\s,{]?")


def print_rows(
    console: Console, title: str, headings: Sequence[str], rows: Sequence[Sequence[str]], words: int = 1
) -> None:
    """A table whose first column names its rows; the first `words` columns hold words, the others figures.

    Where it does not fit, each row is a paragraph.
    """
    columns = list(zip(headings, *rows, strict=True))
    widths = [max(_longest(heading, _WORD), *map(cell_len, cells), 0) for heading, *cells in columns]
    rooms = {gap: console.width - sum(widths[1:]) - gap * (len(widths) - 1) for gap in _GAPS}
    wanted = max(_longest(cell, _PIECE) for cell in columns[0])
    gap = next((gap for gap, room in rooms.items() if room >= wanted), None)
    if gap is None:
        _print_paragraphs(console, title, headings, rows)
        return
    widths[0] = min(widths[0], rooms[gap])
    table = Table(box=None, pad_edge=False, padding=(0, gap, 0, 0))
    for place, (heading, width) in enumerate(zip(headings, widths, strict=True)):
        justify = "left" if place < words else "right"
        table.add_column(Text(_broken(heading, width, _WORD)), justify=justify, no_wrap=True)  # type: ignore[arg-type]
    for name, *cells in rows:
        table.add_row(Text(_broken(name, widths[0], _PIECE)), *map(Text, cells))
    print_line(console, title)
    console.print(table)


def print_line(console: Console, line: str) -> None:
    """A line as it is; on a terminal it goes on in the next one between words."""
    shown = broken(line, console.width) if console.is_terminal else line
    console.print(shown, markup=False, highlight=False, soft_wrap=True)


def broken(text: str, width: int) -> str:
    """A text with line breaks between words, so that lines have at most this width where words allow it."""
    return "\n".join(_broken(line, width, _WORD) for line in text.split("\n"))


def _print_paragraphs(console: Console, title: str, headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    print_line(console, title)
    for name, *cells in rows:
        parts = [f"{heading} {cell}" for heading, cell in zip(headings[1:], cells, strict=True)]
        lines = [""]
        for part in (*(f"{part}; " for part in parts[:-1]), parts[-1]):
            if lines[-1] and cell_len(lines[-1] + part.rstrip()) > console.width - 2:
                lines.append("")
            lines[-1] += part
        told = [line for text in lines for line in _broken(text, console.width - 2, _WORD).split("\n")]
        for line in (_broken(name, console.width, _PIECE), *(f"  {line}" for line in told)):
            console.print(line, markup=False, highlight=False, soft_wrap=True)


def _longest(text: str, unit: re.Pattern[str]) -> int:
    return max(cell_len(piece.rstrip()) for piece in unit.findall(text))


def _broken(text: str, width: int, unit: re.Pattern[str]) -> str:
    lines = [""]
    for piece in unit.findall(text):
        if lines[-1] and cell_len(lines[-1] + piece.rstrip()) > width:
            lines.append("")
        lines[-1] += piece
    return "\n".join(line.rstrip() for line in lines)
