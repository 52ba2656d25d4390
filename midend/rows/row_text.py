"""Loops over rows as text, as Inductor writes them: what rewrites ask that do not work on the kernel IR yet."""

import ast
import re

_LOOP = re.compile(r"(?:tl\.)?range\(0, (\d+), R0_BLOCK\)")


def row_length(function: ast.FunctionDef) -> int | None:
    """Elements of the rows that all loops of a kernel run over; None where there is no such kernel."""
    lengths = set()
    for loop in (node for node in ast.walk(function) if isinstance(node, ast.For | ast.While)):
        match = _LOOP.fullmatch(ast.unparse(loop.iter)) if isinstance(loop, ast.For) else None
        if match is None or loop not in function.body or not ast.unparse(loop).startswith("for r0_offset in"):
            return None
        lengths.add(int(match[1]))
    plain = "R0_BLOCK" in {argument.arg for argument in function.args.args} and "R1_BLOCK" not in ast.unparse(function)
    return lengths.pop() if plain and len(lengths) == 1 else None


def straight(statement: ast.stmt) -> list[ast.stmt]:
    """A loop's body at offset 0; any other statement as it is."""
    if not isinstance(statement, ast.For):
        return [statement]
    return [ast.fix_missing_locations(_AtZero().visit(part)) for part in statement.body]


class _AtZero(ast.NodeTransformer):
    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.Constant(0) if node.id == "r0_offset" else node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        starts = isinstance(node.op, ast.Add) and ast.unparse(node.left) == "r0_offset"
        return self.visit(node.right) if starts else self.generic_visit(node)
