"""Faults that a whole model in 16 bits hides, planted in one kernel of its lowered program."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from kernelwright.ir.values import Kernel, KernelModule

#: What a norm adds to a variance.
_EPS = re.compile(r"\b1e-0[56]\b")
#: The sum of a product that a kernel computes: terms, axis, and how the sum takes its place in the block.
_SUM = re.compile(r"^( +)(\w+) = tl\.sum\((\w+), (\d)\)(\[[^]]+\])(\.to\(tl\.float32\))?$", re.MULTILINE)
_PARTIAL = re.compile(r"^( +\w+ = )(acc \+ \w+)$", re.MULTILINE)
_TERMS = re.compile(r"R0_BLOCK: tl\.constexpr = (\d+)|r0_index < (\d+)|range\(0, (\d+), R0_BLOCK\)")
#: Operations with sums of their own. A batch norm in evaluation mode has none.
_NO_PRODUCT = ("layer_norm", "group_norm", "var_mean", "softmax", "mean")


@dataclass(frozen=True)
class KernelFault:
    """`plant` changes one kernel, or gives None if it has no such place; `written_out`: products are kernels' work."""

    name: str
    plant: Callable[[Kernel], Kernel | None]
    written_out: bool = False

    def planted(self, module: KernelModule) -> tuple[KernelModule, str]:
        """The module with the fault in the kernel that adds up the most numbers, and this kernel's symbol."""
        wrong = [(kernel, one) for kernel in module.kernels if (one := self.plant(kernel)) is not None]
        assert wrong, f"@{module.name} has no place for {self.name}"
        kernel, spoiled = max(wrong, key=lambda pair: _additions(pair[0]))
        kernels = tuple(spoiled if one is kernel else one for one in module.kernels)
        return replace(module, kernels=kernels), kernel.symbol


def _additions(kernel: Kernel) -> int:
    """How many additions follow one another in a sum of the kernel: over its terms, or over blocks and then lanes."""
    terms = min((int("".join(found)) for found in _TERMS.findall(kernel.source)), default=0)
    lanes = dict(kernel.meta).get("R0_BLOCK")
    return terms if not isinstance(lanes, int) else lanes + terms // lanes


def _other_eps(kernel: Kernel) -> Kernel | None:
    if not _EPS.search(kernel.source):
        return None
    return replace(kernel, source=_EPS.sub(lambda found: f"{5 * float(found[0])!r}", kernel.source))


def _sum_in_bf16(kernel: Kernel) -> Kernel | None:
    sums, covers = list(_SUM.finditer(kernel.source)), kernel.covers
    # Another kernel may have written the products.
    product = "aten.sum" in covers and not any(part in one for one in covers for part in _NO_PRODUCT)
    if not product or len(sums) != 1:
        return None
    indent, name, terms, axis, place, _ = sums[0].groups()
    index = "r0_base" if "r0_base" in kernel.source else "r0_index"
    taken = f"tl.sum(tl.where({index} == j, {terms}, 0.0), {axis}){place}.to(tl.bfloat16)"
    lines = [
        f"{name} = tl.sum({terms} * 0, {axis}){place}.to(tl.bfloat16)",
        "for j in range(R0_BLOCK):",
        f"    {name} += {taken}",
        f"{name} = {name}.to(tl.float32)",
    ]
    text = "\n".join(indent + line for line in lines)
    changed = kernel.source.replace(sums[0][0], text)
    # In a loop, the partial sums are kept in bf16 as well.
    return replace(kernel, source=_PARTIAL.sub(r"\1(\2).to(tl.bfloat16).to(tl.float32)", changed))


#: What only a comparison of each kernel with its own operations has to find.
KERNEL_FAULTS = (
    KernelFault("another eps in a norm", _other_eps),
    KernelFault("a product that adds up in bf16", _sum_in_bf16, written_out=True),
)
