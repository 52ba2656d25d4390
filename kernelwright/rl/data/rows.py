"""Rows of training data as JSON lines: problems, pairs, how they are split, and cursors that go on where they were."""

import hashlib
import json
import os
import random
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import MISSING, asdict, dataclass, field, fields, replace
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, Generic, TypeVar

from kernelwright.agent.reading import program_text
from kernelwright.ir.errors import DialectError, UserError
from kernelwright.ir.parser import parse_module
from kernelwright.ir.printer import print_module
from kernelwright.ir.values import KernelModule
from kernelwright.rl.data.normal_form import normal_digest

FRONTEND, MIDEND = "frontend", "midend"
STAGES = (FRONTEND, MIDEND)
TRAIN, TEST = "train", "test"
#: What the provenance of a pair has for `action` whose answer is a choice of passes.
CHOICE = "pipeline"
#: How published recipes split KernelBench.
KERNELBENCH_RATIOS: Mapping[str, float] = MappingProxyType({TRAIN: 0.8, TEST: 0.2})
KERNELBENCH_SEED = 42


@dataclass(frozen=True)
class Problem:
    """A program to work on. `source` is in KernelBench's format, but for benchmarks that give Triton alone
    (`provenance["format"]` says which); `split` is "" where it was not split."""

    id: str
    source: str
    provenance: Mapping[str, Any] = field(default_factory=dict)
    split: str = ""


@dataclass(frozen=True)
class Pair:
    """What an agent of a stage is given and what it should answer.

    `before` is a module's text (level torch for the frontend, triton for the mid-end), `after` the program that
    answers it, without the reference, or the spec of the passes that make it (`is_choice`); "" where no answer is
    known, for reinforcement learning alone. `problem` is the id of the problem that both are of. A policy's own words
    are kept as `answer`, in the form that provenance names; `turns` are the wrong answers before it, each with what it
    was told (`answer`, `told`). `digest` is the SHA-256 (hex) of all these texts and the stage. No text holds times or
    provenance, so that equal programs are equal texts.
    """

    id: str
    problem: str
    stage: str
    before: str
    after: str
    digest: str
    split: str = TRAIN
    provenance: Mapping[str, Any] = field(default_factory=dict)
    answer: str = ""
    turns: Sequence[Mapping[str, str]] = ()

    @classmethod
    def make(cls, name: str, problem: Problem, stage: str, before: KernelModule, after: KernelModule) -> "Pair":
        """A pair of two modules of one problem."""
        return cls._of(name, problem, stage, module_text(before), program_text(after), {})

    @classmethod
    def of_choice(cls, name: str, problem: Problem, before: KernelModule, spec: str) -> "Pair":
        """A pair of a module and the passes that make it faster."""
        return cls._of(name, problem, MIDEND, module_text(before), spec, {"action": CHOICE})

    @classmethod
    def unanswered(cls, name: str, problem: Problem, stage: str, before: KernelModule) -> "Pair":
        """A module without an answer."""
        return cls._of(name, problem, stage, module_text(before), "", {})

    @classmethod
    def _of(cls, name: str, problem: Problem, stage: str, before: str, after: str, facts: Mapping[str, Any]) -> "Pair":
        digest = hashlib.sha256("\0".join((stage, before, after)).encode()).hexdigest()
        provenance = {**problem.provenance, **facts}
        return cls(name, problem.id, stage, before, after, digest, problem.split or TRAIN, provenance)

    @property
    def form(self) -> str:
        """The form of the agent that answers so, as a `fe-agent` has it; native where nothing is said."""
        return str(self.provenance.get("form", "native"))

    @property
    def is_choice(self) -> bool:
        """Whether `after` is the spec of passes."""
        return self.provenance.get("action") == CHOICE

    @property
    def has_program(self) -> bool:
        """Whether `after` is the text of a program: neither the spec of passes nor nothing."""
        return bool(self.after) and not self.is_choice

    def check_answered(self) -> None:
        """UserError for a pair without an answer."""
        if not self.after:
            raise UserError(
                f"pair {self.id!r} has no answer, so only `kernelwright train` can learn from it; make pairs "
                "with answers=true"
            )

    def question(self) -> KernelModule:
        """`before` as a module; UserError where it does not parse."""
        try:
            return parse_module(self.before)
        except DialectError as error:
            raise UserError(f"pair {self.id!r} does not parse: {error.first}; make the pairs again") from error

    def modules(self) -> tuple[KernelModule, KernelModule]:
        """Both as modules; UserError where a text does not parse. The second is not fitted to a target."""
        self.check_answered()
        if self.is_choice:
            raise UserError(
                f"pair {self.id!r} is answered by a choice of passes, not by a program; let a mid-end run it"
            )
        if self.form != "native":
            raise UserError(f"pair {self.id!r} is answered in the form {self.form}; let an agent of that form read it")
        before = self.question()
        try:
            return before, parse_module(self.after, reference=before.reference, name=before.name)
        except DialectError as error:
            raise UserError(f"pair {self.id!r} does not parse: {error.first}; make the pairs again") from error


Row = TypeVar("Row", Problem, Pair)


def module_text(module: KernelModule) -> str:
    """A module's text with no trace of how it was made; the problem's name is part of its row instead."""
    return print_module(replace(module, name="module", provenance=()))


def read_lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a JSONL file with their line numbers; UserError for what is none."""
    try:
        lines = path.read_text("utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(
            f"{path}: {getattr(error, 'strerror', None) or 'not a text file'}; give a JSONL file"
        ) from error
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            content = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise UserError(f"{path}:{number}: not JSON: {error}") from error
        if not isinstance(content, dict):
            raise UserError(f"{path}:{number}: expected a JSON object, got {type(content).__name__}")
        yield number, content


def read_rows(path: Path, kind: type[Row]) -> tuple[Row, ...]:
    """Problems or pairs, as `write_rows` leaves them; UserError for a row that lacks something and for an id that
    occurs twice."""
    rows: dict[str, Row] = {}
    names = {item.name for item in fields(kind)}
    wanted = [item.name for item in fields(kind) if item.default is MISSING and item.default_factory is MISSING]
    for number, content in read_lines(path):
        missing = [key for key in wanted if key not in content]
        if missing:
            lacks = f"lacks {', '.join(missing)}; a {kind.__name__.lower()} has {', '.join(wanted)}"
            raise UserError(f"{path}:{number}: the row {lacks}")
        row = kind(**{key: value for key, value in content.items() if key in names})
        texts = [getattr(row, item.name) for item in fields(kind) if item.type is str]
        if not all(isinstance(text, str) for text in texts) or not isinstance(row.provenance, dict):
            raise UserError(f"{path}:{number}: a {kind.__name__.lower()}'s values are texts, provenance an object")
        if row.id in rows:
            raise UserError(f"{path}:{number}: id {row.id!r} occurs twice")
        rows[row.id] = row
    return tuple(rows.values())


@lru_cache(1)
def _pairs(path: Path, _folder: Path, _stamp: tuple[int, int]) -> tuple[Pair, ...]:
    return read_rows(path, Pair)


def forget_pairs() -> None:
    """Let go of the pairs that `pairs_of` read last."""
    _pairs.cache_clear()


def pairs_of(path: Path, stage: str) -> tuple[Pair, ...]:
    """The pairs of a file that are of a stage. Raises UserError where there are none, with what there is instead.

    A file that is checked and then learnt from is read once: it is kept until `forget_pairs`, or until it changes.
    """
    try:
        stamp = path.stat()
        rows = _pairs(path, Path.cwd(), (stamp.st_mtime_ns, stamp.st_size))
    except OSError:
        rows = read_rows(path, Pair)  # which says what is wrong with the file
    found = tuple(pair for pair in rows if pair.stage == stage)
    if not rows:
        raise UserError(f"{path}: it holds no pairs at all; give the file that `kernelwright data pairs` wrote")
    if not found:
        others = ", ".join(sorted({pair.stage for pair in rows}))
        way_out = f"give stage={others}, or pairs of the stage {stage}"
        raise UserError(f"{path}: it holds no pairs of the stage {stage}, but of {others}; {way_out}")
    return found


def write_rows(path: Path, rows: Iterable[Problem | Pair]) -> None:
    """Write rows as JSON lines, without what a policy said where none was asked; the file is whole or not there."""
    said = ("answer", "turns")
    kept = ({key: value for key, value in asdict(row).items() if value or key not in said} for row in rows)
    write_text(path, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in kept))


def write_text(path: Path, text: str) -> None:
    """Write a file that is whole or not there, at the end of a link; UserError where none can be written."""
    path = path.resolve()
    partial = path.with_name(f"{path.name}.partial")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with partial.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    except OSError as error:
        with suppress(OSError):
            partial.unlink()
        raise UserError(f"{path}: {error.strerror}; name a writable file") from error


def assign_splits(
    problems: Sequence[Problem], ratios: Mapping[str, float] = KERNELBENCH_RATIOS, seed: int = KERNELBENCH_SEED
) -> tuple[Problem, ...]:
    """The problems with splits, in their order. Each level of KernelBench is split by itself, as recipes have it.

    Copies of one another (by normal form without sizes) stay together. Who goes where follows from the seed and the
    programs alone: neither from their order nor from their ids. Sizes of splits are as near to the ratios as whole
    groups allow. A split that a problem has already is replaced. Raises UserError for ratios that do not add up to 1.
    """
    if not ratios or min(ratios.values()) < 0 or abs(sum(ratios.values()) - 1) > 1e-6:
        raise UserError(f"ratios {dict(ratios)}: give shares of at least 0 that add up to 1")
    groups: dict[str, list[int]] = defaultdict(list)
    for index, problem in enumerate(problems):
        groups[normal_digest(problem.source)].append(index)
    order = sorted(groups, key=lambda digest: hashlib.sha256(f"{seed}/{digest}".encode()).digest())
    levels: dict[str, list[list[int]]] = defaultdict(list)
    for digest in order:  # copies on several levels are split with the lowest
        levels[min(_level(problems[index]) for index in groups[digest])].append(groups[digest])
    chosen: dict[int, str] = {}
    for those in levels.values():
        done, total = 0, sum(map(len, those))
        for group in those:
            chosen |= dict.fromkeys(group, _at((done + len(group) / 2) / total, ratios))
            done += len(group)
    return tuple(replace(problem, split=chosen[index]) for index, problem in enumerate(problems))


def _level(problem: Problem) -> str:
    """A problem's level as text, "" for one without."""
    return str(problem.provenance.get("level") or "")


def with_splits(
    problems: Sequence[Problem], ratios: Mapping[str, float] = KERNELBENCH_RATIOS, seed: int = KERNELBENCH_SEED
) -> tuple[Problem, ...]:
    """Problems as they are where all have a split already, else as `assign_splits` splits them."""
    return tuple(problems) if all(problem.split for problem in problems) else assign_splits(problems, ratios, seed)


def _at(place: float, ratios: Mapping[str, float]) -> str:
    """The split that holds a place between 0 and 1."""
    for name, share in ratios.items():
        if place < share:
            return name
        place -= share
    return [name for name, share in ratios.items() if share][-1]


T = TypeVar("T")


class Cursor(Generic[T]):
    """Endless batches of rows, each epoch in an order of its own; where it stands is a value that can be kept.

    The batches follow from rows, batch size and seed: two cursors in the same state give the same. A batch may reach
    into the next epoch; there are always `batch` rows in it.
    """

    def __init__(self, rows: Sequence[T], batch: int, seed: int = 0, *, shuffle: bool = True) -> None:
        if not rows or batch < 1:
            raise UserError(f"a cursor needs rows and a batch of at least 1, got {len(rows)} rows and batch={batch}")
        self.rows, self.batch, self.seed, self.shuffle = rows, batch, seed, shuffle
        self._taken = 0
        self._epoch, self._order = -1, list[int]()

    @property
    def state(self) -> dict[str, Any]:
        """Where it stands, as JSON values."""
        return {"taken": self._taken, "rows": len(self.rows), "seed": self.seed, "shuffle": self.shuffle}

    @property
    def epoch(self) -> float:
        """How often it went through the rows."""
        return self._taken / len(self.rows)

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go to where a cursor over the same rows stood; UserError where the rows or the seed are others."""
        for name in ("rows", "seed", "shuffle"):
            if state.get(name) != self.state[name]:
                raise UserError(
                    f"the cursor was saved with {name}={state.get(name)!r}, but now it is {self.state[name]!r}"
                )
        self._taken = int(state["taken"])

    def __iter__(self) -> "Cursor[T]":
        return self

    def __next__(self) -> tuple[T, ...]:
        found = self._from(self._taken)
        self._taken += self.batch
        return found

    def batch_of(self, step: int) -> tuple[T, ...]:
        """The batch of a step, counted from 0, wherever the cursor stands."""
        return self._from(step * self.batch)

    def _from(self, place: int) -> tuple[T, ...]:
        return tuple(self._at(place + offset) for offset in range(self.batch))

    def _at(self, place: int) -> T:
        epoch, index = divmod(place, len(self.rows))
        if epoch != self._epoch:
            self._epoch, self._order = epoch, list(range(len(self.rows)))
            if self.shuffle:
                random.Random(f"{self.seed}/{epoch}").shuffle(self._order)
        return self.rows[self._order[index]]
