"""The profile rung on the judge's side: what a device saw of one call, and what it means on that machine.

A row is what ran under one name: device self-time (us), launches, and, for kernels of the candidate, the bytes and
floating-point operations that the cost model finds in their code (`backend.cost`: touched 32-byte sectors, a tensor
once where the L2 cache can hold it; FLOPs of the middle program times the grid). Time and counts are means over the
profiled calls. Nobody goes by names: which device event is a generated kernel is known from how it was launched (see
`device.profiler`), so that a library's kernel of the same name, or a decoy's name, counts for nothing.

Coverage is the self-time of generated kernels over that of everything on the device in the profiled calls, copies and
fills included: whether a library copies by a kernel or without one depends on strides.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from kernelwright.backend.targets import Target
from kernelwright.evaluation.protocol.answers import CandidateProfiled, DeviceWork, ProfileRow
from kernelwright.ir.values import Reference, TensorSpec

Json = dict[str, Any]

#: Rows that a caliber lists; the shorter rest is one row.
MOST_ROWS = 32
_MODELLED = "cost model: sectors and FLOPs of the compiled kernels"
_COMPULSORY = "compulsory: inputs and outputs once; FLOPs of generated kernels by the cost model, of operators by torch"


def coverage(rows: Sequence[ProfileRow]) -> float:
    """The share of device self-time in generated kernels; 0 where nothing took any."""
    whole = sum(row.us for row in rows)
    own = sum(row.us for row in rows if row.kind is DeviceWork.GENERATED)
    return own / whole if whole else 0.0


def roofline(row: ProfileRow, target: Target | None) -> Json:
    """Rates that were achieved and where they stand; None where bytes or FLOPs, or the target's peaks, are not known.

    `attainable_us` is the longer of moving the bytes at the target's bandwidth and computing the FLOPs at its peaks,
    each kind of product at its own and all else without tensor cores; `bound` says which. `of_attainable` is that over
    the time taken: above 1 data did not have to come from memory.
    """
    found: Json = dict.fromkeys(("gb_s", "gflop_s", "of_bandwidth", "of_peak", "bound", "attainable_us"))
    found |= dict.fromkeys(("attainable_gflop_s", "of_attainable", "flops_per_byte"))
    if row.us <= 0:
        return found
    if row.bytes is not None:
        found["gb_s"] = row.bytes / row.us / 1e3
    if row.flops is not None:
        found["gflop_s"] = row.flops / row.us / 1e3
    if target is None or row.bytes is None or row.flops is None:
        return found
    memory_us, compute_us = row.bytes / target.bandwidth_gb_s / 1e3, _compute_us(row, target)
    attainable_us = max(memory_us, compute_us)
    found["of_bandwidth"], found["of_peak"] = memory_us / row.us, compute_us / row.us
    if attainable_us:
        found["bound"] = "memory" if memory_us >= compute_us else "compute"
        found["attainable_us"], found["of_attainable"] = attainable_us, attainable_us / row.us
        found["attainable_gflop_s"] = row.flops / attainable_us / 1e3
        found["flops_per_byte"] = row.flops / row.bytes if row.bytes else None
    return found


def _compute_us(row: ProfileRow, target: Target) -> float:
    rest = max((row.flops or 0.0) - sum(row.products.values()), 0.0)
    return sum(done / target.peak_tflops(kind) for kind, done in (*row.products.items(), ("f32", rest))) / 1e6


def report(profiled: CandidateProfiled, reference: Reference, target: Target | None) -> Json:
    """A device's answer as the caliber tells it; ValueError where nothing was profiled.

    Keys: `coverage`, `us` (device self-time of one call), `calls` (profiled), `kernels` (every row with its roofline,
    longest first), `program` (the roofline of the whole), `target` (None: peaks are not known), `notes`.
    """
    rows = sorted(profiled.rows, key=lambda row: -row.us)
    if not profiled.calls or not rows or not sum(row.us for row in rows):
        raise ValueError("nothing was profiled")
    whole = _whole(rows, profiled.operators, reference)
    kernels = [_told(row, target) for row in _bounded(rows)]
    return {
        "coverage": coverage(rows),
        "us": whole.us,
        "calls": profiled.calls,
        "kernels": kernels,
        "program": {"us": whole.us, "bytes": whole.bytes, "flops": whole.flops, "by": _COMPULSORY}
        | roofline(whole, target),
        "target": None if target is None else target.name,
        "notes": list(profiled.notes),
    }


def _told(row: ProfileRow, target: Target | None) -> Json:
    told: Json = {"name": row.name, "kind": str(row.kind), "us": row.us, "count": row.count}
    if row.kind is not DeviceWork.GENERATED:
        return told
    by = None if row.bytes is None else _MODELLED
    return told | {"bytes": row.bytes, "flops": row.flops, "by": by} | roofline(row, target)


def _bounded(rows: Sequence[ProfileRow]) -> list[ProfileRow]:
    """The longest rows, and the rest as one of each kind."""
    shown, rest = list(rows[:MOST_ROWS]), rows[MOST_ROWS:]
    for kind in DeviceWork:
        left = [row for row in rest if row.kind is kind]
        if left:
            name = f"{len(left)} more"
            shown.append(ProfileRow(kind, name, sum(row.us for row in left), sum(row.count for row in left)))
    return shown


def _whole(rows: Sequence[ProfileRow], operators: Mapping[str, float], reference: Reference) -> ProfileRow:
    """The whole program: compulsory bytes, and the FLOPs of all its parts, None where a kernel's are not known."""
    given = sum(spec.nbytes for spec in reference.inputs if isinstance(spec, TensorSpec))
    moved = given + sum(spec.nbytes for spec in reference.outputs)
    us, count = sum(row.us for row in rows), sum(row.count for row in rows)
    own = [row for row in rows if row.kind is DeviceWork.GENERATED]
    products = dict(operators)
    for row in own:
        for kind, done in row.products.items():
            products[kind] = products.get(kind, 0.0) + done
    known = [row.flops for row in own if row.flops is not None]
    flops = sum(known) + sum(operators.values()) if len(known) == len(own) else None
    return ProfileRow(DeviceWork.GENERATED, "", us, count, moved, flops, products)
