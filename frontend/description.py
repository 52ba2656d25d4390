"""What a program does, in words, and the prototype of what shall take its place: for prompts that say so."""

import ast

from kernelwright.ir.trees import syntax_tree
from kernelwright.ir.values import Reference, TensorSpec

_LONGEST = 400


def described(reference: Reference) -> str:
    """The first paragraph of the docstring of the program's class; else the operations of its forward, in order."""
    entry = next(
        (node for node in syntax_tree(reference.source).body if isinstance(node, ast.ClassDef)
         and node.name == reference.entry), None,
    )  # fmt: skip
    said = ast.get_docstring(entry) if entry else None
    if said:
        return " ".join(said.partition("\n\n")[0].split())[:_LONGEST]
    forward = (
        [node for node in entry.body if isinstance(node, ast.FunctionDef) and node.name == "forward"] if entry else []
    )
    names = [called for node in forward for called in _called(node)]
    return f"it computes {', then '.join(dict.fromkeys(names))}." if names else "it computes its outputs by operators."


def _called(node: ast.AST) -> list[str]:
    """The names of what is called, innermost first."""
    found: list[str] = []
    for part in ast.iter_child_nodes(node):
        found += _called(part)
    if isinstance(node, ast.Call):
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        found += [name] if name else []
    return found


def prototype(reference: Reference, form: str) -> str:
    """The entry without its body: of the native form, or KernelBench's class."""
    inputs = [spec.name for spec in reference.inputs]
    if form == "modelnew":
        held = "        # the modules and parameters of the reference, in its order"
        lines = ["class ModelNew(nn.Module):", "    def __init__(self, *args):", "        super().__init__()", held, ""]
        return "\n".join([*lines, f"    def forward(self, {', '.join(inputs)}): ..."])
    tensors = [spec for spec in reference.inputs if isinstance(spec, TensorSpec)]
    tensors += [spec.tensor for spec in reference.state]
    given = ", ".join(f'{spec.name}: "{spec.annotation}"' for spec in tensors)
    return f"def forward({given}): ..."
