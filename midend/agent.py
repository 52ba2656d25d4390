"""`me-agent`: a policy makes a program faster, by choosing passes or by rewriting it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from kernelwright.agent.agent_pass import AgentPass
from kernelwright.agent.evaluating import Rungs
from kernelwright.agent.evaluator import Rung, Verdict
from kernelwright.agent.policy import Prompt
from kernelwright.agent.prompts import (
    check_history,
    conversation,
    describe_outputs,
    describe_tensors,
    fill,
    source_block,
)
from kernelwright.agent.reading import last_block, program_text, read_program
from kernelwright.agent.rewards import Reward, paid
from kernelwright.agent.services import AgentServices
from kernelwright.agent.trajectory import Agent, Turn
from kernelwright.ir.dialect.tables import Dialect
from kernelwright.ir.errors import Diagnostic, UserError, check_choice
from kernelwright.ir.passes import Context, register
from kernelwright.ir.values import KernelModule, Level
from kernelwright.ir.verifier import extern_ops
from kernelwright.midend.analysis.launch_lines import describe_launches
from kernelwright.midend.search.choices import MOST_PASSES, describe_choices, run_choice

ACTIONS = ("program", "pipeline")
FORMS = ("native", "brief")
_STAGE = "kernelwright.midend"


@dataclass(frozen=True)
class MidendAgent:
    """Asks for passes to run (`action` pipeline) or for the program rewritten (`program`).

    `target` is the name of the target, for the prompt and for the passes that are run. The form `brief` asks for passes
    without naming them and says of the program what it launches: for small models that have learnt the rest. Where the
    program is to be rewritten, it is shown whole in either form.
    """

    target: str
    pay: Reward
    action: str = "program"
    history: str = "full"
    form: str = "native"

    def render(self, module: KernelModule, history: Sequence[Turn] = ()) -> Prompt:
        """What may be done, the reference, the program and its target; then the turns so far."""
        again = self.closing
        mode = check_history(self.history)
        if self.form == "brief" and self.action == "pipeline":
            return conversation(*self._briefly(module), again, history, mode)
        if self.action == "pipeline":
            system = fill(_STAGE, "pipeline", passes=describe_choices(), most=str(MOST_PASSES))
        else:
            system = fill(_STAGE, "program")
        problem = fill(
            _STAGE,
            "problem",
            target=self.target,
            reference=source_block(module.reference.source),
            tensors=describe_tensors(module.reference),
            returns=describe_outputs(module.reference),
            program=program_text(module).strip("\n"),
        )
        return conversation(system, problem, again, history, mode)

    def _briefly(self, module: KernelModule) -> tuple[str, str]:
        """System and problem of the form `brief`."""
        return fill(_STAGE, "system_brief", target=self.target), fill(
            _STAGE,
            "brief",
            reference=source_block(module.reference.source),
            tensors=describe_tensors(module.reference),
            launches=describe_launches(module),
        )

    @property
    def closing(self) -> str:
        """What ends the feedback of a turn: what is asked for next."""
        return fill(_STAGE, "again", what="a choice of passes" if self.action == "pipeline" else "the whole program")

    def parse(self, text: str, module: KernelModule) -> KernelModule | tuple[Diagnostic, ...]:
        """The program that was written, or that the chosen passes make; or why there is none.

        A rewritten program calls no extern operator that the given one does not, and stays fitted to its target.
        """
        if self.action == "pipeline":
            choice = last_block(text)
            return run_choice(choice.strip(), module, self.target) if isinstance(choice, str) else choice
        return read_program(text, module, Dialect(frozenset(extern_ops(module))), module.target)

    def reward(self, before: KernelModule, after: KernelModule | None, verdict: Verdict) -> float:
        """What the configured reward says. Raises UserError, naming the reward, where that is no finite number."""
        return paid(self.pay, before, after, verdict)


@register
@dataclass(frozen=True)
class MidendAgentPass(AgentPass):
    """Ask a policy for a faster program; keep the best verified answer if it is better than the given program.

    action: program (it is rewritten) or pipeline (passes are chosen). form: native, or brief to ask a small model for
    passes that it was trained to choose. reward: auto takes midend where the rung time is evaluated, else cost_model
    where the context has an estimate. The other options are those of every agent.
    """

    name: ClassVar[str] = "me-agent"
    reads: ClassVar[Level] = Level.TRITON
    writes: ClassVar[Level] = Level.TRITON

    reward: str = "auto"
    early_stop: bool = False
    action: str = "program"
    form: str = "native"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("action", self.action, ACTIONS)
        check_choice("form", self.form, FORMS)
        if self.form == "brief" and self.action != "pipeline":
            raise UserError("form=brief shows no program to rewrite; use it with action=pipeline")

    def agent(self, target: str, reward: Reward) -> Agent:
        """The mid-end agent with this pass's options."""
        return MidendAgent(target, reward, self.action, self.history, self.form)

    def reward_name(self, ctx: Context, rungs: Rungs) -> str:
        """`auto` by what can be measured; UserError where neither times nor estimates are to be had."""
        if self.reward != "auto":
            return self.reward
        if Rung.TIME in (rungs or ()):
            return "midend"
        if ctx.service(AgentServices).estimate is not None:
            return "cost_model"
        raise UserError(
            "me-agent{reward=auto} finds no times to compare: evaluate with the rung time on a GPU "
            '(rungs="parse compile run time"), give the context an estimate, or choose reward=frontend'
        )
