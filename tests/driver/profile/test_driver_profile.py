"""Where a model's time goes: pieces of a trace and whose they are, floors, and whole profiles on the CPU bed."""

import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "swap"))

import bed

from kernelwright.driver.profile.rates import Rates
from kernelwright.driver.profile.rows import Kind, Profile, Row, Times
from kernelwright.driver.profile.trace import Piece, pieces


def span(name: str, start: float, end: float, tid: int = 1, cat: str = "user_annotation") -> dict[str, Any]:
    return {"ph": "X", "cat": cat, "name": name, "tid": tid, "ts": start, "dur": end - start, "args": {}}


def launched(name: str, at: float, correlation: int, us: float, tid: int = 1, driver: bool = True) -> list[Any]:
    """A launch on the host, and the kernel that it launches much later."""
    cat = "cuda_driver" if driver else "cuda_runtime"
    told = {"correlation": correlation}
    return [
        span("cuLaunchKernelEx", at, at + 1, tid, cat) | {"args": told},
        span(name, at + 500, at + 500 + us, 7, "kernel") | {"args": {**told, "stream": 7}},
    ]


def test_device_work_belongs_to_the_marks_around_its_launch_on_its_thread() -> None:
    trace = {
        "traceEvents": [
            {"ph": "M", "name": "process_name"},
            span("kernelwright|call|0", 0, 100),
            span("kernelwright|graph|0", 10, 40),
            span("kernelwright|kernel|triton_poi_0", 12, 18),
            *launched("triton_poi_0", 15, 1, 5.0),
            span("kernelwright|operation|0", 20, 30),
            span("aten::mm", 21, 29, cat="cpu_op"),
            *launched("sm90_gemm", 25, 2, 8.0, driver=False),
            *launched("splitk", 26, 3, 2.0, driver=False),
            # The backward pass, in autograd's thread.
            span("kernelwright|graph|1", 50, 70, tid=2),
            span("kernelwright|kernel|triton_poi_0", 52, 58, tid=2),
            *launched("triton_poi_0", 55, 4, 7.0, tid=2),
            span("aten::add_", 80, 90, cat="cpu_op"),
            *launched("vectorized_add", 85, 5, 1.0, driver=False),
            *launched("mystery", 95, 6, 3.0),
            *launched("after the call", 200, 7, 9.0),
        ]
    }
    assert pieces(trace, device=True) == [
        Piece(0, 0, "kernel", "triton_poi_0", "", "triton_poi_0", 5.0),
        Piece(0, 0, "operation", "0", "aten::mm", "sm90_gemm", 8.0),
        Piece(0, 0, "operation", "0", "aten::mm", "splitk", 2.0),
        Piece(0, 1, "kernel", "triton_poi_0", "", "triton_poi_0", 7.0),
        Piece(0, -1, "", "", "aten::add_", "vectorized_add", 1.0),
        Piece(0, -1, "", "", "", "mystery", 3.0),
    ]


def test_without_a_device_the_outermost_marks_are_what_is_timed() -> None:
    trace = {
        "traceEvents": [
            span("kernelwright|call|3", 0, 100),
            span("kernelwright|graph|0", 10, 40),
            span("kernelwright|kernel|triton_red_0", 12, 18),
            span("kernelwright|operation|0", 13, 14),
            span("kernelwright|operation|1", 20, 30),
        ]
    }
    assert pieces(trace, device=False) == [
        Piece(3, 0, "kernel", "triton_red_0", "", "", 6.0),
        Piece(3, 0, "operation", "1", "", "", 10.0),
    ]


@pytest.mark.parametrize(
    ("samples", "low", "high"),
    [([3.0, 1.0, 2.0], 1.0, 3.0), ([float(n) for n in range(11)], 1.0, 9.0), ([5.0], 5.0, 5.0)],
)
def test_intervals_of_medians_go_by_ranks(samples: list[float], low: float, high: float) -> None:
    found = Times.of(samples)
    assert (found.low, found.high) == (low, high)
    assert low <= found.us <= high


def test_a_floor_is_the_longer_of_moving_and_computing() -> None:
    rates = Rates(((1000, 2.0), (100_000, 4.0), (10_000_000, 100.0)), {"bfloat16": 1e6})
    assert rates.floor(10, 0, "", cached=True) == (2.0, "memory")
    assert rates.floor(100_000, 0, "", cached=True) == (4.0, "memory")
    # In the cache they are moved faster than memory's 1e5 bytes a microsecond.
    between, _ = rates.floor(1_000_000, 0, "", cached=True)
    assert between == pytest.approx(20.0)
    assert rates.floor(5_000_000, 0, "", cached=False) == (50.0, "memory")
    assert rates.floor(20_000_000, 0, "", cached=True) == (200.0, "memory")
    assert rates.floor(1000, 30_000_000, "bfloat16", cached=False) == (30.0, "compute")
    assert rates.floor(1000, 30_000_000, "float32", cached=False) == (2.0, "memory")
    assert Rates().floor(1000, 1000, "bfloat16", cached=True) == (0.0, "")


def row(name: str, key: str, us: float, floor: float = 0.0, graph: int = 0) -> Row:
    kind = Kind.GENERATED if key else Kind.LIBRARY
    times = Times(us, us, us)
    return Row(kind, name, graph, False, key, "inductor", "", "", 1, times, us / 100, floor_us=floor, bytes=8)


def test_kernels_are_ranked_by_what_they_could_gain_each_key_once() -> None:
    rows = [
        row("a", "k1", 40.0, 35.0),
        row("mm", "", 30.0, 1.0),
        row("b", "k2", 20.0, 8.0),
        row("c", "k1", 10.0, 9.0, 1),
    ]
    profile = Profile(tuple(rows), Times(100.0, 99.0, 101.0), 120.0, 1.0, "a device", 3)
    assert [(one.key, one.times.us, one.gain_us) for one in profile.ranked()] == [("k2", 20.0, 12.0), ("k1", 50.0, 6.0)]
    together = profile.of_key("k1")
    assert together is not None
    assert (together.calls, together.bytes, together.name) == (2, 16, "a")
    assert profile.of_key("k3") is None
    assert profile.encode()["rows"][0]["gain_us"] == 5.0


def kernels_and_replacements() -> Any:
    """Profiles of a training step, and of inference once the kernels have replacements."""
    import logging

    import entries
    import torch
    from torch import nn

    from kernelwright.driver.profile.profiling import profile_model

    lines, log = [], logging.getLogger("kernelwright")
    handler = logging.Handler()
    handler.emit = lambda record: lines.append(record.getMessage())
    log.addHandler(handler)
    torch.manual_seed(0)
    model, x = nn.Sequential(nn.Linear(4, 8), nn.GELU(), nn.Linear(8, 4), nn.Sigmoid()), torch.randn(3, 4)
    step = profile_model(model, (x,), "train", calls=2).encode()

    def work() -> None:
        with torch.no_grad():
            torch.compile(model)(x)

    entries.keep(entries.generated(work))
    inference = profile_model(model, (x,), calls=2).encode()

    class Wave(nn.Module):
        def forward(self, x):
            return x.sin() + 1

    text = "def forward_into(x, out):\n    torch.add(aten.cos(x), 1, out=out)\n"
    waves = entries.generated(lambda: torch.compile(Wave())(x))
    entries.keep(waves, lambda _source: text, form="host", order=(0, 1))
    return step, inference, profile_model(Wave(), (x,), calls=2).encode(), lines


@pytest.mark.slow
def test_a_profile_has_every_kernel_and_operation_of_both_passes(tmp_path: Path) -> None:
    asked = {"TORCH_LOGS": "kernelwright", "TORCH_TRACE": str(tmp_path / "trace")}
    step, inference, hosted, lines = bed.run(kernels_and_replacements, tmp_path, **asked)
    for profile in (step, inference):
        assert profile["accounted"] == pytest.approx(1.0)
        assert sum(one["share"] for one in profile["rows"]) == pytest.approx(1.0)
        generated = [one for one in profile["rows"] if one["kind"] == "generated"]
        assert all(len(one["key"]) == 64 and one["calls"] == 1 and one["bytes"] > 0 for one in generated)
        assert [one for one in generated if one["form"] == "pointwise" and one["after"]]
    passes = {(one["kind"], one["backward"]) for one in step["rows"]}
    assert passes == {(kind, backward) for kind in ("generated", "library") for backward in (False, True)}
    assert {one["runs"] for one in step["rows"]} == {"inductor", "library"}
    # 2 x 3 x 4 x 8 floating-point operations, in either product.
    library = [one for one in inference["rows"] if one["kind"] == "library"]
    assert [(one["flops"], one["calls"]) for one in library] == [(192, 1)] * 2
    replaced = [one for one in inference["rows"] if one["kind"] == "generated"]
    assert [(one["runs"], bool(one["pick"])) for one in replaced] == [("kernelwright", True)] * 2
    # What the host code of a replacement calls is that kernel's, and no operation of a library.
    (wave,) = hosted["rows"]
    assert (wave["kind"], wave["runs"], wave["calls"]) == ("generated", "kernelwright", 1)
    # What torch's logs and traces of the compiles say.
    for one in replaced:
        assert f"{one['name']}: kernelwright, verified" in lines
    assert any(line.endswith("the store has nothing for it (backward)") for line in lines)
    (trace,) = (tmp_path / "trace").glob("*.log")
    assert '"name": "kernelwright_kernels"' in trace.read_text()
