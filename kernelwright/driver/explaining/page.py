"""An explanation as a page of HTML that needs nothing from elsewhere; every word in it is escaped."""

import json
from html import escape

from kernelwright.driver.explaining.explanation import FIGURES, HEADINGS, RUNS, Explanation, cells, more
from kernelwright.driver.profile.rows import Row

_COLOURS = {
    "kernelwright": "#2f855a", "inductor": "#3b6fb6", "library": "#8a8f98", "eager": "#c98a1b", "other": "#b83232",
}  # fmt: skip
_STYLE = """
body { font: 14px/1.5 system-ui, sans-serif; margin: 2em auto; max-width: 75em; padding: 0 1em; color: #1a202c; }
table { border-collapse: collapse; width: 100%; }
th { text-align: left; border-bottom: 2px solid #cbd5e0; }
td { border-bottom: 1px solid #e2e8f0; vertical-align: top; }
td, th { padding: .25em .6em; }
.figure { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
.runs { white-space: nowrap; }
.bar { display: flex; height: 1.4em; margin: 1em 0; }
.bar span { border-right: 1px solid #fff; }
.key { display: inline-block; width: .8em; height: .8em; margin-right: .4em; }
code { overflow-wrap: anywhere; }
pre { overflow: auto; background: #f7fafc; padding: .6em; }
"""


def page(explanation: Explanation) -> str:
    """The page."""
    title = escape(f"{explanation.name}: what runs and why")
    summary = "".join(f"<p>{escape(line)}</p>\n" for line in explanation.summary())
    heads = "".join(f"<th{_figure(place)}>{escape(one)}</th>" for place, one in enumerate((*HEADINGS, "why")))
    rows = "\n".join(_row(row, explanation) for row in explanation.profile.rows)
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f"<style>{_STYLE}</style></head>\n<body><h1>{title}</h1>\n{summary}{_bar(explanation)}"
        f"<table><thead><tr>{heads}</tr></thead><tbody>\n{rows}\n</tbody></table></body></html>\n"
    )


def framed(explanation: Explanation) -> str:
    """The page in a frame, as a notebook shows it."""
    return f'<iframe srcdoc="{escape(page(explanation))}" width="100%" height="600"></iframe>'


def _row(row: Row, explanation: Explanation) -> str:
    figures = "".join(f"<td{_figure(place)}>{escape(cell)}</td>" for place, cell in enumerate(cells(row)[:FIGURES]))
    why = escape(row.why)
    if certificate := explanation.profile.certificates.get(row.pick):
        text = escape(json.dumps(dict(certificate), indent=1))
        why = f"<details><summary>{why}</summary><pre>{text}</pre></details>"
    what = f"<code>{escape(row.name)}</code> {escape(more(row))}"
    return (
        f'<tr>{figures}<td class="runs">{_key(row.runs)}{escape(RUNS[row.runs])}</td><td>{what}</td><td>{why}</td></tr>'
    )


def _figure(place: int) -> str:
    return ' class="figure"' if place < FIGURES else ""


def _bar(explanation: Explanation) -> str:
    """All rows as parts of one bar, and what its colours mean; nothing where no time is known."""
    shares = explanation.shares()
    if not shares:
        return ""
    parts = "".join(
        f'<span style="flex:{row.share:.6f};background:{_COLOURS[row.runs]}" '
        f'title="{escape(row.name)} {row.share:.1%}"></span>'
        for row in explanation.profile.rows
    )
    keys = " ".join(f"{_key(runs)}{escape(RUNS[runs])} {share:.1%}" for runs, share in shares.items())
    return f'<div class="bar">{parts}</div>\n<p>{keys}</p>\n'


def _key(runs: str) -> str:
    return f'<span class="key" style="background:{_COLOURS[runs]}"></span>'
