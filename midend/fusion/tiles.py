"""Kernels that the convolution templates write, whatever was fused into them since: which element of the result a
program's tile of pixels by channels holds where.

In the wide form of a template columns stand beside the channels for outputs, too, and pixels for blocks of these."""

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass
from math import prod

from kernelwright.ir.host.statements import Expression
from kernelwright.ir.kernel.analysis.digits import OPEN, Index, counts_up
from kernelwright.midend.analysis.digits import index_of
from kernelwright.midend.analysis.launches import HostLaunch
from kernelwright.midend.analysis.pointwise import conjunction, mask_of
from kernelwright.midend.analysis.trees import pointer_sum

#: What templates call coordinates of the result, apart from the channel.
COORDINATES = ("batch", "oz", "oy", "ox")
#: The number of a program among those that have the same channels, and what templates may call it.
PROGRAM, _CALLED = "tl.program_id(0) // tiles", "tile"
_CHANNELS = re.compile(r"\((\d+) \+ NBLOCK - 1\) // NBLOCK")
_OF_COLUMN = re.compile(r"column % (\d+)")
_CHANNEL = re.compile(r"tl\.program_id\(0\) % tiles \* NBLOCK \+ tl\.arange\(0, NBLOCK\)\[(None, :|:, None)\]")
_PIXEL = re.compile(r"(?P<program>.+) \* MBLOCK \+ tl\.arange\(0, MBLOCK\)\[(?P<shape>None, :|:, None)\]")
_WITHIN = re.compile(r"(\d+) \* triton\.cdiv\((\d+), ")


@dataclass(frozen=True)
class Tile:
    """The tile of a program. `coordinates`: by name, the step of each in the result's elements and how many there are.
    `axis`: that of pixels in a tile; `valid`: the mask of its elements, `exists`: the name of that of its outputs,
    whatever the channel; `within`: whether tiles are kept within images.
    """

    channels: int
    coordinates: Mapping[str, tuple[int, int]]
    axis: int
    valid: str
    exists: str
    within: bool

    @classmethod
    def of(cls, launch: HostLaunch, store: ast.Call, pointer: str, numel: int) -> "Tile | None":
        """Read a kernel that stores its result of `numel` elements, without gaps, by this pointer; None for another."""
        made = _assigned(launch.function)
        within = "place" in made
        if within:
            _forget_images(made, launch)
        wide = "column" in made
        column, exists = ("column", "stored") if wide else ("channel", "inside")
        columns, lanes = _CHANNELS.fullmatch(made.get("tiles", "")), _CHANNEL.fullmatch(made.get(column, ""))
        channels = _OF_COLUMN.fullmatch(made.get("channel", "")) if wide else columns
        pixel, valid = _PIXEL.fullmatch(made.get("pixel", "")), mask_of(store)
        offset = pointer_sum(store.args[0], pointer)
        if channels is None or columns is None or lanes is None or pixel is None or pixel["shape"] == lanes[1]:
            return None
        count, width, limits = int(channels[1]), int(columns[1]), _limits(made, exists)
        whole = _parts(ast.Name(exists), made) | {f"{column} < {width}"}
        if valid is None or offset is None or limits is None or _parts(valid, made) != whole:
            return None
        known = {_CALLED: Index.whole(_CALLED, OPEN), "pixel": Index.whole("pixel", limits["pixel"])}
        known |= {"column": Index.whole("column", width)} if wide else {}
        _evaluate(made, known)
        rest = index_of(_expression(pixel["program"]), known)
        phases = rest.terms[0][1].step if rest is not None and len(rest.terms) == 1 else 0
        sizes = _sizes(known, limits, phases, (count, width))
        images = known["batch"].count if sizes else 1
        if sizes is None or limits["pixel"] % images or numel != count * prod(sizes.values()):
            return None
        coordinates = _coordinates(offset, made, sizes | {"channel": count}, numel)
        if coordinates is None:
            return None
        axis = 0 if pixel["shape"] == ":, None" else 1
        return cls(count, coordinates, axis, ast.unparse(valid), exists, within)

    def whole_grid(self, launch: HostLaunch) -> Expression | None:
        """The launch's grid for tiles of all channels; None where it is not the templates'."""
        text, channels = launch.grid.text, f"triton.cdiv({self.channels}, {launch.kernel.meta_name}['NBLOCK'])"
        if "NBLOCK" not in launch.constexprs:  # the kernel's tiles are such
            return launch.grid if "NBLOCK" not in text else None
        rest = text.replace(f"{channels} * ", "", 1)
        return Expression(rest) if rest != text and "NBLOCK" not in rest else None


def _assigned(function: ast.FunctionDef) -> dict[str, str]:
    """Names that the body binds once, outside of loops -> their values as text, in order."""
    made: dict[str, list[str]] = {}
    for statement in function.body:
        match statement:
            case ast.Assign(targets=[ast.Name(name)], value=value):
                made.setdefault(name, []).append(ast.unparse(value))
            case ast.AnnAssign(target=ast.Name(name), value=ast.expr() as value):
                made.setdefault(name, []).append(ast.unparse(value))
    return {name: texts[0] for name, texts in made.items() if len(texts) == 1}


def _forget_images(made: dict[str, str], launch: HostLaunch) -> None:
    """Read tiles that are kept within images as if they were not."""
    grid, place = _WITHIN.search(launch.grid.text), made["place"]
    pixels = int(grid[2]) if grid else 0
    if grid and made.get("pixel") == f"image * {pixels} + place" and " % image_tiles * " in place and "inside" in made:
        made["pixel"] = place.replace(" % image_tiles * ", " * ", 1)
        made["inside"] = made["inside"].replace(f"place < {pixels}", f"pixel < {int(grid[1]) * pixels}", 1)


def _expression(text: str) -> ast.expr:
    """An expression in which the program's number has its name."""
    return ast.parse(text.replace(PROGRAM, _CALLED), mode="eval").body


def _evaluate(made: Mapping[str, str], known: dict[str, Index]) -> None:
    """Add what names hold, as far as it is a sum of digits of what is known."""
    for name, text in made.items():
        index = index_of(_expression(text), known) if name not in known else None
        if index is not None:
            known[name] = index


def _limits(made: Mapping[str, str], exists: str) -> dict[str, int] | None:
    """What the mask of outputs says of pixels and coordinates: how many there are; None where it says anything else."""
    matches = [re.fullmatch(r"(\w+) (?:< (\d+)|>= 0)", part) for part in _parts(ast.Name(exists), made)]
    limits = {match[1]: int(match[2]) for match in matches if match and match[2]}
    known = all(matches) and {match[1] for match in matches if match} <= {"pixel", *COORDINATES}
    return limits if known and "pixel" in limits else None


def _parts(mask: ast.expr, made: Mapping[str, str]) -> set[str]:
    """The conditions of a mask, names replaced by what they hold."""
    parts = set[str]()
    for part in conjunction(mask):
        if isinstance(part, ast.Name) and part.id in made:
            parts |= _parts(_expression(made[part.id]), made)
        else:
            parts.add(ast.unparse(part))
    return parts


def _sizes(
    known: Mapping[str, Index], limits: Mapping[str, int], phases: int, columns: tuple[int, int]
) -> dict[str, int] | None:
    """How many there are of each coordinate; None where they do not tell all pixels, phases and columns apart, of which
    there are so many channels and so many columns."""
    found = {name: known[name] for name in COORDINATES if name in known}
    digits = [term for index in found.values() for term in index.terms]
    places = {
        name: [(d.step, d.size) for _, d in digits if d.variable == name] for name in ("pixel", _CALLED, "column")
    }
    channels, width = columns
    told = counts_up(places["pixel"], limits["pixel"]) and counts_up(places[_CALLED], phases)
    told &= counts_up([(1, channels), *places["column"]], width)
    plain = all(
        counts_up([(f, d.size) for f, d in i.terms], i.count - i.offset)
        and (not i.offset or (i.offset < 0 and limits.get(name, i.count + 1) <= i.count))
        for name, i in found.items()
    )
    batch = known["batch"].terms if "batch" in known else ()
    last = all(d.variable == "pixel" and d.step * d.size == limits["pixel"] for _, d in batch) and len(batch) < 2
    if not told or not plain or not last or "batch" not in known:
        return None
    return {name: min(index.count, limits.get(name, index.count)) for name, index in found.items()}


def _coordinates(
    offset: ast.expr, made: Mapping[str, str], sizes: Mapping[str, int], numel: int
) -> dict[str, tuple[int, int]] | None:
    """The step and size of each coordinate that has several values; None where they do not give every element once."""
    known = {name: Index.whole(name, size) for name, size in sizes.items()}
    _evaluate(made, known)
    at = index_of(offset, known)
    if at is None or at.offset or not counts_up([(factor, digit.size) for factor, digit in at.terms], numel):
        return None
    found = {digit.variable: (factor, digit.size) for factor, digit in at.terms}
    return found if len(found) == len(at.terms) else None
