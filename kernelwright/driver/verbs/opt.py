"""Run passes on one module and print the module that comes out.

usage: kernelwright opt FILE [flags] [key=value …]

FILE holds a module's text as kernelwright prints it (any stage in a run folder), or a PyTorch program in
KernelBench's format. The resulting module's text goes to stdout.

flags:
  -p, --pipeline SPEC    the passes, e.g. 'lower-inductor,tune{trials=8}'; default: print FILE as it is
  -o, --output FILE      write the result there instead
  --print-ir-after NAMES print the module on stderr after these passes (PASS,… or all)
  --diff                 print each pass's changes on stderr
  --verify               judge every change; stop with status 1 at the first wrong change
  --declined             print on stderr why a pass left a kernel as it was
  --time                 print each pass's seconds on stderr

Configuration (target=…, evaluator.seeds=…, import.shrink=…, seed=…) is as for `kernelwright compile`.

  kernelwright opt runs/model/01-lower-inductor.py -p tune target=h100 --diff
  kernelwright opt model.py -p lower-inductor --verify -o model.kw.py

Exit status: 0 done, 1 not verified, 2 bad usage or input, 130 interrupted, 143 terminated.
"""

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from kernelwright.backend.compile.compiled import check_cache
from kernelwright.driver.compiling.emit import checked_output, write_text
from kernelwright.driver.config.arguments import Arguments, Flag
from kernelwright.driver.config.discovery import read_pipeline
from kernelwright.driver.config.run_folders import MODULE_HEADER
from kernelwright.driver.run.streams import alone_on_stdout
from kernelwright.ir.errors import UserError
from kernelwright.ir.instruments import Declines, Diff, Instrument, PrintIrAfter, Time, VerificationFailed, Verify
from kernelwright.ir.pipeline import Pipeline
from kernelwright.ir.printer import print_module
from kernelwright.ir.text_files import GIVE_A_PROGRAM, read_program_text
from kernelwright.ir.values import KernelModule, Level

if TYPE_CHECKING:  # Hydra is imported when all that needs no configuration is right
    from kernelwright.driver.config.settings import Settings

FLAGS = (
    Flag("--pipeline", "SPEC", "-p"),
    Flag("--output", "FILE", "-o"),
    Flag("--print-ir-after", "NAMES"),
    Flag("--diff"),
    Flag("--verify"),
    Flag("--declined"),
    Flag("--time"),
)
ROOT = "opt"
#: Flags that print on stderr, where no live line may be among their text.
_PRINTED = frozenset({"--diff", "--print-ir-after", "--declined"})


def check(arguments: Arguments) -> "Settings":
    """What is asked for. Raises UserError for what cannot be done, without torch."""
    path, flags = arguments.path("a module or a program", "opt"), arguments.flags
    text = read_program_text(Path(path), "", f"give a module's text, or {GIVE_A_PROGRAM.removeprefix('give ')}")
    _check_output(flags.get("--output"), Path(path), text)
    pipeline = read_pipeline(flags["--pipeline"]) if "--pipeline" in flags else None
    if "--print-ir-after" in flags:
        _printed_after(flags["--print-ir-after"], pipeline or Pipeline())
    from kernelwright.driver.config.settings import read_settings

    settings = read_settings(Path(path).stem, arguments.composed, pipeline, arguments.root(ROOT))
    from kernelwright.driver.config.beginnings import check_answering, check_packages

    check_packages(settings.policy)
    check_answering(settings.policy)
    return settings


def _check_output(output: str | None, path: Path, text: str) -> None:
    """UserError if the file cannot be written, or if it is FILE itself and FILE is a program, not a module's text."""
    place = checked_output(output)
    if place is None or not Path(place).exists() or not Path(place).samefile(path):
        return
    if not text.startswith(MODULE_HEADER):
        raise UserError(f"--output={output} is the program itself; name another file")


def run(arguments: Arguments) -> int:
    """Run the passes, print the module."""
    settings, path, flags = check(arguments), Path(arguments.positional[0]), arguments.flags
    from kernelwright.driver.run.build import read_program  # late: what is wrong with arguments is told without torch

    output = checked_output(flags.get("--output"))
    pipeline = settings.pipeline if "--pipeline" in flags else Pipeline()
    if pipeline.passes:
        check_cache()
    with alone_on_stdout() as stdout:
        module = _passed(read_program(path, settings), pipeline, settings, arguments)
        if module is None:
            return 1
        write_text(print_module(module), output, stdout)
    return 0


def _passed(
    module: KernelModule, pipeline: Pipeline, settings: "Settings", arguments: Arguments
) -> KernelModule | None:
    """The module after the passes; None where it is not verified, which is told."""
    from rich.console import Console  # late, as above

    from kernelwright.driver.run.build import open_context
    from kernelwright.driver.run.progress import Progress

    flags, clock = arguments.flags, Time()
    printed = sys.stderr.isatty() and not _PRINTED.isdisjoint(flags)
    try:
        with (
            Progress(Console(stderr=True, quiet=printed), stages=False) as progress,
            open_context(settings, progress.say) as context,
        ):
            verify = Verify(context.evaluator) if "--verify" in flags else None
            declines = Declines()
            instruments = [progress, *_instruments(arguments, pipeline, clock, verify)]
            instruments += [declines] if "--declined" in flags else []
            module = pipeline.run(module, replace(context, declined=declines.take), instruments)
            if verify is not None and module.level is not Level.TORCH and module.digest not in verify.verdicts:
                verdict = context.evaluator.evaluate(module)
                if not verdict.ok:
                    sys.stderr.write(f"kernelwright: @{module.name} as it was given is not verified: {verdict}\n")
                    return None
            return module
    except VerificationFailed as refusal:
        sys.stderr.write(f"kernelwright: {refusal}\n")
        return None
    finally:
        if "--time" in flags:
            sys.stderr.writelines(f"{seconds:8.3f} s  {name}\n" for name, seconds in clock.seconds)


def _instruments(arguments: Arguments, pipeline: Pipeline, clock: Time, verify: Verify | None) -> list[Instrument]:
    """What the flags ask for, in the order in which they should see a module."""
    flags = arguments.flags
    found: list[Instrument] = [clock, *([verify] if verify else [])]
    if "--diff" in flags:
        found.append(Diff())
    if "--print-ir-after" in flags:
        found.append(PrintIrAfter(_printed_after(flags["--print-ir-after"], pipeline)))
    return found


def _printed_after(text: str, pipeline: Pipeline) -> tuple[str, ...]:
    """The passes after which the module is printed; UserError for one that does not run."""
    names = tuple(name.strip() for name in text.split(","))
    known = {"all", *(pass_.name for pass_ in pipeline.passes)}
    if unknown := set(names) - known:
        valid = ", ".join(sorted(known))
        raise UserError(f"--print-ir-after: no pass {sorted(unknown)[0]!r} runs here ({valid})")
    return names
