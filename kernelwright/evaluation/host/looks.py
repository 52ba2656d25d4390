"""What a process looks like to any Python that runs in it: like one that a user started from a script.

Any Python may look for the judge before it decides what to compute. What it may see is made ordinary here; what the
walls would have to answer ends the call (`forbid`).
"""

import ctypes
import os
import resource
import sys
import threading
import time
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from kernelwright.evaluation.protocol.chance import chance

_PACKAGE = __name__.partition(".")[0]
#: Modules whose functions are on the stack while host code runs.
_ON_THE_STACK = tuple(
    f"{_PACKAGE}.{one}" for one in ("evaluation.host", "evaluation.protocol.link", "backend.launch", "backend.torch_")
)
#: Scripts of Python's own that run others: every machine has them.
_SCRIPTS = ("cProfile.py", "timeit.py", "trace.py", "pdb.py")
_MODULES = ("fused", "kernels", "model_new", "solution", "ops", "layers", "network", "generated")
#: How events that are refused begin, and what they are.
_REFUSED = {
    "subprocess.": "starts a process",
    "os.system": "starts a process",
    "os.exec": "starts a process",
    "os.fork": "starts a process",
    "os.posix_spawn": "starts a process",
    "pty.": "starts a process",
    "socket.": "opens a socket",
    "ctypes.": "reaches past Python with ctypes",
}
_STARTS = tuple(_REFUSED)


def module_name() -> str:
    """The name of a module as users give them; another in each process."""
    return chance.choice(_MODULES)


def as_from_a_script(work: Callable[[], None]) -> None:
    """Do the work as the main thread of a process that was started from a script."""
    script = Path(os.__file__).with_name(chance.choice(_SCRIPTS))
    main = types.ModuleType("__main__")
    main.__file__ = str(script)
    hidden = {name: sys.modules.pop(name) for name in list(sys.modules) if name.partition(".")[0] == _PACKAGE}
    hidden["__main__"] = sys.modules["__main__"]  # a module that nobody holds would lose its names
    sys.modules["__main__"], sys.argv = main, [str(script)]
    for name, module in hidden.items():
        if name.startswith(_ON_THE_STACK):
            _place(module, str(script))
    for name in [name for name in os.environ if name.startswith(("CUDA_VISIBLE", "PYTORCH_NVML", _PACKAGE.upper()))]:
        del os.environ[name]
    raised: list[BaseException] = []

    def run() -> None:
        try:
            work()
        except BaseException as error:  # noqa: BLE001 - raised again where the work is waited for
            raised.append(error)

    thread = threading.Thread(target=run, name="MainThread")
    threading.main_thread = lambda: thread
    thread.start()
    thread.join()
    if raised:
        raise raised[0]


def _place(module: types.ModuleType, path: str) -> None:
    """Let the functions of a module come from this file."""
    for function in _functions(vars(module), module.__name__):
        function.__code__ = _placed(function.__code__, path)


def _functions(names: dict[str, Any], module: str) -> Iterator[types.FunctionType]:
    for value in list(names.values()):
        value = getattr(value, "__func__", getattr(value, "fget", value))
        value = getattr(value, "__wrapped__", value)
        if isinstance(value, types.FunctionType) and value.__module__ == module:
            yield value
        elif isinstance(value, type) and value.__module__ == module:
            yield from _functions(dict(vars(value)), module)


def _placed(code: types.CodeType, path: str) -> types.CodeType:
    inner = tuple(_placed(one, path) if isinstance(one, types.CodeType) else one for one in code.co_consts)
    return code.replace(co_filename=path, co_consts=inner)


def forbid(refuse: Callable[[str], Any]) -> None:
    """Say what host code does that the walls would have to answer: from now on, and for good."""

    def hook(event: str, given: tuple[Any, ...]) -> None:
        if event == "open":
            path = given[0]
            if isinstance(path, str | bytes) and os.fsdecode(path).startswith("/proc"):
                refuse("reads /proc")
        elif event.startswith(_STARTS):
            refuse(next(what for start, what in _REFUSED.items() if event.startswith(start)))

    sys.addaudithook(hook)


def hide_limits(skips_sleep: Callable[[], bool]) -> None:
    """Let no limit of memory show, and no time pass where `skips_sleep` says so."""
    limit, sleep = resource.getrlimit, time.sleep
    unlimited = (resource.RLIM_INFINITY,) * 2
    resource.getrlimit = _builtin(
        resource,
        "getrlimit",
        lambda which: unlimited if which in (resource.RLIMIT_AS, resource.RLIMIT_CPU) else limit(which),
    )
    time.sleep = _builtin(time, "sleep", lambda seconds: None if skips_sleep() else sleep(seconds))


_CALL = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.py_object, ctypes.py_object)


class _Method(ctypes.Structure):
    """What the interpreter knows of a function of its own."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("call", _CALL),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


#: They live as long as the process.
_methods: list[_Method] = []


def _builtin(module: types.ModuleType, name: str, function: Callable[..., Any]) -> Any:
    """A Python function as a built-in one of a module."""
    call = _CALL(lambda _module, given: function(*given))
    text = (getattr(module, name).__doc__ or "").encode()
    _methods.append(_Method(name.encode(), call, 1, text))  # 1: it takes a tuple
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype, make.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.py_object, ctypes.py_object)
    return make(ctypes.addressof(_methods[-1]), module, module.__name__)
