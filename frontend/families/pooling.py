"""Windows over the last axes: maxima, averages, powers, and sizes changed."""

from kernelwright.frontend.families.convolutions import each, image, number, spelled
from kernelwright.frontend.families.family import family
from kernelwright.frontend.families.pointwise import few
from kernelwright.frontend.families.sketch import Sketch


@family("pooling")
def pooling(sketch: Sketch) -> None:
    """One pooling, perhaps prepared and finished."""
    axes = sketch.one(1, 2, 2, 2, 3)
    value = few(sketch, image(sketch, sketch.one(1, 2, 3, 4), axes), 1)
    few(sketch, sketch.one(_largest, _average, _average, _global, _resized)(sketch, value, axes), 2)


def _call(sketch: Sketch, name: str, value: str, kernel: tuple[int, ...], options: list[str]) -> str:
    return sketch.let(f"F.{name}({', '.join([value, number(kernel), *filter(None, options)])})")


def _largest(sketch: Sketch, value: str, axes: int) -> str:
    kernel = each(sketch, axes, 2, 3, 3, 4, 5) if axes < 3 else each(sketch, axes, 2, 3)
    options = [f"stride={number(each(sketch, axes, 1, 2, 3))}", spelled("padding", each(sketch, axes, 0, 0, 1))]
    options += [spelled("dilation", each(sketch, axes, 1, 1, 1, 2)), sketch.one("", "", "ceil_mode=True")]
    if sketch.chance(0.15):  # the smallest
        return sketch.let(f"-{_call(sketch, f'max_pool{axes}d', f'-{value}', kernel, options)}")
    return _call(sketch, f"max_pool{axes}d", value, kernel, options)


def _average(sketch: Sketch, value: str, axes: int) -> str:
    kernel = each(sketch, axes, 2, 3, 3, 4, 5) if axes < 3 else each(sketch, axes, 2, 3)
    options = [f"stride={number(each(sketch, axes, 1, 2, 3))}"]
    if sketch.chance(0.2) and axes < 3:
        return _call(sketch, f"lp_pool{axes}d", f"{value}.abs() + 0.1", (2,), [number(kernel), *options])
    options += [spelled("padding", each(sketch, axes, 0, 0, 1))]
    options += [sketch.one("", "", "ceil_mode=True"), sketch.one("", "", "count_include_pad=False")]
    return _call(sketch, f"avg_pool{axes}d", value, kernel, options)


def _global(sketch: Sketch, value: str, axes: int) -> str:
    name = sketch.one("adaptive_avg_pool", "adaptive_avg_pool", "adaptive_max_pool")
    found = sketch.let(f"F.{name}{axes}d({value}, {number(each(sketch, axes, 1, 1, 2, 3))})")
    return sketch.let(f"{found}.flatten(1)") if sketch.chance(0.4) else found


def _resized(sketch: Sketch, value: str, axes: int) -> str:
    if axes == 2 and sketch.chance(0.4):
        mode = sketch.one("bilinear", "nearest")
        corners = f", align_corners={sketch.one('True', 'False')}" if mode == "bilinear" else ""
        return sketch.let(f"F.interpolate({value}, scale_factor=2, mode='{mode}'{corners})")
    sides = ", ".join(str(sketch.one(0, 1, 2)) for _ in range(2 * axes))
    mode = sketch.one("constant", "constant", "reflect", "replicate")
    filled = f", value={sketch.number(-1, 1)}" if mode == "constant" and sketch.chance(0.6) else ""
    padded = sketch.let(f"F.pad({value}, ({sides}), mode='{mode}'{filled})")
    return _call(sketch, f"{sketch.one('max', 'avg')}_pool{axes}d", padded, each(sketch, axes, 2, 3), [])
