"""Configuration: every YAML composes, every value fits the schema, and wrong overrides are explained."""

from pathlib import Path

import pytest
from hydra import compose, initialize_config_module
from omegaconf import OmegaConf

from kernelwright import conf
from kernelwright.backend.targets import TARGETS
from kernelwright.driver.ablation.settings import read_ablate_settings
from kernelwright.driver.config.composition import CONFIG_MODULE, compose_config
from kernelwright.driver.config.discovery import discover
from kernelwright.driver.config.settings import Numerics, Shrink, read_settings
from kernelwright.driver.config.train_settings import TrainSchema
from kernelwright.ir.errors import UserError
from kernelwright.ir.options import listed
from kernelwright.ir.pipeline import Pipeline

ROOT = Path(conf.__path__[0])
GROUPS = sorted(path.name for path in ROOT.iterdir() if path.is_dir() and path.name != "__pycache__")
OPTIONS = sorted((path.parent.name, path.stem) for path in ROOT.glob("*/*.yaml"))


@pytest.fixture(autouse=True)
def _passes() -> None:
    discover()


@pytest.mark.parametrize("root", sorted(path.stem for path in ROOT.glob("*.yaml")))
def test_every_root_composes(root: str) -> None:
    config = compose_config(root=root, missing={"name": "some"})
    assert OmegaConf.to_container(config, throw_on_missing=True)


@pytest.fixture(scope="module")
def compiling() -> set[str]:
    """The groups that `compile` has a use for."""
    return {str(key) for key in compose_config(missing={"name": "some"})}


@pytest.mark.parametrize(("group", "option"), OPTIONS)
def test_every_option_composes_and_fits(group: str, option: str, compiling: set[str]) -> None:
    if group in compiling:
        read_settings("some", [f"{group}={option}"])
    elif group == "experiment":
        assert read_ablate_settings([f"{group}={option}"]).name == option
    else:  # a group that `compile` has no use for
        root = {"warm_start": "sft", "sweep": "bench"}.get(group, "train")
        assert compose_config([f"{group}={option}"], root=root)


def test_every_target_has_its_option() -> None:
    options = {option for group, option in OPTIONS if group == "target"}
    assert options == {"auto", *TARGETS}
    for option in options:
        assert read_settings("some", [f"target={option}"]).target == option


@pytest.mark.parametrize("option", [option for group, option in OPTIONS if group == "pipeline"])
def test_every_pipeline_round_trips(option: str) -> None:
    pipeline = read_settings("some", [f"pipeline={option}"]).pipeline
    assert Pipeline.from_config(pipeline.to_config()) == pipeline
    assert read_settings("some", pipeline=str(pipeline)).pipeline == pipeline


def test_defaults() -> None:
    settings = read_settings("my model (2)")
    assert settings.name == "my_model__2_" and settings.out.startswith("runs/my_model__2_-20")
    assert settings.importing.shrink is Shrink.auto and settings.importing.budget is None
    assert settings.importing.numerics is Numerics.torch
    assert [pass_.name for pass_ in settings.pipeline.passes] == ["lower-inductor", "tune"]


def test_overrides_reach_the_settings() -> None:
    given = [
        "import.shrink=never",
        "import.budget=99",
        "import.numerics=ieee",
        "evaluator.seeds=1",
        "seed=5",
        "name=n",
        "out=a/${name}",
    ]
    settings = read_settings("file", given)
    assert (settings.importing.shrink, settings.importing.budget) == (Shrink.never, 99)
    assert settings.importing.options == {"budget": 99, "numerics": "ieee"}
    assert (settings.evaluator.seeds, settings.seed, settings.name, settings.out) == (1, 5, "n", "a/n")


@pytest.mark.parametrize("given", ["policy.adapters={mine: there}", "policy.adapters.mine=there"])
def test_adapters_have_names_of_their_own(given: str) -> None:
    assert read_settings("some", ["policy=hf", given]).policy.adapters == {"mine": "there"}


BAD = [
    ("targt=h100", "unknown configuration key 'targt'; did you mean 'target'? (valid keys: evaluator, import,"),
    ("evaluator.seed=1", "did you mean 'evaluator.seeds'?"),
    ("target=h1000", "unknown target 'h1000' (choose from a100, auto"),
    ("seed=ab", "seed=ab: give a whole number"),
    ("seed=inf", "seed=inf: give a whole number"),
    ("evaluator.timeout_s=long", "evaluator.timeout_s=long: give a number"),
    ("seed=[1", "override `seed=[1` does not parse"),
    ("seed=1,2", "Ambiguous value for argument 'seed=1,2'; give -m to run each, quote it"),
    ("seed", "override `seed` is not of the form key=value"),
    ("+seed=1", "+seed: the key is there already; write seed=VALUE to change it"),
    (
        "+sed=1",
        "unknown configuration key 'sed'; did you mean 'seed'? (valid keys: evaluator, kernel_by_kernel, name, ",
    ),
    ("+evaluator.sed=1", "'evaluator.sed'; did you mean 'evaluator.seeds'? (valid keys: evaluator.address, "),
    ("pipeline=tune{trials=8}", "does not name a pipeline"),
    ("pipeline=tune{trials=8}", "; passes are given with -p, as in -p 'lower-inductor,tune{trials=8}'"),
    ("pipeline=tune", "unknown pipeline 'tune' (choose from default, lower, search); passes are given with -p"),
    ("~sed", "~sed: there is no such key; did you mean 'seed'?"),
    ("hydra.verbos=true", "unknown configuration key 'hydra.verbos'"),
    ("seed=${nothing}", "nothing"),
    ("import.shrink=small", "configuration key 'import.shrink': Invalid value 'small', expected one of [auto"),
    ("import.numerics=fp8", "configuration key 'import.numerics': Invalid value 'fp8', expected one of [ieee"),
    ("import={a:1}", "'import' is a group: write import=NAME"),
    ("name=a/b", "must be letters, digits"),
    ("pipeline.passes=[tune,tunes]", "unknown pass 'tunes'; did you mean 'tune'?"),
    ("pipeline.passes=[{tune:{trial:3}}]", "pass tune has no option 'trial'"),
]


@pytest.mark.parametrize(("override", "message"), BAD, ids=[override for override, _ in BAD])
def test_a_bad_override_is_named(override: str, message: str) -> None:
    with pytest.raises(UserError) as caught:
        read_settings("some", [override])
    assert message in str(caught.value)


def test_a_hydra_application_around_stays_as_it_was() -> None:
    with initialize_config_module(CONFIG_MODULE, version_base=None):
        read_settings("some", ["seed=3"])
        assert compose("config", overrides=["seed=4"]).seed == 4


@pytest.mark.parametrize("given", ["[fast]", "[]"])
def test_unknown_baselines_are_named(given: str) -> None:
    wanted = r"evaluator.baselines=\[.*\]: .*choose from eager, inductor, inductor-max-autotune"
    with pytest.raises(UserError, match=wanted):
        read_settings("some", [f"evaluator.baselines={given}"])


def test_defaults_of_fields_and_of_files_are_the_same() -> None:
    """A schema's default is what the configuration has, where no other option of a group is chosen."""
    config = OmegaConf.to_container(compose_config(root="train"))
    assert isinstance(config, dict)
    for one in listed(TrainSchema):
        group, _, name = one.key.partition(".")
        if group in ("trainer", "rollout", "evaluator", "canary"):
            assert config[group][name] == one.default, one.key
