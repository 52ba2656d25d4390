"""How host code may launch kernels, and what the entry may take: arguments are checked against parameters."""

import ast
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from kernelwright.ir.dialect.checker import diagnostic, dotted
from kernelwright.ir.dialect.tables import LAUNCH_KEYWORDS, LAUNCH_OPTIONS
from kernelwright.ir.errors import Diagnostic
from kernelwright.ir.trees import walk
from kernelwright.ir.values import Reference, ScalarSpec


@dataclass(frozen=True)
class Signature:
    """A kernel's parameters in order, those that need no argument, and whether decorators may set more."""

    parameters: tuple[str, ...]
    supplied: frozenset[str]
    is_open: bool

    @classmethod
    def of(cls, function: ast.FunctionDef) -> "Signature":
        """Read off a definition: defaults, and the keys that autotune and heuristics set."""
        arguments, keyword_only = [*function.args.posonlyargs, *function.args.args], function.args.kwonlyargs
        supplied = {argument.arg for argument in arguments[len(arguments) - len(function.args.defaults) :]}
        pairs = zip(keyword_only, function.args.kw_defaults, strict=True)
        supplied |= {argument.arg for argument, default in pairs if default is not None}
        is_open = False
        for call in (node for node in function.decorator_list if isinstance(node, ast.Call)):
            if dotted(call.func) != ("triton", "jit"):
                given = [*call.args, *(one.value for one in call.keywords if one.arg != "prune_configs_by")]
                dicts = [part for one in given for part in walk(one) if isinstance(part, ast.Dict)]
                keys = [key for part in dicts for key in part.keys]
                supplied |= {key.value for key in keys if isinstance(key, ast.Constant) and isinstance(key.value, str)}
                is_open |= not keys
        return cls(tuple(argument.arg for argument in [*arguments, *keyword_only]), frozenset(supplied), is_open)


class LaunchChecker:
    """Checks every `kernel[grid](...)` of a file whose kernels and `<symbol>_meta` dictionaries are given."""

    def __init__(
        self, kernels: Mapping[str, ast.FunctionDef], metas: Mapping[str, frozenset[str]], lines: list[str]
    ) -> None:
        self.signatures = {name: Signature.of(node) for name, node in kernels.items()}
        self.metas, self.lines = metas, lines

    def check(self, tree: ast.AST) -> Iterator[Diagnostic]:
        """Complaints about the launches in a function or class."""
        for node in walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Subscript):
                symbol = ".".join(dotted(node.func.value))
                if symbol in self.signatures:
                    yield from self._launch(node, symbol, self.signatures[symbol])

    def check_options(self, node: ast.stmt, symbol: str) -> Iterator[Diagnostic]:
        """Complaints about the keys of a kernel's launch options."""
        parameters = self.signatures[symbol].parameters
        for name in sorted(self.metas[f"{symbol}_meta"] - {*parameters, *LAUNCH_OPTIONS}):
            hint = f"its parameters are {', '.join(parameters)}; other options are {', '.join(sorted(LAUNCH_OPTIONS))}"
            yield diagnostic(node, f"the launch option `{name}` is no parameter of @{symbol}", hint, self.lines)

    def _launch(self, node: ast.Call, symbol: str, signature: Signature) -> Iterator[Diagnostic]:
        parameters, hint = signature.parameters, f"its parameters are {', '.join(signature.parameters)}"
        if any(isinstance(argument, ast.Starred) for argument in node.args):
            yield diagnostic(node, "starred arguments in a launch", f"write every argument; {hint}", self.lines)
            return
        if len(node.args) > len(parameters):
            message = f"@{symbol} takes {len(parameters)} arguments, {len(node.args)} are given"
            yield diagnostic(node, message, hint, self.lines)
            return
        given, is_open = Counter(parameters[: len(node.args)]), signature.is_open
        for keyword in node.keywords:
            names = self._names(keyword)
            is_open |= names is None
            given.update(names or ())
        for name, times in given.items():
            if name not in parameters and name not in LAUNCH_KEYWORDS:
                yield diagnostic(node, f"@{symbol} has no parameter `{name}`", hint, self.lines)
            elif times > 1:
                advice = "give it once: as an argument or among the launch options"
                yield diagnostic(node, f"@{symbol} is given `{name}` twice", advice, self.lines)
        missing = [name for name in parameters if name not in given and name not in signature.supplied]
        if missing and not is_open:
            message = f"the launch of @{symbol} lacks `{missing[0]}`"
            yield diagnostic(node, message, f"{hint}; launch options come by **{symbol}_meta", self.lines)

    def _names(self, keyword: ast.keyword) -> frozenset[str] | None:
        """What a keyword gives; None for `**options` that cannot be read off the text."""
        if keyword.arg is not None:
            return frozenset({keyword.arg})
        return self.metas.get(".".join(dotted(keyword.value)))


def check_entry(entry: ast.FunctionDef, reference: Reference, lines: list[str]) -> Iterator[Diagnostic]:
    """The native entry takes inputs and state of the reference by name, annotated with their types or not at all."""
    types = {spec.name: spec.annotation for spec in reference.tensors}
    types |= {spec.name: repr(spec.value) for spec in reference.inputs if isinstance(spec, ScalarSpec)}
    for argument in [*entry.args.posonlyargs, *entry.args.args, *entry.args.kwonlyargs]:
        if argument.arg not in types:
            hint = f"the reference has {', '.join(types)}"
            yield diagnostic(argument, "a parameter that the reference lacks", hint, lines)
        elif isinstance(argument.annotation, ast.Constant) and argument.annotation.value != types[argument.arg]:
            yield diagnostic(argument, "a parameter's type differs", f'it is "{types[argument.arg]}"', lines)


def returns_value(entry: ast.FunctionDef) -> bool:
    """Whether some path of a function returns a value."""
    return any(isinstance(node, ast.Return) and node.value is not None for node in walk(entry))
