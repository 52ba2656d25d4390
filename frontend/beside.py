"""A program as one text, with the files beside it that it imports.

What a reference says travels: to other processes and machines, into printed modules and emitted files. So the modules
that a program imports from its own folder become part of its text, below a package whose name follows from what they
hold: nothing is added to where Python looks for modules, and two programs with a `layers.py` of their own each have
theirs. Only what import statements name is found; other files that a program reads stay where they are.
"""

import ast
import hashlib
import importlib.util
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from kernelwright.frontend.problem import parse_source
from kernelwright.ir.errors import UserError
from kernelwright.ir.host.beside import FILES_BEGIN, FILES_END, PRELUDE
from kernelwright.ir.printer import source_literal
from kernelwright.ir.trees import syntax_tree

#: Names that are never those of a file beside a program.
_TAKEN = frozenset(sys.stdlib_module_names) | {"torch", "triton", "numpy", "kernelwright"}
_MOST_BYTES = 1 << 20


@dataclass(frozen=True)
class _File:
    """A module's text; `package`: others may be below it."""

    text: str
    package: bool


@dataclass
class _Files:
    """The modules found so far in a folder, by their dotted names; "" is the folder itself."""

    folder: Path
    found: dict[str, _File] = field(default_factory=dict)

    def gather(self, tree: ast.AST, package: str) -> None:
        """Find what the statements of a module import that lies in `package`, and what that imports in turn."""
        for node in ast.walk(tree):
            for name in _named(node, package):
                self._take(name)

    def has(self, name: str) -> bool:
        """Whether a module of the folder has that name."""
        return name.split(".")[0] in {known.split(".")[0] for known in self.found}

    def _take(self, name: str) -> None:
        parts = name.split(".")
        for count in range(1, len(parts) + 1):
            one = ".".join(parts[:count])
            if one in self.found:
                continue
            path = self._path(one)
            if path is None:
                return
            text = "" if path.is_dir() else _text_of(path)
            self.found[one] = file = _File(text, path.is_dir() or path.name == "__init__.py")
            if sum(len(other.text) for other in self.found.values()) > _MOST_BYTES:
                raise UserError(f"{path}: the files that a program imports from beside it take more than 1 MB together")
            self.gather(parse_source(text, str(path)), one if file.package else one.rpartition(".")[0])

    def _path(self, name: str) -> Path | None:
        """The file of a module, or the folder of a package without one; None where there is neither."""
        place = self.folder.joinpath(*name.split("."))
        if "." not in name and name in _TAKEN:
            return None
        if (place / "__init__.py").is_file():
            return place / "__init__.py"
        if (module := place.with_name(f"{place.name}.py")).is_file():
            return module
        if not place.is_dir() or not any(place.rglob("*.py")):
            return None
        return None if "." not in name and importlib.util.find_spec(name) else place


def _named(node: ast.AST, package: str) -> Iterator[str]:
    """The names of modules that a statement may import."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        base = node.module or ""
        if node.level:
            above = package.split(".") if package else []
            if node.level - 1 > len(above):
                return
            base = ".".join([*above[: len(above) - node.level + 1], *([base] if base else [])])
        if base:
            yield base
        yield from (f"{base}.{alias.name}" if base else alias.name for alias in node.names if alias.name != "*")


def _text_of(path: Path) -> str:
    try:
        return path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "is not a text file"
        raise UserError(f"{path}: {reason}; the program imports it") from error


def with_files_beside(source: str, path: Path) -> str:
    """The text of the program at `path`, with the files that it imports from its folder; the same text for none.

    Raises UserError for one of them that cannot be read. What does not parse comes back as it is.
    """
    try:
        tree = syntax_tree(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return source  # whoever reads it says so
    files = _Files(path.resolve().parent)
    files.gather(tree, "")
    if not files.found:
        return source
    contents = "\0".join(f"{name}\0{file.text}" for name, file in sorted(files.found.items()))
    package = f"beside_{hashlib.sha256(contents.encode()).hexdigest()[:12]}"
    held = {"": _File("", package=True)} | dict(sorted(files.found.items()))
    lines = [
        f'    "{package}{"." * bool(name)}{name}": ({file.package}, '
        f"{source_literal(_rewritten(file.text, files, package)) if file.text else repr('')}),"
        for name, file in held.items()
    ]
    prelude = PRELUDE.format(first=FILES_BEGIN, files="\n".join(lines), package=package, last=FILES_END)
    text = _rewritten(source, files, package, of_none=True)
    rows = text.split("\n")
    start = _beginning(tree)
    return "\n".join([*rows[:start], prelude.rstrip("\n"), *rows[start:]])


def _beginning(tree: ast.Module) -> int:
    """How many lines have to stay first: a docstring and what is imported from the future."""
    last = 0
    for node in tree.body:
        documented = node is tree.body[0] and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if not documented and not (isinstance(node, ast.ImportFrom) and node.module == "__future__"):
            break
        last = node.end_lineno or last
    return last


def _rewritten(text: str, files: _Files, package: str, of_none: bool = False) -> str:
    """A text whose imports name the modules where they are now; `of_none`: it is in no package. Lines stay."""
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line.encode()) + 1)
    data = text.encode()
    nodes = [node for node in ast.walk(syntax_tree(text)) if isinstance(node, ast.Import | ast.ImportFrom)]
    for node in sorted(nodes, key=lambda node: (-node.lineno, -node.col_offset)):
        new = _import(node, files, package, of_none)
        if new != ast.unparse(node):
            assert node.end_lineno is not None and node.end_col_offset is not None
            begin, end = starts[node.lineno - 1] + node.col_offset, starts[node.end_lineno - 1] + node.end_col_offset
            data = data[:begin] + new.encode() + b"\n" * (node.end_lineno - node.lineno) + data[end:]
    return data.decode()


def _import(node: ast.Import | ast.ImportFrom, files: _Files, package: str, of_none: bool) -> str:
    """The statement with modules of the folder below the package."""
    if isinstance(node, ast.ImportFrom):
        if node.level == 1 and of_none:
            module = f"{package}.{node.module}" if node.module else package
        elif node.level == 0 and node.module and files.has(node.module):
            module = f"{package}.{node.module}"
        else:
            return ast.unparse(node)
        return ast.unparse(ast.ImportFrom(module, node.names, 0))
    parts = []
    for alias in node.names:
        name, top = f"{package}.{alias.name}", alias.name.split(".")[0]
        if not files.has(alias.name):
            parts.append(ast.unparse(alias))
        elif alias.asname or top == alias.name:
            parts.append(f"{name} as {alias.asname or top}")
        else:
            parts += [name, f"{package}.{top} as {top}"]
    return f"import {', '.join(parts)}"
