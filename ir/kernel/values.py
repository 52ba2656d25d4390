"""The values of a kernel's body: operands, operations, regions, functions. Frozen; equal by content.

Every result and region argument is a `Value`, numbered in the order of its definition. An operation stands in exactly
one region and uses values of that region or of those around it, defined before it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property, lru_cache
from typing import Any


class Effect(IntEnum):
    """What an operation does beside computing its results; the order of all but PURE ones is kept."""

    PURE = 0
    READ = 1
    WRITE = 2


@dataclass(frozen=True, slots=True)
class Value:
    """A result of an operation, or an argument of a region."""

    number: int

    def __str__(self) -> str:
        return f"%{self.number}"


@dataclass(frozen=True, slots=True)
class Constant:
    """A literal, as canonical Python text: `1`, `1.0`, `'ieee'`, `None`, `tl.float32`, `float("inf")`."""

    text: str

    def __str__(self) -> str:
        return self.text

    @property
    def number(self) -> int | float | None:
        """The number that it is (a bool is none); None for anything else."""
        return _number(self.text)


@lru_cache(maxsize=4096)
def _number(text: str) -> int | float | None:
    text = text.replace('float("inf")', "inf").replace('float("nan")', "nan")
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return None


@dataclass(frozen=True, slots=True)
class Symbol:
    """A name of the file: a `@triton.jit` function or a module-level constant."""

    name: str

    def __str__(self) -> str:
        return f"@{self.name}"


@dataclass(frozen=True, slots=True)
class Undefined:
    """No value: what a name is worth on a path that never assigns it."""

    def __str__(self) -> str:
        return "undefined"


Operand = Value | Constant | Symbol | Undefined


@dataclass(frozen=True)
class Region:
    """Operations in order, what they are given, and what they give back.

    A body of a loop is given the counter (for `for` and `static_for`), then the carried values.
    """

    arguments: tuple[Value, ...]
    operations: tuple["Operation", ...]
    yields: tuple[Operand, ...] = ()


@dataclass(frozen=True)
class Operation:
    """One operation; `vocabulary` lists the kinds.

    `keys` names each operand's part: `pointer`, `mask`, …; `init` for a loop's carried values. `text` holds the name of
    an `attribute` or `method`, and the source of an `opaque` operation.
    """

    kind: str
    operands: tuple[Operand, ...] = ()
    keys: tuple[str, ...] = ()
    results: tuple[Value, ...] = ()
    regions: tuple[Region, ...] = ()
    text: str = ""
    effect: Effect = Effect.PURE

    def get(self, key: str) -> Operand | None:
        """The operand of that part; None where there is none."""
        return self._by_key.get(key)

    @cached_property
    def _by_key(self) -> Mapping[str, Operand]:
        return dict(zip(reversed(self.keys), reversed(self.operands), strict=True))

    def having(
        self,
        *,
        operands: tuple[Operand, ...] | None = None,
        results: tuple[Value, ...] | None = None,
        regions: tuple[Region, ...] | None = None,
        effect: Effect | None = None,
    ) -> "Operation":
        """The operation with other operands, results, regions or effect; `dataclasses.replace` takes three times as
        long, and forms of kernels are made of nothing else."""
        return Operation(
            self.kind,
            self.operands if operands is None else operands,
            self.keys,
            self.results if results is None else results,
            self.regions if regions is None else regions,
            self.text,
            self.effect if effect is None else effect,
        )

    @property
    def result(self) -> Value:
        """The only result."""
        assert len(self.results) == 1, self
        return self.results[0]

    @property
    def inits(self) -> tuple[Operand, ...]:
        """What a loop's carried values start with."""
        return tuple(o for o, key in zip(self.operands, self.keys, strict=True) if key == "init")

    def walk(self) -> Iterator["Operation"]:
        """The operation and all inside its regions, outer ones first."""
        yield self
        for region in self.regions:
            for inner in region.operations:
                yield from inner.walk()


@dataclass(frozen=True)
class Parameter:
    """A parameter; `annotation` and `default` are source text, "" where there is none."""

    name: str
    annotation: str = ""
    default: str = ""
    keyword_only: bool = False

    @property
    def is_constexpr(self) -> bool:
        """Whether it is known when the kernel is compiled."""
        return self.annotation.strip("'\"").split(".")[-1] == "constexpr"


@dataclass(frozen=True)
class Function:
    """A `@triton.jit` function: a kernel, or a helper that kernels call.

    The body's arguments are the parameters in order; it yields what the function returns. `entry` says that only
    launches call it: an argument that is not constexpr is then a tensor, a number or None of a launch. `decorators` is
    their source text without the `@`.
    """

    symbol: str
    parameters: tuple[Parameter, ...]
    body: Region
    decorators: tuple[str, ...] = ("triton.jit",)
    entry: bool = True
    returns: str = ""

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        """Of all operations, and asked for by every analysis that remembers what it found."""
        return hash((self.symbol, self.parameters, self.body, self.decorators, self.entry, self.returns))

    def __getstate__(self) -> dict[str, Any]:
        """Without the hash: those of texts differ from process to process."""
        return {name: value for name, value in self.__dict__.items() if name != "_hash"}

    def walk(self) -> Iterator[Operation]:
        """Every operation, outer ones first."""
        for operation in self.body.operations:
            yield from operation.walk()

    def uses(self) -> Mapping[Operand, Sequence[Operation]]:
        """The operations that use each operand; what a region gives, the operation around it uses."""
        found: dict[Operand, list[Operation]] = {}
        for one in self.walk():
            for operand in (*one.operands, *(given for region in one.regions for given in region.yields)):
                found.setdefault(operand, []).append(one)
        return found

    def argument(self, name: str) -> Value:
        """The value of a parameter; KeyError where there is none of that name."""
        for parameter, value in zip(self.parameters, self.body.arguments, strict=True):
            if parameter.name == name:
                return value
        raise KeyError(f"@{self.symbol} has no parameter {name}")
