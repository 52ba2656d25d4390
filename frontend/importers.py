"""Ways in: a KernelBench-format file, an `nn.Module` with example inputs, an FX graph. All give a module at
level torch whose reference is a KernelBench-format source."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from torch import nn

from kernelwright.backend.reference.program import describe
from kernelwright.frontend.beside import with_files_beside
from kernelwright.frontend.graph_source import print_source
from kernelwright.frontend.precision import in_bf16
from kernelwright.frontend.problem import Problem, exit_place, failure, with_inputs_apart
from kernelwright.frontend.sizes.shrink import BUDGET, measure_problem, shrink_source
from kernelwright.frontend.trace import trace
from kernelwright.ir.errors import KernelwrightError, UserError
from kernelwright.ir.text_files import GIVE_A_PROGRAM, read_program_text
from kernelwright.ir.values import NUMERICS, KernelModule, Numerics, Reference, Tolerance

#: With no GPU, a program that makes more elements than this is described without computing it.
_DESCRIBED_BY_RUNNING = 2**25


def import_file(
    path: Path | str, *, shrink: str = "auto", budget: int = BUDGET, numerics: Numerics = "ieee"
) -> KernelModule:
    """Read a KernelBench-format file; the module's name is the file's without suffix.

    Raises UserError for a file that cannot be read, and as `import_source` does.
    """
    path = Path(path)
    return import_source(read_source(path), path.stem, shrink=shrink, budget=budget, numerics=numerics)


def read_source(path: Path) -> str:
    """A program's text, with the files beside it that it imports; UserError for a file that cannot be read."""
    return with_files_beside(read_program_text(path, "", GIVE_A_PROGRAM), path)


def import_source(
    source: str,
    name: str,
    *,
    shrink: str = "auto",
    budget: int = BUDGET,
    numerics: Numerics = "ieee",
    allclose: float | None = None,
) -> KernelModule:
    """A module of a KernelBench-format program.

    shrink: "always" makes sizes small enough that one forward makes about `budget` elements, "never" keeps
    them, "auto" shrinks where there is no GPU and it can be done. numerics: what may use TF32, or `bf16`, to which
    weights and inputs are cast. allclose: outputs are compared by torch.allclose with this rtol and atol; None: with
    fp64, by eager's own error. Raises UserError, naming what is wrong, for a program without Model or get_inputs,
    one that fails when run, and inputs or outputs that are not tensors (or numbers).
    """
    if shrink not in ("auto", "never", "always"):
        raise UserError(f"shrink={shrink!r}: choose auto, never or always")
    if numerics not in NUMERICS:
        raise UserError(f"numerics={numerics!r}: choose {', '.join(NUMERICS)}")
    if budget < 1:
        raise UserError(f"budget={budget}: give a positive number of elements")
    try:
        found = _imported(source, name, shrink, budget, numerics)
    except SystemExit as error:
        where = exit_place(error, name)
        raise UserError(f"{name}: {where} ends its process when it runs; a reference may only define things") from error
    if allclose is None:
        return found
    tolerance = Tolerance("allclose", rtol=allclose, atol=allclose)
    return replace(found, reference=replace(found.reference, tolerance=tolerance))


def _imported(source: str, name: str, shrink: str, budget: int, numerics: Numerics) -> KernelModule:
    """The same, for options that there are."""
    problem = Problem.load(source, name)
    apart = with_inputs_apart(source, problem)
    if apart != source:
        source, problem = apart, Problem.load(apart, name)
    if numerics == "bf16":
        source = in_bf16(source)
        problem = Problem.load(source, name)
    small = source
    if shrink == "always":
        small = shrink_source(source, budget, name, problem)
    elif shrink == "auto" and not torch.cuda.is_available():
        with suppress(UserError):  # where it does not run at all, running it says why
            small = shrink_source(source, budget, name, problem)
    shrunken = small != source
    reference = _describe_source(small, Problem.load(small, name) if shrunken else problem, shrunken)
    return KernelModule(name, replace(reference, numerics=numerics))


def _describe_source(source: str, problem: Problem, shrunken: bool) -> Reference:
    """Run the program once, where that is cheap, and write down what it takes and gives."""
    device = "cpu"
    if torch.cuda.is_available():
        device = "cuda"
    elif not shrunken and _is_large(problem):
        device = "meta"
    name = problem.name
    with torch.device(device):
        torch.manual_seed(0)
        model, inputs = problem.build(), problem.inputs()
        try:
            found = describe(model, inputs)
        except KernelwrightError as error:
            raise UserError(f"{name}: {error}") from error
        except Exception as error:  # the user's forward may raise anything
            raise UserError(
                f"{name}: the program itself fails, before anything is compiled: {failure(error, name)}; "
                "check get_inputs() against forward()"
            ) from error
    del model, inputs
    if device == "cuda":
        torch.cuda.empty_cache()  # the evaluator's processes want it
    return Reference(source, "Model", found.inputs, found.state, found.outputs, found.returns, shrunken=shrunken)


def _is_large(problem: Problem) -> bool:
    try:
        return measure_problem(problem).total > _DESCRIBED_BY_RUNNING
    except UserError:  # it does not run on meta tensors
        return False


def import_module(
    model: nn.Module, example_inputs: Sequence[Any], *, name: str | None = None, numerics: Numerics = "ieee"
) -> KernelModule:
    """A module of what `model` computes for inputs like these, its weights lifted to inputs.

    The reference takes the tensors among the inputs, then parameters, then buffers: what `lifted_tensors`
    gives; numbers are baked in. Its sizes are the example's. Raises LoweringError for what no fixed,
    functional graph expresses: random numbers, writes to inputs or buffers, symbolic sizes, operators
    outside aten.
    """
    name = name or type(model).__name__
    source = print_source(trace(model, example_inputs, name), name)
    return import_source(source, name, shrink="never", numerics=numerics)


def lifted_tensors(model: nn.Module, inputs: Sequence[Any]) -> tuple[torch.Tensor, ...]:
    """The run-time arguments of a module that `import_module` made: tensors, parameters, buffers."""
    tensors = [value for value in inputs if isinstance(value, torch.Tensor)]
    return (*tensors, *model.parameters(), *model.buffers())
