"""A kernel's text as it is described to a device."""

import ast

from kernelwright.ir.text import text_lines
from kernelwright.ir.trees import syntax_tree


def undecorated(text: str) -> str:
    """The one function of a text with `@triton.jit` alone above it; its lines keep their numbers."""
    function = syntax_tree(text).body[0]
    assert isinstance(function, ast.FunctionDef)
    first = function.lineno - 1
    kept = ["@triton.jit", *[""] * (first - 1)] if function.decorator_list else []
    return "\n".join([*kept, *text_lines(text)[first : function.end_lineno]])


def leaves_lanes_open(text: str) -> bool:
    """Whether a kernel loads with a mask and names no `other`, so that lanes that are off hold nothing."""
    for node in ast.walk(syntax_tree(text)):
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "load":
            given = {"mask", "other"} & {word.arg for word in node.keywords}
            if (len(node.args) == 2 or "mask" in given) and len(node.args) < 3 and "other" not in given:
                return True
    return False
