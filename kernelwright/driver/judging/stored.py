"""Judges entries that other machines made: the store uses them only after that."""

from collections.abc import Callable
from dataclasses import replace
from types import TracebackType

import torch

from kernelwright.agent.evaluator import Verdict
from kernelwright.backend.store.entry import OTHER_SIZES, Entry, Versions
from kernelwright.driver.run.build import resolve_target
from kernelwright.evaluation.judge.local import LocalEvaluator
from kernelwright.frontend.swap.key import NotReplaceableError, read
from kernelwright.frontend.swap.problem import own_kernel
from kernelwright.frontend.swap.replacement import replacement
from kernelwright.frontend.swap.stored import recorded_of, why_not_inductors
from kernelwright.ir.errors import DialectError
from kernelwright.ir.parser import parse_module

INTERPRETER = "interpreter"


class StoredJudge:
    """A judge for `Store.verify`; close it, or use it as a context manager.

    An entry is right if its key is that of Inductor's kernel in it, if its module computes what that kernel does, by
    the evaluator of this machine, and if what runs is what the module gives. An entry for another GPU or for other
    versions is given back as it is, and `say` is told why.
    """

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._evaluators: dict[str, LocalEvaluator] = {}

    def __call__(self, entry: Entry) -> Entry | str:
        """The entry, trusted and with its verdict in the certificate; else why it is refused."""
        if reason := self._elsewhere(entry):
            self._say(f"{entry.digest[:12]} is not judged: {reason}")
            return entry
        try:
            reason, verdict = self._judged(entry)
        except NotReplaceableError as error:
            return f"Inductor's kernel in it is not one that is replaced: {error}"
        except DialectError as error:
            return f"its module does not parse: {error.first}"
        except (ValueError, LookupError, AssertionError, RecursionError) as error:  # whatever it makes of what it holds
            return f"it cannot be judged: {error or type(error).__name__}"
        if reason or verdict is None:
            return reason
        sizes = tuple((parameter, numbers[:1]) for parameter, numbers in entry.sizes)  # all that was judged here
        certificate = {**entry.certificate, "judged again": _told(verdict)}
        certificate.pop(OTHER_SIZES, None)  # they are tried anew here
        return replace(entry, trusted=True, sizes=sizes, certificate=certificate)

    def _judged(self, entry: Entry) -> tuple[str, Verdict | None]:
        """Why an entry is refused, "" where it is right; and the verdict on its module."""
        if read(entry.source).key != entry.key:
            return "its key is not that of Inductor's kernel in it", None
        if reason := why_not_inductors(entry.source):
            return f"Inductor does not write such a kernel: {reason}", None
        module, evaluator = parse_module(entry.module), self._evaluator(entry.target)
        recorded = recorded_of(entry, module)
        made = replacement(recorded, module)
        if (made.form, made.text, made.order) != (entry.form, entry.replacement, entry.order):
            return "what runs is not what its module gives", None
        own = evaluator.evaluate(own_kernel(recorded, module, evaluator.compile_target))
        if not own.ok:
            return f"Inductor's kernel in it does not compute what its module is judged by: {own}", None
        verdict = evaluator.evaluate(module)
        return "" if verdict.ok else f"its module is refused: {verdict}", verdict

    def close(self) -> None:
        """End the evaluators' processes."""
        for evaluator in self._evaluators.values():
            evaluator.close()

    def __enter__(self) -> "StoredJudge":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _elsewhere(self, entry: Entry) -> str:
        """Why another machine has to judge an entry; "" where this one can."""
        if entry.versions != (installed := Versions.installed()):
            return f"it is for {entry.versions}, and this is {installed}"
        if entry.target not in (INTERPRETER, here := _gpu()):
            return f"it is for {entry.target}, and this machine has {here or 'no GPU'}"
        return ""

    def _evaluator(self, target: str) -> LocalEvaluator:
        if target not in self._evaluators:
            on_gpu = target != INTERPRETER
            self._evaluators[target] = LocalEvaluator(resolve_target("auto") if on_gpu else target, use_gpu=on_gpu)
        return self._evaluators[target]


def _gpu() -> str:
    """This machine's GPU, as entries name it; "" where there is none."""
    if not torch.cuda.is_available():
        return ""
    major, minor = torch.cuda.get_device_capability()
    return f"sm_{major}{minor}"


def _told(verdict: Verdict) -> dict[str, object]:
    """What of a verdict belongs to a certificate."""
    return {"verdict": str(verdict), "rungs": [str(rung) for rung in verdict.rungs], "caliber": dict(verdict.caliber)}
