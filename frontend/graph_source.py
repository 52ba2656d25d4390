"""Print a traced graph as a KernelBench-format source that runs on any device."""

import keyword
import math
import operator
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.fx import Node

from kernelwright.frontend.trace import Traced
from kernelwright.ir.errors import LoweringError

#: Constants with more elements than this do not become literals.
LARGEST_CONSTANT = 4096
#: Larger magnitudes (masks such as finfo.min) do not count towards an input's mean and deviation.
_LARGEST_TYPICAL = 1e6
_LARGEST_INTEGER = 2**62

_MAKERS = '''
def floats(shape, strides, dtype, mean, std, low, high):
    """Normal values within [low, high], laid out with these strides."""
    values = torch.empty(storage_size(shape, strides)).normal_(mean, std).clamp_(low, high)
    return torch.as_strided(values.to(dtype), shape, strides)


def integers(shape, strides, dtype, low, high):
    """Uniform values from low to high, both included."""
    values = torch.randint(low, high + 1, (storage_size(shape, strides),))
    return torch.as_strided(values.to(dtype), shape, strides)


def storage_size(shape, strides):
    """Elements that a tensor of this shape and strides reaches over."""
    return 1 + sum((size - 1) * stride for size, stride in zip(shape, strides)) if 0 not in shape else 0
'''


@dataclass(frozen=True)
class Spread:
    """How the values of a tensor are distributed: what others like them are drawn by."""

    low: float
    high: float
    mean: float
    std: float

    @classmethod
    def of(cls, tensor: torch.Tensor) -> "Spread":
        """Of the tensor's own values; a normal distribution, or zero and one, for a fake tensor, which has none."""
        floating = tensor.is_floating_point()
        try:
            values = tensor.detach().double()
            values = values[values.abs() < _LARGEST_TYPICAL] if floating else tensor
            low, high = (values.min().item(), values.max().item()) if values.numel() else (0, 0)
            if not values.numel():
                return cls(low, high, 0.0, 0.0)
            return cls(low, high, values.double().mean().item(), values.double().std(correction=0).item())
        except RuntimeError:
            return cls(-5.0, 5.0, 0.0, 1.0) if floating else cls(0, 1, 0.0, 0.0)


def print_source(traced: Traced, name: str, spreads: Sequence[Spread] = ()) -> str:
    """The program as text, whose inputs are drawn by `spreads`, or else like the tensors of the graph. Raises
    LoweringError for values that have no literal."""
    return _Printer(traced, name, spreads or [Spread.of(tensor) for tensor in traced.tensors]).text()


@dataclass
class _Printer:
    traced: Traced
    name: str
    spreads: Sequence[Spread]
    names: dict[Node, str] = field(default_factory=dict)
    taken: set[str] = field(default_factory=lambda: {"torch", "aten", "self", "inf", "nan"})

    def text(self) -> str:
        nodes = list(self.traced.graph.graph.nodes)
        self.traced.graph.graph.eliminate_dead_code()
        placeholders = [node for node in nodes if node.op == "placeholder"]
        for node, label in zip(placeholders, self.traced.names, strict=True):
            self.names[node] = self.free(label)
        body = [line for node in self.traced.graph.graph.nodes if (line := self.statement(node))]
        parameters = ", ".join(["self", *(self.names[node] for node in placeholders)])
        drawn = zip(self.traced.tensors, self.spreads, strict=True)
        makers = [f"        {maker(tensor, spread)}," for tensor, spread in drawn]
        return "\n".join(
            [
                "import torch",
                "",
                "aten = torch.ops.aten",
                'inf, nan = float("inf"), float("nan")',
                "",
                _MAKERS,
                "",
                "class Model(torch.nn.Module):",
                f"    def forward({parameters}):",
                *(f"        {line}" for line in body),
                "",
                "",
                "def get_inputs():",
                "    return [",
                *makers,
                "    ]",
                "",
                "",
                "def get_init_inputs():",
                "    return []",
                "",
            ]
        )

    def free(self, label: str) -> str:
        """A valid name that nothing else has; it is then taken."""
        base = re.sub(r"\W", "_", label)
        base = base if base.isidentifier() and not keyword.iskeyword(base) else f"t_{base}"
        label, count = base, 1
        while label in self.taken:
            count += 1
            label = f"{base}_{count}"
        self.taken.add(label)
        return label

    def device(self) -> str:
        """An expression for the device: that of the first input."""
        first = next(iter(self.names.values()), None) if self.traced.tensors else None
        if first is None:
            raise LoweringError(f"{self.name}: has no tensor input; there is nothing to compile")
        return f"{first}.device"

    def statement(self, node: Node) -> str:
        """A node as a line of forward; empty for a placeholder."""
        if node.op == "placeholder":
            return ""
        if node.op == "output":
            return f"return {self.returned(node.args[0])}"
        if node.op == "get_attr":
            expression = self.constant(getattr(self.traced.graph, str(node.target)), str(node.target))
        elif node.target is operator.getitem:
            expression = f"{self.literal(node.args[0])}[{node.args[1]}]"
        else:
            arguments = [self.literal(value) for value in node.args]
            arguments += [f"{key}={self.literal(value)}" for key, value in node.kwargs.items()]
            expression = f"{str(node.target).replace('prims.', 'torch.ops.prims.', 1)}({', '.join(arguments)})"
        self.names[node] = self.free(node.name)
        return f"{self.names[node]} = {expression}"

    def returned(self, value: Any) -> str:
        if self.traced.returns == "tensor":
            return self.literal(value)
        items = ", ".join(self.literal(item) for item in value)
        if self.traced.returns == "list":
            return f"[{items}]"
        return f"({items},)" if len(value) == 1 else f"({items})" if value else "()"

    def constant(self, value: Any, label: str) -> str:
        """A small tensor as a literal."""
        if not isinstance(value, torch.Tensor) or value.numel() > LARGEST_CONSTANT:
            raise LoweringError(f"{self.name}: {label} is a large constant; make it a buffer (register_buffer)")
        values = value.detach().cpu().tolist()
        return f"torch.tensor({self.literal(values)}, dtype={value.dtype}, device={self.device()})"

    def literal(self, value: Any) -> str:
        """Any argument of an operation as an expression."""
        match value:
            case Node():
                return self.names[value]
            case None | bool() | int() | str() | torch.dtype() | torch.layout() | torch.memory_format():
                return repr(value) if isinstance(value, str | int | None) else str(value)
            case float():
                return repr(value) if math.isfinite(value) or math.isnan(value) else "inf" if value > 0 else "-inf"
            case torch.device():
                return self.device()
            case list() | tuple():
                return f"[{', '.join(map(self.literal, value))}]"
        raise LoweringError(f"{self.name}: an operation takes {value!r}, which has no literal form")


def maker(tensor: torch.Tensor, spread: Spread | None = None) -> str:
    """An expression that makes a random tensor like this one."""
    layout = f"{tuple(tensor.shape)}, {tuple(tensor.stride())}, {tensor.dtype}"
    if tensor.dtype == torch.bool:
        return f"integers({layout}, 0, 1)"
    spread = spread or Spread.of(tensor)
    if not tensor.is_floating_point():
        return f"integers({layout}, {spread.low}, {min(spread.high, _LARGEST_INTEGER)})"
    return f"floats({layout}, {', '.join(_spread(spread.low, spread.high, spread.mean, spread.std))})"


def _spread(low: float, high: float, mean: float, std: float) -> Iterator[str]:
    """Mean, deviation and bounds; a constant (fresh gains and biases) varies by a tenth of itself, so that
    terms that use it show."""
    if low == high:
        mean, std = low, abs(low) / 10 or 0.1
        low, high = low - 3 * std, low + 3 * std
    yield from (f"{value:.6g}" for value in (mean, std, low, high))
