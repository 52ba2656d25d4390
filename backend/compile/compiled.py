"""Compiled kernels, and where they are kept between processes."""

import base64
import json
import os
import tempfile
import zlib
from dataclasses import dataclass
from pathlib import Path

from kernelwright.ir.errors import UserError
from kernelwright.ir.values import Resources


@dataclass(frozen=True)
class Compiled:
    """One kernel, specialised and compiled: Triton's IRs, PTX and machine code, and what a launch takes."""

    symbol: str
    capability: int
    ttir: str
    ttgir: str
    llir: str
    ptx: str
    cubin: bytes
    resources: Resources
    num_warps: int


def cache_folder() -> Path:
    """Where results are kept between processes: `$KERNELWRIGHT_CACHE_DIR`, else `~/.cache/kernelwright`."""
    return Path(os.environ.get("KERNELWRIGHT_CACHE_DIR") or Path.home() / ".cache" / "kernelwright")


def check_cache() -> None:
    """UserError where compiled kernels or results cannot be kept; an unwritable home is told before the work."""
    from triton import knobs  # slow to import

    folder = Path(knobs.cache.dir)
    if reason := _unwritable(folder):
        raise UserError(
            f"Triton compiles kernels in {folder}, which is not writable ({reason}); set TRITON_CACHE_DIR to a "
            "writable folder, and KERNELWRIGHT_CACHE_DIR to another one for results"
        )
    check_results()


def check_results() -> None:
    """UserError where results cannot be kept, without Triton."""
    if reason := _unwritable(folder := cache_folder()):
        raise UserError(
            f"results are kept in {folder}, which is not writable ({reason}); set KERNELWRIGHT_CACHE_DIR to a "
            "writable folder"
        )


def _unwritable(folder: Path) -> str | None:
    """Why files cannot be written in a folder, which is made where it is not there; None where they can."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError as error:
        return error.strerror
    return None


def _entry(key: str) -> Path:
    return cache_folder() / "compiled" / key[:2] / f"{key}.json.z"


def read_compiled(key: str) -> Compiled | None:
    """What another process left; None where nothing is there or it cannot be read."""
    try:
        content = json.loads(zlib.decompress(_entry(key).read_bytes()))
        resources = Resources(**content.pop("resources"))
        cubin = base64.b64decode(content.pop("cubin"))
        return Compiled(**content, cubin=cubin, resources=resources)
    except (OSError, zlib.error, ValueError, TypeError, KeyError):
        return None


def write_compiled(key: str, result: Compiled) -> None:
    """Leave a result for other processes; a cache that cannot be written is no reason to fail."""
    cubin = base64.b64encode(result.cubin).decode()
    content = {**vars(result), "resources": vars(result.resources), "cubin": cubin}
    path = _entry(key)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
            try:
                file.write(zlib.compress(json.dumps(content).encode(), 1))
                file.flush()
                Path(file.name).replace(path)
            except BaseException:
                Path(file.name).unlink(missing_ok=True)
                raise
    except OSError:
        return
