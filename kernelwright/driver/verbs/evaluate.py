"""Judge one program, or a batch of them, against references.

usage: kernelwright evaluate reference=R.py candidate=C.py [key=value …]
       kernelwright evaluate batch=FILE.jsonl [out=FILE] [key=value …]

R.py is a Python file in KernelBench's format: `class Model(nn.Module)`, `get_inputs()` and `get_init_inputs()`. C.py
should compute the same with Triton kernels, as a class `ModelNew` or, in the dialect, a function `forward`. One JSON
object goes to stdout, and nothing else. It has `status`, `rung` (the rung that failed, else the last rung), `detail`,
`diagnostics`, `errors`, `times`, `speedup` over eager PyTorch and its 95% interval `ci` (null where nothing was timed),
`caliber`, `rungs` (the passed ones), `resources` and `shrunken`. The status is ok, unparsed, compile_error,
runtime_error, mismatch, timeout, cheat, host_computes or unsupported.

A row of a batch is an object with `id`, `reference` and `candidate`, and may have `rungs` and `dialect`. Reference
and candidate are paths, relative to FILE's folder, or source texts. A text with a newline counts as source. The output
has one line for each row, in order, with the row's `id`, the keys above, and `asked`, a digest of texts and settings.
A row that cannot be judged has the status `error`. With out=FILE the lines go to that file, and the same command
resumes a stopped run. It does not resume if a row's texts or settings have changed.

configuration (defaults first):
  rungs=null|parse,compile,interpret,run,time,profile   the rungs to climb; null: parse, compile, and run
                        (without a GPU: interpret). profile gives each kernel's share of device time and place on the
                        roofline
  dialect=on|off        off: judge Python outside the dialect, too, if its host code is in the
                        vocabulary that docs/verdicts.md describes
  device=auto|cpu|cuda
  target=auto|…         the GPU to compile for; an unknown name is answered with the known ones
  workers=N             programs judged at a time (default: one for each core, or one on a GPU)
  evaluator=local|ray   processes of this machine, or actors of a Ray cluster (evaluator.address=…)
  evaluator.seeds=3     how many draws of inputs a candidate must be right on
  evaluator.timeout_s=60  evaluator.memory_gb=8   limits of one job
  evaluator.baselines=[eager,inductor]   the baselines that the rung time measures; also inductor-max-autotune
  evaluator.timed_runs=N  evaluator.warm_up_runs=10   numbers of runs in the rung `time`; without evaluator.timed_runs,
                        programs run until the times are precise
  evaluator.repeats=1   runs on the same input; the caliber says how many gave the same bits
  evaluator.samples=0   on a GPU: timed calls in the rung `run`, to estimate times; 0: no estimate
  cache=true|false      reuse earlier verdicts on the same program, but not times
  import.shrink=auto|never|always   make sizes small enough for the interpreter

  kernelwright evaluate reference=softmax.py candidate=fast_softmax.py rungs=parse,interpret
  kernelwright evaluate batch=samples.jsonl out=verdicts.jsonl workers=8

Exit status: 0 ok, 1 rejected, 2 bad usage or input, or not judged, 130 interrupted, 143 terminated. A batch: 0 all ok,
2 a row with status `error`, else 1.
"""

from collections.abc import Mapping
from pathlib import Path

from kernelwright.backend.compile.compiled import check_results
from kernelwright.driver.config.arguments import Arguments, Flag
from kernelwright.driver.config.paths import check_output
from kernelwright.driver.config.settings import (
    EvaluateSettings,
    read_evaluate_settings,
    refuse_evaluate,
    verbatim_values,
)
from kernelwright.ir.errors import UserError
from kernelwright.ir.text_files import read_program_text

FLAGS: tuple[Flag, ...] = ()
TAKES_PATH = False
ROOT = "evaluate"


def check(arguments: Arguments) -> EvaluateSettings:
    """What is asked for. Raises UserError for what cannot be done, without torch."""
    arguments.only_overrides("evaluate", "reference=R.py candidate=C.py")
    refuse_evaluate(arguments.overrides, arguments.root(ROOT))
    _check_paths(verbatim_values(arguments.overrides))  # before Hydra is imported, which takes longer
    settings = read_evaluate_settings(arguments.composed, arguments.root(ROOT))
    if settings.cache:
        check_results()
    return settings


def _check_paths(given: Mapping[str, str | None]) -> None:
    """UserError for programs that are not named or not there, and where verdicts cannot be written."""
    batch, out = given["batch"], given["out"]
    if batch is not None:
        if given["reference"] or given["candidate"]:
            raise UserError("give reference=… and candidate=…, or batch=…, not both")
        if not Path(batch).is_file():
            reason = "not a file" if Path(batch).exists() else "no such file"
            raise UserError(f"batch={batch}: {reason}; give a JSONL file of rows with id, reference and candidate")
        if out is not None:
            _check_out(Path(out), Path(batch))
        return
    for key in ("reference", "candidate"):
        if (path := given[key]) is None:
            raise UserError(f"{key}=FILE is missing; evaluate takes reference=R.py candidate=C.py, or batch=FILE.jsonl")
        read_program_text(Path(path), f"{key}=", "give a Python file")
    if out is not None:
        raise UserError("out=FILE goes with batch=FILE.jsonl; one verdict goes to stdout")


def _check_out(out: Path, batch: Path) -> None:
    """UserError where a batch's verdicts cannot be written."""
    if out.exists() and (not out.is_file() or out.samefile(batch)):
        raise UserError(f"out={out} is {'the batch' if out.is_file() else 'no file'}; name a file of its own")
    check_output(out, "out=")


def run(arguments: Arguments) -> int:
    """Judge what is given; verdicts alone go to stdout."""
    settings = check(arguments)
    from kernelwright.driver.judging.run import judge_batch, judge_one  # late: what is wrong is told without torch

    return judge_one(settings) if settings.batch is None else judge_batch(settings, Path(settings.batch))
