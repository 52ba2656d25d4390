"""Inductor's text of a kernel, read; and the key that its replacement is found by.

Two texts have one key where they compute the same from the same arguments: neither the kernel's name nor its place in
a program counts, nor what only says how Inductor would tune it. Where sizes may change from call to call, those of the
first call are among that: a graph has the same keys whichever sizes it is called with first. The versions of torch and
Triton are not in the key; the store keeps them beside it.
"""

import ast
import copy
import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from kernelwright.ir.values import Numerics

#: Says what a kernel is, of the two dictionaries that Inductor writes; the rest is about tuning, debugging and hashes.
#: Which arguments are changed, and which must be zero before a launch, belongs to what a kernel computes.
_TRITON_META = ("signature", "constants", "configs", "enable_fp_fusion", "disable_ftz", "launch_pdl")
ZEROED = ("reset_to_zero", "restore_value")
_INDUCTOR_META = ("grid_type", "mutated_arg_names", "no_x_dim", "atomic_add_found", "library", "layouts", "numerics")
#: Of a device, what generated code depends on. Not its index: all ranks of a job have one key.
_DEVICE = ("type", "cc", "major", "multi_processor_count", "warp_size")
#: Arguments of heuristics that belong to what a kernel computes; the others tune it or say where its text is.
_ARGUMENTS = ("num_stages", "num_warps")
#: The sizes of the first call, rounded up: they belong to what a kernel computes where no size may change.
_HINTS = "size_hints"
#: Heuristics whose kernels are not replaced, and why.
_LEFT_ALONE = {"foreach": "it is a combo kernel", "user_autotune": "it is the program's own Triton kernel"}


class NotReplaceableError(ValueError):
    """A text that is not replaced; the message continues `the kernel is left to Inductor: `."""


@dataclass(frozen=True)
class KernelText:
    """A kernel's text: the call of Inductor's heuristics that decorates it, the function, and its helper functions."""

    source: str
    call: ast.Call
    function: ast.FunctionDef
    helpers: tuple[ast.FunctionDef, ...]

    @property
    def heuristics(self) -> str:
        """The decorator's name, such as `pointwise` or `persistent_reduction`."""
        return ast.unparse(self.call.func).rpartition(".")[2]

    @cached_property
    def arguments(self) -> Mapping[str, ast.expr]:
        """What the heuristics are given, by keyword."""
        return {keyword.arg: keyword.value for keyword in self.call.keywords if keyword.arg is not None}

    def meta(self, name: str) -> dict[str, ast.expr]:
        """`triton_meta` or `inductor_meta`: its values, as expressions, by key."""
        node = self.arguments.get(name)
        if not isinstance(node, ast.Dict):
            return {}
        return {ast.literal_eval(key): value for key, value in zip(node.keys, node.values, strict=True) if key}

    @cached_property
    def signature(self) -> dict[str, str]:
        """Types of all parameters by name: `*fp32` for a pointer, `i32`, `constexpr`."""
        return dict(_literal(self.meta("triton_meta").get("signature"), {}))

    @cached_property
    def parameters(self) -> tuple[str, ...]:
        """What a launch is given, in order; block sizes, which the heuristics choose, are not among it."""
        return tuple(argument.arg for argument in self.function.args.args if argument.annotation is None)

    @property
    def pointers(self) -> tuple[str, ...]:
        """The parameters that are buffers."""
        return tuple(name for name in self.parameters if self.signature.get(name, "").startswith("*"))

    @cached_property
    def mutated(self) -> tuple[str, ...]:
        """The parameters that are read and then written."""
        return tuple(_literal(self.meta("inductor_meta").get("mutated_arg_names"), ()))

    @property
    def library(self) -> str:
        """The call of a library that the text stands for, with its parameters in the place of tensors; "" for a kernel
        of Inductor's."""
        return str(_literal(self.meta("inductor_meta").get("library"), ""))

    @property
    def numerics(self) -> Numerics:
        """What may be TF32 in the library's call."""
        found: Numerics = _literal(self.meta("inductor_meta").get("numerics"), "ieee")
        return found

    @cached_property
    def size_hints(self) -> dict[str, int]:
        """Sizes of the axes, rounded up to powers of two."""
        return dict(_literal(self.arguments.get(_HINTS), {}))

    @cached_property
    def target(self) -> str:
        """What the kernel is compiled for: `sm_90`; `interpreter` on a CPU; "" for what is no GPU of NVIDIA's."""
        fields = _fields(self.meta("triton_meta").get("device"))
        kind, capability = (_literal(fields.get(name), "") for name in ("type", "cc"))
        return {"cuda": f"sm_{capability}", "cpu": "interpreter"}.get(kind, "")

    @property
    def unfixed(self) -> tuple[str, ...]:
        """The parameters whose numbers do not stand in the text: sizes that may change from call to call, offsets."""
        first = {ast.unparse(one.targets[0]) for one in self.function.body if isinstance(one, ast.Assign)}
        return tuple(name for name in self.parameters if name not in self.pointers and name not in first)

    @cached_property
    def key(self) -> str:
        """64 hexadecimal digits."""
        body = copy.deepcopy(self.function)
        body.name, body.decorator_list = "kernel", []
        triton, inductor = self.meta("triton_meta"), self.meta("inductor_meta")
        content = [
            self.heuristics,
            _chosen(self.arguments, _ARGUMENTS if self.unfixed else (_HINTS, *_ARGUMENTS)),
            _chosen(triton, _TRITON_META + ZEROED),
            _chosen(inductor, _INDUCTOR_META),
            _device(triton.get("device")),
            *(ast.unparse(helper) for helper in self.helpers),
            ast.unparse(body),
        ]
        return hashlib.sha256(json.dumps(content).encode()).hexdigest()

    @property
    def sized_key(self) -> str:
        """The key, and where sizes may change, those of the first call, rounded up: one text for several such sizes is
        searched for each of them."""
        return "-".join([self.key, *(f"{axis}{size}" for axis, size in self.size_hints.items() if self.unfixed)])


def read(source: str) -> KernelText:
    """The kernel that a text for `async_compile.triton` defines; NotReplaceableError where it is to be left alone."""
    try:
        functions = [node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)]
    except SyntaxError as error:
        raise NotReplaceableError(f"its text is no Python ({error.msg}, line {error.lineno})") from error
    for function in functions:
        for decorator in function.decorator_list:
            if isinstance(decorator, ast.Call) and ast.unparse(decorator.func).startswith("triton_heuristics."):
                helpers = tuple(one for one in functions if one is not function)
                kernel = KernelText(source, decorator, function, helpers)
                if why := _LEFT_ALONE.get(kernel.heuristics):
                    raise NotReplaceableError(why)
                return kernel
    raise NotReplaceableError("its text has no kernel under Inductor's heuristics")


def loaded_kernels(tree: ast.Module) -> Iterator[tuple[str, KernelText]]:
    """The kernels that a program loads and that may be replaced, with their names there."""
    for node in ast.walk(tree):
        match node:
            case ast.Assign(
                targets=[ast.Name(id=name)],
                value=ast.Call(func=ast.Attribute(attr="triton"), args=[_, ast.Constant(value=str(source)), *_]),
            ):
                with suppress(NotReplaceableError):
                    yield name, read(source)


def changed(meta: Mapping[str, ast.expr], **values: object) -> str:
    """The text of one of Inductor's dictionaries with other values."""
    kept = {name: ast.unparse(value) for name, value in meta.items()} | {k: repr(v) for k, v in values.items()}
    return "{" + ", ".join(f"{name!r}: {value}" for name, value in kept.items()) + "}"


def is_library(source: str) -> bool:
    """Whether a text stands for the call of a library."""
    try:
        return "'library'" in source and bool(read(source).library)
    except NotReplaceableError:
        return False


def accesses(kernel: KernelText) -> tuple[set[str], set[str]]:
    """The pointers that are loaded from before anything is stored there, and those that are stored to."""
    loaded, stored = set[str](), set[str]()
    for call in (node for node in ast.walk(kernel.function) if isinstance(node, ast.Call) and node.args):
        name = ast.unparse(call.func)
        names = {one.id for one in ast.walk(call.args[0]) if isinstance(one, ast.Name)} & set(kernel.pointers)
        if name == "tl.load":
            loaded |= names
        elif name == "tl.store" or name.startswith("tl.atomic"):
            stored |= names
            loaded |= names if name.startswith("tl.atomic") else set()
    return loaded, stored


def _literal(node: ast.expr | None, default: Any) -> Any:
    return default if node is None else ast.literal_eval(node)


def _chosen(values: Mapping[str, ast.expr], names: tuple[str, ...]) -> list[tuple[str, str]]:
    return [(name, ast.unparse(values[name])) for name in names if name in values]


def _device(node: ast.expr | None) -> list[tuple[str, str]]:
    """What of `DeviceProperties(...)` belongs to the key; of a CPU, where kernels are interpreted, only that it is."""
    fields = _fields(node)
    return _chosen(fields, ("type",) if _literal(fields.get("type"), "") == "cpu" else _DEVICE)


def _fields(node: ast.expr | None) -> dict[str, ast.expr]:
    keywords = node.keywords if isinstance(node, ast.Call) else []
    return {keyword.arg: keyword.value for keyword in keywords if keyword.arg is not None}
