"""Campaigns: every program gets a result, the file is complete after each, and a campaign goes on."""

import json
from pathlib import Path

import pytest
from rich.console import Console

from kernelwright.driver.build import discover
from kernelwright.driver.campaign import Campaign, Program, summarize
from kernelwright.driver.settings import read_settings

DOUBLE = """
import torch

class Model(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x) * 2

def get_inputs():
    return [torch.randn(5, 7)]
"""


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Campaign:
    discover()
    out = tmp_path_factory.mktemp("campaign") / "results.json"
    settings = read_settings("campaign", ["pipeline=lower"])
    programs = [Program("double", DOUBLE, {"level": 1}), Program("broken", "import torch\n", {"level": 2})]
    campaign = Campaign(out, settings, standalone=True)
    campaign.run(programs, Console(quiet=True))
    return campaign


def test_results_say_what_became_of_each_program(finished: Campaign) -> None:
    text = finished.out.read_text("utf-8")
    assert "def forward" not in text
    content = json.loads(text)
    good, bad = content["results"]
    assert (good["status"], good["level"], good["kernels"], good["externs"]) == ("ok", 1, 1, [])
    assert good["parses_back"]
    assert good["standalone"]["ran"] and good["standalone"]["largest_difference"] < 1e-6
    assert (bad["status"], bad["name"]) == ("not_imported", "broken")
    assert "no class `Model`" in bad["cause"]
    assert content["summary"]["by_status"] == {"ok": 1, "not_imported": 1}
    assert content["summary"]["verified_by_level"] == {"1": 1}


def test_resuming_keeps_results_and_names_what_killed_the_process(finished: Campaign) -> None:
    content = json.loads(finished.out.read_text("utf-8"))
    content["results"].append({"name": "fatal", "status": "running"})
    finished.out.write_text(json.dumps(content))
    again = Campaign(finished.out, finished.settings, resume=True)
    programs = [Program("double", "not even Python"), Program("fatal", DOUBLE)]
    results = again.run(programs, Console(quiet=True))["results"]
    assert [result["status"] for result in results] == ["ok", "not_imported", "crash"]


def test_a_program_may_not_take_longer_than_its_limit(finished: Campaign, tmp_path: Path) -> None:
    endless = DOUBLE.replace("return [torch", "import time; time.sleep(60); return [torch")
    campaign = Campaign(tmp_path / "slow.json", finished.settings, timeout_s=1.0)
    results = campaign.run([Program("endless", endless)], Console(quiet=True))["results"]
    assert results[0]["status"] == "timeout"
    assert results[0]["seconds"] < 10


def test_summary_of_nothing() -> None:
    assert summarize([])["median_seconds"] is None
