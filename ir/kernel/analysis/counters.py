"""What a kernel counts by: rows, elements, turns, each from 0 up to a size; and indices as digits of these.

A counter is a sum that a kernel computes of a program's number, a loop's counter and the lanes of a block. Its size is
what a mask ends it at, else what programs, turns and lanes come to at the launches that are known.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from kernelwright.ir.kernel.analysis.axes import Axes, Axis
from kernelwright.ir.kernel.analysis.digits import Digit, Index
from kernelwright.ir.kernel.analysis.forms import Division, Factor, Form, Leaf
from kernelwright.ir.kernel.analysis.launches import Launches
from kernelwright.ir.kernel.values import Function, Operand, Operation, Value


@dataclass(frozen=True)
class Counter:
    """`form` runs over 0 to `size` - 1. `lanes`: its `arange`, None where it is alike for all elements of a block.

    `whole`: every program has all values in one block. `covers`: it takes every value, whatever others are; what is
    not known to do so has a size all the same. `parts`: the digits of programs and turns that it is made of. `most`:
    how many values it takes without masks, None where that is open.
    """

    name: str
    form: Form
    size: int
    lanes: Value | None = None
    whole: bool = False
    covers: bool = True
    parts: tuple[Digit, ...] = ()
    most: int | None = None


class Counters:
    """The counters of a kernel, and indices as digits of them.

    `blocks`: launch options by name. `tuned`: they may still change, so that no index depends on what they are.
    """

    def __init__(
        self, function: Function, launches: Launches, blocks: Mapping[str, int], *, tuned: bool = False
    ) -> None:
        self._tuned = tuned
        self.axes = Axes(function, launches)
        self.indices = self.axes.indices
        self._launches = launches
        pairs = zip(function.parameters, function.body.arguments, strict=True)
        self._blocks = {value: blocks[one.name] for one, value in pairs if one.name in blocks}
        self._loops = {one.regions[0].arguments[0]: one for one in function.walk() if one.kind in ("for", "static_for")}
        self.programs = [
            found for one in self.axes.grid if (found := self._programs(one.program, one.axis)) is not None
        ]
        self.bases = [
            *self.programs,
            *(c for v, loop in self._loops.items() if (c := self._turns(v, loop)) is not None),
        ]
        self._digits = Digits(self.bases)
        axes = [found for number, one in enumerate(self.axes.all) if (found := self._along(one, number)) is not None]
        self.all = (*axes, *self.bases)

    def number(self, operand: Operand) -> int | None:
        """The integer that an operand is at these launch options."""
        form = self.indices.form(operand)
        return self.value(form) if form is not None else None

    def value(self, form: Form) -> int | None:
        """The integer that a form is at these launch options."""
        total = 0
        for product, coefficient in form.terms:
            for factor in product:
                number = self._factor(factor)
                if number is None:
                    return None
                coefficient *= number
            total += coefficient
        return total

    def _factor(self, factor: Factor) -> int | None:
        if isinstance(factor, Leaf):
            return self._blocks.get(factor.value, self._rounded_up(factor.value))
        one, other = self.value(factor.form), self.value(factor.divisor)
        if one is None or not other:
            return None
        return one // other if factor.kind == "floordiv" else one % other

    def _rounded_up(self, value: Value) -> int | None:
        """The number that a quotient is, rounded up."""
        made = self.indices.definitions.get(value)
        if made is None or made.kind not in ("cdiv", "triton.cdiv"):
            return None
        one, other = (self.number(operand) for operand in made.operands)
        return -(-one // other) if one is not None and other else None

    def _programs(self, program: Value, axis: int) -> Counter | None:
        count = self._launches.programs(axis) if axis >= 0 else None
        form = Form.of({(Leaf(program),): 1})
        name = f"program {axis}"
        return Counter(name, form, count, None, False, True, (Digit(name, 1, count),), count) if count else None

    def _turns(self, counter: Value, loop: Operation) -> Counter | None:
        """The turns of a loop that counts by one from 0, up to the same number in every program."""
        start, end, step = (self.indices.form(loop.get(key)) for key in ("start", "end", "step"))
        count = self.value(end) if end is not None else None
        if start != Form() or step is None or self.value(step) != 1 or not count:
            return None
        name = f"turn {counter.number}"
        return Counter(name, Form.of({(Leaf(counter),): 1}), count, None, False, True, (Digit(name, 1, count),), count)

    def _along(self, axis: Axis, number: int) -> Counter | None:
        """The counter of an axis."""
        block = self.number(axis.block)
        lanes = [leaf for leaf in axis.index.leaves if leaf.value == axis.lanes]
        extent = self.value(axis.extent) if axis.extent is not None else None
        if block is None or len(lanes) != 1 or axis.index.coefficient(lanes[0]) != Form.number(1):
            return None
        rest = axis.index.plus(Form.of({(lanes[0],): 1}), -1)
        made = self._starts(rest, block)
        if made is None:
            if extent is None:
                return None
            return Counter(f"axis {number}", self.plain(axis.index), extent, axis.lanes, covers=False)
        starts, parts = made
        size = starts * block if extent is None else extent
        whole = not rest.terms
        most = starts * block
        form = self.plain(axis.index)
        return Counter(f"axis {number}", form, size, axis.lanes, whole, size <= most, parts, most)

    def _starts(self, form: Form, block: int) -> tuple[int, tuple[Digit, ...]] | None:
        """How many blocks there are that start at a form, one after the other from 0, and what numbers them."""
        if not form.terms:
            return 1, ()
        if len(form.terms) != 1:
            return None
        (product, coefficient) = form.terms[0]
        moving = [f for f in product if self._factor(f) is None]
        if len(moving) != 1:
            return None
        rest = Form.of({tuple(f for f in product if f is not moving[0]): coefficient})
        width, loop = self.value(rest), self._loops.get(moving[0].value) if isinstance(moving[0], Leaf) else None
        if width == 1 and loop is not None:
            return self._stepped(loop, block)
        digit = self._digit(moving[0])
        return (digit.size, (digit,)) if width == block and digit is not None else None

    def _stepped(self, loop: Operation, block: int) -> tuple[int, tuple[Digit, ...]] | None:
        """The turns of a loop whose counter goes from block to block."""
        start, end, step = (self.indices.form(loop.get(key)) for key in ("start", "end", "step"))
        length = self.value(end) if end is not None else None
        if start != Form() or step is None or self.value(step) != block or length is None:
            return None
        count = -(-length // block)
        return count, (Digit(f"turn {loop.regions[0].arguments[0].number}", 1, count),)

    def _digit(self, factor: Factor) -> Digit | None:
        """The digit of a program's number or of turns that a factor is."""
        found = self._digits.index(self._fixed(Form.of({(factor,): 1})))
        plain = found is not None and not found.offset and len(found.terms) == 1 and found.terms[0][0] == 1
        if found is not None and not found.terms and not found.offset:
            return Digit("", 1, 1)
        return found.terms[0][1] if found is not None and plain else None

    def plain(self, form: Form) -> Form:
        """The form with launch options in it as numbers where something is divided by them, if they stay."""
        if self._tuned:
            return form
        return self._fixed(form)

    def _fixed(self, form: Form) -> Form:
        total = Form()
        for product, coefficient in form.terms:
            made = Form.number(coefficient)
            for factor in product:
                made = made.times(self._divided(factor))
            total = total.plus(made)
        return total

    def _divided(self, factor: Factor) -> Form:
        divisor = self.value(factor.divisor) if isinstance(factor, Division) else None
        if not isinstance(factor, Division) or divisor is None:
            return Form.of({(factor,): 1})
        return self._fixed(factor.form).divided(factor.kind, Form.number(divisor))

    def least(self, form: Form) -> int | None:
        """A number that a form is never below; None where none is known."""
        total = 0
        for product, coefficient in form.terms:
            if not product:
                total += coefficient
            elif coefficient < 0 or not all(map(self._is_natural, product)):
                return None
        return total

    def _is_natural(self, factor: Factor) -> bool:
        """Whether a factor is never below 0."""
        if isinstance(factor, Division):
            divisor = self.value(factor.divisor)
            least = self.least(factor.form)
            return divisor is not None and divisor > 0 and least is not None and least >= 0
        made = self.indices.definitions.get(factor.value)
        if factor.value in self._loops:
            start = self.indices.form(self._loops[factor.value].get("start"))
            least = self.least(start) if start is not None else None
            return least is not None and least >= 0
        return factor.value in self._blocks or (made is not None and made.kind in ("arange", "program_id"))

    def index(self, form: Form) -> Index | None:
        """A form as digits of all counters."""
        return Digits(self.all).index(self.plain(form))


class Digits:
    """Forms as digits of counters."""

    def __init__(self, counters: Sequence[Counter]) -> None:
        #: Longest sums first, so that a sum is taken for itself and not for what it is made of.
        self.counters = sorted(counters, key=lambda one: -len(one.form.terms))
        #: The form of each counter as it stood in what was read last: in which dimension its lanes lay.
        self.seen: dict[str, Form] = {}

    def index(self, form: Form) -> Index | None:
        """The form as an index; None where it is more than digits."""
        terms, total = dict(form.terms), Index(offset=0)
        for counter in self.counters:
            for factor, seen in self._taken(counter, terms):
                self.seen[counter.name] = seen
                total = _plus(total, Index.whole(counter.name, counter.size).scaled(factor))
        for product, coefficient in terms.items():
            part = self._part(product)
            if part is None:
                return None
            total = _plus(total, part.scaled(coefficient))
        return total

    def _taken(self, counter: Counter, terms: dict[tuple[Factor, ...], int]) -> Iterator[tuple[int, Form]]:
        """Take multiples of a counter out of terms."""
        for form in _placed(counter, Form.of(terms)):
            moving = [(product, number) for product, number in form.terms if product]
            factor, left = divmod(terms.get(moving[0][0], 0), moving[0][1]) if moving else (0, 0)
            if left or not factor or any(terms.get(p, 0) != factor * c for p, c in moving):
                continue
            for product, _ in moving:
                del terms[product]
            rest = Form.of(terms).plus(Form.of({(): dict(form.terms).get((), 0)}), -factor)
            terms.clear()
            terms.update(rest.terms)
            yield factor, form

    def _part(self, product: tuple[Factor, ...]) -> Index | None:
        if not product:
            return Index(offset=1)
        divisor = product[0].divisor.constant if isinstance(product[0], Division) else None
        if len(product) != 1 or not isinstance(product[0], Division) or not divisor or divisor < 0:
            return None
        inner = self.index(product[0].form)
        parts = inner.divided(divisor) if inner is not None else None
        return None if parts is None else parts[product[0].kind == "mod"]


def _plus(one: Index, other: Index) -> Index:
    return Index.sum((*one.terms, *other.terms), one.offset + other.offset)


def _placed(counter: Counter, form: Form) -> Iterator[Form]:
    """A counter's form, its lanes in the dimensions in which a form has them."""
    places = sorted({leaf.dims for leaf in form.leaves if leaf.value == counter.lanes}, reverse=True)
    if not places:
        yield from [counter.form] if counter.lanes is None else []
    for dims in places:
        yield moved_to(counter.form, counter.lanes, dims)


def moved_to(form: Form, lanes: Operand | None, dims: tuple[int, ...]) -> Form:
    """A form with its lanes in other dimensions."""

    def move(factor: Factor) -> Factor:
        if isinstance(factor, Leaf):
            return Leaf(factor.value, dims) if factor.value == lanes else factor
        return Division(factor.kind, moved_to(factor.form, lanes, dims), factor.divisor)

    return Form.of({tuple(sorted(map(move, product), key=str)): c for product, c in form.terms})
