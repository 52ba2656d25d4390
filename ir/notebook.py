"""How results show themselves in a notebook: small HTML tables whose every word is escaped."""

from collections.abc import Iterable, Sequence
from html import escape

_CELL = "padding: 0 0.8em 0 0; text-align: left; white-space: nowrap"


def html_table(title: str, headings: Sequence[str], rows: Iterable[Sequence[object]], notes: Iterable[str] = ()) -> str:
    """A table with its title above and its notes below. None is shown as a dash."""
    head = "".join(f'<th style="{_CELL}">{escape(heading)}</th>' for heading in headings)
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    below = "".join(f"<div>{escape(note)}</div>" for note in notes if note)
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>" if headings else ""
    return f"<div><div><b>{escape(title)}</b></div>{table}{below}</div>"


def _cell(value: object) -> str:
    text = "-" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)
    return f'<td style="{_CELL}">{escape(text)}</td>'
