"""Other spellings of what the dialect has, put into its own words before anything is checked.

Each is replaced only where it can mean nothing else: the name that it goes by is bound once in the whole file. Lines
keep their numbers.
"""

import ast
from collections import Counter
from collections.abc import Iterator, Sequence

from kernelwright.ir.dialect.checker import dotted
from kernelwright.ir.dialect.classes import is_autograd_function
from kernelwright.ir.dialect.edits import Edit, binds, end_of, replaced
from kernelwright.ir.dialect.heirs import inherited
from kernelwright.ir.dialect.tables import LIBDEVICE, TRITON_NAMES
from kernelwright.ir.text import text_lines
from kernelwright.ir.trees import walk

_LIBDEVICE = ("triton.language.extra.libdevice", "triton.language.extra.cuda.libdevice")
#: What makes an operator of a function that is called as it stands.
_OPERATORS = frozenset({"custom_op", "triton_op"})
#: What is registered with an operator for tracing and gradients, of which there are none.
_REGISTERED = frozenset({"register_fake", "register_autograd", "register_vmap"})
#: Decorators that change nothing here: modes are off, nothing is compiled, and functions give the same for the same.
_MEANINGLESS = frozenset(
    {f"{module}.{name}" for module in ("torch.amp", "torch.cuda.amp") for name in ("custom_fwd", "custom_bwd")}
    | {"functools.cache", "functools.lru_cache", "torch.compiler.disable", "torch._dynamo.disable"}
)
#: What makes a tensor of sizes that are written down, and what makes one of another's sizes.
_SIZED, _ALIKE = frozenset("empty zeros ones full".split()), frozenset("empty_like zeros_like ones_like".split())
_OF_SIZES = frozenset("new_empty new_zeros new_ones".split())


def in_own_words(text: str, tree: ast.Module, ranks: Sequence[int] = ()) -> str:
    """The text with what the dialect spells otherwise in its spelling; the very text where there is nothing.

    `ranks`: how many dimensions the entry's inputs have, 0 for what is no tensor.
    """
    edits: list[Edit] = []
    for edit in sorted(_Spellings(tree, ranks).edits(), key=lambda edit: (edit.start, -edit.end[0], -edit.end[1])):
        if not edits or edit.start >= edits[-1].end:  # else it is part of what is replaced
            edits.append(edit)
    if not edits:
        return text
    lines = [line.encode() for line in text_lines(text)]
    for edit in reversed(edits):
        (first, start), (last, end) = edit.start, edit.end
        kept = lines[last - 1][end:]
        lines[first - 1] = lines[first - 1][:start] + edit.text.encode() + (kept if first == last else b"")
        if first < last:
            lines[first:last] = [*[b""] * (last - first - 1), kept]
    return "\n".join(line.decode() for line in lines)


class _Spellings:
    def __init__(self, tree: ast.Module, ranks: Sequence[int]) -> None:
        self.tree, self.ranks = tree, ranks
        bound = Counter(name for node in walk(tree) for name in binds(node))
        # What stands in an f-string has no place of its own that a syntax tree tells before Python 3.12.
        formatted = [part for node in walk(tree) if isinstance(node, ast.JoinedStr) for part in walk(node)]
        inside = {part.id for part in formatted if isinstance(part, ast.Name)}
        self.once = {name for name, times in bound.items() if times == 1} - inside
        others = [node for node in walk(tree) if not isinstance(node, ast.alias)]
        self.own_libdevice = any("libdevice" in binds(node) for node in others)
        self.autograd = {
            node.name for node in tree.body if isinstance(node, ast.ClassDef) and is_autograd_function(node)
        }
        #: What torch.library is imported as: name -> its own name.
        self.library: dict[str, str] = {}
        self.meanings: dict[str, str] = {}
        #: What is imported of other modules by name: name -> its place.
        self.named: dict[str, str] = {}

    def edits(self) -> Iterator[Edit]:
        """What to replace."""
        for statement in self.tree.body:
            if isinstance(statement, ast.ImportFrom) and not statement.level:
                yield from self._imported(statement)
        yield from self._renamed()
        yield from self._decorators()
        yield from inherited(self.tree, self.once)
        yield from self._contexts()
        yield from self._products()
        yield from self._operators()
        for node in walk(self.tree):
            if isinstance(node, ast.FunctionDef):
                yield from _unpacked_strides(node, self.ranks if node.name == "forward" else ())
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in self.meanings:
                yield replaced(node, self.meanings[node.id])
            elif isinstance(node, ast.Call) and self._library_name(node.func) == "wrap_triton":
                (kernel,) = node.args if len(node.args) == 1 and not node.keywords else (None,)
                if isinstance(kernel, ast.Name):
                    yield replaced(node, kernel.id)

    def _imported(self, node: ast.ImportFrom) -> Iterator[Edit]:
        """`from triton.language.extra.libdevice import tanh`, and what torch.library has."""
        names = {alias.asname or alias.name: alias.name for alias in node.names}
        if not names.keys() <= self.once:
            return
        if node.module in ("functools", "itertools", "torch.amp", "torch.cuda.amp"):
            self.named |= {name: f"{node.module}.{meant}" for name, meant in names.items()}
        elif node.module in _LIBDEVICE and set(names.values()) <= LIBDEVICE and not self.own_libdevice:
            self.meanings |= {name: f"libdevice.{meant}" for name, meant in names.items()}
            yield replaced(node, "from triton.language.extra import libdevice")
        elif node.module == "torch.library" and set(names.values()) <= {*_OPERATORS, "wrap_triton"}:
            self.library |= names
            yield replaced(node, "")

    def _renamed(self) -> Iterator[Edit]:
        """`layer_norm = LayerNorm.apply` and `np2 = triton.next_power_of_2`."""
        for node in walk(self.tree):
            if not (isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name)):
                continue
            name, chain = node.targets[0].id, dotted(node.value)
            function = len(chain) == 2 and chain[0] == "triton" and chain[1] in TRITON_NAMES
            applied = len(chain) == 2 and chain[0] in self.autograd and chain[1] == "apply"
            if name in self.once and (function or applied):
                self.meanings[name] = ".".join(chain)
                yield replaced(node, "" if node in self.tree.body else "pass")

    def _place(self, node: ast.expr) -> str:
        """The place of a function in its library, `functools.cache`; "" for anything else."""
        chain = dotted(node.func if isinstance(node, ast.Call) else node)
        return self.named.get(chain[0], "") if len(chain) == 1 else ".".join(chain)

    def _contexts(self) -> Iterator[Edit]:
        """`forward(x)` and `setup_context` of an autograd function, written as `forward(ctx, x)` alone."""
        for node in self.tree.body:
            methods = {part.name: part for part in getattr(node, "body", ()) if isinstance(part, ast.FunctionDef)}
            forward, setup = methods.get("forward"), methods.get("setup_context")
            if not is_autograd_function(node) or forward is None or setup is None:
                continue
            if forward.args.args and "ctx" not in {name for part in walk(forward) for name in binds(part)}:
                first = forward.args.args[0]
                yield Edit((first.lineno, first.col_offset), (first.lineno, first.col_offset), "ctx, ")
                start = min([setup.lineno, *(one.lineno for one in setup.decorator_list)])
                yield Edit((start, setup.col_offset), end_of(setup), "")

    def _decorators(self) -> Iterator[Edit]:
        """Decorators that change nothing."""
        for node in walk(self.tree):
            for decorator in node.decorator_list if isinstance(node, ast.FunctionDef) else ():
                casts = isinstance(decorator, ast.Call) and any(k.arg == "cast_inputs" for k in decorator.keywords)
                if self._place(decorator) in _MEANINGLESS and not casts:
                    yield Edit((decorator.lineno, decorator.col_offset - 1), end_of(decorator), "")

    def _products(self) -> Iterator[Edit]:
        """`for a, b in itertools.product(first, second)` in a comprehension, written as two loops."""
        for node in walk(self.tree):
            for part in getattr(node, "generators", ()):
                of, into = part.iter, part.target
                if not (isinstance(of, ast.Call) and self._place(of) == "itertools.product" and not of.keywords):
                    continue
                if isinstance(into, ast.Tuple) and len(into.elts) == len(of.args) and not _is_starred(*of.args):
                    pairs = zip(into.elts, of.args, strict=True)
                    text = " for ".join(f"{ast.unparse(one)} in {_bracketed(values)}" for one, values in pairs)
                    yield Edit((into.lineno, into.col_offset), end_of(of), text)

    def _library_name(self, node: ast.expr) -> str:
        chain = dotted(node)
        if chain[:2] == ("torch", "library") and len(chain) == 3:
            return chain[2]
        return self.library.get(chain[0], "") if len(chain) == 1 else ""

    def _operators(self) -> Iterator[Edit]:
        """Functions that `torch.library` makes operators of, and what is registered with those."""
        known: set[str] = set()
        for node in self.tree.body:
            if isinstance(node, ast.FunctionDef) and len(node.decorator_list) == 1:
                (decorator,) = node.decorator_list
                called = decorator.func if isinstance(decorator, ast.Call) else decorator
                if isinstance(decorator, ast.Call) and self._library_name(called) in _OPERATORS:
                    known.add(node.name)
                    start = decorator.lineno, decorator.col_offset - 1
                    yield Edit(start, end_of(decorator), "")
                elif _registers(called, known):
                    yield Edit((decorator.lineno, decorator.col_offset - 1), end_of(node), "")
            elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and _registers(node.value.func, known):
                yield replaced(node, "")


def _registers(node: ast.expr, operators: set[str]) -> bool:
    chain = dotted(node)
    return len(chain) == 2 and chain[0] in operators and chain[1] in _REGISTERED


def _unpacked_strides(function: ast.FunctionDef, given: Sequence[int]) -> Iterator[Edit]:
    """`*x.stride()` among the arguments of a launch, where the text says how many there are: by `a, b, c = x.shape`, by
    the sizes that x is made with, or as x is an input that has so many."""
    parameters = [argument.arg for argument in function.args.args if argument.arg != "self"]
    ranks = {name: {rank} for name, rank in zip(parameters, given, strict=False) if rank}
    bound = Counter(name for node in walk(function) for name in binds(node))
    for node in walk(function):
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Tuple):
            chain, parts = dotted(node.value), node.targets[0].elts
            sized = len(chain) == 2 and chain[1] == "shape"
            if isinstance(node.value, ast.Call) and not node.value.args:
                chain = dotted(node.value.func)
                sized = len(chain) == 2 and chain[1] == "size"
            if sized and not _is_starred(*parts):
                ranks.setdefault(chain[0], set()).add(len(parts))
    for _ in range(3):  # an output is made like an input, and another one like that
        for node in walk(function):
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
                rank = _rank(node.value, ranks)
                for name in (part.id for part in node.targets if isinstance(part, ast.Name) and rank):
                    ranks.setdefault(name, set()).add(rank)
    for node in walk(function):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Subscript)):
            continue
        for argument in node.args:
            call = argument.value if isinstance(argument, ast.Starred) else None
            if not isinstance(call, ast.Call) or call.args or call.keywords:
                continue
            name, _, method = ".".join(dotted(call.func)).partition(".")
            if method == "stride" and len(ranks.get(name, ())) == 1 and bound[name] == 1:
                (rank,) = ranks[name]
                yield replaced(argument, ", ".join(f"{name}.stride({axis})" for axis in range(rank)))


def _rank(call: ast.Call, ranks: dict[str, set[int]]) -> int:
    """How many dimensions the tensor has that a call makes; 0 where the text does not tell."""
    chain, given = dotted(call.func), call.args
    if not given or len(chain) != 2 or _is_starred(*given):
        return 0
    if chain[0] == "torch" and chain[1] in _ALIKE:
        known = ranks.get(given[0].id, set()) if isinstance(given[0], ast.Name) else set()
        return next(iter(known)) if len(known) == 1 else 0
    if not ((chain[0] == "torch" and chain[1] in _SIZED) or chain[1] in _OF_SIZES):
        return 0
    if isinstance(given[0], ast.Tuple | ast.List):
        return 0 if _is_starred(*given[0].elts) else len(given[0].elts)
    return len(given) if len(given) > 1 and chain[1] != "full" else 0


def _is_starred(*nodes: ast.expr) -> bool:
    return any(isinstance(node, ast.Starred) for node in nodes)


def _bracketed(node: ast.expr) -> str:
    """An expression's text that may stand behind `in`."""
    plain = isinstance(node, ast.Name | ast.List | ast.Tuple | ast.Call | ast.Attribute)
    return ast.unparse(node) if plain else f"({ast.unparse(node)})"
