"""A verb as a Hydra application: multirun, `--cfg`, `--info`, completion, and Hydra's record of each run.

Hydra's own `main` composes, sweeps and launches; each job then runs the verb with the job's overrides. A job's folder
is Hydra's output folder: `out` names it, as `hydra.run.dir` and `hydra.sweep.dir` are `${out}` unless they are given.
In a multirun each job has a folder of its own below, by its number (`hydra.sweep.subdir`).
"""

import importlib
import os
import re
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import hydra
from hydra.core.hydra_config import HydraConfig
from hydra.errors import HydraException, MissingConfigException
from hydra.types import RunMode
from omegaconf import DictConfig, OmegaConf

from kernelwright.driver import verbs
from kernelwright.driver.config.arguments import ASKING, Arguments, quoted, root_of
from kernelwright.driver.config.checking import near
from kernelwright.driver.config.composition import (
    COMPOSITION_ERRORS,
    CONFIG_MODULE,
    compose_config,
    explain,
    for_hydra,
    opened,
    options_of,
    register_plugins,
    verbatim,
)
from kernelwright.driver.config.paths import new_folder, remove_if_bare
from kernelwright.driver.config.plain import unknown_option
from kernelwright.driver.config.settings import program_name
from kernelwright.driver.run.locks import check_free
from kernelwright.driver.run.streams import naming, told
from kernelwright.ir.errors import KernelwrightError, UserError

#: Options of a sweep over a configuration group.
_NAMES = re.compile(r"\w*(,\w*)*", re.ASCII)
#: Sweeps, as Hydra spells them: a list without brackets, or a function of the sweep's grammar.
_SWEEP = re.compile(r"(choice|range|interval|shuffle|sort|tag|glob)\(", re.ASCII)


#: What a job of a multirun calls its file of rows, by the configuration.
_ROWS = {"data": "pairs.jsonl", "rollouts": "rollouts.jsonl"}
#: Configurations in which the program that is given gives the run its name.
NAMED = ("config", "opt")


class JobFailedError(KernelwrightError):
    """A job of a multirun ended with a status other than 0, in a process of its own."""


@dataclass
class Job:
    """What Hydra runs: a verb, once for each of its jobs. `statuses` are those of jobs in this process."""

    verb: str
    arguments: Arguments
    hidden: tuple[str, ...] = ()
    named: str = ""
    began: bool = False
    process: int = field(default_factory=os.getpid)
    statuses: list[int] = field(default_factory=list)
    error: Exception | None = None

    def __call__(self, _config: DictConfig) -> int:
        """One job. Its configuration is read anew from its overrides, so that Hydra's runs are read as others are."""
        job = HydraConfig.get()
        module = importlib.import_module(f"{verbs.__name__}.{self.verb}")
        searchpath = [item for item in job.overrides.hydra if item.startswith("hydra.searchpath=")]
        root = root_of(module, self.arguments)
        given = [*searchpath, *self.hidden, *_of_job(self.verb, root, job, module, self.named)]
        self.began = True
        multirun = job.mode is RunMode.MULTIRUN
        try:
            with _argv(self._alone(given if multirun else self.arguments.overrides)):
                status: int = module.run(_absolute(self.arguments, job).with_overrides(given))
        except Exception as error:  # Hydra would write a line of its own before it
            if not multirun:
                self.error = error
                return 2
            if not isinstance(error, KernelwrightError | OSError):
                raise
            status = 2 if isinstance(error, UserError) else 1
            text = told(error) if isinstance(error, OSError) else error
            sys.stderr.write(f"kernelwright: error: job {job.job.num} ({job.job.override_dirname}): {text}\n")
        self.statuses.append(status)
        if status and os.getpid() != self.process:
            raise JobFailedError(f"job {job.job.num} ({job.job.override_dirname}) ended with status {status}")
        return status

    def _alone(self, overrides: Sequence[str]) -> list[str]:
        """The command line that runs this job by itself, which runs keep with their results."""
        chosen = {name: value for name, value in self.arguments.flags.items() if name != "--multirun"}
        flags = [f"{name}={value}" if value else name for name, value in chosen.items()]
        return [self.verb, *self.arguments.positional, *flags, *overrides]


def launch(verb: str, root: str, arguments: Arguments, out: str = "") -> int:
    """Hand a verb to Hydra's main; the exit status is that of the worst of its jobs.

    `out` is the folder that a single run has by its configuration. One that a run could not begin in is not left.
    """
    multirun = "--multirun" in arguments.flags
    seen, hidden = _for_hydra(verb, root, arguments.composed, multirun)
    _refuse(verb, root, arguments, seen)
    named = ""
    if arguments.positional and root in NAMED and not any(_key(item) == "name" for item in seen):
        named = f"name={quoted(program_name(Path(arguments.positional[0]).stem))}"
    job = Job(verb, arguments, hidden, named)
    command = [*_flags(arguments.flags), *seen, *([named] if named else []), f"hydra.job.name={verb}"]
    folder, given = _run_folder(arguments.overrides, out, multirun)
    before, record = _names(folder), _record(folder)
    if out and not given and root == "config":  # a compilation's folder is new unless it is named
        folder, before = new_folder(out), None
        command.append(f"hydra.run.dir={quoted(str(folder))}")
    elif out and os.environ.get("RANK", "0") == "0" and (busy := _busy(folder)):
        if given:
            raise busy
        command.append("hydra.output_subdir=null")  # the other run's record stays; the verb takes another folder
    with _as_hydra_has_it(command), naming(str(folder)):
        register_plugins(seen)
        try:
            _run(job, root, arguments, seen, folder)
        except SystemExit as end:  # after help, and after what Hydra complained of by itself
            return int(end.code or 0)
        except KeyboardInterrupt as stop:
            _remove_record(folder, before)
            if not stop.args and _names(folder) == before:
                stop.args = ("stopped before the work began; nothing of this run is kept",)
            raise
        if job.error is not None:
            if record and isinstance(job.error, UserError):  # refused: the record is still that of the run before
                _write_record(folder, record)
            _remove_record(folder, before)
            raise job.error
    return max(job.statuses, default=0)


def _refuse(verb: str, root: str, arguments: Arguments, seen: Sequence[str]) -> None:
    """Raise UserError for flags that the verb, its configuration or the overrides that Hydra sees do not go with."""
    multirun = "--multirun" in arguments.flags
    if multirun:
        _refuse_unknown_options(seen)
    if arguments.flags.get("--cfg") == "job" and (package := arguments.flags.get("--package")):
        _check_package(package, compose_config(arguments.composed, root=arguments.root(root)))
    if multirun and not getattr(importlib.import_module(f"{verbs.__name__}.{verb}"), "FOLDER", False):
        _refuse_one_file(arguments.overrides)


def _run(job: Job, root: str, arguments: Arguments, seen: Sequence[str], folder: Path) -> None:
    """Run Hydra's main. What fails before the verb began is explained by a UserError."""
    try:
        hydra.main(f"pkg://{CONFIG_MODULE}", arguments.root(root), version_base=None)(job)()
    except (*COMPOSITION_ERRORS, HydraException) as error:  # of which one is an OSError as well
        if isinstance(error, KernelwrightError) or job.began:
            raise
        raise _composition_fault(error, seen, arguments, root) from error
    except OSError as error:
        if job.began:
            raise
        raise UserError(f"out={folder}: {error.strerror}; name another folder") from error


def _run_folder(overrides: Sequence[str], out: str, multirun: bool) -> tuple[Path, bool]:
    """The folder of a single run, and whether the user named it. UserError where two keys name two folders."""
    keys = {_key(item): _value(item) for item in overrides}
    folder = Path(keys.get("hydra.run.dir", out))
    if {"out", "hydra.run.dir"} <= keys.keys() and not multirun and str(folder) != out:
        raise UserError(f"out={out} and hydra.run.dir={folder} both name the run's folder; give one of them")
    return folder, bool({"out", "hydra.run.dir"} & keys.keys())


def _composition_fault(error: Exception, seen: Sequence[str], arguments: Arguments, root: str) -> UserError:
    """What is wrong with overrides that Hydra does not compose; raises what composing them here says."""
    if isinstance(error, MissingConfigException) and error.options:
        return UserError(explain(error, seen, root))
    compose_config(arguments.composed, root=arguments.root(root))
    return UserError(str(error).splitlines()[0])


def _names(folder: Path) -> set[str] | None:
    """What lies in a folder; None where there is no such folder."""
    return {path.name for path in folder.iterdir()} if folder.is_dir() else None


def _record(folder: Path) -> dict[Path, bytes]:
    """Hydra's record of the run that a folder holds, by its files."""
    return {path: path.read_bytes() for path in (folder / ".hydra").glob("*") if path.is_file()}


def _write_record(folder: Path, record: Mapping[Path, bytes]) -> None:
    """Make Hydra's record what it was."""
    for path in _record(folder).keys() - record.keys():
        path.unlink()
    for path, content in record.items():
        path.write_bytes(content)


def _remove_record(folder: Path, before: set[str] | None) -> None:
    """Remove Hydra's record, and a folder that is new, where a run has left nothing else."""
    if before is None:
        remove_if_bare(folder)
    elif (_names(folder) or set()) - before == {".hydra"}:
        shutil.rmtree(folder / ".hydra", ignore_errors=True)


def _busy(folder: Path) -> UserError | None:
    """What is said of a folder that another run has now."""
    try:
        check_free(folder)
    except UserError as error:
        return error
    return None


def _flags(given: Mapping[str, str]) -> list[str]:
    """Hydra's flags as Hydra reads them."""
    found = []
    for name in (*ASKING, "--multirun", "--resolve", "--package"):
        if name in given:
            found += [name, given[name]] if given[name] else [name]
    return found


def _for_hydra(verb: str, root: str, overrides: Sequence[str], multirun: bool) -> tuple[list[str], tuple[str, ...]]:
    """Overrides in Hydra's grammar, and those that are none of its business: what an ablation's arms train with."""
    seen, hidden = [], []
    for item in overrides:
        if verb == "ablate" and _key(item).partition(".")[0] in ("train", "arms"):
            hidden.append(item)
        else:
            seen.append(for_hydra(opened(item), root, multirun))
    return seen, tuple(hidden)


def _of_job(verb: str, root: str, job: Any, module: Any, named: str) -> list[str]:
    """A job's overrides as they would be given to it alone, with its own `out`."""
    out = _out(verb, root, job, module)
    found = [
        f"out={out}" if out and _key(item) == "out" else _closed(verbatim(item, root))
        for item in job.overrides.task
        if item != named
    ]
    return found if not out or any(_key(item) == "out" for item in found) else [*found, f"out={out}"]


def _closed(override: str) -> str:
    """An override as it was before `opened`."""
    plain = override.removeprefix("++")
    return plain if opened(plain) == override else override


def _out(verb: str, root: str, job: Any, module: Any) -> str:
    """What the job's `out` is: its folder, or in a multirun the file in its folder; "" where it is as given."""
    multirun = job.mode is RunMode.MULTIRUN
    folder = Path(job.sweep.dir) / job.sweep.subdir if multirun else Path(job.run.dir)
    folder = Path(job.runtime.output_dir) if job.job.chdir else folder
    if getattr(module, "FOLDER", False):
        return str(folder)
    given = [item for item in job.overrides.task if _key(item) == "out"]
    if given:
        return verbatim(given[-1], root).partition("=")[2]
    return str(folder / _ROWS[root]) if multirun and verb == "data" else ""


def _refuse_unknown_options(overrides: Sequence[str]) -> None:
    """UserError for an option of a sweep that its group lacks, before Hydra makes a folder for the sweep."""
    for item in overrides:
        group, _, swept = item.partition("=")
        known = options_of(group)
        for option in swept.split(",") if known and _NAMES.fullmatch(swept) else ():
            if option not in known:
                raise UserError(unknown_option(group, option, known))


def _check_package(package: str, config: DictConfig) -> None:
    """UserError if the configuration has no such part. Hydra would print this error with a status of its own."""
    if package != "_global_" and OmegaConf.select(config, package) is None:
        raise UserError(f"--package={package}: no such part of the configuration{near(package, map(str, config))}")


def _refuse_one_file(overrides: Sequence[str]) -> None:
    """UserError for one output file that all jobs of a multirun would write."""
    given = [item for item in overrides if _key(item) == "out"]
    if given and "," not in given[-1] and not _SWEEP.match(given[-1].partition("=")[2]):
        raise UserError(f"{given[-1]}: all jobs of this multirun would write it; leave it out, or sweep it as out=A,B")


def _absolute(arguments: Arguments, job: Any) -> Arguments:
    """The arguments, with paths that hold in another working folder where the job has one."""
    if not job.job.chdir:
        return arguments
    cwd = Path(job.runtime.cwd)
    kept = tuple(str(cwd / path) if (cwd / path).exists() else path for path in arguments.positional)
    flags = {
        name: str(cwd / value) if name == "--output" and value != "-" else value
        for name, value in arguments.flags.items()
    }
    return Arguments(kept, arguments.overrides, flags)


@contextmanager
def _as_hydra_has_it(command: Sequence[str]) -> Iterator[None]:
    """The process's arguments as Hydra's main reads them; and errors raised, which it would print and exit with 1."""
    full = os.environ.get("HYDRA_FULL_ERROR")
    os.environ["HYDRA_FULL_ERROR"] = "1"
    try:
        with _argv(command):
            yield
    finally:
        if full is None:
            del os.environ["HYDRA_FULL_ERROR"]
        else:
            os.environ["HYDRA_FULL_ERROR"] = full


@contextmanager
def _argv(command: Sequence[str]) -> Iterator[None]:
    """The process's arguments, while this lasts."""
    before = sys.argv
    sys.argv = ["kernelwright", *command]
    try:
        yield
    finally:
        sys.argv = before


def _value(override: str) -> str:
    return override.partition("=")[2]


def _key(override: str) -> str:
    return override.lstrip("+~").partition("=")[0]
