"""Programs that Inductor lowers to other values than eager code has, or not at all: lowered here as eager has them."""

import builtins
import math
import threading
from collections.abc import Iterator
from typing import Any

import pytest
import torch
from torch.fx import Graph

from kernelwright.agent.evaluator import Rung
from kernelwright.evaluation.judge.local import LocalEvaluator
from kernelwright.frontend.algebra import outgrow_symbols
from kernelwright.frontend.importers import import_source
from kernelwright.frontend.lower_inductor import LowerInductor
from kernelwright.ir.passes import Context

aten = torch.ops.aten
PLANE = "torch.randn(2, 3, 3, 4)"
NEAREST = {
    "a side that keeps its size": ("F.interpolate(x, scale_factor=(1.3, 1.5), mode='nearest')", PLANE),
    "both sides keep theirs": ("F.interpolate(x, scale_factor=(1.2, 1.2), mode='nearest')", PLANE),
    "a side that is doubled by more than two": ("F.interpolate(x, scale_factor=(2.3, 1.5), mode='nearest')", PLANE),
    "a line": ("F.interpolate(x, scale_factor=1.2, mode='nearest')", "torch.randn(2, 3, 4)"),
    "a cube": ("F.interpolate(x, scale_factor=(1.3, 1.5, 2.4), mode='nearest')", "torch.randn(1, 2, 3, 4, 3)"),
    "sizes": ("F.interpolate(x, size=(5, 4), mode='nearest')", PLANE),
    "a smaller side": ("F.interpolate(x, scale_factor=(0.7, 1.3), mode='nearest')", PLANE),
    "exact": ("F.interpolate(x, scale_factor=(1.3, 1.5), mode='nearest-exact')", PLANE),
}
SQUARE = "torch.randn(16, 8)"
#: What is said on the way is no part of what is computed.
TELLING = {
    "a warning": ("(warnings.warn('large'), x * 2)[1]", SQUARE),
    "a warning of a kind": ("(warnings.warn('large', UserWarning, stacklevel=2), x * 2)[1]", SQUARE),
    "a print": ("(print('shape', x.shape), x * 2)[1]", SQUARE),
    "a logger": ("(log.warning('shape %s', x.shape), x * 2)[1]", SQUARE),
    "logging itself": ("(logging.info('x'), x * 2)[1]", SQUARE),
    "a warning by a library": ("F.instance_norm(x.reshape(4, 4, 8))", SQUARE),
    "one of a layer's": ("nn.InstanceNorm2d(8)(x)", "torch.randn(4, 6, 5, 5)"),
    "a loss whose sizes differ": ("F.mse_loss(x, x[:1] * 2)", SQUARE),
}
NUMBERS = {
    "numbers": "torch.randn(16, 64) * 1e3",
    "double": "torch.randn(16, 8, dtype=torch.float64)",
    "half": "torch.randn(16, 8).half()",
    "bfloat16": "torch.randn(16, 8).bfloat16()",
    "denormal": "torch.randn(16, 8) * 1e-41",
    "no numbers": "torch.tensor([0.0, -0.0, float('inf'), -float('inf'), 1.0, -0.5, 3e38, 2e-45])",
}
FREXP = {
    f"frexp of {name}, {part}": (f"torch.frexp(x).{part}", inputs)
    for name, inputs in NUMBERS.items()
    for part in ("mantissa", "exponent")
}
FEW = "torch.randint(0, 3, (9,))"
PLACES = {
    "times a large number": ("x + torch.arange(0, 9, dtype=torch.int64) * 1500000000", FEW),
    "plus a large number": ("x + (torch.arange(9) + (1 << 33)) // 3", FEW),
    "minus": ("x + (torch.arange(9) - 3000000000)", FEW),
    "two factors": ("x + torch.arange(9) * 70000 * 80000", FEW),
    "a square": ("x + torch.arange(70000) * torch.arange(70000)", "torch.randint(0, 3, (70000,))"),
    "a power": ("x + torch.arange(9) ** 12", FEW),
    "shifted": ("x + (torch.arange(9) << 40)", FEW),
    "from far out": ("x + torch.arange(1 << 40, (1 << 40) + 9)", FEW),
    "NaN as a bound": (
        "x + torch.maximum(torch.arange(6, dtype=torch.float32), torch.tensor(float('nan'))).nan_to_num(2.0)",
        "torch.randn(6)",
    ),
    "NaN as a clamp": ("x + torch.arange(6).float().clamp(max=float('nan')).nan_to_num(1.0)", "torch.randn(6)"),
    "infinity as a bound": ("x + torch.arange(6).float().clamp(max=float('inf'))", "torch.randn(6)"),
}


@pytest.fixture(scope="module")
def evaluator() -> Iterator[LocalEvaluator]:
    with LocalEvaluator(seeds=1, memory_gb=4, use_gpu=False) as evaluator:
        yield evaluator


def source(forward: str, inputs: str) -> str:
    return (
        "import logging\nimport warnings\n\nimport torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n\n"
        "log = logging.getLogger('program')\n\n\nclass Model(torch.nn.Module):\n    def forward(self, x):\n"
        f"        return {forward}\n\n\ndef get_inputs():\n    return [{inputs}]\n"
    )


@pytest.mark.parametrize("name", [*NEAREST, *PLACES, *TELLING, *FREXP])
def test_what_is_lowered_gives_what_eager_code_gives(name: str, evaluator: LocalEvaluator) -> None:
    module = import_source(source(*{**NEAREST, **PLACES, **TELLING, **FREXP}[name]), "program", shrink="never")
    lowered = LowerInductor().run(module, Context("interpreter", evaluator))
    verdict = evaluator.evaluate(lowered, (Rung.PARSE, Rung.INTERPRET))
    assert verdict.ok, verdict


def test_a_print_that_a_library_has_put_in_its_place_is_left_out(
    evaluator: LocalEvaluator, monkeypatch: pytest.MonkeyPatch
) -> None:
    said, lock = print, threading.Lock()

    def careful(*words: object) -> None:
        with lock:  # which Dynamo does not follow
            said(*words)

    monkeypatch.setattr(builtins, "print", careful)
    test_what_is_lowered_gives_what_eager_code_gives("a print", evaluator)


@pytest.mark.parametrize(
    ("operation", "number", "places", "outgrows"),
    [
        (aten.add.Tensor, 5, True, False),
        (aten.mul.Tensor, 1000, True, False),
        (aten.mul.Tensor, 1 << 29, True, True),
        (aten.mul.Tensor, 1 << 40, False, False),  # nothing is a symbol
        (aten.clamp.default, math.inf, True, True),
        (aten.clamp.default, 3.5, True, False),
        (aten.pow.Tensor_Scalar, 2, True, False),
        (aten.pow.Tensor_Scalar, 10, True, True),
    ],
)
def test_symbols_are_kept_where_they_do_no_harm(operation: Any, number: float, places: bool, outgrows: bool) -> None:
    graph = Graph()
    first = graph.placeholder("x")
    if places:
        first = graph.call_function(torch.ops.prims.iota.default, (9,), {"start": 0, "step": 1})
    graph.output(graph.call_function(operation, (first, number)))
    for node in graph.nodes:
        node.meta["val"] = torch.zeros(9, dtype=torch.int64)
    assert outgrow_symbols(graph) is outgrows
