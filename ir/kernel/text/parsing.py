"""Triton's text -> `Function`."""

import ast
import copy
import textwrap
from collections.abc import Mapping, Sequence
from functools import lru_cache

from kernelwright.ir.dialect.checker import all_arguments, bound_names, dotted
from kernelwright.ir.kernel.analysis.phases import REMEMBERED, Phase, carried_phase, parameter_phases, phase_of, phases
from kernelwright.ir.kernel.building import effect_of
from kernelwright.ir.kernel.canonical import canonical
from kernelwright.ir.kernel.text.expressions import Expressions, Helper, UnknownFormError
from kernelwright.ir.kernel.values import (
    Constant,
    Effect,
    Function,
    Operand,
    Operation,
    Parameter,
    Region,
    Undefined,
    Value,
)
from kernelwright.ir.kernel.vocabulary import BINARY
from kernelwright.ir.trees import walk
from kernelwright.ir.values import Kernel, KernelModule

_LOOPS = {("range",): "for", ("tl", "range"): "for", ("tl", "static_range"): "static_for"}


def parse_function(source: str, helpers: Mapping[str, Helper] | None = None, *, entry: bool | None = None) -> Function:
    """Read a `@triton.jit` function that the dialect accepts.

    `helpers`: what is known of functions that it may call; a call of any other may do anything. `entry` is taken from
    the function where it is not given: one that returns a value is none. Raises SyntaxError for what is no function.
    """
    node = ast.parse(textwrap.dedent(source)).body[0]
    if not isinstance(node, ast.FunctionDef):
        raise SyntaxError("a kernel is a function")
    if entry is None:
        entry = not any(isinstance(part, ast.Return) and part.value is not None for part in walk(node))
    return canonical(_Statements(helpers or {}).function(node, entry=entry))


def parse_kernels(kernels: Sequence[Kernel]) -> dict[str, Function]:
    """Every function of a module, those that others call read first. One that calls itself is read as if unknown.

    A text that was read before, with the same helpers, is not read again.
    """
    sources = {kernel.symbol: kernel.source for kernel in kernels}
    used = {symbol: _mentioned(source) & sources.keys() - {symbol} for symbol, source in sources.items()}
    called = {name for names in used.values() for name in names}
    done: dict[str, Function] = {}
    while len(done) < len(sources):
        left = [symbol for symbol in sources if symbol not in done]
        for symbol in [symbol for symbol in left if used[symbol] <= done.keys()] or left[:1]:
            helpers = tuple((name, helper_of(done[name])) for name in sorted(used[symbol] & done.keys()))
            done[symbol] = _parsed(sources[symbol], helpers, symbol not in called)
    return {symbol: done[symbol] for symbol in sources}


@lru_cache(maxsize=REMEMBERED)
def _mentioned(source: str) -> frozenset[str]:
    """Names of the file that a function reads: a local of the same name as another function is none."""
    node = ast.parse(textwrap.dedent(source)).body[0]
    read = frozenset(part.id for part in walk(node) if isinstance(part, ast.Name))
    if not isinstance(node, ast.FunctionDef):
        return read
    parameters = {argument.arg for argument in all_arguments(node.args)}
    return read - parameters - bound_names(ast.Module(node.body, []))


@lru_cache(maxsize=REMEMBERED)
def _parsed(source: str, helpers: tuple[tuple[str, Helper], ...], entry: bool) -> Function:
    return parse_function(source, dict(helpers), entry=entry)


def kernel_functions(module: KernelModule) -> dict[str, Function]:
    """Every `@triton.jit` function of the module by symbol, helpers too."""
    return parse_kernels(module.kernels)


@lru_cache(maxsize=REMEMBERED)
def helper_of(function: Function) -> Helper:
    """What a call of the function must know of it."""
    known = phases(function)
    returned = [*function.body.yields]
    returned += [o for operation in function.walk() if operation.kind == "return" for o in operation.operands]
    runtime = bool(returned) and {phase_of(operand, known) for operand in returned} == {Phase.RUNTIME}
    return Helper(function.parameters, effect_of((function.body,)), runtime)


class _Statements(Expressions):
    """Reads statements; every method that ends a path of the program returns True."""

    def function(self, node: ast.FunctionDef, *, entry: bool) -> Function:
        parameters = _parameters(node.args)
        arguments = tuple(self.builder.value(Phase.RUNTIME) for _ in parameters)
        found = Function(
            node.name,
            parameters,
            Region(arguments, ()),
            tuple(ast.unparse(decorator) for decorator in node.decorator_list),
            entry,
            ast.unparse(node.returns) if node.returns is not None else "",
        )
        self.builder.phases.update(parameter_phases(found))
        self.names = {parameter.name: value for parameter, value in zip(parameters, arguments, strict=True)}
        ends = [index for index, statement in enumerate(node.body) if isinstance(statement, ast.Return)]
        body = node.body[: ends[0]] if ends else node.body
        last = node.body[ends[0]] if ends else None
        yields: tuple[Operand, ...] = ()
        if not self.block(body) and isinstance(last, ast.Return) and last.value is not None:
            yields = (self.read(last.value),)
        region = self.builder.close(arguments, yields)
        return Function(found.symbol, parameters, region, found.decorators, entry, found.returns)

    def block(self, statements: Sequence[ast.stmt]) -> bool:
        """Read statements in order; whether the path ends in them."""
        for statement in statements:
            before, names = self.builder.mark(), dict(self.names)
            try:
                ended = self.statement(statement)
            except UnknownFormError:
                self.builder.reset(before)
                self.names = names
                ended = self.opaque_statement(statement)
            if ended:
                return True
        return False

    def statement(self, node: ast.stmt) -> bool:
        match node:
            case ast.Assign(targets=targets, value=value):
                given = self.assigned(self.read(value))
                for target in targets:
                    self.bind(target, given)
            case ast.AugAssign(target=ast.Name(id=name), op=operator, value=value):
                if name not in self.names:
                    raise UnknownFormError
                right = self.read(value)
                self.names[name] = self.assigned(self._binary(BINARY[type(operator)], self.names[name], right))
            case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation, value=ast.expr() as value):
                given = self.read(value)
                constexpr = dotted(annotation)[-1:] == ("constexpr",)
                self.names[name] = given if constexpr else self.assigned(given)
            case ast.Expr(value=ast.Constant()) | ast.Pass():
                pass
            case ast.Expr(value=value):
                self.read(value)
            case ast.If():
                return self.branch(node)
            case ast.For():
                self.counted_loop(node)
            case ast.While():
                self.while_loop(node)
            case ast.Return():
                self.returned(node)
                return True
            case ast.Assert(test=test, msg=message):
                operands = [self.read(test), *([self.read(message)] if message is not None else [])]
                keys = ("cond", "msg")[: len(operands)]
                self.builder.emit(Operation("assert", tuple(operands), keys, effect=Effect.WRITE), 0)
            case _:
                raise UnknownFormError
        return False

    def bind(self, target: ast.expr, operand: Operand) -> None:
        """Assign to a name, or to a tuple of targets."""
        match target:
            case ast.Name(id=name):
                self.names[name] = operand
            case ast.Tuple(elts=elements) | ast.List(elts=elements):
                for index, element in enumerate(elements):
                    self.bind(element, self.item(operand, Constant(str(index))))
            case _:
                raise UnknownFormError

    def returned(self, node: ast.Return) -> None:
        operands = (self.read(node.value),) if node.value is not None else ()
        self.builder.emit(Operation("return", operands, ("value",) * len(operands), effect=Effect.WRITE), 0)

    def branch(self, node: ast.If) -> bool:
        """Both branches, and what names are worth after them; whether both end the path."""
        condition = self.read(node.test)
        before = self.names
        marks: list[tuple[list[Operation], dict[str, Operand], bool]] = []
        for body in (node.body, node.orelse):
            self.names = dict(before)
            self.builder.open()
            ended = self.block(body)
            operations = list(self.builder.close().operations)
            marks.append((operations, self.names, ended))
        (then, then_names, then_ended), (other, other_names, other_ended) = marks
        changed: list[str] = []
        after = dict(before)
        for name in dict.fromkeys([*then_names, *other_names]):
            pair = (
                Undefined() if then_ended else then_names.get(name, Undefined()),
                Undefined() if other_ended else other_names.get(name, Undefined()),
            )
            if then_ended and not other_ended and pair[1] == before.get(name):
                after[name] = pair[1]
            elif (other_ended and not then_ended and pair[0] == before.get(name)) or pair[0] == pair[1]:
                after[name] = pair[0]
            else:
                changed.append(name)
        regions = []
        for operations, names, ended in ((then, then_names, then_ended), (other, other_names, other_ended)):
            yields = tuple(Undefined() if ended else names.get(name, Undefined()) for name in changed)
            regions.append(Region((), tuple(operations), yields))
        operation = Operation("if", (condition,), ("condition",), (), tuple(regions), "", effect_of(regions))
        results = self.builder.emit(operation, len(changed))
        self.names = after | dict(zip(changed, results, strict=True))
        return then_ended and other_ended

    def counted_loop(self, node: ast.For) -> None:
        chain = dotted(node.iter.func) if isinstance(node.iter, ast.Call) else ()
        kind = _LOOPS.get(chain)
        if kind is None or node.orelse or not isinstance(node.target, ast.Name) or chain[0] in self.names:
            raise UnknownFormError
        assert isinstance(node.iter, ast.Call)
        operands, keys = self._bounds(node.iter)
        carried = self._carried(node.body, skip=node.target.id)
        carried.append(node.target.id)
        before = dict(self.names)
        inits = tuple(self.names.get(name, Undefined()) for name in carried)
        self.builder.open()
        counter = self.builder.value(Phase.STATIC if kind == "static_for" else Phase.RUNTIME)
        arguments = [self.builder.value(carried_phase(kind, self.builder.phase(init))) for init in inits]
        self.names.update(zip(carried, arguments, strict=True))
        self.names[node.target.id] = counter
        region = self._body(node.body, carried, (counter, *arguments))
        self.names = before
        self._loop(kind, (*operands, *inits), (*keys, *("init",) * len(inits)), (region,), carried)

    def _bounds(self, call: ast.Call) -> tuple[list[Operand], list[str]]:
        """Start, end, step and options of a range."""
        if len(call.args) > 3 or not call.args or any(isinstance(argument, ast.Starred) for argument in call.args):
            raise UnknownFormError
        given = [self.read(argument) for argument in call.args]
        if len(given) == 1:
            given.insert(0, Constant("0"))
        if len(given) == 2:
            given.append(Constant("1"))
        keys = ["start", "end", "step"]
        for keyword in call.keywords:
            operand = self.read(keyword.value)
            if keyword.arg is None or keyword.arg in ("arg1", "arg2", "step"):
                raise UnknownFormError
            if operand != Constant(_RANGE_DEFAULTS.get(keyword.arg, "")):
                given.append(operand)
                keys.append(keyword.arg)
        return given, keys

    def _carried(self, body: Sequence[ast.stmt], skip: str = "") -> list[str]:
        """Names that a body assigns."""
        assigned = set().union(*(bound_names(statement) for statement in body)) - {skip}
        return sorted(
            assigned, key=lambda name: (list(self.names).index(name) if name in self.names else 1 << 30, name)
        )

    def _body(self, body: Sequence[ast.stmt], carried: Sequence[str], arguments: Sequence[Value]) -> Region:
        if self.block(body):
            raise UnknownFormError
        return self.builder.close(arguments, [self.names.get(name, Undefined()) for name in carried])

    def _loop(
        self,
        kind: str,
        operands: tuple[Operand, ...],
        keys: tuple[str, ...],
        regions: tuple[Region, ...],
        carried: Sequence[str],
    ) -> None:
        operation = Operation(kind, operands, keys, (), regions, "", effect_of(regions))
        results = self.builder.emit(operation, len(carried))
        self.names.update(zip(carried, results, strict=True))

    def while_loop(self, node: ast.While) -> None:
        if node.orelse:
            raise UnknownFormError
        carried = self._carried(node.body)
        before = dict(self.names)
        inits = tuple(self.names.get(name, Undefined()) for name in carried)
        regions = []
        for body in (None, node.body):
            self.names = dict(before)
            self.builder.open()
            arguments = [self.builder.value(Phase.RUNTIME) for _ in carried]
            self.names.update(zip(carried, arguments, strict=True))
            if body is None:
                regions.append(self.builder.close(arguments, (self.read(node.test),)))
            else:
                regions.append(self._body(body, carried, arguments))
        self.names = before
        self._loop("while", inits, ("init",) * len(inits), tuple(regions), carried)

    def opaque_statement(self, node: ast.stmt) -> bool:
        """A statement of no known form, kept as text around the names that it reads and assigns."""
        copied = copy.deepcopy(node)
        operands, keys = self.opaque_names(copied)
        assigned = [old for old in self.renamed if old in bound_names(node)]
        text = "\n".join([" ".join(self.renamed[name] for name in assigned), ast.unparse(copied)])
        operation = Operation("opaque_statement", operands, keys, text=text, effect=Effect.WRITE)
        results = self.builder.emit(operation, len(assigned))
        self.names.update(zip(assigned, results, strict=True))
        return isinstance(node, ast.Raise)


_RANGE_DEFAULTS = {
    "num_stages": "None",
    "loop_unroll_factor": "None",
    "disallow_acc_multi_buffer": "False",
    "flatten": "False",
    "warp_specialize": "False",
    "disable_licm": "False",
}


def _parameters(arguments: ast.arguments) -> tuple[Parameter, ...]:
    plain = [*arguments.posonlyargs, *arguments.args]
    defaults: list[ast.expr | None] = [*[None] * (len(plain) - len(arguments.defaults)), *arguments.defaults]
    defaults += arguments.kw_defaults
    keyword_only = {id(argument) for argument in arguments.kwonlyargs}
    return tuple(
        Parameter(
            argument.arg,
            ast.unparse(argument.annotation) if argument.annotation is not None else "",
            ast.unparse(default) if default is not None else "",
            id(argument) in keyword_only,
        )
        for argument, default in zip(all_arguments(arguments), defaults, strict=True)
    )
