"""How figures are read from benchmarks/results and written."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[3]
RESULTS = ROOT / "benchmarks/results"


def read(name: str) -> dict[str, Any]:
    (path,) = RESULTS.glob(f"*/{name}.json")
    found: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return found


def ratio(found: dict[str, Any]) -> str:
    low, high = found["ci"]
    return f"{found['geomean']:.2f}x [{low:.2f}, {high:.2f}]"


def interval(found: Sequence[float], digits: int = 3) -> str:
    value, low, high = (f"{each:.{digits}f}" for each in found)
    return f"{value} [{low}, {high}]"


def table(heading: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [heading, ["---"] * len(heading), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def wrapped(text: str, width: int = 118) -> str:
    lines = [""]
    for word in text.split():
        if len(lines[-1]) + len(word) >= width:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return "\n".join(lines)
