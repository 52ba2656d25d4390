"""Plain overrides are refused without Hydra: in the same words, and never where Hydra accepts them."""

import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from omegaconf import OmegaConf

from kernelwright.driver.ablation import settings as ablate_settings
from kernelwright.driver.config import plain, settings, train_settings
from kernelwright.driver.config.composition import compose_config
from kernelwright.driver.config.plain import Shape, refuse
from kernelwright.driver.pairs import settings as pair_settings
from kernelwright.ir.errors import UserError

Read = Callable[[Sequence[str]], object]
VERBS: dict[str, tuple[Shape, Read]] = {
    "config": (settings._COMPILING, lambda given: settings.read_settings("some", given)),
    "evaluate": (settings._JUDGING, settings.read_evaluate_settings),
    "train": (train_settings._TRAINING, train_settings.read_train_settings),
    "sft": (train_settings._TUNING, lambda given: train_settings.read_sft_settings(["pairs=a.jsonl", *given])),
    "data": (pair_settings._PAIRING, pair_settings.read_pair_settings),
    "ablate": (ablate_settings._ABLATING, ablate_settings.read_ablate_settings),
}
REFUSED = [
    ("config", "targt=h100"),
    ("config", "target=h1000"),
    ("config", "evaluator.seed=1"),
    ("config", "evaluator.seeds=0"),
    ("config", "evaluator.seeds=2.5"),
    ("config", "import.shrink=small"),
    ("config", "import.memory=3"),
    ("config", "seed=ab"),
    ("evaluate", "workers=0"),
    ("evaluate", "worker=1"),
    ("train", "algorithm.gamma=3"),
    ("train", "algorithm.gama=1"),
    ("train", "algorithm=grpoo"),
    ("train", "trainer.lr=0"),
    ("train", "trainer.lr=high"),
    ("train", "policy.max_spent=much"),
    ("train", "trainer.lr=-1e-3"),
    ("train", "rollout.history=fully"),
    ("train", "reward=midendd"),
    ("train", "recipe=mine"),
    ("train", "stages=midend"),
    ("sft", "epochs=many"),
    ("sft", "warm_start=grpo"),
    ("data", "count=-1"),
    ("data", "difficulty=7"),
    ("data", "evaluator.seed=1"),
    ("data", "counts=3"),
    ("ablate", "experiment=stage"),
    ("ablate", "problems.count=0"),
    ("ablate", "seed=3"),
]
ACCEPTED = [
    ("config", "evaluator.seeds=0 evaluator.seeds=2"),
    ("config", "evaluator={seeds: 2} import.shrink=always"),
    ("config", "policy=replay policy.adapters.mine=there"),
    ("config", "seed='3' run=stdout name=a-b"),
    ("config", "evaluator.kind=EvaluatorKind.local evaluator.externs=on evaluator.timeout_s=3"),
    ("config", "+policy.adapters.a=there evaluator.seeds=${seed} seed=1"),
    ("config", "seed=007"),
    ("evaluate", "evaluator=default device=cpu import.budget=null"),
    ("train", "recipe=kevin trainer.steps=3 reward=kevin stage=midend"),
    ("train", "reward.success=2 algorithm.dual_c=3 algorithm.band=[0.5,2]"),
    ("train", "rollout.rungs=parse problems.split=null problems.levels=[1,2] ~judge"),
    ("sft", "trainer=small device=cpu"),
    ("data", "difficulty=2 target=h100 evaluator.seeds=2 stage=midend"),
    ("ablate", "experiment=stages problems.count=3 limit=2"),
]


@pytest.fixture
def without_hydra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "hydra")


def _said(call: Callable[[], object]) -> str:
    with pytest.raises(UserError) as caught:
        call()
    return str(caught.value)


@pytest.mark.parametrize(("root", "override"), REFUSED, ids=[override for _, override in REFUSED])
def test_what_is_wrong_is_told_in_the_same_words(root: str, override: str, monkeypatch: pytest.MonkeyPatch) -> None:
    shape, read = VERBS[root]
    fully = _said(lambda: read([override]))
    monkeypatch.delitem(sys.modules, "hydra")
    assert _said(lambda: refuse([override], root, shape)) == fully


@pytest.mark.parametrize(("root", "line"), ACCEPTED, ids=[line for _, line in ACCEPTED])
def test_what_hydra_accepts_is_not_refused(root: str, line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    given = line.replace(": ", ":").split()
    shape, read = VERBS[root]
    read(given)
    monkeypatch.delitem(sys.modules, "hydra")
    refuse(given, root, shape)


@pytest.mark.usefixtures("without_hydra")
@pytest.mark.parametrize("more", ["hydra.searchpath=[file:///nowhere]", "+some.key=1", "target=[h100]", "seed"])
def test_what_may_change_all_is_left_to_hydra(more: str) -> None:
    refuse(["evaluator.seeds=0", "targt=1", more], "config", settings._COMPILING)


@pytest.mark.usefixtures("without_hydra")
def test_configuration_of_other_packages_is_left_to_hydra(monkeypatch: pytest.MonkeyPatch) -> None:
    refuse(["reward=mine"], "mine", train_settings._TRAINING)  # a configuration of the user's own
    monkeypatch.setattr(plain, "announced", lambda group: {"mine": ()} if group == "kernelwright.rewards" else {})
    refuse(["reward=mine"], "train", train_settings._TRAINING)


@pytest.mark.parametrize("root", VERBS)
def test_the_keys_are_those_that_hydra_composes(root: str) -> None:
    shape, _ = VERBS[root]
    composed = OmegaConf.to_container(compose_config(root=root, missing={"name": "some"}))
    keys, open_keys = shape.keys(), ("reward.", "arms.", "policy.adapters.")
    assert {key for key in _dotted(composed) if not key.startswith(open_keys)} == {
        key for key in sorted(keys) if not key.startswith(open_keys)
    }


def _dotted(config: object, prefix: str = "") -> list[str]:
    items = config.items() if isinstance(config, dict) else ()
    return [name for key, value in items for name in (f"{prefix}{key}", *_dotted(value, f"{prefix}{key}."))]


def test_errors_of_plain_overrides_do_not_wait_for_hydra(tmp_path: Path) -> None:
    (tmp_path / "small.py").touch()
    code = (
        "import sys; from kernelwright.driver.cli import main\n"
        "for line in sys.argv[1:]: assert main(line.split()) == 2 and 'hydra' not in sys.modules, line"
    )
    lines = ["compile small.py targt=h100", "train algorithm.gamma=3", "sft epochs=many", "evaluate batch=nope.jsonl"]
    lines += ["evaluate reference=small.py candidat=small.py"]
    done = subprocess.run([sys.executable, "-c", code, *lines], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("kernelwright: error:") == len(lines)
    assert "'candidat'; did you mean 'candidate'?" in done.stderr


@pytest.mark.usefixtures("without_hydra")
@pytest.mark.parametrize("override", ["epochs=many", "trainer.lr=high", "policy.max_spent=much"])
def test_a_word_for_a_number_is_refused_without_omegaconf(override: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "omegaconf", None)
    verb = "sft" if override.startswith("epochs") else "train"
    with pytest.raises(UserError, match=f"{override}: give a (whole )?number"):
        refuse([override], verb, VERBS[verb][0])
