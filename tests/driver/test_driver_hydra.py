"""Hydra as its users know it: the override grammar, search paths, and configuration of packages outside this one."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from kernelwright.driver.discovery import discover
from kernelwright.driver.settings import read_settings
from kernelwright.driver.train_settings import read_train_settings
from kernelwright.ir.errors import UserError

REWARD = """_target_: mypackage.MyReward
weight: 2.0
needs: [times]
"""
CODE = """
from kernelwright.rl.algorithm import Algorithm

class MyReward(Algorithm):
    def __init__(self, weight, needs):
        super().__init__(gamma=weight / 4)
        self.__dict__["asked"] = needs

    def __call__(self, before, after, verdict):
        return 0.0
"""
RECIPE = """# @package _global_
defaults:
  - override /algorithm: raft
trainer: {steps: 7}
rollout: {n: 3}
"""


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of a user's own configuration, with a blank and a bracket in its name."""
    folder = tmp_path / "my conf (1)"
    (tmp_path / "mypackage.py").write_text(CODE)
    monkeypatch.syspath_prepend(tmp_path)
    for group, name, text in (
        ("reward", "mine", REWARD),
        ("algorithm", "mine", REWARD),
        ("recipe", "mine", RECIPE),
        ("policy", "mine", REWARD),
        ("target", "mine", REWARD),
        ("problems", "mine", REWARD),
    ):
        (folder / group).mkdir(parents=True, exist_ok=True)
        (folder / group / f"{name}.yaml").write_text(text)
    yield folder
    sys.modules.pop("mypackage", None)


def test_a_search_path_adds_options_to_our_groups(own: Path) -> None:
    settings = read_train_settings([f"hydra.searchpath=['file://{own}']", "recipe=mine"])
    assert (settings.plain.trainer.steps, settings.plain.rollout.n, settings.algorithm.kind) == (7, 3, "reinforce")
    with pytest.raises(UserError, match=r"unknown recipe 'yours' \(choose from .*mine"):
        read_train_settings([f"hydra.searchpath=['file://{own}']", "recipe=yours"])


def test_plugins_keep_keys_of_their_own(own: Path) -> None:
    given = [f"hydra.searchpath=['file://{own}']", *(f"{group}=mine" for group in ("reward", "algorithm", "policy"))]
    settings = read_train_settings([*given, "problems=mine", "target=mine", "reward.weight=3.5"])
    assert settings.plugins["reward"] == {"_target_": "mypackage.MyReward", "weight": 3.5, "needs": ["times"]}
    assert settings.plugins["algorithm"]["weight"] == 2.0 and settings.reward == "" and settings.algorithm.gamma == 0.5
    for group in (settings.plain.policy, settings.plain.problems, settings.plain.target):
        assert group.plugin == {"_target_": "mypackage.MyReward", "weight": 2.0, "needs": ["times"]}
    with pytest.raises(UserError, match=r"unknown configuration key 'reward.wight'; did you mean 'reward.weight'\?"):
        read_train_settings([*given, "reward.wight=1"])


def test_installed_packages_announce_their_configuration(own: Path, tmp_path: Path) -> None:
    package = tmp_path / "site" / "mypackage"
    package.mkdir(parents=True)
    own.rename(package / "conf")
    (package / "__init__.py").write_text(CODE)
    (package / "conf" / "__init__.py").touch()
    (tmp_path / "mypackage.py").unlink()
    info = tmp_path / "site" / "mypackage-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: mypackage\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[kernelwright.conf]\nmine = mypackage.conf\n")
    code = (
        "from kernelwright.driver.train_settings import read_train_settings as read; "
        "print(read(['recipe=mine', 'reward=mine']).plugins['reward']['weight'])"
    )
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.append({str(tmp_path / 'site')!r}); {code}"],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.stdout == "2.0\n", done.stderr


def test_keys_are_added_and_removed() -> None:
    discover()
    assert read_settings("some", ["+policy.adapters.a=there", "++seed=4"]).seed == 4
    assert read_settings("some", ["~seed"]).seed == 0
    assert read_train_settings(["~trainer.steps"]).plain.trainer.steps == 100
