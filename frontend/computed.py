"""What a program computes, by which copies are recognised however they are spelt.

`F.relu(x)`, `x.relu()` and a module `nn.ReLU` are one operator of aten. What is kept: operators in order, what each
takes, small integers (kernel sizes, strides), floats, and axes, counted from the first. What is dropped: names, sizes,
dtypes, and how memory is viewed.
"""

import ast
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import torch

from kernelwright.backend.torch_private import TorchDispatchMode, tree_leaves
from kernelwright.frontend.problem import Problem
from kernelwright.frontend.sizes.literals import KEPT_SIZE
from kernelwright.ir.trees import syntax_tree

#: Operators that a program may have: longer ones are long enough for their text to tell.
_MOST = 100
#: What they give is what they take, seen otherwise.
_VIEWS = frozenset("alias clone detach expand lift_fresh reshape view _unsafe_view".split())
#: What aten calls arguments that are axes, and those that are sizes.
_AXES = frozenset("dim dims dim0 dim1".split())
_SIZES = frozenset("size shape start end length normalized_shape output_size split_size split_sizes N C HxW".split())


@lru_cache(8192)
def computed(source: str) -> str | None:
    """The operators of a KernelBench-format program, one a line; None where it is none, fails, or has none or many.

    Runs the program, on tensors without content.
    """
    if not _defines_a_program(source):
        return None
    try:
        with torch.device("meta"), torch.no_grad():
            problem = Problem.load(source, "program")
            model, inputs = problem.build().eval(), problem.inputs()
            with _Operators() as seen:
                outputs = tree_leaves(model(*inputs))
            return seen.text(outputs) if seen.lines else None
    except Exception:  # noqa: BLE001 - the program may raise anything; its text is all there is to compare then
        return None


def _defines_a_program(source: str) -> bool:
    """Whether there is anything to run: texts of Triton alone do whatever they do when they are."""
    try:
        names = {node.name for node in syntax_tree(source).body if isinstance(node, ast.ClassDef | ast.FunctionDef)}
    except (SyntaxError, ValueError):
        return False
    return {"Model", "get_inputs"} <= names


class _TooManyError(Exception):
    """More operators than are compared."""


class _Operators(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Writes down what is called. Values are numbered as they occur; a view has the number of what it shows."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.lines: list[str] = []
        self._numbers: dict[int, int] = {}
        self._alive: list[torch.Tensor] = []  # so that no two have one id

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        del types
        out = func(*args, **(kwargs or {}))
        name = func.overloadpacket.__name__.rstrip("_")
        if name in _VIEWS:
            self._number(out, self._number(args[0]))
            return out
        taken = " ".join(f"{key}={self._spelt(value)}" for key, value in _arguments(func, args, kwargs or {}))
        given = " ".join(self._spelt(one) for one in tree_leaves(out))
        self.lines.append(f"{given} = {name} {taken}")
        if len(self.lines) > _MOST:
            raise _TooManyError
        return out

    def text(self, outputs: list[Any]) -> str:
        """All that was called, and what came of it."""
        return "\n".join([*self.lines, f"return {' '.join(map(self._spelt, outputs))}"])

    def _number(self, tensor: torch.Tensor, number: int | None = None) -> int:
        if id(tensor) not in self._numbers:
            self._alive.append(tensor)
            self._numbers[id(tensor)] = len(set(self._numbers.values())) if number is None else number
        return self._numbers[id(tensor)]

    def _spelt(self, value: Any) -> str:
        if isinstance(value, torch.Tensor):
            return f"%{self._number(value)}"
        if isinstance(value, list | tuple):
            return f"[{' '.join(map(self._spelt, value))}]"
        is_size = isinstance(value, int) and not isinstance(value, bool) and abs(value) > KEPT_SIZE
        return "N" if is_size else str(value)


def _arguments(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Each argument with its name in aten, axes counted from the first; no sizes, no dtypes."""
    names = [argument.name for argument in func._schema.arguments]
    rank = max(args[0].dim(), 1) if args and isinstance(args[0], torch.Tensor) else 0
    for name, given in [*zip(names, args, strict=False), *kwargs.items()]:
        if name in _SIZES or isinstance(given, torch.dtype | torch.device | torch.layout):
            continue
        if rank and name in _AXES and isinstance(given, int):
            yield name, given % rank
        elif rank and name in _AXES and isinstance(given, list | tuple):
            yield name, [axis % rank for axis in given]
        else:
            yield name, given
