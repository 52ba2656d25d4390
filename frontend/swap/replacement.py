"""A verified module as what runs in the place of Inductor's kernel, behind the same call.

A module that is one launch on inputs and outputs becomes a kernel in Inductor's own form. Any other becomes host code
that writes to the buffers that it is given.
"""

import ast
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeGuard

from kernelwright.backend.launch.execute import Launch, module_code, trace_launches
from kernelwright.frontend.inductor.bindings import Rename
from kernelwright.frontend.swap.key import KernelText, changed, read
from kernelwright.frontend.swap.meaning import Layout
from kernelwright.frontend.swap.recorded import Recorded
from kernelwright.ir.errors import LoweringError
from kernelwright.ir.values import KernelModule, TensorSpec

#: The function that host code defines: it is given buffers, which it reads and writes, and returns nothing.
ENTRY = "forward_into"


@dataclass(frozen=True)
class Replacement:
    """The text that runs. `kernel`: a text for `async_compile.triton`. `host`: a module's code with the function
    `forward_into`, which is given those of the kernel's arguments whose positions are in `order`."""

    form: Literal["kernel", "host"]
    text: str
    order: tuple[int, ...] = ()


def replacement(recorded: Recorded, module: KernelModule) -> Replacement:
    """Raises LoweringError for a module that writes other layouts than Inductor's buffers have, or that host code
    cannot be told to write into given buffers."""
    _check_layouts(recorded, module)
    kernel = read(recorded.source)
    launches = trace_launches(module)
    if len(launches) == 1 and (text := _kernel_form(recorded, module, kernel, launches[0])) is not None:
        return Replacement("kernel", text)
    return _host_form(recorded, module, kernel)


def is_one_launch(module: KernelModule) -> bool:
    """Whether a module does nothing but make its results' buffers and launch one kernel."""
    return _only_launch(module) is not None


def _check_layouts(recorded: Recorded, module: KernelModule) -> None:
    """What Inductor's other kernels read must lie where they read it."""
    for spec, name in zip(module.reference.outputs, recorded.outputs, strict=True):
        layout = recorded.layouts[name]
        steps = zip(spec.strides, layout.strides, layout.shape, strict=True)
        if spec.shape != layout.shape or any(ours != theirs for ours, theirs, size in steps if size != 1):
            raise LoweringError(f"{recorded.name}: a result lies as {spec.strides}, Inductor's as {layout.strides}")


@dataclass(frozen=True)
class _Host:
    """Host code: its function, the names of its inputs and of the buffers that it returns."""

    function: ast.FunctionDef
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]

    @classmethod
    def of(cls, module: KernelModule) -> "_Host | None":
        """None where results are no buffers of their own."""
        if module.launcher is None or module.launcher.form != "function":
            return None
        function = ast.parse(module.launcher.source).body[-1]
        assert isinstance(function, ast.FunctionDef)
        last = function.body[-1]
        if not isinstance(last, ast.Return) or last.value is None:
            return None
        returned = last.value.elts if isinstance(last.value, ast.Tuple) else [last.value]
        names = tuple(_buffer(one, function) for one in returned)
        if "" in names or len(set(names)) < len(names):
            return None
        return cls(function, tuple(one.arg for one in function.args.args), names)

    def allocates(self, statement: ast.stmt) -> bool:
        """Whether a statement makes one of the buffers that are returned."""
        return (
            isinstance(statement, ast.Assign)
            and ast.unparse(statement.targets[0]) in self.outputs
            and ast.unparse(statement.value).startswith("torch.empty")
        )


def _only_launch(module: KernelModule) -> tuple[_Host, ast.Call] | None:
    """Host code, and the launch that is all it does but for making its results' buffers; None where it does more."""
    host = _Host.of(module)
    if host is None or module.constants:
        return None
    rest = [one for one in host.function.body[:-1] if not host.allocates(one) and not isinstance(one, ast.Delete)]
    call = rest[0].value if len(rest) == 1 and isinstance(rest[0], ast.Expr) else None
    return (host, call) if isinstance(call, ast.Call) else None


def _buffer(returned: ast.expr, function: ast.FunctionDef) -> str:
    """The buffer that an expression is, or whose whole memory it is another view of; else ""."""
    if isinstance(returned, ast.Name):
        return returned.id
    if (
        not isinstance(returned, ast.Call)
        or ast.unparse(returned.func) != "torch.as_strided"
        or len(returned.args) != 3
    ):
        return ""
    name = ast.unparse(returned.args[0])
    made = [one.value.args[:2] for one in function.body if _allocated(one, name) and isinstance(one.value, ast.Call)]
    try:
        extents = {_extent(*map(ast.literal_eval, layout)) for layout in (returned.args[1:], *made)}
    except ValueError:  # computed
        return ""
    return name if made and len(extents) == 1 else ""


def _allocated(statement: ast.stmt, name: str) -> TypeGuard[ast.Assign]:
    if not isinstance(statement, ast.Assign) or ast.unparse(statement.targets[0]) != name:
        return False
    return isinstance(statement.value, ast.Call) and ast.unparse(statement.value.func) == "torch.empty_strided"


def _extent(shape: tuple[int, ...], strides: tuple[int, ...]) -> tuple[int, int]:
    """How many elements there are, and over how many places in memory they reach."""
    return math.prod(shape), 1 + sum((size - 1) * step for size, step in zip(shape, strides, strict=True))


def _parameters(recorded: Recorded, module: KernelModule, host: _Host) -> dict[str, str]:
    """Names of host code -> parameters of Inductor's kernel."""
    takes = {one.read: one.parameter for one in recorded.arguments if one.read}
    gives = {one.written: one.parameter for one in recorded.arguments if one.written}
    specs = [spec.name for spec in module.reference.inputs]
    named = {spec: takes[name] for spec, name in zip(specs, recorded.inputs, strict=True)}
    return named | {name: gives[one] for name, one in zip(host.outputs, recorded.outputs, strict=True)}


def _memory(recorded: Recorded, kernel: KernelText) -> dict[str, str]:
    """By parameter, a name of the memory behind it. A buffer that is changed may be given twice, to read and to write;
    Inductor's text tells which parameters are such ones, and one to read may be any to write that lies alike."""
    found = {one.parameter: one.parameter for one in recorded.arguments}
    apart = [one for one in recorded.arguments if one.parameter in kernel.mutated and not (one.read and one.written)]
    read = {_places(recorded.layouts[one.read]) for one in apart if one.read}
    for one in apart:
        (places,) = {_places(recorded.layouts[name]) for name in one.versions}
        if places in read:
            found[one.parameter] = places
    return found


def _places(layout: Layout) -> str:
    """Equal for layouts whose elements lie at the same places: steps of axes with one element do not count."""
    steps = [step if size != 1 else 0 for size, step in zip(layout.shape, layout.strides, strict=True)]
    return f"{layout.shape}@{steps} of {layout.dtype}"


def _kernel_form(recorded: Recorded, module: KernelModule, kernel: KernelText, launch: Launch) -> str | None:
    """The text; None for a module that does more than one launch on inputs and outputs."""
    if (only := _only_launch(module)) is None:
        return None
    host, call = only
    given = {name: ast.unparse(one) for (name, _), one in zip(launch.args, call.args, strict=False)}
    places, names, numbers = _parameters(recorded, module, host), dict[str, str](), dict[str, object]()
    for name, value in launch.args:
        if name in recorded.numbers and recorded.numbers[name] == value:
            names[name] = name  # it is given at each launch
        elif not isinstance(value, TensorSpec):
            numbers[name] = value
        elif given.get(name) in places:
            names[name] = places[given[name]]
        else:
            return None
    ours = next(one for one in module.kernels if one.symbol == launch.symbol)
    function = ast.parse(ours.source).body[-1]
    assert isinstance(function, ast.FunctionDef)
    memory = _memory(recorded, kernel)
    if not _in_place(function, {name: memory[place] for name, place in names.items() if place in memory}):
        return None
    kept = [one for one in kernel.function.args.args if one.arg in kernel.parameters]
    taken = {one.arg for one in kept}
    local = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)} - names.keys() - numbers.keys()
    names |= {name: f"{name}_here" for name in local & taken}
    body = [Rename(names).visit(statement) for statement in function.body]
    body[:0] = [ast.parse(f"{name} = {value!r}").body[0] for name, value in numbers.items()]
    made = ast.FunctionDef(kernel.function.name, _arguments(kept, launch.constexprs), body, [], lineno=1)
    helpers = [one.source for one in module.kernels if one.symbol != launch.symbol]
    grid = _grid(launch, {name: recorded.numbers[name] for name in names.values() if name in recorded.numbers})
    return _text(kernel, launch, grid, ast.unparse(ast.fix_missing_locations(made)), helpers, module.digest)


def _grid(launch: Launch, numbers: Mapping[str, int]) -> list[str]:
    """The grid, of numbers that are given at each launch where it is one block of an axis for each program."""
    found = []
    for axis, count in zip("xyz", launch.grid, strict=False):
        size, block = numbers.get(f"{axis}numel"), launch.constexprs.get(f"{axis.upper()}BLOCK", 1)
        by_block = size is not None and isinstance(block, int) and count == -(-size // block)
        found.append(f"-(-{axis}numel // {block})" if by_block else str(count))
    return found


def _arguments(kept: Sequence[ast.arg], constexprs: Mapping[str, object]) -> ast.arguments:
    constant = ast.parse("tl.constexpr", mode="eval").body
    parameters = [*(ast.arg(one.arg) for one in kept), *(ast.arg(name, constant) for name in constexprs)]
    return ast.arguments(posonlyargs=[], args=parameters, kwonlyargs=[], kw_defaults=[], defaults=[])


def _in_place(function: ast.FunctionDef, names: Mapping[str, str]) -> bool:
    """Whether each program reads of a buffer that it shares with a result just what it overwrites, and reads it before:
    one load and one store at the same places, in this order, outside of loops, with no place computed anew between.
    `names` has the memory behind each pointer."""
    shared = {name for name in names.values() if list(names.values()).count(name) > 1}
    if not shared:
        return True
    if any(isinstance(node, ast.For | ast.While | ast.If) for node in ast.walk(function)):
        return False
    assigned = [ast.unparse(one) for node in ast.walk(function) if isinstance(node, ast.Assign) for one in node.targets]
    if len(assigned) > len(set(assigned)):
        return False
    for buffer in shared:
        found = []
        for statement in function.body:
            calls = [node for node in ast.walk(statement) if isinstance(node, ast.Call)]
            for call in calls:
                pointers = {node.id for one in call.args[:1] for node in ast.walk(one) if isinstance(node, ast.Name)}
                if ast.unparse(call.func).startswith("tl.") and any(names.get(one) == buffer for one in pointers):
                    found.append((ast.unparse(call.func), *_place(call, names)))
        if [one[0] for one in found] != ["tl.load", "tl.store"] or found[0][1:] != found[1][1:]:
            return False
        mentions = [node for node in ast.walk(function) if isinstance(node, ast.Name) and names.get(node.id) == buffer]
        if len(mentions) != 2:
            return False
    return True


def _place(call: ast.Call, names: Mapping[str, str]) -> tuple[str, str]:
    """Where a load or a store is, and its mask."""
    pointer = ast.unparse(Rename(names).visit(ast.parse(ast.unparse(call.args[0]))))
    after = call.args[1:] if ast.unparse(call.func) == "tl.load" else call.args[2:]
    masks = [*after[:1], *(one.value for one in call.keywords if one.arg == "mask")]
    return pointer, ast.unparse(masks[0]) if masks else ""


def _text(
    kernel: KernelText, launch: Launch, on: Sequence[str], function: str, helpers: Sequence[str], digest: str
) -> str:
    signature = {name: kernel.signature[name] for name in kernel.parameters}
    signature |= dict.fromkeys(launch.constexprs, "constexpr")
    options = {"num_warps": launch.options.get("num_warps", 4), "num_stages": launch.options.get("num_stages", 1)}
    grid = {"grid_type": "FixedGrid", "fixed_grid": list(on), "kernelwright": digest}
    header = kernel.source[: kernel.source.index("@triton_heuristics")].rstrip()
    parts = [
        header,
        *helpers,
        "@triton_heuristics.fixed_config(\n"
        f"    config={dict(launch.constexprs) | options!r},\n"
        "    filename=__file__,\n"
        f"    triton_meta={changed(kernel.meta('triton_meta'), signature=signature)},\n"
        f"    inductor_meta={changed(kernel.meta('inductor_meta'), **grid)},\n"
        ")\n@triton.jit\n" + function,
    ]
    return "\n\n".join(parts) + "\n"


def _host_form(recorded: Recorded, module: KernelModule, kernel: KernelText) -> Replacement:
    host = _Host.of(module)
    if host is None or sum(map(host.allocates, host.function.body)) != len(host.outputs):
        raise LoweringError(f"{recorded.name}: a result of the replacement is no buffer of its own")
    assert module.launcher is not None
    places = _parameters(recorded, module, host)
    # Results may lie where an input does, which must not change while it is read.
    memory = _memory(recorded, kernel)
    changed = {memory[places[one]] for one in host.outputs}
    both = [name for name in host.inputs if memory[places[name]] in changed]
    views = [_as_made(one) for one in host.function.body if host.allocates(one)]
    copies = [ast.parse(f"{name} = {name}.clone()").body[0] for name in both]
    body = [one for one in host.function.body[:-1] if not host.allocates(one)]
    body = [one for one in body if not (isinstance(one, ast.Delete) and _names(one) & set(host.outputs))]
    names = (*host.inputs, *host.outputs)
    arguments = ast.arguments(
        posonlyargs=[], args=[ast.arg(name) for name in names], kwonlyargs=[], kw_defaults=[], defaults=[]
    )
    made = ast.FunctionDef(ENTRY, arguments, [*copies, *filter(None, views), *body], [], lineno=1)
    code, before = module_code(module), module.launcher.source.rstrip("\n")
    text = code[: code.rindex(before)] + ast.unparse(ast.fix_missing_locations(made)) + "\n"
    return Replacement("host", text, tuple(kernel.parameters.index(places[name]) for name in names))


def _as_made(statement: ast.stmt) -> ast.stmt | None:
    """A given buffer in the layout in which host code would have made it."""
    assert isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Call)
    name, call = ast.unparse(statement.targets[0]), statement.value
    if ast.unparse(call.func) != "torch.empty_strided":
        return None
    layout = ", ".join(map(ast.unparse, call.args[:2]))
    return ast.parse(f"{name} = torch.as_strided({name}, {layout})").body[0]


def _names(node: ast.AST) -> set[str]:
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
