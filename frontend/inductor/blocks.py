"""First launch options for a lowered kernel: Inductor's own, or where it has none sound ones; tuned later."""

import ast
import math
from collections.abc import Mapping
from typing import Any

from kernelwright.backend.targets import Target
from kernelwright.frontend.inductor.heuristics import launch_options, measured_options
from kernelwright.frontend.inductor.kernel_text import InductorKernel
from kernelwright.ir.values import Scalar

#: Elements of one program's tile. A GPU block of 4 to 8 warps covers it with 4 to 16 elements a thread.
TILE = 2048
#: Programs that a large GPU wants at least, and the blocks by which a grid is cut.
PROGRAMS, AXES = 256, ("XBLOCK", "YBLOCK", "ZBLOCK")
#: The blocks up to which Inductor leaves masks out where they divide a size.
LARGEST = {"XBLOCK": 4096, "YBLOCK": 1024, "ZBLOCK": 1024, "R0_BLOCK": 65536, "R1_BLOCK": 2048}


def _power_of_two(value: int) -> int:
    """The least power of two that is at least `value`."""
    return 1 << max(value - 1, 0).bit_length()


#: Values for the constexpr parameters, then num_warps and perhaps num_stages.
Meta = tuple[tuple[str, Scalar], ...]


def choose_meta(kernel: InductorKernel, constexprs: tuple[str, ...], target: Target) -> Meta:
    """What is likely the best of what Inductor would measure, or what is sound where it does not say."""
    known = [options for options in launch_options(kernel, target) if set(constexprs) <= set(options)]
    if not known:
        return _sound_meta(kernel, constexprs)
    fixed = _fixed_reduction_block(kernel)
    options = min(known, key=lambda one: _distance(kernel, {name: one[name] for name in constexprs}, fixed))
    return _spelt(options, constexprs)


def measured_metas(kernel: InductorKernel, constexprs: tuple[str, ...], target: Target) -> list[Meta]:
    """All that Inductor would measure; what `choose_meta` gives where it does not say."""
    known = [options for options in measured_options(kernel, target) if set(constexprs) <= set(options)]
    return [_spelt(one, constexprs) for one in known] or [choose_meta(kernel, constexprs, target)]


def _spelt(options: Mapping[str, Scalar], constexprs: tuple[str, ...]) -> Meta:
    return tuple((name, options[name]) for name in (*constexprs, "num_warps", "num_stages") if name in options)


def _distance(kernel: InductorKernel, blocks: Mapping[str, Any], fixed: int) -> float:
    """How far a tile is from what Inductor would find best among several: of the usual size, and enough of them."""
    sizes = {f"{axis.upper()}BLOCK": hint for axis, hint in kernel.size_hints.items()}
    programs = math.prod(max(sizes.get(name, 1) / blocks[name], 1.0) for name in AXES if name in blocks)
    return abs(math.log2(fixed * math.prod(blocks.values()) / TILE)) + max(math.log2(PROGRAMS / programs), 0.0)


def _sound_meta(kernel: InductorKernel, constexprs: tuple[str, ...]) -> Meta:
    """Block sizes that fit the sizes, and num_warps that fit the tile."""
    sizes = {f"{prefix.rstrip('_').upper()}": _power_of_two(hint) for prefix, hint in kernel.size_hints.items()}
    hints = {name: sizes.get(name.removesuffix("BLOCK").rstrip("_"), 1) for name in constexprs}
    reduced = [name for name in constexprs if name.startswith("R") and name.endswith("BLOCK")]
    fixed = _fixed_reduction_block(kernel)
    meta: dict[str, int] = {}
    room = max(TILE // fixed, 1)
    for name in reduced:
        share = 64 if kernel.hints.get("reduction_hint") == "OUTER" else 1024
        meta[name] = min(hints[name], share, LARGEST.get(name, 1024), max(room, 1))
        room = max(room // meta[name], 1)
    axes = [name for name in constexprs if name in AXES]
    # Two-axis tiles are kept square, since either axis may be the one that is contiguous.
    side = room if len(axes) < 2 else 32
    for name in sorted(axes):
        meta[name] = max(min(hints[name], side, LARGEST[name], max(room, 1)), 1)
        room = max(room // meta[name], 1)
    for name in constexprs:
        meta.setdefault(name, 1)
    tile = fixed
    for value in meta.values():
        tile *= value
    ordered: dict[str, Scalar] = {name: meta[name] for name in constexprs}
    ordered["num_warps"] = max(1, min(8, tile // 256))
    return tuple(ordered.items())


def _fixed_reduction_block(kernel: InductorKernel) -> int:
    """The product of the block sizes that the kernel fixes itself: a persistent reduction's."""
    product = 1
    for statement in kernel.function.body:
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.value, ast.Constant):
            name = statement.target.id if isinstance(statement.target, ast.Name) else ""
            if name in LARGEST and isinstance(statement.value.value, int):
                product *= statement.value.value
    return product


def grid_sizes(dropped: Mapping[str, int]) -> dict[str, int]:
    """The launch axes that a kernel has, with their sizes: `{"x": 1024, "y": 8}`."""
    return {axis: dropped[f"{axis}numel"] for axis in ("x", "y", "z") if f"{axis}numel" in dropped}
