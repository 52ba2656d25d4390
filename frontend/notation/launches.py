"""What host code of a lowered program says: tensors, views of them, launches, and what is returned."""

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from kernelwright.frontend.notation.frames import Frame
from kernelwright.frontend.notation.words import NotExpressibleError
from kernelwright.ir.dialect.checker import dotted
from kernelwright.ir.trees import syntax_tree
from kernelwright.ir.values import DTYPES, KernelModule

_TORCH_DTYPES = {torch_name: name for name, (torch_name, _, _) in DTYPES.items()}


@dataclass(frozen=True)
class Launch:
    """A kernel's function, and by parameter the tensors that it is given, where in memory each begins, and of those
    that are given in part the part; `size` is how many elements its grid covers."""

    function: ast.FunctionDef
    bases: Mapping[str, Frame]
    starts: Mapping[str, int]
    parts: Mapping[str, Frame]
    size: int


class Host:
    """What host code says: tensors, launches in order, and what is returned."""

    def __init__(self, module: KernelModule) -> None:
        if module.launcher is None or module.launcher.form != "function":
            raise NotExpressibleError("the entry is no function")
        self.module = module
        functions = {kernel.symbol: syntax_tree(kernel.source).body[0] for kernel in module.kernels}
        self.kernels = {name: node for name, node in functions.items() if isinstance(node, ast.FunctionDef)}
        self.combines = {name: node for name, node in self.kernels.items() if len(node.body) <= 2}
        entry = syntax_tree(module.launcher.source).body
        if len(entry) != 1 or not isinstance(entry[0], ast.FunctionDef):
            raise NotExpressibleError("there are host functions beside the entry")
        self.frames = {
            spec.name: Frame(spec.name, spec.shape, spec.strides, 0, spec.dtype) for spec in module.reference.tensors
        }
        self.given = set(self.frames)
        self.parts: dict[str, Frame] = {}
        found = [launch for statement in entry[0].body if (launch := self._statement(statement))]
        self.launches = [self._launch(*one) for one in found]

    def _statement(self, statement: ast.stmt) -> tuple[str, list[str], int] | None:
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            self._tensor(statement.targets[0].id, statement.value)
            return None
        if isinstance(statement, ast.Return) and statement.value is not None:
            self._returned(statement.value)
            return None
        if isinstance(statement, ast.Delete):
            return None
        call = statement.value if isinstance(statement, ast.Expr) else None
        if (
            isinstance(call, ast.Call)
            and isinstance(call.func, ast.Subscript)
            and isinstance(call.func.value, ast.Name)
        ):
            grid = re.fullmatch(r"\(?triton\.cdiv\((\d+), \w+\['XBLOCK'\]\),\)?", ast.unparse(call.func.slice))
            names = [one.id for one in call.args if isinstance(one, ast.Name)]
            if grid and len(names) == len(call.args):
                return call.func.value.id, names, int(grid[1])
        raise NotExpressibleError(f"host code does more than launch over one axis: {ast.unparse(statement):.80}")

    def _tensor(self, name: str, value: ast.expr) -> None:
        called = ".".join(dotted(value.func) or ()) if isinstance(value, ast.Call) else ""
        if isinstance(value, ast.Call) and called == "torch.empty_strided":
            shape, strides = (ast.literal_eval(argument) for argument in value.args)
            dtype = next(ast.unparse(one.value) for one in value.keywords if one.arg == "dtype")
            self.frames[name] = Frame(name, shape, strides, 0, _TORCH_DTYPES[dtype.removeprefix("torch.")])
        elif isinstance(value, ast.Call) and called == "torch.as_strided":
            self.parts[name] = self._view(value)
        else:
            raise NotExpressibleError(f"host code makes {name} neither as an empty tensor nor as a view")

    def _view(self, call: ast.Call) -> Frame:
        """A part of a tensor, under that tensor's name."""
        name = ast.unparse(call.args[0])
        if name not in self.frames:
            raise NotExpressibleError("a view of no tensor")
        shape, strides, *offset = (ast.literal_eval(argument) for argument in call.args[1:])
        return Frame(name, shape, strides, offset[0] if offset else 0, self.frames[name].dtype)

    def _returned(self, value: ast.expr) -> None:
        """Results are called as the reference's outputs are, and are as they are looked at."""
        values = value.elts if isinstance(value, ast.Tuple) else [value]
        outputs = self.module.reference.outputs
        if len(values) != len(outputs):
            raise NotExpressibleError("the entry does not return the outputs")
        seen = set()
        for one, spec in zip(values, outputs, strict=True):
            known = self.frames | self.parts
            frame = self._view(one) if isinstance(one, ast.Call) else known.get(ast.unparse(one))
            if frame is None or frame.name in self.given or frame.name in seen or frame.shape != spec.shape:
                raise NotExpressibleError("an output is an input or a part of another")
            seen.add(frame.name)
            self.frames[frame.name] = replace(frame, name=spec.name)

    def _launch(self, symbol: str, arguments: list[str], size: int) -> Launch:
        function = self.kernels[symbol]
        plain = [one.arg for one in function.args.args if one.annotation is None]
        pairs = list(zip(plain, arguments, strict=True))
        parts = {parameter: self.parts[name] for parameter, name in pairs if name in self.parts}
        bases = {one: self.frames[parts[one].name if one in parts else name] for one, name in pairs}
        starts = {parameter: part.offset for parameter, part in parts.items()}
        return Launch(function, bases, {parameter: starts.get(parameter, 0) for parameter in plain}, parts, size)
