"""Settings of `kernelwright data pairs`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from kernelwright.agent.agent_pass import AgentPass
from kernelwright.agent.evaluator import Rung
from kernelwright.driver.config.checking import check_config, without
from kernelwright.driver.config.discovery import discover
from kernelwright.driver.config.plain import Shape, refuse
from kernelwright.driver.config.settings import (
    EvaluatorSettings,
    ImportSettings,
    Settings,
    TargetSettings,
    read_rungs,
    read_settings,
)
from kernelwright.frontend.difficulties import DIFFICULTY_LEVELS, HELD_OUT
from kernelwright.ir.errors import UserError, check_choice
from kernelwright.ir.options import option
from kernelwright.ir.pipeline import Pipeline, parse_pipeline
from kernelwright.midend.agent import ACTIONS
from kernelwright.rl.data.rows import FRONTEND, MIDEND, STAGES

#: Keys that are taken as they are written: paths may hold anything, rungs are a list without brackets, pipelines have
#: commas and braces, and `stage` is the name of a configuration group as well.
_VERBATIM = ("stage", "out", "problems", "against", "rungs", "tokenizer", "lower", "families")
#: What the processes that make pairs are told as `kernelwright compile` is.
_COMPILING = ("target", "evaluator", "import", "seed", "hydra")
MIXED = "mixed"
#: What `families` says for every family that there is.
ALL = "all"


@dataclass
class PairSchema:
    """Everything but what compiling takes and what is taken as it is written."""

    count: int = option(1000, at_least=0)
    first: int = option(0, at_least=0)
    held_out: int = option(100, at_least=0)
    per_form: int | None = option(None, at_least=1)
    difficulty: str = option(MIXED, choices=(MIXED, *map(str, DIFFICULTY_LEVELS)))
    ratio: float = option(0.8, at_least=0, at_most=1)
    split_seed: int = 42
    similarity: float = option(0.8, at_least=0)
    max_chars: int | None = option(None, at_least=1)
    max_mb: float | None = option(None, above=0)
    externs: bool = True
    workers: int | None = option(None, at_least=1)
    timeout_s: float = option(300.0, above=0)
    starts: list[str] = field(default_factory=list)
    search: list[str] = field(default_factory=list)
    margin: float = option(1.05, at_least=1)
    action: str = option("program", choices=ACTIONS)
    trials: int = option(12, at_least=1)
    answers: bool = True


@dataclass(frozen=True)
class PairPlan:
    """How a pair is made of a problem; what differs here makes other pairs.

    `lower` answers for the frontend. For the mid-end, each of `starts` is answered by the fastest of `search`, where
    that is `margin` times as fast; with the action `pipeline` by the best choice of passes that `trials` modules show.
    Without `answers` there is only what is to be answered, neither lowered (the frontend's) nor verified. Programs of
    which inputs, state and outputs have more than `max_mb` megabytes are left out.
    """

    stage: str
    lower: Pipeline
    starts: tuple[Pipeline, ...]
    search: tuple[Pipeline, ...]
    margin: float
    rungs: tuple[Rung, ...]
    action: str = "program"
    trials: int = 12
    answers: bool = True
    max_mb: float | None = None


@dataclass(frozen=True)
class PairSettings:
    """What `kernelwright data pairs` is told; `compiling` is for the processes that make pairs."""

    plan: PairPlan
    compiling: Settings
    out: str
    count: int
    first: int
    held_out: int
    per_form: int | None
    difficulty: str
    families: tuple[str, ...]
    problems: tuple[str, ...]
    ratio: float
    split_seed: int
    against: tuple[str, ...]
    similarity: float
    max_chars: int | None
    externs: bool
    tokenizer: str | None
    workers: int | None
    timeout_s: float


_PAIRING = Shape(
    ("data",),
    {"": PairSchema, "import": ImportSettings, "target": TargetSettings, "evaluator": EvaluatorSettings},
    others=(*_VERBATIM, "seed"),
)


def read_pair_settings(overrides: Sequence[str], root: str = "data") -> PairSettings:
    """Compose the configuration; raises UserError, naming the key and what would be valid."""
    given = dict(item.split("=", 1) for item in overrides if item.partition("=")[0] in _VERBATIM)
    composed = [item for item in overrides if item.partition("=")[0] not in _VERBATIM]
    refuse(composed, root, _PAIRING)
    discover()
    from kernelwright.driver.config.composition import compose_config  # late: Hydra takes longer than all before

    config = compose_config(composed, root=root)
    verbatim = {key: given.get(key, config[key]) for key in _VERBATIM}
    texts = {key: None if value in (None, "", "null") else str(value) for key, value in verbatim.items()}
    schema = check_config(PairSchema, without(config, (*_COMPILING, *_VERBATIM)))
    stage, out = texts["stage"] or "", texts["out"] or f"runs/pairs/{texts['stage']}.jsonl"
    _check_values(schema, stage)
    if texts["families"] and schema.difficulty != MIXED:
        raise UserError(
            f"difficulty={schema.difficulty}: programs of families have no difficulty; leave one of them out"
        )
    lower = texts["lower"] or "lower-inductor"
    pipelines = {
        "starts": tuple(map(parse_pipeline, schema.starts)),
        "search": tuple(map(parse_pipeline, schema.search)),
    }
    _check_asks_nobody({"lower": (parse_pipeline(lower),), **pipelines})
    rungs = read_rungs(texts["rungs"], "rungs") or (Rung.PARSE, Rung.COMPILE, Rung.INTERPRET)
    of_compiling = [item for item in composed if item.lstrip("+~").partition("=")[0].split(".")[0] in _COMPILING]
    plain = "count first held_out per_form difficulty ratio split_seed similarity max_chars externs workers".split()
    return PairSettings(
        plan=PairPlan(
            stage,
            parse_pipeline(lower),
            **pipelines,
            margin=schema.margin,
            rungs=rungs,
            action=schema.action,
            trials=schema.trials,
            answers=schema.answers,
            max_mb=schema.max_mb,
        ),
        compiling=read_settings("pairs", of_compiling, parse_pipeline(lower)),
        out=out,
        families=_places(texts["families"]),
        problems=_places(texts["problems"]),
        against=_places(texts["against"]),
        tokenizer=texts["tokenizer"],
        timeout_s=schema.timeout_s,
        **{name: getattr(schema, name) for name in plain},
    )


def _places(text: str | None) -> tuple[str, ...]:
    return tuple(part.strip() for part in (text or "").strip("[]").split(",") if part.strip())


def _check_asks_nobody(pipelines: Mapping[str, Sequence[Pipeline]]) -> None:
    """UserError for a pass that asks a policy: there is none to ask here."""
    for key, some in pipelines.items():
        for pass_ in (one for pipeline in some for one in pipeline.passes):
            if isinstance(pass_, AgentPass):
                raise UserError(
                    f"{key}: pass {pass_.name} asks a policy, and `kernelwright data pairs` has none; give passes that "
                    "ask nobody, as lower-inductor"
                )


def _check_values(schema: PairSchema, stage: str) -> None:
    """UserError for values that do not go together."""
    check_choice("stage", stage, STAGES)
    if schema.first + schema.count > HELD_OUT:
        raise UserError(
            f"first={schema.first} count={schema.count}: seeds from {HELD_OUT} on are reserved for measuring"
        )
    if stage == FRONTEND and not schema.answers and not schema.externs:
        raise UserError("externs=false looks at answers, and answers=false makes none; leave one of them out")
    if stage == MIDEND and not (schema.starts and schema.search):
        raise UserError("stage=midend needs pipelines in starts=[…] and in search=[…]")
