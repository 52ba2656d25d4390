"""Kernelwright: a staged compiler from PyTorch to verified, tuned Triton.

    import kernelwright

    compiled = kernelwright.compile(model, *inputs)      # a live nn.Module; a path or a program's text without inputs
    compiled.verdict, compiled.report, compiled.emit("triton"), compiled(*inputs)
    kernelwright.evaluate("candidate.py", "reference.py")
    kernelwright.search(model, *inputs, seconds=60)
    kernelwright.optimize(model, *inputs, budget=90)     # faster kernels for torch.compile(…, backend="kernelwright")
    kernelwright.explain(model, *inputs)                 # what runs there, kernel by kernel, and why
    kernelwright.passes()
    kernelwright.train("frontend", recipe="smollm")
    kernelwright.load("runs/model")

Importing the package imports nothing heavy: each function brings what it needs when it is first used.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kernelwright.driver.api import compile, evaluate, explain, load, optimize, passes, search, train

__version__ = "0.1.0"
__all__ = ["__version__", "compile", "evaluate", "explain", "load", "optimize", "passes", "search", "train"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        return getattr(importlib.import_module("kernelwright.driver.api"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
