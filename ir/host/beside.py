"""The text that brings along the files beside a program, as modules of one package."""

import ast
from collections.abc import Mapping
from dataclasses import dataclass

#: What stands between these lines of a text comes from other files.
FILES_BEGIN = "# The files beside the program that it imports, as modules of one package."
FILES_END = "# The program itself."
#: The text before a program; `files` are the lines of a dictionary: a module's name, whether it is a package, its text.
PRELUDE = """{first}
import importlib.abc
import importlib.util
import sys

FILES_BESIDE = {{
{files}
}}


class FilesBeside(importlib.abc.MetaPathFinder, importlib.abc.ExecutionLoader):
    def find_spec(self, name, path=None, target=None):
        return importlib.util.spec_from_loader(name, self) if name in FILES_BESIDE else None

    def is_package(self, name):
        return FILES_BESIDE[name][0]

    def get_source(self, name):
        return FILES_BESIDE[name][1]

    def get_filename(self, name):
        return name.replace(".", "/") + ".py"


if "{package}" not in sys.modules:
    sys.meta_path.insert(0, FilesBeside())
{last}
"""


@dataclass(frozen=True)
class Beside:
    """The files that a text brings along: their texts by the names of their modules, below `package`, and the text's
    statements without those that bring them."""

    package: str
    texts: Mapping[str, str]
    body: tuple[ast.stmt, ...]


def files_beside(tree: ast.Module) -> Beside | None:
    """What a text brings along; None where it does not do so in exactly the words of `PRELUDE`."""
    for start, node in enumerate(tree.body):
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "FILES_BESIDE":
            begin = start - 3
            texts = _texts(node.value)
            package = next(iter(texts), "")
            wanted = ast.parse(PRELUDE.format(first="", files="", package=package, last="")).body
            found = tree.body[max(begin, 0) : begin + len(wanted)]
            if begin < 0 or len(found) < len(wanted) or not package.isidentifier():
                return None
            pairs = zip(found, wanted, strict=True)
            if any(one is not node and ast.dump(one) != ast.dump(other) for one, other in pairs):
                return None
            return Beside(package, texts, (*tree.body[:begin], *tree.body[begin + len(wanted) :]))
    return None


def _texts(node: ast.expr) -> dict[str, str]:
    try:
        held = ast.literal_eval(node)
        return {str(name): str(text) for name, (_, text) in held.items()}
    except (ValueError, TypeError, AttributeError, SyntaxError, MemoryError, RecursionError):
        return {}
