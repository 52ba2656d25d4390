"""Results of many rows: one row a line, so that a change of a row is a change of a line, and rows of one code alone."""

import hashlib
import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).parent.parent


def write_result(out: Path, content: Mapping[str, Any]) -> None:
    """Write `content`, whose key `rows` has the rows by name."""
    out.parent.mkdir(parents=True, exist_ok=True)
    head = json.dumps({key: value for key, value in content.items() if key != "rows"}, indent=1)
    rows = ",\n".join(f"  {json.dumps(name)}: {json.dumps(row)}" for name, row in content["rows"].items())
    out.write_text(f'{head[:-2]},\n "rows": {{\n{rows}\n }}\n}}\n', encoding="utf-8")


def code_digest(*folders: str) -> str:
    """Of what is committed in these folders: rows of other code are made again."""
    command = ["git", "rev-parse", *(f"HEAD:{folder}" for folder in folders)]
    trees = subprocess.run(command, cwd=_ROOT, capture_output=True, text=True, check=True).stdout.split()
    return hashlib.sha256(" ".join(trees).encode()).hexdigest()[:16]
