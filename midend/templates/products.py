"""Matrix products that host code leaves to a library, with the shapes and strides of their tensors."""

from collections.abc import Iterator
from dataclasses import dataclass

from kernelwright.backend.launch.host_trace import HostTrace
from kernelwright.ir.host.statements import HostCall
from kernelwright.ir.kernel.analysis.forms import INDEX_LIMIT
from kernelwright.ir.values import TensorSpec
from kernelwright.midend.analysis.host_code import FLOATS

#: Operation -> whether its first argument is added to the product.
_OPERATIONS = {"aten.mm.out": False, "aten.bmm.out": False, "aten.addmm.out": True, "aten.baddbmm.out": True}
#: Batches that the second axis of a grid can have.
_MOST_BATCHES = 65535


@dataclass(frozen=True)
class Product:
    """`out = a @ b (+ added)` at a statement of host code. Tensors have three axes, the batch first; `added` has
    strides of zero where it is broadcast. `operands` are a, b, added ("" for none) and out as host code names them.
    """

    a: TensorSpec
    b: TensorSpec
    added: TensorSpec | None
    out: TensorSpec
    operands: tuple[str, str, str, str]
    covers: str
    index: int

    @property
    def sizes(self) -> tuple[int, int, int, int]:
        """Batches, rows, columns, and the length of what is summed."""
        return (*self.out.shape, self.a.shape[2])  # type: ignore[return-value]

    def is_sound(self) -> bool:
        """Whether a template can index it: floating-point tensors of one type, not empty, within 32-bit indices."""
        tensors = [self.a, self.b, self.out, *([self.added] if self.added else [])]
        if any(t.dtype != self.a.dtype or 0 in t.shape or min(t.strides, default=0) < 0 for t in tensors):
            return False
        fits = self.a.dtype in FLOATS and all(t.extent < INDEX_LIMIT for t in tensors)
        return fits and self.out.shape[0] <= _MOST_BATCHES


def find_products(trace: HostTrace) -> Iterator[Product]:
    """The calls of matrix products in the order of host code, those alone that are `is_sound`."""
    for index, statement in enumerate(trace.statements):
        call = statement.call
        if call is not None and not statement.targets and call.operation in _OPERATIONS:
            found = _read(trace, index, call, _OPERATIONS[call.operation])
            if found is not None and found.is_sound():
                yield found


def _read(trace: HostTrace, index: int, call: HostCall, adds: bool) -> Product | None:
    keywords = dict(call.keywords)
    target = keywords.pop("out", None)
    factors = [trace.value(index, value) for value in keywords.values()]
    if (
        target is None
        or len(call.arguments) != 2 + adds
        or set(keywords) - {"alpha", "beta"}
        or any(f != 1 for f in factors)
    ):
        return None
    given = [*call.arguments[-2:], target, *call.arguments[:adds]]
    specs = [_spec(trace.spec(index, value)) for value in given]
    a, b, out = specs[:3]
    if a is None or b is None or out is None or (adds and specs[3] is None):
        return None
    added = _broadcast(specs[3], out) if adds and specs[3] is not None else None
    texts = [value.text for value in given]
    operands = (texts[0], texts[1], texts[3] if adds else "", texts[2])
    covers = ".".join(call.operation.split(".")[:2])
    return Product(a, b, added, out, operands, covers, index)


def _spec(spec: TensorSpec | None) -> TensorSpec | None:
    """A spec with three axes, those in front of size one."""
    if spec is None or len(spec.shape) > 3:
        return None
    missing = 3 - len(spec.shape)
    return TensorSpec(spec.name, spec.dtype, (1,) * missing + spec.shape, (0,) * missing + spec.strides)


def _broadcast(spec: TensorSpec, out: TensorSpec) -> TensorSpec:
    strides = (0 if size == 1 else stride for size, stride in zip(spec.shape, spec.strides, strict=True))
    return TensorSpec(spec.name, spec.dtype, out.shape, tuple(strides))
