"""Walls around a process that runs hostile Python: `isolated_fork` is `os.fork` into one.

Linux on x86-64 and aarch64, as root or as an ordinary user, through ctypes alone. A wall that the kernel refuses is
left out of the report; the others still stand. Limits on time, memory and processor are the caller's (`setrlimit`, a
deadline).

What no wall covers, because a fork inherits it: the caller's memory as it was at the fork, its shared mappings, its
environment, and what the kept descriptors allow. Keep no folder, and no file whose content matters; a socket must be a
connected stream or seqpacket one, since a datagram socket can still send to any address.

Files stay readable as far as the user may read them.
"""

import contextlib
import os
import resource
import select
import signal
import struct
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from kernelwright.evaluation.sandbox import linux, mounts, seccomp

NAMESPACES = "namespaces"  #: process 1 of its own: nobody else can be seen or signalled, no descendant outlives it
NO_NETWORK = "no network"  #: a network namespace without any interface, abstract sockets included
PRIVATE_SCRATCH = "private scratch"  #: an empty memory file system of limited size, gone with the process
PRIVATE_PROC = "private /proc"  #: shows only itself
NO_SHARED_FOLDERS = "no shared folders"  #: /dev, /tmp, /run and their like are empty but for harmless devices
READ_ONLY_FILES = "read-only files"  #: nothing but scratch can be written, and no device opened
CLOSED_FILES = "closed files"  #: no descriptor but the kept ones; 0, 1 and 2 are /dev/null
NO_CAPABILITIES = "no capabilities"
NO_NEW_PRIVILEGES = "no new privileges"
LANDLOCK = "landlock"  #: writing files outside scratch, TCP, tracing and signalling others are refused once more
SECCOMP = "seccomp"  #: no new process, program, socket, mount, trace, or kernel interface that programs do without

#: Every wall, in the order in which they are raised.
EVERY_WALL = (
    NAMESPACES,
    NO_NETWORK,
    CLOSED_FILES,
    PRIVATE_SCRATCH,
    NO_SHARED_FOLDERS,
    PRIVATE_PROC,
    READ_ONLY_FILES,
    NO_CAPABILITIES,
    NO_NEW_PRIVILEGES,
    LANDLOCK,
    SECCOMP,
)

#: Exit status of a process that could not be isolated for want of resources, or by a mistake in here.
BROKEN = 71

_NO_MORE_FDS = 2**32 - 1

_CLOSE_RANGE, _LANDLOCK_CREATE, _LANDLOCK_ADD, _LANDLOCK_RESTRICT = 436, 444, 445, 446
#: Landlock's rights: all but executing and reading; those of them that a file (no folder) can have.
_WRITES, _FILE_WRITES = 0xFFFF & ~0b1101, 1 << 1 | 1 << 14 | 1 << 15


@dataclass(frozen=True)
class Walls:
    """The walls that stand around a process, by the names above."""

    names: tuple[str, ...] = ()

    def __contains__(self, name: str) -> bool:
        return name in self.names

    def __str__(self) -> str:
        return ", ".join(self.names) or "none"


def isolated_fork(scratch: Path, keep_fds: Collection[int]) -> tuple[int, Walls | None]:
    """Fork a process without the means to do harm: (its id, None) here, (0, the walls that stand) in the new process.

    The id is that of a direct child: `waitpid` gives the new process's exit status or fatal signal, SIGKILL to it kills
    the new process and all that it started, and so does the end of the calling thread. It may be a stand-in, whose only
    child is the new process: memory and time are to be measured there. The new process has only `keep_fds` open
    besides /dev/null as 0, 1 and 2, leads a session of its own, and works in `scratch`, an existing folder that is
    empty to it and stays as it was for everybody else. Where it is process 1, it dies of faults and of SIGKILL from
    outside only: neither SIGABRT nor the soft limit's SIGXCPU ends it.

    Raises OSError where the fork fails; a missing wall raises nothing. Where the process itself cannot be set up it
    ends with status `BROKEN`.
    """
    with _signals_held():
        pid, parent = -1, _pidfd()
        try:
            pid, first = _fork()
            if pid == 0:
                return 0, _isolate(parent, first, Path(os.path.realpath(scratch)), frozenset(keep_fds))
            return pid, None
        finally:
            if pid != 0:
                os.close(parent)


@contextlib.contextmanager
def _signals_held() -> Iterator[None]:
    """No handler of the caller's runs in a process that is not ready for it."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _fork() -> tuple[int, bool]:
    """Fork, where that is allowed into a new namespace of processes: as `os.fork`, and whether it was.

    Of all namespaces only this one is entered by a child alone, and root may come back from it: no stand-in is needed.
    The root of a user namespace may leave, but not come back to a namespace that is not its own: this is tried first.
    """
    if os.geteuid() != 0:
        return os.fork(), False
    home = os.open("/proc/self/ns/pid", os.O_RDONLY)
    first = linux.LIBC.setns(home, linux.NEW_PID) == 0 and linux.LIBC.unshare(linux.NEW_PID) == 0
    pid = None
    try:
        pid = os.fork()
        return pid, first
    finally:
        if first and pid != 0:
            linux.check(linux.LIBC.setns(home, linux.NEW_PID), "setns")
        os.close(home)


def _isolate(parent: int, first: bool, scratch: Path, keep_fds: frozenset[int]) -> Walls:
    """Raise the walls in a process just forked, or end it. `first`: it is process 1 already."""
    names: list[str] = []
    ready = False
    try:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        alone = _unshare(first)
        _die_with(parent)
        if alone and not first:
            _become_first_process()
        names += (NAMESPACES, NO_NETWORK) if alone else ()
        names += _raise_walls(scratch, keep_fds, alone)
        ready = True
    finally:
        if not ready:  # whatever went wrong, the caller's code never goes on in here
            os._exit(BROKEN)
    return Walls(tuple(names))


def _pidfd() -> int:
    """A descriptor that can be read once this process has ended; one that never can before Linux 5.3."""
    try:
        return os.pidfd_open(os.getpid())
    except OSError:
        return os.eventfd(0)


def _die_with(parent: int) -> None:
    """Die when the parent does, or has: its descriptor is closed."""
    linux.prctl(linux.PDEATHSIG, signal.SIGKILL)
    end = select.poll()
    end.register(parent)
    if end.poll(0):
        os._exit(BROKEN)
    os.close(parent)


def _unshare(first: bool) -> bool:
    """Leave the caller's namespaces, the one of processes if not done yet; False where the kernel refuses.

    Root goes without a user namespace if it can; in some containers, and in a user namespace, it can only go with one,
    unless there are too many already.
    """
    flags = linux.NEW_MOUNTS | linux.NEW_NET | linux.NEW_IPC | linux.NEW_UTS
    if first:
        return bool(linux.LIBC.unshare(flags) == 0)
    user, group = os.geteuid(), os.getegid()
    flags |= linux.NEW_PID
    if linux.LIBC.unshare(flags | linux.NEW_USER) != 0:
        return bool(linux.LIBC.unshare(flags) == 0)
    with contextlib.suppress(OSError):
        linux.prctl(linux.DUMPABLE, 1)  # else a caller that forbids looking into its memory may not write these
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
        Path("/proc/self/gid_map").write_text(f"{group} {group} 1")
    return True


def _become_first_process() -> None:
    """Go on as process 1 of the new namespace, leaving a stand-in for it among the caller's children."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    parent = _pidfd()
    child = os.fork()
    if child:
        _stand_in(child)
    _die_with(parent)


def _stand_in(child: int) -> NoReturn:
    """Wait for the process and leave as it left."""
    try:
        linux.prctl(linux.DUMPABLE, 0)
        _close_all_but(frozenset())
        for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if code < 0:
            os.kill(os.getpid(), -code)
        os._exit(code)
    finally:
        os._exit(BROKEN)


def _raise_walls(scratch: Path, keep_fds: frozenset[int], alone: bool) -> list[str]:
    """Raise what can be raised around this process; the names of what stands."""
    steps: list[tuple[str, Callable[[], None]]] = [(CLOSED_FILES, lambda: _close_files(keep_fds))]
    if alone and _stands(mounts.make_private):
        steps += [
            (PRIVATE_SCRATCH, lambda: mounts.mount_scratch(str(scratch))),
            (NO_SHARED_FOLDERS, lambda: mounts.cover_folders(scratch)),
            (PRIVATE_PROC, mounts.mount_proc),
            (READ_ONLY_FILES, lambda: mounts.make_read_only(scratch)),
        ]
    steps += [
        (NO_CAPABILITIES, _drop_capabilities),
        (NO_NEW_PRIVILEGES, lambda: linux.prctl(linux.SET_NO_NEW_PRIVS, 1)),
        (LANDLOCK, lambda: _landlock(scratch)),
        (SECCOMP, lambda: seccomp.install(seccomp.computing_only())),
    ]
    _stands(os.setsid)
    _stands(lambda: linux.prctl(linux.DUMPABLE, 0))
    names = [name for name, step in steps[:-3] if _stands(step)]
    _stands(lambda: os.chdir(scratch))  # the old folder would lead back under what was covered
    return names + [name for name, step in steps[-3:] if _stands(step)]


def _stands(step: Callable[[], object]) -> bool:
    try:
        step()
    except OSError:
        return False
    return True


def _close_files(keep_fds: frozenset[int]) -> None:
    standard = frozenset((0, 1, 2)) - keep_fds
    null = os.open(os.devnull, os.O_RDWR)
    for fd in standard:
        os.dup2(null, fd)
    _close_all_but(keep_fds | standard)


def _close_all_but(keep: frozenset[int]) -> None:
    first = 0
    for fd in (*sorted(keep), _NO_MORE_FDS + 1):
        if first < fd:
            _close_range(first, fd - 1)
        first = fd + 1


def _close_range(first: int, last: int) -> None:
    try:
        linux.syscall(_CLOSE_RANGE, first, last, 0)
    except OSError:  # before Linux 5.9
        for name in os.listdir("/proc/self/fd"):  # noqa: PTH208 - quick
            if first <= int(name) <= last:
                with contextlib.suppress(OSError):  # the listing's own
                    os.close(int(name))


def _drop_capabilities() -> None:
    _stands(lambda: linux.prctl(linux.CAP_AMBIENT, 4))  # all of them
    capability = 0
    while _stands(lambda: linux.prctl(linux.CAPBSET_DROP, capability)):  # noqa: B023 - called at once
        capability += 1
    linux.check(linux.LIBC.capset(struct.pack("Ii", 0x20080522, 0), bytes(24)), "capset")


def _landlock(scratch: Path) -> None:
    """Let files be written under scratch and in /dev/null only, as far as the kernel's version of Landlock goes."""
    version = linux.syscall(_LANDLOCK_CREATE, None, 0, 1)
    files = _WRITES & ((1 << 13 + sum(version >= known for known in (2, 3, 5))) - 1)
    rules = struct.pack("QQQ", files, 3, 3)[: 8 * (1 + (version >= 4) + (version >= 6))]
    ruleset = linux.syscall(_LANDLOCK_CREATE, rules, len(rules), 0)
    try:
        for path, allowed in ((str(scratch), files), (os.devnull, files & _FILE_WRITES)):
            fd = os.open(path, os.O_PATH)
            try:
                linux.syscall(_LANDLOCK_ADD, ruleset, 1, struct.pack("=Qi", allowed, fd), 0)
            finally:
                os.close(fd)
        linux.syscall(_LANDLOCK_RESTRICT, ruleset, 0)
    finally:
        os.close(ruleset)
