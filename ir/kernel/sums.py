"""Writing forms: the sum that a `Form` is, as operations."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from kernelwright.ir.kernel.analysis.forms import Division, Factor, Form, Leaf
from kernelwright.ir.kernel.analysis.indices import Indices
from kernelwright.ir.kernel.rewriting import Rewriting
from kernelwright.ir.kernel.values import Constant, Effect, Operand, Operation, Value


@dataclass
class Sums:
    """Operations in the making, in order: `made` is to be inserted by whoever asked for them.

    `known`: values that stand where `made` will; the form's other values are computed once more where they only
    compute. `indices` are of the function that `edits` changes. `named`: values that stand there, by the sum that each
    is; a multiple of one of these is taken from it.
    """

    edits: Rewriting
    indices: Indices
    known: set[Operand]
    named: Mapping[Form, Value] = field(default_factory=dict)
    made: list[Operation] = field(default_factory=list)
    _again: dict[Operand, Operand] = field(default_factory=dict)

    def emit(self, kind: str, /, **parts: Operand) -> Value:
        """Add an operation; gives its result."""
        self.made.append(self.edits.make(kind, **parts))
        return self.made[-1].result

    def add(self, lhs: Operand, rhs: Operand) -> Operand:
        """Add a sum."""
        return self.emit("add", lhs=lhs, rhs=rhs)

    def form(self, form: Form, rank: int) -> Operand | None:
        """A sum of products for tensors of a rank; None where a value of it is not known and does more than compute."""
        total: Operand | None = None
        for sum_, value in sorted(self.named.items(), key=lambda one: -len(one[0].terms)):
            factor, rest = form.without(sum_)
            if factor:
                form, taken = rest, value if factor == 1 else self.emit("mul", lhs=value, rhs=Constant(str(factor)))
                total = taken if total is None else self.add(total, taken)
        if total is not None and not form.terms:
            return total
        for product, coefficient in sorted(form.terms, key=lambda term: -len(term[0])):
            term = self._product(product, coefficient, rank)
            if term is None:
                return None
            total = term if total is None else self.add(total, term)
        return total if total is not None else Constant("0")

    def _product(self, product: tuple[Factor, ...], coefficient: int, rank: int) -> Operand | None:
        total: Operand | None = Constant(str(coefficient)) if coefficient != 1 or not product else None
        for factor in sorted(product, key=self._is_given):
            one = self._factor(factor, rank)
            if one is None:
                return None
            total = one if total is None else self.emit("mul", lhs=total, rhs=one)
        return total

    def _is_given(self, factor: Factor) -> bool:
        """Whether a factor is a parameter, such as a block size: people write those last."""
        return isinstance(factor, Leaf) and factor.value not in self.indices.definitions

    def _factor(self, factor: Factor, rank: int) -> Operand | None:
        if isinstance(factor, Division):
            form, divisor = self.form(factor.form, rank), self.form(factor.divisor, rank)
            return None if form is None or divisor is None else self.emit(factor.kind, lhs=form, rhs=divisor)
        found = self.value(factor.value)
        if found is None or not factor.dims:
            return found
        if any(dim < -rank for dim in factor.dims) or list(factor.dims) != sorted(factor.dims):
            return None
        for axis in range(rank):
            if axis - rank not in factor.dims:
                found = self.emit("expand_dims", input=found, axis=Constant(str(axis)))
        return found

    def value(self, operand: Operand) -> Operand | None:
        """The operand where it is known, else the same computing once more; None where that does more than compute."""
        if not isinstance(operand, Value) or operand in self.known:
            return operand
        if operand not in self._again:
            made = self.indices.definitions.get(operand)
            if made is None or made.effect != Effect.PURE or made.regions or len(made.results) != 1:
                return None
            operands = [self.value(one) for one in made.operands]
            if None in operands:
                return None
            self.made.append(made.having(operands=tuple(o for o in operands if o), results=(self.edits.value(),)))
            self._again[operand] = self.made[-1].result
        return self._again[operand]
