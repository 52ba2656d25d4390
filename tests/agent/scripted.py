"""A policy that answers what it is told to, an evaluator that finds what it is told to, and programs to answer with."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from kernelwright.agent.evaluator import Rung, Status, Verdict
from kernelwright.agent.policy import Completion, Prompt, Sampling
from kernelwright.agent.reading import fenced
from kernelwright.ir.errors import KernelwrightError, UserError
from kernelwright.ir.parser import parse_module
from kernelwright.ir.values import KernelModule, Reference, TensorSpec

SOURCE = """import torch


class Model(torch.nn.Module):
    def forward(self, x, scale):
        return x * scale


def get_inputs():
    return [torch.randn(64, 100), torch.randn(100)]


def get_init_inputs():
    return []
"""
INPUTS = (TensorSpec.contiguous("x", "f32", (64, 100)), TensorSpec.contiguous("scale", "f32", (100,)))
REFERENCE = Reference(SOURCE, "Model", INPUTS, (), (TensorSpec.contiguous("out", "f32", (64, 100)),))
PROBLEM = KernelModule("scale_columns", REFERENCE)

RIGHT = """import torch
import triton
import triton.language as tl


@triton.jit
def scale_columns(x_ptr, scale_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    column = tl.arange(0, BLOCK)
    mask = column < columns
    scale = tl.load(scale_ptr + column, mask=mask)
    x = tl.load(x_ptr + row * columns + column, mask=mask)
    tl.store(out_ptr + row * columns + column, x * scale, mask=mask)


def forward(x: "f32[64, 100]", scale: "f32[100]"):
    out = torch.empty_like(x)
    scale_columns[(64,)](x, scale, out, 100, BLOCK=128, num_warps=4)
    return out
"""
WRONG = RIGHT.replace("x * scale, mask", "x + scale, mask")
OUTSIDE = RIGHT.replace("torch.empty_like(x)", "x * scale")
HOSTILE = RIGHT.replace("import torch\n", "import torch\nimport os\n").replace(
    "    out = ", '    os.system("touch /tmp/pwned")\n    out = '
)
GOLDEN = Path(__file__).parent.parent / "golden"


def answer(program: str, thoughts: str = "") -> str:
    """A program as an answer."""
    return f"{thoughts}{fenced(program)}"


def given_module(program: str = RIGHT) -> KernelModule:
    """A program as a module of the problem."""
    return parse_module(program, reference=REFERENCE, name=PROBLEM.name)


@dataclass
class ScriptedPolicy:
    """Gives the texts in turn, one for each answer asked for; implements Policy."""

    texts: Sequence[str]
    prompts: list[list[Prompt]] = field(default_factory=list)
    samplings: list[Sampling] = field(default_factory=list)
    adapters: list[str | None] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._left = iter(self.texts)

    def sample(
        self, prompts: Sequence[Prompt], sampling: Sampling, adapter: str | None = None
    ) -> list[list[Completion]]:
        """The next texts."""
        self.prompts.append(list(prompts))
        self.samplings.append(sampling)
        self.adapters.append(adapter)
        return [[Completion(next(self._left), "stop", "scripted@1") for _ in range(sampling.n)] for _ in prompts]

    def load_adapter(self, adapter: str, folder: Path) -> None:
        """There are none."""
        raise UserError(f"no adapters: {adapter} in {folder}")

    def close(self) -> None:
        """Nothing to give back."""


@dataclass
class FakeEvaluation:
    """Judges by a function of the module; an `Evaluate`. An error that it raises stands in a verdict's place."""

    judge: Callable[[KernelModule], Verdict]
    calls: list[list[KernelModule]] = field(default_factory=list)

    def __call__(
        self, modules: Iterable[KernelModule], rungs: tuple[Rung, ...] | None
    ) -> Iterator[Verdict | BaseException]:
        del rungs
        self.calls.append(list(modules))
        for module in self.calls[-1]:
            try:
                yield self.judge(module)
            except KernelwrightError as error:
                yield error


def ok(**times_ms: float) -> Verdict:
    """A verdict on a correct module."""
    return Verdict(Status.OK, Rung.TIME if times_ms else Rung.INTERPRET, times_ms=times_ms)


def wrong(detail: str = "output out[0, 0]: expected 1, got 2 (error rms 1, max 1; allowed 1e-05, 1e-05)") -> Verdict:
    """A verdict on a wrong one."""
    return Verdict(Status.MISMATCH, Rung.INTERPRET, detail, (Rung.PARSE, Rung.COMPILE))


def block_of(module: KernelModule) -> int:
    """The BLOCK that the one program above launches with, which tells its variants apart."""
    assert module.launcher is not None
    return int(module.launcher.source.split("BLOCK=")[1].split(",")[0])


def with_block(block: int) -> str:
    """An answer whose program launches with another block."""
    return answer(RIGHT.replace("BLOCK=128", f"BLOCK={block}"))
