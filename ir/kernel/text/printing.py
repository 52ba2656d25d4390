"""`Function` -> Triton as a person would write it."""

import ast
from collections.abc import Mapping, Sequence
from dataclasses import replace

from kernelwright.ir.kernel.analysis.phases import Phase
from kernelwright.ir.kernel.analysis.shapes import shapes
from kernelwright.ir.kernel.text.layout import Layout
from kernelwright.ir.kernel.text.naming import Names, Roles
from kernelwright.ir.kernel.values import Constant, Function, Operand, Operation, Region, Symbol, Undefined, Value
from kernelwright.ir.kernel.vocabulary import FUNCTIONS, LOOPS, OPERATORS
from kernelwright.ir.values import KernelModule

_ATOM, _CHOICE, _COMPARISON, _SIGN, _POWER = 20, 0, 4, 11, 12
_INDENT = "    "


def print_function(function: Function) -> str:
    """The function's text, decorators included, without a newline at its end."""
    return "\n".join(_Printer(function).lines())


def with_functions(module: KernelModule, functions: Mapping[str, Function]) -> KernelModule:
    """The module with the text of these functions in place of that of its own of the same symbol."""
    kernels = tuple(
        replace(kernel, source=print_function(functions[kernel.symbol])) if kernel.symbol in functions else kernel
        for kernel in module.kernels
    )
    return replace(module, kernels=kernels)


class _Printer:
    def __init__(self, function: Function) -> None:
        self.function = function
        self.layout = Layout(function)
        self.shapes = shapes(function)
        self.roles = Roles(function)
        self.scope = Names(self.roles.reserved(function))
        self.names: dict[Value, str] = {}
        self.text: list[str] = []
        self.depth = 1

    def lines(self) -> list[str]:
        function = self.function
        self.names = {v: p.name for v, p in zip(function.body.arguments, function.parameters, strict=True)}
        self.region(function.body)
        if function.body.yields:
            self.line("return " + self.tail(function.body.yields[0]))
        if not self.text:
            self.line("pass")
        head = [f"@{decorator}" for decorator in function.decorators]
        returns = f" -> {function.returns}" if function.returns else ""
        return [*head, *self._signature(returns), *self.text]

    def _signature(self, returns: str) -> list[str]:
        parts: list[str] = []
        starred = False
        for parameter in self.function.parameters:
            if parameter.keyword_only and not starred:
                parts.append("*")
                starred = True
            text = parameter.name + (f": {parameter.annotation}" if parameter.annotation else "")
            equals = " = " if parameter.annotation else "="
            parts.append(text + (f"{equals}{parameter.default}" if parameter.default else ""))
        line = f"def {self.function.symbol}({', '.join(parts)}){returns}:"
        if len(line) <= 120:
            return [line]
        lines: list[str] = [_INDENT]
        for part in parts:
            if len(lines[-1]) + len(part) > 118:
                lines.append(_INDENT)
            lines[-1] += f"{part}, "
        return [f"def {self.function.symbol}(", *(one.rstrip() for one in lines), f"){returns}:"]

    def line(self, text: str) -> None:
        self.text.append(_INDENT * self.depth + text)

    def region(self, region: Region) -> None:
        """The statements of a region, what it gives back left out."""
        for position, operation in enumerate(region.operations):
            if operation.kind in LOOPS:
                self.loop(operation, region, position)
            elif operation.kind == "if" and not self.layout.is_expression(operation):
                self.branch(operation, region, position)
            elif not (operation.results and self.layout.is_inline(operation.results[0])):
                self.statement(operation)

    def statement(self, operation: Operation) -> None:
        if operation.kind == "opaque_statement":
            self.opaque_statement(operation)
        elif operation.kind == "return":
            self.line(f"return {self.tail(operation.operands[0])}" if operation.operands else "return")
        elif operation.kind == "assert":
            self.line("assert " + ", ".join(self.tail(operand) for operand in operation.operands))
        elif not operation.results or not self.layout.sites(operation.result):
            self.line(self.written(operation)[0])
        else:
            value = operation.result
            text = self.written(operation)[0]
            self.names[value] = name = self.scope.new(self.roles.of(value))
            static = ": tl.constexpr" if value in self.layout.names_static else ""
            self.line(f"{name}{static} = {text}")

    def assign(self, pending: Sequence[tuple[str, Operand]]) -> None:
        """Assign to names that other assignments may read, as if all at once."""
        left = [(name, operand) for name, operand in pending if not isinstance(operand, Undefined)]
        left = [(name, operand) for name, operand in left if self.tail(operand) != name]
        while left:
            reads = [self.read_names(operand) for _, operand in left]
            free = [
                index
                for index, (name, _) in enumerate(left)
                if not any(name in read for other, read in enumerate(reads) if other != index)
            ]
            if not free:
                targets, values = ", ".join(name for name, _ in left), ", ".join(self.tail(o) for _, o in left)
                self.line(f"{targets} = {values}")
                return
            name, operand = left.pop(free[0])
            self.line(self._update(name, operand) or f"{name} = {self.tail(operand)}")

    def _update(self, name: str, operand: Operand) -> str:
        """`acc += x` where that is what is assigned; "" for anything else."""
        made = (
            self.layout.definitions.get(operand) if isinstance(operand, Value) and operand not in self.names else None
        )
        if (
            made is None
            or made.kind not in ("add", "sub", "mul", "truediv", "bitor", "bitand")
            or len(made.operands) != 2
        ):
            return ""
        if self.tail(made.operands[0]) != name:
            return ""
        return f"{name} {OPERATORS[made.kind][0]}= {self.tail(made.operands[1])}"

    def read_names(self, operand: Operand) -> set[str]:
        """Names that the text of an operand reads."""
        if not isinstance(operand, Value):
            return set()
        if operand in self.names:
            return {self.names[operand]}
        operation = self.layout.definitions[operand]
        inner = [o for one in operation.walk() for o in one.operands]
        inner += [o for one in operation.walk() for region in one.regions for o in region.yields]
        return set().union(*(self.read_names(o) for o in inner if o != operand))

    def loop(self, operation: Operation, region: Region, position: int) -> None:
        body = operation.regions[-1]
        counts = operation.kind != "while"
        counter = ""
        if counts and self._outlives(operation):
            counter = self.scope.new(self._counter(operation))
        names = self._carried_names(operation, region, position, counter)
        self.assign(list(zip(names, operation.inits, strict=True)))
        self.scope.open()
        if counts:
            counter = counter or self.scope.new(self._counter(operation))
            self.names[body.arguments[0]] = counter
        self.line(self._header(operation, names, counter))
        self.names |= zip(body.arguments[1:] if counts else body.arguments, names, strict=True)
        self.block(body, names)
        if operation.kind == "static_for":  # its names stay bound after it
            self.scope.keep()
        self.scope.close()
        self.names |= zip(operation.results, names, strict=True)

    def _outlives(self, operation: Operation) -> bool:
        """Whether the counter itself is used after the loop."""
        body = operation.regions[-1]
        ends = zip(operation.inits, body.yields, strict=True)
        return any(isinstance(init, Undefined) and given == body.arguments[0] for init, given in ends)

    def _counter(self, operation: Operation) -> str:
        if operation.kind == "static_for":
            return "i"
        return "i" if operation.get("step") == Constant("1") else "start"

    def _header(self, operation: Operation, names: Sequence[str], counter: str) -> str:
        if operation.kind == "while":
            condition = operation.regions[0]
            self.names |= zip(condition.arguments, names, strict=True)
            return f"while {self.tail(condition.yields[0])}:"
        pairs = [(key, o) for key, o in zip(operation.keys, operation.operands, strict=True) if key != "init"]
        start, end, step = (operand for _, operand in pairs[:3])
        bounds = [self.tail(end)]
        if start != Constant("0") or step != Constant("1"):
            bounds.insert(0, self.tail(start))
        if step != Constant("1"):
            bounds.append(self.tail(step))
        bounds += [f"{key}={self.tail(operand)}" for key, operand in pairs[3:]]
        name = "tl.static_range" if operation.kind == "static_for" else "tl.range" if pairs[3:] else "range"
        return f"for {counter} in {name}({', '.join(bounds)}):"

    def block(self, region: Region, names: Sequence[str]) -> None:
        """An indented body that ends by assigning what it gives back."""
        self.depth += 1
        length = len(self.text)
        self.region(region)
        self.assign(list(zip(names, region.yields, strict=True)))
        if len(self.text) == length:
            self.line("pass")
        self.depth -= 1

    def branch(self, operation: Operation, region: Region, position: int) -> None:
        names = self._result_names(operation, region, position)
        then, other = operation.regions
        self.line(f"if {self.tail(operation.operands[0])}:")
        self.block(then, names)
        start = len(self.text)
        self.line("else:")
        self.block(other, names)
        if self.text[start + 1 :] == [_INDENT * (self.depth + 1) + "pass"]:
            del self.text[start:]
        self.names |= zip(operation.results, names, strict=True)

    def _carried_names(self, operation: Operation, region: Region, position: int, counter: str) -> list[str]:
        """A name for each carried value: that of what it starts with, where nothing needs that any longer."""
        names: list[str] = []
        body = operation.regions[-1]
        for index, init in enumerate(operation.inits):
            if counter and isinstance(init, Undefined) and body.yields[index] == body.arguments[0]:
                names.append(counter)
            elif self._may_take(init, region, position, strict=True) and self.names[init] not in names:  # type: ignore[index]
                names.append(self.names[init])  # type: ignore[index]
            else:
                names.append(self.scope.new(self.roles.carried_by(operation, index)))
        return names

    def _result_names(self, operation: Operation, region: Region, position: int) -> list[str]:
        names: list[str] = []
        for pair in zip(*(body.yields for body in operation.regions), strict=True):
            for operand in reversed(pair):
                if self._may_take(operand, region, position, strict=False) and self.names[operand] not in names:
                    names.append(self.names[operand])
                    break
            else:
                names.append(self.scope.new(self.roles.carried(pair[1], pair[0])))
        return names

    def _may_take(self, operand: Operand, region: Region, position: int, *, strict: bool) -> bool:
        """Whether the operation at a position may take over the name of a value of its region."""
        number = self.layout.number(region)
        if not isinstance(operand, Value) or operand not in self.names or operand in self.layout.names_static:
            return False
        if self.layout.home[operand][0] != number or (number == 0 and self.layout.home[operand][1] < 0):
            return False
        if self.layout.phases[operand] < Phase.RUNTIME:
            return False
        inits = 0
        for site in self.layout.sites(operand):
            at = self.layout.position_in(site, number)
            assert at is not None
            if strict and at == position and site.region == number and operand in site.user.inits:  # type: ignore[union-attr]
                inits += 1
            elif at > position or (strict and at == position):
                return False
        return inits <= 1

    def opaque_statement(self, operation: Operation) -> None:
        assigned, _, text = operation.text.partition("\n")
        targets = assigned.split()
        given = dict(zip(operation.keys, operation.operands, strict=True))
        names = {target: self.scope.new("value") for target in targets}
        self.names |= zip(operation.results, names.values(), strict=True)
        for target, name in names.items():
            if not isinstance(given[target], Undefined):
                self.line(f"{name} = {self.tail(given[target])}")
        replaced = {key: self.tail(operand) for key, operand in given.items() if key not in names}
        for line in _substituted(text, {**names, **replaced}).splitlines():
            self.line(line)

    def tail(self, operand: Operand) -> str:
        """The text of an operand, where nothing binds more tightly."""
        return self.expression(operand)[0]

    def bound(self, operand: Operand, least: int) -> str:
        """The text of an operand, in parentheses where it binds less tightly."""
        text, tightness = self.expression(operand)
        return text if tightness >= least else f"({text})"

    def expression(self, operand: Operand) -> tuple[str, int]:
        """Text and how tightly it binds."""
        match operand:
            case Constant(text=text):
                return text, _SIGN if text.startswith("-") else _ATOM
            case Symbol(name=name):
                return name, _ATOM
            case Undefined():
                return "None", _ATOM
        if operand in self.names:
            return self.names[operand], _ATOM
        return self.written(self.layout.definitions[operand])

    def written(self, operation: Operation) -> tuple[str, int]:
        """What an operation computes, as an expression."""
        kind, operands = operation.kind, operation.operands
        if kind in ("add", "sub", "mul") and len(operands) > 2:
            return self._called(f"tl.{kind}", operation), _ATOM
        if kind in OPERATORS:
            return self._operator(kind, operands)
        match kind:
            case "scalar":
                return self.expression(operands[0])
            case "tuple":
                inner = ", ".join(map(self.tail, operands))
                return f"({inner},)" if len(operands) == 1 else f"({inner})", _ATOM
            case "getitem":
                return f"{self.bound(operands[0], _ATOM)}[{self.tail(operands[1])}]", _ATOM
            case "attribute":
                return f"{self.bound(operands[0], _ATOM)}.{operation.text}", _ATOM
            case "if":
                then, other = (self.bound(region.yields[0], 1) for region in operation.regions)
                return f"{then} if {self.bound(operands[0], 1)} else {other}", _CHOICE
            case "opaque":
                texts = {key: self.tail(o) for key, o in zip(operation.keys, operands, strict=True)}
                return f"({_substituted(operation.text, texts)})", _ATOM
            case "expand_dims":
                return self._expanded(operation), _ATOM
            case "cast":
                given = self._arguments(operation.keys[1:], operands[1:], positional=1)
                return f"{self.bound(operands[0], _ATOM)}.to({given})", _ATOM
            case "call":
                return f"{self.tail(operands[0])}({self._arguments(operation.keys[1:], operands[1:])})", _ATOM
        if kind.startswith("method."):
            given = self._arguments(operation.keys[1:], operands[1:])
            return f"{self.bound(operands[0], _ATOM)}.{kind.removeprefix('method.')}({given})", _ATOM
        if kind == "full" and operands[1] == Constant("0"):
            return f"tl.zeros({self._shape(operands[0])}, {self.tail(operands[2])})", _ATOM
        name = kind.removeprefix("python.") if "." in kind else f"tl.{kind}"
        return self._called(name, operation), _ATOM

    def _operator(self, kind: str, operands: Sequence[Operand]) -> tuple[str, int]:
        symbol, tightness = OPERATORS[kind]
        if len(operands) == 1:
            return f"{symbol}{self.bound(operands[0], tightness)}", tightness
        first = tightness + 1 if kind in ("and", "or", "pow") or tightness == _COMPARISON else tightness
        other = _SIGN if kind == "pow" else tightness + 1
        parts = [self.bound(operands[0], first), *(self.bound(operand, other) for operand in operands[1:])]
        return f" {symbol} ".join(parts), tightness

    def _called(self, name: str, operation: Operation) -> str:
        signature = FUNCTIONS.get(operation.kind)
        if signature is None:
            return f"{name}({self._arguments(operation.keys, operation.operands)})"
        plain = sum(key not in signature.defaults and key != signature.variadic for key in operation.keys)
        if signature.variadic:
            return f"{name}({self._variadic(operation, signature.variadic)})"
        return f"{name}({self._arguments(operation.keys, operation.operands, positional=plain)})"

    def _variadic(self, operation: Operation, variadic: str) -> str:
        parts: list[str] = []
        for key, operand in zip(operation.keys, operation.operands, strict=True):
            if key == variadic:
                made = self.layout.definitions.get(operand) if isinstance(operand, Value) else None
                spread = made is not None and made.kind == "tuple" and operation.kind.endswith("print")
                parts += map(self.tail, made.operands) if spread and made is not None else [self._shape(operand)]
            else:
                named = key in FUNCTIONS[operation.kind].defaults
                parts.append(f"{key}={self.tail(operand)}" if named else self.tail(operand))
        return ", ".join(parts)

    def _arguments(self, keys: Sequence[str], operands: Sequence[Operand], positional: int = 0) -> str:
        parts = []
        for index, (key, operand) in enumerate(zip(keys, operands, strict=True)):
            text = self._shape(operand) if key in ("shape", "block_shape") else self.tail(operand)
            parts.append(text if index < positional or not key else f"{key}={text}")
        return ", ".join(parts)

    def _shape(self, operand: Operand) -> str:
        made = self.layout.definitions.get(operand) if isinstance(operand, Value) else None
        if made is not None and made.kind == "tuple":
            return f"[{', '.join(map(self.tail, made.operands))}]"
        return self.tail(operand)

    def _expanded(self, operation: Operation) -> str:
        """`x[:, None]` where the rank is known, else `tl.expand_dims(x, axis)`."""
        axes: list[int] = []
        inner: Operand = operation.result
        while isinstance(inner, Value) and (inner == operation.result or inner not in self.names):
            made = self.layout.definitions[inner]
            axis = made.get("axis")
            number = axis.number if isinstance(axis, Constant) else None
            shape = self.shapes.of(made.operands[0]) if made.kind == "expand_dims" else None
            if not isinstance(number, int) or shape is None or not 0 <= number <= len(shape):
                break
            if axes and number > axes[0]:
                break
            axes.insert(0, number)
            inner = made.operands[0]
        shape = self.shapes.of(inner)
        if not axes or shape is None:
            return f"tl.expand_dims({', '.join(map(self.tail, operation.operands))})"
        parts = [":"] * len(shape)
        for axis_ in axes:
            parts.insert(axis_, "None")
        return f"{self.bound(inner, _ATOM)}[{', '.join(parts)}]"


def _substituted(text: str, texts: dict[str, str]) -> str:
    """Source text with names replaced by expressions."""

    class Replace(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.AST:
            if node.id not in texts:
                return node
            return (
                ast.parse(texts[node.id], mode="eval").body
                if isinstance(node.ctx, ast.Load)
                else ast.Name(texts[node.id], node.ctx)
            )

    return ast.unparse(Replace().visit(ast.parse(text)))
