"""Campaigns: every program gets a result, the file is complete after each, and a campaign goes on."""

import json
from pathlib import Path

import pytest
from rich.console import Console

from kernelwright.driver.campaigns.campaign import Campaign, summarize
from kernelwright.driver.campaigns.programs import Program
from kernelwright.driver.config.discovery import discover
from kernelwright.driver.config.settings import read_settings
from kernelwright.ir.errors import UserError

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


def test_resuming_keeps_results_but_for_those_to_try_again(finished: Campaign, tmp_path: Path) -> None:
    out = tmp_path / "results.json"
    out.write_text(finished.out.read_text("utf-8"), "utf-8")
    again = Campaign(out, finished.settings, resume=True, again=frozenset({"not_imported"}))
    programs = [Program("broken", DOUBLE), Program("double", "not even Python")]
    results = again.run(programs, Console(quiet=True))["results"]
    assert [(result["name"], result["status"]) for result in results] == [("broken", "ok"), ("double", "ok")]


@pytest.mark.parametrize(
    "text", ['{"results": [{"name"', "[]", '{"results": [1]}', '{"results": [{"name": "a"}]}', "{}"]
)
def test_a_file_that_holds_no_results_is_named(finished: Campaign, tmp_path: Path, text: str) -> None:
    (tmp_path / "results.json").write_text(text)
    again = Campaign(tmp_path / "results.json", finished.settings, resume=True)
    with pytest.raises(UserError, match=r"results\.json is not a campaign's file of results, or it is damaged"):
        again.run([Program("double", DOUBLE)], Console(quiet=True))
    assert (tmp_path / "results.json").read_text() == text


def test_a_program_that_takes_its_process_along_costs_only_itself(finished: Campaign, tmp_path: Path) -> None:
    fatal = DOUBLE.replace("import torch", "import os, torch\nos._exit(3)", 1)
    campaign = Campaign(tmp_path / "fatal.json", finished.settings, jobs=2)
    programs = [Program("fatal", fatal), *(Program(f"double_{i}", DOUBLE) for i in range(2))]
    results = campaign.run(programs, Console(quiet=True))["results"]
    assert [result["status"] for result in results] == ["crash", "ok", "ok"]


def test_a_program_may_not_take_longer_than_its_limit(finished: Campaign, tmp_path: Path) -> None:
    endless = DOUBLE.replace("return [torch", "import time; time.sleep(60); return [torch")
    campaign = Campaign(tmp_path / "slow.json", finished.settings, timeout_s=1.0)
    results = campaign.run([Program("endless", endless)], Console(quiet=True))["results"]
    assert results[0]["status"] == "timeout"
    assert results[0]["seconds"] < 10


def test_summary_of_nothing() -> None:
    assert summarize([])["median_seconds"] is None
