"""What one word of host code means: the complaints about names, attributes and paths outside of the vocabulary."""

import ast
import builtins
from abc import ABC, abstractmethod
from collections.abc import Iterator

from kernelwright.evaluation.host.vocabulary import words
from kernelwright.evaluation.host.vocabulary.names import Names, Weights, attributes_kept
from kernelwright.ir.dialect.checker import diagnostic
from kernelwright.ir.errors import Diagnostic
from kernelwright.ir.host.beside import Beside
from kernelwright.ir.text import text_lines
from kernelwright.ir.trees import walk

_FACTS = "host code may ask for shapes, strides, dtypes, devices, `x.data_ptr() % 16`, requires_grad, training"
RENAME = "give it another name"
_PLAIN = "host code may ask nothing of the interpreter, the process or its callers"


class Meanings(ABC):
    """Complaints about single words of one text of a program. `given`: what the reference's text names."""

    def __init__(self, text: str, tree: ast.Module, given: frozenset[str], names: Names, beside: Beside | None) -> None:
        self.names, self.given, self.lines, self.beside = names, given, text_lines(text), beside
        self.scopes: list[frozenset[str]] = []
        self.weights, self.kept = Weights(), attributes_kept(tree)
        self.guard = _main_guard(tree)
        inside = [one for guard in self.guard for one in walk(guard) if isinstance(one, ast.Name)]
        self.of_scripts = {one.id for one in inside if not isinstance(one.ctx, ast.Load)}

    @abstractmethod
    def _visit(self, node: ast.AST) -> Iterator[Diagnostic]:
        """The complaints about a part of the program."""

    def _no(self, node: ast.AST, what: str, hint: str) -> Diagnostic:
        return diagnostic(node, what, hint, self.lines)

    def _has(self, path: str) -> bool:
        if self.beside is not None and path.partition(".")[0] == self.beside.package:
            return True
        if words.is_module(path) or any(one == path or one.startswith(f"{path}.") for one in self.given):
            return True
        module, _, name = path.rpartition(".")
        return words.is_module(module) and name in words.names_of(module)

    def _is_bound(self, name: str) -> bool:
        return any(name in scope for scope in self.scopes)

    def _paths(self, node: ast.AST) -> frozenset[str]:
        head = node
        while isinstance(head, ast.Attribute):
            head = head.value
        if isinstance(head, ast.Name) and self._is_bound(head.id):
            return frozenset()
        return self.names.paths(node)

    def _attribute(self, node: ast.Attribute) -> Iterator[Diagnostic]:
        paths = self._paths(node)
        if paths:
            if not isinstance(node.ctx, ast.Load):
                yield self._no(node, "setting what belongs to a library", "keep it in a name of your own")
            yield from self._path(node, paths)
            return
        yield from self._visit(node.value)
        yield from self._word(node, node.attr, stored=not isinstance(node.ctx, ast.Load))

    def _path(self, node: ast.AST, paths: frozenset[str]) -> Iterator[Diagnostic]:
        for path in sorted(paths):
            parts = path.split(".")
            known = [n for n in range(1, len(parts) + 1) if words.is_module(".".join(parts[:n]))]
            if not known or path in self.given or self._is_operator(path):  # what is not known was refused as an import
                continue
            module, rest = ".".join(parts[: known[-1]]), parts[known[-1] :]
            if not rest:
                yield self._no(node, f"the module {path} as a value", "write what you need of it where you need it")
            elif rest[0] not in words.names_of(module) and f"{module}.{rest[0]}" not in self.given:
                why = words.GUARDED.get(rest[0], "is not in the vocabulary of host code")
                yield self._no(node, f"{path} {why}", _FACTS)
            else:
                for name in rest[1:]:
                    yield from self._word(node, name, stored=False)

    def _is_operator(self, path: str) -> bool:
        """Whether a path names an operator of the program's own, or one of aten's operations."""
        found = path.removeprefix("torch.ops.").split(".")
        if not path.startswith("torch.ops.") or len(found) not in (2, 3) or any(one.startswith("_") for one in found):
            return False
        return "::".join(found[:2]) in self.names.words or (found[0] == "aten" and found[1] in words.operations())

    def _word(self, node: ast.AST, name: str, stored: bool) -> Iterator[Diagnostic]:
        if stored and name in words.methods_of_modules() and name != "training" and name not in self.given:
            yield self._no(node, f"setting {name}, which modules have", RENAME)
        elif name in words.attributes() or name in self.given or name == "__init__":
            return
        elif name in words.GUARDED:
            yield self._no(node, f"{name} {words.GUARDED[name]}", _FACTS)
        elif name in words.foreign() or name.startswith("__"):
            yield self._no(node, f"{name} is not in the vocabulary of host code", f"{_FACTS}; {RENAME} if it is yours")
        elif name not in self.names.own:
            yield self._no(node, f"{name} is not in the vocabulary of host code", _FACTS)

    def _name(self, node: ast.Name, called: bool = False) -> Iterator[Diagnostic]:
        if self._is_bound(node.id):
            return
        if not isinstance(node.ctx, ast.Load):
            if node.id in self.names.imported:
                yield self._no(node, f"setting {node.id}, which is imported", RENAME)
            elif node.id.startswith("__") and node.id != "__all__":
                yield self._no(node, f"the special name {node.id}", RENAME)
        elif self.beside is not None and node.id in ("sys", "importlib", "FILES_BESIDE", "FilesBeside"):
            yield self._no(node, f"{node.id} is not the program's", _PLAIN)
        elif node.id in self.of_scripts:
            yield self._no(node, "a name that is set where the program is run as a script", RENAME)
        elif paths := self.names.paths(node):
            yield from self._path(node, paths)
        elif node.id.startswith("__") or (hasattr(builtins, node.id) and node.id not in words.BUILTINS):
            yield self._no(node, f"{node.id} is not in the vocabulary of host code", _PLAIN)
        elif node.id in words.DIRECTLY and not called:
            yield self._no(node, f"{node.id} as a value", "call it where you need it")

    def _is_builtin(self, node: ast.AST, names: frozenset[str]) -> bool:
        """Whether a node is one of these names of Python's own, which the program gives no other meaning."""
        return isinstance(node, ast.Name) and node.id in names and node.id not in self.names.bound


def _main_guard(tree: ast.Module) -> list[ast.If]:
    """`if __name__ == "__main__":` at the top of a program, which neither the judge nor a user's import runs."""
    asked = ast.dump(ast.parse('__name__ == "__main__"', mode="eval").body)
    return [one for one in tree.body if isinstance(one, ast.If) and not one.orelse and ast.dump(one.test) == asked]
