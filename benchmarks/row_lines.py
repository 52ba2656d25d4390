"""Results as people read them, a row a line, and as they are read again; a digest that tells rows of one code."""

import hashlib
import json
import shlex
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kernelwright.ir.errors import UserError

_ROOT = Path(__file__).parent.parent


#: A container of at least so many containers holds rows: each stands on a line of its own.
_ROWS = 16
_WIDTH = 120


def write_result(out: Path, content: Mapping[str, Any]) -> None:
    """Write `content` as JSON in which short values and rows take a line each."""
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(result_text(content) + "\n", encoding="utf-8")


def result_text(value: Any, depth: int = 0) -> str:
    """The JSON text of a value that stands `depth` levels deep."""
    line = json.dumps(value)
    if not isinstance(value, Mapping | list) or not value or (depth and len(line) + depth <= _WIDTH):
        return line
    inside = list(value.values()) if isinstance(value, Mapping) else value
    rows = len(inside) >= _ROWS and all(isinstance(one, Mapping | list) for one in inside)
    texts = [json.dumps(one) if rows else result_text(one, depth + 1) for one in inside]
    if isinstance(value, Mapping):
        texts = [f"{json.dumps(str(name))}: {text}" for name, text in zip(value, texts, strict=True)]
    opening, closing = "{}" if isinstance(value, Mapping) else "[]"
    lines = f",\n{' ' * (depth + 1)}".join(texts)
    return f"{opening}\n{' ' * (depth + 1)}{lines}\n{' ' * depth}{closing}"


def read_json(path: Path, flag: str) -> Any:
    """A file's content; UserError, naming the flag that gave the path, where there is none."""
    try:
        return json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise UserError(f"{flag} {path}: {error.strerror}; name the file of an earlier run") from error
    except ValueError as error:
        raise UserError(f"{flag} {path}: not JSON ({error}); name the file of an earlier run") from error


def command_line() -> str:
    """What runs this benchmark again: its module and the arguments, folders of this machine left out."""
    script = Path(sys.argv[0])
    known = script.is_relative_to(_ROOT)
    begin = ["-m", ".".join(script.relative_to(_ROOT).with_suffix("").parts)] if known else [script.name]
    given = [Path(word).name if Path(word).is_absolute() else word for word in sys.argv[1:]]
    return shlex.join(["python", *begin, *given])


def code_digest(*folders: str) -> str:
    """Of what is committed in these folders: rows of other code are made again. Where git does not know them, as in a
    copy of a working tree, of what they hold."""
    if not (_ROOT / ".git").exists():
        return _contents(folders)
    command = ["git", "rev-parse", *(f"HEAD:{folder}" for folder in folders)]
    trees = subprocess.run(command, cwd=_ROOT, capture_output=True, text=True, check=True).stdout.split()
    return hashlib.sha256(" ".join(trees).encode()).hexdigest()[:16]


def _contents(folders: tuple[str, ...]) -> str:
    found = hashlib.sha256()
    for path in sorted(path for folder in folders for path in (_ROOT / folder).rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            found.update(str(path.relative_to(_ROOT)).encode() + b"\0" + path.read_bytes())
    return found.hexdigest()[:16]
