"""Expressions of kernels as operations."""

import ast
import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kernelwright.ir.dialect.checker import bound_names, dotted
from kernelwright.ir.dialect.tables import LANGUAGE_DTYPES, TRITON_NAMES
from kernelwright.ir.kernel.analysis.phases import Phase
from kernelwright.ir.kernel.building import Builder, effect_of
from kernelwright.ir.kernel.values import Constant, Effect, Operand, Operation, Parameter, Symbol, Undefined, Value
from kernelwright.ir.kernel.vocabulary import (
    BINARY,
    BUILTINS,
    COMPARISONS,
    DEVICE_FUNCTIONS,
    FUNCTIONS,
    HINTS,
    MATH,
    METHODS,
    NO_RESULT,
    RENAMED,
    UNARY,
    Signature,
)


@dataclass(frozen=True)
class Helper:
    """What a call must know of the function it calls: parameters, effect, and whether it certainly gives tensors."""

    parameters: tuple[Parameter, ...]
    effect: Effect
    runtime: bool


class UnknownFormError(Exception):
    """An expression or statement of no known form; it becomes an opaque operation."""


class Expressions:
    """Reads expressions into a builder; `names` holds what each local name is worth at the moment."""

    def __init__(self, helpers: Mapping[str, Helper]) -> None:
        self.builder = Builder()
        self.helpers = helpers
        self.names: dict[str, Operand] = {}

    def one(
        self, kind: str, operands: Sequence[Operand], keys: Sequence[str], *, text: str = "", fresh: bool = False
    ) -> Value:
        """Emit an operation with one result."""
        operation = Operation(kind, tuple(operands), tuple(keys), text=text, effect=_effect(kind))
        return self.builder.emit(operation, fresh=fresh)[0]

    def read(self, node: ast.expr, *, fresh: bool = False) -> Operand:
        """The operand that an expression gives; `fresh`: its outermost operation is not shared with earlier ones."""
        before = self.builder.mark()
        try:
            return self._read(node, fresh=fresh)
        except UnknownFormError:
            self.builder.reset(before)
            return self.opaque(node)

    def _read(self, node: ast.expr, *, fresh: bool) -> Operand:
        match node:
            case ast.Constant(value=value):
                return Constant(literal(value))
            case ast.Name(id=name):
                return self._name(name)
            case ast.Tuple(elts=elements) | ast.List(elts=elements):
                return self.pack([self.read(_plain(element)) for element in elements])
            case ast.BinOp(left=left, op=operator, right=right):
                return self._binary(BINARY[type(operator)], self.read(left), self.read(right), fresh=fresh)
            case ast.UnaryOp(op=sign, operand=inner):
                return self._unary(UNARY[type(sign)], self.read(inner), fresh=fresh)
            case ast.Compare(left=left, ops=[operator], comparators=[right]):
                keys = ("lhs", "rhs")
                return self.one(COMPARISONS[type(operator)], (self.read(left), self.read(right)), keys, fresh=fresh)
            case ast.BoolOp():
                return self._boolean(node)
            case ast.IfExp():
                return self._choice(node)
            case ast.Subscript():
                return self._subscript(node)
            case ast.Attribute():
                return self._attribute(node)
            case ast.Call():
                return self._call(node, fresh=fresh)
        raise UnknownFormError

    def pack(self, elements: Sequence[Operand]) -> Value:
        """A tuple of operands."""
        return self.one("tuple", elements, ("element",) * len(elements))

    def elements(self, operand: Operand) -> tuple[Operand, ...] | None:
        """The parts of a tuple that is made here; None for anything else."""
        made = self.builder.definitions.get(operand) if isinstance(operand, Value) else None
        return made.operands if made is not None and made.kind == "tuple" else None

    def item(self, operand: Operand, index: Operand) -> Operand:
        """An element of a tuple."""
        parts = self.elements(operand)
        number = index.number if isinstance(index, Constant) else None
        if parts is not None and isinstance(number, int) and -len(parts) <= number < len(parts):
            return parts[number]
        return self.one("getitem", (operand, index), ("value", "index"))

    def assigned(self, operand: Operand) -> Operand:
        """What a name is worth once the operand is assigned to it: Triton makes tensors of numbers."""
        parts = self.elements(operand)
        if parts is not None:
            return self.pack([self.assigned(part) for part in parts])
        if self.builder.phase(operand) in (Phase.STATIC, Phase.MIXED):
            return self.one("scalar", (operand,), ("value",))
        return operand

    def opaque(self, node: ast.expr) -> Value:
        """An expression of no known form, kept as text around the names that it reads."""
        copied = copy.deepcopy(node)
        operands, keys = self.opaque_names(copied)
        calls = any(isinstance(part, ast.Call) for part in ast.walk(node))
        effect = Effect.WRITE if calls else Effect.PURE
        operation = Operation("opaque", operands, keys, text=ast.unparse(copied), effect=effect)
        return self.builder.emit(operation)[0]

    def opaque_names(self, node: ast.AST) -> tuple[tuple[Operand, ...], tuple[str, ...]]:
        """Rename the locals of a tree to `_0`, `_1`, … and give what the trees read of them and under which names."""
        renamed: dict[str, str] = {}
        local = bound_names(node) | self.names.keys()
        for part in ast.walk(node):
            if isinstance(part, ast.Name) and part.id in local:
                part.id = renamed.setdefault(part.id, f"_{len(renamed)}")
        known = {new: self.names.get(old, Undefined()) for old, new in renamed.items()}
        self.renamed = renamed
        return tuple(known.values()), tuple(known)

    def _name(self, name: str) -> Operand:
        if name in self.names:
            return self.names[name]
        return Symbol(name)

    def _binary(self, kind: str, left: Operand, right: Operand, *, fresh: bool = False) -> Operand:
        folded = _folded(kind, left, right)
        return folded if folded is not None else self.one(kind, (left, right), ("lhs", "rhs"), fresh=fresh)

    def _unary(self, kind: str, operand: Operand, *, fresh: bool = False) -> Operand:
        number = operand.number if isinstance(operand, Constant) else None
        if kind == "neg" and number is not None and isinstance(operand, Constant):
            text = operand.text.removeprefix("-") if operand.text.startswith("-") else f"-{operand.text}"
            return Constant(text)
        return self.one(kind, (operand,), ("value",), fresh=fresh)

    def _boolean(self, node: ast.BoolOp) -> Operand:
        """`a and b`: what may not be computed without `a` stays inside."""
        kind = "and" if isinstance(node.op, ast.And) else "or"
        first, *others = node.values
        operands = [self.read(first)]
        for other in others:
            if any(isinstance(part, ast.Call) and self._may_act(part) for part in ast.walk(other)):
                raise UnknownFormError
            operands.append(self.read(other))
        return self.one(kind, operands, ("value",) * len(operands))

    def _may_act(self, node: ast.Call) -> bool:
        chain = dotted(node.func)
        if chain[:1] == ("tl",) and chain[-1] in FUNCTIONS:
            return FUNCTIONS[chain[-1]].effect != Effect.PURE
        return not (len(chain) == 1 and chain[0] in BUILTINS) and chain[:1] not in (("tl",), ("libdevice",))

    def _choice(self, node: ast.IfExp) -> Operand:
        condition = self.read(node.test)
        regions = []
        for branch in (node.body, node.orelse):
            self.builder.open()
            given = self.read(branch)
            if self.builder.phase(condition) == Phase.RUNTIME:
                given = self.assigned(given)
            regions.append(self.builder.close((), (given,)))
        operation = Operation("if", (condition,), ("condition",), (), tuple(regions), "", effect_of(regions))
        return self.builder.emit(operation)[0]

    def _subscript(self, node: ast.Subscript) -> Operand:
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        value = self.read(node.value)
        whole = [isinstance(part, ast.Slice) and part.lower is part.upper is part.step is None for part in parts]
        added = [isinstance(part, ast.Constant) and part.value is None for part in parts]
        if all(one or other for one, other in zip(whole, added, strict=True)):
            for axis, one in enumerate(added):
                if one:
                    value = self.one("expand_dims", (value, Constant(str(axis))), ("input", "axis"))
            return value
        if len(parts) == 1 and not isinstance(parts[0], ast.Slice):
            return self.item(value, self.read(parts[0]))
        raise UnknownFormError

    def _attribute(self, node: ast.Attribute) -> Operand:
        chain = dotted(node)
        if chain and chain[0] not in self.names:
            if chain[:2] == ("triton", "language"):
                chain = ("tl", *chain[2:])
            if chain[0] == "tl" and ((len(chain) == 2 and chain[1] in LANGUAGE_DTYPES) or chain[1] == "PropagateNan"):
                return Constant(".".join(chain))
            if chain[0] in ("tl", "triton", "libdevice") and len(chain) == 2:
                return Symbol(".".join(chain))
        value = self.read(node.value)
        if node.attr == "T":
            return self.one("trans", (value,), ("input",))
        return self.one("attribute", (value,), ("value",), text=node.attr)

    def _call(self, node: ast.Call, *, fresh: bool) -> Operand:
        if any(isinstance(argument, ast.Starred) for argument in node.args) or any(
            k.arg is None for k in node.keywords
        ):
            raise UnknownFormError
        chain = dotted(node.func)
        local = bool(chain) and chain[0] in self.names
        if chain[:2] == ("triton", "language") and not local:
            chain = ("tl", *chain[2:])
        if not local and chain[:1] == ("tl",):
            name = chain[-1]
            if (len(chain) == 2 and name in FUNCTIONS) or (chain[:2] == ("tl", "math") and name in MATH):
                return self._function(FUNCTIONS[name], node.args, node.keywords, fresh=fresh)
            raise UnknownFormError
        if (
            not local
            and len(chain) == 2
            and (
                (chain[0] == "libdevice" and chain[1] in DEVICE_FUNCTIONS)
                or (chain[0] == "triton" and chain[1] in TRITON_NAMES)
            )
        ):
            return self._plain_call(".".join(chain), node)
        if not local and len(chain) == 1 and chain[0] in BUILTINS:
            return self._builtin(chain[0], node)
        if isinstance(node.func, ast.Name):
            return self._helper(node)
        if isinstance(node.func, ast.Attribute):
            return self._method(node.func, node, fresh=fresh)
        raise UnknownFormError

    def _plain_call(self, kind: str, node: ast.Call) -> Value:
        """A function whose arguments are kept as they are given."""
        operands = [self.read(argument) for argument in node.args]
        operands += [self.read(keyword.value) for keyword in node.keywords]
        keys = [*("",) * len(node.args), *(keyword.arg or "" for keyword in node.keywords)]
        return self.one(kind, operands, keys)

    def _builtin(self, name: str, node: ast.Call) -> Operand:
        if name == "float" and len(node.args) == 1 and isinstance(node.args[0], ast.Constant):
            try:
                return Constant(literal(float(node.args[0].value)))  # type: ignore[arg-type]
            except (ValueError, TypeError):
                raise UnknownFormError from None
        return self._plain_call(f"python.{name}", node)

    def _helper(self, node: ast.Call) -> Value:
        """A call of a `@triton.jit` function, or of a parameter that holds one."""
        assert isinstance(node.func, ast.Name)
        callee = self._name(node.func.id)
        helper = self.helpers.get(callee.name) if isinstance(callee, Symbol) else None
        operands, keys = [callee], ["callee"]
        names = [parameter.name for parameter in helper.parameters] if helper is not None else []
        for index, argument in enumerate(node.args):
            operands.append(self.read(argument))
            keys.append(names[index] if index < len(names) else "")
        for keyword in node.keywords:
            operands.append(self.read(keyword.value))
            keys.append(keyword.arg or "")
        if names and set(keys[1:]) <= set(names):
            order = sorted(range(1, len(keys)), key=lambda index: names.index(keys[index]))
            operands = [callee, *(operands[index] for index in order)]
            given = [keys[index] for index in order]
            keys = [
                "callee",
                *("" if names[: place + 1] == given[: place + 1] else key for place, key in enumerate(given)),
            ]
        text = "runtime" if helper is not None and helper.runtime else ""
        effect = helper.effect if helper is not None else Effect.WRITE
        return self.builder.emit(Operation("call", tuple(operands), tuple(keys), text=text, effect=effect))[0]

    def _method(self, function: ast.Attribute, node: ast.Call, *, fresh: bool) -> Operand:
        name = RENAMED.get(function.attr, function.attr)
        if name in METHODS:
            operands = [self.read(function.value), *(self.read(argument) for argument in node.args)]
            operands += [self.read(keyword.value) for keyword in node.keywords]
            keys = ["self", *("",) * len(node.args), *(keyword.arg or "" for keyword in node.keywords)]
            kind = f"method.{name}"
            made = Operation(kind, tuple(operands), tuple(keys), effect=METHODS[name])
            if kind in NO_RESULT:
                self.builder.emit(made, 0)
                return Constant("None")
            return self.builder.emit(made)[0]
        if name in FUNCTIONS and name not in ("zeros", "full", "arange", "program_id"):
            return self._function(FUNCTIONS[name], [function.value, *node.args], node.keywords, fresh=fresh)
        raise UnknownFormError

    def _function(
        self, signature: Signature, arguments: Sequence[ast.expr], keywords: Sequence[ast.keyword], *, fresh: bool
    ) -> Operand:
        """A function of the language; arguments are bound to its parameters, defaults left out."""
        bound: dict[str, Operand] = {}
        names = list(signature.parameters)
        plain = names[: names.index(signature.variadic)] if signature.variadic else names
        for index, argument in enumerate(arguments):
            if index < len(plain):
                hinted = signature.name in HINTS and index == 0
                bound[plain[index]] = self._hinted(argument) if hinted else self.read(argument)
            elif not signature.variadic:
                raise UnknownFormError
            elif index == len(plain):
                rest = arguments[index:]
                bound[signature.variadic] = (
                    self.read(rest[0]) if len(rest) == 1 else self.pack([self.read(one) for one in rest])
                )
        for keyword in keywords:
            if keyword.arg not in names or keyword.arg in bound:
                raise UnknownFormError
            bound[keyword.arg] = self.read(keyword.value)
        for name, default in signature.defaults.items():
            if bound.get(name) == Constant(default):
                del bound[name]
        if any(name not in bound and name not in signature.defaults for name in plain):
            raise UnknownFormError
        ordered = [name for name in names if name in bound]
        return self._made(signature, tuple(bound[name] for name in ordered), tuple(ordered), fresh=fresh)

    def _made(
        self, signature: Signature, operands: tuple[Operand, ...], keys: tuple[str, ...], *, fresh: bool
    ) -> Operand:
        kind = signature.name
        if kind in ("add", "sub", "mul") and len(operands) == 2:
            keys = ("lhs", "rhs")
        elif kind == "zeros":
            kind, operands, keys = "full", (operands[0], Constant("0"), operands[1]), ("shape", "value", "dtype")
        elif kind == "constexpr":
            return operands[0]
        if kind in NO_RESULT:
            self.builder.emit(Operation(kind, operands, keys, effect=signature.effect), 0)
            return Constant("None")
        return self.one(kind, operands, keys, fresh=fresh)

    def _hinted(self, node: ast.expr) -> Operand:
        """The operand of a hint: Triton writes the hint on what computed it, which so stays apart."""
        operand = self.read(node, fresh=not isinstance(node, ast.Name))
        self.builder.forget(operand)
        return operand


def _effect(kind: str) -> Effect:
    return FUNCTIONS[kind].effect if kind in FUNCTIONS else Effect.PURE


def _plain(node: ast.expr) -> ast.expr:
    if isinstance(node, ast.Starred):
        raise UnknownFormError
    return node


def literal(value: object) -> str:
    """Canonical text of a literal."""
    if isinstance(value, float):
        if value != value:
            return 'float("nan")'
        if value in (float("inf"), float("-inf")):
            return 'float("inf")' if value > 0 else '-float("inf")'
    return repr(value)


def _folded(kind: str, left: Operand, right: Operand) -> Constant | None:
    """Arithmetic of two integer literals, which Triton does while it compiles."""
    if not (isinstance(left, Constant) and isinstance(right, Constant)):
        return None
    one, two = left.number, right.number
    if type(one) is not int or type(two) is not int:
        return None
    if kind in ("add", "sub", "mul"):
        return Constant(str({"add": one + two, "sub": one - two, "mul": one * two}[kind]))
    if kind in ("floordiv", "mod") and two > 0 and one >= 0:
        return Constant(str(one // two if kind == "floordiv" else one % two))
    return None
