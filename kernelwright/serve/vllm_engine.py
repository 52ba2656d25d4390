"""vLLM on this machine, GPU or CPU: one base model, several LoRA adapters side by side.

The engine runs in a child process of its own (`vllm_worker`), with vLLM's own multiprocessing off: the process of the
trainer never imports vLLM, which rebinds threads and patches torch; closing gives all its memory back; and an engine
that dies is an error, not the end of the run. Tried with vLLM 0.32 on the CPU.
"""

import contextlib
import importlib.metadata
import multiprocessing
import os
import signal
import subprocess
import sys
import tempfile
import threading
import weakref
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import IO, Any

import kernelwright
from kernelwright.agent.policy import Answer, Completion, PolicyError, Prompt, Sampling, in_order
from kernelwright.ir.errors import UserError
from kernelwright.serve.adapters import AdapterShelf, adapter_rank, version
from kernelwright.serve.base import base_name, find_base
from kernelwright.serve.closing import Closing
from kernelwright.serve.optional import require_installed

#: Ranks that vLLM makes room for.
_RANKS = (8, 16, 32, 64, 128, 256, 320, 512)
#: What torchrun tells its processes, of which the engine is none.
_TORCHRUN = ("RANK", "LOCAL_RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE", "GROUP_RANK", "MASTER_ADDR", "MASTER_PORT")
#: What a closed engine is given to end by itself.
_GRACE_S = 30.0


@dataclass(frozen=True)
class VllmSettings:
    """Which model and how vLLM holds it.

    `model` is what `find_base` takes. `max_model_len` bounds prompt and answer in tokens. `dtype` "auto" is the model's
    own on a GPU and float32 on a CPU, where bfloat16 is slower unless the CPU has instructions for it.
    `max_loras` adapters can be loaded, of at most `max_lora_rank`; 0 for a base without adapters.
    `gpu_memory_utilization` is the share of the GPU's memory that vLLM may take; `kv_cache_gb` is the size of the
    key-value cache on a CPU, and `threads` those of the engine there (0: one for each core).
    `devices` are the CUDA devices that the engine sees, numbers as in CUDA_VISIBLE_DEVICES; None leaves that to the
    environment. `seed` None draws other answers in every engine. `template` are options of the model's chat template,
    `options` are further arguments of `vllm.LLM`;
    on a CPU `enable_chunked_prefill` is False where they do not say otherwise.
    """

    model: str = "smollm"
    max_model_len: int = 4096
    dtype: str = "auto"
    max_loras: int = 2
    max_lora_rank: int = 16
    enforce_eager: bool = False
    gpu_memory_utilization: float = 0.5
    kv_cache_gb: int = 4
    threads: int = 0
    max_num_seqs: int = 256
    devices: str | None = None
    seed: int | None = None
    start_timeout_s: float = 900.0
    timeout_s: float = 3600.0
    options: Mapping[str, Any] = field(default_factory=dict)
    template: Mapping[str, Any] = field(default_factory=dict)


class VllmPolicy(Closing):
    """Implements `Policy` with `processed_logprobs` and token ids. Threads wait for one another: give prompts at once.

    `adapters` are loaded at the start. Raises UserError where vLLM or the model is missing, PolicyError where the
    engine does not start or is gone, with the last lines that it wrote.
    """

    def __init__(self, settings: VllmSettings, adapters: Mapping[str, Path] | None = None) -> None:
        require_installed("vllm", "vllm")
        rank = next((rank for rank in _RANKS if rank >= settings.max_lora_rank), None)
        if rank is None:
            raise UserError(f"max_lora_rank {settings.max_lora_rank}: vLLM has room for ranks up to {_RANKS[-1]}")
        self.settings = settings
        self._base = base_name(settings.model)
        folder = find_base(settings.model)
        self._shelf = AdapterShelf()
        self._lock = threading.Lock()
        self._engine: _Engine | None = None
        try:
            self._engine = _Engine(replace(settings, model=str(folder), max_lora_rank=rank))
            for name, adapter in (adapters or {}).items():
                self.load_adapter(name, adapter)
        except BaseException:
            self.close()
            raise

    @property
    def pid(self) -> int | None:
        """The engine's process, None once closed."""
        return None if self._engine is None else self._engine.pid

    def sample(
        self, prompts: Sequence[Prompt], sampling: Sampling, adapter: str | None = None
    ) -> list[list[Completion]]:
        return in_order(self.stream(prompts, sampling, adapter), len(prompts))

    def stream(self, prompts: Sequence[Prompt], sampling: Sampling, adapter: str | None = None) -> Generator[Answer]:
        """Implements `Streaming`. An engine whose answers nobody wants to hear any more is ended."""
        with self._lock:
            state = self._shelf.get(adapter)
            lora = None if state is None else (state.label, state.number, str(state.folder))
            named = version(self._base, state)
            engine = self._running()
            for index, number, answer in engine.stream(
                ("stream", tuple(prompts), sampling, lora), self.settings.timeout_s
            ):
                yield index, number, replace(answer, version=named)

    def load_adapter(self, adapter: str, folder: Path) -> None:
        rank = adapter_rank(folder)
        if rank > self.settings.max_lora_rank or not self.settings.max_loras:
            raise UserError(
                f"the adapter in {folder} has rank {rank}; the engine has room for {self.settings.max_loras} of rank "
                f"{self.settings.max_lora_rank} (max_loras, max_lora_rank)"
            )
        with self._lock:
            before = self._shelf.find(adapter)
            if before is None and self._shelf.size() >= self.settings.max_loras:
                raise UserError(f"no room for adapter `{adapter}`: max_loras is {self.settings.max_loras}")
            state = self._shelf.copy(adapter, folder)
            drop = None if before is None else before.number
            try:
                request = ("load", (state.label, state.number, str(state.folder)), drop)
                self._running().ask(request, self.settings.timeout_s)
            except UserError:
                self._shelf.drop(state)
                raise
            self._shelf.put(state)
            if before is not None:
                self._shelf.drop(before)

    def close(self) -> None:
        engine = self._engine
        if engine is not None and self._lock.locked():  # another thread waits for answers, perhaps for long
            engine.kill()
        with self._lock:
            if self._engine is not None:
                self._engine.close()
                self._engine = None
            self._shelf.close()

    def _running(self) -> "_Engine":
        if self._engine is None:
            raise PolicyError("this policy is closed")
        return self._engine


class _Engine:
    """The child process, and the connection to it."""

    def __init__(self, settings: VllmSettings) -> None:
        self._connection, theirs = multiprocessing.Pipe()
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 - closed by `close`
        with theirs:
            self._child = subprocess.Popen(
                [sys.executable, "-P", "-m", "kernelwright.serve.vllm_worker", str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=self._log,
                stderr=subprocess.STDOUT,
                env=_environment(settings),
                start_new_session=True,  # so that vLLM's own children, if any, can be ended with it
            )
        self._close = weakref.finalize(self, _end, self._child, self._connection, self._log)
        self.ask(settings, settings.start_timeout_s)

    @property
    def pid(self) -> int:
        return self._child.pid

    def ask(self, request: object, timeout_s: float) -> Any:
        """The answer to a request. Raises UserError or PolicyError as the child says, PolicyError where it is gone."""
        with self._talk():
            self._connection.send(request)
            return self._received(timeout_s)

    def stream(self, request: object, timeout_s: float) -> Iterator[Any]:
        """What comes until the child says that there is no more, within that time of what came before; as `ask`."""
        with self._talk():
            self._connection.send(request)
            while (part := self._received(timeout_s)) is not None:
                yield from part

    @contextlib.contextmanager
    def _talk(self) -> Iterator[None]:
        if not self._close.alive:
            raise PolicyError("vLLM's engine has ended: make another policy")
        try:
            yield
        except (UserError, PolicyError):
            raise
        except (EOFError, OSError) as error:
            raise self._gone("ended") from error
        except BaseException:  # interrupted: an answer that nobody waits for must not meet the next request
            self.close()
            raise

    def _received(self, timeout_s: float) -> Any:
        if not self._connection.poll(timeout_s):
            raise self._gone(f"did not answer within {timeout_s:.0f} s")
        answer = self._connection.recv()
        if isinstance(answer, UserError | PolicyError):
            raise answer
        return answer

    def close(self) -> None:
        self._close()

    def kill(self) -> None:
        """End the child now, whatever it does; who waits for its answer gets PolicyError."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._child.pid, signal.SIGKILL)

    def _gone(self, what: str) -> PolicyError:
        size = self._log.seek(0, os.SEEK_END)
        self._log.seek(max(0, size - 4000))
        tail = self._log.read().decode(errors="replace").strip().splitlines()[-25:]
        self.close()
        status = self._child.returncode
        return PolicyError("\n".join([f"vLLM's engine {what} (exit status {status}); the last it wrote:", *tail]))


def _end(child: subprocess.Popen[bytes], connection: Connection, log: IO[bytes]) -> None:
    """Hang up, wait, and end the child and whatever it started."""
    with contextlib.suppress(OSError):
        connection.send(None)  # a process forked from this one may hold the connection open
    connection.close()
    with contextlib.suppress(subprocess.TimeoutExpired):
        child.wait(_GRACE_S)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()
    log.close()


def _environment(settings: VllmSettings) -> dict[str, str]:
    """The child's environment; what the user has set stays."""
    threads = settings.threads or len(os.sched_getaffinity(0))
    defaults = {
        "VLLM_LOGGING_LEVEL": "WARNING",
        "VLLM_NO_USAGE_STATS": "1",
        "VLLM_WORKER_MULTIPROC_METHOD": "spawn",
        "VLLM_CPU_KVCACHE_SPACE": str(settings.kv_cache_gb),
        "VLLM_CPU_OMP_THREADS_BIND": "nobind",
    }
    if not _has_gpu_build():
        # Threads that spin at barriers take the cores from whoever else works: 6 times slower on a busy machine.
        defaults |= {"OMP_NUM_THREADS": str(threads), "OMP_WAIT_POLICY": "passive", "GOMP_SPINCOUNT": "0"}
        if settings.enforce_eager:  # which leaves what vLLM's sampler compiles, ten seconds of a C++ compiler
            defaults["TORCH_COMPILE_DISABLE"] = "1"
    path = os.pathsep.join(filter(None, [str(Path(kernelwright.__file__).parents[1]), os.environ.get("PYTHONPATH")]))
    own = {} if settings.devices is None else {"CUDA_VISIBLE_DEVICES": settings.devices}
    theirs = {name: value for name, value in os.environ.items() if name not in _TORCHRUN}
    return defaults | theirs | {"VLLM_ENABLE_V1_MULTIPROCESSING": "0", "PYTHONPATH": path} | own


def _has_gpu_build() -> bool:
    """Whether the vLLM that is installed is not the one for CPUs."""
    try:
        importlib.metadata.distribution("vllm-cpu")
    except importlib.metadata.PackageNotFoundError:
        return True
    return False
