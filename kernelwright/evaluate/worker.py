"""The worker: imports torch and Triton once, then forks a throw-away child for every job.

Started by `sandbox.Sandbox` with the number of its control socket. The worker itself never touches a device,
runs no candidate code and reads no job; the child that does so has its own session, directory, environment and
limits, and whatever it leaves behind is killed before the next job.
"""

import contextlib
import ctypes
import fcntl
import gc
import json
import mmap
import os
import resource
import select
import shutil
import signal
import socket
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NoReturn

_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36
_JOB_FD, _ANSWER_FD = 3, 4
_TICK_SECONDS = 0.05
_PAGE = resource.getpagesize()
#: No GPU is seen, and looking for one does not start CUDA, which would not survive the fork.
_HIDDEN_DEVICES = {"CUDA_VISIBLE_DEVICES": "", "PYTORCH_NVML_BASED_CUDA_CHECK": "1"}


def main() -> None:
    """Serve jobs until the parent goes away."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    control = socket.socket(fileno=int(sys.argv[1]))
    parent = os.getppid()
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)
    devices = os.environ.get("CUDA_VISIBLE_DEVICES")
    os.environ |= _HIDDEN_DEVICES
    from kernelwright.evaluate import jobs  # torch and Triton: slow, and paid once
    from kernelwright.evaluate.host import program  # noqa: F401 - for the children

    jobs.warm_up()
    gc.collect()
    gc.freeze()  # keeps the collector from copying shared pages in every child
    control.send(b'{"ready": true}')
    while os.getppid() == parent:
        if not select.select([control], [], [], 1.0)[0]:
            continue
        message, fds, _, _ = socket.recv_fds(control, 1 << 16, 2)
        if not message:
            return
        report = _serve(json.loads(message), fds, control, devices)
        for fd in fds:
            os.close(fd)
        if report is None:
            return
        control.send(json.dumps(report).encode())


def _serve(
    limits: dict[str, Any], fds: list[int], control: socket.socket, devices: str | None
) -> dict[str, Any] | None:
    """Run one job in a child, which sees `devices` if it is one for them; None where the parent went away."""
    scratch = tempfile.mkdtemp(prefix="kernelwright-")
    pid = os.fork()
    if pid == 0:
        _child(fds, limits, Path(scratch), devices)
    try:
        return _watch(pid, limits, control)
    finally:
        _kill_descendants(pid)
        shutil.rmtree(scratch, ignore_errors=True)


def _watch(pid: int, limits: dict[str, Any], control: socket.socket) -> dict[str, Any] | None:
    """Wait for the child and kill it at its limits; its exit code and the reason it was killed for."""
    deadline = time.monotonic() + limits["timeout_s"]
    ceiling = limits["memory_gb"] * 2**30 + _resident("self")
    child = os.pidfd_open(pid)
    killed = ""
    try:
        while True:
            wait = max(0.0, min(_TICK_SECONDS, deadline - time.monotonic()))
            readable = select.select([child, control.fileno()], [], [], wait)[0]
            if child in readable:
                _, status = os.waitpid(pid, 0)
                return {"code": os.waitstatus_to_exitcode(status), "killed": killed}
            if control.fileno() in readable:  # nothing is sent while a job runs: the parent is gone
                return None
            if not killed:
                if time.monotonic() >= deadline:
                    killed = "timeout"
                elif _resident(str(pid)) > ceiling:
                    killed = "memory"
                if killed:
                    os.kill(pid, signal.SIGKILL)
    finally:
        os.close(child)


def _resident(process: str) -> int:
    """Bytes that a process holds in memory; 0 once it has ended."""
    try:
        return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * _PAGE
    except (OSError, IndexError):
        return 0


def _kill_descendants(child: int) -> None:
    """Kill and reap whatever a child left behind; orphans of a subreaper's children become its own."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    while True:
        children = [int(pid) for pid in Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()]
        for pid in children:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        if not children:
            return


def _child(fds: list[int], limits: dict[str, Any], scratch: Path, devices: str | None) -> NoReturn:
    """Everything that happens in a child: confine it, run the job, write the answer, leave."""
    code = 1
    try:
        os.setsid()
        _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        null = os.open(os.devnull, os.O_RDWR)
        job, answer = (fcntl.fcntl(fd, fcntl.F_DUPFD, 100) for fd in fds)
        for fd, place in ((null, 0), (null, 1), (null, 2), (job, _JOB_FD), (answer, _ANSWER_FD)):
            os.dup2(fd, place)
        os.closerange(_ANSWER_FD + 1, 1 << 16)
        os.chdir(scratch)
        _environment(scratch)
        host = _start_host(scratch, limits) if limits["host"] else None
        if limits["device"]:
            _show_devices(devices)
        from kernelwright.evaluate import jobs

        work, output = mmap.mmap(_JOB_FD, 0, prot=mmap.PROT_READ), mmap.mmap(_ANSWER_FD, 0)
        _confine(limits)
        jobs.perform(work, output, host)
        code = 0
    finally:
        os._exit(code)


def _start_host(scratch: Path, limits: dict[str, Any]) -> Any:
    """Fork the process that runs host code, before this one holds anything that it must not see."""
    from kernelwright.evaluate import isolation
    from kernelwright.evaluate.host import program
    from kernelwright.evaluate.jobs import HostProcess
    from kernelwright.evaluate.link import Link

    ours, theirs = socket.socketpair()
    pid, walls = isolation.isolated_fork(scratch, [theirs.fileno()])
    if walls is not None:
        code = 1
        try:
            _confine(limits | {"device": False})
            program.serve(theirs, walls.names)
            code = 0
        finally:
            os._exit(code)
    theirs.close()
    return HostProcess(Link(ours, int(limits["memory_gb"] * 2**30)), pid)


def _environment(scratch: Path) -> None:
    """Point everything that writes files at the child's own directory."""
    for name in ("HOME", "TMPDIR", "XDG_CACHE_HOME", "TRITON_HOME", "TRITON_CACHE_DIR", "KERNELWRIGHT_CACHE_DIR"):
        os.environ[name] = str(scratch)
    os.environ["TORCHINDUCTOR_CACHE_DIR"] = str(scratch / "inductor")
    tempfile.tempdir = str(scratch)


def _show_devices(devices: str | None) -> None:
    """Undo what hid the GPUs; nothing has asked for them before."""
    for name in _HIDDEN_DEVICES:
        del os.environ[name]
    if devices is not None:
        os.environ["CUDA_VISIBLE_DEVICES"] = devices


def _confine(limits: dict[str, Any]) -> None:
    """Set the kernel's limits. The number of processes is not among them: it counts all of a user's."""
    cpu = int(2 * limits["timeout_s"]) + 5
    resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu + 5))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (limits["file_mb"] << 20,) * 2)
    if not limits["device"]:
        used = int(Path("/proc/self/statm").read_text().split()[0]) * _PAGE
        resource.setrlimit(resource.RLIMIT_AS, (used + int(limits["memory_gb"] * 2**30),) * 2)


def _prctl(option: int, value: int) -> None:
    if ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0):
        raise OSError(ctypes.get_errno(), f"prctl({option}) failed")


if __name__ == "__main__":
    main()
