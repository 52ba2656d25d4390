"""Settings of `kernelwright bench` and `kernelwright data rollouts`."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar

from kernelwright.agent.search import Budget
from kernelwright.agent.trajectory import Turn
from kernelwright.driver.config.checking import check_config, without
from kernelwright.driver.config.discovery import discover
from kernelwright.driver.config.plain import Shape, refuse
from kernelwright.driver.config.policies import PolicySettings
from kernelwright.driver.config.settings import EvaluatorSettings, ImportSettings, TargetSettings
from kernelwright.driver.config.train_settings import ProblemSettings, RolloutSettings, StageSettings
from kernelwright.frontend.agent import FORMS
from kernelwright.ir.errors import UserError, check_choice
from kernelwright.ir.options import option
from kernelwright.midend.agent import FORMS as MIDEND_FORMS
from kernelwright.rl.data.problems import KERNELBENCH_HUB
from kernelwright.rl.data.rows import FRONTEND, STAGES

_KERNELBENCH, _JSONL = "kernelbench", "jsonl:"


@dataclass
class AskingSchema:
    """The keys that both verbs take, without the group `import`; see conf/bench.yaml."""

    stage: StageSettings = field(default_factory=StageSettings)
    target: TargetSettings = field(default_factory=TargetSettings)
    evaluator: EvaluatorSettings = field(default_factory=EvaluatorSettings)
    policy: PolicySettings = field(default_factory=PolicySettings)
    rollout: RolloutSettings = field(default_factory=RolloutSettings)
    suite: str = _KERNELBENCH
    levels: list[int] = field(default_factory=list)
    split: str | None = None
    limit: int | None = option(None, at_least=1)
    n: int = option(4, at_least=1)
    turns: int = option(1, at_least=1)
    start: str = "lower-inductor"
    batch: int = option(16, at_least=1)
    out: str = "???"
    workers: int | None = option(None, at_least=1)
    seed: int = 0

    @property
    def problems(self) -> ProblemSettings:
        """The suite as a place of problems."""
        place = KERNELBENCH_HUB if self.suite == _KERNELBENCH else self.suite.removeprefix(_JSONL)
        return ProblemSettings(place=place, levels=self.levels, split=self.split, start=self.start)

    def budget(self, stop: Callable[[Turn], bool] | None) -> Budget:
        """How many answers are asked for each problem; `stop` ends a trajectory after a turn for which it is true."""
        return Budget(self.rollout.n, self.rollout.turns, stop=stop)


@dataclass
class BenchSchema(AskingSchema):
    """The keys of `kernelwright bench`: the common ones, `rounds` and `memory`; see conf/bench.yaml."""

    rounds: int = option(0, at_least=0)
    memory: int = option(4, at_least=1)

    def budget(self, stop: Callable[[Turn], bool] | None) -> Budget:
        """The budget that both verbs have, with rounds that use a memory of the best turns."""
        return replace(super().budget(stop), rounds=self.rounds, width=self.memory)


@dataclass
class RolloutsSchema(AskingSchema):
    """What `kernelwright data rollouts` takes besides; see conf/rollouts.yaml."""

    compose: bool = True
    per_problem: int | None = option(None, at_least=1)
    against: list[str] = field(default_factory=list)
    similarity: float = option(0.8, above=0, at_most=1)


Plain = TypeVar("Plain", bound=AskingSchema)


@dataclass(frozen=True)
class BenchSettings(Generic[Plain]):
    """What `kernelwright bench` or `kernelwright data rollouts` is told."""

    plain: Plain
    importing: ImportSettings
    content: dict[str, Any]


def read_bench_settings(overrides: Sequence[str], root: str = "bench") -> BenchSettings[BenchSchema]:
    """Compose the configuration of a measurement. Raises UserError for anything that does not fit."""
    return _read(overrides, root, "bench", BenchSchema)


def read_rollouts_settings(overrides: Sequence[str], root: str = "rollouts") -> BenchSettings[RolloutsSchema]:
    """Compose the configuration of rollouts to learn from. Raises UserError for anything that does not fit."""
    return _read(overrides, root, "rollouts", RolloutsSchema)


def _read(overrides: Sequence[str], root: str, own: str, schema: type[Plain]) -> BenchSettings[Plain]:
    groups = ("sweep",) if own == "bench" else ()
    refuse(overrides, root, Shape((own,), {"": schema, "import": ImportSettings}, groups))
    discover()
    from omegaconf import OmegaConf  # late, as Hydra: it takes longer than all before

    from kernelwright.driver.config.composition import compose_config

    config = compose_config(overrides, root=root)
    plain = check_config(schema, without(config, ("import",)))
    stage = plain.stage.name
    check_choice("stage", stage, STAGES)
    if stage != FRONTEND and not any(item.startswith("rollout.form=") for item in overrides):
        plain.rollout = replace(plain.rollout, form=plain.policy.midend_form)
    check_choice("rollout.form", plain.rollout.form, FORMS if stage == FRONTEND else MIDEND_FORMS)
    plain.rollout.ladder()
    if not plain.policy.is_configured:
        what = "bench measures a policy" if own == "bench" else "data rollouts asks a policy"
        raise UserError(f"{what}: give policy=smollm, hf, vllm, openai or replay")
    importing = check_config(ImportSettings, config.get("import", {}), "import.")
    content: Any = OmegaConf.to_container(config, resolve=True)
    return BenchSettings(plain, importing, content)
