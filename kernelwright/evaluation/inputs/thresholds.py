"""The numbers at which a candidate's text may begin to do something else."""

import ast
import math

from kernelwright.evaluation.inputs.literals import folded, numbers_in
from kernelwright.ir.trees import syntax_tree
from kernelwright.ir.values import KernelModule

#: Numbers that are drawn for one candidate at most.
_MOST = 8
#: What other draws come close to: numbers between these need not be drawn for a candidate unless it compares with them.
_NEAR, _FAR = 1e-9, 1e4
_ORDINARY = frozenset((0.0, 0.5, 1.0, 2.0, math.inf))


def thresholds(module: KernelModule) -> tuple[float, ...]:
    """Absolute values of the numbers that a module's kernels compare with, and of very large or small numbers in its
    text. Numbers that the reference names are left out, because they are drawn for all candidates."""
    known = set(map(abs, numbers_in(syntax_tree(module.reference.source))))
    found: dict[float, None] = {}
    for kernel in module.kernels:
        for node in ast.walk(syntax_tree(kernel.source)):
            if isinstance(node, ast.Compare):
                sides = (folded(side) for side in (node.left, *node.comparators))
                found |= dict.fromkeys(side for side in sides if side is not None)
    texts = [*module.constants, *(kernel.source for kernel in module.kernels)]
    texts += [module.launcher.source] if module.launcher else []
    far = (number for text in texts for number in numbers_in(syntax_tree(text)))
    found |= dict.fromkeys(number for number in far if not _NEAR < abs(number) < _FAR)
    sizes = dict.fromkeys(map(abs, found))
    return tuple(one for one in sizes if one not in known | _ORDINARY and math.isfinite(one))[:_MOST]
