"""What the names in host code hold, statement by statement, found on meta tensors without running a kernel."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from kernelwright.ir.host.statements import Expression, HostCode, Statement, straight_code
from kernelwright.ir.values import KernelModule, TensorSpec

#: Modules whose traces are kept: the passes that are tried on a module all ask for them.
_REMEMBERED = 64


@dataclass(frozen=True)
class HostTrace:
    """The entry of a native launcher: its statements, and what its names hold before each of them."""

    code: HostCode
    before: tuple[Mapping[str, Any], ...]
    globals: Mapping[str, Any]

    @property
    def statements(self) -> Sequence[Statement]:
        """The statements up to the first return, in order."""
        return self.code.statements

    def value(self, index: int, expression: Expression) -> Any:
        """What an expression gives just before a statement: a number, a tuple, a tensor on the meta device."""
        import torch  # late, here and below: a pass is known, and its options are read, without torch

        from kernelwright.backend.launch.execute import RecordingRuntime

        code = compile(expression.text, "<host>", "eval")
        with torch.no_grad(), RecordingRuntime().host_mode():
            return eval(code, dict(self.globals), dict(self.before[index]))

    def spec(self, index: int, expression: Expression) -> TensorSpec | None:
        """The tensor that an expression gives just before a statement; None for what is no tensor of the IR."""
        from torch import Tensor

        from kernelwright.backend.tensors import SHORT_DTYPES, spec_of

        value = self.value(index, expression)
        known = isinstance(value, Tensor) and value.dtype in SHORT_DTYPES
        return spec_of(expression.text, value) if known else None


@lru_cache(maxsize=_REMEMBERED)
def trace_host(m: KernelModule) -> HostTrace | None:
    """The trace; None where the launcher is no native function that runs from top to bottom on any values."""
    if m.launcher is None or m.launcher.form != "function":
        return None
    code = straight_code(m.launcher.source)
    if code is None:
        return None
    import torch

    from kernelwright.backend.launch.execute import RecordingRuntime, bind, host_namespace, meta_arguments

    runtime = RecordingRuntime()
    space = host_namespace(m, runtime)
    values = bind(m, *meta_arguments(m))
    held: dict[str, Any] = {name: values[name] for name in code.parameters}
    before = []
    with torch.no_grad(), runtime.host_mode():
        for statement in code.statements:
            before.append(dict(held))
            if statement.kind == "return":
                break
            try:
                exec(compile(statement.text, "<host>", "exec"), space, held)
            except (NotImplementedError, RuntimeError):  # it needs values, which meta tensors lack
                return None
    return HostTrace(code, tuple(before), space)
