"""Settings of `kernelwright train` and `kernelwright sft`."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

from omegaconf import DictConfig, OmegaConf

from kernelwright.agent.evaluator import Rung
from kernelwright.agent.prompts import HISTORIES
from kernelwright.agent.rewards import Reward, make_reward, needs_of
from kernelwright.driver.composition import check_config, check_values, compose_config, is_plugin
from kernelwright.driver.plugins import make
from kernelwright.driver.policies import PolicySettings
from kernelwright.driver.settings import EvaluatorSettings, ImportSettings, TargetSettings, read_rungs
from kernelwright.frontend.agent import FORMS
from kernelwright.ir.errors import UserError, check_choice
from kernelwright.midend.agent import ACTIONS
from kernelwright.midend.agent import FORMS as MIDEND_FORMS
from kernelwright.rl.algorithms import Algorithm, preset
from kernelwright.rl.data import FRONTEND, STAGES
from kernelwright.rl.learner import LoraSettings, OptimizerSettings
from kernelwright.rl.sft import SftSettings
from kernelwright.rl.trainer import RlSettings
from kernelwright.serve.optional import require_installed


@dataclass
class RolloutSettings:
    """How answers are drawn and what prompts show; see conf/rollout."""

    n: int = 4
    turns: int = 1
    temperature: float = 1.0
    top_p: float = 1.0
    max_tokens: int = 2048
    history: str = "full"
    form: str = "native"
    action: str = "program"
    rungs: Any = None
    remember: int = 0

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
    count: int = 1000
    first: int = 0
    difficulty: int = 2
    start: str = "lower-inductor"
    plugin: dict[str, Any] = field(default_factory=dict)


@dataclass
class TrainerSettings:
    """The learner; see conf/trainer."""

    steps: int = 100
    problems: int = 4
    replay: float = 0.0
    updates: int = 1
    imitate: int = 0
    imitation: float = 1.0
    rehearsal: float = 0.0
    pairs: int = 0
    ahead: int = 0
    lr: float = 1e-6
    schedule: str = "constant"
    warmup: int = 0
    weight_decay: float = 0.0
    clip: float = 1.0
    rank: int = 16
    alpha: int = 32
    dropout: float = 0.05
    dtype: str = "bfloat16"
    tf32: bool = False
    checkpointing: bool = True
    budget: int = 8192
    save_every: int = 1
    keep: int = 2
    wandb: str | None = None

    def lora(self) -> LoraSettings:
        """The adapter's part."""
        return LoraSettings(self.rank, self.alpha, self.dropout)

    def optimizer(self) -> OptimizerSettings:
        """The optimizer's part."""
        if self.schedule not in ("constant", "cosine"):
            raise UserError(f"trainer.schedule={self.schedule!r}: choose constant or cosine")
        return OptimizerSettings(
            lr=self.lr,
            weight_decay=self.weight_decay,
            clip=self.clip,
            warmup=self.warmup,
            schedule=cast(Any, self.schedule),
        )


@dataclass
class CanarySettings:
    """How the policy's weights are checked before the first step; see conf/train.yaml.

    By a step of this scale the gap of SmolLM2 in bfloat16, rank 16, answered by transformers on a CPU, went from 0.045
    nats a token to 0.072, and would have been 1.5 had the policy missed it.
    """

    enabled: bool = True
    prompts: int = 2
    n: int = 2
    max_tokens: int = 32
    scale: float = 0.1
    ratio: float = 3.0
    slack: float = 0.01
    share: float = 0.05


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
    adapter: str | None = None
    pairs: str | None = None
    out: str = "???"
    device: str = "auto"
    workers: int | None = None
    readers: int | None = None
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
    adapter: str | None = None
    out: str = "???"
    device: str = "auto"
    epochs: int = 1
    batch: int = 16
    max_tokens: int = 4096
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
        )


_NO_REWARD = "it cannot be called; a reward is called with (before, after, verdict)"
_NO_ALGORITHM = "it is no kernelwright.rl.algorithms.Algorithm"
#: What importance weights are truncated at where answers may be of an older adapter and nothing else is said.
TIS_CAP = 2.0

_ELSEWHERE = ("import", "reward", "algorithm", "recipe")


def read_train_settings(overrides: Sequence[str]) -> TrainSettings:
    """Compose the configuration of `kernelwright train`. Raises UserError for anything that does not fit."""
    config = compose_config(overrides, root="train")
    plain = check_config(TrainSchema, _without(config, _ELSEWHERE))
    plugins = {group: _plain(config[group]) for group in ("reward", "algorithm") if is_plugin(config[group])}
    reward = {} if "reward" in plugins else _plain(config["reward"])
    name = str(reward.pop("name", ""))
    algorithm = _algorithm(_plain(config["algorithm"]))
    plain.rollout.ladder()
    _check_shared(plain)
    drawn, trainer, canary = plain.rollout, plain.trainer, plain.canary
    check_values(
        plain,
        {
            "rollout.n": (drawn.n > 0, "at least one answer is needed"),
            "rollout.turns": (drawn.turns > 0, "at least one is needed"),
            "rollout.temperature": (drawn.temperature >= 0, "give 0 or more"),
            "rollout.top_p": (0 < drawn.top_p <= 1, "give a share above 0, at most 1"),
            "rollout.max_tokens": (drawn.max_tokens > 0, "at least one is needed"),
            "rollout.remember": (drawn.remember >= 0, "give a number of answers, or 0 for none"),
            "trainer.steps": (trainer.steps > 0, "at least one is needed"),
            "trainer.problems": (trainer.problems > 0, "at least one is needed"),
            "trainer.replay": (
                trainer.replay == 0 or 0 < round(trainer.replay * trainer.problems) < trainer.problems,
                f"give a share of trainer.problems={trainer.problems} that is one of them or more, but not all, or 0",
            ),
            "trainer.updates": (trainer.updates > 0, "at least one is needed"),
            "trainer.imitate": (trainer.imitate >= 0, "give a number of answers, or 0 for none"),
            "trainer.imitation": (trainer.imitation > 0, "give a weight above 0, or trainer.imitate=0"),
            "trainer.rehearsal": (
                trainer.rehearsal == 0 or (trainer.rehearsal > 0 and trainer.imitate > 0),
                "give a weight above 0 and trainer.imitate=N, or 0 for none",
            ),
            "trainer.pairs": (
                trainer.pairs >= 0 and bool(trainer.pairs) == bool(plain.pairs),
                "give how many are imitated with each update, and pairs=FILE, or neither",
            ),
            "trainer.ahead": (trainer.ahead >= 0, "give a number of batches, or 0 to draw each when it is wanted"),
            "readers": (plain.readers is None or plain.readers >= 0, "give a number of processes, or 0 for none"),
            "canary.prompts": (canary.prompts > 0, "give 1 or more, or canary.enabled=false"),
            "canary.n": (canary.n > 0, "give 1 or more, or canary.enabled=false"),
        },
    )
    settings = TrainSettings(
        plain,
        check_config(ImportSettings, config["import"], "import."),
        name,
        reward,
        _corrected(algorithm, plain.trainer.ahead),
        _plain(config),
        plugins,
    )
    needs_of(settings.make_reward())
    return settings


def _algorithm(options: Mapping[str, Any]) -> Algorithm:
    if is_plugin(options):
        found: Algorithm = make("algorithm", options, lambda one: "" if isinstance(one, Algorithm) else _NO_ALGORITHM)
        return found
    try:
        return preset(**options)
    except UserError:
        raise
    except (TypeError, ValueError) as error:  # of a value that is of another type than the option's
        raise UserError(f"algorithm: {error}; conf/algorithm/ shows what values there are") from error


def read_sft_settings(overrides: Sequence[str]) -> SftSchema:
    """Compose the configuration of `kernelwright sft`. Raises UserError for anything that does not fit."""
    config = compose_config(overrides, root="sft")
    settings = check_config(SftSchema, config)
    if not settings.pairs:
        raise UserError("pairs=FILE is missing: what `kernelwright data pairs` wrote")
    _check_shared(settings)
    check_values(
        settings,
        {
            "epochs": (settings.epochs > 0, "at least one is needed"),
            "batch": (settings.batch > 0, "at least one pair is needed"),
            "max_tokens": (settings.max_tokens > 0, "give a number of tokens"),
        },
    )
    return settings


def _check_shared(settings: TrainSchema | SftSchema) -> None:
    """UserError for a value that both verbs take, is of the right type, and makes no sense."""
    stage, drawn, trainer = settings.stage.name, settings.rollout, settings.trainer
    check_choice("stage", stage, STAGES)
    if not re.fullmatch(r"auto|cpu|cuda(:\d+)?", settings.device):
        raise UserError(f"device={settings.device!r}: choose auto, cpu, cuda, or one of several as cuda:1")
    check_choice("rollout.form", drawn.form, FORMS if stage == FRONTEND else MIDEND_FORMS)
    check_choice("rollout.action", drawn.action, ACTIONS)
    check_choice("rollout.history", drawn.history, HISTORIES)
    trainer.optimizer()
    check_values(
        settings,
        {
            "trainer.lr": (trainer.lr > 0, "give a rate above 0"),
            "trainer.warmup": (trainer.warmup >= 0, "give a number of steps"),
            "trainer.weight_decay": (trainer.weight_decay >= 0, "give 0 or more"),
            "trainer.clip": (trainer.clip > 0, "give a norm above 0"),
            "trainer.rank": (trainer.rank > 0, "at least 1 is needed"),
            "trainer.alpha": (trainer.alpha > 0, "at least 1 is needed"),
            "trainer.dropout": (0 <= trainer.dropout < 1, "give a share below 1"),
            "trainer.budget": (trainer.budget > 0, "give a number of tokens"),
            "trainer.save_every": (trainer.save_every > 0, "at least one step is needed"),
            "trainer.keep": (trainer.keep > 0, "at least one checkpoint is needed to go on from"),
            "trainer.wandb": (trainer.wandb != "", "give a project's name, or null for none"),
        },
    )
    if trainer.wandb is not None:
        require_installed("wandb", "wandb")


def _corrected(algorithm: Algorithm, ahead: int) -> Algorithm:
    """The algorithm; where batches are drawn ahead, one without a correction for that gets truncated weights."""
    if not ahead or algorithm.tis_cap is not None or algorithm.band is not None:
        return algorithm
    return replace(algorithm, tis_cap=TIS_CAP)


def _plain(config: Any) -> dict[str, Any]:
    return cast(dict[str, Any], OmegaConf.to_container(config))


def _without(config: DictConfig, names: Sequence[str]) -> DictConfig:
    return OmegaConf.masked_copy(config, [str(key) for key in config if key not in names])
