"""A module from what was captured: readable names, launches with block sizes, one `forward`."""

import ast
import builtins
import keyword
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from kernelwright.backend.targets import Target
from kernelwright.frontend.inductor.bindings import Substitute, call_name
from kernelwright.frontend.inductor.blocks import Meta, choose_meta, grid_sizes, measured_metas
from kernelwright.frontend.inductor.capture import Captured
from kernelwright.frontend.inductor.host_text import HostProgram, HostWriter
from kernelwright.frontend.inductor.kernel_text import InductorKernel, PlainKernel, normalize
from kernelwright.frontend.inductor.library import device_functions, library
from kernelwright.ir.errors import LoweringError
from kernelwright.ir.trees import syntax_tree
from kernelwright.ir.values import Kernel, KernelModule, Launcher
from kernelwright.ir.verifier import extern_ops


class ModuleBuilder:
    """Puts a module together from what was captured; `choice` as in `lower-inductor`."""

    def __init__(self, module: KernelModule, captured: Captured, target: Target, choice: int = 0) -> None:
        self.module, self.captured, self.target, self.choice = module, captured, target, choice
        self._choices = 1
        self.program = HostProgram.read(captured.text)
        self.names = dict(zip(self.program.arguments, captured.inputs, strict=False))
        self.taken = {spec.name for spec in module.reference.tensors} | {"torch", "triton", "tl", "aten"}
        self.combines: dict[str, Kernel] = {}
        self.device_functions: set[str] = set()

    def build(self) -> KernelModule:
        """The module with kernels and launcher."""
        symbols = self._symbols()
        self._name_results()
        parameters = self._parameters()
        device = parameters[0] if parameters else None
        if device is None:
            raise LoweringError(f"@{self.module.name} reads no element of a tensor; there is nothing to lower")
        writer = HostWriter(self.program, self.names, self.taken, device)
        statements = self._constants(device) + writer.write()
        kernels = self._kernels(symbols, writer)
        kernels_by_name = {name: kernel for name, (kernel, _) in kernels.items()}
        body = self._place_launches(statements, writer, kernels)
        source = self._function(parameters, body)
        if self.choice > self._choices:
            raise LoweringError(
                f"choice={self.choice}: Inductor would measure at most {self._choices} configurations of a kernel of "
                f"@{self.module.name}"
            )
        used = device_functions(sorted(self.device_functions))
        made = replace(
            self.module,
            kernels=(*used, *self.combines.values(), *kernels_by_name.values()),
            launcher=Launcher(source),
        )
        if not kernels and not extern_ops(made):
            raise LoweringError(f"@{self.module.name} gives back views of its inputs; there is nothing to lower")
        return made

    def _symbols(self) -> dict[str, str]:
        """Inductor's kernel names -> readable ones: the fused operations, at most four."""
        symbols: dict[str, str] = {}
        counts: Counter[str] = Counter()
        for name, kernel in self.program.kernels.items():
            parts = [_short_name(cover) for cover in kernel.covers]
            stem = "_".join(list(dict.fromkeys(part for part in parts if part))[:4]) or "kernel"
            if not stem.isidentifier() or stem in self.taken or stem in library() or stem in _RESERVED:
                stem = f"{stem}_kernel" if stem.isidentifier() else f"kernel_{stem}"
            counts[stem] += 1
            symbols[name] = stem if counts[stem] == 1 else f"{stem}_{counts[stem] - 1}"
            self.taken.add(symbols[name])
        return symbols

    def _name_results(self) -> None:
        """Name the buffers that are returned as they are `out`, `out0`, …"""
        returned = self._returned()
        positions = [item for item in self.captured.outputs if isinstance(item, int)]
        for place, index in enumerate(dict.fromkeys(positions)):
            if not returned:
                raise LoweringError(f"@{self.module.name} gives back its inputs; there is nothing to lower")
            if index >= len(returned):
                raise LoweringError(f"Inductor returns {len(returned)} values, output {index} is not among them")
            value = returned[index]
            if isinstance(value, ast.Name) and value.id.startswith("buf") and value.id not in self.names:
                name = "out" if len(self.captured.outputs) == 1 else f"out{place}"
                if name not in self.taken:
                    self.names[value.id] = name
                    self.taken.add(name)

    def _returned(self) -> list[ast.expr]:
        for statement in self.program.statements:
            if isinstance(statement, ast.Return) and isinstance(statement.value, ast.Tuple):
                return list(statement.value.elts)
        return []

    def _parameters(self) -> list[str]:
        """The reference's tensors that the launcher reads, inputs first."""
        read = {
            node.id
            for statement in self.program.statements
            if not _bookkeeping(statement)
            for node in ast.walk(statement)
            if isinstance(node, ast.Name)
        }
        used = {self.names[name] for name in self.program.arguments if name in read}
        used |= {item for item in self.captured.outputs if isinstance(item, str)}
        return [spec.name for spec in self.module.reference.tensors if spec.name in used]

    def _constants(self, device: str) -> list[ast.stmt]:
        statements: list[ast.stmt] = []
        for name, tensor in self.captured.constants.items():
            if name not in self.captured.text:
                continue
            if tensor.numel() > 4096:
                raise LoweringError(
                    f"the program holds a constant tensor of {tensor.numel()} elements; register it as a buffer"
                )
            values = repr(tensor.tolist()).replace("inf", "float('inf')").replace("nan", "float('nan')")
            text = f"{name} = torch.tensor({values}, device={device}.device, dtype={tensor.dtype})"
            statements += syntax_tree(text).body
        return statements

    def _kernels(self, symbols: Mapping[str, str], writer: HostWriter) -> dict[str, tuple[Kernel, PlainKernel]]:
        first_launch: dict[str, list[ast.expr]] = {}
        times = Counter(name for name, _ in writer.launches)
        for name, arguments in writer.launches:
            first_launch.setdefault(name, arguments)
        built = {}
        for name, inductor in self.program.kernels.items():
            if name not in first_launch:
                continue
            names = self._pointer_names(inductor, first_launch[name]) if times[name] == 1 else {}
            names |= self._combine_names(inductor)
            _load_scalars(inductor, first_launch[name])
            plain = normalize(inductor, names)
            self.device_functions.update(plain.calls)
            plain.function.name = symbols[name]
            meta = self._meta(inductor, plain)
            built[name] = (Kernel(symbols[name], ast.unparse(plain.function), meta, inductor.covers), plain)
        return built

    def _meta(self, inductor: InductorKernel, plain: PlainKernel) -> Meta:
        if not self.choice:
            return choose_meta(inductor, plain.constexprs, self.target)
        every = measured_metas(inductor, plain.constexprs, self.target)
        self._choices = max(self._choices, len(every))
        return every[min(self.choice, len(every)) - 1]

    def _pointer_names(self, kernel: InductorKernel, arguments: list[ast.expr]) -> dict[str, str]:
        """Pointer parameters take the names of the tensors they are given."""
        names: dict[str, str] = {}
        for parameter, value in zip(kernel.function.args.args, arguments, strict=False):
            base = next((n.id for n in ast.walk(value) if isinstance(n, ast.Name) and n.id != "torch"), None)
            if base is None or "ptr" not in parameter.arg:
                continue
            fresh, number = f"{base}_ptr", 1
            while fresh in names.values():
                fresh, number = f"{base}_{number}_ptr", number + 1
            names[parameter.arg] = fresh
        return names

    def _combine_names(self, kernel: InductorKernel) -> dict[str, str]:
        """Register the kernel's combine functions under names of their own; equal ones share one."""
        names = {}
        for function in kernel.combines:
            inductor_name = function.name
            stem = re.sub(r"^_?triton_helper_fn_?|\d+$", "", inductor_name) or "values"
            plain = normalize(InductorKernel(inductor_name, function, (), "", {}, {}, {}, ()), {})
            self.device_functions.update(plain.calls)
            number = 0
            while True:
                plain.function.name = f"combine_{stem}" + (f"_{number}" if number else "")
                source = ast.unparse(plain.function)
                known = self.combines.get(plain.function.name)
                if known is None or known.source == source:
                    break
                number += 1
            self.combines[plain.function.name] = Kernel(plain.function.name, source)
            names[inductor_name] = plain.function.name
        return names

    def _place_launches(
        self,
        statements: list[ast.stmt],
        writer: HostWriter,
        kernels: Mapping[str, tuple[Kernel, PlainKernel]],
    ) -> list[ast.stmt]:
        body: list[ast.stmt] = []
        for statement in statements:
            text = ast.unparse(statement)
            match = re.fullmatch(r"LAUNCH_(\d+)", text)
            if match is None:
                body.append(statement)
                continue
            name, arguments = writer.launches[int(match[1])]
            kernel, plain = kernels[name]
            body += syntax_tree(_launch(self.program.kernels[name], kernel, plain, arguments)).body
        return body

    def _function(self, parameters: list[str], body: list[ast.stmt]) -> str:
        specs = {spec.name: spec for spec in self.module.reference.tensors}
        arguments = ", ".join(f'{name}: "{specs[name].annotation}"' for name in parameters)
        returned = next((s for s in reversed(body) if isinstance(s, ast.Return)), None)
        elements = list(returned.value.elts) if returned and isinstance(returned.value, ast.Tuple) else []
        results = [item if isinstance(item, str) else ast.unparse(elements[item]) for item in self.captured.outputs]
        value = results[0] if len(results) == 1 else f"({', '.join(results)})"
        kept = [statement for statement in body if statement is not returned]
        lines = [ast.unparse(ast.fix_missing_locations(statement)) for statement in kept]
        text = "\n".join([*lines, f"return {value}"])
        return f"def forward({arguments}):\n" + "\n".join(f"    {line}" for line in text.splitlines())


def _short_name(operation: str) -> str:
    """`aten._native_batch_norm_legit_functional` -> `batch_norm`."""
    name = operation.split(".", 1)[-1].strip("_").removeprefix("native_").removesuffix("_legit_functional")
    return re.sub(r"\W", "_", name)


def _load_scalars(kernel: InductorKernel, arguments: list[ast.expr]) -> None:
    """A one-element tensor that Inductor would read on the host (`x.item()`) is loaded by the kernel instead. Where the
    kernel writes it, Inductor means its address, although it spells it in the same way."""
    for index, (parameter, value) in enumerate(zip(kernel.function.args.args, arguments, strict=False)):
        if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr == "item":
            arguments[index] = value.func.value
            if not _writes(kernel.function, parameter.arg):
                read = Substitute({parameter.arg: ast.Name(f"scalar_{index}", ast.Load())})
                loading = syntax_tree(f"scalar_{index} = tl.load({parameter.arg})").body
                kernel.function.body[:] = [*loading, *map(read.visit, kernel.function.body)]


def _writes(function: ast.FunctionDef, name: str) -> bool:
    """Whether a function stores to an address made with a name."""
    stores = (node for node in ast.walk(function) if call_name(node) == "store" or call_name(node).startswith("atomic"))
    addresses = (node.args[0] for node in stores if isinstance(node, ast.Call) and node.args)
    return any(isinstance(part, ast.Name) and part.id == name for one in addresses for part in ast.walk(one))


def _bookkeeping(statement: ast.stmt) -> bool:
    """Whether a wrapper statement only unpacks, checks or deletes its arguments."""
    if isinstance(statement, ast.Delete):
        return True
    if isinstance(statement, ast.Assign) and ast.unparse(statement.value) == "args":
        return True
    return isinstance(statement, ast.Expr) and ast.unparse(statement.value).startswith(
        ("assert_size_stride", "assert_alignment", "args.clear")
    )


def _launch(inductor: InductorKernel, kernel: Kernel, plain: PlainKernel, arguments: list[ast.expr]) -> str:
    """The launch statement: run-time arguments by position, grid from the sizes, which may be arguments or not."""
    given = list(zip(plain.parameters, arguments, strict=False))
    passed = [ast.unparse(value) for name, value in given if name not in plain.sizes]
    numbers = {name: int(ast.unparse(one)) for name, one in given if ast.unparse(one).isdecimal()}
    grid = _grid(inductor, kernel, {**numbers, **plain.sizes})
    return f"{kernel.symbol}[({', '.join(grid)},)]({', '.join([*passed, f'**{kernel.meta_name}'])})"


#: Names that a kernel would hide.
_RESERVED = frozenset({*dir(builtins), *keyword.kwlist, "forward", "math", "nn"})

#: CUDA's limit on the y and z axes of a grid.
_MOST_Y = 65535


def _grid(inductor: InductorKernel, kernel: Kernel, sizes: Mapping[str, int]) -> list[str]:
    """One expression an axis; programs past CUDA's limit on y continue along z, as the kernel expects."""
    meta = dict(kernel.meta)
    programs = {}
    for axis, size in grid_sizes(sizes).items():
        block = f"{axis.upper()}BLOCK"
        programs[axis] = f'triton.cdiv({size}, {kernel.meta_name}["{block}"])' if block in meta else str(size)
    if "x" not in programs:
        raise LoweringError(f"@{kernel.symbol}: no rule for Inductor's grid {inductor.options.get('grid_type')}")
    if sizes.get("ynumel", 0) > _MOST_Y and "z" not in programs:
        y = programs["y"]
        programs |= {"y": f"min({y}, {_MOST_Y})", "z": f"triton.cdiv({y}, {_MOST_Y})"}
    return list(programs.values())
