"""Inductor's wrapper -> a plain launcher function.

The wrapper is one straight function: allocations, kernel launches, library calls, views, deletions and a
return. `HostProgram.read` finds the kernels' texts and the statements; `HostWriter` rewrites them one by one.
"""

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kernelwright.frontend.inductor.kernel_text import InductorKernel, read_kernel
from kernelwright.ir.errors import LoweringError
from kernelwright.ir.text import text_lines
from kernelwright.ir.trees import syntax_tree

#: Statements of the wrapper that set up streams, devices and checks, by the function they call.
_IGNORED_CALLS = frozenset({"clear", "set_device", "assert_alignment", "synchronize", "get_raw_stream"})

_ALLOCATORS = re.compile(r"empty_strided(_cpu|_cuda)?")

#: Library calls whose out= form aten has under the same name and argument order.
_OUT_CALLS = {"mm": "mm", "bmm": "bmm", "addmm": "addmm", "baddbmm": "baddbmm", "bias_addmm": "addmm"}

_CONVOLUTION = ("stride", "padding", "dilation", "transposed", "output_padding", "groups")


@dataclass(frozen=True)
class HostProgram:
    """The wrapper's kernels by name, its statements, and the names it gives to the graph's inputs."""

    kernels: Mapping[str, InductorKernel]
    statements: Sequence[ast.stmt]
    arguments: tuple[str, ...]

    @classmethod
    def read(cls, text: str) -> "HostProgram":
        """Parse Inductor's output code."""
        tree = syntax_tree(text)
        lines = text_lines(text)
        kernels = {}
        for node in tree.body:
            call = node.value if isinstance(node, ast.Assign) else None
            if isinstance(call, ast.Call) and ast.unparse(call.func) == "async_compile.triton":
                name, source = (ast.literal_eval(argument) for argument in call.args[:2])
                kernels[name] = read_kernel(name, source, _covers(lines, node.lineno))
        call_function = next(
            node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name == "call"
        )
        statements = list(_flat(call_function.body))
        arguments: tuple[str, ...] = ()
        for statement in statements:
            if isinstance(statement, ast.Assign) and ast.unparse(statement.value) == "args":
                target = statement.targets[0]
                parts = target.elts if isinstance(target, ast.Tuple) else [target]
                arguments = tuple(ast.unparse(part) for part in parts)
        return cls(kernels, statements, arguments)


def _flat(body: Sequence[ast.stmt]) -> list[ast.stmt]:
    flat: list[ast.stmt] = []
    for statement in body:
        flat += _flat(statement.body) if isinstance(statement, ast.With) else [statement]
    return flat


def _covers(lines: Sequence[str], lineno: int) -> tuple[str, ...]:
    """The aten operations named in the comment above a kernel."""
    for line in reversed(lines[: lineno - 1]):
        if not line.startswith("#"):
            break
        match = re.search(r"Original ATen: \[(.*?)\]", line)
        if match:
            return tuple(dict.fromkeys(part.strip() for part in match[1].split(",") if part.strip()))
    return ()


class HostWriter(ast.NodeTransformer):
    """Rewrites the wrapper's statements; `names` maps its variables to ours, `taken` holds names in use."""

    def __init__(self, program: HostProgram, names: dict[str, str], taken: set[str], device: str) -> None:
        self.program, self.names, self.taken, self.device = program, names, taken, device
        self.fresh: set[str] = set()
        self.library_results: set[str] = set()
        self.launches: list[tuple[str, list[ast.expr]]] = []

    def write(self) -> list[ast.stmt]:
        """The launcher's statements up to the return; launches are calls of `LAUNCH_<index>`."""
        written: list[ast.stmt] = []
        for statement in self.program.statements:
            written += self._statement(statement)
        return [ast.fix_missing_locations(statement) for statement in written]

    def _statement(self, statement: ast.stmt) -> list[ast.stmt]:
        if isinstance(statement, ast.Return):
            return [ast.Return(self.visit(statement.value))] if statement.value else [statement]
        if isinstance(statement, ast.Delete):
            kept = [t for t in statement.targets if isinstance(t, ast.Name) and t.id.startswith("buf")]
            return [ast.Delete([self.visit(target) for target in kept])] if kept else []
        if isinstance(statement, ast.Expr):
            return self._expression(statement.value)
        if isinstance(statement, ast.Assign):
            return self._assign(statement)
        raise LoweringError(f"Inductor's wrapper holds a statement of no known kind: {ast.unparse(statement):.100}")

    def _expression(self, value: ast.expr) -> list[ast.stmt]:
        if not isinstance(value, ast.Call):
            return []
        name = value.func.attr if isinstance(value.func, ast.Attribute) else ast.unparse(value.func)
        if name == "assert_size_stride":
            return self._layout_check(*value.args[:3])
        if name == "assert_size_stride_grouped":  # from torch 2.14 on
            groups = [group.elts if isinstance(group, ast.Tuple) else [group] for group in value.args[:3]]
            return [check for one in zip(*groups, strict=True) for check in self._layout_check(*one)]
        if name in _IGNORED_CALLS:
            return []
        if name == "run" and isinstance(value.func, ast.Attribute):
            symbol = ast.unparse(value.func.value)
            if symbol not in self.program.kernels:
                raise LoweringError(f"Inductor's wrapper runs {symbol}, which is not a Triton kernel")
            arguments = [self.visit(argument) for argument in value.args]
            self.launches.append((symbol, arguments))
            return [ast.Expr(ast.Name(f"LAUNCH_{len(self.launches) - 1}", ast.Load()))]
        return [ast.Expr(self.visit(value))]

    def _layout_check(self, tensor: ast.expr, sizes: ast.expr, strides: ast.expr) -> list[ast.stmt]:
        """Kernels index a library result by the strides Inductor expects, so it is brought to that layout
        (which costs nothing where it has it already, as it does on the device that was lowered for)."""
        if not (isinstance(tensor, ast.Name) and tensor.id in self.library_results):
            return []
        shape, expected = ast.literal_eval(sizes), ast.literal_eval(strides)
        name = self.names.get(tensor.id, tensor.id)
        axes = [axis for axis, size in enumerate(shape) if size != 1]
        for order, call_text in _layouts(len(shape)):
            layout = _strides_in(order, shape)
            if all(layout[axis] == expected[axis] for axis in axes):
                return syntax_tree(f"{name} = {name}.{call_text}").body
        checks = [f"{name}.stride({axis}) == {expected[axis]}" for axis in axes]
        return syntax_tree(f"assert {' and '.join(checks)}").body

    def _assign(self, statement: ast.Assign) -> list[ast.stmt]:
        target, value = statement.targets[0], statement.value
        text = ast.unparse(value)
        if text == "args" or "get_raw_stream" in text:
            return []
        if not isinstance(target, ast.Name):
            raise LoweringError(f"Inductor's wrapper assigns to {ast.unparse(target)}")
        if isinstance(value, ast.Call):
            called = ast.unparse(value.func)
            if _ALLOCATORS.fullmatch(called):
                self.fresh.add(target.id)
            elif called.startswith(("extern_kernels.", "torch.ops.")):
                self.library_results.add(target.id)
                self._name_result(target.id, called)
        elif isinstance(value, ast.Subscript) and ast.unparse(value.value) in self.library_results:
            self.library_results.add(target.id)
        elif isinstance(value, ast.Constant) and value.value is None:
            return []
        return [ast.Assign([self.visit(target)], self.visit(value))]

    def _name_result(self, variable: str, called: str) -> None:
        parts = [part for part in called.split(".") if part not in ("default", "torch", "ops", "aten")]
        stem = (parts[-1] if called.startswith("extern_kernels") else parts[0]).strip("_")
        stem = f"{stem}_out" if stem in self.taken else stem
        name, number = stem, 1
        while name in self.taken:
            name, number = f"{stem}_{number}", number + 1
        if variable not in self.names:
            self.names[variable] = name
            self.taken.add(name)

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return ast.Name(self.names.get(node.id, node.id), node.ctx)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        called = ast.unparse(node.func)
        if _ALLOCATORS.fullmatch(called):
            sizes, strides, dtype = (ast.unparse(argument) for argument in node.args)
            return _expression(f"torch.empty_strided({sizes}, {strides}, device={self.device}.device, dtype={dtype})")
        if called == "device":
            return _expression(f"{self.device}.device")
        if called == "reinterpret_tensor":
            return self._view(node)
        if called.startswith("extern_kernels."):
            return self._library_call(node, called.removeprefix("extern_kernels."))
        self.generic_visit(node)
        if called.startswith("torch.ops.aten."):
            node.func = _expression(called.removeprefix("torch.ops."))
        return node

    def _view(self, node: ast.Call) -> ast.expr:
        base, sizes, strides, offset = node.args
        tensor = ast.unparse(self.visit(base))
        shape = f"torch.as_strided({tensor}, {ast.unparse(sizes)}, {ast.unparse(strides)}"
        shift = ast.literal_eval(offset)
        if shift == 0:
            return _expression(f"{shape})")
        fresh = isinstance(base, ast.Name) and base.id in self.fresh
        return _expression(f"{shape}, {shift})" if fresh else f"{shape}, {tensor}.storage_offset() + {shift})")

    def _library_call(self, node: ast.Call, name: str) -> ast.expr:
        self.generic_visit(node)
        keywords = {keyword.arg: ast.unparse(keyword.value) for keyword in node.keywords}
        positional = [ast.unparse(argument) for argument in node.args]
        if name == "convolution":
            x, weight, *rest = positional
            bias = rest[0] if rest else keywords.get("bias", "None")
            settings = [keywords[key] for key in _CONVOLUTION]
            return _expression(f"aten.convolution.default({', '.join([x, weight, bias, *settings])})")
        if name in _OUT_CALLS and "out" in keywords:
            scales = [f"{key}={value}" for key in ("beta", "alpha") if (value := keywords.get(key, "1")) != "1"]
            arguments = ", ".join([*positional, *scales, f"out={keywords['out']}"])
            return _expression(f"aten.{_OUT_CALLS[name]}.out({arguments})")
        raise LoweringError(f"Inductor calls the library function {name}, which has no aten form here")


def _expression(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def _layouts(rank: int) -> list[tuple[tuple[int, ...], str]]:
    """(axes from the slowest to the fastest, the call that gives this layout), plain layout first."""
    plain = tuple(range(rank))
    layouts = [(plain, "contiguous()")]
    if rank == 3:
        layouts.append(((0, 2, 1), "transpose(1, 2).contiguous().transpose(1, 2)"))
    name = {4: "channels_last", 5: "channels_last_3d"}.get(rank)
    if name:
        layouts.append(((0, *plain[2:], 1), f"contiguous(memory_format=torch.{name})"))
    return layouts


def _strides_in(order: Sequence[int], shape: Sequence[int]) -> list[int]:
    """Strides, by axis, of a dense tensor whose axes lie in `order`."""
    strides, step = [0] * len(shape), 1
    for axis in reversed(order):
        strides[axis] = step
        step *= max(shape[axis], 1)
    return strides
