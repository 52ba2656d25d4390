"""What a process in its own mount namespace sees of the file system, and what of that it may write to.

Each step raises OSError where the kernel refuses it.
"""

import ctypes
import errno
import os
import struct
import sys
from pathlib import Path

from kernelwright.evaluation.sandbox import linux

_SCRATCH_OPTIONS = b"size=256m,nr_inodes=65536,mode=0700"
_COVER_OPTIONS = b"size=64k,mode=0755"
_COVERED = ("/tmp", "/var/tmp", "/run", "/dev")
_DEVICES = ("null", "zero", "full", "random", "urandom")

_RDONLY, _NOSUID, _NODEV, _NOEXEC, _REMOUNT, _BIND, _REC, _PRIVATE = 1, 2, 4, 8, 32, 4096, 16384, 1 << 18
_MOUNT_SETATTR, _AT_FDCWD, _AT_RECURSIVE = 442, -100, 0x8000
#: What a remount has to repeat, as mountinfo spells it.
_MOUNT_OPTIONS = {"noexec": _NOEXEC, "noatime": 1 << 10, "nodiratime": 1 << 11, "relatime": 1 << 21}


def make_private() -> None:
    """Keep mounts from being seen outside the namespace."""
    _mount(None, "/", None, _REC | _PRIVATE)


def _mount(source: str | None, target: str, kind: str | None, flags: int, options: bytes | None = None) -> None:
    names = [None if name is None else os.fsencode(name) for name in (source, target, kind)]
    linux.check(linux.LIBC.mount(*names, ctypes.c_ulong(flags), options), f"mount {target}")


def mount_scratch(scratch: str) -> None:
    """Put an empty memory file system of limited size in the place of a folder."""
    try:
        _mount("tmpfs", scratch, "tmpfs", _NOSUID | _NODEV, _SCRATCH_OPTIONS)
    except OSError:
        _mount(scratch, scratch, None, _BIND)  # a mount of its own can stay writable where all others do not
        raise


def mount_proc() -> None:
    """Let /proc show only the own processes."""
    try:
        _mount("proc", "/proc", "proc", _NOSUID | _NODEV | _NOEXEC)
    except OSError:  # containers that mask parts of theirs allow no other; none is as good
        _mount("tmpfs", "/proc", "tmpfs", _NOSUID | _NODEV | _NOEXEC, _COVER_OPTIONS)


def cover_folders(scratch: Path) -> None:
    """Hide what processes share behind empty folders; harmless devices, scratch and what Python imports excepted."""
    devices = {name: os.open(f"/dev/{name}", os.O_PATH) for name in _DEVICES}
    roots = {path: os.open(path, os.O_PATH) for path in _import_roots()}
    room = os.open(scratch, os.O_PATH)
    try:
        for folder in _COVERED:
            if os.path.isdir(folder) and not os.path.islink(folder):  # noqa: PTH112, PTH114 - quick
                _mount("tmpfs", folder, "tmpfs", _NOSUID | _NODEV | _NOEXEC, _COVER_OPTIONS)
        for name, fd in devices.items():
            os.close(os.open(f"/dev/{name}", os.O_CREAT))
            _mount(f"/proc/self/fd/{fd}", f"/dev/{name}", None, _BIND)
        for path, fd in roots.items():
            path.mkdir(parents=True, exist_ok=True)
            _mount(f"/proc/self/fd/{fd}", str(path), None, _BIND | _REC)
        scratch.mkdir(parents=True, exist_ok=True)
        if not os.path.sameopenfile(room, (here := os.open(scratch, os.O_PATH))):
            _mount(f"/proc/self/fd/{room}", str(scratch), None, _BIND)
        os.close(here)
    finally:
        for fd in (*devices.values(), *roots.values(), room):
            os.close(fd)


def _import_roots() -> list[Path]:
    """The outermost folders below covered ones that modules are imported from: an environment may lie in /tmp."""
    places = {Path(os.path.realpath(place)) for place in (*sys.path, sys.prefix, sys.base_prefix) if place}
    below = [place for place in places if any(Path(folder) in place.parents for folder in _COVERED)]
    below = [place for place in below if os.path.isdir(place)]  # noqa: PTH112 - what may not be looked at is none
    return [place for place in below if not any(other in place.parents for other in below)]


def make_read_only(scratch: Path) -> None:
    """Make every mount read-only and without devices, except scratch and the harmless devices."""
    devices = [path for name in _DEVICES if os.path.ismount(path := f"/dev/{name}")]
    try:
        _set_mount("/", _AT_RECURSIVE, _RDONLY | _NOSUID | _NODEV, 0)
    except OSError:  # before Linux 5.12
        _remount_read_only(frozenset((str(scratch), *devices)))
        return
    _set_mount(str(scratch), 0, 0, _RDONLY)
    for path in devices:
        _set_mount(path, 0, 0, _NODEV)


def _set_mount(path: str, recursive: int, add: int, remove: int) -> None:
    attributes = struct.pack("QQQQ", add, remove, 0, 0)
    linux.syscall(_MOUNT_SETATTR, _AT_FDCWD, os.fsencode(path), recursive, attributes, len(attributes))


def _remount_read_only(spared: frozenset[str]) -> None:
    """The same, one mount after another; what is set on a mount has to be repeated or would be lost."""
    refused = None
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        fields = line.split()
        point = fields[4].encode().decode("unicode_escape")
        if point not in spared:
            kept = sum(_MOUNT_OPTIONS.get(option, 0) for option in fields[5].split(","))
            try:
                _mount(None, point, None, _REMOUNT | _BIND | _RDONLY | _NOSUID | _NODEV | kept)
            except OSError as error:
                covered = error.errno in (errno.ENOENT, errno.EINVAL)  # out of reach, hence harmless
                refused = refused if covered else error
    if refused:
        raise refused
