"""Settings of `compile` and `evaluate`, and those that every verb has a use for: schemas of the configuration."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from kernelwright.agent.evaluator import Rung
from kernelwright.driver.config.checking import check_config, without
from kernelwright.driver.config.discovery import discover, read_pipeline
from kernelwright.driver.config.plain import Shape, refuse
from kernelwright.driver.config.plugins import make
from kernelwright.driver.config.policies import PolicySettings
from kernelwright.ir.errors import UserError
from kernelwright.ir.options import option
from kernelwright.ir.pipeline import Pipeline


class Shrink(Enum):
    """Whether to make a program's sizes small; auto: only where the interpreter alone can run it."""

    auto = "auto"
    never = "never"
    always = "always"


class Numerics(Enum):
    """What of a program's fp32 work may use TF32: nothing, convolutions as by PyTorch's default, products too. `bf16`:
    its weights and inputs are cast to that."""

    ieee = "ieee"
    torch = "torch"
    tf32 = "tf32"
    bf16 = "bf16"


class KernelByKernel(Enum):
    """Whether the kernels of a verified program are judged one by one, too; auto: those of a program in 16 bits."""

    auto = "auto"
    always = "always"
    never = "never"


@dataclass
class TargetSettings:
    """What to compile for: a target's name, or `auto` for this machine's GPU.

    `plugin`, here and in other groups, is what a user's own option says, `_target_` among it; empty for ours.
    """

    name: str = "auto"
    plugin: dict[str, Any] = field(default_factory=dict)

    @property
    def chosen(self) -> str:
        """The name of the target, which is known by then where a user's own option makes it. Raises UserError."""
        if not self.plugin:
            return self.name
        from kernelwright.backend.targets import Target, add_target  # needs torch, and settings are read without it

        made = make("target", self.plugin, lambda one: "" if isinstance(one, Target) else f"{one!r} is not a Target")
        return add_target(made).name


@dataclass
class PipelineSettings:
    """The passes, as a list of names or {name: {option: value}}."""

    passes: list[Any] = field(default_factory=list)


#: What the rung `time` can measure a candidate against.
BASELINES = ("eager", "inductor", "inductor-max-autotune")


class EvaluatorKind(Enum):
    """Where candidates are judged: in processes of this machine, or in actors of a Ray cluster."""

    local = "local"
    ray = "ray"


class Device(Enum):
    """What candidates run on; auto: a GPU where there is one."""

    auto = "auto"
    cpu = "cpu"
    cuda = "cuda"


class Strength(Enum):
    """Which kinds of inputs candidates are checked on: all, or those that rewards need."""

    default = "default"
    reward = "reward"


@dataclass
class EvaluatorSettings:
    """How candidates are judged: draws of inputs to pass, and what one job in a worker may take.

    `samples`: runs that the rung `run` estimates a candidate's time from, 0 for none. `baselines`: what the rung `time`
    measures against, of eager, inductor and inductor-max-autotune. `timed_runs` and `warm_up_runs` fix how many
    runs the rung `time` makes; if `timed_runs` is None, programs run until times are precise. `repeats`: runs on the
    same input, whose outputs are compared. For Ray: the cluster's `address` (None: the local one that a pool starts),
    and the GPUs of one worker (None: one where the cluster has any).
    """

    kind: EvaluatorKind = EvaluatorKind.local
    seeds: int = option(3, at_least=1)
    checks: Strength = Strength.default
    timeout_s: float = option(60.0, above=0)
    memory_gb: float = option(8.0, above=0)
    externs: bool = False
    samples: int = option(0, at_least=0)
    baselines: list[str] = option(["eager", "inductor"], choices=BASELINES)
    timed_runs: int | None = option(None, at_least=5, at_most=10_000)
    warm_up_runs: int = option(10, at_least=2, at_most=10_000)
    repeats: int = option(1, at_least=1, at_most=100)
    address: str | None = None
    gpus_per_worker: float | None = option(None, above=0)


@dataclass
class ImportSettings:
    """How a program is read; `budget` is in elements, None for the importer's default.

    Running the program once may take `timeout_s` and `memory_gb`.
    """

    shrink: Shrink = Shrink.auto
    numerics: Numerics = Numerics.torch
    budget: int | None = option(None, at_least=1)
    allclose: float | None = option(None, above=0)
    timeout_s: float = option(60.0, above=0)
    memory_gb: float = option(8.0, above=0)

    @property
    def options(self) -> dict[str, Any]:
        """What the importers take by keyword, but for `shrink`."""
        told = {"budget": self.budget, "allclose": self.allclose}
        return {"numerics": self.numerics.value} | {key: value for key, value in told.items() if value is not None}


@dataclass
class CompileSchema:
    """Everything but the group `import`, whose name no Python field can have."""

    name: str = "???"
    out: str = "???"
    seed: int = 0
    kernel_by_kernel: KernelByKernel = KernelByKernel.auto
    target: TargetSettings = field(default_factory=TargetSettings)
    pipeline: PipelineSettings = field(default_factory=PipelineSettings)
    evaluator: EvaluatorSettings = field(default_factory=EvaluatorSettings)
    policy: PolicySettings = field(default_factory=PolicySettings)


@dataclass(frozen=True)
class Settings:
    """What `kernelwright compile` and `opt` are told."""

    name: str
    out: str
    seed: int
    target: str
    pipeline: Pipeline
    evaluator: EvaluatorSettings
    importing: ImportSettings
    overrides: tuple[str, ...] = ()
    policy: PolicySettings = field(default_factory=PolicySettings)
    kernel_by_kernel: KernelByKernel = KernelByKernel.auto


_COMPILING = Shape(("config", "opt"), {"": CompileSchema, "import": ImportSettings})


def program_name(name: str) -> str:
    """What a program is called in file names: its name, with `_` for all but letters, digits and `_.-`."""
    return re.sub(r"[^\w.-]", "_", name)


def read_settings(
    name: str, overrides: Sequence[str] = (), pipeline: Pipeline | str | None = None, root: str = "config"
) -> Settings:
    """Compose the configuration `root` for the program `name`; `pipeline` takes the place of the group's.

    Raises UserError, naming the override and what would be valid, for anything that does not fit.
    """
    refuse(overrides, root, _COMPILING)
    discover()
    if isinstance(pipeline, str):
        pipeline = read_pipeline(pipeline)
    from kernelwright.driver.config.composition import compose_config  # late: Hydra takes longer than all before

    config = compose_config(overrides, {"name": program_name(name)}, root)
    checked, importing = (
        check_config(CompileSchema, without(config, ["import"])),
        check_config(ImportSettings, config.get("import", {}), "import."),
    )
    if not re.fullmatch(r"[\w.-]+", checked.name):
        raise UserError(f"name={checked.name!r} must be letters, digits and `_.-`: it names files")
    if not checked.out.strip():
        raise UserError("out= names no folder; give out=FOLDER, or leave it out")
    passes = checked.pipeline.passes
    return Settings(
        name=checked.name,
        out=checked.out,
        seed=checked.seed,
        target=checked.target.chosen,
        pipeline=Pipeline.from_config(passes) if pipeline is None else pipeline,
        evaluator=checked.evaluator,
        importing=importing,
        policy=checked.policy,
        overrides=tuple(overrides),
        kernel_by_kernel=checked.kernel_by_kernel,
    )


@dataclass
class EvaluateSchema:
    """What `kernelwright evaluate` is told, but for its paths and rungs, which are taken as they are written."""

    target: TargetSettings = field(default_factory=TargetSettings)
    evaluator: EvaluatorSettings = field(default_factory=EvaluatorSettings)
    dialect: bool = True
    device: Device = Device.auto
    workers: int | None = option(None, at_least=1)
    cache: bool = True


@dataclass(frozen=True)
class EvaluateSettings:
    """What `kernelwright evaluate` is told; `rungs` None stands for all that the machine has."""

    reference: str | None
    candidate: str | None
    batch: str | None
    out: str | None
    rungs: tuple[Rung, ...] | None
    target: str
    evaluator: EvaluatorSettings
    importing: ImportSettings
    dialect: bool
    device: Device
    workers: int | None
    cache: bool


#: Keys whose values are no expressions of Hydra's: paths may hold anything, and rungs are a list without brackets.
_VERBATIM = ("reference", "candidate", "batch", "out", "rungs")


def verbatim_values(overrides: Sequence[str]) -> dict[str, str | None]:
    """The values of keys that are taken as they are written; None for one that is not given, or null."""
    given = dict(override.split("=", 1) for override in overrides if override.partition("=")[0] in _VERBATIM)
    return {key: None if given.get(key) in (None, "", "null") else given[key] for key in _VERBATIM}


_JUDGING = Shape(("evaluate",), {"": EvaluateSchema, "import": ImportSettings}, others=_VERBATIM)


def refuse_evaluate(overrides: Sequence[str], root: str = "evaluate") -> list[str]:
    """The overrides that are composed. UserError, without Hydra, for those that are certainly wrong."""
    composed = [override for override in overrides if override.partition("=")[0] not in _VERBATIM]
    refuse(composed, root, _JUDGING)
    return composed


def read_evaluate_settings(overrides: Sequence[str], root: str = "evaluate") -> EvaluateSettings:
    """Compose the configuration of `kernelwright evaluate`; raises UserError as `read_settings` does."""
    verbatim, composed = verbatim_values(overrides), refuse_evaluate(overrides, root)
    from kernelwright.driver.config.composition import compose_config  # late: Hydra takes longer than all before

    config = compose_config(composed, root=root)
    checked, importing = (
        check_config(EvaluateSchema, without(config, ["import", *_VERBATIM])),
        check_config(ImportSettings, config.get("import", {}), "import."),
    )
    rungs = read_rungs(verbatim.pop("rungs"), "rungs")
    return EvaluateSettings(
        **verbatim,
        rungs=rungs,
        target=checked.target.chosen,
        evaluator=checked.evaluator,
        importing=importing,
        dialect=checked.dialect,
        device=checked.device,
        workers=checked.workers,
        cache=checked.cache,
    )


def read_rungs(value: object, key: str) -> tuple[Rung, ...] | None:
    """Rungs from text such as `parse,interpret` (brackets may stand around it) or a list of names; None for None."""
    if value is None:
        return None
    names = value.strip().strip("[]").split(",") if isinstance(value, str) else value
    if not isinstance(names, list) or not names:
        raise UserError(f"{key}={value!r} is not a list of rungs; write {key}=parse,compile,interpret")
    found = []
    for name in names:
        rung = name.strip() if isinstance(name, str) else str(name)
        if rung not in tuple(Rung):
            raise UserError(f"{key}: unknown rung {rung!r} (choose from {', '.join(Rung)})")
        found.append(Rung(rung))
    return tuple(found)
