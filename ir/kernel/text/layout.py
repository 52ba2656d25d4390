"""Which values of a function get a name when it is printed, and where what has none is written.

A value has no name where it is used once, in its own region, or where Triton must see it in place (`phases`). The site
of a use is the statement that it is printed in: a position among the operations of a region, or the end.
"""

from dataclasses import dataclass
from functools import cache

from kernelwright.ir.kernel.analysis.phases import Phase, is_inline, phases
from kernelwright.ir.kernel.values import Function, Operation, Region, Value
from kernelwright.ir.kernel.vocabulary import ARITHMETIC, LOOPS, OPERATORS

#: Most characters of one expression, and of one that an access to memory holds, about.
_LINE, _ACCESS = 70, 45
#: Most operations between `if` and `else` of an expression.
_CHOICE = 4


@dataclass(frozen=True)
class Site:
    """A statement: the region, the position in it, and the operation that uses the value there (None at the end)."""

    region: int
    position: int
    user: Operation | None


class Layout:
    """Decisions on every value of a function."""

    def __init__(self, function: Function) -> None:
        self.phases = phases(function)
        self.definitions: dict[Value, Operation] = {}
        #: The region that defines a value, and its position there (-1 for arguments).
        self.home: dict[Value, tuple[int, int]] = {}
        self.regions: list[Region] = []
        self._number: dict[int, int] = {}
        self._around: dict[int, tuple[int, int]] = {}
        self._uses: dict[Value, list[Site]] = {}
        self._expressions: set[int] = set()
        self._visit(function.body)
        self.names_static = {
            value
            for value, operation in self.definitions.items()
            if self.home[value][0] == 0 and self._is_named_static(operation, value)
        }
        self._sizes: dict[Value, int] = {}
        self._inline: set[Value] = set()
        for value in self.definitions:
            if self._floats(value) or self._joins(value):
                self._inline.add(value)
            self._sizes[value] = self._size(value)
        self.sites = cache(self._find_sites)

    def number(self, region: Region) -> int:
        """The number of a region of this function."""
        return self._number[id(region)]

    def is_inline(self, value: Value) -> bool:
        """Whether the value is written where it is used."""
        return value in self._inline

    def position_in(self, site: Site, region: int) -> int | None:
        """Where in a region the site is, or what holds it; None where the region does not hold it."""
        number, position = site.region, site.position
        while number != region:
            if number not in self._around:
                return None
            number, position = self._around[number]
        return position

    def is_expression(self, operation: Operation) -> bool:
        """Whether an `if` is printed as `a if condition else b`."""
        if operation.kind != "if" or len(operation.results) != 1:
            return False
        if not all(self._is_pure_text(region) for region in operation.regions):
            return False
        if self.phases[operation.result] <= Phase.MIXED:
            return True
        inside = [one for region in operation.regions for one in region.operations]
        return len(inside) <= _CHOICE and not any(one.effect for one in inside)

    def _is_pure_text(self, region: Region) -> bool:
        """Whether a region can be one expression."""
        for one in region.operations:
            if len(one.results) != 1 or one.kind in ("scalar", *LOOPS):
                return False
            if one.kind == "if" and not self.is_expression(one):
                return False
            if one.effect and len(self._uses.get(one.result, ())) != 1:
                return False
        return True

    def _visit(self, region: Region) -> None:
        number = self._number.setdefault(id(region), len(self.regions))
        self.regions.append(region)
        self.home |= dict.fromkeys(region.arguments, (number, -1))
        for position, operation in enumerate(region.operations):
            self.home |= dict.fromkeys(operation.results, (number, position))
            self.definitions |= dict.fromkeys(operation.results, operation)
            for operand in operation.operands:
                if isinstance(operand, Value):
                    self._uses.setdefault(operand, []).append(Site(number, position, operation))
            for body in operation.regions:
                self._around[len(self.regions)] = (number, position)
                self._visit(body)
        for operand in region.yields:
            if isinstance(operand, Value):
                self._uses.setdefault(operand, []).append(Site(number, len(region.operations), None))
        for operation in region.operations:
            if self.is_expression(operation):
                self._expressions |= {self._number[id(body)] for body in operation.regions}
            if operation.kind == "while":
                self._expressions.add(self._number[id(operation.regions[0])])

    def _is_named_static(self, operation: Operation, value: Value) -> bool:
        """Arithmetic of block sizes that is used more than once gets a name."""
        if self.phases[value] != Phase.STATIC or operation.kind not in ARITHMETIC | {"cdiv"}:
            return False
        nested = [self.definitions.get(o) for o in operation.operands if isinstance(o, Value)]
        return len(self._uses.get(value, ())) > 1 and any(one is not None for one in nested)

    def _find_sites(self, value: Value) -> tuple[Site, ...]:
        """The statements that a value is printed in."""
        found: list[Site] = []
        for site in self._uses.get(value, ()):
            user = site.user
            if user is not None and len(user.results) == 1 and self.is_inline(user.result):
                found += self.sites(user.result)
            elif site.region in self._expressions:
                found += self._expression_sites(site)
            else:
                found.append(site)
        return tuple(found)

    def _expression_sites(self, site: Site) -> tuple[Site, ...]:
        """Where the expression that a region has become is printed."""
        region, position = self._around[site.region]
        holder = self.regions[region].operations[position]
        if holder.kind == "if" and self.is_inline(holder.result):
            return self.sites(holder.result)
        return (Site(region, position, holder),)

    def _floats(self, value: Value) -> bool:
        """Whether a value has no place of its own, however often it is used."""
        operation = self.definitions[value]
        if value in self.names_static:
            return False
        if self.home[value][0] in self._expressions:
            return True
        if operation.kind == "tuple" and any(self._is_opaque(site) for site in self._uses.get(value, ())):
            return False
        return is_inline(operation, self.phases[value]) and (operation.kind != "if" or self.is_expression(operation))

    def _is_opaque(self, site: Site) -> bool:
        """Whether the use is in text that is not understood: a name must stand there."""
        return site.user is not None and site.user.kind in ("opaque", "opaque_statement")

    def _real_uses(self, value: Value) -> list[Site]:
        """Uses of a value, or of what is written in place and holds it."""
        found: list[Site] = []
        for site in self._uses.get(value, ()):
            user = site.user
            if user is not None and len(user.results) == 1 and self._floats(user.result):
                found += self._real_uses(user.result)
            else:
                found.append(site)
        return found

    def _joins(self, value: Value) -> bool:
        """Whether a value is written in the only statement that uses it."""
        operation = self.definitions[value]
        if operation.kind in ("scalar", "opaque_statement", *LOOPS) or len(operation.results) != 1:
            return False
        if operation.kind == "if" and not self.is_expression(operation):
            return False
        uses = self._real_uses(value)
        if any(self._is_opaque(site) for site in self._uses.get(value, ())):
            return False
        if len(uses) != 1 or uses[0].region != self.home[value][0]:
            return False
        if operation.kind == "if" and self.phases[value] <= Phase.MIXED:
            return True
        if operation.effect:
            mixed = self.phases[value] <= Phase.MIXED
            return self._is_last_effect(value, uses[0]) or (mixed and self._acts_in(value, uses[0]))
        user = uses[0].user
        most = _ACCESS if user is not None and user.kind in ("load", "store") else _LINE
        return self._size(value) <= most

    def _is_last_effect(self, value: Value, use: Site) -> bool:
        """Whether a load is only what a region gives back, and the last thing that it does."""
        region, position = self.home[value]
        after = self.regions[region].operations[position + 1 :]
        return use.user is None and not any(one.effect for one in after) and region != 0

    def _acts_in(self, value: Value, use: Site) -> bool:
        """Whether nothing but other arguments of the same statement acts between an operation and its use."""
        region, position = self.home[value]
        between = self.regions[region].operations[position + 1 : use.position]
        users = [self._uses.get(one.results[0], ()) for one in between if one.effect and one.results]
        acting = sum(1 for one in between if one.effect)
        return len(users) == acting and all(len(u) == 1 and u[0].position == use.position for u in users)

    def _size(self, value: Value) -> int:
        """About how many characters the text of a value takes."""
        operation = self.definitions[value]
        size = (
            3 if operation.kind in OPERATORS or operation.kind in ("tuple", "expand_dims") else len(operation.kind) + 5
        )
        for operand in operation.operands:
            if isinstance(operand, Value):
                size += self._sizes[operand] if operand in self._inline else 7
            else:
                size += len(str(operand)) + 2
        return size
