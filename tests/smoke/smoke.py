"""What Kernelwright does wherever it is installed: run by pytest from any folder, it knows nothing of a checkout.

    python -m pytest smoke.py                  # all that this machine can do
    python -m pytest smoke.py -m gpu           # the tests that need a CUDA device, alone
    python -m pytest tests/smoke/smoke.py      # in a checkout that is not installed

KERNELWRIGHT_SMOKE says what is expected: `installed` (the package lies in site-packages), `base` (no extra is there),
`train` (this extra is); several are joined by commas.
"""

import importlib.metadata
import importlib.util
import json
import os
import pkgutil
import subprocess
import sys
import warnings
from importlib import resources
from pathlib import Path

import pytest
import torch

import kernelwright
from kernelwright.backend.versions import SAID
from kernelwright.driver.cli import main

EXPECTED = set(filter(None, os.environ.get("KERNELWRIGHT_SMOKE", "").split(",")))
EXTRA = all(map(importlib.util.find_spec, ("transformers", "peft", "safetensors")))
GPU = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")

PROGRAM = """import torch


class Model(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.linear = torch.nn.Linear(width, width)

    def forward(self, x):
        return torch.softmax(torch.nn.functional.gelu(self.linear(x)), dim=-1) + x.mean(-1, keepdim=True)


def get_inputs():
    return [torch.randn(6, 24)]


def get_init_inputs():
    return [24]
"""
REFERENCE = """import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x) * 2.0


def get_inputs():
    return [torch.randn(5, 70)]


def get_init_inputs():
    return []
"""
CANDIDATE = """import torch
import triton
import triton.language as tl


@triton.jit
def double(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    tl.store(out_ptr + i, tl.maximum(x, 0.0) * FACTOR, mask=i < n)


class ModelNew(torch.nn.Module):
    def forward(self, x):
        out = torch.empty_like(x)
        double[(triton.cdiv(x.numel(), 128),)](x, out, x.numel(), BLOCK=128)
        return out
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to work in."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "model.py").write_text(PROGRAM)
    (tmp_path / "reference.py").write_text(REFERENCE)
    return tmp_path


def test_it_is_where_it_should_be() -> None:
    found = Path(kernelwright.__file__)
    if "installed" in EXPECTED:
        assert "site-packages" in found.parts
        assert importlib.metadata.version("kernelwright") == kernelwright.__version__
    if EXPECTED & {"base", "train"}:
        assert ("train" in EXPECTED) == EXTRA


def test_it_comes_with_its_files() -> None:
    files = resources.files("kernelwright")
    assert (files / "py.typed").is_file()
    assert (files / "conf" / "recipe" / "smollm.yaml").is_file()
    assert all((files / stage / "prompts" / "again.md").is_file() for stage in ("frontend", "midend"))
    shipped = [file.name for stage in (files / "serve" / "shipped").iterdir() for file in stage.iterdir()]
    assert any(name.endswith(".safetensors") for name in shipped)
    if "installed" in EXPECTED:
        assert any(path.name == "LICENSE" for path in importlib.metadata.files("kernelwright") or ())


def test_every_module_is_there_but_for_extras() -> None:
    extras = ["transformers", "peft", "accelerate", "gguf", "safetensors", "tensorboard", "matplotlib", "vllm", "ray"]
    absent = {name for name in (*extras, "datasets", "wandb", "pynvml") if importlib.util.find_spec(name) is None}
    missing: dict[str, str | None] = {}
    for found in pkgutil.walk_packages(kernelwright.__path__, "kernelwright."):
        try:
            importlib.import_module(found.name)
        except ModuleNotFoundError as error:
            missing[found.name] = (error.name or "").partition(".")[0]
    assert SAID not in os.environ, "this release of torch or Triton was not tried"
    assert set(missing.values()) <= absent, missing
    assert not [name for name in missing if name.split(".")[1] not in ("rl", "driver")], missing


def test_the_command_is_installed() -> None:
    command = Path(sys.executable).with_name("kernelwright")
    words = [str(command)] if command.is_file() else [sys.executable, "-m", "kernelwright.driver.cli"]
    assert command.is_file() or "installed" not in EXPECTED
    done = subprocess.run([*words, "passes"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "lower-inductor" in done.stdout


@pytest.mark.usefixtures("place")
def test_compile_for_a_gpu_that_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["compile", "model.py", "target=h100", "-p", "lower-inductor", "--json", "--emit=ptx", "-o", "model.ptx"]
    assert main(words) == 0
    captured = capsys.readouterr()
    assert json.loads(captured.out)["stages"][-1]["kernels"], captured.err
    assert "torch/_dynamo" not in captured.err, captured.err
    assert ".target sm_90" in Path("model.ptx").read_text()


@pytest.mark.parametrize(("factor", "status"), [("2.0", "ok"), ("2.5", "mismatch")])
def test_evaluate(place: Path, capsys: pytest.CaptureFixture[str], factor: str, status: str) -> None:
    (place / "candidate.py").write_text(CANDIDATE.replace("FACTOR", factor))
    words = ["reference=reference.py", "candidate=candidate.py", "rungs=[parse,compile,interpret]", "target=h100"]
    assert main(["evaluate", *words]) == (status != "ok")
    verdict = json.loads(capsys.readouterr().out)
    assert (verdict["status"], verdict["rung"]) == (status, "interpret"), verdict


def test_opt(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["opt", "model.py", "-p", "lower-inductor,cache-hints", "--verify", "-o", "module.py"]) == 0
    assert "@triton.jit" in (place / "module.py").read_text()
    assert main(["opt", "module.py", "-p", "tune{trials=2}", "target=h100", "--verify"]) == 0
    assert "num_warps" in capsys.readouterr().out


def compiled_and_eager(device: str, store: Path) -> list[str]:
    """What ran each graph of a model under `torch.compile`, once its results are eager's.

    The store has a replacement for each kernel: Inductor's own text, under another name.
    """
    from kernelwright.backend.store.entry import Entry, Versions
    from kernelwright.backend.store.store import Store
    from kernelwright.driver.torch_backend import kernelwright as function
    from kernelwright.driver.torch_compile import regions
    from kernelwright.frontend.swap.hooks import observing
    from kernelwright.frontend.swap.key import read

    backend = "kernelwright" if "kernelwright" in torch.compiler.list_backends() else function
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.LayerNorm(32), torch.nn.GELU()).eval().to(device)
    x, written = torch.randn(5, 16, device=device), []
    torch.compiler.reset()
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with observing(written.append), torch._inductor.config.patch(force_disable_caches=True):
            torch.compile(model)(x)
        torch.compiler.reset()
        for one in written:
            kernel = read(one.source)
            text = one.source.replace(one.name, "replacement")
            known = {"module": "a copy", "replacement": text, "form": "kernel"}
            Store.open(store).put(Entry(kernel.key, kernel.target, Versions.installed(), "replacement", **known))
        result = torch.compile(model, backend=backend, options={"store": str(store)})(x)
        torch.testing.assert_close(result, model(x), rtol=2e-3, atol=2e-3)
    return [f"{region.runs}, {region.why}" for region in regions()]


def test_torch_compile_on_a_cpu(tmp_path: Path) -> None:
    assert compiled_and_eager("cpu", tmp_path) == ["inductor, it has no Triton kernel"]


@pytest.mark.gpu
@GPU
def test_torch_compile_on_a_gpu(tmp_path: Path) -> None:
    assert compiled_and_eager("cuda", tmp_path) == ["kernelwright, 1 of 1 kernels replaced"]


@pytest.mark.gpu
@GPU
def test_evaluate_on_a_gpu(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (place / "candidate.py").write_text(CANDIDATE.replace("FACTOR", "2.0"))
    words = ["reference=reference.py", "candidate=candidate.py", "rungs=[parse,compile,interpret,run,time]"]
    status = main(["evaluate", *words])
    verdict = json.loads(capsys.readouterr().out)
    assert (status, verdict["status"], verdict["rung"]) == (0, "ok", "time"), verdict
    assert verdict["speedup"] > 0


def tiny_model(folder: Path) -> None:
    """A Llama of a few thousand weights, with a tokenizer of bytes and a chat template."""
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    names = ["<unk>", "<end>", *sorted(pre_tokenizers.ByteLevel.alphabet())]
    vocabulary = {name: number for number, name in enumerate(names)}
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=[], unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<end>", unk_token="<unk>", pad_token="<end>")
    fast.chat_template = "{% for m in messages %}{{ m['role'] + ': ' + m['content'] + '\n' }}{% endfor %}assistant: "
    fast.save_pretrained(folder)
    torch.manual_seed(0)
    sizes = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2}
    config = LlamaConfig(vocab_size=len(fast), num_key_value_heads=2, eos_token_id=fast.eos_token_id, **sizes)
    config.max_position_embeddings = 16384
    LlamaForCausalLM(config).save_pretrained(folder)


def one_step(place: Path, device: str) -> list[str]:
    """The words of a training step that takes seconds."""
    tiny_model(place / "base")
    words = ["policy=hf", f"policy.model={place / 'base'}", "policy.max_model_len=16000", f"device={device}"]
    words += ["trainer=small", "trainer.budget=8000", "trainer.rank=4", "trainer.steps=1", "trainer.problems=1"]
    words += ["problems.count=1", "rollout.n=2", "rollout.max_tokens=8", "rollout.rungs=[parse,interpret]"]
    return ["train", *words, "workers=1", "readers=1", "canary.scale=1.0", f"out={place / 'run'}"]


@pytest.mark.skipif(not EXTRA, reason="needs the extra train")
def test_a_training_step(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status = main(one_step(place, "cpu"))
    captured = capsys.readouterr()
    assert status == 0, captured.err
    assert json.loads(captured.out.splitlines()[-1])["turns"] == 2
    assert list((place / "run" / "adapter").glob("*.safetensors"))


@pytest.mark.gpu
@GPU
@pytest.mark.skipif(not EXTRA, reason="needs the extra train")
def test_a_training_step_on_a_gpu(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status = main(one_step(place, "cuda"))
    captured = capsys.readouterr()
    assert status == 0, captured.err
    assert json.loads(captured.out.splitlines()[-1])["turns"] == 2


@pytest.mark.skipif(EXTRA, reason="the extra train is installed")
@pytest.mark.parametrize(
    "words",
    [["train"], ["sft", "pairs=pairs.jsonl"], ["ablate", "experiment=algorithms"]],
    ids=lambda words: words[0],
)
def test_the_extra_that_is_missing_is_named(place: Path, capsys: pytest.CaptureFixture[str], words: list[str]) -> None:
    (place / "pairs.jsonl").touch()
    assert main(words) == 2
    (line,) = [line for line in capsys.readouterr().err.splitlines() if line.startswith("kernelwright: ")]
    assert line.endswith("is not installed: pip install 'kernelwright[train]'")


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize("device", ["cpu", pytest.param("cuda", marks=[pytest.mark.gpu, GPU])])
def test_a_live_module(device: str) -> None:
    model, x = torch.nn.Softmax(-1), torch.randn(4, 24, device=device)
    compiled = kernelwright.compile(model, x, pipeline="lower-inductor", target="h100")
    assert compiled.verdict.ok
    given = compiled(x)
    assert isinstance(given, torch.Tensor) and given.device == x.device
    torch.testing.assert_close(given, model(x))
