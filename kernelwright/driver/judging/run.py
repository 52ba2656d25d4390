"""Judges a program or a batch of them for `kernelwright evaluate`: verdicts alone go to stdout."""

import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, TextIO

from rich.console import Console

from kernelwright.driver.config.settings import EvaluateSettings
from kernelwright.driver.judging.batch import ERROR, RowReader, exit_status, judge_rows, read_rows, read_text, resume
from kernelwright.driver.run.activity import Activity
from kernelwright.driver.run.build import check_checking, import_reference, larger_references, open_pool
from kernelwright.driver.run.closing import GOES_ON, closing_with
from kernelwright.driver.run.locks import take
from kernelwright.driver.run.streams import alone_on_stdout, naming
from kernelwright.driver.run.tables import print_line
from kernelwright.driver.run.walls import warn_of_walls
from kernelwright.evaluation.judge.cache import encode_verdict
from kernelwright.evaluation.pools.pool import Item, Pool
from kernelwright.evaluation.sandbox.parent import Sandbox, SandboxError
from kernelwright.ir.errors import UserError

NOT_JUDGED = 2


def judge_one(settings: EvaluateSettings) -> int:
    """Judge one program; its verdict goes to stdout. Returns the exit status."""
    reference, candidate = (Path(str(path)) for path in (settings.reference, settings.candidate))
    source = read_text(reference, "reference")
    program = read_text(candidate, "candidate", files=not settings.dialect)  # in the dialect, only a reference has any
    activity = Activity(Console(stderr=True), f"judging {candidate}")
    with alone_on_stdout() as stdout, activity:
        computed = import_reference(source, reference.name, settings.importing, settings.device)
        check_checking(computed, reference.name, settings.evaluator, settings.device)
        larger = larger_references(source, computed, reference.name, settings.importing)
        try:
            with _opened(settings, 1) as pool:
                (verdict,) = pool.evaluate_many([Item(program, computed, settings.rungs, larger=larger)])
        except SandboxError as error:
            sys.stderr.write(f"kernelwright: error: not judged: {error}\n")
            return NOT_JUDGED
        stdout.write(json.dumps(encode_verdict(verdict), allow_nan=False) + "\n")
    print_line(Console(stderr=True), f"{candidate}: {verdict}")
    warn_of_walls(verdict.caliber)
    return 0 if verdict.ok else 1


def judge_batch(settings: EvaluateSettings, path: Path) -> int:
    """Judge a file of programs; verdicts go to stdout or to `settings.out`. Returns the exit status."""
    total, tally = _rows_in(path), Counter[str]()
    with alone_on_stdout() as stdout, ExitStack() as stack:
        worker = stack.enter_context(Sandbox())
        load = partial(import_reference, importing=settings.importing, device=settings.device, sandbox=worker)
        larger = partial(larger_references, importing=settings.importing, sandbox=worker)
        with_all = repr((settings.evaluator, settings.importing, settings.target, settings.device))
        reader, rows = RowReader(path.parent, load, settings.rungs, settings.dialect, with_all, larger), read_rows(path)
        sink, kept = stdout, "out=FILE keeps verdicts, and resumes from them"
        if settings.out is not None:
            sink = stack.enter_context(_opened_out(Path(settings.out)))
            tally, kept = resume(Path(settings.out), rows, reader), f"kept in {settings.out}; {GOES_ON}"
        stack.enter_context(closing_with(lambda: f"{tally.total()} of {total} rows are judged; {kept}"))
        # On the terminal that verdicts go to, they tell themselves how far it is.
        shown = Console(stderr=True, quiet=settings.out is None and stdout.isatty())
        activity = stack.enter_context(Activity(shown, "judging rows", total, tally.total()))
        pool = stack.enter_context(_opened(settings, settings.workers))
        caliber: Mapping[str, Any] = {}
        wrong = ""
        for content in judge_rows(rows, reader, pool):
            wrong = wrong or (content["detail"] if content["status"] == ERROR else "")
            tally[content["status"]] += 1  # before its verdict can be read, after which Ctrl-C may come
            with naming(settings.out or "stdout"):
                sink.write(json.dumps(content, allow_nan=False) + "\n")
                sink.flush()
            caliber = caliber if caliber.get("walls") else content["caliber"]
            activity.advance()
    counts = ", ".join(f"{count} {status}" for status, count in tally.most_common())
    sys.stderr.write(f"{path}: {counts or 'no rows'}{f'; the first error: {wrong}' if wrong else ''}\n")
    warn_of_walls(caliber)
    return exit_status(tally)


@contextmanager
def _opened_out(out: Path) -> Iterator[TextIO]:
    """The file that verdicts are added to, by this run alone; UserError where none can be written there."""
    try:
        file = out.open("a", encoding="utf-8")
    except OSError as error:
        raise UserError(f"out={out}: {error.strerror}; name a writable file") from error
    with file:
        take(file.fileno(), out)
        yield file


def _opened(settings: EvaluateSettings, workers: int | None) -> Pool:
    given = settings.device, settings.dialect, settings.cache
    return open_pool(settings.evaluator, settings.target, workers, *given)


def _rows_in(path: Path) -> int:
    with path.open("rb") as file:
        return sum(1 for line in file if line.strip())
