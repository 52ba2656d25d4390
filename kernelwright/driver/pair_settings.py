"""Settings of `kernelwright data pairs`."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from omegaconf import OmegaConf

from kernelwright.agent.evaluator import Rung
from kernelwright.driver.composition import check_config, check_values, compose_config
from kernelwright.driver.settings import Settings, read_rungs, read_settings
from kernelwright.frontend.generate import DIFFICULTIES, HELD_OUT, MIXED_LEVELS
from kernelwright.ir.errors import UserError, check_choice
from kernelwright.ir.pipeline import Pipeline, parse_pipeline
from kernelwright.midend.agent import ACTIONS
from kernelwright.rl.data import FRONTEND, MIDEND, STAGES

#: Keys that are taken as they are written: paths may hold anything, rungs are a list without brackets, pipelines have
#: commas and braces, and `stage` is the name of a configuration group as well.
_VERBATIM = ("stage", "out", "problems", "against", "rungs", "tokenizer", "lower")
#: What the processes that make pairs are told as `kernelwright compile` is.
_COMPILING = ("target", "evaluator", "import", "seed", "hydra")
MIXED = "mixed"


@dataclass
class PairSchema:
    """Everything but what compiling takes and what is taken as it is written."""

    count: int = 1000
    first: int = 0
    held_out: int = 100
    per_form: int | None = None
    difficulty: str = MIXED
    ratio: float = 0.8
    split_seed: int = 42
    similarity: float = 0.8
    max_chars: int | None = None
    max_mb: float | None = None
    externs: bool = True
    workers: int | None = None
    timeout_s: float = 300.0
    starts: list[str] = field(default_factory=list)
    search: list[str] = field(default_factory=list)
    margin: float = 1.05
    action: str = "program"
    trials: int = 12
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

    def level(self, seed: int) -> int:
        """The difficulty of the program of a seed; `mixed` takes 1 to 4 in turn."""
        return MIXED_LEVELS[seed % len(MIXED_LEVELS)] if self.difficulty == MIXED else int(self.difficulty)


def read_pair_settings(overrides: Sequence[str]) -> PairSettings:
    """Compose the configuration; raises UserError, naming the key and what would be valid."""
    given = dict(item.split("=", 1) for item in overrides if item.partition("=")[0] in _VERBATIM)
    composed = [item for item in overrides if item.partition("=")[0] not in _VERBATIM]
    config = compose_config(composed, root="data")
    verbatim = {key: given.get(key, config[key]) for key in _VERBATIM}
    texts = {key: None if value in (None, "", "null") else str(value) for key, value in verbatim.items()}
    rest = OmegaConf.masked_copy(config, [str(key) for key in config if key not in (*_COMPILING, *_VERBATIM)])
    schema = check_config(PairSchema, rest)
    stage, out = texts["stage"] or "", texts["out"] or f"runs/pairs/{texts['stage']}.jsonl"
    _check_values(schema, stage)
    lower = texts["lower"] or "lower-inductor"
    pipelines = {
        "starts": tuple(map(parse_pipeline, schema.starts)),
        "search": tuple(map(parse_pipeline, schema.search)),
    }
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
        compiling=read_settings("pairs", of_compiling, lower),
        out=out,
        problems=_places(texts["problems"]),
        against=_places(texts["against"]),
        tokenizer=texts["tokenizer"],
        timeout_s=schema.timeout_s,
        **{name: getattr(schema, name) for name in plain},
    )


def _places(text: str | None) -> tuple[str, ...]:
    return tuple(part.strip() for part in (text or "").strip("[]").split(",") if part.strip())


def _check_values(schema: PairSchema, stage: str) -> None:
    """UserError for a value that is of the right type and makes no sense."""
    levels = [MIXED, *map(str, DIFFICULTIES)]
    check_choice("stage", stage, STAGES)
    check_values(
        schema,
        {
            "difficulty": (schema.difficulty in levels, f"choose from {', '.join(levels)}"),
            "count": (schema.count >= 0, "give a number of programs"),
            "held_out": (schema.held_out >= 0, "give a number of programs"),
            "per_form": (schema.per_form is None or schema.per_form >= 1, "at least one is needed"),
            "first": (schema.first >= 0, "give a seed of at least 0"),
            "ratio": (0 <= schema.ratio <= 1, "give a share between 0 and 1"),
            "margin": (schema.margin >= 1, "give a factor of at least 1"),
            "action": (schema.action in ACTIONS, f"choose from {', '.join(ACTIONS)}"),
            "trials": (schema.trials >= 1, "at least one is needed"),
            "workers": (schema.workers is None or schema.workers >= 1, "at least one is needed"),
            "max_mb": (schema.max_mb is None or schema.max_mb > 0, "give megabytes"),
            "timeout_s": (schema.timeout_s > 0, "give seconds"),
        },
    )
    if schema.first + schema.count > HELD_OUT:
        raise UserError(f"first={schema.first} count={schema.count}: seeds from {HELD_OUT} on are kept for measuring")
    if stage == FRONTEND and not schema.answers and not schema.externs:
        raise UserError("externs=false looks at answers, and answers=false makes none; leave one of them out")
    if stage == MIDEND and not (schema.starts and schema.search):
        raise UserError("stage=midend needs pipelines in starts=[…] and in search=[…]")
