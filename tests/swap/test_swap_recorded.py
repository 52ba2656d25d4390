"""Kernels of a compile are recorded with what they compute, judged, and replaced, on the bed without a GPU."""

import operator
from pathlib import Path
from typing import Any

import bed
import pytest
import torch
from torch.fx import Graph

from kernelwright.frontend.swap.meaning import Layout, Meaning
from kernelwright.frontend.swap.part import ApartError, between


def recorded() -> dict[str, Any]:
    """The kernels of some graphs, with their references' operations and inputs' layouts."""
    from contextlib import contextmanager

    import torch
    from torch._inductor.compile_fx import compile_fx, compile_fx_inner

    from kernelwright.frontend.swap.hooks import observing
    from kernelwright.frontend.swap.launches import launching
    from kernelwright.frontend.swap.recorded import Recorder

    torch._inductor.config.fx_graph_cache = False
    torch._functorch.config.enable_autograd_cache = False

    def kernels(
        program: Any, *inputs: Any, backward: bool = False, dynamic: bool = False, then: Any = None
    ) -> list[dict[str, Any]]:
        found = []

        def inner(graph: Any, arguments: Any, **options: Any) -> Any:
            recorder = Recorder()
            with observing(recorder.see):
                compiled = compile_fx_inner(graph, arguments, **options)
            found.extend(recorder.recorded())
            return compiled

        torch._dynamo.reset()
        compiled = torch.compile(
            program, backend=lambda graph, given: compile_fx(graph, given, inner_compile=inner), dynamic=dynamic
        )
        launched: dict[str, tuple[list[Any], list[Any]]] = {}
        numbers: dict[str, set[int]] = {}

        @contextmanager
        def around(name: str, arguments: Any) -> Any:
            tensors = [one for one in arguments if isinstance(one, torch.Tensor)]
            before = [_memory(one) for one in tensors]
            yield
            launched[name] = before, [_memory(one) for one in tensors]
            numbers[name] = {one for one in arguments if isinstance(one, int)}

        with launching(around):
            result = compiled(*inputs)
            if backward:
                result.sum().backward()
            first = dict(launched)
            if then is not None:
                compiled(then)

        def off_then(kernel: Any) -> list[float]:
            others = [one for one in kernel.elsewhere() if {*one.numbers.values()} <= numbers[kernel.name]]
            return [_off(one, *launched[kernel.name]) for one in others]

        return [
            {
                "off": _off(one, *first[one.name]) if one.graph and not one.parts and not one.numbers else 0.0,
                "off then": off_then(one) if then is not None else [],
                "why_not": one.why_not,
                "parts": len(one.parts),
                "operations": [str(n.target) for n in one.graph.graph.nodes if n.op == "call_function"]
                if one.graph
                else [],
                "layouts": {name: [list(layout.shape), list(layout.strides)] for name, layout in one.layouts.items()},
                "arguments": [[a.parameter, bool(a.read), bool(a.written)] for a in one.arguments],
                "numbers": dict(one.numbers),
                "elsewhere": [[dict(other.numbers), *map(_shape, other.layouts.values())] for other in one.elsewhere()],
            }
            for one in found
        ]

    def _shape(layout: Any) -> list[int]:
        return list(layout.shape)

    def _memory(tensor: Any) -> Any:
        size = tensor.untyped_storage().nbytes() // tensor.itemsize - tensor.storage_offset()
        return tensor.as_strided((size,), (1,)).clone()

    def _off(kernel: Any, before: Any, after: Any) -> float:
        """By how much the graph gives other values than the kernel gave, in units of rounding of the largest."""
        given = {a.read: value for a, value in zip(kernel.arguments, before, strict=True) if a.read}
        gave = {a.written: value for a, value in zip(kernel.arguments, after, strict=True) if a.written}

        def held(name: str, value: Any) -> Any:
            layout = kernel.layouts[name]
            return value.as_strided(layout.shape, layout.strides)

        found = kernel.graph(*(held(name, given[name]) for name in kernel.inputs))
        pairs = zip(found, (held(name, gave[name]) for name in kernel.outputs), strict=True)
        return max(
            float((one.double() - own.double()).abs().max() / own.double().abs().max().clamp(1))
            / torch.finfo(own.dtype).eps
            for one, own in pairs
        )

    def halves(x: Any, w: Any) -> Any:
        first, second = x.chunk(2, -1)
        return torch.cat([-second, first], -1) @ w

    def counted(x: Any, count: Any) -> Any:
        count.add_(1.0)
        return x * count

    def norm(x: Any) -> Any:
        return torch.nn.functional.layer_norm(x.permute(0, 2, 3, 1), (48,)).permute(0, 3, 1, 2).contiguous()

    def norm_of_all(x: Any, correction: float = 1.0) -> Any:
        variance, mean = torch.var_mean(x, (1, 2), correction=correction, keepdim=True)
        return ((x - mean) * (variance + 1e-5).rsqrt()).transpose(1, 2).contiguous()

    layer = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.LayerNorm(32))
    return {
        "cat": kernels(halves, torch.randn(5, 16), torch.randn(16, 4)),
        "changed": kernels(counted, torch.randn(5, 16), torch.randn(16)),
        "layer": kernels(layer, torch.randn(5, 16), backward=True),
        "random": kernels(lambda x: torch.nn.functional.dropout(x, 0.5), torch.randn(5, 16)),
        "symbolic": kernels(lambda x: x.exp(), torch.randn(5, 16), dynamic=True),
        "norm of channels": kernels(norm, torch.randn(5, 48, 9, 9), dynamic=True, then=torch.randn(16, 48, 17, 17)),
        "norm of all": kernels(norm_of_all, torch.randn(5, 9, 9), dynamic=True, then=torch.randn(16, 17, 17)),
        "half a correction": kernels(lambda x: norm_of_all(x, 0.5), torch.randn(5, 3, 3)),
        "split": kernels(lambda x: x.exp().sum(), torch.randn(1 << 16)),
        "columns": kernels(lambda x: x.exp().sum(0), torch.randn(2317, 96)),
        "columns of a mean": kernels(lambda x: x.exp().mean((0, 1)).log(), torch.randn(7, 331, 96).bfloat16()),
        "groups": kernels(
            lambda x, w: torch.nn.functional.silu(torch.nn.functional.group_norm(x, 2, w, w)),
            torch.randn(1, 16, 96, 64) + 3,
            torch.randn(16),
        ),
        "split, beside a result that is None": kernels(
            lambda x, w: x * w, torch.randn(1 << 16), torch.randn((), requires_grad=True), backward=True
        ),
        "mean": kernels(
            lambda x: torch.nn.functional.layer_norm(x.mean((-2, -1)), (16,)), torch.randn(2, 16, 8, 8).bfloat16()
        ),
        "softmax": kernels(lambda x: x.softmax(-1), torch.randn(5, 16, requires_grad=True), backward=True),
        "constant": kernels(lambda x: (torch.arange(8), x + 1), torch.randn(8)),
    }


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return bed.run(recorded, tmp_path_factory.mktemp("recorded"))


def test_a_part_of_a_cat_is_an_operation_of_its_own_and_lies_in_the_whole(found: dict[str, Any]) -> None:
    parts = [one for one in found["cat"] if [[5, 8], [16, 1]] in one["layouts"].values()]
    assert len(parts) == 2
    assert ["aten.neg.default" in one["operations"] for one in parts] == [True, False]
    assert not any(one["why_not"] for one in parts)


def test_a_changed_argument_is_written_with_what_is_copied_there(found: dict[str, Any]) -> None:
    assert not any(one["why_not"] for one in found["changed"])
    changed = [one for one in found["changed"] if "aten.copy_.default" not in str(one["operations"])]
    assert changed, found["changed"]


def test_an_operation_of_inductors_own_has_one_of_aten_in_its_place(found: dict[str, Any]) -> None:
    """Where a reference is judged, nobody has loaded Inductor."""
    called = {name for one in found["softmax"] for name in one["operations"]}
    assert "aten.addcmul.default" in called and not any(name.startswith("prims.fma") for name in called)


def test_forward_and_backward_have_references(found: dict[str, Any]) -> None:
    assert len(found["layer"]) >= 3
    assert not any(one["why_not"] for one in found["layer"])


@pytest.mark.parametrize(
    ("program", "reason"),
    [
        ("random", "it draws random numbers"),
        ("constant", "it is given nothing: its results are constants"),
    ],
)
def test_what_is_left_out_has_a_reason(found: dict[str, Any], program: str, reason: str) -> None:
    assert reason in [one["why_not"] for one in found[program]]


def test_sizes_that_may_change_are_those_of_the_first_call_and_others_around_them(found: dict[str, Any]) -> None:
    (one,) = found["symbolic"]
    assert one["operations"] == ["aten.exp.default"] and one["numbers"] == {"xnumel": 80}
    shapes = [shape for _, shape, _ in one["elsewhere"]]
    assert [4, 4] in map(sorted, shapes) or [2, 4] in map(sorted, shapes)
    assert len(shapes) == 6 and all(numbers == {"xnumel": a * b} for numbers, (a, b), _ in one["elsewhere"])


def test_kernels_of_a_split_reduction_are_one_problem(found: dict[str, Any]) -> None:
    alone = [one for one in found["split"] if not one["parts"]]
    (together,) = [one for one in found["split"] if one["parts"]]
    assert [one["why_not"] for one in alone] == ["a buffer holds no operation's result"] * 2
    assert together["parts"] == 2
    assert together["operations"] == ["aten.exp.default", "aten.sum.default"]
    assert [one["parts"] for one in found["split, beside a result that is None"]].count(2) == 1


@pytest.mark.parametrize("program", ["columns", "columns of a mean"])
def test_sums_of_stretches_and_what_adds_them_up_are_problems_of_their_own(found: dict[str, Any], program: str) -> None:
    """Also where the last stretch is shorter than the others."""
    first, second = found[program]
    assert not first["why_not"] and not second["why_not"]
    assert "aten.constant_pad_nd.default" in first["operations"]
    assert second["operations"][0] == "aten.sum.dim_IntList"


def test_what_reads_a_variance_that_two_kernels_reckon_is_a_problem_of_its_own(found: dict[str, Any]) -> None:
    """The two give and join means, sums of squares and counts of stretches: they are a problem together."""
    alone = [one for one in found["groups"] if not one["parts"]]
    assert [bool(one["why_not"]) for one in alone] == [True, True, False, False]
    assert any("aten.rsqrt.default" in one["operations"] for one in alone)
    assert [one["parts"] for one in found["groups"] if one["parts"]] == [2]


def test_graphs_give_what_inductors_kernels_give(found: dict[str, Any]) -> None:
    off = {program: [one["off"] for one in kernels] for program, kernels in found.items()}
    assert all(one <= 4 for some in off.values() for one in some), off


def test_a_mean_is_given_on_before_it_is_rounded(found: dict[str, Any]) -> None:
    assert len(found["mean"]) == 2 and not any(one["why_not"] for one in found["mean"])


def test_a_convolution_may_come_without_its_bias() -> None:
    graph = Graph()
    x, w, bias = (graph.placeholder(name) for name in ("x", "w", "bias"))
    conv = graph.call_function(
        torch.ops.aten.convolution.default, (x, w, bias, [1, 1], [0, 0], [1, 1], False, [0, 0], 1)
    )
    result = graph.call_function(torch.ops.aten.relu.default, (conv,))
    bias.meta["val"], conv.meta["val"], result.meta["val"] = torch.empty(4), *[torch.empty(2, 4, 3, 3)] * 2
    layout = Layout((2, 4, 3, 3), (36, 9, 3, 1), torch.float32)
    held, along = Meaning(conv, bias=bias), torch.randn(4)
    value = torch.randn(2, 4, 3, 3)
    given = held.held({conv: value, bias: along}, layout)
    (found,) = between([held, Meaning(bias)], [Meaning(result)], [layout])(given, along)
    torch.testing.assert_close(found, value.relu())
    with pytest.raises(ApartError, match="depend on bias"):
        between([held], [Meaning(result)], [layout])


def test_a_softmax_of_inductors_own_is_written_in_aten_and_rounded_where_it_is_stored() -> None:
    import torch._inductor.inductor_prims  # registers the operation

    graph, ops = Graph(), torch.ops.aten
    x = graph.placeholder("x")
    wide = graph.call_function(torch.ops.prims.convert_element_type.default, (x, torch.float32))
    scaled = graph.call_function(torch.ops.prims.convert_element_type.default, (wide, torch.bfloat16))
    parts = graph.call_function(torch.ops.prims.prepare_softmax_online.default, (scaled, -1))
    largest, total = (graph.call_function(operator.getitem, (parts, place)) for place in (0, 1))
    less = graph.call_function(ops.sub.Tensor, (scaled, largest))
    result = graph.call_function(ops.div.Tensor, (graph.call_function(ops.exp.default, (less,)), total))
    x.meta["val"] = result.meta["val"] = torch.empty(4, 8, dtype=torch.bfloat16)
    given = torch.randn(4, 8).bfloat16()
    part = between([Meaning(x)], [Meaning(result)], [Layout((4, 8), (8, 1), torch.bfloat16)])
    assert not [node for node in part.graph.nodes if "softmax" in str(node.target)]
    assert torch.equal(part(given)[0], given.float().softmax(-1).bfloat16())


def replaced(text: str) -> dict[str, Any]:
    """Swap every kernel of a program for a verified one, and compare."""
    import os
    from pathlib import Path

    import torch
    from torch._inductor.compile_fx import compile_fx, compile_fx_inner

    from kernelwright.agent.evaluator import Rung
    from kernelwright.driver.config.discovery import discover
    from kernelwright.evaluation.judge.local import LocalEvaluator
    from kernelwright.frontend.lower_inductor import LowerInductor
    from kernelwright.frontend.swap.hooks import choosing, observing
    from kernelwright.frontend.swap.key import read
    from kernelwright.frontend.swap.problem import own_kernel, problem
    from kernelwright.frontend.swap.recorded import Recorder
    from kernelwright.frontend.swap.replacement import replacement
    from kernelwright.ir.passes import Context

    discover()
    torch._inductor.config.fx_graph_cache = False
    torch._functorch.config.enable_autograd_cache = False
    space: dict[str, Any] = {"torch": torch}
    exec(text, space)
    recorder = Recorder()

    def inner(graph: Any, arguments: Any, **options: Any) -> Any:
        with observing(recorder.see):
            return compile_fx_inner(graph, arguments, **options)

    def run() -> Any:
        torch.manual_seed(0)
        inputs = [torch.randn(shape) for shape in space["shapes"]]
        torch._dynamo.reset()
        backend = lambda graph, given: compile_fx(graph, given, inner_compile=inner)  # noqa: E731
        return torch.compile(space["program"], backend=backend)(*inputs), inputs

    expected = run()
    verdicts, texts, forms = [], {}, []
    asked = os.environ.pop("TRITON_INTERPRET")
    with LocalEvaluator("interpreter", 2) as evaluator:
        for kernel in recorder.recorded():
            module = problem(kernel)
            lowered = LowerInductor().run(module, Context(target="interpreter"))
            for one in (own_kernel(kernel, module, "interpreter"), lowered):
                verdicts.append(str(evaluator.evaluate(one, (Rung.PARSE, Rung.INTERPRET))))
            made = replacement(kernel, lowered)
            forms.append(made.form)
            texts[kernel.key] = made
    os.environ["TRITON_INTERPRET"] = asked
    swapped = []

    class Host:
        def __init__(self, text: str, order: tuple[int, ...]) -> None:
            import triton
            import triton.language as tl

            file = Path(os.environ["TORCHINDUCTOR_CACHE_DIR"]) / f"host{len(swapped)}.py"
            file.write_text(text)
            space = {"torch": torch, "triton": triton, "tl": tl, "aten": torch.ops.aten, "__name__": "host"}
            exec(compile(text, str(file), "exec"), space)
            self.entry, self.order = space["forward_into"], order

        def run(self, *arguments: Any, **_options: Any) -> None:
            self.entry(*(arguments[place] for place in self.order))

    def choose(name: str, source: str) -> Any:
        kernel = read(source)
        made = texts[kernel.key]
        swapped.append(name)
        if made.form == "host":
            return Host(made.text, made.order)
        return made.text.replace(read(made.text).function.name, kernel.function.name)

    with choosing(choose, lambda name, _source, error: swapped.append(f"{name}: {error!r}")):
        got = run()
    flat = torch.utils._pytree.tree_leaves
    errors = [(a - b).abs().max().item() for a, b in zip(flat(got), flat(expected), strict=True)]
    failed = [one for one in swapped if ":" in one]
    return {"verdicts": verdicts, "forms": forms, "swapped": swapped, "failed": failed, "error": max(errors)}


PROGRAMS = {
    "in place": (
        "shapes = [(5, 16), (16, 16)]\ndef program(x, w):\n    return (x @ w + x).relu()\n",
        "kernel",
    ),
    "in place, read elsewhere": (
        "shapes = [(8, 8)]\ndef program(x):\n    x.copy_(x.t() * 2.0 + x)\n    return x.sum()\n",
        None,
    ),
    "changed by what it holds": (
        "shapes = [(8, 16)]\ndef program(x):\n    x.copy_(x.softmax(-1) + x.sum())\n    return x * 2.0\n",
        None,
    ),
    "cat": (
        "shapes = [(5, 16), (16, 4)]\ndef program(x, w):\n    a, b = x.chunk(2, -1)\n"
        "    return torch.cat([-b, a.exp()], -1) @ w\n",
        "kernel",
    ),
    "changed": ("shapes = [(5, 16), (16,)]\ndef program(x, n):\n    n.add_(1.0)\n    return x * n\n", None),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_verified_module_runs_in_the_place_of_inductors_kernel(name: str, tmp_path: Path) -> None:
    text, form = PROGRAMS[name]
    found = bed.run(replaced, tmp_path, text)
    assert all(verdict.startswith("ok@interpret") for verdict in found["verdicts"]), found
    assert found["swapped"] and not found["failed"], found
    assert found["error"] < 1e-5, found
    assert form is None or set(found["forms"]) == {form}, found


@pytest.mark.parametrize("program", ["norm of channels", "norm of all"])
def test_a_sum_under_a_variance_is_known_at_other_sizes(found: dict[str, Any], program: str) -> None:
    """With a product of sizes that Inductor's program computes once, and with a number of elements of its own."""
    first, second = found[program]
    for one in (first, second):
        assert "aten.mul.Tensor" in one["operations"] and one["why_not"] == "" and len(one["elsewhere"]) == 6
        (off,) = one["off then"]
        assert off < 16, off


def test_a_sum_under_a_variance_tells_of_fractions_of_elements(found: dict[str, Any]) -> None:
    first, second = found["half a correction"]
    for one in (first, second):
        assert "aten.mul.Tensor" in one["operations"] and one["off"] < 16, one
