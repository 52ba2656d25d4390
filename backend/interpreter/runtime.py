"""Run a module's kernels on the CPU with every access checked.

Works in any process, whether or not TRITON_INTERPRET is set. While a kernel runs, `triton.language` is patched for
the whole process: compile nothing in other threads meanwhile.
"""

import functools
import inspect
import linecache
import math
from bisect import bisect_right, insort
from collections.abc import Callable, Mapping
from types import FrameType, FunctionType, TracebackType
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
import torch
import triton.language as tl
from numpy.typing import NDArray
from torch import Tensor

from kernelwright.backend.interpreter import rewrite
from kernelwright.backend.interpreter.addresses import Addresses
from kernelwright.backend.interpreter.memory import AddressSpace
from kernelwright.backend.interpreter.races import Races
from kernelwright.backend.interpreter.waiting import Watch
from kernelwright.backend.launch.binding import BoundLaunch, JitNamespace, KernelHandle
from kernelwright.backend.launch.faults import (
    AccessError,
    KernelError,
    KernelFault,
    Place,
    UninitialisedReadError,
    UnsupportedByInterpreter,
)
from kernelwright.backend.reference.device_mode import DeviceMode
from kernelwright.backend.tensors import UNFILLED, poison
from kernelwright.ir.errors import UserError

if TYPE_CHECKING:
    from kernelwright.backend.interpreter.grid import Body
    from kernelwright.backend.interpreter.language import Language

__all__ = [
    "AccessError",
    "InterpreterRuntime",
    "KernelError",
    "KernelFault",
    "UninitialisedReadError",
    "UnsupportedByInterpreter",
]

#: Where jit functions start: file name -> sorted (first line, name).
_STARTS: dict[str, list[tuple[int, str]]] = {}


class _Kernel(KernelHandle):
    """A jit function: launched from host code, or called inside a kernel."""

    def __init__(self, fn: Callable[..., Any], run: Callable[[KernelHandle, BoundLaunch], None]) -> None:
        super().__init__(fn, run)
        insort(_STARTS.setdefault(fn.__code__.co_filename, []), (fn.__code__.co_firstlineno, fn.__name__))

    @functools.cached_property
    def body(self) -> Callable[..., Any]:
        """The rewritten function."""
        return _rewritten(self.fn)

    @functools.cached_property
    def waits(self) -> bool:
        """Whether it may wait for what another program does: it loops until something holds, here or in a helper."""
        return rewrite.has_while(self.fn)

    @functools.cached_property
    def dtypes(self) -> Mapping[str, Any]:
        """Parameters that are annotated with a type of Triton's."""
        parameters = inspect.signature(self.fn).parameters.values()
        return {item.name: item.annotation for item in parameters if isinstance(item.annotation, tl.dtype)}

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if patched_language().builder.memory is None:
            return super().__call__(*args, **kwargs)
        return self.body(*args, **kwargs)


class _Helper:
    """A jit function of Triton's own library."""

    def __init__(self, fn: Callable[..., Any]) -> None:
        self.fn = fn

    @functools.cached_property
    def body(self) -> Callable[..., Any]:
        """The rewritten function."""
        return _rewritten(self.fn)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.body(*args, **kwargs)


@functools.cache
def patched_language() -> "Language":
    """Triton's language; raises UnsupportedVersionError where Triton lacks what interpreting needs."""
    from kernelwright.backend.interpreter.language import Language

    return Language(_Helper)


def _rewritten(fn: Callable[..., Any]) -> Callable[..., Any]:
    """The function as the interpreter runs it; called while the language is patched, since it keeps its globals."""
    names = {**patched_language().builtins(), **fn.__globals__, **patched_language().bindings()}
    exec(rewrite.rewritten_code(fn), names)
    body = names[fn.__name__]
    assert isinstance(body, FunctionType)
    names[fn.__name__] = fn.__globals__.get(fn.__name__)
    return body


class HostMode(DeviceMode):
    """Host code on the runtime's device; kernels that it launches see their tensors as they are."""

    def __init__(self, runtime: "InterpreterRuntime") -> None:
        super().__init__(runtime.device)
        self._runtime = runtime

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        if self._runtime.in_kernel:
            return func(*args, **(kwargs or {}))
        return super().__torch_function__(func, types, args, kwargs)


class _WatchingMode(HostMode):
    """Host code on the CPU, its fresh allocations poisoned and, where asked, followed."""

    def called(self, func: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any], result: Any) -> Any:
        name = getattr(func, "__name__", "").split(".")[0]
        if name in UNFILLED and isinstance(result, Tensor):
            self._runtime.allocated(result)
        elif name.endswith("_"):
            self._runtime.wrote(args[:1])
        if "out" in kwargs:
            self._runtime.wrote((kwargs["out"],))
        return result


class InterpreterRuntime:
    """Kernels interpreted as if one program ran after another, tensors on the CPU.

    Host code's `torch.empty` gives NaN (for integers, a number far out of any range); `check_uninitialised` also
    refuses loads of elements nobody wrote, `check_races` accesses whose order is left to chance. A load that names no
    `other` gives far-out numbers and NaN where its mask is off, or `zeros`. Raises AccessError, UninitialisedReadError,
    KernelError or UnsupportedByInterpreter from a launch, LaunchError for what Triton would
    refuse to launch; made with a Triton that cannot interpret, UnsupportedVersionError.
    """

    def __init__(self, check_uninitialised: bool = False, check_races: bool = False, zeros: bool = False) -> None:
        patched_language()
        self.device = torch.device("cpu")
        self.triton = JitNamespace(self._launch, _Kernel)
        self.check_uninitialised, self.check_races, self._zeros = check_uninitialised, check_races, zeros
        self.in_kernel = False
        #: Not 0: programs that use atomics run in another order, last first or mixed (of 3, 7, 11 and so on), or go on
        #: after an atomic when others have (of 5, 13 and so on); and reductions combine what a GPU's threads would. A
        #: program that waits for another one goes on later.
        self.turned = 0
        #: What kernels see that look at addresses.
        self.addresses = Addresses()
        self._written: dict[int, tuple[Tensor, NDArray[np.bool_]]] = {}

    def host_mode(self) -> Any:
        """Host code sees CUDA and gets CPU tensors."""
        self._written.clear()
        return _WatchingMode(self)

    def allocated(self, tensor: Tensor) -> None:
        """Host code made a tensor without values."""
        poison(tensor)
        if self.check_uninitialised:
            written = np.zeros(tensor.untyped_storage().nbytes(), dtype=np.bool_)
            self._written[tensor.untyped_storage().data_ptr()] = (tensor, written)

    def wrote(self, values: tuple[Any, ...]) -> None:
        """Host code wrote to these tensors (counted as wholly written)."""
        for value in values:
            if isinstance(value, Tensor):
                self._written.pop(value.untyped_storage().data_ptr(), None)

    def _launch(self, handle: KernelHandle, bound: BoundLaunch) -> None:
        from kernelwright.backend.interpreter.grid import run_grid

        assert isinstance(handle, _Kernel)
        fault = functools.partial(raise_access, handle)
        memory = AddressSpace(fault, Races() if self.check_races and math.prod(bound.grid) < 1 << 31 else None)
        memory.turned, memory.zeros, memory.addresses = self.turned, self._zeros, self.addresses
        memory.watch = Watch() if handle.waits else None
        self.interpret(handle, bound, memory, lambda body: run_grid(body, bound.grid, patched_language().builder))

    def interpret(
        self, handle: KernelHandle, bound: BoundLaunch, memory: AddressSpace, run: "Callable[[Body], None]"
    ) -> None:
        """Let `run` run a launch's programs in `memory`, which is given the tensors among the arguments."""
        assert isinstance(handle, _Kernel)
        language = patched_language()
        self.in_kernel = True
        try:
            with language.active(), np.errstate(all="ignore"):
                language.builder.memory = memory
                arguments = {name: self._argument(name, bound, handle, memory) for name in bound.arguments}
                run(functools.partial(handle.body, **arguments))
        except (KernelFault, UserError):
            raise
        except NotImplementedError as error:
            raise UnsupportedByInterpreter(_place_of(handle, error.__traceback__), str(error)) from error
        except Exception as error:
            message = f"{type(error).__name__}: {error}"
            raise KernelError(_place_of(handle, error.__traceback__), message) from error
        finally:
            self.in_kernel = False
            language.builder.memory = None

    def _argument(self, name: str, bound: BoundLaunch, handle: _Kernel, memory: AddressSpace) -> Any:
        value = bound.arguments[name]
        language = patched_language()
        if isinstance(value, Tensor):
            from kernelwright.backend.interpreter.guarded import ELEMENTS

            if value.device.type != self.device.type or value.dtype not in ELEMENTS:
                wanted = self.device.type.upper() if self.device.type == "cpu" else self.device.type
                raise UserError(f"@{handle.__name__}: {name} is {value.dtype} on {value.device}; give {wanted} tensors")
            storage = value.untyped_storage()
            _, written = self._written.get(storage.data_ptr(), (None, None))
            return language.pointer(memory.add(name, value, written), value.dtype)
        if name in bound.constexprs:
            return value
        return language.argument(value, handle.dtypes.get(name))


def _place(handle: KernelHandle, filename: str, line: int) -> Place:
    starts = _STARTS.get(filename, [])
    at = bisect_right(starts, (line, chr(0x10FFFF))) - 1
    first, function = starts[at] if at >= 0 else (1, handle.__name__)
    text = linecache.getline(filename, line).strip()
    return Place(handle.__name__, function, line - first + 1, text, patched_language().builder.grid_idx)


def _place_of(handle: KernelHandle, traceback: TracebackType | None) -> Place:
    """The innermost line of the module's own code."""
    filename = handle.fn.__code__.co_filename
    line = handle.fn.__code__.co_firstlineno
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename in _STARTS:
            filename, line = traceback.tb_frame.f_code.co_filename, traceback.tb_lineno
        traceback = traceback.tb_next
    return _place(handle, filename, line)


def raise_access(
    handle: KernelHandle, tensor: str, offset: int, access: str, extent: tuple[int, int], message: str, unset: bool
) -> NoReturn:
    filename = handle.fn.__code__.co_filename
    frame: FrameType | None = inspect.currentframe()
    while frame is not None and frame.f_code.co_filename not in _STARTS:
        frame = frame.f_back
    if frame is not None:
        filename = frame.f_code.co_filename
    place = _place(handle, filename, frame.f_lineno if frame else handle.fn.__code__.co_firstlineno)
    kind = UninitialisedReadError if unset else AccessError
    raise kind(place, tensor, offset, access, extent, message)
