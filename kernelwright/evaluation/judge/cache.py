"""Verdicts as JSON, and a cache of them on disk by the content of what was judged.

The cache holds what another run would find again: no timeouts, no crashes without a place in the program, nothing
about a framework or reference that failed, no timings.
"""

import contextlib
import hashlib
import json
import math
import os
import tempfile
import threading
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from kernelwright.agent.evaluator import Rung, Status, Verdict, repeats
from kernelwright.backend.compile.compiled import cache_folder
from kernelwright.evaluation.protocol.answers import Machine
from kernelwright.evaluation.protocol.transport import encode_reference
from kernelwright.ir.errors import Diagnostic
from kernelwright.ir.own_source import JUDGING, source_digest
from kernelwright.ir.values import KernelModule, Reference, Resources

Json = dict[str, Any]

DEFAULT_MAX_BYTES = 512 << 20
#: Part of every key; another number makes old entries unreachable.
_SCHEMA = 1
_TIMED = frozenset((Rung.TIME, Rung.PROFILE))
#: What a full cache is brought down to, so that it is not full again at once.
_KEPT_SHARE = 0.9


def encode_verdict(verdict: Verdict) -> Json:
    """A verdict as JSON values: what `kernelwright evaluate` prints.

    `times` are medians in milliseconds. `speedup` is eager's over the candidate's, both taken in the same way, None
    where they were not timed; `ci` is its 95% interval [low, high], None where none was measured. Numbers that JSON
    does not have are the texts `nan`, `inf` and `-inf`.
    """
    timing = verdict.caliber.get("timing", {})
    return {
        "status": str(verdict.status),
        "rung": str(verdict.rung),
        "detail": verdict.detail,
        "diagnostics": [asdict(diagnostic) for diagnostic in verdict.diagnostics],
        "errors": _plain(verdict.errors),
        "times": _plain(verdict.times_ms),
        "speedup": _speedup(verdict),
        "ci": _plain(timing.get("ci", {}).get("eager")),
        "caliber": _plain(verdict.caliber),
        "rungs": [str(rung) for rung in verdict.rungs],
        "resources": {symbol: asdict(resources) for symbol, resources in verdict.resources.items()},
        "shrunken": verdict.shrunken,
    }


def decode_verdict(content: Mapping[str, Any]) -> Verdict:
    """The verdict that `encode_verdict` was given (its speedup and interval follow from the rest).

    Raises KeyError, TypeError, ValueError or AttributeError for anything else.
    """
    return Verdict(
        status=Status(content["status"]),
        rung=Rung(content["rung"]),
        detail=_text(content["detail"]),
        rungs=tuple(map(Rung, content["rungs"])),
        diagnostics=tuple(Diagnostic(**item) for item in content["diagnostics"]),
        errors={str(name): float(value) for name, value in content["errors"].items()},
        resources={str(symbol): Resources(**item) for symbol, item in content["resources"].items()},
        times_ms={str(name): float(value) for name, value in content["times"].items()},
        shrunken=bool(content["shrunken"]),
        caliber=dict(content["caliber"].items()),
    )


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is not text")
    return value


def _plain(value: Any) -> Any:
    """The same in types and numbers that JSON has."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else str(float(value))
    return value


def _speedup(verdict: Verdict) -> float | None:
    compared = verdict.caliber.get("timing", {}).get("speedup", {}).get("eager")
    if compared is not None:
        return float(compared)
    eager, candidate = (verdict.times_ms.get(name, 0.0) for name in ("eager", "candidate"))
    return eager / candidate if eager > 0 and candidate > 0 else None


def verdict_key(
    program: str | KernelModule,
    reference: Reference,
    rungs: tuple[Rung, ...] | None,
    settings: Mapping[str, Any],
    machine: Machine,
) -> str:
    """SHA-256 (hex) of everything that a verdict depends on: the program without its provenance, the reference, the
    rungs, the evaluator's `settings` (its own source included) and the `machine`: device and versions."""
    content = [
        _SCHEMA,
        source_digest(*JUDGING),
        ["module", program.digest] if isinstance(program, KernelModule) else ["text", program],
        encode_reference(reference),
        None if rungs is None else sorted(set(map(str, rungs))),
        _plain(settings),
        _plain(vars(machine)),
    ]
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def may_cache(rungs: tuple[Rung, ...] | None) -> bool:
    """Whether verdicts about these rungs are cached at all: timings are not."""
    return rungs is None or not _TIMED & set(rungs)


def is_lasting(verdict: Verdict) -> bool:
    """Whether another run would find the same."""
    return repeats(verdict) and not verdict.times_ms and not _TIMED & {verdict.rung, *verdict.rungs}


class VerdictCache:
    """Verdicts as JSON files under `folder`, at most about `max_bytes` of them; those used longest ago go first.

    Entries are written at once or not at all, so that any number of threads and processes may share a folder. What
    cannot be read is not there; what cannot be written is not kept.
    """

    def __init__(self, folder: Path | None = None, max_bytes: int = DEFAULT_MAX_BYTES) -> None:
        self.folder = cache_folder() / "verdicts" if folder is None else folder
        self.max_bytes = max_bytes
        self._lock = threading.Lock()
        self._bytes: int | None = None  # None: not looked at yet

    def get(self, key: str) -> Verdict | None:
        """The verdict under a key, or None."""
        path = self._path(key)
        try:
            verdict = decode_verdict(json.loads(path.read_bytes()))
            os.utime(path)  # it was used now
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return None
        return verdict

    def put(self, key: str, verdict: Verdict) -> None:
        """Keep a verdict, if it is a lasting one."""
        if not is_lasting(verdict):
            return
        text = json.dumps(encode_verdict(verdict), allow_nan=False).encode()
        path = self._path(key)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".", delete=False) as file:
                try:
                    file.write(text)
                    file.flush()
                    Path(file.name).replace(path)
                except BaseException:
                    Path(file.name).unlink(missing_ok=True)
                    raise
        except OSError:
            return
        self._account(len(text))

    def _path(self, key: str) -> Path:
        return self.folder / key[:2] / f"{key}.json"

    def _account(self, added: int) -> None:
        """Count what was added; where it is too much, look at the folder and remove the oldest entries."""
        with self._lock:
            if self._bytes is not None:
                self._bytes += added
            if self._bytes is None or self._bytes > self.max_bytes:
                self._bytes = self._shrink()

    def _shrink(self) -> int:
        """Remove the entries used longest ago where all of them are too many; the bytes that are left."""
        entries = []
        for path in self.folder.glob("??/*"):
            try:
                found = path.stat()
            except OSError:  # another process was faster
                continue
            entries.append((found.st_mtime_ns, found.st_size, path))
        total = sum(size for _, size, _ in entries)
        if total <= self.max_bytes:
            return total
        for _, size, path in sorted(entries):
            if total <= _KEPT_SHARE * self.max_bytes:
                break
            with contextlib.suppress(OSError):
                path.unlink(missing_ok=True)
                total -= size
        return total
