"""Candidates made, compiled and priced in child processes, several at a time; none of them sees a GPU."""

import math
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field

from kernelwright.backend.compile.compiler import compile_launch, warm_launch
from kernelwright.backend.cost.model import estimate
from kernelwright.backend.launch.execute import trace_launches
from kernelwright.backend.measure.children import Children, Task
from kernelwright.backend.targets import get_target
from kernelwright.ir.errors import KernelwrightError
from kernelwright.ir.passes import Context
from kernelwright.ir.values import KernelModule, Reference, TensorSpec
from kernelwright.midend.search.space import PLAIN, Made, Step, run_step

#: Seconds that one pass and the compilation of what it gives may take.
STEP_SECONDS = 60.0
_SMALL = """import torch

class Model(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x)

def get_inputs():
    return [torch.ones(8)]
"""


@dataclass(frozen=True)
class Priced:
    """What a step gave, and the cost model's microseconds for it: infinite where Triton refuses a kernel, or was not
    asked."""

    made: Made
    us: float = math.inf


def make(step: Step, target: str, seed: int) -> Priced:
    """Task of a child: run passes, lowerings by shapes alone, and compile and price what is new."""
    if not step.spec:
        return Priced(Made(step.module), price(step.module, target))
    made = run_step(step, Context(target, seed=seed, lowering_device="meta"))
    if made.module is step.module:
        return Priced(Made(step.module))
    return Priced(made, price(made.module, target) if made.module is not None and step.priced else math.inf)


def price(module: KernelModule, target: str) -> float:
    """Task of a child: the cost model's microseconds, Triton's cache warmed on the way; infinite where it refuses."""
    try:
        us = estimate(module, get_target(target)).us
        for launch in trace_launches(module):
            compile_launch(module, launch, get_target(target))
            warm_launch(module, launch, get_target(target))
    except KernelwrightError:
        return math.inf
    return us


@dataclass
class Makers:
    """Children that make candidates until a time, which may be set while they do; `us` is what those are priced at, by
    digest. Nothing is begun after `until`, but while something is `owed` what is under way is waited for, up to
    `longer`."""

    children: Children
    target: str
    seed: int
    until: float = math.inf
    longer: float = -math.inf
    owed: Callable[[], bool] = lambda: False
    us: dict[str, float] = field(default_factory=dict)
    cut: bool = False

    def making(self, fitted: Callable[[KernelModule], KernelModule]) -> Callable[..., Iterator[tuple[int, Made]]]:
        """What takes steps, each when a child is free for it, and gives their numbers and what came of them, as it
        comes: more steps may follow from that. It leaves some out when time is short."""

        def each(steps: Iterable[Step]) -> Iterator[tuple[int, Made]]:
            begun: list[Step] = []

            def task(step: Step) -> Task:
                begun.append(step)
                return make, (step, self.target, self.seed)

            left, done = iter(steps), 0
            due = map(task, _Until(left, lambda: self.until))
            # Closed in any case: where this generator is closed, Python 3.12.3 keeps what it goes through open.
            with closing(self.children.each(due, STEP_SECONDS, lambda: self.ends)) as coming:
                for number, outcome in coming:
                    done += 1
                    if outcome.failure:
                        yield number, Made(failed=outcome.failure)
                        continue
                    step, made = begun[number], outcome.value.made
                    if step.spec and made.module is not None and made.module == step.module:
                        made = Made(step.module)
                    elif made.module is not None and step.priced:
                        self.us[fitted(made.module).digest] = outcome.value.us
                    yield number, made
            self.cut = self.cut or done < len(begun) or next(left, None) is not None

        return each

    def priced(self, module: KernelModule) -> float:
        """A module's price; infinite where it has none."""
        return self.us.get(module.digest, math.inf)

    @property
    def ends(self) -> float:
        """When what is under way is waited for no longer."""
        return max(self.until, self.longer) if self.owed() else self.until

    @property
    def over(self) -> bool:
        """Whether the time is over."""
        return time.monotonic() >= self.ends


@dataclass
class _Until:
    """Steps as they are due, up to a time; like them it may go on after it had none."""

    steps: Iterator[Step]
    until: Callable[[], float]

    def __iter__(self) -> "_Until":
        return self

    def __next__(self) -> Step:
        if time.monotonic() >= self.until():
            raise StopIteration
        return next(self.steps)


def warm_up() -> None:
    """Make a candidate of a small program, for what Inductor and Triton import and set up by then."""
    with suppress(ImportError):  # torch does without it, too
        from tqdm import tqdm

        tqdm.monitor_interval = 0  # no thread that looks after progress bars: it would not survive a fork
    spec = TensorSpec.contiguous("x", "f32", (8,))
    reference = Reference(_SMALL, "Model", (spec,), (), (spec,))
    make(Step(KernelModule("small", reference), PLAIN), "h100", 0)
