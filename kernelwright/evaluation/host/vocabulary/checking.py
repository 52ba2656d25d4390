"""`dialect=off`: the check of a program's text against the vocabulary of host code, before anything of it runs."""

import ast
import builtins
from collections.abc import Iterator, Sequence

from kernelwright.evaluation.host.vocabulary import words
from kernelwright.evaluation.host.vocabulary.meanings import RENAME, Meanings
from kernelwright.evaluation.host.vocabulary.names import (
    Function,
    Names,
    Weights,
    bound_in,
    defined,
    module_alias,
)
from kernelwright.ir.errors import Diagnostic
from kernelwright.ir.host.beside import Beside, files_beside
from kernelwright.ir.trees import syntax_tree, walk

#: The largest alignment in bytes that host code has a use for.
_ALIGNED = 4096
#: Python's errors, and what may be called in a message besides them.
_ERRORS = frozenset(
    name for name, one in vars(builtins).items() if isinstance(one, type) and issubclass(one, Exception)
)
_TOLD = frozenset(("len", "list", "max", "min", "repr", "round", "sorted", "str", "tuple"))
_TOO_DEEP = Diagnostic("the program is nested too deep to be read", 1, 0, hint="name the parts of its expressions")
_SYNTAX = {
    ast.AsyncFunctionDef: ("an asynchronous function", "write a plain function"),
    ast.Await: ("await", "call the function"),
    ast.AsyncWith: ("async with", "write a plain `with`"),
    ast.AsyncFor: ("async for", "write a plain `for`"),
    ast.MatchClass: ("a pattern that names a class", "use isinstance"),
    ast.TryStar: ("except*", "let the error reach the caller"),
}


def refused(text: str, reference: str = "") -> tuple[Diagnostic, ...]:
    """What a program says that is not in the vocabulary of host code, in the order of its lines; () for a text that is
    no Python, which fails where it is loaded. Names that the text of the reference uses are allowed."""
    try:
        parts, beside = _read(text)
        given, found = _used(reference), []
        every = Names.of(ast.Module([one for part in parts.values() for one in part.body], []))
        for said, part in parts.items():
            names = Names.of(part) if beside is None else Names.of(part).among(every, beside.package)
            found += list(_Check(said, part, given, names, beside).program(part))
    except (SyntaxError, ValueError):
        return ()
    except (RecursionError, MemoryError):  # Python may still run it: trees are deeper than what is compiled
        return (_TOO_DEEP,)
    return tuple(dict.fromkeys(sorted(found, key=lambda one: (one.line, one.column))))


def _read(text: str) -> tuple[dict[str, ast.Module], Beside | None]:
    """The trees of a program and of the files that its text brings along, by their texts."""
    tree = syntax_tree(text)
    beside = files_beside(tree)
    if beside is None:
        return {text: tree}, None
    parts = {text: ast.Module(list(beside.body), [])}
    for one in beside.texts.values():
        try:
            parts[one] = syntax_tree(one)
        except (SyntaxError, ValueError):  # then nothing of the text is taken for granted
            return {text: tree}, None
    return parts, beside


def _used(reference: str) -> frozenset[str]:
    """The attributes and paths of a reference's text, without special names."""
    try:
        tree = syntax_tree(reference)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return frozenset()
    names = Names.of(tree)
    found = {*names.own, *(path for paths in names.imported.values() for path in paths)}
    for node in walk(tree):
        if isinstance(node, ast.Attribute):
            found |= names.paths(node) or {node.attr}
    return frozenset(name for name in found if not name.startswith("_") and "._" not in name)


class _Check(Meanings):
    """The check of one program."""

    def program(self, tree: ast.Module) -> Iterator[Diagnostic]:
        """All complaints."""
        for node in tree.body:
            if node not in self.guard and module_alias(node, self.names.imported) is None:
                yield from self._visit(node)

    def _visit_all(self, nodes: Sequence[ast.AST | None]) -> Iterator[Diagnostic]:
        for node in nodes:
            if node is not None:
                yield from self._visit(node)

    def _visit(self, node: ast.AST) -> Iterator[Diagnostic]:
        named = getattr(node, "name", None)  # of functions, classes, handlers and patterns
        if isinstance(named, str) and named in self.names.imported and not isinstance(node, ast.alias):
            yield self._no(node, f"setting {named}, which is imported", RENAME)
        for kind, (what, hint) in _SYNTAX.items():
            if isinstance(node, kind):
                yield self._no(node, what, hint)
        match node:
            case ast.Import() | ast.ImportFrom():
                yield from self._import(node)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda():
                yield from self._function(node)
            case ast.ClassDef():
                yield from self._class(node)
            case ast.Attribute():
                yield from self._attribute(node)
            case ast.Name():
                yield from self._name(node)
            case ast.Call():
                yield from self._call(node)
            case ast.Try():
                yield from self._try(node)
            case ast.Constant():
                yield from self._constant(node)
            case ast.Raise() | ast.Assert():
                yield from self._telling(node)
            case ast.AnnAssign():
                yield from self._annotations([node.annotation])
                yield from self._visit_all([node.target, node.value])
            case ast.Expr(value=ast.Constant()):
                return
            case ast.BinOp() if (tensor := _aligned(node)) is not None:
                yield from self._visit(tensor)
            case ast.Tuple() | ast.List() if isinstance(node.ctx, ast.Load):
                yield from self._visit_all([self._identified(one) for one in node.elts])
            case ast.Dict():
                yield from self._visit_all([*node.keys, *map(self._identified, node.values)])
            case ast.ListComp() | ast.GeneratorExp():
                yield from self._visit_all([self._identified(node.elt), *node.generators])
            case ast.Assign():
                yield from self._visit_all([*node.targets, self._identified(node.value)])
            case ast.Compare():
                yield from self._compared(node)
            case ast.JoinedStr():
                yield self._no(node, "text made of values", "write it in an error, an assertion or print alone")
                yield from self._parts(node)
            case _:
                yield from self._parts(node)

    def _parts(self, node: ast.AST) -> Iterator[Diagnostic]:
        yield from self._visit_all(list(ast.iter_child_nodes(node)))

    def _telling(self, node: ast.AST) -> Iterator[Diagnostic]:
        """What people read: its text may be made of values, as no program can read it."""
        for part in ast.iter_child_nodes(node):
            yield from self._told(part) if part is not getattr(node, "test", None) else self._visit(part)

    def _told(self, node: ast.AST) -> Iterator[Diagnostic]:
        if isinstance(node, ast.Constant):
            return
        if isinstance(node, ast.JoinedStr | ast.FormattedValue | ast.BinOp | ast.Tuple | ast.keyword):
            for part in ast.iter_child_nodes(node):
                yield from self._told(part)
        elif isinstance(node, ast.Call) and (self._is_error(node.func) or self._is_builtin(node.func, _TOLD)):
            for part in (*node.args, *node.keywords):
                yield from self._told(part)
        elif not self._is_error(node):
            yield from self._visit(node)

    def _is_error(self, node: ast.AST) -> bool:
        return self._is_builtin(node, _ERRORS)

    def _import(self, node: ast.Import | ast.ImportFrom) -> Iterator[Diagnostic]:
        for one in node.names:
            path = one.name if isinstance(node, ast.Import) else f"{'.' * node.level}{node.module or ''}.{one.name}"
            if one.name == "*" or not self._has(path):
                yield self._no(
                    node,
                    f"the import of {path}",
                    "host code of kernels needs torch, triton, math, and "
                    "Python's modules for data, functions, types and iteration",
                )

    def _function(self, node: Function) -> Iterator[Diagnostic]:
        decorators = getattr(node, "decorator_list", [])
        yield from self._visit_all(decorators)
        yield from self._visit_all([*node.args.defaults, *node.args.kw_defaults])
        every = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs, node.args.vararg, node.args.kwarg)
        yield from self._annotations(
            [getattr(node, "returns", None), *(one.annotation for one in every if one is not None)]
        )
        if decorators and self._is_kernel(decorators[-1]) and not self.names.own & words.OF_KERNELS:
            return
        self.scopes.append(bound_in(node))
        outside, self.weights = self.weights, Weights.of(node, self.kept)
        yield from self._visit_all(node.body if isinstance(node.body, list) else [node.body])
        self.weights = outside
        self.scopes.pop()

    def _annotations(self, nodes: Sequence[ast.AST | None]) -> Iterator[Diagnostic]:
        for node in nodes:
            if isinstance(node, ast.Name):
                yield from self._name(node, called=True)
            elif isinstance(node, ast.Subscript | ast.Tuple | ast.BinOp | ast.List):
                yield from self._annotations(list(ast.iter_child_nodes(node)))
            elif node is not None:
                yield from self._visit(node)

    def _is_kernel(self, decorator: ast.expr) -> bool:
        target = decorator.func if isinstance(decorator, ast.Call) else decorator
        return self._paths(target) in ({"triton.jit"}, {"triton.runtime.jit.jit"})

    def _class(self, node: ast.ClassDef) -> Iterator[Diagnostic]:
        yield from self._visit_all(node.decorator_list)
        for keyword in node.keywords:
            yield self._no(keyword, "a keyword of a class", "derive from torch.nn.Module or object alone")
        for base in node.bases:
            target = base.value if isinstance(base, ast.Subscript) else base
            known = words.BASES | words.module_classes()
            own = isinstance(target, ast.Name) and (target.id in self.names.classes or target.id == "object")
            if not own and not self._paths(target) & known:
                yield self._no(
                    base,
                    "a class that derives from this",
                    "hold such an object, and derive from torch.nn.Module, torch.autograd.Function or object",
                )
        for one in node.body:
            for name in defined(one):
                yield from self._member(one, name, node.name in self.names.modules)
            yield from self._visit(one)

    def _member(self, node: ast.stmt, name: str, of_module: bool) -> Iterator[Diagnostic]:
        method = isinstance(node, ast.FunctionDef)
        if name.startswith("__") and (not method or name not in words.METHODS):
            yield self._no(node, f"the special name {name}", "write a method with a plain name")
        elif of_module and name in words.methods_of_modules() - words.OVERRIDDEN:
            yield self._no(node, f"a {name} of the module's own", "leave it as torch.nn.Module has it")

    def _call(self, node: ast.Call) -> Iterator[Diagnostic]:
        name = node.func.id if isinstance(node.func, ast.Name) and not self._is_bound(node.func.id) else ""
        if self._is_builtin(node.func, frozenset(("print",))):
            yield from self._printed(node)
            return
        if name in words.DIRECTLY:
            yield from self._directly(node, name)
        else:
            yield from self._visit(node.func)
        skipped = node.args[1:2] if name == "isinstance" else []
        yield from self._visit_all([one for one in node.args if one not in skipped])
        yield from self._visit_all([one.value for one in node.keywords])

    def _printed(self, node: ast.Call) -> Iterator[Diagnostic]:
        for one in node.keywords:
            if one.arg not in ("sep", "end", "flush"):
                yield self._no(node, "print to an object", "print to the screen")
        for part in (*node.args, *node.keywords):
            yield from self._told(part)

    def _directly(self, node: ast.Call, name: str) -> Iterator[Diagnostic]:
        starred = any(isinstance(one, ast.Starred) for one in node.args) or bool(node.keywords)
        if name == "isinstance" and (starred or len(node.args) != 2 or not self._is_kind(node.args[1])):
            yield self._no(
                node,
                "isinstance of this kind",
                "ask for torch.Tensor, numbers, text, containers, torch's modules or classes of your own, by name",
            )
        elif name.endswith("attr"):
            word = node.args[1].value if len(node.args) > 1 and isinstance(node.args[1], ast.Constant) else None
            if starred or not isinstance(word, str):
                yield self._no(node, f"{name} of a name that is no literal", "write the attribute, or keep a dict")
            else:
                made = ast.copy_location(ast.Attribute(node.args[0], word, ast.Load()), node)
                paths = self._paths(made)
                asks = name == "hasattr" or (name == "getattr" and len(node.args) > 2)
                if asks and not paths and getattr(node.args[0], "id", "") != "self":
                    yield self._no(node, "whether an object has an attribute", "ask for isinstance, or of self alone")
                yield from self._path(node, paths) if paths else self._word(node, word, stored=name == "setattr")
        elif name == "super" and node.args and not self._is_own_class(node):
            yield self._no(node, "super of another object", "write super()")
        elif name == "str" and not self._is_plain(node):
            yield self._no(node, "the text of a value", "write str of a dtype, a device or a shape, or compare values")

    def _is_plain(self, node: ast.Call) -> bool:
        """Whether text is made of a fact of a tensor that is always written in one way."""
        one = node.args[0] if len(node.args) == 1 and not node.keywords else None
        fact = isinstance(one, ast.Attribute) and one.attr in {"dtype", "device", "shape"} - self.names.own
        return fact or isinstance(one, ast.Constant)

    def _is_own_class(self, node: ast.Call) -> bool:
        """Whether `super` is asked for as Python 2 wrote it: `super(ModelNew, self)`."""
        names = [one.id if isinstance(one, ast.Name) else "" for one in node.args]
        return len(names) == 2 and names[0] in self.names.classes and names[1] == "self"

    def _is_kind(self, node: ast.AST) -> bool:
        if isinstance(node, ast.Tuple):
            return all(map(self._is_kind, node.elts))
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            return self._is_kind(node.left) and self._is_kind(node.right)
        if isinstance(node, ast.Name) and not self._is_bound(node.id) and node.id not in self.names.imported:
            return node.id in self.names.classes or node.id in words.KINDS
        paths = self._paths(node)
        return bool(paths) and paths <= words.TORCH_KINDS | words.module_classes()

    def _try(self, node: ast.Try) -> Iterator[Diagnostic]:
        """Imports alone may fail: what else fails tells a program how it is run."""
        if not all(isinstance(one, ast.Import | ast.ImportFrom) for one in node.body) or node.finalbody:
            yield self._no(node.body[0], "try around this", "let errors reach the caller; only imports may be tried")
        for handler in node.handlers:
            if handler.type is not None and not self._is_error(handler.type):
                yield self._no(handler.type, "except of this", "write except ImportError")
            # a name is None where its import fails
            plain = [one for one in handler.body if isinstance(one, ast.Assign) and isinstance(one.value, ast.Constant)]
            yield from self._visit_all([one for one in handler.body if one not in plain])
            if handler.name:
                yield self._no(handler.body[0], "the error as a value", "write `except ImportError:`")
        yield from self._visit_all([*node.body, *node.orelse, *node.finalbody])

    def _compared(self, node: ast.Compare) -> Iterator[Diagnostic]:
        sides = [node.left, *node.comparators]
        for one, left, right in zip(node.ops, sides, sides[1:], strict=False):
            named = isinstance(left, ast.Name) and isinstance(right, ast.Name)
            own = self.weights.has(left) or self.weights.has(right)
            if isinstance(one, ast.Is | ast.IsNot) and named and not own:
                yield self._no(node, "whether two names are one object", "compare what they hold, or with None")
        same = all(isinstance(one, ast.Eq | ast.NotEq) for one in node.ops)
        yield from self._visit_all([self._identified(one) for one in sides] if same else sides)

    def _identified(self, node: ast.expr) -> ast.expr:
        """The tensor, where an expression is the version or address of a weight, as what is prepared of it is told by:
        to be compared with another, or to be kept. Of another tensor it stays as it is, which is refused."""
        fact = node.func if isinstance(node, ast.Call) and not node.args and not node.keywords else node
        if not isinstance(fact, ast.Attribute) or fact.attr != ("_version" if fact is node else "data_ptr"):
            return node
        return fact.value if self.weights.has(fact.value) else node

    def _constant(self, node: ast.Constant) -> Iterator[Diagnostic]:
        if isinstance(node.value, bytes) or (isinstance(node.value, str) and "%" in node.value):
            yield self._no(node, "text that values are put into", "write it in an error, an assertion or print alone")


def _aligned(node: ast.BinOp) -> ast.expr | None:
    """The tensor of which an expression asks how its address is aligned, as in `x.data_ptr() % 16`."""
    call, number = node.left, node.right
    if not isinstance(node.op, ast.Mod | ast.BitAnd) or not isinstance(call, ast.Call) or call.args or call.keywords:
        return None
    if not isinstance(number, ast.Constant) or not isinstance(number.value, int) or not 0 < number.value <= _ALIGNED:
        return None
    return call.func.value if isinstance(call.func, ast.Attribute) and call.func.attr == "data_ptr" else None
