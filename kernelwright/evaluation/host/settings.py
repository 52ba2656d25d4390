"""Settings of torch and of Python that a whole process shares: calls are made under any of them."""

import builtins
import contextlib
import gc
import importlib.machinery
import io
import os
import sys
import threading
import types
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from unittest import mock

import torch
from torch.overrides import TorchFunctionMode

from kernelwright.backend.torch_private import TorchDispatchMode, load_process_groups, of_a_process_group, tracing
from kernelwright.evaluation.host import cuda
from kernelwright.evaluation.protocol.chance import chance

load_process_groups()  # once here, not in every child

#: A module whose attributes are set through properties, which type checkers do not see.
_deterministic: Any = torch.utils.deterministic
_cudnn: Any = torch.backends.cudnn
_mkldnn: Any = torch.backends.mkldnn
Around = contextlib.AbstractContextManager[Any]


@contextlib.contextmanager
def _repeatable() -> Iterator[None]:
    filled, before = _deterministic.fill_uninitialized_memory, torch.are_deterministic_algorithms_enabled()
    try:
        _deterministic.fill_uninitialized_memory = False  # host code holds no memory that could be filled
        torch.use_deterministic_algorithms(True, warn_only=True)
        yield
    finally:
        torch.use_deterministic_algorithms(before)
        _deterministic.fill_uninitialized_memory = filled


@contextlib.contextmanager
def _products(precision: str) -> Iterator[None]:
    before = torch.get_float32_matmul_precision()
    try:
        torch.set_float32_matmul_precision(precision)
        yield
    finally:
        torch.set_float32_matmul_precision(before)


@contextlib.contextmanager
def _seeded() -> Iterator[None]:
    """With torch's random numbers as a program has them that set a seed."""
    before = torch.get_rng_state()
    try:
        torch.manual_seed(chance.getrandbits(32))
        yield
    finally:
        torch.set_rng_state(before)


class _Watching(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """A mode as those that count operations are."""

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return func(*args, **(kwargs or {}))


class _Overriding(TorchFunctionMode):
    """A mode as that of `torch.set_default_device` is."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return func(*args, **(kwargs or {}))


@contextlib.contextmanager
def _with_threads() -> Iterator[None]:
    """With more threads for torch's operators than a small machine has."""
    before = torch.get_num_threads()
    torch.set_num_threads(chance.choice((2, 4, 8, 16)))
    try:
        yield
    finally:
        torch.set_num_threads(before)


@contextlib.contextmanager
def _warning_always() -> Iterator[None]:
    before = torch.is_warn_always_enabled()
    torch.set_warn_always(True)
    try:
        yield
    finally:
        torch.set_warn_always(before)


@contextlib.contextmanager
def _uncollected() -> Iterator[None]:
    """With Python's garbage collector off, as loops have it that must not pause."""
    before = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if before:
            gc.enable()


@contextlib.contextmanager
def _watched(get: Callable[[], Any], put: Callable[[Any], None]) -> Iterator[None]:
    """With a function that debuggers, profilers and measures of coverage register, see `sys.settrace`."""
    before = get()
    put(lambda _frame, _event, _given: None)
    try:
        yield
    finally:
        put(before)


@contextlib.contextmanager
def _deeper() -> Iterator[None]:
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(before * 4)
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


@contextlib.contextmanager
def _loaded(*names: str) -> Iterator[None]:
    """With modules of these names, as programs have that a library runs."""
    fresh = [name for name in names if name not in sys.modules]
    for name in fresh:
        sys.modules[name] = types.ModuleType(name)
        sys.modules[name].__spec__ = importlib.machinery.ModuleSpec(name, None)
    try:
        yield
    finally:
        for name in fresh:
            sys.modules.pop(name, None)


@contextlib.contextmanager
def _in_a_notebook() -> Iterator[None]:
    shell = {"get_ipython": lambda: None, "__IPYTHON__": True}
    with _loaded("ipykernel", "IPython", "traitlets", "google.colab", "matplotlib_inline"):
        vars(builtins).update(shell)
        sys.ps1 = "In : "
        try:
            yield
        finally:
            del sys.ps1
            for name in shell:
                vars(builtins).pop(name, None)


@contextlib.contextmanager
def _among_threads() -> Iterator[None]:
    """With other threads that wait, as loaders of data have."""
    done = threading.Event()
    others = [threading.Thread(target=done.wait, daemon=True) for _ in range(2)]
    for one in others:
        one.start()
    try:
        yield
    finally:
        done.set()
        for one in others:
            one.join()


@contextlib.contextmanager
def _ignoring_warnings() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@contextlib.contextmanager
def _saving_elsewhere() -> Iterator[None]:
    with torch.autograd.graph.saved_tensors_hooks(lambda one: one, lambda one: one):
        yield


#: Ranks in process groups, and how many processes there are.
_PLACES = ((0, 1), (0, 2), (1, 2), (3, 4), (7, 8))
#: What a user, a scheduler or a test may have put into the environment.
_VARIABLES: Mapping[str, str] = {
    "CI": "true",
    "CUDA_LAUNCH_BLOCKING": "1",
    "DEBUG": "1",
    "KUBERNETES_SERVICE_HOST": "10.0.0.1",
    "MASTER_ADDR": "127.0.0.1",
    "MASTER_PORT": "29500",
    "OMP_NUM_THREADS": "4",
    "PYTEST_CURRENT_TEST": "tests/test_layers.py::test_forward (call)",
    "PYTHONOPTIMIZE": "1",
    "SLURM_JOB_ID": "4211",
    "SLURM_PROCID": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "TORCH_LOGS": "recompiles",
    "WANDB_MODE": "offline",
}


@dataclass(frozen=True)
class Setting:
    """A global setting: what enters it, and the share of drawn worlds that have it."""

    entered: Callable[[], Around]
    share: float = 0.2


#: By name.
SETTINGS: Mapping[str, Setting] = {
    "repeatable": Setting(_repeatable, 0.25),
    "high products": Setting(lambda: _products("high"), 0.25),
    "medium products": Setting(lambda: _products("medium"), 0.25),
    "cudnn.benchmark": Setting(lambda: mock.patch.object(_cudnn, "benchmark", True), 0.25),
    "cudnn.deterministic": Setting(lambda: mock.patch.object(_cudnn, "deterministic", True), 0.25),
    "cudnn.enabled": Setting(lambda: mock.patch.object(_cudnn, "enabled", False)),
    "cudnn.allow_tf32": Setting(lambda: mock.patch.object(_cudnn, "allow_tf32", False)),
    "mkldnn off": Setting(lambda: mock.patch.object(_mkldnn, "enabled", False)),
    "anomalies": Setting(lambda: torch.autograd.set_detect_anomaly(True), 0.25),
    "saved elsewhere": Setting(_saving_elsewhere),
    "seed": Setting(_seeded, 0.05),
    "dispatch mode": Setting(_Watching, 0.25),
    "function mode": Setting(_Overriding, 0.25),
    "default device": Setting(lambda: torch.device("cuda")),
    "profiler": Setting(lambda: torch.autograd.profiler.profile(use_kineto=False), 0.05),
    "threads": Setting(_with_threads, 0.1),
    "warnings always": Setting(_warning_always),
    "autocast of the cpu": Setting(lambda: torch.autocast("cpu", dtype=torch.bfloat16)),
    "traced by jit": Setting(tracing, 0.1),
    "graph capture": Setting(cuda.capturing),
    "stream": Setting(cuda.on_a_stream),
    "process group": Setting(lambda: of_a_process_group(*chance.choice(_PLACES))),
    "collector off": Setting(_uncollected),
    "debugger": Setting(lambda: _watched(sys.gettrace, sys.settrace), 0.05),
    "coverage": Setting(lambda: _watched(sys.getprofile, sys.setprofile), 0.05),
    "deep recursion": Setting(_deeper),
    "notebook": Setting(_in_a_notebook),
    "tests": Setting(lambda: _loaded("pytest", "_pytest", "coverage", "hypothesis")),
    "server": Setting(lambda: _loaded("uvicorn", "fastapi", "gunicorn", "vllm")),
    "training library": Setting(lambda: _loaded("deepspeed", "accelerate", "pytorch_lightning", "ray")),
    "debugger loaded": Setting(lambda: _loaded("debugpy", "pydevd", "pdb")),
    "other threads": Setting(_among_threads, 0.05),
    "warnings ignored": Setting(_ignoring_warnings),
    "environment": Setting(lambda: mock.patch.dict(os.environ, _VARIABLES)),
    "output taken": Setting(lambda: contextlib.redirect_stdout(io.StringIO()), 0.05),
}
