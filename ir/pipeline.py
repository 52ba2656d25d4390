"""Pipelines as values, and the loop that runs them.

A pipeline is spelt as Python objects, as text (`lower-inductor,tune{trials=64}`) or as a configuration list
(`["lower-inductor", {"tune": {"trials": 64}}]`, which is what YAML holds); each converts into the others.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from kernelwright.ir.errors import PassError, UserError
from kernelwright.ir.instruments import Instrument
from kernelwright.ir.passes import Context, Pass
from kernelwright.ir.spec import Option, pass_config, pass_spec, read_config, read_text
from kernelwright.ir.values import KernelModule, Level, Record
from kernelwright.ir.verifier import verify


@dataclass(frozen=True)
class Pipeline:
    """A sequence of passes, run in order."""

    passes: tuple[Pass, ...] = ()

    def __str__(self) -> str:
        """The text spelling; options at their default are left out."""
        return ",".join(map(pass_spec, self.passes))

    @classmethod
    def from_config(cls, config: Sequence[Any]) -> "Pipeline":
        """Read a list of pass names or `{name: {option: value}}`; raises SpecError on anything else."""
        return cls(read_config(config))

    def to_config(self) -> list[str | dict[str, dict[str, Option]]]:
        """The configuration spelling, inverse of `from_config`."""
        return list(map(pass_config, self.passes))

    def without(self, name: str) -> "Pipeline":
        """The pipeline without the passes of that name; UserError if it has none."""
        kept = tuple(pass_ for pass_ in self.passes if pass_.name != name)
        if len(kept) == len(self.passes):
            raise UserError(f"the pipeline `{self}` has no pass {name!r} to leave out")
        return Pipeline(kept)

    def check(self, module: KernelModule) -> None:
        """UserError for a pass that would get a module at too low a level; every pass may keep its promise by then."""
        level = module.level
        for pass_ in self.passes:
            _check_level(pass_, module, level)
            level = max(level, pass_.writes)

    def run(self, module: KernelModule, ctx: Context, instruments: Sequence[Instrument] = ()) -> KernelModule:
        """Run every pass, checking what each returns, and append a `Record` for each that changed the module.

        Raises UserError for a module at too low a level, or if a pass rejects its input, and
        PassError for a pass that crashed or returned an invalid module. Instruments see every failure.
        """
        for pass_ in self.passes:
            for instrument in instruments:
                instrument.before_pass(pass_, module)
            try:
                result = _run_pass(pass_, module, ctx)
                for instrument in instruments:
                    result = instrument.after_pass(pass_, module, result)
            except Exception as error:
                for instrument in instruments:
                    instrument.failed_pass(pass_, module, error)
                raise
            module = result
        return module


def parse_pipeline(text: str) -> Pipeline:
    """Read the text spelling; raises SpecError with a caret under the bad part."""
    return Pipeline(read_text(text))


def _run_pass(pass_: Pass, module: KernelModule, ctx: Context) -> KernelModule:
    """One pass with its checks; the same module where nothing but provenance changed."""
    where = f"pass {pass_.name} on @{module.name}"
    _check_level(pass_, module, module.level)
    start = time.perf_counter()
    try:
        result = pass_.run(module, ctx)
    except UserError:
        raise
    except Exception as error:
        raise PassError(f"{where}: {type(error).__name__}: {error}") from error
    seconds = round(time.perf_counter() - start, 3)
    if result.digest == module.digest:
        return module
    if result.reference != module.reference:
        raise PassError(f"{where}: it changed the reference, which no pass may do")
    if result.level < pass_.writes:
        raise PassError(f"{where}: it should write level {pass_.writes} but wrote {result.level}")
    if diagnostics := verify(result):
        raise PassError(f"{where}: it returned an invalid module\n" + "\n".join(map(str, diagnostics)))
    return _stamp(pass_, module, result, seconds, ctx.seed)


def _check_level(pass_: Pass, module: KernelModule, level: Level) -> None:
    """UserError for a pass that reads more than a level has."""
    if level < pass_.reads:
        raise UserError(
            f"pass {pass_.name} on @{module.name}: it reads level {pass_.reads}, but the module is at level {level}; "
            f"put a pass that writes {pass_.reads} before it"
        )


def _stamp(pass_: Pass, before: KernelModule, after: KernelModule, seconds: float, seed: int) -> KernelModule:
    """Append the record; a pass with more to say (its policy) left a last record for this to complete."""
    done = len(before.provenance)
    assert after.provenance[:done] == before.provenance, f"{pass_.name} rewrote provenance"
    own = after.provenance[-1] if len(after.provenance) > done else Record("", "", seed=seed)
    record = replace(own, pass_spec=pass_spec(pass_), parent=before.digest, seconds=seconds)
    return replace(after, provenance=(*before.provenance, record))
