"""Evidence that a mutant computes what its module computes: proofs, and what can be observed on draws.

Finding out runs the reference and the mutant in this process, the latter in the guarded interpreter: it is a module in
the dialect, changed by us. Failures of either are evidence too and never raised. On a GPU nothing guards memory, so a
mutant runs there only on kinds of draws that it has come through in the interpreter.
"""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import torch
from torch import Tensor

from kernelwright.backend.compile.compiler import compile_module
from kernelwright.backend.interpreter.runtime import InterpreterRuntime
from kernelwright.backend.launch.execute import CudaRuntime, Loaded, load_module
from kernelwright.backend.targets import get_target
from kernelwright.backend.tensors import SHORT_DTYPES, copy_of
from kernelwright.evaluation.checks.expected import FLOORS
from kernelwright.evaluation.mutation.draws import EACH_KIND, FAILURES, Sample, draws
from kernelwright.evaluation.mutation.mutants import Mutant
from kernelwright.ir.values import KernelModule


@dataclass(frozen=True)
class Original:
    """A module to compare its mutants with; what that takes is kept. `target` is what equal code is looked for on."""

    module: KernelModule
    target: str = "h100"

    def proof(self, mutant: Mutant) -> str:
        """Why the mutant must compute the same; empty where nothing shows that it does."""
        if any(self._holds(mutant, probe) for probe in mutant.probes):
            return "the change has no effect on any lane of any program of this launch"
        same_host = mutant.module.launcher == self.module.launcher  # else code says nothing about what it is given
        if same_host and self._code is not None and _code(mutant.module, self.target) == self._code:
            return f"compiles to the same code for {self.target}"
        return ""

    def differences(self, mutant: Mutant) -> dict[str, float]:
        """Kind of draw -> the largest error of any output of the mutant, in units of its dtype's floor. Zeros of both
        signs are alike; infinite for a difference in kind: of type, of an integer, of where NaN or infinity is, or
        where there are no outputs. Empty where the module itself runs on no draw."""
        found: dict[str, float] = {}
        for draw, wanted in self._runs:
            found[draw.name] = max(_difference(wanted, _run(mutant.module, draw)), found.get(draw.name, 0.0))
        return found

    def agreements(self, mutant: Mutant, places: range) -> Iterator[tuple[Sample, bool]]:
        """The draws in these places on which the module itself runs, and whether the mutant gives the same bits."""
        for draw in draws(self.module.reference, places):
            yield from self._agreement(mutant, draw)

    def agreements_on_gpu(self, mutant: Mutant, places: range) -> Iterator[tuple[Sample, bool]]:
        """The same with compiled kernels, on draws of the kinds on which both agree in the interpreter. Compilers may
        round in another order: where compiled kernels differ, the interpreter decides."""
        kinds = {draw.name for draw, agrees in self.agreements(mutant, EACH_KIND) if agrees}
        first, second = (load_module(one, CudaRuntime()) for one in (self.module, mutant.module))
        for draw in draws(self.module.reference, places):
            if draw.name not in kinds:
                continue
            wanted = _tried(first, draw, "cuda")
            if wanted is not None and _alike(wanted, _tried(second, draw, "cuda")):
                yield draw, True
            else:
                yield from self._agreement(mutant, draw)

    def _agreement(self, mutant: Mutant, draw: Sample) -> Iterator[tuple[Sample, bool]]:
        outputs = _run(self.module, draw)
        if outputs is not None:
            yield draw, _alike(outputs, _run(mutant.module, draw))

    @property
    def draws(self) -> int:
        """How many draws the module itself runs on."""
        return len(self._runs)

    @cached_property
    def _given(self) -> Sample | None:
        return next(draws(self.module.reference), None)

    @cached_property
    def _code(self) -> dict[str, str] | None:
        return _code(self.module, self.target)

    @cached_property
    def _runs(self) -> list[tuple[Sample, list[Tensor]]]:
        """Draws on which the module itself runs, with its outputs."""
        runs = ((draw, _run(self.module, draw)) for draw in draws(self.module.reference))
        return [(draw, outputs) for draw, outputs in runs if outputs is not None]

    def _holds(self, mutant: Mutant, probe: str) -> bool:
        """Whether a condition holds on every lane of every program: the module is run with a line that fails where
        it does not."""
        kernel = self.module.kernel(mutant.kernel)
        lines = kernel.source.split("\n")
        line = lines[mutant.before - 1]
        indent = line[: len(line) - len(line.lstrip())]
        one = "tl.full([1], 1, tl.int32)"
        check = f"{indent}if tl.min(tl.ravel({one} * ({probe}))) == 0: the_change_has_an_effect()"
        source = "\n".join([*lines[: mutant.before - 1], check, *lines[mutant.before - 1 :]])
        kernels = tuple(replace(k, source=source) if k is kernel else k for k in self.module.kernels)
        return self._given is not None and _run(replace(self.module, kernels=kernels), self._given) is not None


_DEBUG = re.compile(r"\s*(\.loc|\.file|\$L__tmp|\$L__func)")


def _code(module: KernelModule, target: str) -> dict[str, str] | None:
    """Each kernel's PTX without debug information: equal wherever TTIR is, and more often. None where it does not
    compile, or host code reads tensors."""
    try:
        compiled = compile_module(module, get_target(target))
    except FAILURES:
        return None
    return {symbol: _bare(kernel.ptx) for symbol, kernel in compiled.items()}


def _bare(ptx: str) -> str:
    kept = [line for line in ptx.split("\t.section")[0].splitlines() if not _DEBUG.match(line)]
    return "\n".join(line.split("//")[0].rstrip() for line in kept)


def _run(module: KernelModule, draw: Sample) -> list[Tensor] | None:
    """Outputs and then inputs and state as the module, interpreted, leaves them; None where it fails."""
    try:
        loaded = load_module(module, InterpreterRuntime(), draw.seed)
    except FAILURES:
        return None
    return _tried(loaded, draw, "cpu")


def _tried(loaded: Loaded, draw: Sample, device: str) -> list[Tensor] | None:
    """The same of a module that is loaded for a device."""
    try:
        inputs = [copy_of(value, device) if isinstance(value, Tensor) else value for value in draw.inputs]
        state = {name: copy_of(value, device) for name, value in draw.state.items()}
        outputs = loaded(inputs, state)
    except FAILURES:
        return None
    return [*outputs, *(value for value in [*inputs, *state.values()] if isinstance(value, Tensor))]


def _alike(wanted: Sequence[Tensor], got: Sequence[Tensor] | None) -> bool:
    """Whether the second ones, if there are any, have the bits of the first."""
    return got is not None and len(wanted) == len(got) and all(map(_same_bits, wanted, got))


def _same_bits(wanted: Tensor, got: Tensor) -> bool:
    """Whether two tensors have the same bits; NaNs are alike."""
    if (wanted.shape, wanted.dtype) != (got.shape, got.dtype):
        return False
    if not wanted.is_floating_point():
        return torch.equal(wanted, got)
    both_nan = wanted.isnan() & got.isnan()
    same = (wanted == got) & (wanted.signbit() == got.signbit())
    return bool((same | both_nan).all())


def _difference(wanted: Sequence[Tensor], got: Sequence[Tensor] | None) -> float:
    if got is None or len(wanted) != len(got):
        return math.inf
    return max(map(_distance, wanted, got), default=0.0)


def _distance(wanted: Tensor, got: Tensor) -> float:
    if wanted.shape != got.shape or wanted.dtype != got.dtype:
        return math.inf
    if torch.equal(wanted, got):
        return 0.0
    floor = FLOORS.get(SHORT_DTYPES.get(wanted.dtype, ""))
    if floor is None:
        return math.inf
    first, second = wanted.double(), got.double()
    plain = first.isfinite() & second.isfinite()
    if not bool((plain | (first == second) | (first.isnan() & second.isnan())).all()):
        return math.inf
    first, second = first[plain], second[plain]
    if torch.equal(first, second):
        return 0.0
    scale = float(first.square().mean().sqrt()) or math.ulp(0.0)
    rms = float((first - second).square().mean().sqrt()) / scale
    peak = float(((first - second).abs() / (scale + first.abs())).max())
    return max(rms, peak) / floor
