"""What a hostile process can still do behind the walls, tried from behind them."""

import contextlib
import ctypes
import errno
import faulthandler
import fcntl
import gc
import json
import os
import resource
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch

from kernelwright.evaluation.sandbox import isolation, linux, mounts, seccomp
from kernelwright.evaluation.sandbox.isolation import isolated_fork

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="walls are Linux's")

_PATIENCE_S = 60
_NOBODY = 65534
_HERE = Path(__file__)
_MODE = _HERE.stat().st_mode & 0o777
_LIBC = ctypes.CDLL(None, use_errno=True)
_USER, _REFUSED, _MAPPED = "ordinary user", "namespaces refused", "root of a user namespace"


def _map_root() -> None:
    """What `unshare -Ur` does."""
    user, group = os.geteuid(), os.getegid()
    linux.check(linux.LIBC.unshare(linux.NEW_USER), "unshare")
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"0 {user} 1")
    Path("/proc/self/gid_map").write_text(f"0 {group} 1")


def _can_map_root() -> bool:
    pid = os.fork()
    if pid == 0:
        with contextlib.suppress(OSError):
            _map_root()
            os._exit(0)
        os._exit(1)
    return os.waitpid(pid, 0)[1] == 0


_CALLERS = [
    (),
    (_REFUSED,),
    *([(_USER,), (_USER, _REFUSED)] if os.geteuid() == 0 else []),
    pytest.param((_MAPPED,), marks=pytest.mark.skipif(not _can_map_root(), reason="no user namespaces here")),
]


@dataclass(frozen=True)
class Place:
    """A scratch folder, a folder with a file that anybody may write, and who calls."""

    scratch: Path
    outside: Path
    caller: tuple[str, ...]

    @property
    def victim(self) -> Path:
        return self.outside / "victim"


@dataclass(frozen=True)
class Outcome:
    """What the hostile process answered, which walls it had, and how its caller saw it end."""

    answer: Any
    walls: tuple[str, ...]
    code: int


Program = Callable[[Place, socket.socket], Any]


@pytest.fixture(params=_CALLERS, ids=lambda caller: ", ".join(caller) or "as is")
def place(request: pytest.FixtureRequest) -> Iterator[Place]:
    folder = Path(tempfile.mkdtemp(prefix="kernelwright-isolation-"))
    place = Place(folder / "scratch", folder / "outside", request.param)
    for path in (place.scratch, place.outside):
        path.mkdir()
    place.victim.write_text("precious")
    if _USER in request.param:
        for path in (folder, place.scratch, place.outside, place.victim):
            os.chown(path, _NOBODY, _NOBODY)
    yield place
    shutil.rmtree(folder)


def behind_walls(place: Place, program: Program) -> Outcome:
    """Run a program in a hostile process whose caller is a process of its own."""
    ours, theirs = os.pipe()
    caller = os.fork()
    if caller == 0:
        try:
            _forked()
            os.close(ours)
            _become(place.caller)
            _call(place, program, theirs)
        except BaseException:  # noqa: BLE001 - it is told, as this process ends here
            os.write(theirs, json.dumps({"failed": traceback.format_exc()}).encode())
        finally:
            os._exit(1)
    os.close(theirs)
    try:
        message = _read_to_end(ours)
    finally:
        os.kill(caller, signal.SIGKILL)
        os.waitpid(caller, 0)
        os.close(ours)
    assert message, "the caller answered nothing"
    received = json.loads(message)
    assert "failed" not in received, received["failed"]
    return Outcome(received["answer"], tuple(received["walls"]), received["code"])


def _become(caller: tuple[str, ...]) -> None:
    if _USER in caller:
        os.setgroups([])
        os.setresgid(_NOBODY, _NOBODY, _NOBODY)
        os.setresuid(_NOBODY, _NOBODY, _NOBODY)
    if _MAPPED in caller:
        _map_root()
    if _REFUSED in caller:  # as containers do it
        number = seccomp._CALLS[os.uname().machine][1]["unshare"]
        linux.prctl(linux.SET_NO_NEW_PRIVS, 1)
        seccomp.install([(0x20, 0, 0, 0), *seccomp._when(number, [seccomp._REFUSE]), seccomp._ALLOW])


def _call(place: Place, program: Program, report: int) -> None:
    """The caller: isolate, send its process id over the control socket, report what came of it."""
    here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    here.send(str(os.getpid()).encode())  # before there is a process that may end first
    pid, walls = isolated_fork(place.scratch, [there.fileno()])
    if pid == 0:
        try:
            assert walls is not None
            answer = {"walls": walls.names, "answer": program(place, there)}
            there.send(json.dumps(answer).encode())
        finally:
            os._exit(3)
    there.close()
    try:
        message = here.recv(1 << 16)
    except ConnectionResetError:  # it has ended without having read what was sent; its answer is there all the same
        message = here.recv(1 << 16)
    received = json.loads(message) if message else {"walls": (), "answer": None}
    received["code"] = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    os.write(report, json.dumps(received).encode())
    os._exit(0)


def _read_to_end(fd: int) -> bytes:
    """All bytes up to the moment that nobody holds the other end any more."""
    data, deadline = b"", time.monotonic() + _PATIENCE_S
    while select.select([fd], [], [], max(0.0, deadline - time.monotonic()))[0]:
        piece = os.read(fd, 1 << 16)
        if not piece:
            return data
        data += piece
    raise AssertionError(f"a process still holds the other end after {_PATIENCE_S} s, having written {data!r}")


def attempt(action: Callable[[], object]) -> str:
    """The name of the error that an action meets, "" where it succeeds."""
    try:
        action()
    except OSError as error:
        return errno.errorcode.get(error.errno or 0, str(error))
    return ""


def syscall(*arguments: Any) -> None:
    if _LIBC.syscall(*(ctypes.c_long(word) if isinstance(word, int) else word for word in arguments)) == -1:
        raise OSError(ctypes.get_errno(), "system call")


def _names(_: Place, control: socket.socket) -> Any:
    control.recv(16)
    return [os.getpid(), sorted(int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit())]


def test_walls_stand_where_the_kernel_allows_them(place: Place) -> None:
    outcome = behind_walls(place, _names)
    expected = {isolation.CLOSED_FILES, isolation.NO_CAPABILITIES, isolation.NO_NEW_PRIVILEGES, isolation.SECCOMP}
    namespaces = _namespaces_allowed(place.caller)
    assert expected <= set(outcome.walls) <= set(isolation.EVERY_WALL)
    assert (isolation.NAMESPACES in outcome.walls) is namespaces
    assert (isolation.READ_ONLY_FILES in outcome.walls) is namespaces
    if namespaces:
        assert outcome.answer == [1, [1]], "it is process 1 and sees nobody else"
    assert str(isolation.Walls(outcome.walls)) == ", ".join(outcome.walls)
    assert str(isolation.Walls()) == "none"


def _namespaces_allowed(caller: tuple[str, ...]) -> bool:
    pid = os.fork()
    if pid == 0:
        _become(caller)
        flags = linux.NEW_PID | linux.NEW_MOUNTS
        os._exit(0 if 0 in (_LIBC.unshare(flags), _LIBC.unshare(flags | linux.NEW_USER)) else 1)
    return os.waitpid(pid, 0)[1] == 0


_SECRET = ctypes.create_string_buffer(b"kept by the caller")


def _harm_caller(_: Place, control: socket.socket) -> Any:
    caller, size = int(control.recv(16)), len(_SECRET)
    calls = seccomp._CALLS[os.uname().machine][1]
    target = ctypes.create_string_buffer(size)
    to, at = ((ctypes.c_size_t * 2)(ctypes.addressof(buffer), size) for buffer in (target, _SECRET))
    return {
        "memory": attempt(lambda: Path(f"/proc/{caller}/mem").open("rb")),
        "process_vm_readv": attempt(lambda: syscall(calls["process_vm_readv"], caller, to, 1, at, 1, 0)),
        "ptrace": attempt(lambda: syscall(calls["ptrace"], 16, caller, 0, 0)),
        "pidfd": attempt(lambda: os.pidfd_open(caller)),
        "signal": attempt(lambda: os.kill(caller, 0)),
        "signal to all": attempt(lambda: os.kill(-1, 0)),
        "signal by ioctl": attempt(lambda: fcntl.ioctl(control, 0x8901, struct.pack("i", caller))),
        "signal by fcntl": attempt(lambda: fcntl.fcntl(control, fcntl.F_SETOWN, caller)),
        "priority": attempt(lambda: os.setpriority(os.PRIO_PROCESS, caller, 19)),
        "limits": attempt(lambda: resource.prlimit(caller, resource.RLIMIT_CPU, (1, 1))),
        "processors": attempt(lambda: os.sched_setaffinity(caller, {0})),
        "outliving it": attempt(lambda: linux.prctl(linux.PDEATHSIG, 0)),
        "dumping core": attempt(lambda: linux.prctl(linux.DUMPABLE, 1)),
    }


def test_caller_cannot_be_read_or_harmed(place: Place) -> None:
    outcome = behind_walls(place, _harm_caller)
    assert outcome.code == 3
    memory = outcome.answer.pop("memory")
    if isolation.PRIVATE_PROC in outcome.walls:
        assert memory == "ENOENT", "the caller is not even seen"
    elif isolation.LANDLOCK in outcome.walls or os.geteuid() == 0:
        assert memory in ("EACCES", "EPERM")
    assert set(outcome.answer.values()) == {"EPERM"}, outcome.answer


def _start_things(place: Place, control: socket.socket) -> Any:
    shell = ["/bin/sh", "-c", "true"]
    flags = (signal.SIGCHLD, linux.THREAD | linux.NEW_USER, linux.NEW_PID)
    calls = seccomp._CALLS[os.uname().machine][2]
    return {
        "fork": attempt(os.fork),
        "spawn": attempt(lambda: os.posix_spawn(shell[0], shell, {})),
        "subprocess": attempt(lambda: subprocess.run(shell, check=False)),
        "exec": attempt(lambda: os.execv(shell[0], shell)),
        "socket": attempt(socket.socket),
        "unix socket": attempt(lambda: socket.socket(socket.AF_UNIX)),
        "socket pair": attempt(socket.socketpair),
        "connect": attempt(lambda: control.connect("/run/somewhere")),
        "bind": attempt(lambda: control.bind(str(place.scratch / "socket"))),
        **{f"clone {flag:#x}": attempt(partial(syscall, calls["clone"], flag, 0, 0, 0, 0)) for flag in flags},
    }


def test_nothing_new_can_be_started_or_opened(place: Place) -> None:
    outcome = behind_walls(place, _start_things)
    assert set(outcome.answer.values()) == {"EPERM"}, outcome.answer


def _refused_calls(_place: Place, _control: socket.socket) -> Any:
    _, denied, judged = seccomp._CALLS[os.uname().machine]
    harmless = {name: number for name, number in denied.items() if name not in ("fork", "vfork")}
    verdicts = {name: attempt(partial(syscall, number, *[-1] * 6)) for name, number in harmless.items()}
    clone3 = attempt(lambda: syscall(judged["clone3"], 0, 0))
    later = attempt(lambda: syscall(seccomp._NEWEST_CALL + 1, 0))
    return [verdicts, clone3, later, attempt(lambda: syscall(0x40000000 | 39))]


def test_system_calls_that_programs_do_without_are_refused(place: Place) -> None:
    verdicts, clone3, later, other_abi = behind_walls(place, _refused_calls).answer
    assert set(verdicts.values()) == {"EPERM"}, verdicts
    assert (clone3, later, other_abi) == ("ENOSYS", "ENOSYS", "ENOSYS"), "the C library falls back on what is judged"


def _write_everywhere(place: Place, _: socket.socket) -> Any:
    inside, victim = place.scratch / "folder" / "file", place.victim
    inside.parent.mkdir()
    inside.write_text("mine")
    inside.chmod(0o600)
    inside = inside.rename(place.scratch / "moved")
    beyond = os.open(inside, os.O_RDWR)
    return {
        "read back": [inside.read_text(), Path("moved").read_text()],
        "too much": attempt(lambda: os.posix_fallocate(beyond, 0, 300 << 20)),
        "null": attempt(lambda: Path(os.devnull).write_text("nothing")),
        "device": attempt(lambda: os.open("/dev/tty", os.O_WRONLY)),
        "outside": {
            "write": attempt(lambda: victim.write_text("spoilt")),
            "truncate": attempt(lambda: os.truncate(victim, 0)),
            "delete": attempt(victim.unlink),
            "rename": attempt(lambda: victim.rename(place.outside / "moved")),
            "create": attempt(lambda: (place.outside / "new").touch()),
            "in /dev/shm": attempt(lambda: Path(f"/dev/shm/kernelwright-{place.outside.parent.name}").touch()),
            "in /tmp": attempt(lambda: Path(f"/tmp/{place.outside.parent.name}-new").touch()),
            "kernel setting": attempt(lambda: os.open("/proc/sys/kernel/core_pattern", os.O_WRONLY)),
        },
        "mode": attempt(lambda: _HERE.chmod(_MODE)),
        "seen": attempt(place.outside.stat),
    }


def test_only_scratch_can_be_written_and_goes_with_the_process(place: Place) -> None:
    outcome = behind_walls(place, _write_everywhere)
    answer = outcome.answer
    assert answer["read back"] == ["mine", "mine"]
    assert answer["null"] == ""
    if isolation.READ_ONLY_FILES in outcome.walls or isolation.LANDLOCK in outcome.walls:
        assert "" not in answer["outside"].values(), answer
        assert answer["device"] != ""
        assert place.victim.read_text() == "precious"
        assert [path.name for path in place.outside.iterdir()] == ["victim"]
    if isolation.READ_ONLY_FILES in outcome.walls:
        assert answer["outside"]["in /tmp"] == "EROFS"
        assert answer["mode"] == "EROFS" or (_USER in place.caller and answer["mode"] != "")
    if isolation.NO_SHARED_FOLDERS in outcome.walls:
        assert answer["seen"] == "ENOENT"
    if isolation.PRIVATE_SCRATCH in outcome.walls:
        assert answer["too much"] == "ENOSPC"
        assert not list(place.scratch.iterdir())


def test_mounts_become_read_only_one_by_one_on_older_kernels(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mounts, "_MOUNT_SETATTR", 9999)
    monkeypatch.setattr(isolation, "_CLOSE_RANGE", 9999)
    outcome = behind_walls(place, _write_everywhere)
    if isolation.NAMESPACES not in outcome.walls:
        pytest.skip("no namespaces here")
    assert {isolation.READ_ONLY_FILES, isolation.CLOSED_FILES} <= set(outcome.walls)
    assert outcome.answer["read back"] == ["mine", "mine"]
    assert "" not in outcome.answer["outside"].values()


def _look_at_descriptors(_: Place, control: socket.socket) -> Any:
    links = {int(path.name): str(path.readlink()) for path in Path("/proc/self/fd").iterdir() if path.exists()}
    return [control.fileno(), sorted(links), [links[fd] for fd in (0, 1, 2)], str(Path.cwd())]


def test_no_descriptor_is_left_but_the_kept_ones(place: Place) -> None:
    with place.victim.open() as secret:
        assert secret.fileno() > 2
        control, descriptors, standard, folder = behind_walls(place, _look_at_descriptors).answer
    assert descriptors == [0, 1, 2, control]
    assert standard == ["/dev/null"] * 3
    assert folder == str(place.scratch)


def _compute(_: Place, control: socket.socket) -> Any:
    torch.set_num_threads(1)  # a pool of threads does not survive a fork
    products: list[float] = []
    work = [
        threading.Thread(target=lambda: products.append((torch.ones(64, 64) @ torch.ones(64, 64)).sum().item()))
        for _thread in range(3)
    ]
    for thread in work:
        thread.start()
    for thread in work:
        thread.join()
    received = control.recvmsg(16)[0]
    return [products, bool(received), os.urandom(4) != os.urandom(4)]


def test_threads_torch_and_the_inherited_socket_work(place: Place) -> None:
    outcome = behind_walls(place, _compute)
    assert outcome.answer == [[64.0**3] * 3, True, True]


@pytest.fixture
def scratch(tmp_path: Path) -> Path:
    return tmp_path


def isolated(scratch: Path, keep_fds: list[int], program: Callable[[], object]) -> int:
    """The id of a hostile process, called by this very process."""
    pid, walls = isolated_fork(scratch, keep_fds)
    if pid == 0:
        try:
            _forked()
            program()
        finally:
            os._exit(3)
    assert walls is None
    return pid


def wait_for(pid: int) -> int:
    """The exit code of a child, negative for a signal; the child is killed where that takes too long."""
    deadline = time.monotonic() + _PATIENCE_S
    while time.monotonic() < deadline:
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.01)
    where = _whereabouts(pid)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    raise AssertionError(f"process {pid} did not end within {_PATIENCE_S} s: {where}")


def _whereabouts(pid: int) -> dict[int, list[str]]:
    """What a process and those below it wait for in the kernel, as far as that may be read."""
    found = {pid: list[str]()}
    for name in ("stat", "wchan", "stack", "syscall"):
        with contextlib.suppress(OSError):
            found[pid].append(Path(f"/proc/{pid}/{name}").read_text())
    with contextlib.suppress(OSError):
        for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
            found |= _whereabouts(int(child))
    return found


def _forked() -> None:
    """In a process forked from pytest's: leave its objects alone, whose ends may wait for threads that are not here."""
    gc.disable()
    faulthandler.disable()  # pytest's looks at threads as well


def _run_as_user(function: Callable[[], int], caller: tuple[str, ...]) -> int:
    """A function's result, 0 to 255, in a process of its own."""
    pid = os.fork()
    if pid == 0:
        try:
            _forked()
            _become(caller)
            os._exit(function())
        finally:
            os._exit(255)
    return wait_for(pid)


@pytest.mark.parametrize(
    ("program", "codes"),
    [
        (lambda: None, [3]),
        (lambda: os._exit(7), [7]),
        (lambda: ctypes.string_at(0), [-signal.SIGSEGV]),
        (os.abort, [-signal.SIGABRT, -signal.SIGSEGV, -signal.SIGILL, -signal.SIGTRAP]),
    ],
    ids=["left", "exit", "fault", "abort"],
)
def test_its_end_is_reported(place: Place, program: Callable[[], object], codes: list[int]) -> None:
    def call() -> int:
        return 0 if wait_for(isolated(place.scratch, [], program)) in codes else 1

    assert _run_as_user(call, place.caller) == 0


def _stay() -> None:
    """Cling to life by every means."""
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(number, signal.SIG_IGN)
    attempt(lambda: linux.prctl(linux.PDEATHSIG, 0))
    attempt(os.setsid)
    threading.Thread(target=lambda: time.sleep(1000), daemon=True).start()


def _cling(alive: int) -> None:
    _stay()
    os.write(alive, b"here")
    time.sleep(1000)


@pytest.mark.parametrize("end", ["killed", "caller killed"])
def test_nothing_outlives_the_returned_process_or_the_caller(place: Place, end: str) -> None:
    ours, theirs = os.pipe()
    caller = os.fork()
    if caller == 0:
        try:
            _forked()
            _become(place.caller)
            pid = isolated(place.scratch, [theirs], lambda: _cling(theirs))
            os.close(theirs)
            assert os.read(ours, 4) == b"here"
            os.kill(pid if end == "killed" else os.getpid(), signal.SIGKILL)
            os._exit(0 if os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == -signal.SIGKILL else 1)
        finally:
            os._exit(255)
    os.close(theirs)
    assert wait_for(caller) == (0 if end == "killed" else -signal.SIGKILL)
    assert _read_to_end(ours) == b"", "the pipe ends when nobody holds it any more"
    os.close(ours)


def _scatter(alive: int) -> None:
    """Leave an orphan of an orphan in a session of its own."""
    ready, done = os.pipe()
    for _ in range(2):
        if os.fork():
            os.read(ready, 1)
            return
        os.setsid()
    _stay()
    os.write(alive, b"here")
    os.write(done, b"xx")
    time.sleep(1000)


def test_orphans_end_with_it_even_without_the_filter(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    if not _namespaces_allowed(place.caller):
        pytest.skip("without namespaces only the filter keeps it from forking")
    monkeypatch.setattr(seccomp, "computing_only", lambda: [seccomp._ALLOW])
    ours, theirs = os.pipe()
    run = lambda: wait_for(isolated(place.scratch, [theirs], lambda: _scatter(theirs)))  # noqa: E731
    assert _run_as_user(run, place.caller) == 3
    os.close(theirs)
    assert _read_to_end(ours) == b"here", "an orphan was there and is gone"
    os.close(ours)


def test_caller_stays_as_it_was(scratch: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def state() -> list[object]:
        links = [str(Path(f"/proc/self/ns/{kind}").readlink()) for kind in ("mnt", "pid", "pid_for_children", "net")]
        descriptors = len(list(Path("/proc/self/fd").iterdir()))
        return [*links, descriptors, signal.pthread_sigmask(signal.SIG_BLOCK, []), Path.cwd()]

    def refuse() -> int:
        raise BlockingIOError(errno.EAGAIN, "no more processes")

    before = state()
    assert wait_for(isolated(scratch, [], lambda: None)) == 3
    assert state() == before
    with monkeypatch.context() as patch:
        patch.setattr(os, "fork", refuse)
        with pytest.raises(BlockingIOError):
            isolated_fork(scratch, [])
    assert state() == before
    child = os.fork()
    if child == 0:
        os._exit(9)
    assert wait_for(child) == 9
