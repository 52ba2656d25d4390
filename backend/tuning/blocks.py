"""What a kernel says of its blocks: which of them loops step by, how long such a step may be, what it fixes itself."""

import math
from collections.abc import Iterator

from kernelwright.ir.kernel.analysis.accesses import Accesses
from kernelwright.ir.kernel.analysis.axes import COMBINING
from kernelwright.ir.kernel.analysis.forms import Form
from kernelwright.ir.kernel.text.inlining import self_contained
from kernelwright.ir.kernel.text.parsing import kernel_functions
from kernelwright.ir.kernel.values import Constant, Operation, Value
from kernelwright.ir.values import KernelModule

_COMPARISONS = ("lt", "le", "gt", "ge")


class KernelBlocks:
    """The blocks of one kernel of a module."""

    def __init__(self, module: KernelModule, symbol: str) -> None:
        functions = kernel_functions(module)
        self.function = self_contained(functions[symbol], functions)
        self.accesses = Accesses(self.function)
        operations = list(self.function.walk())
        self.loops = [one for one in operations if one.kind in ("for", "static_for", "while")]
        #: Whether it has matrix products.
        self.products = any(one.kind == "dot" for one in operations)
        #: Whether it combines elements of a block: a sum, a maximum, a scan.
        self.combines = any(one.kind in COMBINING for one in operations)

    @property
    def steps(self) -> frozenset[str]:
        """Parameters by which loops step: blocks that may be smaller than what they run over."""
        forms = [self.accesses.indices.form(one.get("step")) for one in self.loops]
        given = {leaf.value for form in forms if form is not None for leaf in form.leaves}
        pairs = zip(self.function.parameters, self.function.body.arguments, strict=True)
        return frozenset(parameter.name for parameter, value in pairs if value in given)

    def takes_any_step(self, name: str, multiple: int) -> bool:
        """Whether loops step by nothing but this block, over constant lengths that are multiples of a number or that
        masks compare with, or with a bound that the kernel works out."""
        step = self.function.argument(name)
        return bool(self.loops) and all(
            one.kind == "for" and one.get("step") == step and self._fits(one, multiple) for one in self.loops
        )

    def _fits(self, loop: Operation, multiple: int) -> bool:
        end = loop.get("end")
        length = end.number if isinstance(end, Constant) else None
        if loop.get("start") != Constant("0") or not isinstance(length, int):
            return False
        return length % multiple == 0 or any(bound in (length, None) for bound in self._bounds(loop))

    def _bounds(self, loop: Operation) -> Iterator[int | None]:
        """What comparisons in a loop bound its counter and lanes by: a number, or None where that is computed."""
        counter = loop.regions[0].arguments[0]
        for one in loop.walk():
            for condition in self.accesses.conditions(one.result) if one.kind in _COMPARISONS else ():
                terms = condition.form.terms if condition.form is not None else ()
                leaves = [Form.of({product: 1}).leaves for product, _ in terms]
                if not any(leaf.value == counter for found in leaves for leaf in found):
                    continue
                moving = [any(leaf.dims or leaf.value == counter for leaf in found) for found in leaves]
                plain = [coefficient for (_, coefficient), moves in zip(terms, moving, strict=True) if moves] == [1, 1]
                rest = Form.of({p: c for (p, c), moves in zip(terms, moving, strict=True) if not moves}).constant
                yield -rest if plain and rest is not None else None

    @property
    def fixed_tile(self) -> int:
        """Elements of the largest tensor, those dimensions counted that the kernel fixes itself; of a product, where
        there is one."""
        shapes = self.accesses.indices.shapes
        tiles = [
            math.prod(
                extent.number for extent in shape if isinstance(extent, Constant) and isinstance(extent.number, int)
            )
            for one in self.function.walk()
            if one.kind == "dot" or not self.products
            for result in one.results
            if isinstance(result, Value) and (shape := shapes.of(result))
        ]
        return max([*tiles, 1])
