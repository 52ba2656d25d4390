"""Prompts to the letter (tests/golden/prompts), and how much of the turns so far they show.

Set KERNELWRIGHT_UPDATE_GOLDEN=1 to write what is rendered now, and read the difference before committing it.
"""

import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import pytest
from scripted import GOLDEN, OUTSIDE, PROBLEM, RIGHT, WRONG, answer, given_module, ok, wrong

from kernelwright.agent.evaluator import Verdict
from kernelwright.agent.policy import Completion, Message, Prompt
from kernelwright.agent.prompts import HISTORIES, check_history, conversation, fill
from kernelwright.agent.rewards import make_reward
from kernelwright.agent.rollout import unparsed
from kernelwright.agent.trajectory import Turn
from kernelwright.backend.tuning.tune import Tune
from kernelwright.frontend.agent import FrontendAgent
from kernelwright.ir.errors import UserError
from kernelwright.ir.parser import parse_module
from kernelwright.ir.passes import REGISTRY, Context, Pass
from kernelwright.ir.values import KernelModule, Level, Reference, ScalarSpec, StateSpec, TensorSpec
from kernelwright.midend.agent import MidendAgent
from kernelwright.midend.local.cache_hints import CacheHints
from kernelwright.midend.search import choices

PAY = make_reward("frontend")


def turn(text: str, verdict: Verdict, candidate: KernelModule | None = None) -> Turn:
    """A turn that gave this."""
    return Turn((), Completion(text, "stop", "v"), candidate, verdict, 0.0)


def history() -> tuple[Turn, ...]:
    """An answer outside the dialect, a wrong one, and a right one."""
    refused = FrontendAgent("h100", PAY).parse(answer(OUTSIDE), PROBLEM)
    assert isinstance(refused, tuple)
    return (
        turn(answer(OUTSIDE, "<think>Perhaps on the host?</think>Done on the host.\n\n"), unparsed(refused, PROBLEM)),
        turn(answer(WRONG, "<think>So in a kernel.</think>\n"), wrong(), given_module(WRONG)),
        turn(answer(RIGHT), ok(candidate=0.5, eager=1.0), given_module(RIGHT)),
    )


@dataclass(frozen=True)
class SomeTune(Pass):
    """Choose block sizes, warps and stages for the target.

    More about it.
    """

    name: ClassVar[str] = "tune"
    reads: ClassVar[Level] = Level.TRITON
    writes: ClassVar[Level] = Level.TUNED

    explore = Tune.explore

    trials: int = 16
    measure: str = "auto"
    keep: str = ""

    def run(self, module: KernelModule, ctx: Context) -> KernelModule:
        return replace(module, target=ctx.target)


@pytest.fixture
def some_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few passes are registered, so that new ones change no golden prompt."""
    for name in list(REGISTRY):
        monkeypatch.delitem(REGISTRY, name)
    monkeypatch.setitem(REGISTRY, "cache-hints", CacheHints)
    monkeypatch.setitem(REGISTRY, "tune", SomeTune)


HELD = replace(
    PROBLEM,
    reference=Reference(
        PROBLEM.reference.source,
        "Model",
        (TensorSpec.contiguous("x", "f32", (64, 100)), ScalarSpec("alpha", 0.5)),
        (StateSpec(TensorSpec("weight", "bf16", (8, 4), (1, 8)), "linear.weight"),),
        (TensorSpec.contiguous("out", "f32", (64, 100)), TensorSpec.contiguous("out_1", "i64", (64,))),
        "tuple",
    ),
)
ROWS = parse_module((GOLDEN / "persistent-rows" / "before.py").read_text("utf-8"))
CASES: dict[str, tuple[FrontendAgent | MidendAgent, KernelModule, int]] = {
    "fe-agent-native": (FrontendAgent("h100", PAY), PROBLEM, 0),
    "fe-agent-modelnew": (FrontendAgent("h200", PAY, form="modelnew"), HELD, 0),
    "fe-agent-kernels": (FrontendAgent("h200", PAY, form="kernels"), HELD, 0),
    "fe-agent-full": (FrontendAgent("h100", PAY), PROBLEM, 3),
    "fe-agent-last": (FrontendAgent("h100", PAY, history="last"), PROBLEM, 3),
    "fe-agent-summary": (FrontendAgent("h100", PAY, history="summary"), PROBLEM, 3),
    "me-agent-program": (MidendAgent("h100", PAY), given_module(), 0),
    "me-agent-pipeline": (MidendAgent("h100", PAY, action="pipeline"), given_module(), 1),
    "me-agent-brief": (MidendAgent("h100", PAY, action="pipeline", form="brief"), ROWS, 0),
}


def printed(prompt: Prompt, history_only: bool) -> str:
    """A prompt as text; of one with a history only that."""
    shown = prompt[2:] if history_only else prompt
    return "\n\n".join(f"==== {message.role}\n{message.content}" for message in shown) + "\n"


@pytest.mark.usefixtures("some_passes")
@pytest.mark.parametrize("name", CASES)
def test_prompts_to_the_letter(name: str) -> None:
    agent, module, turns = CASES[name]
    text = printed(agent.render(module, history()[:turns]), history_only=turns > 1)
    golden = GOLDEN / "prompts" / f"{name}.md"
    if os.environ.get("KERNELWRIGHT_UPDATE_GOLDEN") == "1":
        golden.parent.mkdir(exist_ok=True)
        golden.write_text(text, "utf-8")
    assert text == golden.read_text("utf-8")


@pytest.mark.parametrize("mode", HISTORIES)
def test_a_prompt_is_a_chat_that_ends_with_the_user(mode: str) -> None:
    agent = FrontendAgent("h100", PAY, history=mode)
    for count in range(4):
        prompt = agent.render(PROBLEM, history()[:count])
        assert [m.role for m in prompt[:2]] == ["system", "user"]
        assert [m.role for m in prompt[2:]] == ["assistant", "user"] * (min(count, 1) if mode == "last" else count)


def test_the_summary_drops_reasoning_and_keeps_the_rest() -> None:
    agent = FrontendAgent("h100", PAY, history="summary")
    first = agent.render(PROBLEM, history())[2].content
    assert "Perhaps" not in first and first.startswith("Done on the host.")


def test_empty_and_endless_answers_are_shown_briefly() -> None:
    turns: Sequence[Turn] = [turn("", wrong()), turn("x" * 10**6, wrong())]
    prompt = conversation("s", "p", "c", turns, "full")
    assert prompt[2] == Message("assistant", "(no answer)")
    assert len(prompt[4].content) < 50_000 and "characters left out" in prompt[4].content


def test_values_are_text_and_templates_know_their_names() -> None:
    assert "$what ${x} $$" in fill("kernelwright.midend", "again", what="$what ${x} $$")
    with pytest.raises(AssertionError):
        fill("kernelwright.midend", "again")
    with pytest.raises(UserError, match="choose from full, last, summary"):
        check_history("some")


@pytest.mark.usefixtures("some_passes")
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("tune{trial=3}", "has no option 'trial'"),
        ("tune{measure=gpu}", "option measure of pass tune may not be chosen"),
        ("tune{trials=1000000}", "is between 1 and 64"),
        ("tune{trials=-1}", "is between 1 and 64"),
        ("rm -rf", "expected `,`"),
        ("lower-inductor", "unknown pass 'lower-inductor'"),
        ("cache-hints," * 8 + "cache-hints", "9 passes where 8 are the most"),
        ("x" * 1001, "a choice of 1001 characters"),
        ("import os", "expected `,` between passes"),
    ],
)
def test_an_illegal_choice_is_a_diagnostic(text: str, message: str) -> None:
    agent = MidendAgent("h100", PAY, action="pipeline")
    (found,) = agent.parse(f"```\n{text}\n```", given_module())  # type: ignore[misc]
    assert message in found.message and found.hint and "\n" not in found.text


@pytest.mark.usefixtures("some_passes")
def test_a_pass_that_is_not_to_be_explored_may_not_be_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(REGISTRY, "private", type("Private", (SomeTune,), {"name": "private", "explore": None}))
    assert set(choices.choices()) == {"cache-hints", "tune"}
    (found,) = MidendAgent("h100", PAY, action="pipeline").parse("```\nprivate\n```", given_module())  # type: ignore[misc]
    assert found.message == "pass private may not be chosen"


@pytest.mark.usefixtures("some_passes")
def test_a_choice_is_run_with_what_is_not_the_agents_fixed() -> None:
    module = given_module()
    seen = MidendAgent("h200", PAY, action="pipeline").parse("Try:\n```\ncache-hints,tune{trials=4}\n```", module)
    assert isinstance(seen, KernelModule) and seen.target == "h200" and seen.provenance == module.provenance
    assert "evict_last" in seen.kernels[0].source and seen.reference is module.reference


def test_a_rewritten_program_stays_fitted_and_calls_no_new_externs() -> None:
    agent, module = MidendAgent("h100", PAY), replace(given_module(), target="h100")
    found = agent.parse(answer(RIGHT.replace("num_warps=4", "num_warps=2")), module)
    assert isinstance(found, KernelModule) and found.target == "h100"
    assert isinstance(agent.parse(answer(OUTSIDE), module), tuple)
    library = RIGHT.replace("torch.empty_like(x)", "torch.ops.aten.mul(x, scale)")
    assert isinstance(agent.parse(answer(library), module), tuple)
    assert isinstance(agent.parse(answer(library), given_module(library)), KernelModule)


def test_agents_need_neither_torch_nor_triton() -> None:
    agents = "import kernelwright.frontend.agent, kernelwright.midend.agent, kernelwright.agent.agent_pass, sys"
    heavy = "print(sorted({'torch', 'triton', 'vllm', 'numpy', 'hydra'} & set(sys.modules)))"
    found = subprocess.run([sys.executable, "-c", f"{agents}; {heavy}"], check=True, capture_output=True, text=True)
    assert found.stdout == "[]\n"
