"""The system calls of a program that only computes: a filter that the kernel applies to the calling process for good.

Linux on x86-64 and aarch64.
"""

import ctypes
import errno
import os
import struct
from collections.abc import Iterable

from kernelwright.evaluation.sandbox import linux

#: System calls refused outright, with their numbers on x86-64 and aarch64 (0: there is none).
_DENIED = """
socket 41 198, connect 42 203, accept 43 202, bind 49 200, listen 50 201, socketpair 53 199, accept4 288 242,
fork 57 0, vfork 58 0, execve 59 221, execveat 322 281, tkill 200 130, rt_sigqueueinfo 129 138,
rt_tgsigqueueinfo 297 240, pidfd_send_signal 424 424, pidfd_open 434 434, pidfd_getfd 438 438,
process_madvise 440 440, process_mrelease 448 448, ptrace 101 117, process_vm_readv 310 270,
process_vm_writev 311 271, kcmp 312 272, move_pages 279 239, migrate_pages 256 238, unshare 272 97, setns 308 268,
mount 165 40, umount2 166 39, pivot_root 155 41, chroot 161 51, open_tree 428 428, move_mount 429 429,
fsopen 430 430, fsconfig 431 431, fsmount 432 432, fspick 433 433, mount_setattr 442 442, open_tree_attr 467 467,
name_to_handle_at 303 264, open_by_handle_at 304 265, quotactl 179 60, quotactl_fd 443 443, fanotify_init 300 262,
swapon 167 224, swapoff 168 225, acct 163 89, bpf 321 280, seccomp 317 277, userfaultfd 323 282,
perf_event_open 298 241, io_uring_setup 425 425, io_uring_enter 426 426, io_uring_register 427 427,
memfd_secret 447 447, add_key 248 217, request_key 249 218, keyctl 250 219, shmget 29 194, shmat 30 196,
shmctl 31 195, semget 64 190, semop 65 193, semctl 66 191, semtimedop 220 192, msgget 68 186, msgsnd 69 189,
msgrcv 70 188, msgctl 71 187, mq_open 240 180, mq_unlink 241 181, init_module 175 105, finit_module 313 273,
delete_module 176 106, kexec_load 246 104, kexec_file_load 320 294, reboot 169 142, settimeofday 164 170,
clock_settime 227 112, adjtimex 159 171, clock_adjtime 305 266, sethostname 170 161, setdomainname 171 162,
syslog 103 116, vhangup 153 58, personality 135 92, iopl 172 0, ioperm 173 0, modify_ldt 154 0, setpriority 141 140,
ioprio_set 251 30, sched_setscheduler 144 119, sched_setparam 142 118, sched_setattr 314 274
"""
#: The same for calls that are refused, or only allowed, with certain arguments.
_JUDGED = """
clone 56 220, clone3 435 435, kill 62 129, tgkill 234 131, prlimit64 302 261, sched_setaffinity 203 122, prctl 157 167,
ioctl 16 29, fcntl 72 25
"""
#: The machine as the kernel numbers it, and its column above.
_MACHINES = {"x86_64": (0xC000003E, 1), "aarch64": (0xC00000B7, 2)}
_NEWEST_CALL = 469  # Linux 6.18; what comes after is unknown here and said not to exist
_REFUSED_ARGUMENTS = {
    "prctl": (0, (linux.PDEATHSIG, linux.DUMPABLE, linux.SET_SECCOMP)),  # outliving the caller, leaving cores
    "ioctl": (1, (0x5412, 0x541C, 0x8901, 0x8902)),  # typing into a terminal, choosing whom SIGIO goes to
    "fcntl": (1, (8, 15, 10)),  # the same, and with which signal
}

#: Of the classic packet filter: code, jumps if true and if false, value.
Instruction = tuple[int, int, int, int]
_LOAD, _IF_EQUAL, _IF_GREATER, _IF_ANY_BIT, _RETURN = 0x20, 0x15, 0x25, 0x45, 0x06
_ALLOW: Instruction = (_RETURN, 0, 0, 0x7FFF0000)
_REFUSE: Instruction = (_RETURN, 0, 0, 0x50000 | errno.EPERM)
_UNKNOWN: Instruction = (_RETURN, 0, 0, 0x50000 | errno.ENOSYS)


def _numbers(table: str, column: int) -> dict[str, int]:
    rows = (row.split() for row in table.split(","))
    return {row[0]: int(row[column]) for row in rows if row[column] != "0"}


_CALLS = {
    machine: (architecture, _numbers(_DENIED, column), _numbers(_JUDGED, column))
    for machine, (architecture, column) in _MACHINES.items()
}


def computing_only() -> list[Instruction]:
    """The system calls of a program that only computes, for this process; OSError on an unknown machine."""
    machine = os.uname().machine
    if machine not in _CALLS:
        raise OSError(errno.ENOSYS, f"no system call filter for {machine}")
    architecture, denied, judged = _CALLS[machine]
    program = [(_LOAD, 0, 0, 4), (_IF_EQUAL, 1, 0, architecture), _REFUSE]
    program += [(_LOAD, 0, 0, 0), (_IF_GREATER, 0, 1, _NEWEST_CALL), _UNKNOWN]
    program += _when(judged["clone3"], [_UNKNOWN])  # its flags cannot be seen; the C library then takes clone
    program += _when(
        judged["clone"],
        [_argument(0), (_IF_ANY_BIT, 1, 0, linux.EVERY_NAMESPACE), (_IF_ANY_BIT, 1, 0, linux.THREAD), _REFUSE, _ALLOW],
    )
    for name, (index, values) in _REFUSED_ARGUMENTS.items():
        program += _when(judged[name], [_argument(index), *_cases(values, _REFUSE), _ALLOW])
    for name, value in (("kill", os.getpid()), ("tgkill", os.getpid()), ("prlimit64", 0), ("sched_setaffinity", 0)):
        program += _when(judged[name], [_argument(0), *_cases((value,), _ALLOW), _REFUSE])
    return [*program, *_cases(denied.values(), _REFUSE), _ALLOW]


def _argument(index: int) -> Instruction:
    """Load the low half of an argument, all that the kernel looks at in those judged here."""
    return _LOAD, 0, 0, 16 + 8 * index


def _when(number: int, program: list[Instruction]) -> list[Instruction]:
    return [(_IF_EQUAL, 0, len(program), number), *program]


def _cases(values: Iterable[int], verdict: Instruction) -> list[Instruction]:
    return [instruction for value in values for instruction in _when(value, [verdict])]


def install(program: list[Instruction]) -> None:
    """Filter this process's system calls and its children's from now on; raises OSError where that is refused."""
    code = b"".join(struct.pack("HBBI", *instruction) for instruction in program)
    buffer = ctypes.create_string_buffer(code, len(code))
    header = struct.pack("HxxxxxxQ", len(program), ctypes.addressof(buffer))
    linux.prctl(linux.SET_SECCOMP, 2, header)
