"""What the processes do that a worker forks: confine themselves, do their jobs, answer, and leave."""

import ctypes
import fcntl
import gc
import json
import mmap
import os
import resource
import signal
import socket
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

_PR_SET_PDEATHSIG = 1
_FIRST_FD = 3
#: No GPU is seen, and looking for one does not start CUDA, which would not survive the fork.
_HIDDEN_DEVICES = {"CUDA_VISIBLE_DEVICES": "", "PYTORCH_NVML_BASED_CUDA_CHECK": "1"}


def hide_devices() -> str | None:
    """Hide the GPUs from this process and what it forks; what was seen of them, as CUDA_VISIBLE_DEVICES has it."""
    devices = os.environ.get("CUDA_VISIBLE_DEVICES")
    os.environ |= _HIDDEN_DEVICES
    return devices


def start_host(scratch: Path, limits: dict[str, Any]) -> tuple[int, socket.socket]:
    """Fork the process that runs host code: its id, and the socket that leads to it."""
    from kernelwright.evaluation.host import program
    from kernelwright.evaluation.sandbox import isolation

    ours, theirs = socket.socketpair()
    pid, walls = isolation.isolated_fork(scratch, [theirs.fileno()])
    if walls is not None:
        code = 1
        try:
            _environment(scratch)
            _confine(limits)
            _limit_memory(limits | {"device": False})
            program.serve(theirs, walls.names)
            code = 0
        finally:
            os._exit(code)
    theirs.close()
    return pid, ours


def perform_one(
    fds: list[int], limits: dict[str, Any], scratch: Path, devices: str | None, host: tuple[int, socket.socket] | None
) -> NoReturn:
    """Everything that happens in a device process: confine it, do the job, write the answer, leave."""
    code = 1
    try:
        places = _settle(scratch, [*fds, *([host[1].fileno()] if host else [])])
        if limits["device"]:
            _show_devices(devices)
        _confine(limits)
        _perform(places, limits, host[0] if host else 0)
        code = 0
    finally:
        os._exit(code)


def perform_many(channel: socket.socket, limits: dict[str, Any], scratch: Path, devices: str | None) -> NoReturn:
    """The same for one job after another, until the worker goes or one goes wrong."""
    code = 1
    try:
        (place,) = _settle(scratch, [channel.fileno()])
        channel.detach()
        channel = socket.socket(fileno=place)
        if limits["device"]:
            _show_devices(devices)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (limits["file_mb"] << 20,) * 2)
        sound = True
        while sound:
            message, fds, _, _ = socket.recv_fds(channel, 1 << 16, 3)
            if not message:
                break
            job, host = json.loads(message)
            sound = _perform(fds, job, host, resource.RLIM_INFINITY)
            gc.collect()
            if sound:
                channel.send(b"done")
        code = 0
    finally:
        os._exit(code)


def _perform(fds: Sequence[int], limits: dict[str, Any], host: int, later: int = 0) -> bool:
    """Do one job, whose descriptors are closed then: job, answer, and the socket of the host, whose id is `host`;
    whether this process is as it was. What holds job and answer is no part of the memory that the job may take; a
    later job may take `later`, if that is more."""
    from kernelwright.evaluation.child import jobs
    from kernelwright.evaluation.protocol.link import Link

    process = None
    if host:
        process = jobs.HostProcess(Link(socket.socket(fileno=fds[2]), int(limits["memory_gb"] * 2**30)), host)
    if later:
        resource.setrlimit(resource.RLIMIT_AS, (later, later))
    work, output = mmap.mmap(fds[0], 0, prot=mmap.PROT_READ), mmap.mmap(fds[1], 0)
    _limit_memory(limits, later)
    sound = jobs.perform(work, output, process)
    if process is not None:
        process.link.close()
    for fd in fds[:2]:
        os.close(fd)
    return sound


def _settle(scratch: Path, fds: Sequence[int]) -> list[int]:
    """Make a process just forked a session of its own, with these descriptors and no others; where they are now."""
    os.setsid()
    prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    null = os.open(os.devnull, os.O_RDWR)
    moved = [fcntl.fcntl(fd, fcntl.F_DUPFD, 100) for fd in fds]
    for place in range(_FIRST_FD):
        os.dup2(null, place)
    places = list(range(_FIRST_FD, _FIRST_FD + len(moved)))
    for fd, place in zip(moved, places, strict=True):
        os.dup2(fd, place)
    os.closerange(_FIRST_FD + len(moved), 1 << 16)
    os.chdir(scratch)
    _environment(scratch)
    return places


def _environment(scratch: Path) -> None:
    """Point everything that writes files at the child's own directory."""
    for name in ("HOME", "TMPDIR", "XDG_CACHE_HOME", "TRITON_HOME", "TRITON_CACHE_DIR", "KERNELWRIGHT_CACHE_DIR"):
        os.environ[name] = str(scratch)
    os.environ["TORCHINDUCTOR_CACHE_DIR"] = str(scratch / "inductor")
    tempfile.tempdir = str(scratch)


def _show_devices(devices: str | None) -> None:
    """Undo what hid the GPUs, but for the first of those that were seen: a program runs on one, and of several the
    threads of PyTorch's autograd, one for each, end a process that was forked. Nothing has asked for them before."""
    for name in _HIDDEN_DEVICES:
        del os.environ[name]
    os.environ["CUDA_VISIBLE_DEVICES"] = "0" if devices is None else devices.partition(",")[0]


def _confine(limits: dict[str, Any]) -> None:
    """Set the kernel's limits but that of memory. The number of processes is not among them: it counts all of a
    user's."""
    cpu = int(2 * limits["timeout_s"]) + 5
    resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu + 5))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (limits["file_mb"] << 20,) * 2)


def _limit_memory(limits: dict[str, Any], later: int = 0) -> None:
    """Allow so much address space on top of what is used, and `later` at most. Drivers of a device reserve far more
    than they use."""
    if not limits["device"]:
        used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        now = used + int(limits["memory_gb"] * 2**30)
        resource.setrlimit(resource.RLIMIT_AS, (now, later or now))


def prctl(option: int, value: int) -> None:
    """The system call of that name; OSError where it fails."""
    if ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0):
        raise OSError(ctypes.get_errno(), f"prctl({option}) failed")
