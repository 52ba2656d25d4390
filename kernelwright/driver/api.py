"""The functions that `import kernelwright` offers; the command line's verbs do the same work.

Bad input raises `kernelwright.ir.errors.UserError`, a ValueError that names the thing and the way out. Nothing here
asks a network or a language model, unless the configured policy does. Processes that a call starts end with the call,
even if Ctrl-C ends it.
"""

import numbers
import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from torch import nn

from kernelwright.agent.evaluator import Rung, Verdict
from kernelwright.agent.policy import Policy
from kernelwright.backend.tensors import Value
from kernelwright.driver.compiling.compiled import Compiled
from kernelwright.driver.compiling.live_model import LiveModel
from kernelwright.driver.compiling.pass_list import PassInfo, PassList
from kernelwright.driver.compiling.program import compile_program
from kernelwright.driver.config.discovery import discover, registered_passes
from kernelwright.driver.config.overrides import Overrides, as_overrides
from kernelwright.driver.config.policies import complaint
from kernelwright.driver.config.settings import (
    Device,
    EvaluateSettings,
    Settings,
    read_evaluate_settings,
    read_settings,
)
from kernelwright.driver.judging.batch import read_text
from kernelwright.driver.run.build import import_reference, larger_references, open_pool, read_program, silent
from kernelwright.driver.run.numerics import permitted
from kernelwright.driver.run_records import AblationRun, CompileRun, TrainingRun, load_run
from kernelwright.evaluation.pools.pool import Item
from kernelwright.ir.errors import UserError
from kernelwright.ir.pipeline import Pipeline
from kernelwright.ir.values import KernelModule, Reference

if TYPE_CHECKING:
    from kernelwright.driver.explaining.explanation import Explanation
    from kernelwright.driver.optimize.result import Optimized

#: A file's path, or a program's text, which is told by the line breaks in it.
Source = str | os.PathLike[str]


def compile(
    model: nn.Module | KernelModule | Source,
    *inputs: Value,
    target: str = "auto",
    pipeline: str | Pipeline | None = None,
    out: Source | None = None,
    name: str | None = None,
    overrides: Overrides = (),
    progress: Callable[[str], None] = silent,
) -> Compiled:
    """Compile a program to verified Triton, and return the compiled program with its verdict.

    model: a live `nn.Module` with the `inputs` of its forward (tensors and numbers); or, without inputs, a
    KernelBench-format program as a path or a text, a file with a module's printed text, or a module. A live model is
    traced with these inputs. Its kernels serve these shapes, dtypes and numbers, in the mode that the model is in
    (training or evaluation), and take its weights as they are at each call. They are verified on random draws like its
    weights and inputs, and on the weights and inputs themselves.
    target: a target's name; auto is this machine's GPU, or h100 without one.
    pipeline: passes such as `"lower-inductor,tune{trials=8}"`; None for the configured passes.
    out: a folder that gets every stage, `module.py` and `report.json`; None writes nothing.
    overrides: further configuration, as the command line takes it: `["evaluator.seeds=5"]`, or a mapping.
    progress: a function that gets short lines about the current work. If it raises, a warning says so, and the work
    goes on without it.

    Raises UserError for bad input, and its subclass LoweringError for a model that no fixed graph expresses. Wrong
    kernels raise nothing: see the result's `verdict`.

        >>> import torch, kernelwright
        >>> model, x = torch.nn.Sequential(torch.nn.Linear(8, 4), torch.nn.ReLU()), torch.randn(2, 8)
        >>> compiled = kernelwright.compile(model, x, pipeline="lower-inductor")
        >>> compiled.ok, torch.allclose(compiled(x), model(x), atol=1e-5)
        (True, True)
    """
    if not isinstance(name, str | None):
        raise UserError(f"name={name!r}: give a text, or None")
    if not callable(progress):
        raise UserError(f"progress={progress!r}: give a function that takes a line of text")
    progress = _heeded(progress)
    discover()
    given = [*as_overrides(overrides), *as_overrides({"target": target} | ({} if out is None else {"out": out}))]
    chosen = pipeline if isinstance(pipeline, str) else None
    settings = read_settings(name or _name_of(model), given, chosen)
    if isinstance(pipeline, Pipeline):
        settings = Settings(**{**vars(settings), "pipeline": pipeline})
    if isinstance(model, nn.Module):
        live = _live(model, inputs, given)
        module = live.read(settings.name, permitted())
        return compile_program(module, settings, progress, live=live, keep=out is not None)
    if inputs:
        raise UserError("inputs go with a live nn.Module; a program has its own in get_inputs()")
    return compile_program(_read(model, settings), settings, progress, keep=out is not None)


def search(
    model: nn.Module | KernelModule | Source,
    *inputs: Value,
    seconds: float | None = None,
    trials: int | None = None,
    target: str = "auto",
    out: Source | None = None,
    name: str | None = None,
    overrides: Overrides = (),
    progress: Callable[[str], None] = silent,
) -> Compiled:
    """Search for the fastest verified kernels among many lowerings, rewrites and launch options.

    It is `compile` with the pass `search`: on a GPU candidates are measured, elsewhere the cost model estimates them
    for the target, and the report says which. seconds: the time after which the search stops (None: no limit).
    trials: the number of launch options to try for the last candidates. Ctrl-C keeps the best program so far. The other
    arguments are as for `compile`.

        >>> import torch, kernelwright
        >>> found = kernelwright.search(torch.nn.Softmax(-1), torch.randn(8, 64), seconds=20, target="h100")
        >>> found.report["speedup"]["how"]
        'cost model: estimated for h100, not measured'
    """
    for key, given, kind in (("seconds", seconds, numbers.Real), ("trials", trials, numbers.Integral)):
        if given is not None and (isinstance(given, bool) or not isinstance(given, kind)):
            raise UserError(f"{key}={given!r}: give a {'whole ' if kind is numbers.Integral else ''}number, or None")
    options = {"seconds": None if seconds is None else float(seconds), "trials": trials}
    told = ",".join(f"{key}={value}" for key, value in options.items() if value is not None)
    pipeline = f"search{{{told}}}" if told else "search"
    return compile(
        model,
        *inputs,
        target=target,
        pipeline=pipeline,
        out=out,
        name=name,
        overrides=overrides,
        progress=progress,
    )


def optimize(
    model: nn.Module,
    *inputs: Value,
    budget: float = 90.0,
    mode: str | None = None,
    dynamic: bool = False,
    store: Source | None = None,
    overrides: Overrides = (),
    progress: Callable[[str], None] = silent,
) -> "Optimized":
    """Find faster kernels for a model, for `torch.compile(model, backend="kernelwright")` to use from then on.

    The model is compiled by Inductor and run with these `inputs` of its forward. Its kernels are searched one after
    another, those with most to gain first. A faster kernel is admitted if it is verified, and if it is faster in the
    running model too. Admitted kernels are in the store; later calls go on with what is left.

    budget: seconds for everything. mode: eval (a call without gradients), train (a call with gradients of all
    parameters), or autocast (the same in bf16); None takes the mode that the model is in. dynamic: compile for sizes
    that change from call to call; an admitted kernel is verified at several sizes, and used for those between them.
    store: the folder of the store; None for the user's. overrides and progress: as for `compile`. Ctrl-C ends the work
    early; what was admitted is kept, and the result's `stopped` says so.

    Raises UserError for a model that `torch.compile` cannot take, and on a machine where Inductor writes no Triton.

        >>> import kernelwright
        >>> found = kernelwright.optimize(model, x, budget=90)
        >>> print(found, *found.admitted, sep="\n")
        >>> fast = torch.compile(model, backend="kernelwright")
    """
    if not isinstance(model, nn.Module):
        raise UserError(f"model is {type(model).__name__}; give an nn.Module")
    if not callable(progress):
        raise UserError(f"progress={progress!r}: give a function that takes a line of text")
    from kernelwright.driver.optimize.session import optimize_model  # late: it imports Inductor

    say = _heeded(progress)
    return optimize_model(
        model,
        inputs,
        budget=budget,
        mode=mode,
        dynamic=dynamic,
        store=None if store is None else Path(store).expanduser(),
        overrides=as_overrides(overrides),
        say=say,
        done=lambda kernel: say(str(kernel)),
    )


def explain(
    model: nn.Module | Source,
    *inputs: Value,
    mode: str | None = None,
    calls: int = 11,
    out: Source | None = None,
    store: Source | None = None,
) -> "Explanation":
    """Tell what runs in a model under `torch.compile(model, backend="kernelwright")`, kernel by kernel, and why.

    model: a live `nn.Module` with the `inputs` of its forward, both on the GPU; or, without inputs, a program in
    KernelBench's format, as a path. The model is compiled, and so many `calls` of it are profiled. Each kernel, and
    each operation of a library, has its share of the device's time, what it would take at best, and what runs for it:
    ours with its certificate, or Inductor's with the reason. Without a GPU, kernels are listed without times.

    mode: eval, train or autocast, as for `optimize`. out: a file to write, as its name ends: .html, .txt or .json.
    store: the folder of the store; None for the user's.

    `str()` of the result is text, and a notebook shows a page. `profile.rows` has the figures. Raises UserError for a
    model that `torch.compile` cannot take.

        >>> import kernelwright
        >>> print(kernelwright.explain(model, x, out="model.html"))
    """
    from kernelwright.driver.explaining.explain import check_out, explain_model, write  # late: it imports Inductor
    from kernelwright.driver.extraction.program_file import read_model

    if out is not None:
        check_out(Path(out))
    if isinstance(model, nn.Module):
        live, values, name = model, inputs, type(model).__name__
    elif inputs:
        raise UserError("inputs go with a live nn.Module; a program has its own in get_inputs()")
    else:
        name, (live, values) = Path(model).stem, read_model(Path(model))
    options = {} if store is None else {"store": str(store)}
    found = explain_model(live, values, name=name, mode=mode, calls=calls, options=options)
    if out is not None:
        write(found, Path(out))
    return found


def evaluate(
    candidate: Source | KernelModule | Compiled,
    reference: Source | nn.Module | KernelModule | Reference,
    *inputs: Value,
    rungs: Sequence[Rung | str] | str | None = None,
    target: str = "auto",
    device: str = "auto",
    dialect: bool = True,
    overrides: Overrides = (),
) -> Verdict:
    """Judge a program against a reference.

    candidate: the program to judge: a path or a text with a class `ModelNew` or a function `forward`, a module, or the
    result of `compile`. reference: a path or a text in KernelBench's format, a module (its reference is taken), a
    `Reference`, or a live `nn.Module` with the `inputs` of its forward. The weights of a live module become inputs of
    the candidate. rungs: some of parse, compile, interpret, run, time and profile, as a list or a text with commas;
    None for parse, compile, and run (without a GPU: interpret). device: auto, cpu or cuda. dialect: False judges
    Python whose host code is in a vocabulary. overrides: as the command line takes them, such as
    `["evaluator.seeds=5"]`.

    A bad candidate is a verdict and raises nothing. Raises UserError for a reference that cannot be used.

        >>> import kernelwright
        >>> verdict = kernelwright.evaluate(candidate_text, reference_text, rungs=["parse", "interpret"])
        >>> verdict.ok, verdict.errors["rms"]
    """
    given = {"target": target, "device": device, "dialect": dialect}
    spelt = [*as_overrides(overrides), *as_overrides(given)]
    if not isinstance(rungs, str | Sequence | None):
        raise UserError(f"rungs={rungs!r}: give a list of rungs, or a text with commas such as 'parse,interpret'")
    if rungs is not None:
        spelt.append(f"rungs={rungs if isinstance(rungs, str) else ','.join(map(str, rungs))}")
    settings = read_evaluate_settings(spelt)
    computed, larger = _reference(reference, inputs, settings, spelt)
    program, called = _candidate(candidate)
    opened = open_pool(settings.evaluator, settings.target, 1, settings.device, settings.dialect, settings.cache)
    with closing(opened) as pool:
        (verdict,) = pool.evaluate_many([Item(program, computed, settings.rungs, name=called, larger=larger)])
    return verdict


def passes() -> Mapping[str, PassInfo]:
    """List every pass: the built-in passes, and the passes of installed packages and of this session.

    Returns a mapping from sorted names to `PassInfo` (`reads`, `writes`, `summary`, `options`, `package`; for a
    rewrite of kernels also `needs`, `changes`, `keeps`). If a package's pass does not load, the mapping leaves the
    pass out, and a warning names it.

        >>> import kernelwright
        >>> kernelwright.passes()["tune"].options["trials"].default
        16
    """
    return PassList({name: PassInfo.of(cls) for name, cls in registered_passes().items()})


def train(
    stage: str = "frontend",
    overrides: Overrides = (),
    *,
    out: Source | None = None,
    policy: Policy | str | Mapping[str, object] | None = None,
    verbose: bool = True,
    **settings: object,
) -> TrainingRun:
    """Train a stage's agent by reinforcement learning, or resume a stopped run.

    stage: frontend or midend. overrides and settings: configuration, as `kernelwright train` takes it: texts
    (`["trainer.steps=20"]`), or keywords whose mappings are nested keys (`recipe="smollm", trainer={"steps": 20}`).
    out: the run folder; None for the configured one, runs/train/STAGE. policy: the name of an option of the group
    `policy`, a mapping of its keys, or an open policy, which stays open. verbose: show progress on stderr.

    Returns the run as `load` does. Raises UserError for bad configuration, before the policy is asked. Ctrl-C writes a
    checkpoint before the run ends; the same call then resumes from it.

        >>> import kernelwright
        >>> run = kernelwright.train("frontend", recipe="smollm", policy={"model": folder}, trainer={"steps": 20})
        >>> run.last["reward"], run.adapter
    """
    if isinstance(policy, str | Mapping):
        settings, policy = {**settings, "policy": policy}, None
    if policy is not None and (said := complaint(policy)):
        raise UserError(f"policy={policy!r}: {said}; give a policy's name, a mapping of its keys, or an open policy")
    # Training takes packages that compiling does without.
    from kernelwright.driver.config.train_settings import read_train_settings
    from kernelwright.driver.run.activity import sayer
    from kernelwright.driver.run.finished import finished_train

    chosen = {"stage": stage} | ({} if out is None else {"out": out})
    told = read_train_settings([*as_overrides(chosen), *as_overrides(overrides), *as_overrides(settings)])
    console = Console(stderr=True, quiet=not verbose)
    if finished_train(told, sayer(console)) is None:
        from kernelwright.driver.training.run import run_train  # late: it imports torch

        run_train(told, console, policy)
    found = load_run(Path(told.plain.out))
    assert isinstance(found, TrainingRun), found
    return found


def load(folder: Source) -> CompileRun | TrainingRun | AblationRun:
    """Read the run folder of `compile`, `train`, `sft` or `ablate`.

    The values are frozen, and a notebook shows them as tables. Raises UserError for a folder that no run has written.

        >>> import kernelwright
        >>> run = kernelwright.load("runs/softmax")
        >>> run.ok, run.report["speedup"]["how"], run.module.kernels[0].symbol
    """
    if not isinstance(folder, str | os.PathLike):
        raise UserError(f"folder={folder!r}: give the path of a run folder")
    return load_run(Path(folder))


def _heeded(progress: Callable[[str], None]) -> Callable[[str], None]:
    """The function until it raises: what shows progress must not cost the work."""
    failed = False

    def say(line: str) -> None:
        nonlocal failed
        if failed:
            return
        try:
            progress(line)
        except Exception as error:  # noqa: BLE001 - whatever a user's own function raises
            failed = True
            fault = f"progress={progress!r} raises {type(error).__name__}: {error}"
            warnings.warn(f"{fault}; the work goes on without it", RuntimeWarning, stacklevel=2)

    return say


def _live(model: nn.Module, inputs: tuple[Value, ...], overrides: Sequence[str]) -> LiveModel:
    reading = next((override for override in overrides if override.startswith("import.")), None)
    if reading is not None:
        raise UserError(f"{reading}: it applies to the text of a program; a live model has its own sizes and dtypes")
    return LiveModel(model, inputs)


def _read(model: KernelModule | Source, settings: Settings) -> KernelModule:
    if isinstance(model, KernelModule):
        return model
    if not _is_text(model):
        return read_program(Path(model), settings)
    return KernelModule(settings.name, import_reference(str(model), "model", settings.importing, Device.auto))


def _reference(
    given: Source | nn.Module | KernelModule | Reference,
    inputs: tuple[Value, ...],
    settings: EvaluateSettings,
    overrides: Sequence[str],
) -> tuple[Reference, tuple[Reference, ...]]:
    """What is to be computed, and the same at larger sizes where a text was made small."""
    if isinstance(given, nn.Module):
        return _live(given, inputs, overrides).read(type(given).__name__, permitted()).reference, ()
    if inputs:
        raise UserError("inputs go with a live nn.Module; a program has its own in get_inputs()")
    if isinstance(given, Reference):
        return given, ()
    if isinstance(given, KernelModule):
        return given.reference, ()
    text, called = _program(given, "reference", "a module or an nn.Module")
    reference = import_reference(text, called, settings.importing, settings.device)
    return reference, larger_references(text, reference, called, settings.importing)


def _candidate(given: Source | KernelModule | Compiled) -> tuple[str | KernelModule, str]:
    """The program, and what it is called in messages."""
    if isinstance(given, Compiled):
        given = given.module
    if isinstance(given, KernelModule):
        return given, given.name
    return _program(given, "candidate", "a module or a Compiled")


def _program(given: Source, key: str, others: str) -> tuple[str, str]:
    """A program's text, and what it is called in messages. UserError for an object of another kind."""
    if not isinstance(given, str | os.PathLike):
        raise UserError(f"{key} is {type(given).__name__}; give a path, a program's text, {others}")
    return (str(given), key) if _is_text(given) else (read_text(Path(given), key), Path(given).name)


def _is_text(given: Source) -> bool:
    return isinstance(given, str) and "\n" in given


def _name_of(model: nn.Module | KernelModule | Source) -> str:
    if isinstance(model, nn.Module):
        return type(model).__name__
    if isinstance(model, KernelModule):
        return model.name
    if isinstance(model, str | os.PathLike):
        return "program" if _is_text(model) else Path(model).stem
    raise UserError(f"model is {type(model).__name__}; give an nn.Module, a path, a program's text or a KernelModule")
