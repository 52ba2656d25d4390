"""Prompts that describe the program and show the prototype of what shall take its place."""

from kernelwright.agent.rewards import make_reward
from kernelwright.frontend.agent import FrontendAgent
from kernelwright.frontend.description import described, prototype
from kernelwright.frontend.importers import import_source

PROGRAM = '''import torch


class Model(torch.nn.Module):
    """Scales a vector,
    then sums it.

    More of it.
    """

    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.randn(4))

    def forward(self, x):
        return torch.relu(x.exp() * self.weight).sum()


def get_inputs():
    return [torch.randn(3, 4)]
'''


def test_a_program_is_described_by_its_docstring_or_by_what_it_calls() -> None:
    said = import_source(PROGRAM, "some").reference
    assert described(said) == "Scales a vector, then sums it."
    start, end = PROGRAM.index('    """'), PROGRAM.index("    def __init__")
    silent = import_source(PROGRAM[:start] + PROGRAM[end:], "some").reference
    assert described(silent) == "it computes exp, then relu, then sum."


def test_the_prompt_has_both_and_no_other_prompt_has() -> None:
    module = import_source(PROGRAM, "some")
    native = 'def forward(x: "f32[3, 4]", weight: "f32[4]"): ...'
    assert prototype(module.reference, "native") == native
    assert "    def forward(self, x): ..." in prototype(module.reference, "modelnew")
    pay = make_reward("frontend")
    texts = [FrontendAgent("h100", pay, prompt=prompt).render(module)[1].content for prompt in ("plain", "described")]
    assert texts[1].startswith(texts[0]) and native in texts[1] and native not in texts[0]
    assert "Scales a vector, then sums it." in texts[1].removeprefix(texts[0])
