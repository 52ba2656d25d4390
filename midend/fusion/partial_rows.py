"""A loop that reduces rows, in two parts: what a tile of another kernel comes to, and how parts become whole rows."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from kernelwright.ir.kernel.analysis.counters import Counter, moved_to
from kernelwright.ir.kernel.analysis.digits import Digit, size_of
from kernelwright.ir.kernel.analysis.forms import Form
from kernelwright.ir.kernel.building import effect_of
from kernelwright.ir.kernel.merging.merged import typed, with_parameters, without_idle_parameters
from kernelwright.ir.kernel.merging.reading import Part, Reader, Tensor, UnfitError, conjuncts
from kernelwright.ir.kernel.merging.transport import Transport
from kernelwright.ir.kernel.rewriting import Rewriting
from kernelwright.ir.kernel.sums import Sums
from kernelwright.ir.kernel.values import Constant, Effect, Function, Operand, Operation, Parameter, Region, Value
from kernelwright.ir.values import Scalar
from kernelwright.midend.fusion.image_reading import read_tiles
from kernelwright.midend.fusion.image_tiles import ImagePlace
from kernelwright.midend.rows.accumulators import Accumulator, accumulators

#: How many parts there are for each channel of an image, as a parameter of the kernel that joins them.
SLABS = "slabs"
#: Elements that a program joins in a round, rows that lie side by side in it at most, and programs wanted before those.
ROUND, SIDE, PROGRAMS = 1024, 16, 256


@dataclass(frozen=True)
class PartialRows:
    """The first loop of `second`, which reads all of `tensor` and does nothing but reduce it: the tiles of `place`
    hold what it reads."""

    second: Part
    functions: Mapping[str, Function]
    tensor: Tensor
    loop: Operation
    reader: Reader
    accumulators: tuple[Accumulator, ...]
    place: ImagePlace

    @classmethod
    def of(
        cls, first: Part, second: Part, functions: Mapping[str, Function], tensor: Tensor, images: int
    ) -> "PartialRows":
        """For a tensor of so many images. Raises UnfitError where rows leave out pixels of an image, or the loop does
        more than reduce."""
        function = typed(second.function, tensor.read, tensor.dtype)
        second = replace(second, function=function)
        loop = next((one for one in function.body.operations if one.kind == "for"), None)
        if loop is None:
            raise UnfitError("the second kernel has no loop over rows")
        found = accumulators(function, loop, functions)
        reader = Reader(replace(second, function=_slice(function, loop, found)), tensor)
        tiles = read_tiles(first, tensor.stored)
        place = tiles.placed(reader, images)
        rows = cls(second, functions, tensor, loop, reader, found, place)
        rows._check()
        return rows

    @property
    def names(self) -> tuple[str, ...]:
        """What is stored of each tile: a name for each accumulator."""
        return tuple(name for one in self.accumulators for name in one.names)

    @cached_property
    def row(self) -> Counter:
        """The counter of a row's elements: the loop's."""
        turn = self.loop.regions[0].arguments[0]
        found = [one for one in self.reader.counters.all if any(leaf.value == turn for leaf in one.form.leaves)]
        found = [one for one in found if one.lanes is not None]
        if len(found) != 1:
            raise UnfitError("the second kernel's loop does not count a row's elements in blocks")
        return found[0]

    @cached_property
    def rows(self) -> tuple[Counter, ...]:
        """The counters of rows."""
        return tuple(one for one in self.reader.counters.all if one.name in self.place.digits and one != self.row)

    @property
    def images(self) -> int:
        """How many images a row runs over."""
        return self.place.images if self.place.of(self.row.name, "image") else 1

    @cached_property
    def reads_again(self) -> bool:
        """Whether the kernel reads the tensor after the loop, too."""
        pointers = [f"{self.tensor.read}_{name}" for name in self.names]
        return any(one.name == self.tensor.read for one in self.whole("whole", pointers).parameters)

    def _check(self) -> None:
        """Raise where the loop does not join all of a row and nothing else, or rows are not made of whole images."""
        lanes = {leaf.value: leaf.dims for leaf in self.index.leaves}
        for one in self.accumulators:
            if lanes.get(self.row.lanes) != (one.dim,):  # type: ignore[arg-type]
                raise UnfitError("the second kernel does not reduce along the row that its loop runs over")
            if not all(map(self.reader.is_implied, one.conditions)):
                raise UnfitError("the second kernel joins values under a mask of its own")
            if one.dtype != Constant("tl.float32"):
                raise UnfitError("the second kernel has an accumulator of another type than float32")
            if self.row.most != self.row.size and not one.ends(self._is_end, self.reader.definitions):
                raise UnfitError("the second kernel joins values beyond the end of a row that may not be neutral")
        self._check_rows()

    @property
    def index(self) -> Form:
        """The index at which the loop reads the tensor."""
        found = next(one for one in self.reader.accesses.all if id(one.operation) in self.reader.loads)
        assert found.index is not None
        return found.index

    def _is_end(self, condition: Operand) -> bool:
        """Whether a condition says where a row ends."""
        return self.reader.is_of(condition, self.row) and self.reader.is_end(condition)

    def _check_rows(self) -> None:
        whole = self.place.images
        for counter in self.rows:
            others = [d.variable for _, d in self.place.digits[counter.name] if d.variable not in ("image", "channel")]
            if others and any(d.size > 1 for _, d in self.place.digits[counter.name] if d.variable in others):
                raise UnfitError("a row of the second kernel leaves out pixels of an image")
        numbered = [one.name for one in (*self.rows, self.row) if whole > 1 and self.place.of(one.name, "image")]
        if len(numbered) > 1:
            raise UnfitError("a row of the second kernel runs over some images, but not over all")

    # The first kernel.

    def parts(self, symbol: str, names: Mapping[str, str], pointers: Sequence[str], *, keep: bool) -> Function:
        """The first kernel, which stores what its tiles come to. `names`: what the second's parameters are called in
        it; `keep`: it stores the tensor, too."""
        tiles, second = self.place.tiles, self.second.function
        added = [replace(p, name=names[p.name], default="") for p in second.parameters if p.name in names]
        function = with_parameters(tiles.function, [*added, *map(Parameter, pointers)], symbol)
        edits = Rewriting(function)
        place = self.place.kept_within(edits)
        own = zip(second.parameters, second.body.arguments, strict=True)
        known = {value: function.argument(names[one.name]) for one, value in own if one.name in names}
        transport, given = Transport(self.reader, place, edits, known), iter(pointers)
        if keep:  # before what the tile comes to, which then holds fewer values
            edits.before(tiles.store, replace(tiles.store))
        for one in self.accumulators:
            values = self._tile_parts(one, transport, edits)
            for value in values:
                self._stored(edits, function.argument(next(given)), value)
        edits.erase(tiles.store)
        return without_idle_parameters(edits.done())

    def _tile_parts(self, one: Accumulator, transport: Transport, edits: Rewriting) -> Iterator[Operand]:
        tiles, store = self.place.tiles, self.place.tiles.store
        mask = store.get("mask")
        value = transport.of(one.value).operand
        assert mask is not None
        axis = {"axis": Constant(str(2 + tiles.pixels.dim)), "keep_dims": Constant("True")}

        def among(operand: Operand, neutral: Operand) -> Value:
            return edits.compute(store, "where", condition=mask, x=operand, y=neutral)

        def total(operand: Operand) -> Value:
            return edits.compute(store, "sum", input=operand, **axis)

        if one.by != "welford":
            options = {"combine_fn": one.combine} if one.combine is not None else {}
            yield edits.compute(store, one.by, input=among(value, one.start), **axis, **options)
            return
        inside = tiles.inside[0]
        for other in tiles.inside[1:]:
            inside = edits.compute(store, "bitand", lhs=inside, rhs=other)
        count = total(edits.compute(store, "cast", input=inside, dtype=Constant("tl.float32")))
        least = edits.compute(store, "maximum", x=count, y=Constant("1.0"))
        mean = edits.compute(store, "truediv", lhs=total(among(value, Constant("0.0"))), rhs=least)
        apart = among(edits.compute(store, "sub", lhs=value, rhs=mean), Constant("0.0"))
        yield mean
        yield total(edits.compute(store, "mul", lhs=apart, rhs=apart))
        yield count

    def _stored(self, edits: Rewriting, pointer: Value, value: Operand) -> None:
        tiles = self.place.tiles
        index = edits.compute(tiles.store, "mul", lhs=tiles.tile, rhs=Constant(str(tiles.channels.size)))
        index = edits.compute(tiles.store, "add", lhs=index, rhs=tiles.channels.value)
        at = edits.compute(tiles.store, "add", lhs=pointer, rhs=index)
        edits.before(tiles.store, edits.make("store", pointer=at, value=value, mask=tiles.channels.mask))

    # The second kernel.

    def whole(self, symbol: str, pointers: Sequence[str]) -> Function:
        """The second kernel, which joins `slabs` parts for each channel of a row instead of elements."""
        added = [*map(Parameter, pointers), Parameter(SLABS)]
        function = with_parameters(self.second.function, added, symbol)
        edits = Rewriting(function)
        body = _Joining(self, function, edits, [function.argument(name) for name in pointers])
        edits.put(self.loop, body.loop())
        return without_idle_parameters(edits.done())

    def meta(self, given: Sequence[tuple[str, Scalar]]) -> tuple[tuple[str, Scalar], ...]:
        """Launch options for the second kernel to begin with: those that it has where it goes over rows once more."""
        function = self.second.function
        loops = [one for one in function.walk() if one.kind in ("for", "while", "static_for") and one is not self.loop]
        names: dict[Operand | None, str] = {}
        names.update(zip(function.body.arguments, (one.name for one in function.parameters), strict=True))
        blocks = [names.get(self._block(one)) for one in (self.row, *self.rows)]
        sizes = [name for name, _ in given if not name.startswith(("num_", "maxnreg"))]
        if loops or None in blocks or len(blocks) != 2 or set(sizes) != set(blocks):
            return tuple(given)
        digits = self.place.of(self.rows[0].name, "channel")
        beside = any(digit.step == 1 and step == 1 for step, digit in digits)
        count = self.rows[0].size
        side = 1 << (min(SIDE, max(count // PROGRAMS, 1)).bit_length() - 1) if beside else 1
        while count % side:  # rows may go without a mask where blocks fit
            side //= 2
        chosen = dict(zip(blocks, (ROUND // side, side), strict=True))
        return (*((name, chosen[name]) for name, _ in given if name in chosen), ("num_warps", 4))

    def _block(self, counter: Counter) -> Operand | None:
        made = self.reader.definitions.get(counter.lanes) if counter.lanes is not None else None
        return made.operands[1] if made is not None else None


@dataclass
class _Joining:
    """The loop of `rows` over parts in the making."""

    rows: PartialRows
    function: Function
    edits: Rewriting
    pointers: Sequence[Value]

    def __post_init__(self) -> None:
        self.made: list[Operation] = []
        reader = self.rows.reader
        body = self.rows.loop.regions[0]
        inside = {result for one in self.rows.loop.walk() for result in one.results} | set(body.arguments)
        values = {*self.function.body.arguments, *reader.definitions} - inside
        self.sums = Sums(self.edits, reader.indices, {*values, body.arguments[0]}, made=self.made)
        self.slabs = self.function.argument(SLABS)
        self.rank = len(reader.indices.shapes.of(self._load.operands[0]) or ())

    @property
    def _load(self) -> Operation:
        return next(one for one in self.rows.reader.operations if id(one) in self.rows.reader.loads)

    def _emit(self, kind: str, /, **parts: Operand) -> Value:
        return self.sums.emit(kind, **parts)

    def loop(self) -> Operation:
        """The loop."""
        loop, rows = self.rows.loop, self.rows
        inner = [(s, d) for s, d in rows.place.of(rows.row.name, "channel")]
        count = size_of(inner)
        end: Operand = self.slabs
        outside: list[Operation] = []
        if count > 1:
            outside.append(self.edits.make("mul", lhs=Constant(str(count)), rhs=self.slabs))
            end = outside[0].result
            self.edits.before(loop, *outside)
        place = self._form(rows.row.form)
        mask = self._mask(place, end)
        index = self._index(place, inner)
        body, given, pointers = loop.regions[0], {}, iter(self.pointers)
        for one in rows.accumulators:
            carried = [body.arguments[1 + number] for number in one.carried]
            parts = [self._loaded(next(pointers), index, mask, one.start) for _ in one.carried]
            for number, old, new in zip(one.carried, carried, self._joined(one, carried, parts), strict=True):
                given[number] = self._emit("where", condition=mask, x=new, y=old)
        yields = tuple(given[number] for number in range(len(loop.results)))
        region = Region(body.arguments, tuple(self.made), yields)
        results = tuple(self.edits.value() for _ in loop.results)
        operands = tuple(end if key == "end" else o for key, o in zip(loop.keys, loop.operands, strict=True))
        return loop.having(operands=operands, results=results, regions=(region,), effect=effect_of((region,)))

    def _form(self, form: Form) -> Operand:
        """A counter as a tensor of the loop's rank: as the loop's index has it."""
        lanes = {leaf.value: leaf.dims for leaf in self.rows.index.leaves if leaf.dims}
        for value, dims in lanes.items():
            form = moved_to(form, value, dims)
        indices = self.rows.reader.indices
        named = [one for one in indices.definitions if indices.form(one) == form]
        full = [one for one in named if len(indices.shapes.of(one) or ()) == self.rank]
        found = self.sums.value(full[0]) if full else self.sums.form(form, self.rank)
        if found is None:
            raise UnfitError("the second kernel's index is not known before its loop")
        return found

    def _mask(self, place: Operand, end: Operand) -> Operand:
        """Which lanes have a part: those before the end of the row that the loop masked all the same."""
        reader = self.rows.reader
        mask: Operand = self._emit("lt", lhs=place, rhs=end)
        for condition in conjuncts(self._load.get("mask"), reader.definitions):
            if not reader.is_of(condition, self.rows.row):
                known = self.sums.value(condition)
                if known is None:
                    raise UnfitError("the second kernel's mask is not known before its loop")
                mask = self._emit("bitand", lhs=mask, rhs=known)
        return mask

    def _index(self, place: Operand, inner: Sequence[tuple[int, Digit]]) -> Operand:
        """Where a part lies: by image, tile and channel."""
        rows, step = self.rows, 1
        terms: list[tuple[int, Operand]] = []
        for _, digit in sorted(inner, key=lambda one: one[1].step):
            part: Operand = place if step == 1 else self._emit("floordiv", lhs=place, rhs=Constant(str(step)))
            terms.append((digit.step, self._emit("mod", lhs=part, rhs=Constant(str(digit.size)))))
            step *= digit.size
        slab: Operand = place if step == 1 else self._emit("floordiv", lhs=place, rhs=Constant(str(step)))
        image: Operand | None = None
        for counter in rows.rows:
            base = self._form(counter.form)
            own = rows.place.of(counter.name, "image")
            image = self._sum(image, ((d.step, self._digit(base, s, d, counter)) for s, d in own))
            terms += [(d.step, self._digit(base, s, d, counter)) for s, d in rows.place.of(counter.name, "channel")]
        if image is not None:
            slab = self._emit("add", lhs=self._emit("mul", lhs=self.slabs, rhs=image), rhs=slab)
        total = self._emit("mul", lhs=Constant(str(rows.place.tiles.channels.size)), rhs=slab)
        return self._sum(total, sorted(terms, key=lambda one: one[0])) or total

    def _digit(self, base: Operand, step: int, digit: Digit, counter: Counter) -> Operand:
        """The digit of a counter that is a digit of what the tiles count."""
        found = base if step == 1 else self._emit("floordiv", lhs=base, rhs=Constant(str(step)))
        if step * digit.size < counter.size:
            found = self._emit("mod", lhs=found, rhs=Constant(str(digit.size)))
        return self._emit("sub", lhs=Constant(str(digit.size - 1)), rhs=found) if digit.reverse else found

    def _sum(self, total: Operand | None, terms: Iterable[tuple[int, Operand]]) -> Operand | None:
        for factor, operand in terms:
            part = operand if factor == 1 else self._emit("mul", lhs=Constant(str(factor)), rhs=operand)
            total = part if total is None else self._emit("add", lhs=total, rhs=part)
        return total

    def _loaded(self, pointer: Value, index: Operand, mask: Operand, other: Operand) -> Value:
        at = self._emit("add", lhs=pointer, rhs=index)
        return self._emit("load", pointer=at, mask=mask, other=other)

    def _joined(self, one: Accumulator, carried: Sequence[Operand], parts: Sequence[Operand]) -> Sequence[Operand]:
        """What accumulators are with a part joined to each."""
        if one.combine is None:
            kind = {"sum": "add", "max": "maximum", "min": "minimum"}[one.by]
            keys = ("lhs", "rhs") if kind == "add" else ("x", "y")
            return [self._emit(kind, **dict(zip(keys, (*carried, *parts), strict=True)))]
        operations, yields = self.edits.clone(self.rows.functions[one.combine.name].body, [*carried, *parts])
        tuples: dict[Operand, Sequence[Operand]] = {m.result: m.operands for m in operations if m.kind == "tuple"}
        self.made += [made for made in operations if made.result not in yields or made.kind != "tuple"]
        return tuples.get(yields[0], yields)


def _slice(function: Function, loop: Operation, found: Sequence[Accumulator]) -> Function:
    """The kernel up to the end of the loop, which only makes what is reduced."""
    body = loop.regions[0]
    before = []
    for one in function.body.operations:
        if one is loop:
            break
        if one.effect == Effect.WRITE or one.regions:
            raise UnfitError("the second kernel does more before its loop than compute")
        before.append(one)
    wanted: set[Operand] = {one.value for one in found} | {c for one in found for c in one.conditions}
    kept: list[Operation] = []
    for one in reversed(body.operations):
        if wanted.intersection(one.results):
            if one.regions:
                raise UnfitError(f"what is reduced is computed in a {one.kind}")
            kept.insert(0, one)
            wanted.update(o for o in one.operands if isinstance(o, Value))
        elif one.effect == Effect.WRITE:
            raise UnfitError("the second kernel's loop does more than reduce")
    if wanted.intersection(body.arguments[1:]):
        raise UnfitError("what is reduced depends on the loop's earlier turns")
    pairs = [(key, operand) for key, operand in zip(loop.keys, loop.operands, strict=True) if key != "init"]
    region = Region(body.arguments[:1], tuple(kept))
    only = replace(
        loop,
        keys=tuple(key for key, _ in pairs),
        operands=tuple(operand for _, operand in pairs),
        results=(),
        regions=(region,),
        effect=effect_of((region,)),
    )
    return replace(function, body=replace(function.body, operations=(*before, only), yields=()))
