"""Normal forms of programs, by which copies of one another are recognised.

What is ignored: comments, docstrings, annotations and layout; what things are called (variables, arguments, attributes
of `self`, functions, classes, aliases of imports); the old spelling of `super()`. Without sizes also what only says how
big the problem is: `get_inputs`, `get_init_inputs`, module-level assignments, and integers above SMALL. What is kept:
the operations, their order and options, small integers (axes, kernel sizes, strides) and floats.
"""

import ast
import hashlib
import re
from functools import lru_cache

#: Integers up to this are structure, not sizes (as in `frontend.sizes.literals`).
SMALL = 16
#: Tokens that make one shingle.
SHINGLE = 5

_SIZES_ONLY = ("get_inputs", "get_init_inputs")
_MODULE_OWN = frozenset(
    "register_buffer register_parameter add_module parameters buffers named_parameters named_buffers training".split()
)
_TOKEN = re.compile(r"[\w.]+|[^\w\s]")


def normal_digest(source: str, *, sizes: bool = False) -> str:
    """SHA-256 (hex) of the normal form; with `sizes`, programs of other sizes are others."""
    return hashlib.sha256(normal_form(source, sizes=sizes).encode()).hexdigest()


@lru_cache(4096)
def normal_form(source: str, *, sizes: bool = False) -> str:
    """The normal form as text, names numbered as they occur; a text that is no Python stands for itself."""
    tree = _parse(source)
    return " ".join(source.split()) if tree is None else ast.unparse(_normalized(tree, sizes=sizes, numbered=True))


@lru_cache(4096)
def shingles(source: str) -> frozenset[str]:
    """The runs of SHINGLE tokens in functions' bodies, without sizes, every name alike."""
    tree = _parse(source)
    text = source if tree is None else _bodies(_normalized(tree, sizes=False, numbered=False))
    tokens = _TOKEN.findall(text)
    starts = range(max(len(tokens) - SHINGLE + 1, 1))
    return frozenset(" ".join(tokens[start : start + SHINGLE]) for start in starts)


def _parse(source: str) -> ast.Module | None:
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _bodies(tree: ast.Module) -> str:
    """Text of all functions' statements: what says class and def is the same everywhere."""
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    lines = [ast.unparse(statement) for function in functions for statement in function.body]
    return "\n".join(line for line in lines if line not in ("super().__init__()", "pass"))


def _normalized(tree: ast.Module, *, sizes: bool, numbered: bool) -> ast.Module:
    if not sizes:
        tree.body = [node for node in tree.body if not _says_sizes(node)]
    normal = _Normalizer(tree, sizes, numbered).visit(tree)
    assert isinstance(normal, ast.Module)
    return ast.fix_missing_locations(normal)


def _says_sizes(node: ast.stmt) -> bool:
    if isinstance(node, ast.FunctionDef):
        return node.name in _SIZES_ONLY
    return isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign | ast.If)


class _Normalizer(ast.NodeTransformer):
    def __init__(self, tree: ast.Module, sizes: bool, numbered: bool) -> None:
        self.sizes, self.numbered = sizes, numbered
        self.aliases: dict[str, str] = {}
        self.selves: set[str] = set()
        self.bound: set[str] = set()
        self.new: dict[str, str] = {}
        for node in ast.walk(tree):
            self._collect(node)

    def _collect(self, node: ast.AST) -> None:
        """What a node binds."""
        if isinstance(node, ast.Import):
            self.aliases |= {item.asname: item.name for item in node.names if item.asname}
        elif isinstance(node, ast.ImportFrom):
            self.aliases |= {item.asname or item.name: f"{node.module}.{item.name}" for item in node.names}
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            self.bound.add(node.id)
        elif isinstance(node, ast.arg):
            self.bound.add(node.arg)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            self.bound.add(node.name)
        if isinstance(node, ast.ClassDef):
            methods = [item for item in node.body if isinstance(item, ast.FunctionDef)]
            self.selves |= {method.args.args[0].arg for method in methods if method.args.args}

    def _name(self, name: str, prefix: str = "v") -> str:
        if name in (*_SIZES_ONLY, "forward") or (name.startswith("__") and name.endswith("__")):
            return name
        if not self.numbered:
            return "_"
        return self.new.setdefault(f"{prefix}.{name}", f"{prefix}{len(self.new)}")

    def visit_Import(self, _node: ast.Import) -> None:
        return None

    def visit_ImportFrom(self, _node: ast.ImportFrom) -> None:
        return None

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST | None:
        if node.value is None:
            return None
        return self.generic_visit(ast.Assign([node.target], node.value))

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        return None if isinstance(node.value, ast.Constant) else self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        inside = node.args.args[:1] and node.args.args[0].arg in self.selves
        node.name = self._name(node.name, "a" if inside else "v")
        node.returns = None
        self.generic_visit(node)
        node.body = node.body or [ast.Pass()]
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        node.name = self._name(node.name)
        self.generic_visit(node)
        node.body = node.body or [ast.Pass()]
        return node

    def visit_arg(self, node: ast.arg) -> ast.AST:
        return ast.arg(self._name(node.arg))

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id in self.bound:
            return ast.Name(self._name(node.id), node.ctx)
        return ast.Name(self.aliases.get(node.id, node.id), node.ctx)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        own = isinstance(node.value, ast.Name) and node.value.id in self.selves
        self.generic_visit(node)
        if own and node.attr not in _MODULE_OWN:
            node.attr = self._name(node.attr, "a")
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        function = node.func
        if isinstance(function, ast.Name) and function.id == "super":
            return ast.Call(function, [], [])
        if isinstance(function, ast.Attribute) and function.attr in _MODULE_OWN and node.args:
            name = node.args[0]
            if isinstance(name, ast.Constant) and isinstance(name.value, str):
                node.args[0] = ast.Constant(self._name(name.value, "a"))
        if isinstance(function, ast.Name) and function.id in self.bound:
            for keyword in node.keywords:
                keyword.arg = keyword.arg and self._name(keyword.arg)
        return self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        is_size = isinstance(node.value, int) and not isinstance(node.value, bool) and abs(node.value) > SMALL
        return ast.Name("N", ast.Load()) if is_size and not self.sizes else node
