"""Wiring of training: a policy that answers, an agent that asks and pays, evaluators, and the trainer between them."""

import contextlib
import hashlib
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import torch
from rich.console import Console

from kernelwright.agent.answer_cache import AnswerCache
from kernelwright.agent.evaluator import Rung
from kernelwright.agent.judge import PolicyJudge
from kernelwright.agent.policy import Policy, PromptTooLongError
from kernelwright.agent.rewards import Needs, needs_of
from kernelwright.agent.trajectory import Agent, Trajectory
from kernelwright.backend.reference.tf32 import permitted
from kernelwright.driver.campaigns.campaign import machine
from kernelwright.driver.config.discovery import discover
from kernelwright.driver.config.policies import open_policy
from kernelwright.driver.config.settings import Device
from kernelwright.driver.config.stage_agents import make_agent
from kernelwright.driver.config.train_settings import (
    SftSchema,
    TrainerSettings,
    TrainSchema,
    TrainSettings,
)
from kernelwright.driver.pairs.rows import read_pair_rows
from kernelwright.driver.run.activity import Activity, sayer
from kernelwright.driver.run.build import cost_model_ms, judged_by, needed, open_pool, resolve_target
from kernelwright.driver.run.closing import closing_with
from kernelwright.driver.run.finished import ReadPairs, bound_sft, bound_train, default_sft, default_train
from kernelwright.driver.run.provenance import record_start
from kernelwright.driver.run.set_aside import NOT_READ, TOO_LONG, SetAside
from kernelwright.driver.run.training_folder import last_metrics, training_folder
from kernelwright.driver.training.canary import check_policy, follow_canary
from kernelwright.driver.training.given import Given, read_modules
from kernelwright.driver.training.held_out import held_out_modules
from kernelwright.driver.training.plot import plotted
from kernelwright.driver.training.readers import Readers
from kernelwright.driver.training.reward_needs import check_needs, doubts, rungs_for
from kernelwright.driver.training.rolling import Rolling
from kernelwright.driver.training.watching import WatchedPolicy, watched
from kernelwright.evaluation.pools.pool import Pool
from kernelwright.ir.errors import UserError
from kernelwright.ir.values import KernelModule
from kernelwright.rl.trainer.checkpoint import NOTHING_KEPT, what_is_kept
from kernelwright.rl.trainer.learner import Learner, open_model
from kernelwright.rl.trainer.packing import Example
from kernelwright.rl.trainer.phases import Phases
from kernelwright.rl.trainer.ranks import ALONE, Ranks, joined, local_rank
from kernelwright.rl.trainer.reinforced import Trainer
from kernelwright.rl.trainer.sft import train_sft
from kernelwright.serve.adapters import adapter_folder, adapter_rank
from kernelwright.serve.base import find_base
from kernelwright.serve.chat import chat_ids, check_lengths

#: Seconds after which a thread gives the interpreter to one that waits for it. Each operation of a learner or a policy
#: gives it up and wants it back; by Python's own 5 ms, a thread that reads answers keeps it from them that long.
_INTERPRETER_SECONDS = 2e-4


def run_sft(settings: SftSchema, console: Console) -> dict[str, Any]:
    """Train one stage's adapter on pairs; what came of it, in the first process where torchrun started several.

    Raises UserError for what cannot be read.
    """
    with joined(_on_cuda(settings.device)) as ranks, _products(settings.trainer):
        return _run_sft(settings, console if ranks.leads else Console(quiet=True), ranks)


def _run_sft(settings: SftSchema, console: Console, ranks: Ranks) -> dict[str, Any]:
    discover()
    say = sayer(console)
    with contextlib.ExitStack() as stack:
        stack.enter_context(closing_with(lambda: NOTHING_KEPT))
        with Activity(console, f"{settings.pairs}: pairs become rows"):
            rows = read_pair_rows(settings)
        train, held_out = rows.train, rows.held_out
        counts = {"pairs": rows.pairs, "rows": len(train), "held_out": len(held_out)}
        read = ReadPairs.of(settings.pairs, _digest(train), counts)
        told = bound_sft(settings) | {"rows": read.rows}
        folder = _entered(stack, settings.out, default_sft(settings), told, say, ranks, asdict(settings), read)
        facts = counts | {"adapter": f"{folder}/adapter"}
        with Activity(console, f"loading {settings.model}"):
            learner = _learner(
                settings.model, settings.adapter, settings.trainer, settings.device, settings.seed, ranks
            )
        console.print(f"{len(train)} pairs to learn from, {len(held_out)} held out, of {rows.pairs}", highlight=False)
        drawn = plotted(folder, say) if ranks.leads else contextlib.nullcontext()
        with _shown(console) as tell, drawn:
            metrics = train_sft(learner, train, settings.run(), folder, held_out=held_out, tell=tell, say=say)
        return facts | (metrics or last_metrics(folder)) if ranks.leads else {}


def _entered(
    stack: contextlib.ExitStack,
    out: str,
    default: str,
    told: Mapping[str, Any],
    say: Callable[[str], None],
    ranks: Ranks,
    composed: Mapping[str, Any],
    read: ReadPairs | None,
) -> Path:
    """The folder of a run, in every process; the first keeps it from other runs while `stack` is open, and takes down
    there what the run was started with."""
    folder = Path(out)
    if ranks.leads:
        folder = stack.enter_context(training_folder(folder, Path(default), told, say))
        record_start(folder, composed, str(machine()["device"]), None if read is None else asdict(read))
    folder = ranks.shared(folder)
    stack.enter_context(closing_with(lambda: what_is_kept(folder / "checkpoints")))
    return folder


def run_train(settings: TrainSettings, console: Console, policy: Policy | None = None) -> dict[str, Any]:
    """Train one stage's adapter by reinforcement learning; the last step's metrics.

    `policy` is one that is open already and stays so; None opens the one that is configured. Where torchrun started
    several processes the first does all but the learner's work, and has the metrics.
    """
    with (
        closing_with(lambda: NOTHING_KEPT),
        joined(_on_cuda(settings.plain.device)) as ranks,
        _products(settings.plain.trainer),
    ):
        if ranks.leads:
            return _lead(settings, console, policy, ranks)
        _follow(settings, ranks)
        return {}


def _products(trainer: TrainerSettings) -> contextlib.AbstractContextManager[None]:
    """Where products of float32 may be computed in TF32, if that is asked for."""
    return permitted("tf32", deterministic=False) if trainer.tf32 else contextlib.nullcontext()


def _follow(settings: TrainSettings, ranks: Ranks) -> None:
    """Share the learner's work."""
    plain, pairs = settings.plain, _pairs(settings.plain)
    folder = ranks.shared(Path())
    learner = _learner(plain.policy.model, plain.adapter, plain.trainer, plain.device, plain.seed, ranks)
    if plain.canary.enabled:
        follow_canary(learner)
    algorithm = replace(settings.algorithm, max_len=plain.rollout.max_tokens)
    Trainer(learner, (), _nobody_asks, lambda _place: None, algorithm, settings.run, folder, pairs=pairs).run()


def _pairs(plain: TrainSchema) -> list[Example]:
    """The rows of pairs that a run by reinforcement imitates as well."""
    if not plain.pairs:
        return []
    longest = plain.policy.max_model_len
    supervised = SftSchema(
        plain.stage, plain.target, plain.rollout, pairs=plain.pairs, model=plain.policy.model, max_tokens=longest,
        template=plain.policy.template,
    )  # fmt: skip
    return read_pair_rows(supervised).train


def _digest(rows: Sequence[Example]) -> str:
    return hashlib.sha256(repr(rows).encode()).hexdigest()[:16]


def _nobody_asks(_modules: Sequence[KernelModule], _seed: int, _over: Callable[[], None]) -> list[Trajectory]:
    raise AssertionError("only the first process asks the policy")


def _lead(settings: TrainSettings, console: Console, policy: Policy | None, ranks: Ranks) -> dict[str, Any]:
    """All but the learner's work, and its own share of that."""
    discover()
    plain, say = settings.plain, sayer(console)
    with Activity(console, f"{plain.pairs}: pairs become rows") if plain.pairs else contextlib.nullcontext():
        pairs = _pairs(plain)
    target, needs = resolve_target(plain.target.chosen), needs_of(settings.make_reward())
    check_needs(needs, settings)
    for doubt in doubts(settings):
        say(f"warning: {doubt}")
    with contextlib.ExitStack() as stack:
        read = ReadPairs.of(plain.pairs, _digest(pairs), {}) if pairs else None
        told = bound_train(settings) | ({} if read is None else {"rows": read.rows})
        folder = _entered(stack, plain.out, default_train(settings), told, say, ranks, settings.content, read)
        with Activity(console, f"loading {plain.policy.model}"):
            learner = _learner(plain.policy.model, plain.adapter, plain.trainer, plain.device, plain.seed, ranks)
        judging = _judging(stack, settings, target, needs)
        aside = SetAside(folder, say)
        with Activity(console, "reading problems"):
            work = _work(settings, target, judging.agent, learner, aside)
        answering = _answering(stack, plain, policy, console)
        if plain.canary.enabled:
            _check_canary(answering, judging.agent, work, learner, plain, folder, console)
        phases = Phases()
        rolling = _rolling(stack, plain, judging, answering, learner, phases, aside, say)
        algorithm = replace(settings.algorithm, max_len=plain.rollout.max_tokens)
        with _shown(console) as tell, plotted(folder, say), taking_turns(), _going_first(learner.device):
            trainer = Trainer(
                learner,
                work.modules,
                rolling.make,
                rolling.push,
                algorithm,
                settings.run,
                folder,
                tell,
                say,
                phases,
                pairs,
                partial(rolling.measure, work.held_out),
            )
            return (trainer.run() or last_metrics(folder)) | {"set_aside": len(aside)}


@dataclass(frozen=True)
class Judging:
    """The agent that asks the policy and pays rewards, and the evaluators that judge the answers."""

    agent: Agent
    needs: Needs
    ladder: tuple[Rung, ...] | None
    pool: Pool


@dataclass(frozen=True)
class Work:
    """The modules that a run learns from, and those that it is measured by."""

    modules: list[KernelModule]
    held_out: list[KernelModule]


def _judging(stack: contextlib.ExitStack, settings: TrainSettings, target: str, needs: Needs) -> Judging:
    """The judge and the evaluators are open until `stack` ends."""
    plain = settings.plain
    judge = PolicyJudge(stack.enter_context(open_policy(plain.judge, "judge"))) if needs.judge else None
    reward = settings.make_reward(judge=judge, estimate=cost_model_ms(target))
    ladder = rungs_for(needs, plain.rollout)
    pool = open_pool(plain.evaluator, plain.target.chosen, plain.workers, needed(ladder), hosted=True)
    agent = make_agent(plain.stage.name, target, plain.rollout, reward)
    return Judging(agent, needs, ladder, stack.enter_context(pool))


def _work(settings: TrainSettings, target: str, agent: Agent, learner: Learner, aside: SetAside) -> Work:
    """`aside` takes what cannot be worked on. Raises UserError where nothing is left."""
    plain, unread = settings.plain, partial(aside.add, NOT_READ)
    read = read_modules(plain.problems, plain.stage.name, target, settings, unread)
    modules = _with_room(read, agent, learner, plain, partial(aside.add, TOO_LONG))
    return Work(modules, held_out_modules(settings, target, read, unread))


def _answering(stack: contextlib.ExitStack, plain: TrainSchema, policy: Policy | None, console: Console) -> Policy:
    """The policy that is given, or the one that is configured, open until `stack` ends, with room for the adapter."""
    rank = plain.trainer.rank
    if plain.adapter is not None:
        rank = adapter_rank(adapter_folder(plain.adapter))
        sayer(console)(f"starting from {plain.adapter}: rank ({rank}), alpha and dropout are its own")
    if policy is not None:
        return policy
    configured = replace(plain.policy, max_rank=rank)
    with Activity(console, f"starting the policy, {configured.kind} with {configured.model}"):
        return stack.enter_context(open_policy(configured))


def _check_canary(
    answering: Policy,
    agent: Agent,
    work: Work,
    learner: Learner,
    plain: TrainSchema,
    folder: Path,
    console: Console,
) -> None:
    """Ask with the trainer's weights before the first step, and say what was found."""
    prompts = [agent.render(module) for module in work.modules[: plain.canary.prompts]]
    with Activity(console, "canary: does the policy answer with the trainer's weights?"):
        report = check_policy(answering, plain.stage.name, learner, prompts, plain.canary, folder)
    sayer(console)(f"canary: {report}")


def _rolling(
    stack: contextlib.ExitStack,
    plain: TrainSchema,
    judging: Judging,
    answering: Policy,
    learner: Learner,
    phases: Phases,
    aside: SetAside,
    say: Callable[[str], None],
) -> Rolling:
    """What rollouts are made with; processes that read answers are there until `stack` ends."""
    drawn, needs, evaluate = plain.rollout, judging.needs, judged_by(judging.pool)
    asked = watched(answering, judging.pool, phases)
    if needed(judging.ladder) is not Device.cpu and needs.of_given:
        asked = WatchedPolicy(answering, phases)  # answers that are drawn meanwhile would slow down what is timed
    count = int(learner.device.type == "cuda") if plain.readers is None else plain.readers
    target = resolve_target(plain.target.chosen)
    return Rolling(
        plain,
        judging.agent,
        answering,
        asked,
        evaluate,
        judging.ladder,
        needs,
        Given(evaluate, judging.ladder, say),
        partial(aside.add, TOO_LONG),
        AnswerCache(drawn.remember) if drawn.remember else None,
        stack.enter_context(Readers(count, plain.stage.name, target, drawn)).begin if count else None,
    )


def _with_room(
    modules: Sequence[KernelModule],
    agent: Agent,
    learner: Learner,
    plain: TrainSchema,
    aside: Callable[[str, str], None],
) -> list[KernelModule]:
    """The modules whose prompts leave room for an answer; `aside` is told of the others. UserError where none does."""
    found = list[KernelModule]()
    for module in modules:
        ids = chat_ids(learner.tokenizer, agent.render(module), plain.policy.template)
        try:
            check_lengths([ids], plain.policy.max_model_len)
            found.append(module)
        except PromptTooLongError as error:
            aside(module.name, str(error))
    if not found:
        least = f"policy.max_model_len={plain.policy.max_model_len}"
        raise UserError(f"no problem's prompt leaves room for an answer in {least}; raise it, or give other problems")
    return found


@contextlib.contextmanager
def taking_turns() -> Iterator[None]:
    """Let threads that compute and threads that read wait for one another no longer than they have to."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(_INTERPRETER_SECONDS)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


@contextlib.contextmanager
def _going_first(device: torch.device) -> Iterator[None]:
    """What this thread puts on a GPU goes before what others do: a policy that draws there holds up no learner."""
    if device.type != "cuda":
        yield
        return
    own = torch.cuda.Stream(device, priority=-1)  # type: ignore[no-untyped-call]
    before = torch.cuda.current_stream(device)
    own.wait_stream(before)
    with torch.cuda.stream(own):
        yield
    before.wait_stream(own)


def _on_cuda(device: str) -> bool:
    """Whether the learner is on a GPU. Raises UserError for one that is not there."""
    number = int(device.partition(":")[2] or 0)
    if device.startswith("cuda") and number >= torch.cuda.device_count():
        raise UserError(f"device={device}, but torch finds {torch.cuda.device_count()} CUDA devices; use cpu, or auto")
    return device != "cpu" and torch.cuda.is_available()


def _learner(
    model: str, adapter: str | None, trainer: TrainerSettings, device: str, seed: int, ranks: Ranks = ALONE
) -> Learner:
    place = "cpu"
    if _on_cuda(device):
        place = device if ":" in device else f"cuda:{local_rank()}"
        torch.cuda.set_device(place)
    opened, tokenizer = open_model(
        find_base(model),
        trainer.lora(),
        None if adapter is None else adapter_folder(adapter),
        device=place,
        dtype=trainer.dtype,
        checkpointing=trainer.checkpointing,
        seed=seed,
        ranks=ranks,
    )
    return Learner(opened, tokenizer, trainer.optimizer(), trainer.budget, ranks=ranks)


@contextlib.contextmanager
def _shown(console: Console) -> Iterator[Any]:
    """Shows how many steps are taken and the latest figures; gives what takes (step, steps, metrics)."""
    with Activity(console, "steps") as activity:

        def tell(step: int, steps: int, metrics: Mapping[str, Any]) -> None:
            names = ("loss", "held_out_loss", "reward", "correct", "held_out/correct", "mismatch", "tokens_per_s")
            figures = "  ".join(f"{name} {metrics[name]:.4g}" for name in names if name in metrics)
            activity.show(completed=step, total=steps, figures=figures)

        yield tell
