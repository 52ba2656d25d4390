"""`exp-identities`: chains of exp, log1p, tanh and erf give way to one exp, and a quotient or a polynomial."""

import ast
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from kernelwright.ir.dialect.checker import all_arguments
from kernelwright.ir.exploration import Exploration, Phase
from kernelwright.ir.passes import Context, Pass, register
from kernelwright.ir.values import Kernel, KernelModule, Level
from kernelwright.midend.analysis.host_code import fresh_names, without_idle_kernels
from kernelwright.midend.analysis.launches import bound_by, called, function_of, names_in, read_by

#: Above the first, tanh is 1 to the last bit of fp32; up to the second, exp(2x) is finite; up to the third, exp(x) is.
LEAST_ONE, MOST_SQUARED, MOST_FINITE = 9.1, 40.0, 88.0
#: log1p(z) = t + t * w * (c0 + w * (c1 + ...)) with t = z / (1 + z / 2) and w = t * t, to 5e-9 of it for z from 0 to 1.
LOG1P = ("0.08333302035313174", "0.012506727303349454", "0.002187640904658091", "0.000547109252236009")
#: log2(1 - erf(z)) = z (c0 + z (c1 + ...)) for z from 0, to 2e-9 of 1 or, where that is more, 2e-5 of 1 - erf(z); what
#: follows z = 4, where that is 2e-8, falls ever faster.
ERFC = (
    "-1.627907156944275",
    "-0.9184449911117554",
    "-0.14829032123088837",
    "0.027655089274048805",
    "0.00023351212439592928",
    "-0.0024602364283055067",
    "0.0009858093690127134",
    "-0.0002124445018125698",
    "2.5366902264067903e-05",
    "-1.310141897192807e-06",
)
#: Spellings of the functions: a kernel's own device functions, which a lowering names so, and CUDA's.
EXP, LOG = ("tl.exp", "tl.math.exp", "libdevice.exp"), ("log1p", "libdevice.log1p")
TANH, ERF = ("tanh", "libdevice.tanh"), ("tl.erf", "tl.math.erf", "libdevice.erf")


@register
@dataclass(frozen=True)
class ExpIdentities(Pass):
    """Compute tanh of softplus (in mish), softplus, and 1 + tanh or 1 + erf (in gelu) with one exp each.

    With e = exp(x): tanh(log1p(e)) = e (e + 2) / (e (e + 2) + 2), which above softplus's threshold is 1; log1p(e) =
    max(x, 0) + log1p(exp(-|x|)), of which the latter is a polynomial in a quotient; 1 + tanh(x) = 2 / (1 + exp(-2x));
    1 + erf(x) = 1 - erf(-x), which for x < 0 is 2 to the power of a polynomial, and else what that leaves of 2.
    Nothing cancels: with an exp right to half an ulp the errors are below 3.8 ulp (before: 5), 2.7 (2.7), 2.5 where
    1 + tanh used to lose all digits below x = -9, and 1.3e-7 (9.3e-8) for 1 + erf, which lost them below x = -3.
    NaN and infinities give what they gave. Legal in fp32, for names that a kernel binds once; a device function is
    taken to compute what it is called. Instructions for one element, counted on sm_90: 70 -> 19, 49 -> 24, 22 -> 12 and
    28 -> 13.
    """

    name: ClassVar[str] = "exp-identities"
    reads: ClassVar[Level] = Level.TRITON
    writes: ClassVar[Level] = Level.TRITON
    explore = Exploration(Phase.SIMPLIFY)

    def run(self, module: KernelModule, ctx: Context) -> KernelModule:  # noqa: ARG002
        """The module with such kernels; the same object where there is none."""
        assert module.launcher is not None
        if "float64" in module.launcher.source or any(spec.dtype == "f64" for spec in module.reference.tensors):
            return module
        kernels = tuple(_rewritten(kernel) for kernel in module.kernels)
        return module if kernels == module.kernels else without_idle_kernels(replace(module, kernels=kernels))


def _rewritten(kernel: Kernel) -> Kernel:
    """By one identity after another: what tanh of softplus leaves unused is not to be rewritten as softplus."""
    if "float64" in kernel.source or not any(function in kernel.source for function in (*LOG, *TANH, *ERF)):
        return kernel
    for identity in (_tanh_of_softplus, _softplus, _one_plus_tanh, _one_plus_erf):
        while (found := _once(kernel, identity)) is not None:
            kernel = found
    return kernel


@dataclass(frozen=True)
class _Block:
    """A block of statements of a kernel: `made` has what its assignments give names that the kernel binds once, `bound`
    and `read` how often the kernel binds and reads each name."""

    made: Mapping[str, ast.expr]
    bound: Mapping[str, int]
    read: Mapping[str, int]

    def what(self, node: ast.expr) -> ast.expr:
        """What a name of this block was given; another expression is itself."""
        return self.made.get(node.id, node) if isinstance(node, ast.Name) else node

    def argument(self, node: ast.expr, functions: Sequence[str]) -> ast.expr | None:
        """The argument of a call of one of these functions, by a name of the block or outright."""
        match self.what(node):
            case ast.Call(func, [argument], []) if ast.unparse(func) in functions:
                return argument if names_in(func).isdisjoint(self.bound) else None
        return None

    def steady(self, node: ast.expr | None) -> str | None:
        """The name that an expression is, of one value in all the kernel."""
        return node.id if isinstance(node, ast.Name) and self.bound.get(node.id) == 1 else None

    def limit(self, test: ast.expr, name: str) -> float | None:
        """The c of the test `name > c`."""
        match self.what(test):
            case ast.Compare(ast.Name(left), [ast.Gt()], [ast.Constant(int() | float() as limit)]) if left == name:
                return float(limit)
        return None


#: Takes a block, a name of it and what it is given, and a maker of new names; statements in the place of that one.
_Identity = Callable[[_Block, str, ast.expr, Callable[[str], str]], list[str] | None]


def _tanh_of_softplus(block: _Block, name: str, value: ast.expr, new: Callable[[str], str]) -> list[str] | None:
    softplus = block.argument(value, TANH)
    match block.what(softplus) if softplus is not None else None:
        case ast.Call(_, [test, linear, log], []) as where if called(where, "tl.where"):
            pass
        case _:
            return None
    exp = block.argument(log, LOG)
    x = block.steady(block.argument(exp, EXP)) if exp is not None else None
    limit = block.limit(test, x) if x is not None else None
    if exp is None or limit is None or ast.unparse(linear) != x or not LEAST_ONE <= limit <= MOST_SQUARED:
        return None
    both, e = new("both"), new("e") if not isinstance(exp, ast.Name) else exp.id
    made = [] if isinstance(exp, ast.Name) else [f"{e} = {ast.unparse(exp)}"]
    quotient = f"tl.where({ast.unparse(test)}, 1.0, {both} / ({both} + 2.0))"
    return [*made, f"{both} = {e} * ({e} + 2.0)", f"{name} = {quotient}"]


def _softplus(block: _Block, name: str, value: ast.expr, new: Callable[[str], str]) -> list[str] | None:
    exp = block.argument(value, LOG)
    x = block.steady(block.argument(exp, EXP)) if exp is not None else None
    if x is None or not _is_guarded(block, name, x):
        return None
    decay, term, square = new("decay"), new("term"), new("square")
    first, second, third, fourth = LOG1P
    series = f"{first} + {square} * ({second} + {square} * ({third} + {square} * {fourth}))"
    return [
        f"{decay} = tl.exp(-tl.abs({x}))",
        f"{term} = {decay} / (1.0 + 0.5 * {decay})",
        f"{square} = {term} * {term}",
        f"{name} = tl.maximum({x}, 0.0) + ({term} + {term} * ({square} * ({series})))",
    ]


def _is_guarded(block: _Block, name: str, x: str) -> bool:
    """Whether nobody sees a logarithm, or its share by a constant, of an exp that overflowed: it would be infinite."""
    users = [(user, value) for user, value in block.made.items() if name in read_by(value)]
    if not users or len(users) != block.read[name]:
        return False
    for user, value in users:
        match value:
            case ast.Call(_, [test, _, ast.Name(chosen)], []) if called(value, "tl.where") and chosen == name:
                limit = block.limit(test, x)
                if limit is None or limit > MOST_FINITE:
                    return False
            case ast.BinOp(ast.Name(scaled), ast.Mult() | ast.Div(), ast.Constant()) if scaled == name:
                if not _is_guarded(block, user, x):
                    return False
            case _:
                return False
    return True


def _one_plus(block: _Block, value: ast.expr, functions: Sequence[str]) -> str | None:
    """x, of a sum of 1 and one of these functions of x that nobody else reads."""
    match value:
        case ast.BinOp(call, ast.Add(), ast.Constant(1)) | ast.BinOp(ast.Constant(1), ast.Add(), call):
            alone = not isinstance(call, ast.Name) or block.read[call.id] == 1
            return block.steady(block.argument(call, functions)) if alone else None
    return None


def _one_plus_tanh(block: _Block, name: str, value: ast.expr, new: Callable[[str], str]) -> list[str] | None:  # noqa: ARG001
    x = _one_plus(block, value, TANH)
    return None if x is None else [f"{name} = 2.0 / (1.0 + tl.exp(-2.0 * {x}))"]


def _one_plus_erf(block: _Block, name: str, value: ast.expr, new: Callable[[str], str]) -> list[str] | None:
    x = _one_plus(block, value, ERF)
    if x is None:
        return None
    size, power, tail = new("size"), ERFC[-1], new("tail")
    made = [f"{size} = tl.abs({x})"]
    for coefficient in reversed(ERFC[:-1]):
        made.append(f"{new('power')} = {power} * {size} + {coefficient}")
        power = made[-1].partition(" ")[0]
    return [*made, f"{tail} = tl.exp2({power} * {size})", f"{name} = tl.where({x} > 0.0, 2.0 - {tail}, {tail})"]


def _once(kernel: Kernel, identity: _Identity) -> Kernel | None:
    """The kernel with the identity used at the first place where it may be; None where there is none."""
    function, lines = function_of(kernel), kernel.source.split("\n")
    bound = Counter([*bound_by(function), *(argument.arg for argument in all_arguments(function.args))])
    read, new = Counter(_reads(function)), _Fresh({*names_in(function), *bound})
    for statements in _blocks(function):
        plain = {name: s for s in statements if (name := _target(s, lines)) is not None and bound[name] == 1}
        block = _Block({name: s.value for name, s in plain.items() if isinstance(s, ast.Assign)}, bound, read)
        for name, value in block.made.items():
            made = identity(block, name, value, new)
            if made is not None:
                first, last = plain[name].lineno - 1, plain[name].end_lineno
                lines[first:last] = [" " * plain[name].col_offset + line for line in made]
                return replace(kernel, source=_without_unread(kernel, "\n".join(lines)))
    return None


@dataclass(frozen=True)
class _Fresh:
    """Makes names that a kernel does not have."""

    taken: set[str]

    def __call__(self, name: str) -> str:
        name = fresh_names({name}, self.taken).get(name, name)
        self.taken.add(name)
        return name


def _without_unread(kernel: Kernel, source: str) -> str:
    """The source without assignments to names that were read before and are not any more."""
    before = read_by(function_of(kernel))
    while True:
        function, lines = function_of(replace(kernel, source=source)), source.split("\n")
        unread = before - read_by(function)
        statements = [s for block in _blocks(function) for s in block if _target(s, lines) in unread]
        if not statements:
            return source
        gone = {number for s in statements for number in range(s.lineno, (s.end_lineno or s.lineno) + 1)}
        source = "\n".join(line for number, line in enumerate(lines, 1) if number not in gone)


def _blocks(function: ast.FunctionDef) -> Iterator[list[ast.stmt]]:
    """The kernel's blocks of statements: its body, and those of loops and branches."""
    yield function.body
    for node in ast.walk(function):
        if isinstance(node, ast.For | ast.While | ast.If):
            yield from (node.body, node.orelse)


def _target(statement: ast.stmt, lines: Sequence[str]) -> str | None:
    """The name that a statement of its own lines assigns to."""
    match statement:
        case ast.Assign([ast.Name(name)]):
            return None if any(";" in line for line in lines[statement.lineno - 1 : statement.end_lineno]) else name
    return None


def _reads(function: ast.FunctionDef) -> Iterator[str]:
    """Names that the kernel reads, as often as it does."""
    return (n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load))
