"""Batches of evaluations: JSONL rows in, one line of JSON for each out, in order and resumable."""

import difflib
import hashlib
import json
from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kernelwright.agent.evaluator import Rung, Verdict
from kernelwright.driver.config.checking import near
from kernelwright.driver.config.settings import read_rungs
from kernelwright.evaluation.judge.cache import encode_verdict
from kernelwright.evaluation.pools.pool import Item, Pool
from kernelwright.frontend.beside import with_files_beside
from kernelwright.ir.errors import KernelwrightError, UserError
from kernelwright.ir.text_files import read_program_text
from kernelwright.ir.values import Reference

#: How a line of output begins.
_START = b'{"id": '
#: The status of a row about which there is no verdict.
ERROR = "error"
_OTHER_FILE = "name another file, or remove this one"
_KEYS = ("id", "reference", "candidate", "rungs", "dialect")
_KEPT_REFERENCES = 256
_SWITCH = {"on": True, "true": True, "off": False, "false": False}


@dataclass(frozen=True)
class BatchRow:
    """One row: its id (None where it has none), and what it says or why it says nothing."""

    id: str | int | float | None
    content: Mapping[str, Any] = field(default_factory=dict)
    error: str = ""


def read_rows(path: Path) -> Iterator[BatchRow]:
    """The rows of a batch, as they are read; blank lines are none. Raises UserError for no such file."""
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    yield _row(line, number)
    except OSError as error:
        raise UserError(f"batch={path}: {error.strerror}; give a JSONL file") from error


def _refuse(constant: str) -> None:
    raise ValueError(f"JSON has no {constant}")


def _row(line: bytes, number: int) -> BatchRow:
    try:
        content = json.loads(line.decode("utf-8-sig"), parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        return BatchRow(None, error=f"line {number} is not JSON: {error}")
    if not isinstance(content, dict):
        return BatchRow(None, error=f'line {number} is not an object with "id", "reference" and "candidate"')
    name = content.get("id")
    if isinstance(name, bool) or not isinstance(name, str | int | float):
        missing = 'no key "id"' if "id" not in content else 'an "id" that is neither text nor number'
        return BatchRow(None, error=f"line {number} has {missing}")
    return BatchRow(name, content)


@dataclass(frozen=True)
class Asked:
    """What a row asks for: texts of the reference and the candidate, the rungs, and the dialect if the row says."""

    reference: str
    name: str
    candidate: str
    rungs: tuple[Rung, ...] | None
    dialect: bool | None


class RowReader:
    """Makes items of rows. Paths are relative to `folder`; each distinct reference is imported once by `load`,
    which takes a source and a name and raises UserError for what is no reference. `rungs` and `dialect`
    hold for rows that do not name these keys. `judged_with` is a text of all other settings that verdicts depend
    on. `larger` gives what a source computes at larger sizes than its reference has."""

    def __init__(
        self,
        folder: Path,
        load: Callable[[str, str], Reference],
        rungs: tuple[Rung, ...] | None,
        dialect: bool = True,
        judged_with: str = "",
        larger: Callable[[str, Reference, str], tuple[Reference, ...]] = lambda _source, _reference, _name: (),
    ) -> None:
        self._folder, self._load, self._rungs, self._dialect = folder, load, rungs, dialect
        self._judged_with, self._larger = judged_with, larger
        self._known: OrderedDict[str, tuple[Reference, tuple[Reference, ...]] | UserError] = OrderedDict()

    def asked(self, row: BatchRow) -> Asked | UserError:
        """What a row asks for, or what is wrong with it; its files are read."""
        try:
            return self._asked(row)
        except UserError as error:
            return error

    def item(self, asked: Asked | UserError) -> Item | KernelwrightError:
        """What an evaluator is asked, or what is wrong with the row or its reference."""
        if isinstance(asked, UserError):
            return asked
        try:
            reference, larger = self._references(asked.reference, asked.name)
            return Item(asked.candidate, reference, asked.rungs, asked.dialect, larger=larger)
        except UserError as error:
            return error

    def digest(self, asked: Asked | UserError) -> str:
        """A digest of everything that a row's verdict depends on: rows with the same digest have the same verdict."""
        found = str(asked) if isinstance(asked, UserError) else asked
        return hashlib.sha256(repr((found, self._dialect, self._judged_with)).encode()).hexdigest()[:16]

    def _asked(self, row: BatchRow) -> Asked:
        if row.error:
            raise UserError(row.error)
        for key in row.content.keys() - set(_KEYS):
            if difflib.get_close_matches(key, _KEYS, n=1):  # any other key is the user's own
                raise UserError(f"unknown key {key!r}{near(key, _KEYS)}")
        source, name = self._text(row.content, "reference")
        dialect = _switch(row.content.get("dialect"))
        within = self._dialect if dialect is None else dialect
        candidate, _ = self._text(row.content, "candidate", files=not within)
        rungs = read_rungs(row.content.get("rungs"), "rungs") or self._rungs
        return Asked(source, name, candidate, rungs, dialect)

    def _text(self, content: Mapping[str, Any], key: str, *, files: bool = True) -> tuple[str, str]:
        """The text that a key gives or points to, and a name for it."""
        value = content.get(key)
        if not isinstance(value, str) or not value:
            raise UserError(f'no "{key}": give a path, or a source text with a newline')
        if "\n" in value:
            return value, key
        return read_text(self._folder / value, key, files=files), Path(value).name

    def _references(self, source: str, name: str) -> tuple[Reference, tuple[Reference, ...]]:
        if source not in self._known:
            try:
                reference = self._load(source, name)
                self._known[source] = reference, self._larger(source, reference, name)
            except UserError as error:
                self._known[source] = error.with_traceback(None)
        self._known.move_to_end(source)
        if len(self._known) > _KEPT_REFERENCES:
            self._known.popitem(last=False)
        found = self._known[source]
        if isinstance(found, UserError):
            raise UserError(f"reference {found}")
        return found


def read_text(path: Path, key: str, *, files: bool = True) -> str:
    """A file's text, with the `files` beside it that it imports; UserError, naming the key that gave the path."""
    text = read_program_text(path, f"{key}=", "give a Python file")
    return with_files_beside(text, path) if files else text


def _switch(value: object) -> bool | None:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str) and value.lower() in _SWITCH:
        return _SWITCH[value.lower()]
    raise UserError(f"dialect={value!r}: choose on or off")


def judge_rows(rows: Iterable[BatchRow], reader: RowReader, pool: Pool) -> Iterator[dict[str, Any]]:
    """What to print about each row, in order; rows are read as the pool takes them."""
    waiting: deque[tuple[BatchRow, str]] = deque()

    def items() -> Iterator[Item | KernelwrightError]:
        for row in rows:
            asked = reader.asked(row)
            waiting.append((row, reader.digest(asked)))
            yield reader.item(asked)

    for outcome in pool.outcomes(items()):
        row, digest = waiting.popleft()
        found = encode_verdict(outcome) if isinstance(outcome, Verdict) else error_content(outcome)
        yield {"id": row.id, **found, "asked": digest}


def error_content(error: BaseException) -> dict[str, Any]:
    """What stands in the place of a verdict where there is none: its keys, and why."""
    expected = isinstance(error, KernelwrightError)
    detail = str(error) if expected else f"internal error: {type(error).__name__}: {error}"
    return {
        "status": ERROR,
        "rung": None,
        "detail": detail,
        "diagnostics": [],
        "errors": {},
        "times": {},
        "speedup": None,
        "ci": None,
        "caliber": {},
        "rungs": [],
        "resources": {},
        "shrunken": False,
    }


def exit_status(tally: Mapping[str, int]) -> int:
    """0 where every status is ok, 2 where there was an error, else 1; `tally` counts statuses."""
    if tally.get(ERROR):
        return 2
    return 1 if any(count for status, count in tally.items() if status != "ok") else 0


def resume(out: Path, rows: Iterator[BatchRow], reader: RowReader) -> Counter[str]:
    """Take the lines that `out` holds already, and the rows that they are about; the statuses found.

    A last line that was not written to its end is removed. Raises UserError if the file holds anything but
    the first rows' verdicts, or if a row's texts, rungs or settings have changed.
    """
    tally: Counter[str] = Counter()
    if not out.exists():
        return tally
    kept = 0
    with out.open("rb+") as file:
        for number, line in enumerate(file, 1):
            found = _verdict_in(line)
            if found is None and not file.peek(1) and _is_torn(line):
                break
            row = next(rows, None)
            if found is None or row is None or row.id != found["id"]:
                wanted = "the batch has fewer rows" if row is None else f"the batch has id {row.id!r}"
                given = "is not a verdict" if found is None else f"has id {found['id']!r}"
                raise UserError(f"out={out}: line {number} {given}, but {wanted}; {_OTHER_FILE}")
            if found.get("asked") != reader.digest(reader.asked(row)):
                raise UserError(
                    f"out={out}: line {number} (id {row.id!r}) was judged with another text of the candidate or the "
                    f"reference, other rungs or other settings; {_OTHER_FILE}"
                )
            tally[found["status"]] += 1
            kept += len(line)
        file.truncate(kept)
    return tally


def _verdict_in(line: bytes) -> dict[str, Any] | None:
    """What a whole line of output says; None for anything else."""
    try:
        found = json.loads(line) if line.endswith(b"\n") else None
    except (ValueError, RecursionError):
        return None
    whole = isinstance(found, dict) and "id" in found and isinstance(found.get("status"), str)
    return found if whole else None


def _is_torn(line: bytes) -> bool:
    """Whether a line is the beginning of a line of output."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return line.startswith(_START[: len(line)])
    return isinstance(found, dict) and "status" in found  # only its end is missing
