"""Settings of `kernelwright train` and `kernelwright sft`."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, cast

from kernelwright.agent.evaluator import Rung
from kernelwright.agent.prompts import HISTORIES
from kernelwright.agent.rewards import REWARDS, Reward, make_reward, needs_of, reward_options
from kernelwright.driver.config.checking import check_config, check_values, is_plugin, without
from kernelwright.driver.config.plain import Shape, refuse
from kernelwright.driver.config.plugins import make
from kernelwright.driver.config.policies import PolicySettings
from kernelwright.driver.config.settings import EvaluatorSettings, ImportSettings, TargetSettings, read_rungs
from kernelwright.frontend.agent import FORMS, PROMPTS
from kernelwright.frontend.difficulties import DIFFICULTY_LEVELS
from kernelwright.ir.errors import UserError, check_choice
from kernelwright.ir.options import option
from kernelwright.midend.agent import ACTIONS
from kernelwright.midend.agent import FORMS as MIDEND_FORMS
from kernelwright.rl.algorithms.algorithm import Algorithm
from kernelwright.rl.data.rows import FRONTEND, STAGES
from kernelwright.rl.trainer.rl_settings import RlSettings
from kernelwright.rl.trainer.sft_settings import SftSettings
from kernelwright.serve.optional import require_installed

if TYPE_CHECKING:  # what trains is imported when something is trained: settings are read without torch
    from kernelwright.rl.trainer.learner import LoraSettings, OptimizerSettings


@dataclass
class RolloutSettings:
    """How answers are drawn and what prompts show; see conf/rollout."""

    n: int = option(4, at_least=1)
    turns: int = option(1, at_least=1)
    temperature: float = option(1.0, at_least=0)
    top_p: float = option(1.0, above=0, at_most=1)
    max_tokens: int = option(2048, at_least=1)
    history: str = option("full", choices=HISTORIES)
    form: str = "native"
    prompt: str = option("plain", choices=PROMPTS)
    action: str = option("program", choices=ACTIONS)
    rungs: Any = None
    remember: int = option(0, at_least=0)

    def ladder(self) -> tuple[Rung, ...] | None:
        """The rungs that answers must pass."""
        return read_rungs(self.rungs, "rollout.rungs")


@dataclass
class ProblemSettings:
    """What is worked on: a place of problems, of KernelBench's levels where `levels` names some, or `count` generated
    ones from the seed `first` on."""

    place: str | None = None
    levels: list[int] = field(default_factory=list)
    split: str | None = "train"
    count: int = option(1000, at_least=1)
    first: int = option(0, at_least=0)
    difficulty: int = option(2, choices=DIFFICULTY_LEVELS)
    start: str = "lower-inductor"
    plugin: dict[str, Any] = field(default_factory=dict)


@dataclass
class TrainerSettings:
    """The learner; see conf/trainer."""

    steps: int = option(100, at_least=1)
    problems: int = option(4, at_least=1)
    replay: float = option(0.0, at_least=0, below=1)
    updates: int = option(1, at_least=1)
    imitate: int = option(0, at_least=0)
    imitation: float = option(1.0, above=0)
    rehearsal: float = option(0.0, at_least=0)
    pairs: int = option(0, at_least=0)
    ahead: int = option(0, at_least=0)
    lr: float = option(1e-6, above=0)
    schedule: str = option("constant", choices=("constant", "cosine"))
    warmup: int = option(0, at_least=0)
    weight_decay: float = option(0.0, at_least=0)
    clip: float = option(1.0, above=0)
    rank: int = option(16, at_least=1, at_most=1024)
    alpha: int = option(32, at_least=1)
    dropout: float = option(0.05, at_least=0, below=1)
    dtype: str = option("bfloat16", choices=("auto", "float32", "bfloat16"))
    tf32: bool = False
    checkpointing: bool = True
    budget: int = option(8192, at_least=1)
    save_every: int = option(1, at_least=1)
    keep: int = option(2, at_least=1)
    wandb: str | None = None
    trajectories: int = option(4, at_least=0)

    def lora(self) -> "LoraSettings":
        """The adapter's part."""
        from kernelwright.rl.trainer.learner import LoraSettings

        return LoraSettings(self.rank, self.alpha, self.dropout)

    def optimizer(self) -> "OptimizerSettings":
        """The optimizer's part."""
        from kernelwright.rl.trainer.learner import OptimizerSettings

        return OptimizerSettings(
            lr=self.lr,
            weight_decay=self.weight_decay,
            clip=self.clip,
            warmup=self.warmup,
            schedule=cast(Any, self.schedule),
        )


@dataclass
class HeldOutSettings:
    """The problems that a run is measured by while it trains; see conf/train.yaml."""

    every: int = option(0, at_least=0)
    place: str | None = None
    count: int = option(32, at_least=1)
    n: int = option(1, at_least=1)
    temperature: float = option(0.0, at_least=0)


@dataclass
class CanarySettings:
    """How the policy's weights are checked before the first step; see conf/train.yaml.

    By a step of this scale the gap of SmolLM2 in bfloat16, rank 16, answered by transformers on a CPU, went from 0.045
    nats a token to 0.072, and would have been 1.5 had the policy missed it.
    """

    enabled: bool = True
    prompts: int = option(2, at_least=1)
    n: int = option(2, at_least=1)
    max_tokens: int = option(32, at_least=1)
    scale: float = option(0.1, above=0)
    ratio: float = option(3.0, above=0)
    slack: float = option(0.01, at_least=0)
    share: float = option(0.05, at_least=0)


@dataclass
class SmallSettings:
    """Of a small model of a stage, for recipes to refer to: how it answers, what answers must pass, and how hard the
    programs are that are generated for it."""

    form: str = "native"
    action: str = "program"
    rungs: Any = None
    difficulty: int = 2


@dataclass
class StageSettings:
    """The stage whose agent is trained; see conf/stage."""

    name: str = "frontend"
    small: SmallSettings = field(default_factory=SmallSettings)


@dataclass
class TrainSchema:
    """Everything but the groups `import`, `reward` and `algorithm`, which are read by what they name."""

    stage: StageSettings = field(default_factory=StageSettings)
    target: TargetSettings = field(default_factory=TargetSettings)
    evaluator: EvaluatorSettings = field(default_factory=EvaluatorSettings)
    policy: PolicySettings = field(default_factory=PolicySettings)
    judge: PolicySettings = field(default_factory=PolicySettings)
    problems: ProblemSettings = field(default_factory=ProblemSettings)
    rollout: RolloutSettings = field(default_factory=RolloutSettings)
    trainer: TrainerSettings = field(default_factory=TrainerSettings)
    canary: CanarySettings = field(default_factory=CanarySettings)
    held_out: HeldOutSettings = field(default_factory=HeldOutSettings)
    adapter: str | None = None
    pairs: str | None = None
    out: str = "???"
    device: str = "auto"
    workers: int | None = option(None, at_least=1)
    readers: int | None = option(None, at_least=0)
    seed: int = 0


@dataclass
class SftSchema:
    """What `kernelwright sft` is told."""

    stage: StageSettings = field(default_factory=StageSettings)
    target: TargetSettings = field(default_factory=TargetSettings)
    rollout: RolloutSettings = field(default_factory=RolloutSettings)
    trainer: TrainerSettings = field(default_factory=TrainerSettings)
    pairs: str | None = None
    model: str = "smollm"
    template: dict[str, Any] = field(default_factory=dict)
    adapter: str | None = None
    out: str = "???"
    device: str = "auto"
    epochs: int = option(1, at_least=1)
    batch: int = option(16, at_least=1)
    max_tokens: int = option(4096, at_least=1)
    seed: int = 0

    def run(self) -> SftSettings:
        """How the data is gone through."""
        trainer, save = self.trainer, max(self.trainer.save_every, 1)
        return SftSettings(self.epochs, self.batch, save, max(save, 50), trainer.keep, self.seed, trainer.wandb)


@dataclass(frozen=True)
class TrainSettings:
    """What `kernelwright train` is told; `reward` is the name of a reward, `pay` its options.

    `plugins` holds the groups `reward` and `algorithm` where a package of the user's own makes them: the keys of the
    chosen option, `_target_` among them. `reward` is "" then.
    """

    plain: TrainSchema
    importing: ImportSettings
    reward: str
    pay: Mapping[str, Any]
    algorithm: Algorithm
    content: Mapping[str, Any]
    plugins: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def make_reward(self, **hooks: Any) -> Reward:
        """The reward; `hooks` as for `agent.rewards.make_reward`. Raises UserError where it cannot be made."""
        if "reward" not in self.plugins:
            return make_reward(self.reward, self.pay, **hooks)
        made: Reward = make("reward", self.plugins["reward"], lambda one: "" if callable(one) else _NO_REWARD, **hooks)
        return made

    @property
    def run(self) -> RlSettings:
        """The trainer's part."""
        chosen = self.plain.trainer
        return RlSettings(
            steps=chosen.steps,
            problems=chosen.problems,
            replay=chosen.replay,
            temperature=self.plain.rollout.temperature,
            updates=chosen.updates,
            imitate=chosen.imitate,
            imitation=chosen.imitation,
            rehearsal=chosen.rehearsal,
            pairs=chosen.pairs,
            save_every=chosen.save_every,
            keep=chosen.keep,
            seed=self.plain.seed,
            ahead=chosen.ahead,
            wandb=chosen.wandb,
            trajectories=chosen.trajectories,
            evaluate_every=self.plain.held_out.every,
        )


_NO_REWARD = "it cannot be called; a reward is called with (before, after, verdict)"
_NO_ALGORITHM = "it is not a kernelwright.rl.algorithms.algorithm.Algorithm"
#: What importance weights are truncated at where answers may be of an older adapter and nothing else is said.
TIS_CAP = 2.0

_ELSEWHERE = ("import", "reward", "algorithm", "recipe")


def read_train_settings(overrides: Sequence[str], root: str = "train") -> TrainSettings:
    """Compose the configuration of `kernelwright train`. Raises UserError for anything that does not fit."""
    refuse(overrides, root, _TRAINING)
    from kernelwright.driver.config.composition import compose_config  # late: Hydra takes longer than all before

    config = compose_config(overrides, root=root)
    plain = check_config(TrainSchema, without(config, _ELSEWHERE))
    plugins = {group: _plain(config[group]) for group in ("reward", "algorithm") if is_plugin(config[group])}
    reward = {} if "reward" in plugins else _plain(config["reward"])
    name = str(reward.pop("name", ""))
    algorithm = _algorithm(_plain(config["algorithm"]))
    plain.rollout.ladder()
    _check_shared(plain)
    _check_together(plain)
    if algorithm.kind == "reinforce" and plain.trainer.updates > 1:
        raise UserError(
            f"algorithm.kind=reinforce has no ratio, which trainer.updates={plain.trainer.updates} on a batch need; "
            "give algorithm.kind=ppo, or trainer.updates=1"
        )
    settings = TrainSettings(
        plain,
        check_config(ImportSettings, config.get("import", {}), "import."),
        name,
        reward,
        _corrected(algorithm, plain.trainer.ahead),
        _plain(config),
        plugins,
    )
    needs_of(settings.make_reward())
    return settings


def _algorithm(options: Mapping[str, Any]) -> Algorithm:
    """The algorithm with all its options, as composed; `name` says which it began as."""
    if is_plugin(options):
        found: Algorithm = make("algorithm", options, lambda one: "" if isinstance(one, Algorithm) else _NO_ALGORITHM)
        return found
    plain = {key: value for key, value in options.items() if key != "name"}
    if unknown := sorted(set(plain) - {item.name for item in fields(Algorithm)}):
        raise UserError(f"algorithm.{unknown[0]}: an algorithm has no such field")
    try:
        return Algorithm(**plain)
    except UserError as error:
        raise UserError(f"algorithm.{error}") from error


def read_sft_settings(overrides: Sequence[str], root: str = "sft") -> SftSchema:
    """Compose the configuration of `kernelwright sft`. Raises UserError for anything that does not fit."""
    refuse(overrides, root, _TUNING)
    from kernelwright.driver.config.composition import compose_config  # late, as above

    config = compose_config(overrides, root=root)
    settings = check_config(SftSchema, config)
    if not settings.pairs:
        raise UserError("pairs=FILE is missing; give the file that `kernelwright data pairs` wrote")
    _check_shared(settings)
    return settings


def _check_shared(settings: TrainSchema | SftSchema) -> None:
    """UserError for values that do not go together, of those that both verbs take."""
    stage, drawn, trainer = settings.stage.name, settings.rollout, settings.trainer
    check_choice("stage", stage, STAGES)
    if not re.fullmatch(r"auto|cpu|cuda(:\d+)?", settings.device):
        raise UserError(f"device={settings.device!r}: choose auto, cpu, cuda, or one of several GPUs, such as cuda:1")
    check_choice("rollout.form", drawn.form, FORMS if stage == FRONTEND else MIDEND_FORMS)
    if trainer.wandb is not None:
        if not trainer.wandb:
            raise UserError("trainer.wandb=: give a project's name, or null for none")
        require_installed("wandb", "wandb")


def _check_together(plain: TrainSchema) -> None:
    """UserError for values of training that do not go together."""
    trainer = plain.trainer
    replayed = round(trainer.replay * trainer.problems)
    check_values(
        plain,
        {
            "trainer.replay": (
                trainer.replay == 0 or 0 < replayed < trainer.problems,
                f"give 0, or a share that repeats at least one and not all of trainer.problems={trainer.problems}",
            ),
            "trainer.rehearsal": (
                trainer.rehearsal == 0 or trainer.imitate > 0,
                "rehearsal needs answers to imitate; give trainer.imitate=N, or trainer.rehearsal=0",
            ),
            "trainer.pairs": (
                bool(trainer.pairs) == bool(plain.pairs),
                "give both trainer.pairs=N and pairs=FILE, or neither",
            ),
        },
    )


def _corrected(algorithm: Algorithm, ahead: int) -> Algorithm:
    """The algorithm; where batches are drawn ahead, one without a correction for that gets truncated weights."""
    if not ahead or algorithm.tis_cap is not None or algorithm.band is not None:
        return algorithm
    return replace(algorithm, tis_cap=TIS_CAP)


def _plain(config: Any) -> dict[str, Any]:
    from omegaconf import OmegaConf

    return cast(dict[str, Any], OmegaConf.to_container(config))


def _reward_keys() -> Iterator[str]:
    """The keys of every reward of ours."""
    return (f"reward.{key}" for name in REWARDS for key in reward_options(name))


_TRAINING = Shape(
    ("train",),
    {"": TrainSchema, "import": ImportSettings, "algorithm": Algorithm},
    groups=("reward", "recipe"),
    others=("reward", "reward.name", "algorithm.name"),
    hidden=_reward_keys,
    checks={"algorithm": _algorithm},
)
_TUNING = Shape(("sft",), {"": SftSchema}, groups=("warm_start",))
