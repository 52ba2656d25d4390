"""Wiring: makes from settings what a pipeline needs to run."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import torch

from kernelwright.agent.evaluating import Evaluate
from kernelwright.agent.evaluator import ON_GPU, Rung
from kernelwright.agent.services import AgentServices
from kernelwright.backend.cost.model import estimate
from kernelwright.backend.targets import TARGETS, get_target
from kernelwright.driver.config.policies import open_policy
from kernelwright.driver.config.run_folders import MODULE_HEADER
from kernelwright.driver.config.settings import (
    Device,
    EvaluatorKind,
    EvaluatorSettings,
    ImportSettings,
    Settings,
    Shrink,
)
from kernelwright.driver.run.importing import Reading, check_room, import_apart, import_larger_apart
from kernelwright.evaluation.judge.local import LocalEvaluator
from kernelwright.evaluation.pools.hosted import HostedPool
from kernelwright.evaluation.pools.pool import EvaluatorPool, Item, LocalOptions, Pool
from kernelwright.evaluation.pools.ray_pool import RayPool
from kernelwright.evaluation.sandbox.parent import Sandbox
from kernelwright.frontend.importers import read_source
from kernelwright.ir.errors import DialectError, UserError
from kernelwright.ir.options import check_options
from kernelwright.ir.parser import parse_module
from kernelwright.ir.passes import Context
from kernelwright.ir.text_files import GIVE_A_PROGRAM, read_program_text
from kernelwright.ir.values import KernelModule, Reference
from kernelwright.midend.search.services import SearchServices

DEFAULT_TARGET = "h100"


def resolve_target(name: str) -> str:
    """A known target's name; `auto` is this machine's GPU, or the default target without one."""
    if name != "auto":
        return get_target(name).name
    if not torch.cuda.is_available():
        return DEFAULT_TARGET
    device = torch.cuda.get_device_name().lower().replace(" ", "")
    major, minor = torch.cuda.get_device_capability()
    alike = [t.name for t in TARGETS.values() if t.is_gpu and t.capability == 10 * major + minor]
    named = [name for name in alike if name in device]
    return (named or alike or [DEFAULT_TARGET])[0]


@contextmanager
def open_context(settings: Settings, progress: Callable[[str], None]) -> Iterator[Context]:
    """The context of a run, with this machine's evaluator and the policy configured; both end with the block."""
    target, chosen = resolve_target(settings.target), settings.evaluator
    local = _local_options(chosen, target)
    with ExitStack() as stack:
        remote = chosen.kind is EvaluatorKind.ray
        evaluator = stack.enter_context(_open_ray(chosen, local, 1, False) if remote else local.build())
        policy = stack.enter_context(open_policy(settings.policy)) if settings.policy.is_configured else None
        prepare = evaluator.prepare if isinstance(evaluator, LocalEvaluator) else None
        agents = AgentServices(policy, prepare=prepare, estimate=cost_model_ms(target))
        services = (agents, SearchServices(judging=asdict(chosen)))
        yield Context(target, evaluator, settings.seed, progress, services=services)


def needed(rungs: tuple[Rung, ...] | None) -> Device:
    """Where evaluators work: the GPU is left to the policy where no rung wants it, and each core may have one then."""
    return Device.auto if rungs is None or set(ON_GPU) & set(rungs) else Device.cpu


def judged_by(pool: Pool) -> Evaluate:
    """A pool as what judges many modules at once."""

    def evaluate(modules: Iterable[KernelModule], rungs: Any) -> Iterator[Any]:
        return pool.outcomes(Item(module, module.reference, rungs) for module in modules)

    return evaluate


def cost_model_ms(target: str) -> Callable[[KernelModule], float]:
    """What tells a module's milliseconds on a target by the cost model; each module is worked out once."""
    known: dict[str, float] = {}

    def milliseconds(module: KernelModule) -> float:
        if module.digest not in known:
            known[module.digest] = 1e-3 * estimate(module, get_target(target)).us
        return known[module.digest]

    return milliseconds


def open_pool(
    chosen: EvaluatorSettings,
    target: str,
    workers: int | None,
    device: Device = Device.auto,
    dialect: bool = True,
    cache: bool = True,
    hosted: bool = False,
) -> Pool:
    """A pool of evaluators, `hosted` by a process of their own; UserError for a device that is not there."""
    use_gpu = {Device.auto: None, Device.cpu: False, Device.cuda: True}[device]
    options = replace(_local_options(chosen, resolve_target(target)), use_gpu=use_gpu, dialect=dialect)
    if chosen.kind is EvaluatorKind.ray:
        return _open_ray(chosen, options, workers, cache)
    if use_gpu and not torch.cuda.is_available():
        raise UserError("device=cuda, but torch finds no CUDA device here; use device=cpu, or auto")
    return (HostedPool if hosted else EvaluatorPool)(options, workers, cache)


def _local_options(chosen: EvaluatorSettings, target: str) -> LocalOptions:
    check_options(chosen, "evaluator.")
    return LocalOptions(
        target,
        chosen.seeds,
        chosen.timeout_s,
        chosen.memory_gb,
        externs=chosen.externs,
        samples=chosen.samples,
        baselines=tuple(chosen.baselines),
        strength=chosen.checks.value,
        repeats=chosen.repeats,
        runs=None if chosen.timed_runs is None else (chosen.warm_up_runs, chosen.timed_runs),
    )


def _open_ray(chosen: EvaluatorSettings, options: LocalOptions, workers: int | None, cache: bool) -> RayPool:
    return RayPool(options, workers, cache, chosen.address, chosen.gpus_per_worker)


def import_reference(
    source: str, name: str, importing: ImportSettings, device: Device, sandbox: Sandbox | None = None
) -> Reference:
    """What a KernelBench-format text computes, its sizes as the settings say; UserError for what is not one.

    With device=cpu, `auto` makes sizes small on a machine with a GPU as well, where that can be done. The program runs
    in a process of its own; `sandbox` is its worker where several programs share one.
    """
    small_first = importing.shrink is Shrink.auto and device is Device.cpu and torch.cuda.is_available()
    return import_apart(source, name, _reading(importing, small_first), sandbox)


def larger_references(
    source: str, small: Reference, name: str, importing: ImportSettings, sandbox: Sandbox | None = None
) -> tuple[Reference, ...]:
    """The reference at larger sizes, where `auto` made it small; none where the user asked for small sizes."""
    if not small.shrunken or importing.shrink is not Shrink.auto:
        return ()
    return import_larger_apart(source, small, name, _reading(importing), sandbox)


def check_checking(reference: Reference, name: str, chosen: EvaluatorSettings, device: Device = Device.auto) -> None:
    """UserError where this machine has no room to check what a program computes."""
    if chosen.kind is EvaluatorKind.local and (device is Device.cpu or not torch.cuda.is_available()):
        check_room(reference, name, chosen.seeds, chosen.memory_gb)


def _reading(importing: ImportSettings, small_first: bool = False) -> Reading:
    check_options(importing, "import.")
    return Reading(
        importing.shrink.value,
        importing.numerics.value,
        importing.budget,
        importing.allclose,
        small_first,
        importing.timeout_s,
        importing.memory_gb,
    )


def silent(_line: str) -> None:
    """Progress for nobody."""


def read_program(path: Path, settings: Settings) -> KernelModule:
    """Read a file that holds either a module's printed text or a KernelBench-format program."""
    text = read_program_text(path, "", GIVE_A_PROGRAM)
    if not text.startswith(MODULE_HEADER):
        return import_program(path, settings)
    try:
        return parse_module(text)
    except DialectError as error:
        raise UserError(f"{path} does not parse as a module: {error.first}") from error


def import_program(path: Path, settings: Settings) -> KernelModule:
    """Read a KernelBench-format file as the settings say; UserError for what is not one."""
    return KernelModule(settings.name, import_apart(read_source(path), path.name, _reading(settings.importing)))
