"""`exp-identities`: chains of exp, log1p, tanh and erf give way to one exp, and a quotient or a polynomial."""

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from kernelwright.ir.exploration import Exploration, Phase
from kernelwright.ir.kernel.patterns import Pattern
from kernelwright.ir.kernel.rewriting import Rewriting
from kernelwright.ir.kernel.text.inlining import inlined
from kernelwright.ir.kernel.text.parsing import kernel_functions
from kernelwright.ir.kernel.values import Constant, Function, Operand, Operation, Symbol, Value
from kernelwright.ir.passes import Context, Declined, Keeps, Pass, register
from kernelwright.ir.values import KernelModule, Level
from kernelwright.midend.kernel_pass import all_rewritten

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
#: A function's own operations, and how kernels compute it otherwise.
EXP = (frozenset({"exp", "libdevice.exp"}), ())
ERF = (frozenset({"erf", "libdevice.erf"}), ())
LOG1P_OF = (
    frozenset({"libdevice.log1p"}),
    (
        Pattern("tl.log(1.0 + x)"),
        Pattern(  # the lowering's device function
            "u = 1.0 + x",
            "safe = tl.where((u == 1.0) | (u == float('inf')), 1.0, u - 1.0)",
            "tl.where(u == 1.0, x, tl.where(u == float('inf'), u, tl.log(u) * (x / safe)))",
        ),
    ),
)
TANH = (
    frozenset({"libdevice.tanh"}),
    (
        Pattern("2.0 * tl.sigmoid(2.0 * x) - 1.0"),
        Pattern(  # the lowering's device function
            "decay = tl.exp(-2.0 * tl.abs(x))",
            "far = (1.0 - decay) / (1.0 + decay)",
            "w = x * x",
            "series = -0.3333333333333333 + w * (0.13333333333333333 - 0.05396825396825397 * w)",
            "size = tl.where(tl.abs(x) < 0.1, tl.abs(x) * (1.0 + w * series), far)",
            "tl.where(x < 0, -size, size)",
        ),
    ),
)


@register
@dataclass(frozen=True)
class ExpIdentities(Pass):
    """Compute tanh of softplus (in mish), softplus, and 1 + tanh or 1 + erf (in gelu) with one exp each.

    With e = exp(x): tanh(log1p(e)) = e (e + 2) / (e (e + 2) + 2), which above softplus's threshold is 1; log1p(e) =
    max(x, 0) + log1p(exp(-|x|)), of which the latter is a polynomial in a quotient; 1 + tanh(x) = 2 / (1 + exp(-2x));
    1 + erf(x) = 1 - erf(-x), which for x < 0 is 2 to the power of a polynomial, and else what that leaves of 2.
    Nothing cancels: with an exp right to half an ulp the errors are below 3.8 ulp (before: 5), 2.7 (2.7), 2.5 where
    1 + tanh used to lose all digits below x = -9, and 1.3e-7 (9.3e-8) for 1 + erf, which lost them below x = -3.
    NaN and infinities give the same results as before. The rewrites are legal in fp32. Instructions for one element,
    counted on sm_90: 70 -> 19, 49 -> 24, 22 -> 12 and 28 -> 13.
    """

    name: ClassVar[str] = "exp-identities"
    reads: ClassVar[Level] = Level.TRITON
    writes: ClassVar[Level] = Level.TRITON
    needs: ClassVar[str] = (
        "tanh of softplus, softplus below a threshold, or 1 + tanh or 1 + erf with no other use of it; no fp64"
    )
    changes: ClassVar[str] = "one exp, and a quotient or a polynomial, compute the value"
    keeps: ClassVar[Keeps | None] = Keeps.ROUNDED
    explore = Exploration(Phase.SIMPLIFY)

    def run(self, module: KernelModule, ctx: Context) -> KernelModule:
        """The module with such kernels; the same object where there is none."""
        assert module.launcher is not None
        if "float64" in module.launcher.source or any(spec.dtype == "f64" for spec in module.reference.tensors):
            ctx.declined(Declined("the module has fp64 tensors"))
            return module
        functions = kernel_functions(module)
        return all_rewritten(module, functions, lambda _: partial(_by_all_identities, functions), self.needs, ctx)


def _by_all_identities(functions: Mapping[str, Function], function: Function) -> Function | Declined:
    """By one identity after another: what tanh of softplus leaves unused is not to be rewritten as softplus."""
    if any("float64" in text for one in function.walk() for text in (one.text, *map(str, one.operands))):
        return Declined("it computes in fp64")
    before = function
    for identity in (_tanh_of_softplus, _softplus, _one_plus_tanh, _one_plus_erf):
        edits = Rewriting(function)
        values = _Values(function, functions)
        for one in function.walk():
            made = identity(values, one, partial(edits.compute, one)) if len(one.results) == 1 else None
            if made is not None:
                edits.replace(one.result, made)
        function = edits.done()
    return Declined(_missing(_Values(before, functions), before)) if function is before else function


def _missing(values: "_Values", function: Function) -> str:
    """Why a kernel has nothing to rewrite."""
    results = [one.result for one in function.walk() if len(one.results) == 1]
    if any(values.argument(values.argument(one, LOG1P_OF), EXP) is not None for one in results):
        return "log(1 + exp(x)) is used where x may be so large that exp(x) is infinite"
    if any(values.argument(one, known) is not None for one in results for known in (TANH, ERF)):
        return "tanh or erf is not added to 1, or is used for something else, too"
    return "it computes no tanh, erf or log(1 + exp(x))"


#: Operations of one result that compute a function of one argument, and patterns that do.
_Known = tuple[frozenset[str], tuple[Pattern, ...]]
#: Inserts an operation and gives its result.
_Compute = Callable[..., Value]


class _Values:
    """What computes the values of a kernel, and what uses them: operations, or None for a region's end."""

    def __init__(self, function: Function, functions: Mapping[str, Function]) -> None:
        self.functions = functions
        self.made: dict[Operand, Operation] = {}
        self.users: dict[Operand, list[Operation | None]] = defaultdict(list)
        for one in function.walk():
            self.made |= dict.fromkeys(one.results, one) if len(one.results) == 1 else {}
            for operand in one.operands:
                self.users[operand].append(one)
        for region in (function.body, *(region for one in function.walk() for region in one.regions)):
            for operand in region.yields:
                self.users[operand].append(None)

    def argument(self, value: Operand | None, known: _Known) -> Operand | None:
        """The x of a value that is this function of x."""
        kinds, patterns = known
        one = self.made.get(value) if value is not None else None
        if one is None or value is None:
            return None
        if one.kind in kinds:
            return one.operands[0]
        if one.kind == "call":
            return one.operands[1] if self._computes(one, known) else None
        return next((x for pattern in patterns if (x := pattern.argument(value, self.made)) is not None), None)

    def _computes(self, call: Operation, known: _Known) -> bool:
        """Whether a helper of one parameter is this function."""
        callee = call.operands[0]
        helper = self.functions.get(callee.name) if isinstance(callee, Symbol) else None
        if helper is None or len(call.operands) != 2 or not helper.body.yields:
            return False
        helper = inlined(helper, self.functions)
        inside = _Values(helper, {})
        return inside.argument(helper.body.yields[0], known) == helper.body.arguments[0]

    def choice(self, one: Operation | None) -> tuple[Operand, float, Operand, Operand] | None:
        """x, c, what is chosen where x is above c, and what where it is below; either may be chosen for c itself."""
        test = self.made.get(one.operands[0]) if one is not None and one.kind == "where" else None
        if one is None or test is None or test.kind not in ("gt", "ge", "lt", "le"):
            return None
        (x, bound), (_, yes, no) = test.operands, one.operands
        if isinstance(x, Constant):
            x, bound, yes, no = bound, x, no, yes
        if test.kind in ("lt", "le"):
            yes, no = no, yes
        limit = bound.number if isinstance(bound, Constant) else None
        return None if limit is None else (x, float(limit), yes, no)


def _tanh_of_softplus(values: _Values, one: Operation, compute: _Compute) -> Value | None:
    softplus = values.argument(one.result, TANH)
    choice = values.choice(values.made.get(softplus)) if softplus is not None else None
    if choice is None:
        return None
    x, limit, linear, log = choice
    e = values.argument(log, LOG1P_OF)
    if e is None or linear != x or values.argument(e, EXP) != x or not LEAST_ONE <= limit <= MOST_SQUARED:
        return None
    both = compute("mul", lhs=e, rhs=compute("add", lhs=e, rhs=Constant("2.0")))
    quotient = compute("truediv", lhs=both, rhs=compute("add", lhs=both, rhs=Constant("2.0")))
    test = compute("gt", lhs=x, rhs=Constant(str(limit)))
    return compute("where", condition=test, x=Constant("1.0"), y=quotient)


def _softplus(values: _Values, one: Operation, compute: _Compute) -> Value | None:
    x = values.argument(values.argument(one.result, LOG1P_OF), EXP)
    if x is None or not _is_guarded(values, one.result, x):
        return None
    decay = compute("exp", x=compute("neg", value=compute("abs", x=x)))
    half = compute("mul", lhs=Constant("0.5"), rhs=decay)
    term = compute("truediv", lhs=decay, rhs=compute("add", lhs=Constant("1.0"), rhs=half))
    square = compute("mul", lhs=term, rhs=term)
    series: Operand = Constant(LOG1P[-1])
    for coefficient in reversed(LOG1P[:-1]):
        series = compute("add", lhs=Constant(coefficient), rhs=compute("mul", lhs=square, rhs=series))
    rest = compute("mul", lhs=term, rhs=compute("mul", lhs=square, rhs=series))
    return compute(
        "add",
        lhs=compute("maximum", x=x, y=Constant("0.0")),
        rhs=compute("add", lhs=term, rhs=rest),
    )


def _is_guarded(values: _Values, value: Value, x: Operand) -> bool:
    """Whether nobody sees a logarithm, or its share by a constant, of an exp that overflowed: it would be infinite."""

    def hides(user: Operation | None) -> bool:
        if user is not None and user.kind in ("mul", "truediv") and user.operands[0] == value:
            return isinstance(user.operands[1], Constant) and _is_guarded(values, user.result, x)
        if user is not None and user.kind == "mul":
            return isinstance(user.operands[0], Constant) and _is_guarded(values, user.result, x)
        choice = values.choice(user)
        if choice is None:
            return False
        compared, limit, above, below = choice
        return compared == x and limit <= MOST_FINITE and below == value != above

    users = values.users[value]
    return bool(users) and all(map(hides, users))


def _one_plus(values: _Values, one: Operation, known: _Known) -> Operand | None:
    """x, of a sum of 1 and one of these functions of x that nobody else reads."""
    if one.kind != "add":
        return None
    for value, other in (one.operands, one.operands[::-1]):
        if isinstance(other, Constant) and other.number == 1 and values.users[value] == [one]:
            return values.argument(value, known)
    return None


def _one_plus_tanh(values: _Values, one: Operation, compute: _Compute) -> Value | None:
    x = _one_plus(values, one, TANH)
    if x is None:
        return None
    decay = compute("exp", x=compute("mul", lhs=Constant("-2.0"), rhs=x))
    return compute("truediv", lhs=Constant("2.0"), rhs=compute("add", lhs=Constant("1.0"), rhs=decay))


def _one_plus_erf(values: _Values, one: Operation, compute: _Compute) -> Value | None:
    x = _one_plus(values, one, ERF)
    if x is None:
        return None
    size = compute("abs", x=x)
    power: Operand = Constant(ERFC[-1])
    for coefficient in reversed(ERFC[:-1]):
        power = compute("add", lhs=compute("mul", lhs=power, rhs=size), rhs=Constant(coefficient))
    tail = compute("exp2", x=compute("mul", lhs=power, rhs=size))
    test = compute("gt", lhs=x, rhs=Constant("0.0"))
    return compute("where", condition=test, x=compute("sub", lhs=Constant("2.0"), rhs=tail), y=tail)
