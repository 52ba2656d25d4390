"""Text for use elsewhere: one file that needs only torch and triton, and KernelBench's `ModelNew` form."""

import ast

from kernelwright.ir.errors import DialectError, UserError
from kernelwright.ir.host.structure import PLAIN, filled
from kernelwright.ir.parser import parse_module
from kernelwright.ir.printer import import_lines, print_kernel, source_literal
from kernelwright.ir.values import KernelModule, ScalarSpec

_MAIN = '''
def main() -> None:
    """Run once with the reference's own inputs and weights and compare with eager PyTorch."""
    if not torch.cuda.is_available() and os.environ.get("TRITON_INTERPRET") != "1":
        print("no GPU here: set TRITON_INTERPRET=1 to run the kernels in Triton's interpreter")
        return
    device = "cuda" if torch.cuda.is_available() else "cpu"
    space = {"__name__": "reference"}
    exec(REFERENCE, space)
    torch.manual_seed(0)
    arguments = space.get("get_init_inputs", list)()
    torch.manual_seed(0)
    model = space[ENTRY](*arguments).to(device)
    torch.manual_seed(0)
    inputs = [value.to(device) if torch.is_tensor(value) else value for value in space["get_inputs"]()]
    with torch.no_grad():
        expected = copy.deepcopy(model)(*[value.clone() if torch.is_tensor(value) else value for value in inputs])
        results = call(model, inputs)
    pairs = zip(tensors_in(results), tensors_in(expected), strict=True)
    for index, (result, wanted) in enumerate(pairs):
        error = (result.double() - wanted.double()).abs().max().item() if result.numel() else 0.0
        print(f"output {index}: {tuple(result.shape)} {result.dtype}, largest difference from eager {error:.3g}")


def tensors_in(value):
    if isinstance(value, dict):
        value = tuple(value.values())
    if isinstance(value, (tuple, list)):
        return [tensor for one in value for tensor in tensors_in(one)]
    return [value] if isinstance(value, torch.Tensor) else []


if __name__ == "__main__":
    main()
'''


def emit_standalone(module: KernelModule) -> str:
    """One file that needs only torch and triton; run as a program it compares itself with eager PyTorch."""
    _require_kernels(module)
    assert module.launcher is not None
    if module.launcher.form == "class":
        raise UserError(f"@{module.name} is already a standalone file in KernelBench's form; emit kernelbench")
    values = ", ".join(f"{name}={value}" for name, value in _arguments(module, "inputs[{}]", "model").items())
    parts = [
        _docstring(module, "Call `forward` with the tensors it names; they must have exactly the types written there."),
        "import copy\nimport os\n\nimport torch\nimport triton\nimport triton.language as tl\n\naten = torch.ops.aten",
        *code_parts(module),
        f"ENTRY = {module.reference.entry!r}\nREFERENCE = {source_literal(module.reference.source)}",
        f"def call(model, inputs):\n    return {module.launcher.entry}({values})",
        _MAIN.strip("\n"),
    ]
    return "\n\n\n".join(parts) + "\n"


def emit_kernelbench(module: KernelModule) -> str:
    """A `ModelNew` file in KernelBench's format; the same seed gives it the reference's weights."""
    _require_kernels(module)
    assert module.launcher is not None
    if module.launcher.form == "class":
        return "\n\n\n".join([_docstring(module, ""), _imports(module), *code_parts(module)]) + "\n"
    copied = _copied_init(module)
    if copied:
        text = _model_new(module, copied, "self")
        try:
            parse_module(text, reference=module.reference)
            return text
        except DialectError:
            pass  # an __init__ that does more than hold weights: keep the whole class for them
    whole = "def __init__(self, *arguments):\n    super().__init__()\n    self.reference = "
    return _model_new(module, f"{whole}{module.reference.entry}(*arguments)", "self.reference", module.reference.source)


def _require_kernels(module: KernelModule) -> None:
    if module.launcher is None:
        raise UserError(f"@{module.name} has no kernels to emit; run a lowering first")


def _imports(module: KernelModule) -> str:
    return "\n".join([*import_lines(module, as_class=True), "", "aten = torch.ops.aten"])


def _docstring(module: KernelModule, usage: str) -> str:
    verdicts = [record.verdict for record in module.provenance if record.verdict]
    passes = " -> ".join(record.pass_spec for record in module.provenance) or "written by hand"
    lines = [
        f"{module.name}: Triton kernels made by Kernelwright.",
        "",
        f"Passes: {passes}",
        f"Verdict: {verdicts[-1] if verdicts else 'not verified'}",
        f"Fitted to: {module.target or 'no target'}; digest {module.digest[:12]}",
    ]
    if module.reference.shrunken:
        lines.append("The problem's sizes were shrunken; the kernels are right for the sizes written here only.")
    text = "\n".join([*lines, *([usage] if usage else [])])
    return '"""' + text.replace("\\", "\\\\").replace('"""', "'''") + '\n"""'


def code_parts(module: KernelModule) -> list[str]:
    """The constants, kernels and host code of a module, as texts that stand below one another."""
    assert module.launcher is not None
    return [*module.constants, *(print_kernel(kernel) for kernel in module.kernels), module.launcher.source]


def _arguments(module: KernelModule, inputs: str, model: str) -> dict[str, str]:
    """What each parameter of the entry is given: an input by position, or a tensor that the model holds."""
    assert module.launcher is not None
    tree = ast.parse(module.launcher.source)
    entry = next(node for node in tree.body if getattr(node, "name", "") == module.launcher.entry)
    assert isinstance(entry, ast.FunctionDef)
    places = {spec.name: inputs.format(index) for index, spec in enumerate(module.reference.inputs)}
    places |= {spec.tensor.name: held_tensor(model, spec.path) for spec in module.reference.state}
    return {argument.arg: places[argument.arg] for argument in entry.args.args}


def held_tensor(model: str, path: str) -> str:
    """An expression for the tensor at a dotted path; names that are numbers index their container."""
    text = model
    for part in path.split("."):
        text += f"[{part}]" if part.isdigit() else f".{part}"
    return text


def _copied_init(module: KernelModule) -> str:
    """The reference's own `__init__`, which builds the same weights in the same order; "" if it has none."""
    tree = ast.parse(module.reference.source)
    entry = next((n for n in tree.body if isinstance(n, ast.ClassDef) and n.name == module.reference.entry), None)
    init = next((n for n in entry.body if getattr(n, "name", "") == "__init__"), None) if entry else None
    if init is None:
        return "def __init__(self):\n    super().__init__()"
    text = ast.unparse(init)
    return text.replace(f"super({module.reference.entry}, self)", "super()")


def _returned(module: KernelModule, call: str) -> list[str]:
    """The statements that return of a launcher's call what the reference's forward gives."""
    returns, count = module.reference.returns, len(module.reference.outputs)
    if count == 1:
        return [f"return {filled(returns, [call])}"]
    if returns in PLAIN:
        return [f"return list({call})" if returns == "list" else f"return {call}"]
    outputs = [f"out{number}" for number in range(count)]
    return [f"{', '.join(outputs)} = {call}", f"return {filled(returns, outputs)}"]


def _model_new(module: KernelModule, init: str, holder: str, reference: str = "") -> str:
    assert module.launcher is not None
    names = [spec.name for spec in module.reference.inputs]
    values = {name: f"{name}={value}" for name, value in _arguments(module, "{}", holder).items()}
    for spec in module.reference.inputs:
        if spec.name in values:
            values[spec.name] = f"{spec.name}={spec.name}"
    call = f"{module.launcher.entry}({', '.join(values.values())})"
    fixed = [spec for spec in module.reference.inputs if isinstance(spec, ScalarSpec)]
    checks = [f"        assert {spec.name} == {spec.value!r}, 'compiled for this value only'" for spec in fixed]
    methods = "\n".join(f"    {line}" for line in init.splitlines())
    forward = "\n".join(
        [
            f"    def forward(self, {', '.join(names)}):",
            *checks,
            *(f"        {line}" for line in _returned(module, call)),
        ]
    )
    model = f"class ModelNew(nn.Module):\n{methods}\n\n{forward}"
    usage = "ModelNew takes the reference's init arguments and inputs."
    future, reference = _future_apart(reference)
    parts = [
        _docstring(module, usage),
        "\n".join([*future, _imports(module)]),
        *([reference.strip()] if reference else []),
        *code_parts(module),
        model,
    ]
    return "\n\n\n".join(parts) + "\n"


def _future_apart(source: str) -> tuple[list[str], str]:
    """A file's imports from `__future__`, which have to stand first wherever it is put, and what is left."""
    found = [n for n in ast.parse(source).body if isinstance(n, ast.ImportFrom) and n.module == "__future__"]
    lines = source.split("\n")
    for node in reversed(found):
        lines[node.lineno - 1 : node.end_lineno] = []
    return [ast.unparse(node) for node in found], "\n".join(lines)
