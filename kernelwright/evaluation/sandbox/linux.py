"""System calls through the C library, and what Linux numbers them by."""

import ctypes
import os
from typing import Any

#: Flags of unshare, setns and clone.
NEW_MOUNTS, NEW_UTS, NEW_IPC, NEW_USER, NEW_PID, NEW_NET = 1 << 17, 1 << 26, 1 << 27, 1 << 28, 1 << 29, 1 << 30
NEW_TIME, NEW_CGROUP, THREAD = 1 << 7, 1 << 25, 1 << 16
EVERY_NAMESPACE = NEW_TIME | NEW_MOUNTS | NEW_CGROUP | NEW_UTS | NEW_IPC | NEW_USER | NEW_PID | NEW_NET
#: Options of prctl.
PDEATHSIG, DUMPABLE, SET_SECCOMP, CAPBSET_DROP, SET_NO_NEW_PRIVS, CAP_AMBIENT = 1, 4, 22, 24, 38, 47

LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.syscall.restype = ctypes.c_long


def check(result: int, what: str) -> int:
    """A call's result; raises OSError where it says that the call failed."""
    if result == -1:
        raise OSError(ctypes.get_errno(), f"{what}: {os.strerror(ctypes.get_errno())}")
    return result


def syscall(number: int, *arguments: Any) -> int:
    """A system call that the C library may lack; raises OSError. Integers are passed in full width."""
    words = [ctypes.c_long(argument) if isinstance(argument, int) else argument for argument in arguments]
    return check(LIBC.syscall(ctypes.c_long(number), *words), f"system call {number}")


def prctl(option: int, value: int, pointer: bytes | None = None) -> None:
    """Change something about the calling process; raises OSError."""
    none = ctypes.c_ulong(0)
    check(LIBC.prctl(option, ctypes.c_ulong(value), pointer, none, none), f"prctl {option}")
