"""Programs that users name by their files: read as text, or refused in one line."""

import json
from pathlib import Path

from kernelwright.ir.errors import UserError

#: The way out where a program in KernelBench's format is wanted.
GIVE_A_PROGRAM = "give a Python file with a class Model, get_inputs and get_init_inputs"

#: More than this many bytes are no program that a person or a model wrote.
_MOST_BYTES = 1 << 26


def read_program_text(path: Path, key: str, wanted: str) -> str:
    """The text of a program's file. UserError for a file that is no text, and for JSON, as a notebook is.

    `key` stands before the file's name, as in `reference=`, and `wanted` is the way out.
    """
    try:
        if path.exists() and not path.is_dir() and not path.is_file():  # such as a FIFO that nobody writes to
            raise UserError(f"{key}{path} is not a regular file; {wanted}")
        if path.is_file() and path.stat().st_size > _MOST_BYTES:
            raise UserError(f"{key}{path} has {path.stat().st_size / 2**20:.0f} MB, too much for a program; {wanted}")
        text = path.read_text("utf-8-sig")
    except UserError:  # a ValueError, too
        raise
    except UnicodeDecodeError as error:
        raise UserError(f"{key}{path} is not a text file in UTF-8; {wanted}") from error
    except (OSError, ValueError) as error:
        raise UserError(f"{key}{path}: {getattr(error, 'strerror', None) or error}; {wanted}") from error
    if text.lstrip().startswith("{") and is_json(text):
        notebook = ", as a notebook does (`jupyter nbconvert --to script` writes Python)" * (path.suffix == ".ipynb")
        raise UserError(f"{key}{path} holds JSON{notebook}; {wanted}")
    return text


def is_json(text: str) -> bool:
    """Whether a text is JSON."""
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True
