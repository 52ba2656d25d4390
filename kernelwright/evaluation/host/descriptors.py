"""Descriptors that host code makes of tensors: a launch takes their parts, and the kernel makes them anew.

No descriptor travels. A kernel that is given one is told as a kernel with the tensor, its sizes and its strides for
parameters, whose body begins with `tl.make_tensor_descriptor`.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from triton.tools.tensor_descriptor import TensorDescriptor

from kernelwright.backend.launch.binding import BoundLaunch
from kernelwright.ir.text import text_lines
from kernelwright.ir.trees import syntax_tree


@dataclass(frozen=True)
class Shape:
    """What a kernel knows of one descriptor when it is compiled."""

    parameter: str
    block: tuple[int, ...]
    padding: str

    @property
    def parts(self) -> tuple[str, ...]:
        """The parameters in place of the descriptor: tensor, sizes, and strides but the last, which is 1."""
        rank = len(self.block)
        sizes = [f"{self.parameter}_size_{axis}" for axis in range(rank)]
        return (f"{self.parameter}_tensor", *sizes, *(f"{self.parameter}_stride_{axis}" for axis in range(rank - 1)))

    @property
    def statement(self) -> str:
        """What makes the descriptor."""
        tensor, *rest = self.parts
        rank = len(self.block)
        sizes, strides = ", ".join(rest[:rank]), ", ".join((*rest[rank:], "1"))
        block = ", ".join(map(str, self.block))
        return (
            f"{self.parameter} = tl.make_tensor_descriptor({tensor}, [{sizes}], [{strides}], [{block}], "
            f"padding_option={self.padding!r})"
        )

    def values(self, descriptor: Any) -> Iterator[Any]:
        """What the parameters are given."""
        yield descriptor.base
        yield from (int(size) for size in descriptor.shape)
        yield from (int(stride) for stride in descriptor.strides[:-1])


def taken_apart(bound: BoundLaunch) -> tuple[BoundLaunch, tuple[Shape, ...]]:
    """A launch with the parts of its descriptors for arguments, and what they were."""
    arguments: dict[str, Any] = {}
    shapes: list[Shape] = []
    for name, value in bound.arguments.items():
        if isinstance(value, TensorDescriptor):
            shapes.append(Shape(name, tuple(map(int, value.block_shape)), str(value.padding)))
            arguments.update(zip(shapes[-1].parts, shapes[-1].values(value), strict=True))
        else:
            arguments[name] = value
    return replace(bound, arguments=arguments), tuple(shapes)


def rebuilding(source: str, shapes: tuple[Shape, ...]) -> str:
    """A kernel's text that makes these descriptors of their parts, in one line before its first statement."""
    function = syntax_tree(source).body[0]
    assert isinstance(function, ast.FunctionDef)
    lines = [line.encode() for line in text_lines(source)]
    first = function.body[0]
    made = "; ".join(shape.statement for shape in shapes).encode()
    if first.lineno == function.lineno:  # a body behind the colon
        line, column = lines[first.lineno - 1], first.col_offset
        lines[first.lineno - 1] = line[:column] + made + b"; " + line[column:]
    else:
        lines.insert(first.lineno - 1, b" " * first.col_offset + made)
    given = function.args
    by_name = {one.arg: one for one in (*given.posonlyargs, *given.args, *given.kwonlyargs)}
    places = sorted((_place(by_name[shape.parameter]), ", ".join(shape.parts).encode()) for shape in shapes)
    for (number, start, end), parts in reversed(places):
        lines[number] = lines[number][:start] + parts + lines[number][end:]
    return "\n".join(line.decode() for line in lines)


def _place(parameter: ast.arg) -> tuple[int, int, int]:
    """The line of a parameter, and its first byte and its end there, with its annotation if that is on one line."""
    start, whole = parameter.col_offset, parameter.end_lineno == parameter.lineno and parameter.end_col_offset
    return parameter.lineno - 1, start, whole or start + len(parameter.arg)
