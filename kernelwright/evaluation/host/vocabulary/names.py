"""What the names of a program stand for: what it imports, what is its own, and what is bound where."""

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from kernelwright.evaluation.host.vocabulary.words import is_module
from kernelwright.ir.dialect.checker import dotted
from kernelwright.ir.trees import walk

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
#: Calls whose first argument names an attribute of the object.
_REGISTERING = ("register_buffer", "register_parameter", "add_module", "register_module")


@dataclass(frozen=True)
class Names:
    """What a program's names stand for.

    `imported`: the paths that an import gives a name. `own`: attributes that the program itself makes. `classes`: its
    classes by name, and `modules` those that are torch modules, or bases of such. `words`: its strings. `bound`: all
    names that it binds anywhere.
    """

    imported: Mapping[str, frozenset[str]]
    own: frozenset[str]
    classes: Mapping[str, tuple[ast.ClassDef, ...]]
    modules: frozenset[str]
    words: frozenset[str]
    bound: frozenset[str]

    @classmethod
    def of(cls, tree: ast.Module) -> "Names":
        """The names of a program."""
        imported: dict[str, frozenset[str]] = {}
        for name, path in (pair for node in walk(tree) for pair in _bindings(node)):
            imported[name] = imported.get(name, frozenset()) | {path}
        for statement in tree.body:
            if (alias := module_alias(statement, imported)) is not None:
                imported[alias[0]] = imported.get(alias[0], frozenset()) | {alias[1]}
        classes: dict[str, tuple[ast.ClassDef, ...]] = {}
        for node in walk(tree):
            if isinstance(node, ast.ClassDef):
                classes[node.name] = (*classes.get(node.name, ()), node)
        texts = (one.value for one in walk(tree) if isinstance(one, ast.Constant) and isinstance(one.value, str))
        own = frozenset(name for node in walk(tree) for name in _made(node))
        bound = frozenset(name for node in walk(tree) for name in _bound(node))
        return cls(imported, own, classes, _modules(classes), frozenset(texts), bound | imported.keys())

    def among(self, every: "Names", package: str) -> "Names":
        """The names of one file of a program of several, which imports the others from a package."""
        imported = {
            name: paths
            for name, paths in self.imported.items()
            if not any(path.partition(".")[0] == package for path in paths)
        }
        return replace(
            every, imported=imported, own=every.own | (every.bound - every.imported.keys()), bound=self.bound
        )

    def paths(self, node: ast.AST) -> frozenset[str]:
        """The paths that a chain of attributes may name, such as `torch.nn.Linear`; none where it begins elsewhere."""
        first, *rest = dotted(node) or ("",)
        return frozenset(".".join((head, *rest)) for head in self.imported.get(first, ()))


def module_alias(node: ast.stmt, imported: Mapping[str, frozenset[str]]) -> tuple[str, str] | None:
    """The name and the path of a statement such as `aten = torch.ops.aten`, which names a module of the vocabulary."""
    if not isinstance(node, ast.Assign) or len(node.targets) != 1 or not isinstance(node.targets[0], ast.Name):
        return None
    first, *rest = dotted(node.value) or ("",)
    paths = {".".join((head, *rest)) for head in imported.get(first, ())}
    path = paths.pop() if len(paths) == 1 else ""
    return (node.targets[0].id, path) if is_module(path) else None


def bound_in(function: Function) -> frozenset[str]:
    """The names that a function binds in its own scope."""
    given = function.args
    found = {one.arg for one in (*given.posonlyargs, *given.args, *given.kwonlyargs)}
    found |= {one.arg for one in (given.vararg, given.kwarg) if one is not None}
    elsewhere: set[str] = set()
    for node in _own_nodes(function.body if isinstance(function.body, list) else [function.body]):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            found.add(node.id)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Global | ast.Nonlocal):
            elsewhere |= set(node.names)
    return frozenset(found - elsewhere)


def _own_nodes(body: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """The nodes of a function's own scope."""
    functions = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda
    others = functions | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
    for node in body:
        yield node
        if not isinstance(node, others):
            yield from _own_nodes(ast.iter_child_nodes(node))


def _bound(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        yield node.id
    elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.arg):
        yield node.arg
    elif isinstance(node, ast.MatchAs | ast.MatchStar | ast.ExceptHandler) and node.name:
        yield node.name


def _bindings(node: ast.AST) -> Iterator[tuple[str, str]]:
    """The names that an import binds, and the paths that they stand for."""
    if isinstance(node, ast.Import):
        for one in node.names:
            yield (one.asname, one.name) if one.asname else (one.name.partition(".")[0],) * 2
    elif isinstance(node, ast.ImportFrom):
        for one in node.names:
            yield one.asname or one.name, f"{node.module or ''}.{one.name}"


def _made(node: ast.AST) -> Iterator[str]:
    """The attributes that a part of a program makes."""
    if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
        yield node.attr
    elif isinstance(node, ast.ClassDef):
        for one in node.body:
            yield from defined(one)
    elif isinstance(node, ast.Call):
        name = getattr(node.func, "attr", None) or getattr(node.func, "id", None)
        texts = [one.value for part in node.args for one in walk(part) if isinstance(one, ast.Constant)]
        strings = [one for one in texts if isinstance(one, str)]
        if name in _REGISTERING:
            yield from strings[:1]
        elif name in ("namedtuple", "NamedTuple", "Enum"):
            yield from (word for one in strings for word in one.replace(",", " ").split())
        elif name == "setattr":
            yield from strings[:1]


def defined(node: ast.stmt) -> Iterator[str]:
    """The names that a statement of a class's body defines."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield node.name
    else:
        yield from (one.id for one in walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store))


def _modules(classes: Mapping[str, tuple[ast.ClassDef, ...]]) -> frozenset[str]:
    """The classes with a base that is no class of the program's, and the bases of such classes."""
    bases = {
        name: {str(getattr(base, "id", getattr(base, "attr", ""))) for one in nodes for base in one.bases}
        for name, nodes in classes.items()
    }
    plain = {"object", "NamedTuple", "Protocol", "TypedDict", "ABC", "Enum", "IntEnum", "Flag", "IntFlag", "Function"}
    found: set[str] = set()
    for name in bases:
        family, left = {name}, [name]
        while left:
            new = bases.get(left.pop(), set()) - family
            family |= new
            left += new
        if any(one not in classes and one not in plain for one in family):
            found |= family & classes.keys()
    return frozenset(found)


@dataclass(frozen=True)
class Weights:
    """What a method calls the tensors that its module holds: `owner` is the module, whose attributes `kept` hold what
    calls put there, and `names` are bound to attributes of it, or to parts of these, alone."""

    owner: str = ""
    kept: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()

    @classmethod
    def of(cls, node: Function, kept: frozenset[str]) -> "Weights":
        """Those of a function, whose first parameter is the module if it is a method."""
        owner = next((one.arg for one in node.args.args), "")
        plain = cls(owner, kept)
        every = [one.id for one in walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)]
        every += [one.arg for one in walk(node) if isinstance(one, ast.arg)]
        assigned = [pair for one in walk(node) if isinstance(one, ast.Assign) for pair in _given(one)]
        bound = [name for name, value in assigned if plain.has(value)]
        known = cls(owner, kept, _always(bound, every))
        groups = _always((name for name, value in assigned if known.has_all(value)), every)
        for one in walk(node):
            if isinstance(one, ast.comprehension):
                bound += known._drawn_from(groups, one)
        return cls(owner, kept, _always(bound, every))

    def has_all(self, node: ast.expr) -> bool:
        """Whether an expression is a tuple or a list of tensors of the module's."""
        return isinstance(node, ast.Tuple | ast.List) and bool(node.elts) and all(map(self.has, node.elts))

    def _drawn_from(self, groups: frozenset[str], loop: ast.comprehension) -> list[str]:
        """Names that a comprehension gives to tensors of the module's: those of a group, alone or beside others."""
        targets, sources = [loop.target], [loop.iter]
        if isinstance(loop.iter, ast.Call) and isinstance(loop.iter.func, ast.Name) and loop.iter.func.id == "zip":
            targets = loop.target.elts if isinstance(loop.target, ast.Tuple) else []
            sources = loop.iter.args
        return [
            target.id
            for target, source in zip(targets, sources, strict=False)
            if isinstance(target, ast.Name)
            and (self.has_all(source) or (isinstance(source, ast.Name) and source.id in groups))
        ]

    def has(self, node: ast.expr) -> bool:
        """Whether an expression is a tensor of the module's."""
        if isinstance(node, ast.Name):
            return node.id in self.names
        path = dotted(node)
        own = len(path) > 1 and path[0] == self.owner and path[1] not in self.kept
        return own or (len(path) > 1 and path[0] in self.names)


def _given(node: ast.Assign) -> list[tuple[str, ast.expr]]:
    """The names that an assignment gives, each with what it stands for."""
    target, value = node.targets[0], node.value
    pairs = [(target, value)]
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        pairs = list(zip(target.elts, value.elts, strict=True))
    return [(one.id, other) for one, other in pairs if isinstance(one, ast.Name)]


def _always(names: Iterable[str], every: Sequence[str]) -> frozenset[str]:
    """Those of some names that are bound nowhere else."""
    some = list(names)
    return frozenset(name for name in some if some.count(name) == every.count(name))


def attributes_kept(tree: ast.AST) -> frozenset[str]:
    """Attributes that functions other than constructors set."""
    functions = (one for one in walk(tree) if isinstance(one, ast.FunctionDef) and one.name != "__init__")
    parts = (part for one in functions for part in walk(one) if isinstance(part, ast.Attribute))
    return frozenset(part.attr for part in parts if not isinstance(part.ctx, ast.Load))
