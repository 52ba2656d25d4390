"""A kernel that computes an image's channels in tiles of pixels, and what such a tile says of an element.

A program has a block of channels and a block of pixels. Pixels of all images are counted together, so that a block may
run over two images, until the tiles are kept within images: then each image begins with a new tile.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from kernelwright.ir.kernel.analysis.accesses import Access, Accesses
from kernelwright.ir.kernel.analysis.counters import Counter, Digits
from kernelwright.ir.kernel.analysis.digits import OPEN, Digit, Index, counts_up, paired
from kernelwright.ir.kernel.analysis.forms import Form
from kernelwright.ir.kernel.analysis.indices import Indices
from kernelwright.ir.kernel.folding import folded
from kernelwright.ir.kernel.merging.merged import typed, with_parameters, without_idle_parameters
from kernelwright.ir.kernel.merging.placing import Bound, Held, Place
from kernelwright.ir.kernel.merging.reading import Part, Reader, Tensor, UnfitError, conjuncts
from kernelwright.ir.kernel.merging.transport import Transport
from kernelwright.ir.kernel.rewriting import Rewriting
from kernelwright.ir.kernel.values import Constant, Function, Operand, Operation, Value

#: Channels that a tile can hold, and the least side of one that a product takes.
MOST_CHANNELS, LEAST_SIDE = 128, 16


@dataclass(frozen=True)
class Blocks:
    """`value` is `number * block + lanes`, and `mask` says that it is below `size`."""

    value: Value
    number: Value
    block: Value
    lanes: Operand
    mask: Value
    size: int
    dim: int


@dataclass(frozen=True)
class ImageTiles:
    """The kernel with its store; blocks of pixels of all images, and of channels, which the launch options `rows` and
    `columns` give the sizes of. `tile` numbers the programs of the same channels: they take `phases` parts of the same
    pixels in turn. `within`: how many images it kept tiles within before that was undone, 0 where it did not.
    """

    function: Function
    accesses: Accesses
    access: Access
    pixels: Blocks
    channels: Blocks
    tile: Value
    phases: int
    rows: str
    columns: str
    within: int

    @property
    def store(self) -> Operation:
        """The store of the tensor."""
        return self.access.operation

    @property
    def block(self) -> int:
        """The least block that holds all channels."""
        least = LEAST_SIDE if any(one.kind == "dot" for one in self.function.walk()) else 1
        return max(1 << (self.channels.size - 1).bit_length(), least)

    def with_all_channels(self) -> Function:
        """The kernel for tiles that hold all channels: the number of their blocks is 0."""
        edits = Rewriting(self.function)
        edits.replace(self.function.argument(self.columns), Constant(str(self.block)))
        edits.drop(self.columns)
        return folded(edits.raw())

    @property
    def inside(self) -> list[Operand]:
        """The conditions of the store that do not ask for a channel."""
        return [one for one in self._conditions if one != self.channels.mask]

    @property
    def _conditions(self) -> list[Operand]:
        return list(conjuncts(self.store.get("mask"), self.accesses.indices.definitions))

    @cached_property
    def _bounded(self) -> Mapping[str, tuple[Counter, Value]]:
        """Coordinates that the mask bounds beside pixels and channels, with the values that hold them."""
        found: dict[str, tuple[Counter, Value]] = {}
        indices = self.accesses.indices
        for condition in self._conditions:
            if condition in (self.pixels.mask, self.channels.mask):
                continue
            bound = compared(indices, condition)
            form = indices.form(bound[0]) if bound is not None else None
            if bound is None or form is None:
                raise UnfitError("the first kernel's mask says more than where pixels and channels end")
            value, size = bound
            if size is not None:
                name = f"coordinate {len(found)}"
                found[name] = Counter(name, form, size), value
        return found

    def placed(self, reader: Reader, images: int) -> "ImagePlace":
        """Where a tile has what the second kernel counts, in tiles within so many images. Raises UnfitError."""
        pixels, rest = divmod(self.pixels.size, images)
        if rest or self.within not in (0, images):
            raise UnfitError("the first kernel's pixels are not those of whole images")
        element = self._element(reader, pixels)
        pairs = paired(element, reader.index, reader.tensor.numel)
        if pairs is None:
            raise UnfitError("the two kernels count elements by digits that do not meet")
        digits: dict[str, list[tuple[int, Digit]]] = {}
        for digit, counted in pairs:
            turned = replace(digit, reverse=digit.reverse != counted.reverse)
            digits.setdefault(counted.variable, []).append((counted.step, turned))
        return ImagePlace(self, images, pixels, digits)

    def _element(self, reader: Reader, pixels: int) -> Index:
        """Which element is stored, as digits of image, place in it, channel, tile and bounded coordinates."""
        plain = self._plain
        bounded = [counter for counter, _ in self._bounded.values()]
        assert self.access.index is not None
        element = Digits([*plain, *bounded]).index(self.access.index)
        if element is None or element.offset:
            raise UnfitError("the first kernel does not store at a sum of digits of pixels and channels")
        if not counts_up([(f, d.size) for f, d in element.terms], reader.tensor.numel):
            raise UnfitError("the first kernel does not store each element once")
        self._check_once(element, Digits(plain), bounded)
        found = []
        for factor, digit in element.terms:
            found += list(_cut(factor, digit, pixels)) if digit.variable == "pixel" else [(factor, digit)]
        return Index.sum(found)

    @property
    def _plain(self) -> list[Counter]:
        forms = [self.accesses.indices.form(v) for v in (self.pixels.value, self.channels.value, self.tile)]
        sizes = (("pixel", self.pixels.size), ("channel", self.channels.size), ("tile", OPEN))
        lanes = [_lanes(form) for form in forms if form is not None]
        pairs = zip(sizes, forms, lanes, strict=True)
        return [Counter(name, form, size, lane) for (name, size), form, lane in pairs if form is not None]

    def _check_once(self, element: Index, plain: Digits, bounded: Sequence[Counter]) -> None:
        """Raise where pixels, phases and channels do not give each element once."""
        used = [digit for _, digit in element.terms if not digit.variable.startswith("coordinate")]
        if [digit.size for digit in used if digit.variable == "channel"] != [self.channels.size] * (
            self.channels.size > 1
        ):
            raise UnfitError("columns of the first kernel's tiles are more than channels")
        for counter in bounded:
            index = plain.index(counter.form)
            if index is None or not counts_up([(f, d.size) for f, d in index.terms], index.count - index.offset):
                raise UnfitError("a coordinate of the first kernel is no sum of digits of pixels")
            if index.offset > 0 or counter.size > index.count:
                raise UnfitError("the first kernel does not reach every value of a coordinate")
            used += [digit for _, digit in index.terms]
        sizes = {"pixel": self.pixels.size, "tile": self.phases, "channel": self.channels.size}
        for name, size in sizes.items():
            if not counts_up([(d.step, d.size) for d in used if d.variable == name], size):
                raise UnfitError(f"the first kernel stores for each {name} more or less than once")


@dataclass(frozen=True)
class ImagePlace:
    """Tiles within `images` images of `pixels` pixels; `digits` of the second kernel's counters in what they hold."""

    tiles: ImageTiles
    images: int
    pixels: int
    digits: Mapping[str, Sequence[tuple[int, Digit]]]

    def of(self, counter: str, variable: str) -> list[tuple[int, Digit]]:
        """The digits of a counter that are of `image`, `channel` or another variable: step in the counter, digit."""
        return [(step, digit) for step, digit in self.digits.get(counter, ()) if digit.variable == variable]

    def kept_within(self, edits: Rewriting) -> Place:
        """Keep the tiles of the edited kernel within images; what a tile then holds at its store."""
        tiles, pixels = self.tiles, self.tiles.pixels
        definitions = tiles.accesses.indices.definitions
        anchor = definitions[pixels.value]
        size, one = Constant(str(self.pixels)), Constant("1")
        total = edits.compute(anchor, "add", lhs=size, rhs=pixels.block)
        total = edits.compute(anchor, "sub", lhs=total, rhs=one)
        count = edits.compute(anchor, "floordiv", lhs=total, rhs=pixels.block)
        image = edits.compute(anchor, "floordiv", lhs=pixels.number, rhs=count)
        start = edits.compute(anchor, "mod", lhs=pixels.number, rhs=count)
        start = edits.compute(anchor, "mul", lhs=start, rhs=pixels.block)
        place = edits.compute(anchor, "add", lhs=start, rhs=pixels.lanes)
        first = edits.compute(anchor, "mul", lhs=image, rhs=size)
        edits.replace(pixels.value, edits.compute(anchor, "add", lhs=first, rhs=place))
        edits.replace(pixels.mask, edits.compute(definitions[pixels.mask], "lt", lhs=place, rhs=size))
        return Place(tiles.store, self._shape(), self._held(image, place), self._bounds(), self.digits, Index())

    def _shape(self) -> tuple[Operand, ...]:
        pointer = self.tiles.store.get("pointer")
        assert pointer is not None
        shape = self.tiles.accesses.indices.shapes.of(pointer)
        assert shape is not None
        return shape

    def _held(self, image: Value, place: Value) -> dict[str, Held]:
        tiles = self.tiles
        row, column = frozenset({tiles.pixels.dim}), frozenset({tiles.channels.dim})
        held = {
            "image": Held(image, frozenset(), self.images),
            "place": Held(place, row, self.pixels),
            "channel": Held(tiles.channels.value, column, tiles.channels.size),
            "tile": Held(tiles.tile, frozenset(), OPEN),
        }
        return held | {name: Held(value, row, one.size) for name, (one, value) in tiles._bounded.items()}

    def _bounds(self) -> tuple[Bound, ...]:
        tiles = self.tiles
        named: dict[Operand, str] = {tiles.pixels.mask: "place", tiles.channels.mask: "channel"}
        values = {value: name for name, (_, value) in tiles._bounded.items()}
        found = []
        for condition in tiles._conditions:
            bound = compared(tiles.accesses.indices, condition)
            name = named.get(condition) or (values.get(bound[0], "") if bound is not None else "")
            found.append(Bound(condition, frozenset({name})))
        return tuple(found)


def compared(indices: Indices, condition: Operand) -> tuple[Value, int | None] | None:
    """A value that a condition says is below a number, or with None, is not below 0; None for another condition."""
    made = indices.definitions.get(condition) if isinstance(condition, Value) else None
    if made is None or made.kind not in ("lt", "le", "gt", "ge"):
        return None
    kind, (value, end) = made.kind, made.operands
    if not isinstance(end, Constant):
        kind, value, end = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}[kind], end, value
    number = end.number if isinstance(end, Constant) else None
    if not isinstance(value, Value) or not isinstance(number, int):
        return None
    if kind in ("lt", "le"):
        return value, number + (kind == "le")
    return (value, None) if number == (0 if kind == "ge" else -1) else None


def _lanes(form: Form) -> Value | None:
    found = [leaf.value for leaf in form.leaves if leaf.dims]
    return found[0] if found else None


def _cut(factor: int, digit: Digit, pixels: int) -> Iterator[tuple[int, Digit]]:
    """A digit of pixels as digits of images and of places in one."""
    inner = pixels // digit.step
    if digit.step >= pixels and digit.step % pixels == 0:
        yield factor, replace(digit, variable="image", step=digit.step // pixels)
    elif digit.step * digit.size <= pixels:
        yield factor, replace(digit, variable="place")
    elif inner * digit.step == pixels and digit.size % inner == 0:
        yield factor, replace(digit, variable="place", size=inner)
        yield factor * inner, replace(digit, variable="image", step=1, size=digit.size // inner)
    else:
        raise UnfitError("the first kernel's pixels are not those of whole images")


def done_in_tiles(tiles: ImageTiles, second: Part, tensor: Tensor, names: Mapping[str, str], symbol: str) -> Function:
    """The kernel of tiles that does with its tensor what the second kernel does by element, and stores only that.

    `names`: what the second's parameters are called in it. Raises UnfitError where the second does more.
    """
    second = replace(second, function=typed(second.function, tensor.read, tensor.dtype))
    reader = Reader(second, tensor)
    place = tiles.placed(reader, tiles.within or 1)
    added = [replace(p, name=names[p.name], default="") for p in second.function.parameters if p.name in names]
    function = with_parameters(tiles.function, added, symbol)
    edits = Rewriting(function)
    own = zip(second.function.parameters, second.function.body.arguments, strict=True)
    known = {value: function.argument(names[one.name]) for one, value in own if one.name in names}
    Transport(reader, place.kept_within(edits), edits, known).run()
    edits.erase(tiles.store)
    return without_idle_parameters(edits.done())
