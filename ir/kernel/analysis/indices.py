"""The forms of a kernel's integers: each as a sum of products over lanes, programs, counters and parameters."""

from kernelwright.ir.kernel.analysis.forms import Form, Leaf
from kernelwright.ir.kernel.analysis.kinds import kinds
from kernelwright.ir.kernel.analysis.launches import Launches
from kernelwright.ir.kernel.analysis.shapes import shapes
from kernelwright.ir.kernel.values import Constant, Function, Operand, Operation, Region, Value
from kernelwright.ir.kernel.vocabulary import HINTS

#: What gives integers of 32 or 64 bits.
_WIDE = frozenset({"arange", "program_id", "num_programs", "cdiv", "triton.cdiv", "for", "while"})
_WIDE_TYPES = (Constant("tl.int32"), Constant("tl.int64"))


class Indices:
    """Forms of the integers of a function; what launches always pass is a number in them."""

    def __init__(self, function: Function, launches: Launches | None = None) -> None:
        self.kinds = kinds(function, launches)
        self.shapes = shapes(function)
        self.definitions: dict[Value, Operation] = {one: o for o in function.walk() for one in o.results}
        self._carried: dict[Value, tuple[Operation, int]] = {}
        self._forms: dict[Value, Form | None] = {}
        if launches is not None:
            for parameter, argument in zip(function.parameters, function.body.arguments, strict=True):
                number = launches.number(parameter.name)
                if number is not None:
                    self._forms[argument] = Form.number(number)
        #: What loops count with.
        self.counters: set[Value] = set()
        for operation in function.walk():
            if operation.kind in ("for", "static_for"):
                self.counters.add(operation.regions[0].arguments[0])
            for body in operation.regions if operation.kind == "for" else ():
                self._carried |= {a: (operation, index) for index, a in enumerate(body.arguments[1:])}

    def form(self, operand: Operand | None) -> Form | None:
        """The form of an integer; None for what is none, or not known to be one."""
        if isinstance(operand, Constant):
            return Form.number(operand.number) if isinstance(operand.number, int) else None
        if not isinstance(operand, Value) or not self.kinds.is_integer(operand):
            return None
        if operand not in self._forms:
            self._forms[operand] = None  # a value that is carried around a loop meets itself
            self._forms[operand] = self._found(operand) or self._leaf(operand)
        return self._forms[operand]

    def step(self, argument: Operand) -> tuple[Operand, Form] | None:
        """For what a loop carries and moves by the same amount each turn: where it starts, and how far it has come."""
        if not isinstance(argument, Value) or argument not in self._carried:
            return None
        loop, index = self._carried[argument]
        body = loop.regions[0]
        given = body.yields[index]
        made = self.definitions.get(given) if isinstance(given, Value) else None
        if made is None or made.kind != "add" or made.operands[0] != argument:
            return None
        amount = self.form(made.operands[1])
        if amount is None or any(leaf.value in _inside(body) for leaf in amount.leaves):
            return None
        counter, start, width = (self.form(o) for o in (body.arguments[0], loop.get("start"), loop.get("step")))
        if counter is None or start is None or width is None:
            return None
        passed = counter.plus(start, -1)
        each = amount.multiple_of(width)
        return loop.inits[index], passed.times(each) if each else passed.divided("floordiv", width).times(amount)

    def spans(self, form: Form, operand: Operand) -> bool:
        """Whether a form, written out in the rank of a value, has its shape: it runs along each of its dimensions but
        those of one element, and none of them is only broadcast."""
        shape = self.shapes.of(operand)
        if shape is None:
            return False
        long = {place - len(shape) for place, extent in enumerate(shape) if extent != Constant("1")}
        return long == {dim for leaf in form.leaves for dim in leaf.dims}

    def is_wide(self, form: Form) -> bool:
        """Whether nothing in a sum certainly or possibly has fewer than 32 bits, which a constant could make overflow,
        or is unsigned."""
        made = (self.definitions.get(leaf.value) for leaf in form.leaves)
        return all(one is None or one.kind in _WIDE or one.get("dtype") in _WIDE_TYPES for one in made)

    def _leaf(self, value: Value) -> Form:
        shape = self.shapes.of(value)
        return Form.of({(Leaf(value, tuple(range(-len(shape or ()), 0))),): 1})

    def _found(self, value: Value) -> Form | None:
        operation = self.definitions.get(value)
        if operation is None:
            moved = self.step(value)
            start = self.form(moved[0]) if moved else None
            return start.plus(moved[1]) if moved and start is not None else None
        kind = operation.kind
        if kind == "full":
            return self.form(operation.get("value"))
        forms = [self.form(operand) for operand in operation.operands[:2]]
        if kind in HINTS or kind == "scalar":
            return forms[0]
        if forms[0] is None:
            return None
        if kind == "neg":
            return Form().plus(forms[0], -1)
        if kind == "expand_dims":
            return self._expanded(operation, forms[0])
        if kind == "broadcast_to":
            return forms[0] if self.shapes.of(value) else None
        if len(forms) < 2 or forms[1] is None or len(operation.operands) > 2:
            return None
        return _combined(kind, forms[0], forms[1])

    def _expanded(self, operation: Operation, form: Form) -> Form | None:
        shape, axis = self.shapes.of(operation.operands[0]), operation.get("axis")
        number = axis.number if isinstance(axis, Constant) else None
        if shape is None or not isinstance(number, int):
            return None
        rank = len(shape) + 1
        return form.moved(number % rank, rank)


def _combined(kind: str, one: Form, other: Form) -> Form | None:
    if kind in ("add", "sub"):
        return one.plus(other, 1 if kind == "add" else -1)
    if kind == "mul":
        return one.times(other)
    if kind in ("floordiv", "mod"):
        return one.divided(kind, other)
    return None


def _inside(region: Region) -> set[Value]:
    """Values that a region defines, inner ones too."""
    found = set(region.arguments)
    for operation in region.operations:
        found.update(operation.results)
        for body in operation.regions:
            found |= _inside(body)
    return found
