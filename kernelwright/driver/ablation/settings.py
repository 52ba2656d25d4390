"""Settings of `kernelwright ablate`: arms, and what they are run on."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, cast

from kernelwright.agent.agent_pass import AgentPass
from kernelwright.agent.rewards import make_reward, needs_of
from kernelwright.driver.config.beginnings import checked_rank
from kernelwright.driver.config.checking import check_config, check_values, unknown_key, without
from kernelwright.driver.config.discovery import discover
from kernelwright.driver.config.plain import Shape, refuse
from kernelwright.driver.config.policies import PolicyKind, PolicySettings
from kernelwright.driver.config.settings import EvaluatorSettings, ImportSettings, Settings, TargetSettings
from kernelwright.driver.config.train_settings import ProblemSettings, TrainSettings, read_train_settings
from kernelwright.ir.errors import UserError
from kernelwright.ir.options import option
from kernelwright.ir.passes import Pass
from kernelwright.ir.pipeline import Pipeline, parse_pipeline
from kernelwright.midend.agent import ACTIONS

if TYPE_CHECKING:
    from omegaconf import DictConfig

#: Groups that an experiment and its training have in common: what is overridden holds for both.
_SHARED = ("policy", "target", "evaluator", "import", "hydra")
_ARM = re.compile(r"arms\.([A-Za-z_][\w-]*)\.(\w+)(\.[\w.]+)?=(.*)", re.DOTALL)
#: Policies whose adapters are not known here.
_REMOTE = (PolicyKind.openai, PolicyKind.replay)
#: How an agent's candidates are timed, where its reward is made of times and a GPU is there.
_TIMED_RUNGS = "parse compile run time"


@dataclass
class ArmSchema:
    """An arm as it is written: a pipeline (text or a list) or the experiment's, less some passes; what differs in its
    policy; and what it trains with, null for an arm that does not train."""

    pipeline: Any = None
    without: list[str] = field(default_factory=list)
    policy: dict[str, Any] = field(default_factory=dict)
    train: list[str] | None = None


@dataclass
class AblateSchema:
    """Everything but the group `import`; see conf/ablate.yaml."""

    name: str = "???"
    out: str = "???"
    seeds: list[int] = field(default_factory=list)
    limit: int | None = option(None, at_least=1)
    only: list[str] | None = None
    pipeline: Any = None
    arms: dict[str, ArmSchema] = field(default_factory=dict)
    train: list[str] = field(default_factory=list)
    answers: int = option(2, at_least=1)
    joint_answers: int = option(4, at_least=1)
    max_tokens: int = option(512, at_least=1)
    action: str = option("pipeline", choices=ACTIONS)
    midend_tokens: int = option(64, at_least=1)
    baseline: str = "lower-inductor"
    jobs: int | None = option(None, at_least=1)
    timeout_s: float = option(600.0, above=0)
    target: TargetSettings = field(default_factory=TargetSettings)
    evaluator: EvaluatorSettings = field(default_factory=EvaluatorSettings)
    policy: PolicySettings = field(default_factory=PolicySettings)
    problems: ProblemSettings = field(default_factory=ProblemSettings)


@dataclass(frozen=True)
class Arm:
    """One thing that is compared: a pipeline with its policy. `training`: by seed, how its adapter is made before."""

    name: str
    pipeline: Pipeline
    policy: PolicySettings
    training: Mapping[int, TrainSettings] = field(default_factory=dict)

    def told(self) -> str:
        """What its rows follow from, as text."""
        policy = {**asdict(self.policy), "kind": self.policy.kind.value}
        return json.dumps([str(self.pipeline), policy, list(map(self.trained, self.training))], sort_keys=True)

    def trained(self, seed: int) -> str:
        """What the adapter of a seed follows from, as text."""
        content = self.training[seed].content
        return json.dumps(
            {key: value for key, value in content.items() if key not in ("out", "workers")}, sort_keys=True
        )


@dataclass(frozen=True)
class AblateSettings:
    """What `kernelwright ablate` is told; `compiling` is what all arms have in common."""

    name: str
    out: str
    arms: tuple[Arm, ...]
    seeds: tuple[int, ...]
    problems: ProblemSettings
    limit: int | None
    compiling: Settings
    jobs: int | None
    timeout_s: float


_ABLATING = Shape(("ablate",), {"": AblateSchema, "import": ImportSettings}, groups=("experiment",))


def read_ablate_settings(overrides: Sequence[str], root: str = "ablate") -> AblateSettings:
    """Compose the configuration. Raises UserError, naming the arm or the key, for anything that does not fit."""
    config = _composed(overrides, root)
    discover()
    checked, importing = (
        check_config(AblateSchema, without(config, ["import"])),
        check_config(ImportSettings, config.get("import", {}), "import."),
    )
    _check(checked)
    told = [item.removeprefix("train.") for item in overrides if item.startswith("train.")]
    told += [item for item in overrides if re.split(r"[.=]", item)[0] in _SHARED]
    names = list(checked.arms) if checked.only is None else checked.only
    arms = tuple(_arm(name, checked, [*checked.train, *told]) for name in names)
    compiling = Settings(
        name=checked.name,
        out=checked.out,
        seed=0,
        target=checked.target.chosen,
        pipeline=_pipeline(checked.baseline, "baseline"),
        evaluator=checked.evaluator,
        importing=importing,
    )
    return AblateSettings(
        name=checked.name,
        out=checked.out,
        arms=arms,
        seeds=tuple(checked.seeds),
        problems=checked.problems,
        limit=checked.limit,
        compiling=compiling,
        jobs=checked.jobs,
        timeout_s=checked.timeout_s,
    )


def _composed(overrides: Sequence[str], root: str) -> "DictConfig":
    """The configuration with what the command line adds to it: arms, which may be new, and pipelines, as written."""
    composed, added = [], []
    for item in overrides:
        key, _, value = item.partition("=")
        if key in ("pipeline", "baseline"):
            added.append((key, value))
        elif re.match(r"arms\b", key):
            added.append(_of_arm(item))
        elif not key.startswith("train."):
            composed.append(item)
    refuse(composed, root, _ABLATING)
    from omegaconf import OmegaConf  # late, as Hydra: it takes longer than all before
    from omegaconf.errors import OmegaConfBaseException

    from kernelwright.driver.config.composition import compose_config

    config = compose_config(composed, root=root)
    for key, given in added:
        OmegaConf.update(config, key, given, force_add=True)
    try:
        OmegaConf.resolve(config)
    except OmegaConfBaseException as error:
        raise UserError(f"an arm: {str(error).splitlines()[0]}") from error
    return config


def _of_arm(item: str) -> tuple[str, Any]:
    """Key and value of an override of an arm."""
    found = _ARM.fullmatch(item)
    if found is None:
        raise UserError(f"override `{item}`: write arms.NAME.pipeline='…', or without, policy.KEY or train=[…]")
    key, value = item.partition("=")[0], found[4]
    if found[2] not in (valid := [one.name for one in fields(ArmSchema)]):
        raise UserError(unknown_key(f"arms.{found[1]}.{found[2]}", [f"arms.{found[1]}.{name}" for name in valid]))
    if found[2] == "pipeline":
        return key, _unquoted(value) or None
    from omegaconf import OmegaConf
    from omegaconf.errors import OmegaConfBaseException
    from yaml import YAMLError  # type: ignore[import-untyped]

    try:
        return key, OmegaConf.from_dotlist([f"value={value}"])["value"]
    except (YAMLError, OmegaConfBaseException) as error:
        raise UserError(f"override `{item}` does not parse: {str(error).splitlines()[0]}") from error


def _check(schema: AblateSchema) -> None:
    """UserError for a value that is of the right type and makes no sense."""
    unknown = [name for name in schema.only or () if name not in schema.arms]
    check_values(
        schema,
        {
            "seeds": (
                len(schema.seeds) == len(set(schema.seeds)) > 0,
                "give one or more different seeds, such as [0,1,2]",
            ),
            "only": (not unknown and schema.only != [], f"choose from {', '.join(schema.arms)}"),
            "arms": (bool(schema.arms), "choose an experiment, or give arms.NAME.pipeline='…'"),
        },
    )


def _arm(name: str, schema: AblateSchema, told: Sequence[str]) -> Arm:
    from omegaconf import OmegaConf  # late, as above

    written = schema.arms[name]
    text = schema.pipeline if written.pipeline is None else written.pipeline
    pipeline = _pipeline(text, f"arms.{name}.pipeline")
    for gone in written.without:
        try:
            pipeline = pipeline.without(gone)
        except UserError:
            passes = ", ".join(dict.fromkeys(one.name for one in pipeline.passes))
            raise UserError(f"arms.{name}.without: the arm has no pass {gone!r}; choose from {passes}") from None
    merged = OmegaConf.create({**asdict(schema.policy), "kind": schema.policy.kind.value})
    policy = check_config(PolicySettings, cast("DictConfig", OmegaConf.merge(merged, written.policy)), "policy.")
    training: dict[int, TrainSettings] = {}
    if written.train is not None:
        if other := sorted(set(written.policy) - {"adapters"}):
            way_out = f"an arm that trains asks as it trains: give arms.{name}.train=[policy.{other[0]}=…]"
            raise UserError(f"arms.{name}.policy.{other[0]}: {way_out}")
        training = {seed: _training(name, seed, schema, [*told, *written.train]) for seed in schema.seeds}
        made = next(iter(training.values())).plain
        rank = made.trainer.rank if made.adapter is None else checked_rank(made.adapter, f"arm {name}: adapter=")
        policy = replace(made.policy, adapters={**policy.adapters, made.stage.name: ""}, max_rank=rank)
        if made.stage.name not in map(_stage, _agents(pipeline)):
            raise UserError(
                f"arm {name} trains the agent of stage {made.stage.name}, but `{pipeline}` does not use this agent"
            )
    elif not _agents(pipeline):
        policy = PolicySettings()  # nothing is asked, so that nothing need be there
    return Arm(name, _fitted(name, pipeline, policy), policy, training)


def _training(name: str, seed: int, schema: AblateSchema, told: Sequence[str]) -> TrainSettings:
    try:
        return read_train_settings([*told, f"seed={seed}", f"out={schema.out}/training/{name}/{seed}"])
    except UserError as error:
        raise UserError(f"arm {name}: {error}") from error


def _pipeline(text: Any, key: str) -> Pipeline:
    if text is None:
        raise UserError(f"{key} is missing: give the passes, such as {key}='lower-inductor,tune'")
    try:
        return parse_pipeline(_unquoted(text)) if isinstance(text, str) else Pipeline.from_config(text)
    except UserError as error:
        raise UserError(f"{key}: {error}") from error


def _unquoted(text: str) -> str:
    """A pipeline's text without the quotes that Hydra's grammar allows around it."""
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"" else text


def _agents(pipeline: Pipeline) -> list[AgentPass]:
    return [pass_ for pass_ in pipeline.passes if isinstance(pass_, AgentPass)]


def _stage(agent: AgentPass) -> str:
    """The stage of an agent, which is the folder that it lies in."""
    return type(agent).__module__.split(".")[1]


def _fitted(name: str, pipeline: Pipeline, policy: PolicySettings) -> Pipeline:
    """The pipeline with its agents asking their stage's adapter, where there is one."""
    agents = _agents(pipeline)
    if agents and not policy.is_configured:
        raise UserError(f"arm {name}: pass {agents[0].name} asks a policy, and none is configured; give policy=NAME")
    for agent in agents:
        if agent.adapter and agent.adapter not in policy.adapters and policy.kind not in _REMOTE and not policy.plugin:
            known = ", ".join(policy.adapters) or "none"
            raise UserError(f"arm {name}: the policy has no adapter {agent.adapter!r} (adapters: {known})")
    return Pipeline(
        tuple(_agent(pass_, policy) if isinstance(pass_, AgentPass) else pass_ for pass_ in pipeline.passes)
    )


def with_times(arm: Arm) -> Arm:
    """The arm for a machine with a GPU: its agents' candidates are timed where a reward is paid by times."""
    passes = [
        replace(pass_, rungs=_TIMED_RUNGS)
        if isinstance(pass_, AgentPass) and not pass_.rungs and _is_timed(pass_.reward)
        else pass_
        for pass_ in arm.pipeline.passes
    ]
    return replace(arm, pipeline=Pipeline(tuple(passes)))


def _agent(agent: AgentPass, policy: PolicySettings) -> Pass:
    if not agent.adapter and _stage(agent) in policy.adapters:
        agent = replace(agent, adapter=_stage(agent))
    return agent


def _is_timed(reward: str) -> bool:
    """Whether a reward is made of times; `auto` takes them where there are any."""
    return reward == "auto" or needs_of(make_reward(reward)).times
