"""The same pool on a Ray cluster: one actor a worker, on any node, replaced when its process or node is lost."""

import importlib
import logging
import os
import signal
import socket
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from kernelwright.agent.evaluator import Verdict
from kernelwright.evaluation.judge.cache import VerdictCache
from kernelwright.evaluation.pools.pool import DEFAULT_OPTIONS, Item, LocalOptions, LocalWorker, Pool, usable_cores
from kernelwright.evaluation.sandbox.parent import SandboxError
from kernelwright.ir.errors import UserError
from kernelwright.ir.values import Reference

#: How often Ray starts a lost actor again, and sends it what it was at, before the pool takes another one.
RESTARTS = 4
_PLACED_REFERENCES = 256
_REACH_SECONDS = 10.0


def load_ray() -> Any:
    """The package ray; UserError where it is not installed."""
    try:
        return importlib.import_module("ray")
    except ImportError as error:
        message = "evaluator=ray needs the package ray: install it with `pip install 'kernelwright[ray]'`"
        raise UserError(message) from error


class RayJudge:
    """What runs in an actor: a `LocalWorker` of its node, which tells what it has to say as return values only."""

    def __init__(self, options: LocalOptions, cache: bool) -> None:
        os.dup2(2, 1)  # Ray forwards what actors print to the driver's stdout
        self._worker = LocalWorker(options, VerdictCache() if cache else None)

    def judge(self, item: Item, reference: Reference) -> Verdict:
        """The verdict about an item, whose reference comes on its own."""
        return self._worker.judge(replace(item, reference=reference))

    def pid(self) -> int:
        """The actor's process id on its node."""
        return os.getpid()


class Placement:
    """References in Ray's object store, each put there once; those used longest ago are dropped."""

    def __init__(self, ray: Any) -> None:
        self._ray = ray
        self._placed: OrderedDict[Reference, Any] = OrderedDict()
        self._lock = threading.Lock()

    def place(self, reference: Reference) -> Any:
        """Ray's handle of a reference."""
        with self._lock:
            if reference not in self._placed:
                self._placed[reference] = self._ray.put(reference)
            self._placed.move_to_end(reference)
            while len(self._placed) > _PLACED_REFERENCES:
                self._placed.popitem(last=False)
            return self._placed[reference]


class RayWorker:
    """One actor, as a worker of a pool."""

    def __init__(self, ray: Any, actor: Any, placement: Placement) -> None:
        self.actor = actor
        self._ray, self._placement = ray, placement

    def judge(self, item: Item) -> Verdict:
        """The verdict; an actor that is lost is started again by Ray, and SandboxError raised where that fails."""
        errors = self._ray.exceptions
        slim = replace(item, reference=_NOTHING)
        try:
            verdict: Verdict = self._ray.get(self.actor.judge.remote(slim, self._placement.place(item.reference)))
        except errors.RayTaskError as error:  # raised by `RayJudge.judge`
            raise error.cause if isinstance(error.cause, Exception) else SandboxError(str(error)) from error
        except errors.RayError as error:
            raise SandboxError(f"a Ray worker was lost: {error}") from error
        return verdict

    def interrupt(self) -> None:
        """End the actor; its sandbox ends with it."""
        self.close()

    def close(self) -> None:
        """End the actor for good."""
        if self._ray.is_initialized():
            self._ray.kill(self.actor, no_restart=True)


#: Stands for the reference that travels on its own.
_NOTHING = Reference("", "", (), (), ())


class RayPool(Pool):
    """A pool on the Ray cluster at `address`, on the one that this process is connected to, or on a new local one.

    `gpus_per_worker` is what an actor asks Ray for, parts of one included; None means one where the cluster has GPUs
    and the options allow them. `workers` None means as many as the cluster has GPUs for, or cores. With `cache`, each
    node keeps a cache of its own. A cluster that was started here ends with the pool.
    """

    def __init__(
        self,
        options: LocalOptions = DEFAULT_OPTIONS,
        workers: int | None = None,
        cache: bool = False,
        address: str | None = None,
        gpus_per_worker: float | None = None,
    ) -> None:
        if workers is not None and workers < 1:
            raise UserError(f"workers={workers}: at least one is needed")
        self._ray = load_ray()
        self._owned = not self._ray.is_initialized()
        if self._owned:
            _connect(self._ray, address, workers or usable_cores())
        try:
            start, count = self._actors(options, workers, cache, gpus_per_worker)
            super().__init__(start, count)
        except BaseException:
            self._leave()
            raise

    def _actors(
        self, options: LocalOptions, workers: int | None, cache: bool, gpus_per_worker: float | None
    ) -> tuple[Callable[[], RayWorker], int]:
        """What starts an actor, and how many are wanted."""
        resources = self._ray.cluster_resources()
        gpus = _gpus(options, gpus_per_worker, resources.get("GPU", 0.0))
        fitting = int(resources["GPU"] / gpus if gpus else resources.get("CPU", 1.0))
        options = options if gpus else replace(options, use_gpu=False)
        placement = Placement(self._ray)
        actors = self._ray.remote(RayJudge).options(
            num_cpus=1, num_gpus=gpus, max_restarts=RESTARTS, max_task_retries=RESTARTS
        )
        return lambda: RayWorker(self._ray, actors.remote(options, cache), placement), workers or max(1, fitting)

    def close(self) -> None:
        """End the actors, and the cluster if it was started here; idempotent."""
        super().close()
        self._leave()

    def _leave(self) -> None:
        if self._owned and self._ray.is_initialized():
            self._ray.shutdown()


def _gpus(options: LocalOptions, wanted: float | None, present: float) -> float:
    """GPUs for one worker."""
    if wanted is None:
        wanted = 1.0 if present and options.use_gpu is not False else 0.0
    if options.use_gpu and not wanted:
        raise UserError("device=cuda, but no node of the Ray cluster has a GPU; use device=auto or device=cpu")
    if wanted > present:
        raise UserError(f"{wanted:g} GPUs for each worker, but the Ray cluster has {present:g}")
    return wanted


@contextmanager
def _own_sigterm() -> Iterator[None]:
    """Keep what SIGTERM does in this process: Ray would end it with a status of its own, and say nothing."""
    before = signal.getsignal(signal.SIGTERM)
    try:
        yield
    except SystemExit:  # how Ray ends the process that gets the signal while Ray starts
        if callable(before):
            before(signal.SIGTERM, None)
        raise
    finally:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, before)


@_own_sigterm()
def _connect(ray: Any, address: str | None, workers: int) -> None:
    """Join a cluster, or start a local one with a core for each worker; nothing is printed."""
    quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
    if address is None:
        ray.init(num_cpus=workers, include_dashboard=False, **quiet)
        return
    try:
        _reach(address)
        ray.init(address=address, **quiet)
    except (OSError, RuntimeError, ValueError, ray.exceptions.RayError) as error:
        reason = str(error).splitlines()[0]
        raise UserError(f"evaluator.address={address!r}: no Ray cluster can be joined there: {reason}") from error


def _reach(address: str) -> None:
    """Raise OSError where nobody listens at an address of the form host:port: Ray would try for minutes."""
    host, colon, port = address.removeprefix("ray://").rpartition(":")
    if colon and port.isdecimal():
        socket.create_connection((host.strip("[]"), int(port)), _REACH_SECONDS).close()
