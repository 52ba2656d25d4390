"""`strength-reduce`: indices of elements are computed with fewer divisions, by numbers that the compiler knows."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from kernelwright.ir.exploration import Exploration, Phase
from kernelwright.ir.kernel.analysis.accesses import Access, Accesses
from kernelwright.ir.kernel.analysis.divisions import Bounds, Divisions
from kernelwright.ir.kernel.analysis.forms import INDEX_LIMIT, Division, Factor, Form, Leaf
from kernelwright.ir.kernel.analysis.indices import Indices
from kernelwright.ir.kernel.analysis.launches import Launches
from kernelwright.ir.kernel.rewriting import Rewriting
from kernelwright.ir.kernel.sums import Sums
from kernelwright.ir.kernel.values import Constant, Function, Operand, Operation, Region, Value
from kernelwright.ir.kernel.vocabulary import HINTS, LOOPS
from kernelwright.ir.passes import Declined, Keeps, register
from kernelwright.midend.kernel_pass import NOT_KNOWN, KernelPass

_DIVIDING = frozenset({"floordiv", "mod"})


@register
@dataclass(frozen=True)
class StrengthReduce(KernelPass):
    """Compute the indices of elements with as few quotients and remainders as possible.

    Digits that an index puts together again are not taken apart: `x // n * n + x % n` is `x`. A number that every
    launch passes is written where elements are divided by it. The compiler then multiplies and shifts: a division by a
    number of 32 bits that it does not know takes about twenty instructions, and one that it knows takes three or four.
    Legal where a tensor's extent stays within 32 bits. Expected, not measured: fewer integer instructions for each
    element, in kernels that are not held up by memory alone.
    """

    name: ClassVar[str] = "strength-reduce"
    needs: ClassVar[str] = "elements whose index is a quotient or remainder that is not needed, or by a known number"
    changes: ClassVar[str] = "how indices are computed"
    keeps: ClassVar[Keeps | None] = Keeps.EXACT
    asks_launches: ClassVar[bool] = True
    explore = Exploration(Phase.FINISH, after=("hoist-offsets",), estimated=False, sizes=True)

    def rewrite(self, function: Function, launches: Launches | None) -> Function | Declined:
        """The kernel with such indices."""
        if launches is None:
            return Declined(NOT_KNOWN)
        reducing = _Reducing(function, _without_blocks(function, launches))
        if not any(map(reducing.is_division, function.walk())):
            return Declined("no index of an element is a quotient or a remainder")
        made = reducing.run()
        if made == function:
            return Declined("its quotients and remainders are all needed, and are by what the compiler knows")
        return made


def _without_blocks(function: Function, launches: Launches) -> Launches:
    """The launches as if nothing were known of the sizes of blocks, which may still be tuned."""
    indices = Indices(function)
    sizes = [operand for one in function.walk() if one.kind == "arange" for operand in one.operands]
    sizes += [step for one in function.walk() if one.kind in LOOPS if (step := one.get("step")) is not None]
    blocks = {leaf.value for size in sizes if (form := indices.form(size)) is not None for leaf in form.leaves}
    pairs = zip(function.parameters, function.body.arguments, strict=True)
    return launches.without({one.name for one, value in pairs if one.is_constexpr and value in blocks})


@dataclass
class _Scope:
    """Where a rewrite stands: the values that stand before it, and those of them that are sums."""

    known: set[Operand]
    named: dict[Form, Value] = field(default_factory=dict)

    def inner(self, arguments: Iterable[Value]) -> "_Scope":
        """The scope of a region inside."""
        return _Scope({*self.known, *arguments}, dict(self.named))


class _Reducing:
    def __init__(self, function: Function, launches: Launches) -> None:
        self.function, self.launches = function, launches
        self.edits = Rewriting(function)
        self.accesses = Accesses(function, launches)
        self.indices = self.accesses.indices
        self.shapes = self.indices.shapes
        self.divisions = Divisions(self._bounds)
        self._written = Indices(function)
        self._hinted: dict[Value, frozenset[Value]] = {}
        pairs = list(zip(function.body.arguments, function.parameters, strict=True))
        self._names: Mapping[Operand, str] = {value: one.name for value, one in pairs}
        self._constexprs = {value for value, one in pairs if one.is_constexpr}
        self._loops = {one.regions[0].arguments[0]: one for one in function.walk() if one.kind in ("for", "static_for")}
        self._by_operation = {id(access.operation): access for access in self.accesses.all}

    def run(self) -> Function:
        """The kernel with the edits made."""
        self._region(self.function.body, _Scope(set(self.function.body.arguments)))
        return self.edits.done()

    def is_division(self, operation: Operation) -> bool:
        """Whether an operation divides the elements of a tensor of integers."""
        if operation.kind not in _DIVIDING or not self.shapes.of(operation.result):
            return False
        form = self.indices.form(operation.result)
        return form is not None and self.indices.is_wide(form)

    def _region(self, region: Region, scope: _Scope) -> None:
        for one in region.operations:
            for inner in one.regions:
                self._region(inner, scope.inner(inner.arguments))
            access = self._by_operation.get(id(one))
            if access is not None:
                self._address(access, scope)
            elif self.is_division(one):
                self._division(one, scope)
            scope.known.update(one.results)
            for result in one.results:
                form = self.indices.form(result)
                if form is not None and len(form.terms) > 1 and self.indices.spans(form, result):
                    if one.kind in HINTS:  # it says more of the same number
                        scope.named[form] = result
                    scope.named.setdefault(form, result)

    def _address(self, access: Access, scope: _Scope) -> None:
        """Point an access by the index with the fewest divisions."""
        pointer = access.operation.operands[0]
        extent = self.launches.extent(self._names.get(access.base, ""))
        if access.index is None or access.base not in scope.known or extent is None or extent >= INDEX_LIMIT:
            return
        form = self.divisions.fewest(access.index)
        if not self.indices.is_wide(access.index) or not self.indices.spans(form, pointer):
            return
        if _count(form) >= _count(access.index):
            return
        index = self._computed(access.operation, form, pointer, scope)
        if index is not None:
            moved = self.edits.compute(access.operation, "add", lhs=access.base, rhs=index)
            self.edits.change(access.operation, pointer=moved)

    def _division(self, operation: Operation, scope: _Scope) -> None:
        """Take a quotient or remainder by a simpler one, or by a number that the compiler knows."""
        form, shape = self.indices.form(operation.result), self.shapes.of(operation.result)
        assert form is not None and shape is not None
        made = self.divisions.fewest(form)
        if _count(made) < _count(form) and self.indices.spans(made, operation.result):
            value = self._computed(operation, made, operation.result, scope)
            if value is not None:
                self.edits.replace(operation.result, value)
                return
        divisor = operation.operands[1]
        known = self.indices.form(divisor)
        if not self._is_compiled(self._written.form(divisor)) and self._is_compiled(known):
            assert known is not None
            value = self._computed(operation, known, divisor, scope)
            if value is not None:
                self.edits.change(operation, rhs=value)

    def _computed(self, anchor: Operation, form: Form, was: Operand, scope: _Scope) -> Operand | None:
        """A sum, of the rank of what it replaces, inserted before an operation; None where something in it is not known
        there, or where it would lose what a hint says of its parts."""
        rank = len(self.shapes.of(was) or ())
        named = {one: value for one, value in scope.named.items() if len(self.shapes.of(value) or ()) == rank}
        sums = Sums(self.edits, self.indices, scope.known, named)
        value = sums.form(form, rank)
        if value is None:
            return None
        operands = [value, *(operand for one in sums.made for operand in one.operands)]
        if not self._hints(was) <= set().union(*map(self._hints, operands)):
            return None
        self.edits.before(anchor, *sums.made)
        return value

    def _hints(self, operand: Operand) -> frozenset[Value]:
        """The results of hints that a value is computed of."""
        if not isinstance(operand, Value):
            return frozenset()
        if operand not in self._hinted:
            made = self.indices.definitions.get(operand)
            inner = made.operands if made is not None and not made.regions else ()
            own = {operand} if made is not None and made.kind in HINTS else set()
            self._hinted[operand] = frozenset(own).union(*map(self._hints, inner))
        return self._hinted[operand]

    def _is_compiled(self, form: Form | None) -> bool:
        """Whether a divisor is known as the kernel is compiled."""
        return form is not None and all(leaf.value in self._constexprs for leaf in form.leaves)

    def _bounds(self, factor: Factor) -> Bounds:
        """What an integer can be."""
        if not isinstance(factor, Leaf):
            return None, None
        made = self.indices.definitions.get(factor.value)
        if made is not None and made.kind == "arange":
            first, end = (one.number if isinstance(one, Constant) else None for one in made.operands)
            known = isinstance(first, int) and isinstance(end, int)
            return (first, end - 1) if known else (0, None)  # type: ignore[return-value, operator]
        if made is not None and made.kind in ("program_id", "num_programs"):
            return 0, None
        return self._counted(factor.value), None

    def _counted(self, value: Value) -> int | None:
        """The least that a loop counts from, where it counts up."""
        loop = self._loops.get(value)
        if loop is None:
            return None
        start, step = (self.indices.form(loop.get(key)) for key in ("start", "step"))
        if start is None or step is None or (step.constant or 0) <= 0:
            return None
        return self.divisions.bounds(start)[0]


def _count(form: Form) -> int:
    """How many quotients and remainders a form has."""
    return sum(isinstance(factor, Division) for factor in form.factors)
