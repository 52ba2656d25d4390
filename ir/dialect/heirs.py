"""`class ModelNew(Base)`, as libraries write it: what it inherits of a module class in the file is written into it."""

import ast
import copy
import textwrap
from collections.abc import Iterator, Set

from kernelwright.ir.dialect.checker import dotted
from kernelwright.ir.dialect.edits import Edit, end_of, replaced
from kernelwright.ir.trees import walk

_ENTRY, _REFERENCE = "ModelNew", "Model"
_MODULE = (["nn.Module"], ["torch.nn.Module"])


def inherited(tree: ast.Module, once: Set[str]) -> Iterator[Edit]:
    """The entry without its base class, and that class taken out where nothing else uses it.

    `once`: names that are bound once in the file. What is inherited stands behind the entry's last line.
    """
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    heir = classes.get(_ENTRY)
    base = heir.bases[0] if heir is not None and len(heir.bases) == 1 and not heir.keywords else None
    parent = classes.get(base.id) if isinstance(base, ast.Name) and {base.id, _ENTRY} <= once else None
    if heir is None or base is None or parent is None or parent.keywords or parent.decorator_list:
        return
    inside = {id(node) for node in walk(parent)}
    uses = [n for n in walk(tree) if isinstance(n, ast.Name) and n.id == parent.name and id(n) not in inside]
    if [".".join(dotted(one)) for one in parent.bases] not in _MODULE or (len(uses) > 1 and parent.name != _REFERENCE):
        return
    yield replaced(base, "nn.Module")
    yield from _taken_over(parent, heir)
    if parent.name != _REFERENCE:  # a repeated reference is skipped as it stands
        yield replaced(parent, "")


def _taken_over(parent: ast.ClassDef, heir: ast.ClassDef) -> Iterator[Edit]:
    """The parent's methods and constants that the heir has not; its `__init__` under another name beside one of the
    heir's, which calls it by that."""
    own, built = {name for part in heir.body for name in _bound(part)}, f"build_{parent.name.lower()}"
    calls = [node for node in walk(heir) if isinstance(node, ast.Call) and _is_super_init(node)]
    texts = []
    for part in parent.body:
        names = _bound(part)
        if names == {"__init__"} and calls:
            assert isinstance(part, ast.FunctionDef)
            part, names = copy.deepcopy(part), {built}
            part.name = built
            for call in calls:
                yield replaced(call.func, f"self.{built}")
        if names and not names & own:
            texts.append(ast.unparse(_with_plain_super(part)))
    indent = " " * heir.body[0].col_offset
    if texts:
        yield Edit(end_of(heir), end_of(heir), "".join("\n\n" + textwrap.indent(text, indent) for text in texts))


def _bound(part: ast.stmt) -> set[str]:
    """The names that a statement of a class binds."""
    if isinstance(part, ast.FunctionDef):
        return {part.name}
    targets = part.targets if isinstance(part, ast.Assign) else [getattr(part, "target", None)]
    return {target.id for target in targets if isinstance(target, ast.Name)}


def _is_super_init(node: ast.Call) -> bool:
    """Whether it is `super().__init__(…)`, or `super(Owner, self).__init__(…)`."""
    function = node.func
    of = function.value if isinstance(function, ast.Attribute) and function.attr == "__init__" else None
    return isinstance(of, ast.Call) and dotted(of.func) == ("super",)


def _with_plain_super(part: ast.stmt) -> ast.stmt:
    """The statement with `super()` for `super(Owner, self)`: in another class that would be another owner."""
    part = copy.deepcopy(part)
    for node in walk(part):
        if isinstance(node, ast.Call) and dotted(node.func) == ("super",):
            node.args = []
    return part
