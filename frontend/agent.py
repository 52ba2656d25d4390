"""`fe-agent`: a policy writes the Triton program for a reference."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from kernelwright.agent.agent_pass import AgentPass
from kernelwright.agent.evaluator import Verdict
from kernelwright.agent.policy import Prompt
from kernelwright.agent.prompts import (
    check_history,
    conversation,
    describe_outputs,
    describe_tensors,
    fill,
    source_block,
)
from kernelwright.agent.reading import as_program, fenced, last_block, program_text, read_program
from kernelwright.agent.rewards import Reward, paid
from kernelwright.agent.trajectory import Agent, Turn
from kernelwright.frontend.description import described, prototype
from kernelwright.frontend.essence import essential
from kernelwright.frontend.notation.reading import expand
from kernelwright.frontend.notation.words import NotExpressibleError
from kernelwright.ir.dialect.tables import Dialect
from kernelwright.ir.errors import Diagnostic, DialectError, check_choice
from kernelwright.ir.passes import register
from kernelwright.ir.values import KernelModule, Level

FORMS = ("native", "modelnew", "kernels")
PROMPTS = ("plain", "described")
_STAGE = "kernelwright.frontend"


@dataclass(frozen=True)
class FrontendAgent:
    """Asks for a whole program, in the native form or as KernelBench's `ModelNew`; either is read.

    The form `kernels` is for small models that have learnt rules and example by heart: it asks for what kernels do in
    the short form (`notation/words.py`), which is expanded by rule, and reads no other. `target` is a target's name
    for the prompt. With `externs` programs may call library operators such as `aten.mm`. The prompt `described` also
    says in words what the program does, and shows the prototype of the entry.
    """

    target: str
    pay: Reward
    form: str = "native"
    history: str = "full"
    externs: bool = False
    prompt: str = "plain"

    def render(self, module: KernelModule, history: Sequence[Turn] = ()) -> Prompt:
        """The dialect in brief, a worked example, the problem and its target; then the turns so far."""
        reference = module.reference
        mode = check_history(self.history)
        if self.form == "kernels":
            shown = fill(_STAGE, "kernels", essential=essential(reference))
            return conversation(fill(_STAGE, "system_kernels"), shown, self.closing, history, mode)
        values = {
            "target": self.target,
            "problem": source_block(reference.source),
            "tensors": describe_tensors(reference),
            "returns": describe_outputs(reference),
        }
        if self.form == "modelnew":
            values["entry"] = reference.entry
        problem = fill(_STAGE, self.form, **values)
        if self.prompt == "described":
            told = {"description": described(reference), "prototype": prototype(reference, self.form)}
            problem = f"{problem}\n\n{fill(_STAGE, 'described', **told)}"
        return conversation(fill(_STAGE, "system"), problem, self.closing, history, mode)

    @property
    def closing(self) -> str:
        """What ends the feedback of a turn: what is asked for next."""
        return fill(_STAGE, "again")

    def parse(self, text: str, module: KernelModule) -> KernelModule | tuple[Diagnostic, ...]:
        """The program in the answer's last block, fitted to no target; or why there is none."""
        dialect = Dialect(None if self.externs else frozenset())
        if self.form != "kernels":
            return read_program(text, module, dialect)
        block = last_block(text)
        if not isinstance(block, str):
            return block
        try:
            program = expand(block, module.reference)
        except DialectError as error:
            return error.diagnostics
        return as_program(program, module, dialect)

    def answer(self, module: KernelModule) -> str | None:
        """The program as this agent should answer with it; None where the form has no words for it."""
        if self.form != "kernels":
            return fenced(program_text(module))
        from kernelwright.frontend.notation.writing import short_form  # it needs torch

        try:
            return fenced(short_form(module), "")
        except NotExpressibleError:
            return None

    def reward(self, before: KernelModule, after: KernelModule | None, verdict: Verdict) -> float:
        """What the configured reward says. Raises UserError, naming the reward, where that is no finite number."""
        return paid(self.pay, before, after, verdict)


@register
@dataclass(frozen=True)
class FrontendAgentPass(AgentPass):
    """Ask a policy for a Triton program; keep the best verified answer.

    form: native, modelnew for KernelBench's, or kernels for small models that were trained on it. externs: let programs
    call library operators. The other options are those of every agent (`AgentPass`).
    """

    name: ClassVar[str] = "fe-agent"
    reads: ClassVar[Level] = Level.TORCH
    writes: ClassVar[Level] = Level.TRITON

    form: str = "native"
    externs: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("form", self.form, FORMS)

    def agent(self, target: str, reward: Reward) -> Agent:
        """The frontend agent with this pass's options."""
        return FrontendAgent(target, reward, self.form, self.history, self.externs)
