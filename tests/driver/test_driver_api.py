"""What `import kernelwright` offers: live models and programs compiled, judged, searched, and called."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch import nn

import kernelwright
from kernelwright.agent.evaluator import Status
from kernelwright.driver.compiling.compiled import Compiled
from kernelwright.driver.compiling.live_model import LiveModel
from kernelwright.driver.config.overrides import as_overrides
from kernelwright.driver.run_records import CompileRun
from kernelwright.evaluation.sandbox.parent import Limits
from kernelwright.ir.errors import LoweringError, UserError
from kernelwright.ir.pipeline import parse_pipeline
from kernelwright.ir.values import Level

PROGRAM = """
import torch

class Model(torch.nn.Module):
    def __init__(self, n):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.randn(n))

    def forward(self, x, k):
        return [torch.relu(x * self.weight) * k]

def get_inputs():
    return [torch.randn(4, 16), 3]

def get_init_inputs():
    return [16]
"""


class Scaled(nn.Module):
    """Reads a weight, a number among its inputs and a number of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(8, 4)
        self.scale = 2.0

    def forward(self, x: torch.Tensor, power: int) -> tuple[torch.Tensor, torch.Tensor]:
        y = self.linear(x) * self.scale
        return y**power, torch.relu(y)


@pytest.fixture(scope="module")
def model() -> Scaled:
    torch.manual_seed(0)
    return Scaled().eval()


@pytest.fixture(scope="module")
def x() -> torch.Tensor:
    return torch.randn(2, 8, generator=torch.Generator().manual_seed(1))


@pytest.fixture(scope="module")
def compiled(model: Scaled, x: torch.Tensor) -> Compiled:
    return kernelwright.compile(model, x, 2, pipeline="lower-inductor", overrides=["evaluator.seeds=1"])


FRESH = """
import sys, kernelwright
print({'torch', 'triton', 'hydra', 'omegaconf', 'rich', 'dataclasses', 'asyncio'} & set(sys.modules))
print(*kernelwright.passes())
"""


def test_importing_brings_nothing_and_passes_are_found_by_themselves() -> None:
    done = subprocess.run([sys.executable, "-c", FRESH], capture_output=True, text=True, check=True)
    imported, passes = done.stdout.splitlines()
    assert imported == "set()"
    assert {"lower-inductor", "tune", "search", "fe-agent", "me-agent"} <= set(passes.split())
    tune = kernelwright.passes()["tune"]
    assert (tune.reads, tune.writes, tune.package) == ("triton", "tuned", "kernelwright")
    assert tune.options["trials"].type == "int"


def test_what_is_offered_is_listed() -> None:
    assert {"compile", "evaluate", "search", "passes"} <= set(kernelwright.__all__) <= set(dir(kernelwright))
    for name in kernelwright.__all__:
        assert getattr(kernelwright, name) is not None
    with pytest.raises(AttributeError, match="module 'kernelwright' has no attribute 'complie'"):
        kernelwright.complie  # noqa: B018


def test_a_live_model_is_verified_on_its_own_weights_and_inputs_and_can_be_called(
    compiled: Compiled, model: Scaled, x: torch.Tensor
) -> None:
    assert compiled.ok and compiled.verdict is not None and compiled.folder is None
    assert 0 <= compiled.verdict.errors["own_rms"] < 1e-5
    got = compiled(x, 2)
    assert isinstance(got, tuple)
    torch.testing.assert_close(got, model(x, 2))
    assert compiled.specialized_to.endswith("evaluation mode, input 1 = 2")
    assert "x: f32[2, 8]" in compiled.specialized_to


def test_weights_are_read_at_each_call_and_layouts_do_not_matter(model: Scaled, x: torch.Tensor) -> None:
    changed = Scaled().eval()
    compiled = kernelwright.compile(changed, x, 2, pipeline="lower-inductor", overrides={"evaluator": {"seeds": 1}})
    changed.load_state_dict(model.state_dict())
    torch.testing.assert_close(compiled(x.t().contiguous().t(), 2), model(x, 2))


def test_other_inputs_than_were_compiled_for_are_named(compiled: Compiled, x: torch.Tensor) -> None:
    for inputs, message in [
        ((x,), "compiled for 2 inputs, 1 given"),
        ((x, 3), "compiled for input 1 = 2, 3 given"),
        ((2, x), "compiled for input 0 = Tensor, 2 given"),
        ((torch.randn(3, 8), 2), r"compiled for x: f32\[2, 8\], f32\[3, 8\] given"),
        ((x.double(), 2), r"f64\[2, 8\] given"),
    ]:
        with pytest.raises(UserError, match=message):
            compiled(*inputs)


def test_kernels_that_differ_from_the_model_itself_are_a_mismatch(compiled: Compiled, x: torch.Tensor) -> None:
    other = Scaled().eval()
    other.load_state_dict(compiled.live.model.state_dict())  # type: ignore[union-attr]
    other.scale = 2.5
    assert compiled.verdict is not None
    verdict = LiveModel(other, (x, 2)).judged(compiled.module, compiled.verdict, Limits())
    assert verdict.status is Status.MISMATCH
    assert verdict.detail.startswith("on the model's own weights and inputs: output out0")
    refused = replace(compiled, result=replace(compiled.result, verdict=verdict))
    with pytest.raises(UserError, match="@Scaled has no verified kernels to call"):
        refused(x, 2)


def test_what_no_graph_expresses_and_what_is_no_model_raise_value_errors(x: torch.Tensor) -> None:
    with pytest.raises(LoweringError, match=r"draws random numbers; call model\.eval\(\)"):
        kernelwright.compile(nn.Dropout(0.5), x)
    with pytest.raises(ValueError, match="inputs go with a live"):
        kernelwright.compile(PROGRAM, x)
    with pytest.raises(UserError, match=r"import\.shrink=always: .* a live model has its own sizes"):
        kernelwright.compile(nn.ReLU(), x, overrides=["import.shrink=always"])
    with pytest.raises(UserError, match="model is int"):
        kernelwright.compile(3)  # type: ignore[arg-type]
    with pytest.raises(UserError, match=r"nowhere\.py: No such file"):
        kernelwright.compile("nowhere.py")
    with pytest.raises(UserError, match="unknown target 'h1000'"):
        kernelwright.compile(PROGRAM, target="h1000")


def test_a_program_gets_a_folder_and_is_called_with_the_weights_of_seed_0(tmp_path: Path) -> None:
    path = tmp_path / "scaled.py"
    path.write_text(PROGRAM, "utf-8")
    said: list[str] = []
    pipeline = parse_pipeline("lower-inductor")
    compiled = kernelwright.compile(path, pipeline=pipeline, out=tmp_path / "it's here", progress=said.append)
    assert compiled.folder == tmp_path / "it's here" and (compiled.folder / "report.json").is_file()
    assert compiled.module.name == "scaled" and said[0] == "import"
    run = kernelwright.load(compiled.folder)
    assert isinstance(run, CompileRun) and run.ok and run.module == compiled.module
    assert list(run.stages) == ["00-import", "01-lower-inductor"] and run.stage("00-import").level is Level.TORCH
    assert run._repr_html_() == compiled._repr_html_() and str(run).startswith(f"{run.folder}: @scaled, ok")
    again = kernelwright.compile(run.folder / "module.py", pipeline="configure", overrides=["evaluator.seeds=1"])
    assert again.module.name == "scaled" and again.module.level is not Level.TORCH
    with pytest.raises(UserError, match=r"has no stage '02' \(stages: 00-import, 01-lower-inductor\)"):
        run.stage("02")
    torch.manual_seed(0)
    weight, x = torch.randn(16), torch.randn(4, 16)
    torch.testing.assert_close(compiled(x, 3), [torch.relu(x * weight) * 3])
    assert "class ModelNew" in compiled.emit("kernelbench")
    with pytest.raises(UserError, match="choose from triton"):
        compiled.emit("cuda")


def test_evaluate_takes_texts_paths_modules_and_live_models(
    compiled: Compiled, model: Scaled, x: torch.Tensor, tmp_path: Path
) -> None:
    rungs = ["parse", "interpret"]
    seeds = {"evaluator.seeds": 1}
    assert kernelwright.evaluate(compiled, model, x, 2, rungs=rungs, overrides=seeds).ok
    wrong = Scaled().eval()
    wrong.scale = 3.0
    verdict = kernelwright.evaluate(compiled.module, wrong, x, 2, rungs=rungs, overrides=seeds)
    assert verdict.status is Status.MISMATCH
    path = tmp_path / "candidate.py"
    path.write_text("def forward(x):\n    return undefined(x)\n", "utf-8")
    assert kernelwright.evaluate(path, PROGRAM, rungs=["parse"]).status is Status.UNPARSED
    with pytest.raises(UserError, match=r"rungs: unknown rung 'walk'"):
        kernelwright.evaluate(path, PROGRAM, rungs=["walk"])
    with pytest.raises(UserError, match="unknown rung 'interpet'"):
        kernelwright.evaluate(path, PROGRAM, rungs="parse,interpet")
    with pytest.raises(UserError, match=r"reference=gone\.py: No such file"):
        kernelwright.evaluate(path, "gone.py")


def test_folders_of_no_run_are_told(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"holds no report\.json, summary\.json, config\.json or metrics\.jsonl"):
        kernelwright.load(tmp_path)
    with pytest.raises(UserError, match="no such folder; give the run folder"):
        kernelwright.load(tmp_path / "gone")
    with pytest.raises(UserError, match="not a folder; give the run folder"):
        kernelwright.load(__file__)
    (tmp_path / "report.json").write_text("{")
    with pytest.raises(UserError, match=r"report\.json cannot be read"):
        kernelwright.load(tmp_path)
    stopped = {"name": "some", "status": "interrupted", "detail": "", "target": "h100", "shrunken": False}
    (tmp_path / "report.json").write_text(json.dumps(stopped))
    run = kernelwright.load(tmp_path)
    assert isinstance(run, CompileRun) and not run.ok and "<div>interrupted</div>" in run._repr_html_()
    with pytest.raises(UserError, match=r"has no stage 'module' \(stages: none\)"):
        run.module  # noqa: B018


def test_a_search_tells_how_its_figures_were_obtained(x: torch.Tensor) -> None:
    found = kernelwright.search(nn.Softmax(-1), x, seconds=20, trials=2, overrides=["evaluator.seeds=1"])
    assert found.ok
    assert found.report["speedup"]["how"] == "cost model: estimated for h100, not measured"
    assert found.report["pipeline"] == "search{trials=2,seconds=20.0}"


def test_results_show_themselves_in_a_notebook(compiled: Compiled) -> None:
    text = compiled._repr_html_()
    assert "<b>Scaled for h100</b>" in text and ">lower-inductor</td>" in text
    assert "the cost model&#x27;s estimate of one call, not measured" in text
    assert compiled.verdict is not None
    shown = replace(compiled.verdict, detail="<script>")._repr_html_()
    assert "&lt;script&gt;" in shown and "<script>" not in shown and "nothing was timed" in shown
    timed = replace(compiled.verdict, times_ms={"candidate": 0.25})._repr_html_()
    assert "0.25, measured" in timed
    assert "lower-inductor" in kernelwright.passes()._repr_html_()  # type: ignore[attr-defined]


def test_overrides_are_spelt_as_on_the_command_line() -> None:
    given = {"trainer": {"steps": 2, "lr": 1e-3}, "rollout.rungs": ["parse", "run"], "adapter": None, "cache": False}
    assert as_overrides(given) == [
        "trainer.steps=2",
        "trainer.lr=0.001",
        "rollout.rungs=['parse','run']",
        "adapter=null",
        "cache=false",
    ]
    assert as_overrides(("a=b",)) == ["a=b"]
    with pytest.raises(UserError, match="give a list of texts"):
        as_overrides("seed=1")
    with pytest.raises(UserError, match="seed=<object"):
        as_overrides({"seed": object()})
