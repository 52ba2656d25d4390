"""Reading a kernel as one that computes an image's channels in tiles of pixels."""

from collections.abc import Iterator
from dataclasses import replace

from kernelwright.ir.kernel.analysis.accesses import Access, Accesses
from kernelwright.ir.kernel.analysis.forms import Division, Form
from kernelwright.ir.kernel.analysis.indices import Indices
from kernelwright.ir.kernel.analysis.launches import Launches
from kernelwright.ir.kernel.merging.reading import Part, UnfitError, conjuncts
from kernelwright.ir.kernel.rewriting import Rewriting
from kernelwright.ir.kernel.values import Constant, Function, Operand, Value
from kernelwright.midend.fusion.image_tiles import Blocks, ImageTiles, compared

_NOT_TILES = "the first kernel does not store a tile of pixels by channels, in blocks of each"


def read_tiles(part: Part, parameter: str) -> ImageTiles:
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
    names = {value: one.name for one, value in zip(part.function.parameters, part.function.body.arguments, strict=True)}
    options = names.get(rows[0].block, ""), names.get(columns[0].block, "")
    found = ImageTiles(part.function, accesses, access, rows[0], columns[0], tile, phases, *options, 0)
    if not found.rows or not found.columns or _images(part, rows[0], columns[0], phases) != 1:
        raise UnfitError(_NOT_TILES)
    return found


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
        value, size = compared(indices, condition) or (None, None)
        found = _parts(indices, value) if value is not None else None
        if found is not None and value is not None and size is not None and isinstance(condition, Value):
            number, block, lanes, dim = found
            yield Blocks(value, number, block, lanes, condition, size, dim)


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
    return replace(read_tiles(whole_part, parameter), within=images)


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
