"""Adapters that come with the package: what `shipped:NAME` means, and how one is made ready for it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file
from tiny_model import make_adapter, make_model

from kernelwright.agent.policy import Message, Sampling
from kernelwright.driver.config.policies import PolicyKind, PolicySettings, open_policy
from kernelwright.ir.errors import UserError
from kernelwright.serve import adapters

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "agents" / "ship_adapter.py"
RATES = {"problems": 2, "single": [0.5, 0.1, 0.9], "pass@8": [1.0, 0.6, 1.0], "cheat": [0.0, 0.0, 0.2]}
RESULTS = {
    "caliber": {"device": "a GPU", "versions": {"torch": "2"}, "judged": "parse", "command": "agents.py out.json"}
    | {"arms": {"base": {"form": "native", "adapter": ""}, "rl": {"form": "kernels", "adapter": "rl"}}},
    "sampling": {"n": 8, "temperature": 1.0, "max_tokens": 32},
    "rates": {"generated/sampled/rl": RATES},
    "differences": {
        "generated/sampled/rl - sft": {"problems": 2, "single": [0.1, 0, 0.2], "errors_removed": [0.4, 0, 1]}
    },
}

CHOICES = {
    "caliber": {
        "device": "a GPU",
        "versions": {"torch": "2"},
        "judged": "times",
        "command": "midend_agents.py out.json",
    }
    | {"arms": {"sft": {"form": "brief", "adapter": "sft"}}},
    "sampling": {"n": 4, "temperature": 1.0, "max_tokens": 64},
    "speedups": {"sft": {"modules": 7, "statuses": {}, "single": [1.5, 1.2, 1.9], "best": [2.0, 1.7, 2.4]}},
    "quotients": {"sft / search": {"best": [0.9, 0.8, 1.0]}},
}


def test_an_adapter_is_made_ready_and_found_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    transformers = pytest.importorskip("transformers")
    torch.set_num_threads(1)
    base = make_model(tmp_path / "base")
    trained = make_adapter(transformers.AutoModelForCausalLM.from_pretrained(base), tmp_path / "trained", 1)
    (tmp_path / "results.json").write_text(json.dumps(RESULTS))
    shelf = tmp_path / "shipped"
    command = [sys.executable, SCRIPT, trained, shelf / "frontend", "--results", tmp_path / "results.json"]
    subprocess.run(command, check=True, capture_output=True)

    weights = load_file(shelf / "frontend" / "adapter_model.safetensors")
    assert {value.dtype for value in weights.values()} == {torch.bfloat16}
    assert str(tmp_path) not in (shelf / "frontend" / "adapter_config.json").read_text()
    card = (shelf / "frontend" / "README.md").read_text()
    assert "| generated/sampled/rl | 2 | 0.500 [0.100, 0.900] | 1.000 [0.600, 1.000] |" in card
    assert "`fe-agent{adapter=frontend,form=kernels}`" in card
    assert "0.400 [0.000, 1.000]" in card and "agents.py out.json" in card

    (tmp_path / "choices.json").write_text(json.dumps(CHOICES))
    command = [sys.executable, SCRIPT, trained, tmp_path / "midend", "--results", tmp_path / "choices.json"]
    subprocess.run(command, check=True, capture_output=True)
    card = (tmp_path / "midend" / "README.md").read_text()
    assert "`me-agent{adapter=midend,action=pipeline,form=brief}`" in card
    assert "| speedups | modules | single attempt | best of 4 |" in card
    assert "| sft | 7 | 1.500 [1.200, 1.900] | 2.000 [1.700, 2.400] |" in card
    assert "| sft / search |  |  | 0.900 [0.800, 1.000] |" in card

    monkeypatch.setattr(adapters, "_SHELF", shelf)
    settings = PolicySettings(PolicyKind.hf, str(base), {"frontend": "shipped:frontend"}, max_model_len=128)
    with open_policy(settings) as policy:
        ((answer,),) = policy.sample([(Message("user", "hi"),)], Sampling(max_tokens=3, seed=0), "frontend")
    assert answer.version == "base+frontend@1"
    with pytest.raises(UserError, match=r"shipped:midend comes with this package \(there: frontend\)"):
        adapters.adapter_folder("shipped:midend")
