"""Results as JSON with one row a line, so that a change of a row is a change of a line."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def write_result(out: Path, content: Mapping[str, Any]) -> None:
    """Write `content`, whose key `rows` has the rows by name."""
    head = json.dumps({key: value for key, value in content.items() if key != "rows"}, indent=1)
    rows = ",\n".join(f"  {json.dumps(name)}: {json.dumps(row)}" for name, row in content["rows"].items())
    out.write_text(f'{head[:-2]},\n "rows": {{\n{rows}\n }}\n}}\n', encoding="utf-8")
