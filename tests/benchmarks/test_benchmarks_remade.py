"""Winners that are made again: what counts as equal, what is timed, and what the rows say."""

from dataclasses import replace
from types import ModuleType

import pytest

from kernelwright.backend.targets import get_target
from kernelwright.frontend.importers import import_source
from kernelwright.ir.errors import UserError
from kernelwright.ir.passes import Context
from kernelwright.ir.pipeline import parse_pipeline
from kernelwright.ir.printer import print_module
from kernelwright.ir.values import KernelModule

BENCHMARK = "kernelbench.remade"
SOURCE = """
import torch

class Model(torch.nn.Module):
    def forward(self, x):
        return torch.sigmoid(x) + 1

def get_inputs():
    return [torch.randn(8, 37)]
"""


@pytest.fixture(scope="module")
def module() -> KernelModule:
    found = parse_pipeline("lower-inductor").run(import_source(SOURCE, "one"), Context("h200", lowering_device="meta"))
    return replace(found, target="h200")


def with_source(module: KernelModule, old: str, new: str) -> KernelModule:
    (kernel,) = module.kernels
    assert old in kernel.source
    return replace(module, kernels=(replace(kernel, source=kernel.source.replace(old, new)),))


def test_what_triton_takes_for_one_program_is_not_timed(benchmark: ModuleType, module: KernelModule) -> None:
    respelt = with_source(module, "xindex", "index")
    (kernel,) = module.kernels
    slower = replace(module, kernels=(replace(kernel, meta=(*kernel.meta[:-1], ("num_warps", 16))),))
    other = with_source(module, " 1.0", " 2.0")
    texts = {"a": module, "b": respelt, "c": slower, "d": other}
    after = {name: {"digest": one.digest, "module": print_module(one)} for name, one in texts.items()}
    before = {name: {"digest": module.digest, "module": print_module(module)} for name in "abcde"}
    rows = [{"id": name, "spec": "lower-inductor", "digest": module.digest} for name in "abcde"]
    found = list(benchmark.sorted_out(rows, before, after, "h200"))
    told = [(row["status"], row.get("how", ""), question is not None) for row, question in found]
    assert told == [
        ("equal", "the same text", False),
        ("equal", "equal TTIR", False),
        ("to time", "", True),
        ("to time", "", True),
        ("not made", "", False),
    ]
    assert all(row["proven"] for row, _ in found) and found[4][0]["cause"] == "no module after"


def test_equal_kernels_that_the_host_calls_otherwise_are_timed(benchmark: ModuleType, module: KernelModule) -> None:
    assert module.launcher is not None
    aside = replace(module.launcher, source=module.launcher.source.replace("    return ", "    pass\n    return "))
    assert benchmark.same_programs(module, with_source(module, "xindex", "index"), get_target("h200"))
    assert not benchmark.same_programs(module, replace(module, launcher=aside), get_target("h200"))


def test_a_pipeline_is_made_as_the_results_were(benchmark: ModuleType, module: KernelModule) -> None:
    program = benchmark.Program("one", SOURCE)
    made = benchmark.made(program, "lower-inductor", {"numerics": "ieee", "target": "h200"})
    assert made.digest == module.digest
    row = {"id": "1_1", "spec": 'lower-inductor,configure{configs="sum: XBLOCK=8; sums: XBLOCK=8"}'}
    assert benchmark.renamed(row, ["1_1:sum=total", "1_3:sums=x"]) == row["spec"].replace("sum: ", "total: ", 1)
    with pytest.raises(UserError, match="PROBLEM:OLD=NEW"):
        benchmark.renamed(row, ["sum=total"])


def test_equal_winners_count_as_one_and_slow_ones_are_named(benchmark: ModuleType) -> None:
    timed = {"status": "ok", "proven": True}
    rows = {
        "a": {"status": "equal", "how": "the same text", "proven": True},
        "b": timed | {"over": {"before": [0.81, 0.8, 0.82]}},
        "c": timed | {"over": {"before": [1.0, 0.9, 1.1]}},
        "d": {"status": "mismatch", "proven": False},
    }
    found = benchmark.summary(rows)
    assert found["equal"] == 1 and found["timed"] == 2 and found["open"] == {"d": "mismatch"}
    assert found["over_before_timed"] == 0.9 and found["over_before"] == pytest.approx(0.81 ** (1 / 3), abs=1e-4)
    assert found["worst"] == found["slower"] == {"b": 0.81} and found["text_of_then_proven"] == 3
