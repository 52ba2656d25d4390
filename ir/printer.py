"""A module as Python text that runs, headed by its provenance; `parser.parse_module` reads it back."""

import ast
import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from kernelwright.ir.dialect.tables import TYPING_NAMES
from kernelwright.ir.trees import syntax_tree, walk
from kernelwright.ir.values import Kernel, KernelModule, Record, Reference, ScalarSpec, TensorSpec

FORMAT = 1
#: First line of the text form.
HEADING = f"# kernelwright module {FORMAT}"

_WIDTH = 100


def print_module(module: KernelModule) -> str:
    """The module's text, ending in a newline; it needs only torch and triton to run."""
    sections = ["\n".join([*_heading(module), *import_lines(module)]), "aten = torch.ops.aten"]
    text = "\n\n".join([*sections, _reference(module.reference)])
    parts = [text, _constants(module.constants)] if module.constants else [text]
    parts += [print_kernel(kernel) for kernel in module.kernels]
    if module.launcher is not None:
        parts.append(module.launcher.source)
    return "\n\n\n".join(parts) + "\n"


def _constants(sources: Sequence[str]) -> str:
    """Assignments line by line, functions that give configurations with room around them."""
    text = ""
    for before, source in zip(("", *sources), sources, strict=False):
        apart = any(one.startswith(("def ", "@")) for one in (before, source))
        text += source if not text else ("\n\n\n" if apart else "\n") + source
    return text


def print_kernel(kernel: Kernel) -> str:
    """A kernel with the comment saying what it covers above it and its launch options below it."""
    lines = [f"# covers: {', '.join(kernel.covers)}"] if kernel.covers else []
    lines.append(kernel.source)
    if kernel.meta:
        lines.append(f"\n{kernel.meta_name} = {literal(dict(kernel.meta))}")
    return "\n".join(lines)


def literal(value: Any) -> str:
    """A value as text that `ast.literal_eval` reads back: double quotes, infinities as `1e999`."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{literal(key)}: {literal(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        items = [literal(item) for item in value]
        short = f"[{', '.join(items)}]"
        return short if len(short) < _WIDTH else "[\n" + "".join(f"        {i},\n" for i in items) + "    ]"
    if isinstance(value, str):
        return f'"{value}"' if value.isprintable() and not set(value) & {'"', "\\"} else repr(value)
    return repr(value).replace("inf", "1e999") if isinstance(value, float) else repr(value)


def header_text(text: str) -> str:
    """A header value as it stands after `# name: `: plain where that is one clean line, else JSON."""
    plain = text.isprintable() and text == text.strip() and text and not text.startswith('"')
    return text if plain else json.dumps(text)


def _heading(module: KernelModule) -> list[str]:
    lines = [HEADING, f"# name: {header_text(module.name)}"]
    if module.target is not None:
        lines.append(f"# target: {header_text(module.target)}")
    lines.append(f"# level: {module.level}  digest: {module.digest[:12]}")
    return lines + [f"# record: {json.dumps(_given(record))}" for record in module.provenance]


def _given(record: Record) -> dict[str, Any]:
    """A record's fields but those at their defaults."""
    blank = asdict(Record(record.pass_spec, record.parent))
    fields = asdict(record)
    required = ("pass_spec", "parent")
    return {name: value for name, value in fields.items() if name in required or repr(value) != repr(blank[name])}


def import_lines(module: KernelModule, *, as_class: bool = False) -> list[str]:
    """The imports that a module's text needs; `as_class`: it is printed as a `torch.nn.Module`."""
    launcher = [] if module.launcher is None else [module.launcher.source]
    used = {name for text in (*module.constants, *launcher) for name in _names(text)}
    in_kernels = {name for kernel in module.kernels for name in _names(kernel.source)}
    is_class = as_class or (module.launcher is not None and module.launcher.form == "class")
    typing_names = sorted(TYPING_NAMES & used)
    standard = ["import math"] if is_class or "math" in used else []
    standard += [f"from typing import {', '.join(typing_names)}"] if typing_names else []
    torch = ["import torch"]
    torch += ["import torch.nn as nn"] if is_class or "nn" in used else []
    torch += ["import torch.nn.functional as F"] if "F" in used else []
    torch += ["from torch import Tensor"] if "Tensor" in used else []
    triton = ["import triton", "import triton.language as tl"]
    triton += ["from triton.language.extra import libdevice"] if "libdevice" in in_kernels else []
    return [*standard, *([""] if standard else []), *torch, *triton]


def _names(text: str) -> set[str]:
    try:
        tree = syntax_tree(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # the verifier says so in its own words
        return set()
    return {node.id for node in walk(tree) if isinstance(node, ast.Name)}


def _spec(spec: TensorSpec | ScalarSpec) -> str:
    return f"{spec.name}: {spec.annotation if isinstance(spec, TensorSpec) else repr(spec.value)}"


def _reference(reference: Reference) -> str:
    fields: dict[str, Any] = {
        "entry": reference.entry,
        "inputs": [_spec(spec) for spec in reference.inputs],
        "state": [f"{spec.path} -> {_spec(spec.tensor)}" for spec in reference.state],
        "outputs": [_spec(spec) for spec in reference.outputs],
        "returns": reference.returns,
        "tolerance": asdict(reference.tolerance),
        "shrunken": reference.shrunken,
    }
    if reference.numerics != "ieee":
        fields["numerics"] = reference.numerics
    lines = [f'    "{name}": {literal(value)},' for name, value in fields.items()]
    return "\n".join(["REFERENCE = {", *lines, f'    "source": {source_literal(reference.source)},', "}"])


def source_literal(source: str) -> str:
    """A triple-quoted literal where that says the same, else an escaped one."""
    readable = all(char.isprintable() or char in "\n\t" for char in source)
    text = source.replace("\\", "\\\\").replace("'''", r"\'\'\'")
    text = f"'''\\\n{text}'''"
    if readable and _means(text, source):
        return text
    return repr(source)


def _means(text: str, value: str) -> bool:
    try:
        return bool(ast.literal_eval(text) == value)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
