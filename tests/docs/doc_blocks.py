"""The commands of a Markdown text: its fenced blocks, and how they run as they stand."""

import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
#: A fenced block, and the comment right before it: what runs in its place, or the file that it is the text of.
_BLOCK = re.compile(
    r"(?:^<!-- (?:run:\s*(?P<instead>.*?)|file: (?P<file>\S+))\s*-->\n\s*)?"
    r"^(?P<indent>[ ]*)```(?P<language>sh|console|python)\n"
    r"(?P<text>.*?)^(?P=indent)```$",
    re.DOTALL | re.MULTILINE,
)
#: A line that tells of work in progress, which a fast machine does not print.
_SLOW = re.compile(r"^kernelwright \w+: .*(?:…| s so far)\n", re.MULTILINE)
_NUMBER = re.compile(r"\d+(?:[.:]\d+)*")
TIMEOUT_S = 600


@dataclass(frozen=True)
class Block:
    """A block of a text: its language, its first line's number, and what a mark says: the commands that run instead of
    it, or the file that it is the text of."""

    language: str
    text: str
    line: int
    instead: str | None = None
    file: str | None = None


class BlockError(Exception):
    """A block that does not do what its page says."""


def read_blocks(text: str) -> list[Block]:
    """The blocks in `sh`, `console` and `python`, in order; those inside other fences are text."""
    found = []
    for match in _BLOCK.finditer(text):
        indent = match["indent"]
        lines = [line.removeprefix(indent) for line in match["text"].splitlines()]
        number = text.count("\n", 0, match.start("language")) + 1
        found.append(Block(match["language"], "\n".join(lines) + "\n", number, match["instead"], match["file"]))
    return found


def run_block(block: Block, folder: Path) -> None:
    """Run a block in a folder; BlockError where a command fails, or prints something else than the page says.

    A `console` block has commands behind `$ ` and what they print, to stdout and stderr: numbers may differ, and so may
    the white space between words; a line `...` stands for any number of lines.
    """
    if block.file is not None:
        (folder / block.file).write_text(block.text, "utf-8")
    elif block.instead is not None:
        _shell(block.instead, folder)
    elif block.language == "python":
        _checked([sys.executable, "-c", block.text], folder)
    elif block.language == "sh":
        _shell(block.text, folder)
    else:
        for command, expected in console_steps(block.text):
            printed = _SLOW.sub("", _run(["bash", "-o", "pipefail", "-c", command], folder).stdout)
            if not alike(expected, printed):
                raise BlockError(f"$ {command}\nthe page says:\n{expected}\nprinted:\n{printed}")


def console_steps(text: str) -> list[tuple[str, str]]:
    """Each command of a `console` block with what should be printed."""
    steps: list[tuple[str, str]] = []
    for line in text.splitlines():
        if line.startswith("$ "):
            steps.append((line[2:], ""))
        elif line.startswith("> ") and steps and not steps[-1][1]:
            steps[-1] = (f"{steps[-1][0]}\n{line[2:]}", "")
        elif steps:
            steps[-1] = (steps[-1][0], f"{steps[-1][1]}{line}\n")
        else:
            raise BlockError(f"a console block begins with `$ `, not with {line!r}")
    return steps


def alike(expected: str, printed: str) -> bool:
    """Whether the texts are equal up to numbers and white space, `...` standing for any lines."""
    parts = [re.escape(_plain(part)) for part in re.split(r"^\.\.\.$", expected, flags=re.MULTILINE)]
    return re.fullmatch(r"\s*" + r".*?".join(parts) + r"\s*", _plain(printed), re.DOTALL) is not None


def _plain(text: str) -> str:
    """One space between words, `#` for each number."""
    return _NUMBER.sub("#", " ".join(text.split()))


def _shell(text: str, folder: Path) -> None:
    _checked(["bash", "-euo", "pipefail", "-c", text], folder)


def _checked(command: list[str], folder: Path) -> None:
    done = _run(command, folder)
    if done.returncode:
        raise BlockError(f"{shlex.join(command)}\nleft with status {done.returncode}:\n{done.stdout[-4000:]}")


def _run(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Run with this environment's programs first, and no terminal; stderr goes where stdout goes."""
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    for name in ("COLUMNS", "VIRTUAL_ENV"):
        environment.pop(name, None)
    return subprocess.run(
        command,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=TIMEOUT_S,
    )


def make_checkout(folder: Path) -> None:
    """A checkout as a user has it, in a new folder: copies of this one's files, and its environment, built already."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
        text=True,
    )
    for name in filter(None, listed.stdout.split("\0")):
        source, copy = ROOT / name, folder / name
        if source.is_symlink() or source.is_file():
            copy.parent.mkdir(parents=True, exist_ok=True)
            if source.is_symlink():
                copy.symlink_to(source.readlink())
            else:
                copy.write_bytes(source.read_bytes())
                os.utime(copy, (0, 0))  # older than the environment, so that `make` has nothing to build
    (folder / ".venv").symlink_to(Path(sys.executable).parents[1])
