"""Convolutions that host code leaves to a library: `aten.convolution` with the shapes and strides of its tensors."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from kernelwright.backend.launch.host_trace import HostTrace, trace_host
from kernelwright.ir.host.statements import Expression, Statement
from kernelwright.ir.kernel.analysis.forms import INDEX_LIMIT
from kernelwright.ir.values import Kernel, KernelModule, Scalar, TensorSpec
from kernelwright.midend.analysis.host_code import (
    FLOATS,
    allocation,
    fresh_symbol,
    with_kernel,
    with_statements,
    without_idle_kernels,
)
from kernelwright.midend.templates.rounding import rounded_where_made

_OPERATIONS = ("aten.convolution", "aten.convolution.default")


@dataclass(frozen=True)
class Convolution:
    """One call. Sizes are of the 1 to 3 spatial axes, outermost first; `operands` are x, weight and bias as host code
    names them, "" for no bias. Statements `first` to `last` compute it into the name `target`.
    """

    x: TensorSpec
    weight: TensorSpec
    bias: TensorSpec | None
    out: TensorSpec
    stride: tuple[int, ...]
    padding: tuple[int, ...]
    dilation: tuple[int, ...]
    transposed: bool
    groups: int
    operands: tuple[str, str, str]
    target: str
    first: int
    last: int

    @property
    def kernel_size(self) -> tuple[int, ...]:
        """Taps along each spatial axis."""
        return self.weight.shape[2:]

    @property
    def group_inputs(self) -> int:
        """Input channels of one group."""
        return self.x.shape[1] // self.groups

    @property
    def group_outputs(self) -> int:
        """Output channels of one group."""
        return self.out.shape[1] // self.groups

    def is_sound(self) -> bool:
        """Whether templates can index it: floating-point tensors of one type, not empty, within 32-bit indices."""
        tensors = [self.x, self.weight, self.out, *([self.bias] if self.bias else [])]
        if any(t.dtype != self.x.dtype or 0 in t.shape or min(t.strides, default=0) < 0 for t in tensors):
            return False
        spatial = len(self.x.shape) - 2
        fits = 1 <= spatial <= 3 and len(self.weight.shape) == spatial + 2
        return fits and self.x.dtype in FLOATS and all(t.extent < INDEX_LIMIT for t in tensors)


def find_convolutions(trace: HostTrace) -> Iterator[Convolution]:
    """The calls of `aten.convolution` in the order of host code, those alone that are `is_sound`."""
    for index, statement in enumerate(trace.statements):
        call = statement.call
        if call is None or not statement.assigned or call.operation not in _OPERATIONS:
            continue
        if len(call.arguments) == 9 and not call.keywords:
            found = _read(trace, index, statement.targets[0], call.arguments)
            if found is not None and found.is_sound():
                yield found


def _read(trace: HostTrace, index: int, target: str, arguments: Sequence[Expression]) -> Convolution | None:
    x, weight, bias = (trace.spec(index, argument) for argument in arguments[:3])
    stride, padding, dilation, transposed, _, groups = (trace.value(index, argument) for argument in arguments[3:])
    last = index + 1 if _makes_contiguous(trace.statements[index + 1], target) else index
    out = trace.spec(last + 1, Expression(target))
    without_bias = arguments[2].text == "None"
    if x is None or weight is None or out is None or (bias is None and not without_bias):
        return None
    operands = (arguments[0].text, arguments[1].text, arguments[2].text if bias else "")
    sizes = (tuple(stride), tuple(padding), tuple(dilation))
    return Convolution(x, weight, bias, out, *sizes, bool(transposed), groups, operands, target, index, last)


def _makes_contiguous(statement: Statement, name: str) -> bool:
    given = f"{name} = {name}."
    return statement.text.startswith((f"{given}contiguous(", f"{given}transpose(1, 2).contiguous()"))


def precision_of(module: KernelModule) -> str:
    """What `tl.dot` makes of a convolution's fp32 operands: TF32 where the reference may use it too."""
    return "ieee" if module.reference.numerics == "ieee" else "tf32"


@dataclass(frozen=True)
class Template:
    """A kernel in the place of a convolution. `source` defines a kernel named `KERNEL` that takes x, weight, bias (if
    there is one) and the output; `grid` is the text of its grid, in which `META` stands for its launch options.
    `packing`: what host code does to the weight before it gives it to the kernel, such as `.contiguous()`.
    """

    stem: str
    source: str
    meta: tuple[tuple[str, Scalar], ...]
    grid: str
    packing: str = ""


def replace_convolutions(module: KernelModule, template: Callable[[Convolution], Template | None]) -> KernelModule:
    """The module with every convolution for which there is a template computed by that; the same object without any."""
    while (trace := trace_host(module)) is not None:
        for convolution in find_convolutions(trace):
            found = template(convolution)
            if found is not None:
                if 'input_precision="tf32"' in found.source:
                    module = _rounded(module, trace, convolution)
                module = _replace(module, trace, convolution, found)
                break
        else:
            return module
    return module


def _rounded(module: KernelModule, trace: HostTrace, convolution: Convolution) -> KernelModule:
    """The module with x and weight rounded to TF32, as cuDNN rounds them, where kernels make them for this convolution
    alone: there it costs nothing, and tensor cores cut off what is left to them."""
    for operand in convolution.operands[:2]:
        module = rounded_where_made(module, trace, operand, convolution.first) or module
    return module


def _replace(module: KernelModule, trace: HostTrace, convolution: Convolution, template: Template) -> KernelModule:
    symbol = fresh_symbol(module, template.stem)
    kernel = Kernel(symbol, template.source.replace("KERNEL", symbol), template.meta, ("aten.convolution",))
    device = trace.code.parameters[0]
    x, weight, bias = convolution.operands
    packed = [f"{symbol}_weight = {weight}{template.packing}"] if template.packing else []
    weight = f"{symbol}_weight" if packed else weight
    arguments = ", ".join(operand for operand in (x, weight, bias, convolution.target) if operand)
    launch = f"{symbol}[{template.grid.replace('META', kernel.meta_name)}]({arguments}, **{kernel.meta_name})"
    lines = {convolution.first: [*packed, allocation(convolution.target, convolution.out, device), launch]}
    if convolution.last != convolution.first:
        lines[convolution.last] = []
    return without_idle_kernels(with_kernel(with_statements(module, trace, lines), kernel))
