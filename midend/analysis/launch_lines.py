"""What a program launches, in a line for each launch: what a short prompt says of it."""

from collections.abc import Iterator

from kernelwright.ir.host.statements import HostCall, calls_in
from kernelwright.ir.kernel.text.parsing import kernel_functions
from kernelwright.ir.kernel.values import Constant, Function
from kernelwright.ir.values import Kernel, KernelModule


def describe_launches(module: KernelModule) -> str:
    """Each launch of a module with kernels, in the order in which they are written: grid, options, loops, tensors."""
    assert module.launcher is not None
    kernels, functions = {kernel.symbol: kernel for kernel in module.kernels}, kernel_functions(module)
    calls = [call for call in calls_in(module.launcher.source) if call.grid is not None and call.function in kernels]
    return "\n".join(_line(kernels[call.function], functions[call.function], call) for call in calls)


def _line(kernel: Kernel, function: Function, call: HostCall) -> str:
    assert call.grid is not None
    grid = call.grid.text.replace("triton.cdiv", "cdiv").strip("()").rstrip(",")
    for option in call.grid.strings:
        grid = grid.replace(f"{kernel.meta_name}[{option!r}]", option)
    options = " ".join(f"{name}={value}" for name, value in kernel.meta)
    lengths = list(_lengths(function))
    again = f" loops={len(lengths)}x{','.join(dict.fromkeys(lengths))}" if lengths else ""
    tensors = " ".join(argument.text for argument in call.arguments)
    return f"{kernel.symbol}[{grid}] {options}{again}: {tensors}"


def _lengths(function: Function) -> Iterator[str]:
    """How far each loop goes that counts from 0 to a number in steps."""
    for one in (one for one in function.walk() if one.kind == "for"):
        start, end, step = (one.get(key) for key in ("start", "end", "step"))
        if start == Constant("0") and isinstance(end, Constant) and step not in (None, Constant("1")):
            yield end.text
