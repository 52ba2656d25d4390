"""Adapters between two others: what `model blend` writes, and what it refuses."""

import json
import shutil
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file
from tiny_model import make_adapter, make_model

from kernelwright.agent.policy import Message, Sampling
from kernelwright.driver.cli import main
from kernelwright.driver.config.policies import PolicyKind, PolicySettings, open_policy

_WEIGHTS = "adapter_model.safetensors"


@pytest.fixture
def ends(tmp_path: Path) -> tuple[Path, Path, Path]:
    """A base model and two adapters of it."""
    transformers = pytest.importorskip("transformers")
    torch.set_num_threads(1)
    base = make_model(tmp_path / "base")
    made = [
        make_adapter(transformers.AutoModelForCausalLM.from_pretrained(base), tmp_path / name, seed)
        for name, seed in (("start", 1), ("end", 2))
    ]
    return base, made[0], made[1]


def test_blend_lies_between(ends: tuple[Path, Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    base, start, end = ends
    out = tmp_path / "new" / "between"
    assert main(["model", "blend", str(start), str(end), "share=0.25", f"out={out}"]) == 0
    assert capsys.readouterr().out == f"{out}\n"
    first, second, found = (load_file(folder / _WEIGHTS) for folder in (start, end, out))
    assert any(not torch.equal(first[name], second[name]) for name in first), "two adapters, not one"
    for name in first:
        torch.testing.assert_close(found[name], 0.75 * first[name] + 0.25 * second[name])
    assert [path.name for path in out.parent.iterdir()] == ["between"], "nothing is left beside it"
    with open_policy(PolicySettings(PolicyKind.hf, str(base), {"one": str(out)}, max_model_len=128)) as policy:
        ((answer,),) = policy.sample([(Message("user", "hi"),)], Sampling(max_tokens=3, seed=0), "one")
    assert answer.version == "base+one@1"


@pytest.mark.parametrize("share", [0, 1])
def test_the_ends_are_the_adapters_themselves(ends: tuple[Path, Path, Path], tmp_path: Path, share: int) -> None:
    folders = ends[1:]
    assert main(["model", "blend", *map(str, folders), f"share={share}", f"out={tmp_path / 'out'}"]) == 0
    found, kept = load_file(tmp_path / "out" / _WEIGHTS), load_file(folders[share] / _WEIGHTS)
    assert all(torch.equal(found[name], kept[name].float()) for name in kept)


def test_what_does_not_fit_is_told(
    ends: tuple[Path, Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, start, end = ends
    out = f"out={tmp_path / 'out'}"

    def refused(*words: str) -> str:
        assert main(["model", "blend", *words]) == 2
        assert not (tmp_path / "out").exists()
        return capsys.readouterr().err

    assert "share=1.5: give a number from 0" in refused(str(start), str(end), "share=1.5", out)
    assert "share=half: give a number" in refused(str(start), str(end), "share=half", out)
    assert "share=NUMBER is missing" in refused(str(start), str(end))
    assert "out=FOLDER is missing" in refused(str(start), str(end), "share=0.5")
    assert "no key 'shares'; it takes share=NUMBER" in refused(str(start), str(end), "share=0.5", out, "shares=1")
    assert "takes `fetch NAME` or `blend START END`, got blend" in refused(str(start), "share=0.5", out)
    assert "no LoRA adapter in" in refused(str(start), str(tmp_path / "nowhere"), "share=0.5", out)

    other = Path(shutil.copytree(end, tmp_path / "other"))
    config = json.loads((other / "adapter_config.json").read_text())
    (other / "adapter_config.json").write_text(json.dumps(config | {"lora_alpha": 999}))
    assert "lora_alpha is" in refused(str(start), str(other), "share=0.5", out)
    (other / "adapter_config.json").write_text(json.dumps(config))
    weights = load_file(other / _WEIGHTS)
    lost = min(weights)
    save_file({name: value for name, value in weights.items() if name != lost}, other / _WEIGHTS)
    assert f"{lost} does not fit" in refused(str(start), str(other), "share=0.5", out)
    (other / _WEIGHTS).write_bytes(b"")
    assert "is damaged, for example copied in part" in refused(str(start), str(other), "share=0.5", out)


def test_what_is_there_stays(ends: tuple[Path, Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    _, start, end = ends
    before = (end / _WEIGHTS).read_bytes()
    assert main(["model", "blend", str(start), str(end), "share=0.5", f"out={end}"]) == 2
    assert "exists already" in capsys.readouterr().err
    assert (end / _WEIGHTS).read_bytes() == before
