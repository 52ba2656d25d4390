"""Of which kinds there is anything to draw for a program: the rules stand in two tables."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from kernelwright.evaluation.inputs.contract import Contract
from kernelwright.evaluation.inputs.draws import (
    ALIKE,
    ALONE,
    EVAL,
    FAR,
    FAR_OUT,
    HIGHEST,
    IMPULSES,
    INFINITE_WEIGHTS,
    KINDS,
    LARGER,
    LOADED,
    MIXTURES,
    NAMED,
    OPPOSITES,
    RELATED,
    SAME,
    SCALES,
    SPECIAL_CASES,
    SUMMED,
    UNIT,
    WHOLE_KINDS,
    ZERO,
    Draw,
)
from kernelwright.evaluation.inputs.kinds.compared import COMPARED
from kernelwright.evaluation.inputs.kinds.drift import DRIFT
from kernelwright.evaluation.inputs.kinds.numbers import NUMBERS, may_vary
from kernelwright.evaluation.inputs.kinds.spikes import SPIKES
from kernelwright.evaluation.inputs.kinds.ties import TIES
from kernelwright.evaluation.inputs.patchwork.rows import LEAST
from kernelwright.evaluation.inputs.relations import may_relate
from kernelwright.evaluation.inputs.trial import Trial
from kernelwright.ir.values import INPUT_DTYPES, Reference, TensorSpec

#: Inputs beyond this are drawn in the size of 1 as well.
_LARGE = 64.0
#: Inputs with fewer rows may have none of each size in the draws of rows.
_FEW_ROWS = 8
#: Larger numbers are not in the range of i64.
_LARGEST_WHOLE = 2.0**62
_HALVES = ("f16", "bf16")


@dataclass(frozen=True)
class _Program:
    """What rules ask of a program."""

    trial: Trial
    contract: Contract

    @property
    def reference(self) -> Reference:
        return self.trial.program.reference

    @property
    def floating(self) -> list[TensorSpec]:
        """Inputs of floating numbers."""
        inputs = self.reference.inputs
        return [spec for spec in inputs if isinstance(spec, TensorSpec) and spec.dtype.startswith(("f", "bf"))]

    @property
    def fewest_rows(self) -> int:
        """How many rows the floating input with the fewest has."""
        return min(math.prod(spec.shape[:-1]) for spec in self.floating)


def is_wanted(draw: Draw, trial: Trial, contract: Contract) -> bool:
    """Whether there is anything of a draw's kind to draw; which does not say that the program takes it."""
    program = _Program(trial, contract)
    if not draw.training and not contract.modes:
        return False
    if draw.kind in _OF_ANY:
        return _OF_ANY[draw.kind](program)
    if not program.floating:
        return _is_wanted_of_whole(draw.kind, program)
    rule = _OF_FLOATING.get(draw.kind)
    return rule(program) if rule is not None else draw.kind in KINDS or draw.kind in MIXTURES


def _is_wanted_of_whole(kind: str, program: _Program) -> bool:
    """The rule for programs whose inputs have no floating numbers."""
    if not any(isinstance(spec, TensorSpec) for spec in program.reference.inputs):
        return False
    around = kind == "literals" and any(trait.low < trait.high for trait in program.contract.traits)
    return kind in WHOLE_KINDS or (around and bool(program.contract.numbers))


def _far(program: _Program) -> bool:
    # Of numbers that are all but equal, rounding decides which is the largest.
    return not program.trial.whole_outputs or program.contract.elementwise


def _least(program: _Program) -> bool:
    if program.contract.elementwise and program.fewest_rows >= _FEW_ROWS:
        return False  # rows of other draws are as small
    return _far(program)


def _far_out(size: float) -> Callable[[_Program], bool]:
    def rule(program: _Program) -> bool:
        whole = program.trial.whole_outputs
        if not program.contract.elementwise:
            return size == SUMMED and not whole
        return not whole or (size < _LARGEST_WHOLE and program.trial.long_outputs)

    return rule


def _zero(program: _Program) -> bool:
    # Several are zero in turn where one is not.
    return len(program.floating) == 1 or any(trait.sums_to_one for trait in program.contract.traits)


def _impulses(program: _Program) -> bool:
    narrow = {spec.dtype for spec in program.reference.tensors} & {*_HALVES, *INPUT_DTYPES}
    return not (narrow or program.trial.whole_outputs)


def _spikes(program: _Program) -> bool:
    return not (program.contract.elementwise or program.trial.whole_outputs)


_Rule = Callable[[_Program], bool]
#: For programs of any inputs.
_OF_ANY: Mapping[str, _Rule] = {
    **dict.fromkeys(("given", EVAL, LARGER), lambda _: True),
    **dict.fromkeys((LOADED, INFINITE_WEIGHTS), lambda program: bool(program.reference.state)),
    RELATED: lambda program: may_relate(program.reference.inputs),
    NUMBERS: lambda program: any(map(may_vary, program.reference.inputs)),
    DRIFT: lambda program: program.contract.exponentials,
}
#: For programs with floating inputs; kinds without a rule are drawn for all of them.
_OF_FLOATING: Mapping[str, _Rule] = {
    **{kind: lambda program, kind=kind: kind in program.contract.scales for kind in SCALES},  # type: ignore[misc]
    **{kind: _far_out(size) for kind, size in FAR_OUT.items()},
    **dict.fromkeys((*FAR, NAMED), _far),
    LEAST: _least,
    SPIKES: _spikes,
    SPECIAL_CASES: lambda program: program.contract.checks,
    UNIT: lambda program: any(max(-one.low, one.high) > _LARGE for one in program.contract.traits),
    HIGHEST: lambda program: program.contract.minima,
    **dict.fromkeys(ALONE, lambda program: len(program.floating) > 1),
    ZERO: _zero,
    "normal": lambda program: not program.contract.normal,
    SAME: lambda program: len(program.contract.traits) > 1,
    IMPULSES: _impulses,
    OPPOSITES: lambda program: all(spec.dtype in _HALVES for spec in program.reference.outputs),
    ALIKE: lambda program: any(spec.dtype in _HALVES for spec in program.floating),
    COMPARED: lambda program: program.contract.compares,
    TIES: lambda program: program.contract.compares or program.contract.rounds,
    "nan": lambda program: program.contract.nan_aware,
}
