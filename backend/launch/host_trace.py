"""What the names in host code hold, statement by statement, found on meta tensors without running a kernel."""

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kernelwright.ir.values import KernelModule, TensorSpec

#: Statements of host code that runs from top to bottom.
_STRAIGHT = (ast.Assign, ast.Expr, ast.Delete, ast.Return)


@dataclass(frozen=True)
class HostTrace:
    """The entry of a native launcher: its statements, and what its names hold before each of them."""

    entry: ast.FunctionDef
    before: tuple[Mapping[str, Any], ...]
    globals: Mapping[str, Any]

    @property
    def statements(self) -> list[ast.stmt]:
        """The statements up to the first return, in order."""
        return self.entry.body[: len(self.before)]

    def value(self, index: int, expression: ast.expr) -> Any:
        """What an expression gives just before a statement: a number, a tuple, a tensor on the meta device."""
        import torch  # late, here and below: a pass is known, and its options are read, without torch

        from kernelwright.backend.launch.execute import RecordingRuntime

        code = compile(ast.fix_missing_locations(ast.Expression(expression)), "<host>", "eval")
        with torch.no_grad(), RecordingRuntime().host_mode():
            return eval(code, dict(self.globals), dict(self.before[index]))

    def spec(self, index: int, expression: ast.expr) -> TensorSpec | None:
        """The tensor that an expression gives just before a statement; None for what is no tensor of the IR."""
        from torch import Tensor

        from kernelwright.backend.tensors import SHORT_DTYPES, spec_of

        value = self.value(index, expression)
        known = isinstance(value, Tensor) and value.dtype in SHORT_DTYPES
        return spec_of(ast.unparse(expression), value) if known else None


def trace_host(m: KernelModule) -> HostTrace | None:
    """The trace; None where the launcher is no native function that runs from top to bottom on any values."""
    if m.launcher is None or m.launcher.form != "function":
        return None
    body = ast.parse(m.launcher.source).body
    entry = body[-1]
    if len(body) != 1 or not isinstance(entry, ast.FunctionDef):
        return None
    if not all(isinstance(statement, _STRAIGHT) for statement in entry.body):
        return None
    import torch

    from kernelwright.backend.launch.execute import RecordingRuntime, bind, host_namespace, meta_arguments

    runtime = RecordingRuntime()
    space = host_namespace(m, runtime)
    values = bind(m, *meta_arguments(m))
    held: dict[str, Any] = {argument.arg: values[argument.arg] for argument in entry.args.args}
    before = []
    with torch.no_grad(), runtime.host_mode():
        for statement in entry.body:
            before.append(dict(held))
            if isinstance(statement, ast.Return):
                break
            try:
                exec(compile(ast.Module([statement], []), "<host>", "exec"), space, held)
            except (NotImplementedError, RuntimeError):  # it needs values, which meta tensors lack
                return None
    return HostTrace(entry, tuple(before), space)
