"""Products and what follows them in one kernel: templates of Inductor's that win in the running model.

Inductor's own configurations of a template are tried one after another, each for all products in one compile of the
model. The fastest one of each product is judged as any kernel is. It is admitted where the model is faster with it.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from statistics import median
from typing import Any

from kernelwright.backend.store.choice import TemplateChoice
from kernelwright.backend.store.entry import Entry, Versions
from kernelwright.backend.store.store import Store
from kernelwright.driver.extraction.filling import stored_as
from kernelwright.driver.optimize.admission import Comparison, Pair, largest_that_holds
from kernelwright.driver.optimize.ranking import CALLS, Recording
from kernelwright.driver.optimize.running import Running
from kernelwright.driver.optimize.subjects import Subject
from kernelwright.frontend.swap.choices import Product
from kernelwright.frontend.swap.graphs import Templates
from kernelwright.frontend.swap.problem import own_kernel, problem
from kernelwright.ir.errors import KernelwrightError
from kernelwright.ir.passes import Context

#: How many configurations of a template are tried, and what one comparison of the model may take, in seconds.
MOST, COMPARED_S = 8, 10.0


@dataclass(frozen=True)
class Tried:
    """The fastest configuration for a product: its kernel's microseconds a launch, and the kernel as it was recorded.
    Then what became of it: `alone` compares the model without and with it."""

    product: Product
    choice: TemplateChoice
    us: float
    recording: Recording = field(repr=False)
    verdict: str = ""
    alone: Comparison | None = None
    why: str = "the budget was spent"
    digest: str = ""

    @property
    def admitted(self) -> bool:
        """Whether the store has the choice."""
        return bool(self.digest)

    def told(self) -> dict[str, Any]:
        """As JSON."""
        alone = self.alone.told() if self.alone else None
        told = {"product": self.product.text[:300], "choice": str(self.choice), "us": round(self.us, 2)}
        return told | {"verdict": self.verdict, "admitted": self.admitted, "why": self.why, "model": alone}


@dataclass
class Products:
    """The products of a model that something follows, within a budget in seconds. `context` has the judge and the
    target; `say` takes short lines on what goes on."""

    subject: Subject
    budget: float
    store: Store
    context: Context
    say: Callable[[str], None] = lambda _line: None
    running: Callable[[Subject, Templates], Running] = lambda subject, templates: Running(subject, templates=templates)
    most: int = MOST
    began: float = field(default_factory=time.monotonic)
    #: What is tried for each product, by key.
    choices: dict[str, Sequence[TemplateChoice]] = field(default_factory=dict)
    #: How the model's time compares with all choices that were admitted.
    whole: Comparison | None = None

    def run(self) -> tuple[Tried, ...]:
        """Try, judge and admit. Raises UserError for a model that `torch.compile` cannot take."""
        with self.running(self.subject, self._seen) as plain:
            self.say(f"{len(self.choices)} products have something behind them")
            found = {key: self._judged(one) for key, one in self._fastest().items()}
            for key, one in found.items():
                if one.verdict == "ok" and self._left_s > 0:
                    found[key] = self._alone(plain, one)
            ranked = [key for key, one in found.items() if one.alone is not None and one.alone.wins]
            ranked.sort(key=lambda key: -found[key].alone.ratio)  # type: ignore[union-attr]
            kept = largest_that_holds(ranked, lambda keys: self._holds(plain, [found[key] for key in keys]))
            for key in ranked:
                found[key] = (
                    self._kept(found[key]) if key in kept else replace(found[key], why=f"{self.whole} together")
                )
        return tuple(found.values())

    @property
    def _left_s(self) -> float:
        return self.budget - (time.monotonic() - self.began)

    def _seen(self, product: Product) -> None:
        if product.epilogue and product.key not in self.choices:
            self.choices[product.key] = product.alternatives()[: self.most]  # they are known while it is lowered

    def _fastest(self) -> dict[str, Tried]:
        """The fastest configuration of each product: half of the budget at most is spent on them."""
        best: dict[str, Tried] = {}
        for number in range(max(map(len, self.choices.values()), default=0)):
            if number and self._left_s < self.budget / 2:
                break
            self.say(f"configuration {number + 1}, {self._left_s:.0f} s left")
            chosen = {key: some[number] for key, some in self.choices.items() if number < len(some)}
            for one in self._timed(chosen):
                key = one.product.key
                best[key] = min(best.get(key, one), one, key=lambda tried: tried.us)
        return best

    def _timed(self, chosen: Mapping[str, TemplateChoice]) -> Iterator[Tried]:
        """What a model with some choices takes, by product. Configurations that do not compile have no time."""
        nodes: dict[str, Product] = {}

        def choose(product: Product) -> TemplateChoice | None:
            nodes[product.node] = product
            return chosen.get(product.key)

        try:
            with self.running(self.subject, choose) as running:
                recorded = {k.key: (k, graph) for graph in running.graphs for k in graph.kernels if k.grid}
                keys = [key for key in running.places if key in recorded]
                calls = [running.times(keys) for _ in range(CALLS)]
        except KernelwrightError as error:
            self.say(f"left out: {error}")
            return
        for key in keys:
            kernel, graph = recorded[key]
            names = {one.name for one in kernel.graph.graph.nodes} if kernel.graph is not None else set()
            of = [product for node, product in nodes.items() if node in names and product.key in chosen]
            if len(of) == 1:
                us = median(one[key][0] / max(1, one[key][1]) for one in calls)
                yield Tried(of[0], chosen[of[0].key], us, (kernel, graph))

    def _judged(self, tried: Tried) -> Tried:
        """The same with what the judge says of the template's kernel."""
        self.say(f"judging {tried.choice}")
        kernel, graph = tried.recording
        try:
            module = own_kernel(kernel, problem(kernel, graph.spreads), self.context.target)
        except KernelwrightError as error:
            return replace(tried, verdict="unknown", why=str(error))
        assert self.context.evaluator is not None
        verdict = self.context.evaluator.evaluate(module)
        return replace(tried, verdict=str(verdict.status), why=tried.why if verdict.ok else str(verdict))

    def _alone(self, plain: Running, tried: Tried) -> Tried:
        times = self._compared(plain, [tried])
        return replace(tried, alone=times, why=f"{times} in the model")

    def _holds(self, plain: Running, some: Sequence[Tried]) -> bool:
        self.whole = self._compared(plain, some)
        return self.whole.wins

    def _compared(self, plain: Running, some: Sequence[Tried]) -> Comparison:
        """The model's time on the device without some choices, over that with them."""
        chosen = {one.product.key: one.choice for one in some}
        self.say(f"timing the model with {len(chosen)} templates")
        with self._side_by_side(plain, chosen) as take:
            ends = time.monotonic() + COMPARED_S
            return plain.compared(take, lambda: time.monotonic() > ends)

    @contextmanager
    def _side_by_side(self, plain: Running, chosen: Mapping[str, TemplateChoice]) -> Iterator[Callable[[bool], Pair]]:
        with self.running(self.subject, lambda product: chosen.get(product.key)) as ours:
            plain.settle()
            ours.settle()

            def take(ours_first: bool) -> Pair:
                first, second = (one.model_us() for one in ((ours, plain) if ours_first else (plain, ours)))
                return (second, first) if ours_first else (first, second)

            yield take

    def _kept(self, tried: Tried) -> Tried:
        """The same, in the store from now on."""
        kernel, _ = tried.recording
        assert tried.alone is not None
        told: dict[str, Any] = {"verdict": tried.verdict, "product": tried.product.text, "model": tried.alone.told()}
        entry = Entry(
            tried.product.key,
            stored_as(self.context.target),
            Versions.installed(),
            "choice",
            replacement=tried.choice.text,
            name=kernel.name,
            source=kernel.source,
            certificate=told | {"summary": f"{tried.choice}; verified; {tried.alone} of the model's time"},
        )
        return replace(tried, digest=entry.digest) if self.store.put(entry) else replace(tried, why=self.store.trouble)
