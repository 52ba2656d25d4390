"""The kernels of a module as functions, and back."""

from collections.abc import Mapping
from dataclasses import replace

from kernelwright.ir.kernel.parsing import parse_kernels
from kernelwright.ir.kernel.printing import print_function
from kernelwright.ir.kernel.values import Function
from kernelwright.ir.values import KernelModule


def kernel_functions(module: KernelModule) -> dict[str, Function]:
    """Every `@triton.jit` function of the module by symbol, helpers too."""
    return parse_kernels(module.kernels)


def with_functions(module: KernelModule, functions: Mapping[str, Function]) -> KernelModule:
    """The module with the text of these functions in place of that of its own of the same symbol."""
    kernels = tuple(
        replace(kernel, source=print_function(functions[kernel.symbol])) if kernel.symbol in functions else kernel
        for kernel in module.kernels
    )
    return replace(module, kernels=kernels)
