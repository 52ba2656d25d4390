"""Kernels of the store for use elsewhere: a Python package, or a folder that the library `kernels` loads.

Both need only torch and Triton. Each kernel is a function on tensors, which checks that they are what it was made for.
"""

import ast
import base64
import hashlib
import json
import keyword
import re
import shutil
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kernelwright.backend.emit import code_parts, held_tensor
from kernelwright.backend.store.entry import Entry
from kernelwright.ir.errors import UserError
from kernelwright.ir.parser import parse_module
from kernelwright.ir.printer import import_lines
from kernelwright.ir.values import DTYPES, KernelModule, Launcher, TensorSpec

_CHECK = '''
def check(made_for, **tensors):
    """ValueError for a tensor of another dtype, size or layout than the kernel was verified with."""
    for name, tensor in tensors.items():
        dtype, shape, strides = made_for[name]
        if tensor.dtype != dtype or tuple(tensor.shape) != shape:
            found = f"{tensor.dtype} of shape {tuple(tensor.shape)}"
            raise ValueError(f"{name}: the kernel takes {dtype} of shape {shape}, and this is {found}")
        if any(one != other and size != 1 for one, other, size in zip(strides, tensor.stride(), shape)):
            raise ValueError(f"{name}: the kernel takes strides {strides}, and these are {tensor.stride()}")
        if tensor.requires_grad and torch.is_grad_enabled():
            raise ValueError(f"{name}: the kernel has no gradient; call it under torch.no_grad(), or detach the tensor")
'''
#: Names that the package's own files use.
_TAKEN = ("check", "layers", "nn", "torch")
_NAME = re.compile("[a-z][a-z0-9_]*[a-z0-9]")


@dataclass(frozen=True)
class Function:
    """One kernel of a package: the function's name, its entry, and the module that the function runs."""

    name: str
    entry: Entry
    module: KernelModule

    @property
    def file(self) -> str:
        """The file that holds it, without the ending."""
        return f"_{self.name}"

    @property
    def layer(self) -> str:
        """The class that stands for it in a model."""
        return "".join(part.capitalize() for part in self.name.split("_"))

    @property
    def arguments(self) -> tuple[TensorSpec, ...]:
        """What the function takes: the inputs, then the weights."""
        return self.module.reference.tensors


def functions(entries: Iterable[Entry]) -> list[Function]:
    """The kernels of some entries, under names of their own. Raises UserError for one that cannot be exported."""
    made: dict[str, Function] = {}
    for entry in entries:
        short = entry.digest[:12]
        if entry.kind != "replacement":
            raise UserError(f"entry {short} says that {entry.operation} is wrong; there is no kernel to export")
        if not entry.trusted:
            raise UserError(f"entry {short} was imported and not judged; run `kernelwright store verify` first")
        module = parse_module(entry.module)
        if module.launcher is None or module.launcher.form != "function":
            raise UserError(f"entry {short} has no function on tensors; it cannot be exported")
        wanted = re.sub(r"\W", "_", entry.name).strip("_") or f"kernel_{entry.key[:8]}"
        name, number = wanted, 2
        while name in made or name in _TAKEN or keyword.iskeyword(name):
            name, number = f"{wanted}_{number}", number + 1
        made[name] = Function(name, entry, module)
    if not made:
        raise UserError("there is no kernel to export")
    return list(made.values())


def write_package(given: Sequence[Function], folder: Path, name: str) -> None:
    """Write a package that `pip install FOLDER` installs. Raises UserError where the folder is there already."""
    check_name(name)
    project = f"""[build-system]
requires = ["setuptools>=61"]
build-backend = "setuptools.build_meta"

[project]
name = "{name.replace("_", "-")}"
version = "0.1.0"
description = "Triton kernels made and verified by Kernelwright"
readme = "README.md"
requires-python = ">=3.10"
dependencies = ["torch", "triton; platform_system == 'Linux'"]

[tool.setuptools]
packages = ["{name}"]
"""
    files = {"pyproject.toml": project, "README.md": _readme(given, name)}
    _write(folder, files | {f"{name}/{path}": text for path, text in _modules(given).items()})


def write_hub_folder(given: Sequence[Function], folder: Path, name: str) -> None:
    """Write a repository as the library `kernels` loads it: `get_local_kernel(FOLDER)`, or `kernelize`.

    There is a layer for each kernel in `layers`. Raises UserError where the folder is there already.
    """
    check_name(name)
    targets = sorted({one.entry.target for one in given})
    if len(targets) > 1:
        raise UserError(f"the kernels are for {' and '.join(targets)}; name one of them with target=")
    files = _modules(given) | {"layers.py": _layers(given)}
    files["__init__.py"] = files["__init__.py"].replace("from ._f", "from . import layers\nfrom ._f", 1)
    content = hashlib.sha256(json.dumps(files, sort_keys=True).encode()).hexdigest()
    written = {"README.md": _readme(given, name)}
    for backend in _backends(targets[0]):
        metadata = {
            "id": f"_{name}_{backend['type']}_{content[:12]}",
            "name": name.replace("_", "-"),
            "version": 1,
            "license": "Apache-2.0",
            "python-depends": [],
            "backend": backend,
            "digest": {"algorithm": "sha256", "files": {path: _base64(text) for path, text in files.items()}},
        }
        variant = files | {"metadata.json": json.dumps(metadata, indent=2) + "\n"}
        written |= {f"build/torch-{backend['type']}/{path}": text for path, text in variant.items()}
    _write(folder, written)


def _backends(target: str) -> list[dict[str, Any]]:
    """The backends of PyTorch that load a kernel, as `kernels` writes them. Triton's interpreter runs under any."""
    if architecture := re.fullmatch(r"sm_(\d+)(\d)", target):
        return [{"type": "cuda", "archs": [".".join(architecture.groups())]}]
    return [{"type": "cpu"}, {"type": "cuda"}]


def check_name(name: str) -> None:
    """UserError for what cannot be a package's name."""
    if not _NAME.fullmatch(name) or keyword.iskeyword(name):
        raise UserError(f"name={name}: a package's name has small letters, digits and underscores; give another")


def _modules(given: Sequence[Function]) -> dict[str, str]:
    """The Python files of a package: path -> text."""
    names = ", ".join(one.name for one in given)
    listed = "".join(f'    "{one.name}",\n' for one in given)
    start = f"from ._functions import {names}\n\n__all__ = [\n{listed}]\n"
    modules = "\n".join(["import torch", "", *(f"from . import {one.file}" for one in given)])
    parts = ['"""Functions on tensors, which check what they are given."""\n', modules, _CHECK, *map(_function, given)]
    files = {"__init__.py": f'"""Triton kernels that Kernelwright made and verified."""\n\n{start}'}
    files["_functions.py"] = "\n".join(parts)
    for one in given:
        imports = "\n".join([*import_lines(one.module), "", "aten = torch.ops.aten"])
        files[f"{one.file}.py"] = "\n\n\n".join([_docstring(one), imports, *code_parts(one.module)]) + "\n"
    return files


def _function(one: Function) -> str:
    """The function that checks its arguments and runs a kernel; it gives a tensor, or a tuple of several."""
    module, launcher, names = one.module, one.module.launcher, [spec.name for spec in one.arguments]
    assert launcher is not None
    given = ", ".join(f"{name}={name}" for name in _parameters(launcher))
    called = f"{one.file}.{launcher.entry}({given})"
    wanted = [f'    "{spec.name}": (torch.{_dtype(spec)}, {spec.shape}, {spec.strides}),' for spec in one.arguments]
    made_for = f"{one.name.upper()}_MADE_FOR"
    body = [f"    return {called}"]
    if names:  # Triton launches on the current device
        body = [
            f"    check({made_for}, {', '.join(f'{name}={name}' for name in names)})",
            f"    with torch.cuda.device_of({names[0]}):",
            f"        return {called}",
        ]
    outputs = ", ".join(spec.annotation for spec in module.reference.outputs)
    head = [f"def {one.name}({', '.join(names)}):", f'    """Gives {outputs}."""']
    return "\n".join(["", f"{made_for} = {{", *wanted, "}", "", "", *head, *body, ""])


def _layers(given: Sequence[Function]) -> str:
    """The layers that `kernelize` puts in the place of a model's own: their weights are those of the model."""
    parts = ['"""A layer for each kernel, for inference."""\n\nfrom torch import nn\n\nfrom . import _functions\n']
    for one in given:
        reference = one.module.reference
        inputs = [spec.name for spec in reference.inputs]
        tensors = [spec.name for spec in reference.inputs if isinstance(spec, TensorSpec)]
        passed = ", ".join([*tensors, *(held_tensor("self", spec.path) for spec in reference.state)])
        parts.append(f"""
class {one.layer}(nn.Module):
    has_backward = False
    can_torch_compile = False

    def forward({", ".join(["self", *inputs])}):
        return _functions.{one.name}({passed})
""")
    return "\n".join(parts)


def _parameters(launcher: Launcher) -> list[str]:
    tree = ast.parse(launcher.source)
    entry = next(node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == launcher.entry)
    return [argument.arg for argument in entry.args.args]


def _dtype(spec: TensorSpec) -> str:
    return DTYPES[spec.dtype][0]


def _docstring(one: Function) -> str:
    entry = one.entry
    lines = [
        f"{one.name}: a Triton kernel that Kernelwright made and verified.",
        "",
        f"For {entry.target}, with {entry.versions}; it stands for Inductor's kernel {entry.key}.",
        f"Certificate: {json.dumps(dict(entry.certificate), sort_keys=True)}",
    ]
    text = "\n".join(lines).replace("\\", "\\\\").replace('"""', "'''")
    return f'"""{text}\n"""'


def _readme(given: Sequence[Function], name: str) -> str:
    rows = []
    for one in given:
        arguments = ", ".join(f"{spec.name}: {spec.annotation}" for spec in one.arguments)
        outputs = ", ".join(spec.annotation for spec in one.module.reference.outputs)
        rows.append(f"| `{one.name}` | `{arguments}` | `{outputs}` | {one.entry.target} |")
    head = "| function | arguments | gives | target |\n|---|---|---|---|"
    return f"""# {name}

Triton kernels that Kernelwright made and verified. They need torch and Triton. Each function takes tensors of exactly
the dtypes, sizes and strides in the table, and has no gradient.

{head}
{chr(10).join(rows)}
"""


def _base64(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _write(folder: Path, files: Mapping[str, str]) -> None:
    """Write all files, or none: a folder of that name appears when they are there."""
    if folder.exists():
        raise UserError(f"{folder} is there already; remove it, or name another folder")
    try:
        folder.absolute().parent.mkdir(parents=True, exist_ok=True)
        partial = Path(tempfile.mkdtemp(dir=folder.absolute().parent, prefix=f".{folder.name}."))
        try:
            for name, text in files.items():
                path = partial / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, "utf-8")
            partial.chmod(0o755)
            partial.replace(folder)
        except BaseException:
            shutil.rmtree(partial, ignore_errors=True)
            raise
    except OSError as error:
        raise UserError(f"{folder} cannot be written ({error.strerror}); name another folder") from None
