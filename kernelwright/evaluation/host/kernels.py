"""Kernels of host code: found in its source, described to the device, and launched there."""

import ast
import inspect
import json
import textwrap
from collections.abc import Callable, Mapping, Sequence
from types import FunctionType, ModuleType
from typing import Any

import triton
import triton.language as tl
from torch import Tensor
from triton.tools.tensor_descriptor import TensorDescriptor

from kernelwright.backend.launch.binding import (
    Autotune,
    BoundLaunch,
    JitNamespace,
    KernelHandle,
    LaunchError,
    is_constexpr,
)
from kernelwright.evaluation.host.descriptors import Shape, rebuilding, taken_apart
from kernelwright.evaluation.host.session import Session
from kernelwright.evaluation.host.withheld import DeviceTensor, Store, reference_to
from kernelwright.evaluation.protocol.kernel_text import undecorated, written_parameters
from kernelwright.evaluation.protocol.link import Json


class _Kernel(KernelHandle):
    """A kernel that says that it is Triton's."""

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        return _JIT_FUNCTION


_JIT_FUNCTION: type = triton.JITFunction
_Kernel.__module__, _Kernel.__name__, _Kernel.__qualname__ = "triton.runtime.jit", "JITFunction", "JITFunction"


class HostKernels:
    """What `triton` means to host code: kernels become descriptions, launches become requests."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.namespace = JitNamespace(self._launch, _Kernel, self._fastest)
        self._described: dict[tuple[int, tuple[Shape, ...]], tuple[KernelHandle, str]] = {}
        self._told: dict[str, str] = {}
        self._tuned: dict[int, KernelHandle] = {}
        self._rounds = 0

    def _launch(self, handle: KernelHandle, bound: BoundLaunch) -> None:
        self._session.launching()
        bound, shapes = taken_apart(bound)
        open_stores = self._published(handle, bound)
        if self._session.drops_launches and not open_stores:
            return
        request = {"do": "launch", "kernel": self._describe(handle, shapes), "public": sorted(open_stores)}
        request |= self._encoded(bound)
        if not open_stores:  # the device has nothing to tell
            self._session.post(request)
            return
        for number in self._session.ask(request)["changed"]:
            open_stores[number].withhold()

    def _fastest(self, handle: KernelHandle, trials: Sequence[BoundLaunch], tuned: Autotune) -> int:
        """Which of an autotuned kernel's launches the device makes fastest; they leave what Triton's would."""
        self._tuned[id(handle)] = handle
        hooked = any(config.pre_hook is not None for config in tuned.configs)
        if hooked or any(isinstance(value, TensorDescriptor) for value in trials[0].arguments.values()):
            return self._rounds % len(trials)  # no trial runs a configuration's hook, which gives descriptors a block
        for bound in trials:
            self._published(handle, bound)
        request = {"do": "tune", "kernel": self._describe(handle), "trials": [self._encoded(one) for one in trials]}
        request |= {"zeroed": list(tuned.zeroed), "restored": list(tuned.restored)}
        return min(int(self._session.ask(request)["best"]), len(trials) - 1)

    def tune_again(self) -> None:
        """Ask anew which configurations are to be launched."""
        self._rounds += 1
        for handle in self._tuned.values():
            handle.forget()

    def _published(self, handle: KernelHandle, bound: BoundLaunch) -> dict[int, Store]:
        """Send what the device has no content of yet: by number, the stores whose content is public."""
        given = {name: value for name, value in bound.arguments.items() if isinstance(value, Tensor)}
        for name, value in given.items():
            if not isinstance(value, DeviceTensor):
                message = f"@{handle.__name__}: pointer argument {name!r} is a tensor on the CPU; move it to the device"
                raise LaunchError(message)
        open_stores = {t.store.number: t.store for t in given.values() if t.store.content is not None}  # type: ignore[attr-defined]
        for store in open_stores.values():
            store.publish()
        return open_stores

    def _encoded(self, bound: BoundLaunch) -> Json:
        """A launch without its kernel, as JSON."""
        return {
            "grid": list(bound.grid),
            "arguments": {name: self._value(value) for name, value in bound.arguments.items()},
            "constexprs": sorted(bound.constexprs),
            "options": {name: self._value(value) for name, value in bound.options.items()},
        }

    def _describe(self, handle: KernelHandle, shapes: tuple[Shape, ...] = ()) -> str:
        """The key under which the device knows a kernel that makes these descriptors; tells of each the first time."""
        place = id(handle), shapes
        if place in self._described:
            return self._described[place][1]
        own = f"{handle.__name__}#{len(self._described)}"
        self._described[place] = handle, own  # it may name itself
        source = _source(handle.fn)
        names = {
            name: self._value(value) for name, value in _free_names(handle.fn, source).items() if value is not handle
        }
        source = rebuilding(source, shapes) if shapes else source
        told = {"symbol": handle.fn.__name__, "source": source, "names": names}
        key = self._told.setdefault(json.dumps(told, sort_keys=True), own)
        self._described[place] = handle, key
        if key == own:
            self._session.written[key] = written_parameters(source)
            self._session.post({"do": "kernel", "key": key, **told})
        return key

    def _value(self, value: Any) -> Json:
        """What a kernel sees, as JSON: a tensor, a number, or something of the Triton language."""
        if isinstance(value, DeviceTensor):
            return {"tensor": reference_to(value).encode()}
        if value is None or isinstance(value, bool | int | float | str):
            return {"value": value} if value == value and value not in (float("inf"), -float("inf")) else _float(value)
        if isinstance(value, tl.constexpr):
            return {"constexpr": self._value(value.value)}
        if isinstance(value, tl.dtype):
            return {"dtype": value.name}
        if isinstance(value, tuple | list):
            return {"tuple": [self._value(item) for item in value]}
        if isinstance(value, KernelHandle):
            return {"kernel": self._describe(value)}
        if isinstance(value, ModuleType):
            return {"module": value.__name__}
        module, name = getattr(value, "__module__", None) or "", getattr(value, "__name__", "")
        if module.startswith("triton.language"):
            return {"language": [module, name]}
        return {"other": type(value).__name__}


def _float(value: Any) -> Json:
    return {"float": repr(float(value))}


def _free_names(fn: Callable[..., Any], source: str) -> Mapping[str, Any]:
    """Globals and closure variables that a kernel's text names, in its body, defaults or annotations."""
    assert isinstance(fn, FunctionType)
    inner = dict(zip(fn.__code__.co_freevars, fn.__closure__ or (), strict=True))
    annotations = fn.__globals__.get("__annotations__", {})
    found: dict[str, Any] = {}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Name) and node.id in inner:
            found[node.id] = inner[node.id].cell_contents
        elif isinstance(node, ast.Name) and node.id in fn.__globals__:
            value = fn.__globals__[node.id]
            found[node.id] = tl.constexpr(value) if is_constexpr(annotations.get(node.id)) else value
    return found


def _source(fn: Callable[..., Any]) -> str:
    """A kernel's source with its decorators blanked out."""
    return undecorated(textwrap.dedent(inspect.getsource(fn)))
