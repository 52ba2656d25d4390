"""The adapter of Inductor's private names by which its kernels are seen as they are made, and replaced as they load.

`versions.TRIED` has the releases that it was tried with. Three methods of Inductor's classes have others in their place
while a caller of `observing` or `choosing` is at work in some thread. They act in that caller's context alone: plain
Inductor beside it, in the same process, runs as ever. A callback that fails costs one warning, never a compile.
"""

import inspect
import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from types import ModuleType
from typing import Any, NamedTuple, Protocol

from kernelwright.backend.versions import adapting, parameters

with adapting("swapping kernels", "torch", "triton"):
    from torch._inductor.async_compile import AsyncCompile
    from torch._inductor.codecache import CodeCacheFuture, PyCodeCache
    from torch._inductor.codegen.triton import TritonScheduling
    from torch._inductor.utils import Placeholder

    parameters(TritonScheduling.define_kernel, "src_code", "node_schedule", "kernel")
    parameters(AsyncCompile.triton, "kernel_name", "source_code", "device_str")
    parameters(CodeCacheFuture.result, "self")
    parameters(PyCodeCache.load_by_key_path, "key", "path", "attrs")
    Placeholder.KERNEL_NAME, Placeholder.DESCRIPTIVE_NAME  # noqa: B018

log = logging.getLogger("kernelwright.swap")


@dataclass(frozen=True)
class Generated:
    """A kernel that Inductor wrote: its name and text as they will be loaded, the scheduler's nodes that it computes,
    and Inductor's kernel object, whose `args` tell buffers from parameters. `virtualized.V.graph` is its graph."""

    name: str
    source: str
    node_schedule: Sequence[Any]
    kernel: Any


class Launchable(Protocol):
    """What stands in a kernel's place: launched with the arguments that Inductor's kernel is given."""

    run: Callable[..., Any]


@dataclass(frozen=True)
class Within:
    """What is loaded for some launches: `which` gives, for the arguments of one, the place in `chosen` of what is
    launched, and their number where Inductor's own kernel is."""

    chosen: Sequence["str | Launchable"]
    which: Callable[[Sequence[Any]], int]


class OneOf:
    """One of several kernels is launched, by the arguments of the launch; Inductor's own is the last one."""

    def __init__(self, kernels: Sequence[Launchable], which: Callable[[Sequence[Any]], int]) -> None:
        self.kernels, self.which = list(kernels), which
        self.run: Callable[..., Any] = self._launch

    def _launch(self, *arguments: Any, **options: Any) -> Any:
        return self.kernels[self.which(arguments)].run(*arguments, **options)


#: Another text in Inductor's own form whose kernel has the same name, an object to launch, some of them for some
#: launches, or None: Inductor's own.
Chosen = str | Launchable | Within | None
#: Gives what is loaded, for a kernel's name and text that are about to be loaded. It is asked twice for a kernel that
#: is compiled early, in another process, and then loaded.
Chooser = Callable[[str, str], Chosen]
#: Told each program that is loaded, and each module of a kernel.
Loaded = Callable[[ModuleType], object]
#: Told a kernel's name and text, and what went wrong with the one chosen for it; Inductor's own runs from there on.
Failed = Callable[[str, str, Exception], None]

_observers: ContextVar[tuple[Callable[[Generated], None], ...]] = ContextVar("observers", default=())


class _Asked(NamedTuple):
    """Who is asked and told within `choosing`."""

    choose: Chooser
    failed: Failed | None
    loaded: Loaded | None


_chooser: ContextVar[_Asked | None] = ContextVar("chooser", default=None)
#: Whether Inductor is writing a kernel, and may have it compiled early.
_writing: ContextVar[bool] = ContextVar("writing", default=False)


@contextmanager
def observing(callback: Callable[[Generated], None]) -> Iterator[None]:
    """Within it, in this context, the callback is given each kernel that Inductor writes, a repeated one each time.

    Graphs for gradients may be compiled later and in another thread, where this context is not: see `plain.Inductor`.
    """
    with _installed():
        token = _observers.set((*(one for one in _observers.get() if one is not callback), callback))
        try:
            yield
        finally:
            _observers.reset(token)


@contextmanager
def choosing(callback: Chooser, failed: Failed | None = None, loaded: Loaded | None = None) -> Iterator[None]:
    """Within it, in this context, the callback is asked what to load in the place of each kernel, also after a hit in
    Inductor's caches. One within another is asked alone. Kernels that Inductor only times are its own.

    A chosen text or object that cannot be loaded, or raises when it is first launched, gives way to Inductor's kernel.
    `loaded` is told what Inductor has loaded, before any of it runs.
    """
    with _installed():
        token = _chooser.set(_Asked(callback, failed, loaded))
        try:
            yield
        finally:
            _chooser.reset(token)


class _Patch:
    """A method of a class that has another in its place while it has users, in whatever thread they are."""

    def __init__(self, owner: type, name: str) -> None:
        self.owner, self.name, self.users, self.before = owner, name, 0, getattr(owner, name)

    def put(self, ours: Callable[..., Any]) -> None:
        if not self.users:
            self.before = getattr(self.owner, self.name)
            setattr(self.owner, self.name, staticmethod(ours) if inspect.ismethod(self.before) else ours)
        self.users += 1

    def take(self, ours: Callable[..., Any]) -> None:
        self.users -= 1
        if not self.users and getattr(self.owner, self.name) is ours:
            setattr(self.owner, self.name, self.before)
        elif not self.users:
            self.users = 1  # another library's patch lies over ours, which stays and passes everything on


_lock = threading.Lock()
_define, _load = _Patch(TritonScheduling, "define_kernel"), _Patch(AsyncCompile, "triton")
_program = _Patch(PyCodeCache, "load_by_key_path")


@contextmanager
def _installed() -> Iterator[None]:
    """All three methods have ours in their place."""
    with _lock:
        _define.put(_defined)
        _load.put(_loaded)
        _program.put(_loaded_program)
    try:
        yield
    finally:
        with _lock:
            _define.take(_defined)
            _load.take(_loaded)
            _program.take(_loaded_program)


def _defined(self: Any, src_code: str, node_schedule: Any, kernel: Any) -> str:
    token = _writing.set(True)
    try:
        name: str = _define.before(self, src_code, node_schedule, kernel)
    finally:
        _writing.reset(token)
    for callback in _observers.get():
        source = src_code
        for place in (Placeholder.KERNEL_NAME, Placeholder.DESCRIPTIVE_NAME):
            source = source.replace(str(place), name)
        try:
            callback(Generated(name, source, node_schedule, kernel))
        except Exception as error:  # noqa: BLE001 - whoever watches a compile must not break it
            _warn(f"kernel {name} was not recorded", error)
    return name


def parted(chosen: Chosen) -> tuple[Sequence[str | Launchable], Within | None]:
    """All that is loaded beside Inductor's own, and where each is for some launches only, for which."""
    if isinstance(chosen, Within):
        return chosen.chosen, chosen
    return () if chosen is None else (chosen,), None


def one_of(ours: Sequence[Any], own: Any, within: Within | None) -> Any:
    """What is launched: ours, or where those are for some launches only, one of them or Inductor's own."""
    return OneOf([*ours, own], within.which) if within else ours[0]


def _loaded(self: Any, kernel_name: str, source_code: str, *rest: Any, **options: Any) -> Any:
    def load(text: str) -> Any:
        return _load.before(self, kernel_name, text, *rest, **options)

    asked = _chooser.get()
    # Programs name the device when they load a kernel; what times kernels, to choose among fusions, does not.
    if asked is None or not (rest or options or _writing.get()):
        return load(source_code)
    failed = asked.failed
    try:
        chosen = asked.choose(kernel_name, source_code)
        what, within = parted(chosen)
        loaded: list[Any] = [load(one) if isinstance(one, str) else one for one in what]
    except Exception as error:  # noqa: BLE001 - a replacement must never break a compile
        give_up(kernel_name, source_code, error, failed)
        loaded = []
    if not loaded:
        return load(source_code)
    own = _Own(kernel_name, source_code, lambda: load(source_code), failed)
    plain = load(source_code) if within else None
    if any(isinstance(one, CodeCacheFuture) for one in (*loaded, plain)):
        return _Awaited(loaded, own, plain, within)
    return one_of([own.behind(one) for one in loaded], plain, within)


def _loaded_program(*arguments: Any, **options: Any) -> Any:
    program = _program.before(*arguments, **options)
    asked = _chooser.get()
    if asked is not None and asked.loaded is not None:
        try:
            asked.loaded(program)
        except Exception as error:  # noqa: BLE001 - whoever watches a compile must not break it
            _warn(f"program {program.__name__} stays as Inductor wrote it", error)
    return program


@dataclass(frozen=True)
class _Own:
    """Inductor's own kernel, loaded only if what was chosen for it fails."""

    name: str
    source: str
    load: Callable[[], Any]
    failed: Failed | None

    def instead(self, error: Exception) -> Any:
        """Inductor's kernel, after an error of the one in its place."""
        give_up(self.name, self.source, error, self.failed)
        own = self.load()
        return own.result() if isinstance(own, CodeCacheFuture) else own

    def behind(self, kernel: Any) -> Any:
        """The kernel, with Inductor's to take over if its first launch raises. Later launches are the kernel's alone:
        the attribute that guards the first one is gone by then."""
        run, absent = kernel.run, object()
        before = vars(kernel).get("run", absent)

        def first(*arguments: Any, **options: Any) -> Any:
            try:
                result = run(*arguments, **options)
            except Exception as error:  # noqa: BLE001 - whatever a launch raises
                kernel.run = self.instead(error).run
                return kernel.run(*arguments, **options)
            if vars(kernel).get("run") is first:  # another thread may have been faster
                if before is absent:
                    del kernel.run
                else:
                    kernel.run = before
            return result

        kernel.run = first
        return kernel


class _Awaited(CodeCacheFuture):
    """Chosen kernels that are compiled in other processes."""

    def __init__(self, loaded: Sequence[Any], own: _Own, plain: Any, within: Within | None) -> None:
        self.loaded, self.own, self.plain, self.within = loaded, own, plain, within

    def result(self, *arguments: Any, **options: Any) -> Any:
        def awaited(kernel: Any) -> Any:
            return kernel.result(*arguments, **options) if isinstance(kernel, CodeCacheFuture) else kernel

        ours = list[Any]()
        for one in self.loaded:
            try:
                ours.append(self.own.behind(awaited(one)))
            except Exception as error:  # noqa: BLE001 - a compiler's error, from another process
                ours.append(self.own.instead(error))
        return one_of(ours, awaited(self.plain), self.within)


def give_up(name: str, source: str, error: Exception, failed: Failed | None) -> None:
    """Tell that what was chosen for a kernel failed."""
    _warn(f"the replacement of {name} failed, what Inductor chose runs", error)
    if failed is not None:
        failed(name, source, error)


def _warn(what: str, error: Exception) -> None:
    lines = str(error).strip().splitlines()
    log.warning("%s: %s", what, ": ".join([type(error).__name__, *lines[:1]]))
