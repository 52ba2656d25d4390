"""Host code: binding, tracing on meta tensors, both launcher forms, code written for CUDA."""

from collections.abc import Sequence

import pytest
import torch
import triton
import triton.language as tl

from kernelwright.backend.interpreter.runtime import InterpreterRuntime
from kernelwright.backend.launch.binding import Autotune, BoundLaunch, Choose, JitNamespace, KernelHandle, LaunchError
from kernelwright.backend.launch.execute import (
    RecordingRuntime,
    bind,
    load_module,
    module_code,
    trace_launches,
)
from kernelwright.backend.reference.program import ReferenceProgram, describe
from kernelwright.ir.errors import UserError
from kernelwright.ir.values import Kernel, KernelModule, Launcher, Reference, StateSpec, TensorSpec

SOURCE = """
import torch
import torch.nn as nn

class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.gain = nn.Parameter(torch.randn(width))

    def forward(self, x, scale):
        return torch.relu(x) * self.gain * scale

def get_inputs():
    return [torch.randn(4, 8), 3]

def get_init_inputs():
    return [8]
"""

KERNEL = Kernel(
    "scaled_relu",
    """@triton.jit
def scaled_relu(x_ptr, gain_ptr, out_ptr, scale, n, width, XBLOCK: tl.constexpr):
    i = tl.program_id(0) * XBLOCK + tl.arange(0, XBLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    gain = tl.load(gain_ptr + i % width, mask=i < n)
    tl.store(out_ptr + i, tl.maximum(x, 0.0) * gain * scale, mask=i < n)""",
    (("XBLOCK", 16), ("num_warps", 2)),
)

FUNCTION = Launcher(
    """def blocks(n):
    return (triton.cdiv(n, scaled_relu_meta["XBLOCK"]),)


def forward(gain, x: "f32[4, 8]", scale):
    out = torch.empty_like(x)
    scaled_relu[blocks(x.numel())](x, gain, out, scale, n=x.numel(), width=WIDTH, **scaled_relu_meta)
    return out"""
)

CLASS = Launcher(
    """class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.gain = nn.Parameter(torch.randn(width))

    def forward(self, x, scale):
        assert x.is_cuda and x.device.type == "cuda"
        x = x.contiguous().to("cuda").cuda()
        out = torch.empty(x.shape, dtype=x.dtype, device="cuda")
        scaled_relu[(2,)](x, self.gain, out, scale, x.numel(), WIDTH, **scaled_relu_meta)
        return out""",
    "ModelNew",
    "class",
)


def module(launcher: Launcher = FUNCTION) -> KernelModule:
    program = ReferenceProgram.load(Reference(SOURCE, "Model", (), (), ()))
    seen = describe(program.build(0), program.inputs(1))
    reference = Reference(SOURCE, "Model", seen.inputs, seen.state, seen.outputs, seen.returns)
    return KernelModule("m", reference, (KERNEL,), launcher, constants=("WIDTH = 8",))


def test_code_holds_everything_in_order_and_compiles() -> None:
    code = module_code(module())
    parts = ("WIDTH = 8", "def scaled_relu(", "scaled_relu_meta = {'XBLOCK': 16", "def blocks(", "def forward(")
    assert [code.index(part) for part in parts] == sorted(code.index(part) for part in parts)
    compile(code, "module", "exec")


VAST = """
import torch
class Model(torch.nn.Module):
    def __init__(self, width, listed):
        super().__init__()
        self.first = torch.nn.Linear(width, width)
        self.there = self.first.weight.is_meta
        self.places = torch.arange(4).tolist() if listed else None
    def forward(self, x):
        return self.first(x)
def get_inputs():
    return [torch.randn(2, 4)]
def get_init_inputs():
    return [%s]
"""


@pytest.mark.parametrize(
    ("width", "listed", "there"),
    [(1 << 22, False, True), (1 << 13, True, False), (8, False, False)],
    ids=["vast", "values are read", "few, as a candidate's are drawn"],
)
def test_many_weights_are_drawn_on_the_device_where_that_works(width: int, listed: bool, there: bool) -> None:
    weight = StateSpec(TensorSpec.contiguous("weight", "f32", (width, width)), "first.weight")
    program = ReferenceProgram.load(Reference(VAST % f"{width}, {listed}", "Model", (), (weight,), ()))
    model = program.build_there(0, "meta")  # drawn by the host, the vast one would need 64 TiB
    assert {one.device.type for one in model.parameters()} == {"meta"} and model.there == there
    assert model.places == ([0, 1, 2, 3] if listed else None)


@pytest.mark.parametrize("launcher", [FUNCTION, CLASS], ids=["function", "class"])
def test_both_forms_give_what_the_reference_gives(launcher: Launcher) -> None:
    m = module(launcher)
    program = ReferenceProgram.load(m.reference)
    model, inputs = program.build(5), program.inputs(6)
    out = load_module(m, InterpreterRuntime())(inputs, program.state(model))
    torch.testing.assert_close(out[0], program.run(model, inputs)[0])


def test_class_form_without_state_is_seeded_like_the_reference() -> None:
    m = module(CLASS)
    program = ReferenceProgram.load(m.reference)
    inputs = program.inputs(6)
    out = load_module(m, InterpreterRuntime(), seed=9)(inputs, {})
    torch.testing.assert_close(out[0], program.run(program.build(9), inputs)[0])


@pytest.mark.parametrize("launcher", [FUNCTION, CLASS], ids=["function", "class"])
def test_trace_gives_each_launch_with_grid_arguments_and_options(launcher: Launcher) -> None:
    (launch,) = trace_launches(module(launcher))
    assert (launch.symbol, launch.grid) == ("scaled_relu", (2, 1, 1))
    args = dict(launch.args)
    assert list(args) == ["x_ptr", "gain_ptr", "out_ptr", "scale", "n", "width"]
    assert args["x_ptr"] == TensorSpec.contiguous("x_ptr", "f32", (4, 8))
    assert (args["scale"], args["n"], args["width"]) == (3, 32, 8)
    assert (launch.constexprs, launch.options) == ({"XBLOCK": 16}, {"num_warps": 2})
    assert launch.misaligned == frozenset()


def test_trace_names_misaligned_tensors_and_sees_extern_ops() -> None:
    host = """def forward(x, gain):
    product = torch.empty_strided((4, 4), (4, 1), device=x.device, dtype=x.dtype)
    aten.mm.out(x, x.t(), out=product)
    scaled_relu[(1,)](x[0, 1:], gain, product, 2.0, 7, 8, 16)
    return product"""
    (launch,) = trace_launches(module(Launcher(host)))
    assert launch.misaligned == {"x_ptr"}
    assert dict(launch.args)["out_ptr"].shape == (4, 4)
    assert launch.constexprs == {"XBLOCK": 16}


def test_trace_refuses_host_code_that_reads_values() -> None:
    with pytest.raises(UserError, match="depends on tensor values"):
        trace_launches(module(Launcher("def forward(x):\n    return x * x[0, 0].item()")))


def test_entry_may_ask_only_for_what_the_reference_has() -> None:
    m = module(Launcher("def forward(x, other):\n    return x"))
    with pytest.raises(UserError, match="'other' names no input or state"):
        trace_launches(m)
    with pytest.raises(UserError, match="takes 2 inputs, 1 given"):
        bind(m, [torch.ones(1)], {})
    with pytest.raises(UserError, match="defines no 'forward'"):
        load_module(module(Launcher("def backward(x):\n    return x")), RecordingRuntime())


def test_several_outputs_come_in_order_and_lists_too() -> None:
    m = module(Launcher("def forward(x, gain):\n    return [x, gain]"))
    program = ReferenceProgram.load(m.reference)
    state = program.state(program.build(0))
    x, gain = load_module(m, InterpreterRuntime())(program.inputs(1), state)
    assert (x.shape, gain.shape) == ((4, 8), (8,))


def handle(source: str, choose: Choose | None = None, **names: object) -> tuple[KernelHandle, list]:
    """A kernel made in a namespace that notes its launches."""
    seen: list = []
    namespace = JitNamespace(lambda _handle, bound: seen.append(bound), KernelHandle, choose)
    space = {"triton": namespace, "tl": tl, **names}
    exec(source, space)
    return space["k"], seen


PLAIN = "def k(x, n, B: tl.constexpr = 4, C: 'tl.constexpr' = 2):\n    pass\n"


def test_binding_takes_defaults_positions_and_keywords() -> None:
    k, seen = handle("@triton.jit\n" + PLAIN)
    k[(3,)](1, n=2)
    k[lambda meta: (meta["n"], meta["B"])](1, 2, 8, num_warps=1)
    assert [bound.grid for bound in seen] == [(3, 1, 1), (2, 8, 1)]
    assert seen[0].arguments == {"x": 1, "n": 2, "B": 4, "C": 2}
    assert seen[0].constexprs == {"B", "C"}
    assert seen[1].options == {"num_warps": 1}


def test_autotune_outside_heuristics_resolves_in_order() -> None:
    k, seen = handle(
        "@triton.autotune([triton.Config({'B': 16}, num_warps=8, num_stages=2)], key=['n'])\n"
        "@triton.heuristics({'C': lambda args: args['B'] * args['n']})\n"
        "@triton.jit(do_not_specialize=['n'])\n" + PLAIN
    )
    k[(1,)](0, 3)
    assert seen[0].arguments == {"x": 0, "n": 3, "B": 16, "C": 48}
    assert (seen[0].options["num_warps"], seen[0].options["num_stages"]) == (8, 2)
    with pytest.raises(LaunchError, match="'B' is set by both"):
        k[(1,)](0, 3, B=8)


def test_an_autotuned_launch_is_chosen_once_for_each_key() -> None:
    asked: list[list[BoundLaunch]] = []
    hooked: list[int] = []

    def choose(handle: KernelHandle, trials: Sequence[BoundLaunch], _tuned: Autotune) -> int:
        assert handle.__name__ == "k"
        asked.append(list(trials))
        return max(range(len(trials)), key=lambda number: trials[number].arguments["B"])

    configs = [triton.Config({"B": size}, pre_hook=lambda given: hooked.append(given["B"])) for size in (8, 0, 32, 16)]
    prune = {"early_config_prune": lambda configs, given: configs[: 4 if given["n"] else 1]}
    k, seen = handle(
        "@triton.autotune(configs, key=['n'], prune_configs_by=prune)\n"
        "@triton.heuristics({'C': lambda args: 2 * args['B']})\n"
        "@triton.jit\n" + PLAIN,
        choose,
        configs=configs,
        prune=prune,
    )
    for n in (64, 64, 128, 0):
        k[lambda meta: (meta["n"] // meta["B"] if meta["B"] else -1,)](torch.ones(1), n)
    assert [[(one.grid[0], one.arguments["C"]) for one in trials] for trials in asked] == [
        [(8, 16), (2, 64), (4, 32)],  # the second configuration has no grid
        [(16, 16), (4, 64), (8, 32)],
    ]
    assert [(one.arguments["B"], one.arguments["C"], one.grid[0]) for one in seen] == [
        (32, 64, 2), (32, 64, 2), (32, 64, 4), (8, 16, 0),
    ]  # fmt: skip
    assert hooked == [32, 32, 32, 8]  # trials run no hooks
    k[(1,)](torch.ones(1, dtype=torch.float16), 64)
    assert len(asked) == 3  # another dtype


@pytest.mark.parametrize(
    ("grid", "args", "kwargs", "message"),
    [
        ((1,), (1,), {}, "missing argument 'n'"),
        ((1,), (1, 2, 3, 4, 5), {}, "takes 4 arguments, 5 given"),
        ((1,), (1, 2), {"n": 3}, "'n' given twice"),
        ((1,), (1, 2), {"BLOCK": 3}, "'BLOCK' is neither a parameter"),
        ((1, 1, 1, 1), (1, 2), {}, "one to three sizes"),
        (4, (1, 2), {}, "one to three sizes"),
        ((-1,), (1, 2), {}, "outside CUDA's limits"),
    ],
)
def test_bad_launches_are_refused(grid, args, kwargs, message) -> None:
    k, _ = handle("@triton.jit\n" + PLAIN)
    with pytest.raises(LaunchError, match=message):
        k[grid](*args, **kwargs)
