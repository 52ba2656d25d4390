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
from kernelwright.ir.kernel.analysis.forms import Division, Form
from kernelwright.ir.kernel.analysis.indices import Indices
from kernelwright.ir.kernel.analysis.launches import Launches
from kernelwright.ir.kernel.folding import folded
from kernelwright.ir.kernel.merging.merged import typed, with_parameters, without_idle_parameters
from kernelwright.ir.kernel.merging.placing import Bound, Held, Place
from kernelwright.ir.kernel.merging.reading import Part, Reader, Tensor, UnfitError, conjuncts
from kernelwright.ir.kernel.merging.transport import Transport
from kernelwright.ir.kernel.rewriting import Rewriting
from kernelwright.ir.kernel.values import Constant, Function, Operand, Operation, Value

#: Channels that a tile can hold, and the least side of one that a product takes.
MOST_CHANNELS, LEAST_SIDE = 128, 16
_NOT_TILES = "the first kernel does not store a tile of pixels by channels, in blocks of each"


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

    @classmethod
    def of(cls, part: Part, parameter: str) -> "ImageTiles":
        """Read a kernel that stores a tensor by this parameter. Raises UnfitError for another."""
        accesses, access = _only_store(part, parameter)
        blocks = list(_blocks(accesses.indices, access))
        channels = [one for one in blocks if _divided(accesses.indices, one.number, "mod") is not None]
        program = accesses.indices.form(_program(part.function))
        columns = [one for one in channels if _divided(accesses.indices, one.number, "mod")[0] == program]  # type: ignore[index]
        rows = [one for one in blocks if one not in columns]
        if len(columns) != 1 or len(rows) != 1:
            raise UnfitError(_NOT_TILES)
        if not _in_blocks(accesses.indices, columns[0]):
            raise UnfitError(_NOT_TILES)
        if rows[0] in channels:
            return _whole(part, parameter, accesses, rows[0], columns[0])
        tile, phases = _tile(accesses.indices, rows[0].number, columns[0].number)
        names = {
            value: one.name for one, value in zip(part.function.parameters, part.function.body.arguments, strict=True)
        }
        options = names.get(rows[0].block, ""), names.get(columns[0].block, "")
        found = cls(part.function, accesses, access, rows[0], columns[0], tile, phases, *options, 0)
        if not found.rows or not found.columns or _images(part, rows[0], columns[0], phases) != 1:
            raise UnfitError(_NOT_TILES)
        return found

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
            compared = _compared(indices, condition)
            form = indices.form(compared[0]) if compared is not None else None
            if compared is None or form is None:
                raise UnfitError("the first kernel's mask says more than where pixels and channels end")
            value, size = compared
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
            compared = _compared(tiles.accesses.indices, condition)
            name = named.get(condition) or (values.get(compared[0], "") if compared is not None else "")
            found.append(Bound(condition, frozenset({name})))
        return tuple(found)


def _only_store(part: Part, parameter: str) -> tuple[Accesses, Access]:
    """The only access by a parameter: a store that is a statement of the kernel's body."""
    function = part.function
    accesses, argument = Accesses(function, part.launches), function.argument(parameter)
    found = [one for one in accesses.all if one.base == argument]
    stores = [one for one in found if one.operation.kind == "store" and one.index is not None]
    outside = any(found and one is found[0].operation for one in function.body.operations)
    if len(found) != 1 or not stores or not outside or len(function.uses().get(argument, ())) != 1:
        raise UnfitError("the first kernel does not store the tensor once, outside of loops")
    if (
        isinstance(found[0].operation.get("value"), Constant)
        or len(accesses.indices.shapes.of(found[0].operation.operands[0]) or ()) != 2
    ):
        raise UnfitError(_NOT_TILES)
    return accesses, found[0]


def _program(function: Function) -> Operand:
    """The number of a program along the grid's first axis."""
    for one in function.walk():
        if one.kind == "program_id" and one.operands[0] == Constant("0"):
            return one.result
    raise UnfitError(_NOT_TILES)


def _blocks(indices: Indices, access: Access) -> Iterator[Blocks]:
    """What the store's mask bounds that is made of blocks: a multiple of a block's size, and lanes."""
    for condition in conjuncts(access.operation.get("mask"), indices.definitions):
        value, size = _compared(indices, condition) or (None, None)
        found = _parts(indices, value) if value is not None else None
        if found is not None and value is not None and size is not None and isinstance(condition, Value):
            number, block, lanes, dim = found
            yield Blocks(value, number, block, lanes, condition, size, dim)


def _compared(indices: Indices, condition: Operand) -> tuple[Value, int | None] | None:
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


def _parts(indices: Indices, value: Operand) -> tuple[Value, Value, Operand, int] | None:
    """Number, block, lanes and dimension of `number * block + lanes`."""
    made = indices.definitions.get(value) if isinstance(value, Value) else None
    for start, lanes in (made.operands, made.operands[::-1]) if made is not None and made.kind == "add" else ():
        form = indices.form(lanes)
        lane = next(iter(form.leaves)) if form is not None and len(form.leaves) == 1 else None
        own = indices.definitions.get(lane.value) if lane is not None else None
        scaled = indices.definitions.get(start) if isinstance(start, Value) else None
        if own is None or own.kind != "arange" or lane is None or len(lane.dims) != 1 or form != Form.of({(lane,): 1}):
            continue
        if scaled is None or scaled.kind != "mul" or own.operands[0] != Constant("0"):
            continue
        block = own.operands[1]
        number = [one for one in scaled.operands if one != block]
        if block in scaled.operands and len(number) == 1 and isinstance(number[0], Value) and isinstance(block, Value):
            return number[0], block, lanes, lane.dims[0]
    return None


def _divided(indices: Indices, value: Operand, kind: str) -> tuple[Form, Form] | None:
    """What is divided and what by, where a value is one quotient or remainder."""
    form = indices.form(value)
    product = form.terms[0] if form is not None and len(form.terms) == 1 else None
    if product is None or product[1] != 1 or len(product[0]) != 1:
        return None
    factor = product[0][0]
    return (factor.form, factor.divisor) if isinstance(factor, Division) and factor.kind == kind else None


def _in_blocks(indices: Indices, one: Blocks) -> bool:
    """Whether the number of blocks that a program's number is divided by is that of all blocks."""
    found, block = _divided(indices, one.number, "mod"), _form(indices, one.block)
    assert found is not None
    last = Form.number(one.size - 1).plus(block)
    if found[1] == last.divided("floordiv", block):
        return True
    leaves = list(found[1].leaves) if len(found[1].terms) == 1 else []
    made = indices.definitions.get(leaves[0].value) if len(leaves) == 1 else None
    return (
        made is not None
        and made.kind in ("cdiv", "triton.cdiv")
        and made.operands == (Constant(str(one.size)), one.block)
    )


def _tile(indices: Indices, rows: Value, columns: Value) -> tuple[Value, int]:
    """The number of a program among those of the same channels, and the phases that `rows` divides it by."""
    channels, phases = _divided(indices, columns, "mod"), 1
    while channels is not None:
        made, found = indices.definitions.get(rows), _divided(indices, rows, "floordiv")
        if found is None or made is None or made.kind != "floordiv" or not isinstance(made.operands[0], Value):
            break
        if found == channels:
            return rows, phases
        if found[1].constant is None:
            break
        rows, phases = made.operands[0], phases * found[1].constant
    raise UnfitError(_NOT_TILES)


def _whole(part: Part, parameter: str, accesses: Accesses, rows: Blocks, columns: Blocks) -> ImageTiles:
    """The kernel as it was before its tiles were kept within images: `rows` counts the places in one."""
    indices, place = accesses.indices, _form(accesses.indices, rows.value)
    number = indices.definitions[rows.number].operands[0]
    found = _divided(indices, rows.number, "mod")
    assert found is not None and isinstance(number, Value)
    image = Form.of({(Division("floordiv", *found),): 1})
    whole = place.plus(image, rows.size)
    pixel = next((one for one in indices.definitions if indices.form(one) == whole), None)
    if pixel is None or not _in_blocks(indices, rows):
        raise UnfitError(_NOT_TILES)
    _, phases = _tile(indices, number, columns.number)
    images = _images(part, rows, columns, phases)
    edits = Rewriting(part.function)
    anchor = indices.definitions[rows.value]
    start = edits.compute(anchor, "mul", lhs=number, rhs=rows.block)
    made = edits.compute(anchor, "add", lhs=start, rhs=rows.lanes)
    edits.replace(pixel, made)
    end = Constant(str(images * rows.size))
    edits.replace(rows.mask, edits.compute(indices.definitions[rows.mask], "lt", lhs=made, rhs=end))
    grid = [replace(one, grid=(_programs(part, rows, columns, phases, images),)) for one in part.launches.all]
    whole_part = replace(part, function=edits.raw(), launches=Launches(tuple(grid)))
    return replace(ImageTiles.of(whole_part, parameter), within=images)


def _form(indices: Indices, value: Operand) -> Form:
    """The form of an integer that has one."""
    form = indices.form(value)
    assert form is not None
    return form


def _images(part: Part, rows: Blocks, columns: Blocks, phases: int) -> int:
    """How many times the programs of a launch have all blocks of rows and columns."""
    sizes = _sizes(part)
    programs = part.launches.programs(0)
    if programs is None or not {rows.block, columns.block} <= sizes.keys():
        raise UnfitError(_NOT_TILES)
    each = -(-rows.size // sizes[rows.block]) * -(-columns.size // sizes[columns.block]) * phases
    images, rest = divmod(programs, each)
    if rest or part.launches.programs(1) != 1 or part.launches.programs(2) != 1:
        raise UnfitError(_NOT_TILES)
    return images


def _programs(part: Part, rows: Blocks, columns: Blocks, phases: int, images: int) -> int:
    """How many programs there are where tiles run over images."""
    sizes = _sizes(part)
    return -(-images * rows.size // sizes[rows.block]) * -(-columns.size // sizes[columns.block]) * phases


def _sizes(part: Part) -> dict[Value, int]:
    """The sizes of blocks by their parameters' values."""
    pairs = zip(part.function.parameters, part.function.body.arguments, strict=True)
    return {value: part.blocks[one.name] for one, value in pairs if one.name in part.blocks}


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
