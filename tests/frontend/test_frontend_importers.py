"""Importers: what comes in, what is refused and with which words."""

from pathlib import Path

import pytest
import torch
from torch import nn

from kernelwright.backend.reference.program import ReferenceProgram
from kernelwright.driver.config.settings import Device, ImportSettings
from kernelwright.driver.run.build import import_reference
from kernelwright.frontend.importers import import_file, import_module, import_source, lifted_tensors
from kernelwright.ir.errors import LoweringError, UserError
from kernelwright.ir.values import KernelModule, Level, ScalarSpec, TensorSpec, Tolerance
from kernelwright.rl.data.problems import load_problems

GOOD = """
import torch

class Model(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.linear = torch.nn.Linear(width, 3)

    def forward(self, x, s):
        return torch.relu(self.linear(x)) * s

def get_inputs():
    return [torch.randn(5, 8), 2.5]

def get_init_inputs():
    return [8]
"""


def test_file_becomes_a_module_at_level_torch(tmp_path: Path) -> None:
    path = tmp_path / "scaled.py"
    path.write_text(GOOD)
    module = import_file(path, shrink="never")
    assert module.name == "scaled"
    assert module.level is Level.TORCH
    assert module.reference.inputs == (TensorSpec.contiguous("x", "f32", (5, 8)), ScalarSpec("s", 2.5))
    assert [spec.path for spec in module.reference.state] == ["linear.weight", "linear.bias"]
    assert module.reference.outputs == (TensorSpec.contiguous("out", "f32", (5, 3)),)
    assert module.reference.source == GOOD
    assert not module.reference.shrunken
    assert module.reference.numerics == "ieee"
    assert import_file(path, shrink="never", numerics="torch").reference.numerics == "torch"


@pytest.mark.parametrize("shrink", ["never", "auto", "always"])
def test_a_file_runs_once_as_it_is_read(tmp_path: Path, shrink: str) -> None:
    log = tmp_path / "log"
    import_source(f"open({str(log)!r}, 'a').write('run ')\n{GOOD}", "scaled", shrink=shrink)
    assert log.read_text() == "run "


def test_shrinking_is_recorded() -> None:
    big = GOOD.replace("randn(5, 8)", "randn(65536, 8)")
    module = import_source(big, "big", shrink="always", budget=4096)
    assert module.reference.shrunken
    assert module.reference.inputs[0].shape[0] < 65536
    kept = import_source(GOOD, "small", shrink="always")
    assert not kept.reference.shrunken


def test_what_cannot_be_shrunk_is_kept_by_auto_alone() -> None:
    reading = GOOD.replace("* s", "* s if x.sum() > 0 else x")
    assert import_source(reading, "reading", shrink="auto").reference.source == reading
    with pytest.raises(UserError, match="cannot be shrunk"):
        import_source(reading, "reading", shrink="always")


def test_batch_norm_in_training_mode_is_kept_as_it_is() -> None:
    source = GOOD.replace("torch.nn.Linear(width, 3)", "torch.nn.BatchNorm1d(width)")
    module = import_source(source, "norm", shrink="never")
    assert "linear.running_mean" in [spec.path for spec in module.reference.state]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("class Model(", "class Net(", "no class `Model`.*get_inputs"),
        ("def get_inputs", "def inputs", r"no `get_inputs\(\)`"),
        ("return [8]", "return [", "p:1[67]: .*was never closed"),
        ("torch.randn(5, 8), 2.5", "torch.randn(5, 7), 2.5", "the program itself fails.*mat1 and mat2"),
        ("torch.randn(5, 8), 2.5", "torch.randn(5, 8), 'two'", "input 1 .* is a str"),
        ("torch.randn(5, 8), 2.5", "{'x': torch.randn(5, 8)}, 2", "the program itself fails.*not dict"),
        ("torch.randn(5, 8), 2.5", "torch.missing(5), 2.5", r"get_inputs\(\) fails: AttributeError"),
        ("return [8]", "return [8, 9]", r"Model\(...\) fails: TypeError"),
        ("* s", "* s, object()", "return tensors, None, numbers"),
        ("torch.randn(5, 8), 2.5", "torch.randn(5, 8)", "forward"),
        ("import torch\n", "import torch\nimport no_such_module\n", "does not run: ModuleNotFoundError"),
    ],
)
def test_bad_programs_are_named(old: str, new: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        import_source(GOOD.replace(old, new, 1), "p", shrink="never")


def test_missing_file_and_bad_options(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="No such file"):
        import_file(tmp_path / "absent.py")
    with pytest.raises(UserError, match="choose auto, never or always"):
        import_source(GOOD, "p", shrink="maybe")
    with pytest.raises(UserError, match="choose ieee, torch, tf32, bf16"):
        import_source(GOOD, "p", numerics="fp8")  # type: ignore[arg-type]
    with pytest.raises(UserError, match="budget=0"):
        import_source(GOOD, "p", budget=0)


class Block(nn.Module):
    """Views, a constant, attention, two dtypes, several outputs."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(8, 8)
        self.norm = nn.BatchNorm1d(4)
        self.register_buffer("offset", torch.ones(8))

    def forward(self, x: torch.Tensor, ids: torch.Tensor, scale: float) -> tuple[torch.Tensor, ...]:
        y = self.norm(self.linear(x) + self.offset * scale)
        z = nn.functional.scaled_dot_product_attention(y, y, y, is_causal=True)
        picked = x.flatten(0, 1)[ids] + torch.tensor([1.0, float("inf")])[:1]
        z[0] = 0.5
        return z.to(torch.bfloat16), picked.t(), torch.arange(3, device=x.device) + ids.sum()


def assert_same(module: KernelModule, model: nn.Module, inputs: tuple[object, ...]) -> None:
    program = ReferenceProgram.load(module.reference)
    lifted = lifted_tensors(model, inputs)
    assert len(module.reference.inputs) == len(lifted)
    ours = program.run(program.build(0), lifted)
    theirs = model(*inputs)
    for mine, expected in zip(ours, theirs, strict=True):
        torch.testing.assert_close(mine, expected.detach())


def test_module_is_traced_to_aten_and_computes_the_same() -> None:
    model = Block().eval()
    inputs = (torch.randn(2, 4, 8), torch.tensor([7, 0, 3]), 0.5)
    module = import_module(model, inputs, name="block")
    assert module.reference.state == ()
    assert "cpu" not in module.reference.source
    assert_same(module, model, inputs)
    made = ReferenceProgram.load(module.reference).inputs(seed=1)
    assert made[1].min() >= 0 and made[1].max() <= 7


def test_strides_of_inputs_are_kept() -> None:
    x = torch.randn(6, 4).t()[:, ::2]
    module = import_module(nn.ReLU(), (x,))
    assert module.reference.inputs == (TensorSpec("x", "f32", (4, 3), (1, 8)),)
    made = ReferenceProgram.load(module.reference).inputs(seed=0)[0]
    assert made.stride() == (1, 8)


class InPlace(nn.Module):
    """Writes to its input."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x.add_(1)


class ValueDependent(nn.Module):
    """Branches on a value."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + 1 if x.sum() > 0 else x


class Named(nn.Module):
    """Returns a dict."""

    def forward(self, x: torch.Tensor) -> dict[str, torch.Tensor]:
        return {"y": x + 1}


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (InPlace(), "writes to x in place"),
        (nn.Dropout(0.5), "random numbers"),
        (nn.BatchNorm1d(4), "running statistics|in place"),
        (ValueDependent(), "cannot be traced"),
        (Named(), "returns dict"),
    ],
)
def test_what_has_no_functional_graph_is_refused(model: nn.Module, message: str) -> None:
    with pytest.raises(LoweringError, match=message):
        import_module(model, (torch.randn(3, 4),))


def test_outputs_may_be_compared_as_publications_do() -> None:
    source = "import torch\n\n\nclass Model(torch.nn.Module):\n    def forward(self, x):\n        return x * 2\n\n\n"
    source += "def get_inputs():\n    return [torch.randn(3)]\n"
    assert import_source(source, "some").reference.tolerance == Tolerance()
    settings = ImportSettings(allclose=1e-4)
    wanted = Tolerance("allclose", rtol=1e-4, atol=1e-4)
    assert import_source(source, "some", **settings.options).reference.tolerance == wanted
    assert import_reference(source, "some", settings, Device.auto).tolerance == wanted  # in a process of its own


LARGE_MODEL = """import torch
from transformers import AutoModelForCausalLM, LlamaConfig


class Model(torch.nn.Module):
    def __init__(self, config):
        super().__init__()
        self.model = AutoModelForCausalLM.from_config(config)

    def forward(self, x):
        return self.model(x).logits


config = LlamaConfig(
    vocab_size=64, hidden_size=16, intermediate_size=32, num_hidden_layers=1, num_attention_heads=2,
    num_key_value_heads=1, max_position_embeddings=32,
)


def get_inputs():
    return [torch.randint(0, 64, (1, 8))]


def get_init_inputs():
    return [config]
"""


@pytest.mark.slow
def test_a_problem_of_level_4_is_read_with_random_weights(tmp_path: Path) -> None:
    place = tmp_path / "KernelBench" / "level4"
    place.mkdir(parents=True)
    (place / "1_tiny-llama_bs1_seq8.py").write_text(LARGE_MODEL)
    (problem,) = load_problems(str(tmp_path / "KernelBench"))
    assert (problem.id, problem.provenance["level"]) == ("kernelbench/4/1", 4)
    reference = import_reference(problem.source, problem.id, ImportSettings(), Device.auto)
    assert reference.outputs[0].shape == (1, 8, 64) and len(reference.state) > 8
