"""Judge a program against a reference, or a batch of them.

usage: kernelwright evaluate reference=R.py candidate=C.py [key=value …]
       kernelwright evaluate batch=FILE.jsonl [out=FILE] [key=value …]

R.py is a Python file in KernelBench's format: `class Model(nn.Module)`, `get_inputs()` and `get_init_inputs()`. C.py
should compute the same with Triton kernels, as a class `ModelNew` or a function `forward`. One JSON object goes to
stdout, and nothing else. It has `status`, `rung` (the last one passed, or the one that failed), `detail`,
`diagnostics`, `errors`, `times`, `speedup` and `ci` (null where nothing was timed), `caliber`, `rungs` (the passed
ones), `resources` and `shrunken`. The status is ok, unparsed, compile_error, runtime_error, mismatch, timeout, cheat
or unsupported.

A row of a batch is an object with `id`, `reference` and `candidate`, and may have `rungs` and `dialect`. Reference
and candidate are paths, relative to FILE's folder, or source texts, which hold a newline. Each row gives one line, in
order, with its `id` and the keys above. A row that cannot be judged has the status `error`. With out=FILE the lines
go to that file, and a run that was stopped goes on from there.

configuration (defaults first):
  rungs=null|parse,compile,interpret,run,time,profile   the rungs to climb; null: all that this machine has, but time
                        and profile. profile gives each kernel's share of device time, and its place on the roofline
  dialect=on|off        off: judge any Python, also outside the dialect
  device=auto|cpu|cuda
  target=auto|…         the GPU to compile for; a wrong name lists the right ones
  workers=N             programs judged at a time (default: one for each core, or one on a GPU)
  evaluator=local|ray   processes of this machine, or actors of a Ray cluster (evaluator.address=…)
  evaluator.seeds=3     draws of inputs that a candidate must pass
  evaluator.timeout_s=60  evaluator.memory_gb=8   limits of one job
  evaluator.baselines=[eager,inductor]   what the rung time measures against; inductor-max-autotune too
  evaluator.samples=0   on a GPU: estimate times from so many runs while checking
  cache=true|false      use verdicts that were found before about the same program
  import.shrink=auto|never|always   make sizes small enough for the interpreter

  kernelwright evaluate reference=softmax.py candidate=fast_softmax.py rungs=parse,interpret
  kernelwright evaluate batch=samples.jsonl out=verdicts.jsonl workers=8

Exit status: 0 ok, 1 rejected, 2 bad usage or input, or not judged, 130 interrupted. A batch: 0 all ok, 2 a row with
status `error`, else 1.
"""

import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, TextIO

from rich.console import Console

from kernelwright.driver.activity import Activity
from kernelwright.driver.arguments import Arguments, Flag
from kernelwright.driver.batch import RowReader, exit_status, judge_rows, read_rows, read_text, resume
from kernelwright.driver.build import check_checking, import_reference, open_pool
from kernelwright.driver.closing import GOES_ON, closing_with
from kernelwright.driver.locks import take
from kernelwright.driver.settings import EvaluateSettings, read_evaluate_settings
from kernelwright.driver.streams import alone_on_stdout, naming
from kernelwright.driver.tables import print_line
from kernelwright.driver.walls import warn_of_walls
from kernelwright.evaluation.cache import encode_verdict
from kernelwright.evaluation.pool import Item, Pool
from kernelwright.evaluation.sandbox import Sandbox, SandboxError
from kernelwright.ir.errors import UserError

FLAGS: tuple[Flag, ...] = ()
TAKES_PATH = False
NOT_JUDGED = 2


def run(arguments: Arguments) -> int:
    """Judge what is given; verdicts alone go to stdout."""
    if arguments.positional:
        given = " ".join(arguments.positional)
        raise UserError(f"evaluate takes key=value only, got {given}; write reference=R.py candidate=C.py")
    settings = read_evaluate_settings(arguments.overrides)
    if settings.batch is None:
        return _judge_one(settings)
    if settings.reference or settings.candidate:
        raise UserError("give reference=… and candidate=…, or batch=…, not both")
    return _judge_batch(settings, Path(settings.batch))


def _judge_one(settings: EvaluateSettings) -> int:
    for key in ("reference", "candidate"):
        if getattr(settings, key) is None:
            raise UserError(f"{key}=FILE is missing; evaluate takes reference=R.py candidate=C.py, or batch=FILE.jsonl")
    if settings.out is not None:
        raise UserError("out=FILE goes with batch=FILE.jsonl; one verdict goes to stdout")
    reference, candidate = (Path(str(path)) for path in (settings.reference, settings.candidate))
    source = read_text(reference, "reference")
    program = read_text(candidate, "candidate", files=not settings.dialect)  # in the dialect, only a reference has any
    activity = Activity(Console(stderr=True), f"judging {candidate}")
    with alone_on_stdout() as stdout, activity:
        computed = import_reference(source, reference.name, settings.importing, settings.device)
        check_checking(computed, reference.name, settings.evaluator, settings.device)
        try:
            with _opened(settings, 1) as pool:
                (verdict,) = pool.evaluate_many([Item(program, computed, settings.rungs)])
        except SandboxError as error:
            sys.stderr.write(f"kernelwright: error: not judged: {error}\n")
            return NOT_JUDGED
        stdout.write(json.dumps(encode_verdict(verdict), allow_nan=False) + "\n")
    print_line(Console(stderr=True), f"{candidate}: {verdict}")
    return 0 if verdict.ok else 1


def _judge_batch(settings: EvaluateSettings, path: Path) -> int:
    if not path.is_file():
        raise UserError(f"batch={path}: no such file; give a JSONL file of rows with id, reference and candidate")
    total, tally = _rows_in(path), Counter[str]()
    with alone_on_stdout() as stdout, ExitStack() as stack:
        worker = stack.enter_context(Sandbox())
        load = partial(import_reference, importing=settings.importing, device=settings.device, sandbox=worker)
        reader, rows = RowReader(path.parent, load, settings.rungs, settings.dialect), read_rows(path)
        sink, kept = stdout, "out=FILE keeps verdicts, and goes on from them"
        if settings.out is not None:
            sink = stack.enter_context(_opened_out(Path(settings.out), path))
            tally, kept = resume(Path(settings.out), rows), f"kept in {settings.out}; {GOES_ON}"
        stack.enter_context(closing_with(lambda: f"{tally.total()} of {total} rows are judged; {kept}"))
        # On the terminal that verdicts go to, they tell themselves how far it is.
        shown = Console(stderr=True, quiet=settings.out is None and stdout.isatty())
        activity = stack.enter_context(Activity(shown, "judging rows", total, tally.total()))
        pool = stack.enter_context(_opened(settings, settings.workers))
        caliber: Mapping[str, Any] = {}
        for content in judge_rows(rows, reader, pool):
            with naming(settings.out or "stdout"):
                sink.write(json.dumps(content, allow_nan=False) + "\n")
                sink.flush()
            caliber = caliber if caliber.get("walls") else content["caliber"]
            tally[content["status"]] += 1
            activity.advance()
    counts = ", ".join(f"{count} {status}" for status, count in tally.most_common())
    sys.stderr.write(f"{path}: {counts or 'no rows'}\n")
    warn_of_walls(caliber)
    return exit_status(tally)


@contextmanager
def _opened_out(out: Path, batch: Path) -> Iterator[TextIO]:
    """The file that verdicts are added to, by this run alone; UserError where none can be written there."""
    if out.exists() and (not out.is_file() or out.samefile(batch)):
        raise UserError(f"out={out} is {'the batch' if out.is_file() else 'no file'}; name a file of its own")
    try:
        file = out.open("a", encoding="utf-8")
    except OSError as error:
        raise UserError(f"out={out}: {error.strerror}; name a file that can be written") from error
    with file:
        take(file.fileno(), out)
        yield file


def _opened(settings: EvaluateSettings, workers: int | None) -> Pool:
    given = settings.device, settings.dialect, settings.cache
    return open_pool(settings.evaluator, settings.target, workers, *given)


def _rows_in(path: Path) -> int:
    with path.open("rb") as file:
        return sum(1 for line in file if line.strip())
