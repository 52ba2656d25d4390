"""Kernels of a compile become problems, and verified answers to them entries of the store."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch import nn
from torch._inductor.lowering import lowerings

from kernelwright.backend.store.archive import read_archive, write_archive
from kernelwright.backend.store.entry import Entry, Versions
from kernelwright.backend.store.store import Store
from kernelwright.driver.cli import main
from kernelwright.driver.compiling.program import compile_module
from kernelwright.driver.config.discovery import discover
from kernelwright.driver.extraction.filling import Filling, entry_of
from kernelwright.driver.extraction.recording import compiled_for, record_model
from kernelwright.driver.judging.stored import StoredJudge
from kernelwright.evaluation.judge.local import LocalEvaluator
from kernelwright.frontend.importers import import_source
from kernelwright.frontend.swap.graphs import GraphRecorder
from kernelwright.frontend.swap.problem import problem
from kernelwright.ir.errors import LoweringError
from kernelwright.ir.parser import parse_module
from kernelwright.ir.passes import Context
from kernelwright.ir.pipeline import parse_pipeline
from kernelwright.rl.data.problems import load_problems

PROGRAM = """
import torch
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.norm, self.second = nn.Linear(16, 32), nn.LayerNorm(32), nn.Linear(32, 8)
        self.drop = nn.Dropout(0.1)

    def forward(self, x):
        return self.second(self.drop(torch.relu(self.norm(self.first(x)))))


def get_inputs():
    return [torch.randn(5, 16)]


def get_init_inputs():
    return []
"""


@pytest.fixture(scope="module")
def evaluator() -> Iterator[LocalEvaluator]:
    discover()
    with LocalEvaluator("interpreter", 2) as found:
        yield found


def filling(store: Path, evaluator: LocalEvaluator) -> Filling:
    return Filling(Store.open(store), parse_pipeline("lower-inductor"), Context("interpreter", evaluator))


def test_every_kernel_of_a_program_is_a_row_that_others_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program, out = tmp_path / "small.py", tmp_path / "kernels.jsonl"
    program.write_text(PROGRAM, "utf-8")
    assert main(["data", "kernels", str(program), f"out={out}"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["kernels"] == told["problems"] + sum(told["left_out"].values())
    assert set(told["left_out"]) == {"it draws random numbers"}
    problems = load_problems(out)
    assert len(problems) == told["problems"] > 4
    assert {one.provenance["mode"] for one in problems} == {"eval", "train"}
    assert {one.provenance["backward"] for one in problems} == {False, True}
    for one in problems:
        import_source(one.source, one.id, shrink="never")


def test_a_stopped_run_goes_on_after_its_last_mode(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    program, out = tmp_path / "small.py", tmp_path / "kernels.jsonl"
    program.write_text(PROGRAM, "utf-8")
    modes = []

    def stopping(model: nn.Module, inputs: list[torch.Tensor], mode: str) -> object:
        if mode == "train":
            raise KeyboardInterrupt
        modes.append(mode)
        return record_model(model, inputs, mode)

    with monkeypatch.context() as patched:
        patched.setattr("kernelwright.driver.extraction.kernels_file.record_model", stopping)
        assert main(["data", "kernels", str(program), f"out={out}", "modes=eval,train"]) == 130
    capsys.readouterr()
    again = []
    monkeypatch.setattr(
        "kernelwright.driver.extraction.kernels_file.record_model",
        lambda model, inputs, mode: again.append(mode) or record_model(model, inputs, mode),
    )
    assert main(["data", "kernels", str(program), f"out={out}", "modes=eval,train"]) == 0
    assert (modes, again) == (["eval"], ["train"])
    assert {problem.provenance["mode"] for problem in load_problems(out)} == {"eval", "train"}


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ([], "takes one PROGRAM"),
        (["nowhere.py"], "nowhere.py: no such file"),
        ([__file__, "modes=eval,both"], "'both' is none of eval, train, autocast"),
        ([__file__, "outt=x"], "takes out=…, modes=…, seed=…, got outt=x"),
    ],
)
def test_bad_words_are_told_at_once(words: list[str], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["data", "kernels", *words]) == 2
    assert told in capsys.readouterr().err


@pytest.mark.slow
def test_verified_answers_are_kept_with_what_was_tested(tmp_path: Path, evaluator: LocalEvaluator) -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(16, 32), nn.GELU(), nn.LayerNorm(32))
    graphs = record_model(model, [torch.randn(5, 16)], "train")
    assert [graph.backward for graph in graphs] == [False, True]
    found = list(filling(tmp_path, evaluator).fill(graphs))
    assert {one.became for one in found} == {"stored"}, found
    store = Store.open(tmp_path)
    for one in found:
        entry = store.find(one.key, "interpreter", Versions.installed())
        assert entry is not None and entry.kind == "replacement"
        assert entry.certificate["claim"] == "correct"
        assert entry.certificate["inputs"] == "drawn like the model's own values"
        assert entry.certificate["digest"] == parse_module(entry.module).digest
    again = list(filling(tmp_path, evaluator).fill(graphs))
    assert [one.became for one in again] == ["known"] * len(found)
    # Another machine finds them right as well.
    write_archive(store.entries(), tmp_path / "shared.zip")
    other = Store.open(tmp_path / "other")
    assert all(other.put(entry) for entry in read_archive(tmp_path / "shared.zip"))
    with StoredJudge(pytest.fail) as judge:
        checked = other.verify(judge)
    assert (len(checked.sound), checked.refused) == (len(found), {})


def test_an_answer_of_two_launches_is_no_replacement_on_a_gpu(evaluator: LocalEvaluator) -> None:
    (graph,) = record_model(nn.GELU(), [torch.randn(8, 8)], "eval")
    (kernel,) = graph.kernels
    result = compile_module(
        problem(kernel, graph.spreads), parse_pipeline("lower-inductor"), Context("interpreter", evaluator)
    )
    verdict = result.verdict
    assert verdict is not None and result.module.launcher is not None
    (launch,) = re.findall(r"(?m)^    \w+\[.*\]\(.*\)\n", result.module.launcher.source)
    twice = result.module.launcher.source.replace(launch, 2 * launch)
    module = replace(result.module, launcher=replace(result.module.launcher, source=twice))

    def made(target: str) -> Entry:
        return entry_of(kernel, graph, target, module, verdict, "lower-inductor")

    assert made("interpreter").form == "host"
    with pytest.raises(LoweringError, match="is not one launch costs the host more than Inductor's"):
        made("sm_90")


class Places(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.arange(8)[:, None] * 1_000_000_000 * x


def test_inductors_own_kernel_that_differs_from_aten_is_a_finding(tmp_path: Path, evaluator: LocalEvaluator) -> None:
    # Inductor takes places for symbols, and multiplies them in 32 bits.
    graphs = record_model(Places(), [torch.ones(8, 8, dtype=torch.int64)], "eval")
    (found,) = filling(tmp_path, evaluator).fill(graphs)
    assert (found.became, found.why) == ("wrong", "aten.mul")
    entry = Store.open(tmp_path).find(found.key, "interpreter", Versions.installed())
    assert entry is not None and (entry.kind, entry.operation) == ("wrong", found.why)
    assert "own weights and inputs" in entry.certificate["detail"]


class Functions(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        spread, mean = torch.var_mean(x.tanh() * x.exp(), 1)
        return x.sin() + spread[:, None] * mean[:, None].sqrt()


def test_a_finding_names_all_operations_that_differ_and_no_others(
    tmp_path: Path, evaluator: LocalEvaluator, monkeypatch: pytest.MonkeyPatch
) -> None:
    aten = torch.ops.aten
    with monkeypatch.context() as patched:
        for wrong, instead in ((aten.sin, aten.cos), (aten.tanh, aten.sigmoid)):
            patched.setitem(lowerings, wrong.default, lowerings[instead.default])
        graphs = record_model(Functions(), [torch.rand(8, 8) + 0.5], "eval")
        (found,) = filling(tmp_path, evaluator).fill(graphs)
    assert (found.became, found.why) == ("wrong", "aten.tanh, aten.sin")
    entry = Store.open(tmp_path).find(found.key, "interpreter", Versions.installed())
    assert entry is not None and entry.certificate["operations"] == "those that differ"


def test_recording_leaves_a_model_as_it_was_and_computes_as_eager_does() -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8)).eval()
    x, before = torch.randn(2, 3, 8, 8), {name: value.clone() for name, value in model.state_dict().items()}
    for mode in ("eval", "train"):
        record_model(model, [x], mode)
        assert not model.training and all(one.grad is None for one in model.parameters())
        assert all(torch.equal(before[name], value) for name, value in model.state_dict().items())
    expected = nn.BatchNorm2d(8)
    expected(model[0](x))
    with compiled_for(model, GraphRecorder(), "train") as run:
        run(x)
        torch.testing.assert_close(model[1].running_mean, expected.running_mean)
