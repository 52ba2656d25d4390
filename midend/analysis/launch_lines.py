"""What a program launches, in a line for each launch: what a short prompt says of it."""

import ast
import re

from kernelwright.ir.values import Kernel, KernelModule

_LOOP = re.compile(r"\brange\(0, (\d+), ")


def describe_launches(module: KernelModule) -> str:
    """Each launch of a module with kernels, in the order in which they are written: grid, options, loops, tensors."""
    assert module.launcher is not None
    kernels = {kernel.symbol: kernel for kernel in module.kernels}
    lines = [
        _line(kernels[call.func.value.id], call)
        for call in ast.walk(ast.parse(module.launcher.source))
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Subscript)
        and isinstance(call.func.value, ast.Name)
        and call.func.value.id in kernels
    ]
    return "\n".join(lines)


def _line(kernel: Kernel, call: ast.Call) -> str:
    assert isinstance(call.func, ast.Subscript)
    grid = re.sub(rf"{kernel.meta_name}\[['\"](\w+)['\"]\]", r"\1", ast.unparse(call.func.slice))
    grid = grid.replace("triton.cdiv", "cdiv").strip("()").rstrip(",")
    options = " ".join(f"{name}={value}" for name, value in kernel.meta)
    loops = list(dict.fromkeys(_LOOP.findall(kernel.source)))
    again = f" loops={len(_LOOP.findall(kernel.source))}x{','.join(loops)}" if loops else ""
    tensors = " ".join(ast.unparse(argument) for argument in call.args)
    return f"{kernel.symbol}[{grid}] {options}{again}: {tensors}"
