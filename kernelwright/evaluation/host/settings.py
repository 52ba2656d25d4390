"""Settings of torch and of Python that a whole process shares: calls are made under any of them."""

import builtins
import contextlib
import gc
import importlib.machinery
import io
import logging
import os
import sys
import threading
import types
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal
from unittest import mock

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.overrides import TorchFunctionMode

from kernelwright.backend.torch_private import TorchDispatchMode, load_process_groups, of_a_process_group, tracing
from kernelwright.evaluation.host import cuda
from kernelwright.evaluation.protocol.chance import chance

# Once here, not in every child: what some settings import changes the environment and the filters of warnings.
load_process_groups()
with mock.patch.dict(os.environ), warnings.catch_warnings():
    torch.use_deterministic_algorithms(torch.are_deterministic_algorithms_enabled())

#: A module whose attributes are set through properties, which type checkers do not see.
_deterministic: Any = torch.utils.deterministic
_cudnn: Any = torch.backends.cudnn
_mkldnn: Any = torch.backends.mkldnn
_matmul: Any = torch.backends.cuda.matmul
Around = contextlib.AbstractContextManager[Any]


@contextlib.contextmanager
def _repeatable(warn_only: bool) -> Iterator[None]:
    filled, before = _deterministic.fill_uninitialized_memory, torch.get_deterministic_debug_mode()
    try:
        _deterministic.fill_uninitialized_memory = False  # host code holds no memory that could be filled
        torch.use_deterministic_algorithms(True, warn_only=warn_only)
        yield
    finally:
        torch.set_deterministic_debug_mode(before)
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
def _warning(action: Literal["ignore", "error"]) -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter(action)
        yield


@contextlib.contextmanager
def _logging(level: int) -> Iterator[None]:
    """With a level of logging for all of the program, and nobody who writes it down."""
    root, silent = logging.getLogger(), logging.NullHandler()
    before = root.level
    root.addHandler(silent)
    root.setLevel(level)
    try:
        yield
    finally:
        root.setLevel(before)
        root.removeHandler(silent)


@contextlib.contextmanager
def _set(owner: Any, name: str, value: bool) -> Iterator[None]:
    """With a property of one of torch's backends at this value; `mock.patch` would not put it back."""
    before = getattr(owner, name)
    setattr(owner, name, value)
    try:
        yield
    finally:
        setattr(owner, name, before)


@contextlib.contextmanager
def _uncached() -> Iterator[None]:
    before = torch.is_autocast_cache_enabled()
    torch.set_autocast_cache_enabled(False)
    try:
        yield
    finally:
        torch.set_autocast_cache_enabled(before)


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
    "NODE_RANK": "1",
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
    "repeatable": Setting(lambda: _repeatable(warn_only=True), 0.25),
    "strictly repeatable": Setting(lambda: _repeatable(warn_only=False), 0.25),
    "high products": Setting(lambda: _products("high"), 0.25),
    "medium products": Setting(lambda: _products("medium"), 0.25),
    "cudnn.benchmark": Setting(lambda: _set(_cudnn, "benchmark", True), 0.25),
    "cudnn.deterministic": Setting(lambda: _set(_cudnn, "deterministic", True), 0.25),
    "cudnn.enabled": Setting(lambda: _set(_cudnn, "enabled", False)),
    "cudnn.allow_tf32": Setting(lambda: _set(_cudnn, "allow_tf32", False)),
    "mkldnn off": Setting(lambda: _set(_mkldnn, "enabled", False)),
    "anomalies": Setting(lambda: torch.autograd.set_detect_anomaly(True), 0.25),
    "anomalies but NaN": Setting(lambda: torch.autograd.set_detect_anomaly(True, check_nan=False)),
    "one thread backward": Setting(lambda: torch.autograd.set_multithreading_enabled(False)),
    "forward mode": Setting(torch.autograd.forward_ad.dual_level),
    "plain attention": Setting(lambda: sdpa_kernel(SDPBackend.MATH)),
    "no cache of autocast": Setting(_uncached, 0.1),
    "exact sums of fp16": Setting(lambda: _set(_matmul, "allow_fp16_reduced_precision_reduction", False), 0.1),
    "exact sums of bf16": Setting(lambda: _set(_matmul, "allow_bf16_reduced_precision_reduction", False), 0.1),
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
    "warnings ignored": Setting(lambda: _warning("ignore")),
    "warnings raised": Setting(lambda: _warning("error"), 0.05),
    "messages": Setting(lambda: _logging(logging.DEBUG)),
    "no messages": Setting(lambda: _logging(logging.CRITICAL), 0.1),
    "environment": Setting(lambda: mock.patch.dict(os.environ, _VARIABLES)),
    "output taken": Setting(lambda: contextlib.redirect_stdout(io.StringIO()), 0.05),
}
