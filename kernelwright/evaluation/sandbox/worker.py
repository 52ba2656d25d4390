"""The worker: forks what every job needs.

Forked itself, with all that is imported, for a `sandbox.Sandbox`, see `forker`. It never touches a device, runs no
candidate code and reads no job. A job is done by a device process, which has its own session, directory, environment
and limits; a candidate's host code runs in a second process behind walls. Whatever they leave behind is killed before
the next job. A device process may last: it then serves one job after another, until a fault or its time is over.
"""

import contextlib
import json
import os
import resource
import select
import shutil
import signal
import socket
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

from kernelwright.evaluation.sandbox.forked import perform_many, perform_one, prctl, start_host

_PR_SET_CHILD_SUBREAPER = 36
_TICK_SECONDS = 0.05
#: How long a host may take to end by itself once its device is done with it.
_ENDING_SECONDS = 0.25
#: Jobs that a lasting device process serves: what compiled kernels hold on a GPU is never given back.
JOBS = 200


def main(control: socket.socket, parent: int, devices: str | None) -> NoReturn:
    """Serve jobs in a process just forked, until its sandbox lets go of `control` or `parent`, a pidfd, ends."""
    code = 1
    try:
        os.setsid()
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        prctl(_PR_SET_CHILD_SUBREAPER, 1)
        control.send(json.dumps({"ready": os.getpid()}).encode())
        _serve(control, parent, _Worker(control, devices))
        code = 0
    finally:
        os._exit(code)


def _serve(control: socket.socket, parent: int, worker: "_Worker") -> None:
    try:
        while parent not in select.select([control.fileno(), parent], [], [])[0]:
            message, fds, _, _ = socket.recv_fds(control, 1 << 16, 2)
            if not message:
                return
            report = worker.serve(json.loads(message), fds)
            for fd in fds:
                os.close(fd)
            if report is None:
                return
            control.send(json.dumps(report).encode())
    finally:
        worker.retire()


@dataclass
class _Device:
    """A device process. `channel` leads to one that lasts, whose directory is `scratch`."""

    pid: int
    channel: socket.socket | None = None
    scratch: Path | None = None
    jobs: int = 0

    def forget(self) -> None:
        """Give back what one that lasts had; it has ended."""
        if self.channel is not None and self.scratch is not None:
            self.channel.close()
            shutil.rmtree(self.scratch, ignore_errors=True)


@dataclass
class _Worker:
    """Serves the jobs that come from `control`; device processes see `devices`, as CUDA_VISIBLE_DEVICES has them."""

    control: socket.socket
    devices: str | None
    #: Those that last: with a GPU, and without.
    lasting: dict[bool, _Device] = field(default_factory=dict)

    def serve(self, limits: dict[str, Any], fds: list[int]) -> dict[str, Any] | None:
        """Do one job: its device's exit code, what it was killed for, its host's exit code; None where the parent is
        gone."""
        scratch = Path(tempfile.mkdtemp(prefix="kernelwright-"))
        host = start_host(scratch, limits) if limits["host"] else None
        try:
            if limits["lasting"]:
                device = self._lasting(limits)
                device.jobs += 1
                assert device.channel is not None
                given = [*fds, *([host[1].fileno()] if host else [])]
                with contextlib.suppress(ConnectionError):  # that it is gone is seen below
                    socket.send_fds(device.channel, [json.dumps([limits, host[0] if host else 0]).encode()], given)
            else:
                device = _Device(os.fork())
                if device.pid == 0:
                    perform_one(fds, limits, scratch, self.devices, host)
            if host is not None:
                host[1].close()
            report = self._watch(device, limits)
            if host is not None and report is not None and not report["killed"]:
                report["host"] = _ending(host[0])
            return report
        finally:
            self._clear()
            shutil.rmtree(scratch, ignore_errors=True)

    def retire(self) -> None:
        """End the device processes that last, and what they left."""
        for kind in tuple(self.lasting):
            self._end(kind)
        self._clear()

    def _end(self, kind: bool) -> None:
        """End the device process of a kind that lasts, and nothing else: a host may wait for its successor."""
        device = self.lasting.pop(kind)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(device.pid, signal.SIGKILL)
        os.kill(device.pid, signal.SIGKILL)
        os.waitpid(device.pid, 0)
        device.forget()

    def _lasting(self, limits: dict[str, Any]) -> _Device:
        """The device process that serves many jobs, started where there is none."""
        kind = bool(limits["device"])
        if kind in self.lasting and self.lasting[kind].jobs >= JOBS:
            self._end(kind)
        if kind not in self.lasting:
            ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            scratch = Path(tempfile.mkdtemp(prefix="kernelwright-"))
            pid = os.fork()
            if pid == 0:
                perform_many(theirs, limits, scratch, self.devices)
            theirs.close()
            self.lasting[kind] = _Device(pid, ours, scratch)
        return self.lasting[kind]

    def _watch(self, device: _Device, limits: dict[str, Any]) -> dict[str, Any] | None:
        """Wait until the job is done, and kill its process at its limits; None where the parent went away."""
        deadline = time.monotonic() + limits["timeout_s"]
        ceiling = limits["memory_gb"] * 2**30 + max(_resident("self"), _resident(str(device.pid)))
        child, killed = os.pidfd_open(device.pid), ""
        waited = [child, self.control.fileno(), *([device.channel.fileno()] if device.channel else [])]
        try:
            while True:
                wait = max(0.0, min(_TICK_SECONDS, deadline - time.monotonic()))
                readable = select.select(waited, [], [], wait)[0]
                if device.channel is not None and device.channel.fileno() in readable and _said(device.channel):
                    return {"code": 0, "killed": ""}
                if child in readable:
                    _, status = os.waitpid(device.pid, 0)
                    if device.channel is not None:
                        del self.lasting[bool(limits["device"])]
                        device.forget()
                    return {"code": os.waitstatus_to_exitcode(status), "killed": killed}
                if self.control.fileno() in readable:  # nothing is sent while a job runs: the parent is gone
                    return None
                if not killed:
                    if time.monotonic() >= deadline:
                        killed = "timeout"
                    elif _resident(str(device.pid)) > ceiling:
                        killed = "memory"
                    if killed:
                        os.kill(device.pid, signal.SIGKILL)
        finally:
            os.close(child)

    def _clear(self) -> None:
        """Kill and reap every child but those that last; orphans of a subreaper's children become its own."""
        spared = {device.pid for device in self.lasting.values()}
        while True:
            listed = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
            children = [pid for pid in map(int, listed) if pid not in spared]
            for pid in children:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(pid, signal.SIGKILL)
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
            if not children:
                return


def _said(channel: socket.socket) -> bytes:
    """What a device process says; nothing where it has ended, be it without having read its job."""
    try:
        return channel.recv(16)
    except ConnectionResetError:
        return b""


def _ending(pid: int) -> int | None:
    """The exit code of a host that ends by itself, in time."""
    process = os.pidfd_open(pid)
    try:
        if not select.select([process], [], [], _ENDING_SECONDS)[0]:
            return None
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    finally:
        os.close(process)


def _resident(process: str) -> int:
    """Bytes that a process holds in memory; 0 once it has ended."""
    try:
        return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * resource.getpagesize()
    except (OSError, IndexError):
        return 0
