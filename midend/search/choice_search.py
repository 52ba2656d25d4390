"""Choices of passes found without a model: the best of many by a score, and choices drawn at random."""

import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from random import Random

from kernelwright.ir.errors import KernelwrightError
from kernelwright.ir.passes import Context
from kernelwright.ir.pipeline import Pipeline, parse_pipeline
from kernelwright.ir.values import KernelModule
from kernelwright.midend.search.space import explored, rewrites, tried

#: Microseconds of a module; infinite for what cannot be had.
Score = Callable[[KernelModule], float]
RETILE = "retile"
#: Launch options that are tried, those that most often help first: of pointwise kernels, and of reductions.
POINTWISE = tuple(
    {"block": block, "warps": warps} for block, warps in ((1024, 4), (512, 4), (2048, 8), (256, 2), (1024, 8))
)
REDUCTIONS = tuple(
    {"rows": rows, "step": step, "warps": warps}
    for rows, step, warps in (
        (1, 4096, 16),
        (1, 2048, 8),
        (1, 1024, 4),
        (4, 512, 4),
        (8, 256, 4),
        (32, 64, 4),
        (64, 32, 4),
        (2, 512, 2),
        (1, 256, 1),
        (16, 16, 2),
    )
)
#: Rewrites in one chain, and chains of a length that are made longer.
MOST_REWRITES, WIDTH = 3, 2
#: What a longer choice must save to be preferred.
WORTH = 0.98


@dataclass(frozen=True)
class Chosen:
    """A choice, the module that it makes, and its score."""

    spec: str
    module: KernelModule
    us: float


@dataclass
class ChoiceSearch:
    """Looks for the best choice for one module: chains of rewrites, then launch options on the best of them.

    At most `trials` different modules are scored besides the given one; `scored` counts them.
    """

    module: KernelModule
    score: Score
    target: str
    trials: int = 16
    _known: dict[str, float] = field(default_factory=dict)

    @property
    def scored(self) -> int:
        """Modules that were scored."""
        return len(self._known)

    def best(self) -> Chosen:
        """The best that was found, without what it does not need; its spec is "" where nothing is better."""
        given = Chosen("", self.module, self._us(self.module))
        best = self._chained(given)
        for options in self._options(best.module):
            if self.scored > self.trials:
                break
            found = self._applied(best if RETILE not in best.spec else self._bare(best), spelt(options))
            if found is not None and found.us < best.us * WORTH:
                best = found
        return self._shortest(best)

    def _chained(self, given: Chosen) -> Chosen:
        layer, best, seen = [given], given, {given.module.digest}
        for _ in range(MOST_REWRITES):
            longer: list[Chosen] = []
            for chosen in sorted(layer, key=lambda one: one.us)[:WIDTH]:
                for spec in _steps(chosen.spec):
                    found = self._applied(chosen, spec)
                    if found is not None and found.module.digest not in seen:
                        seen.add(found.module.digest)
                        longer.append(found)
            layer = longer
            best = min((best, *(one for one in layer if one.us < best.us * WORTH)), key=lambda one: one.us)
        return best

    def _options(self, module: KernelModule) -> Iterator[dict[str, int]]:
        """Launch options for the kinds of kernels that there are, one kind after the other."""
        kinds = ["R0_BLOCK" in kernel.source for kernel in module.kernels if kernel.meta]
        for reduction, pointwise in itertools.zip_longest(
            REDUCTIONS if True in kinds else (), POINTWISE if False in kinds else ()
        ):
            options = [one for one in (reduction, pointwise) if one]
            yield from options
            if len(options) > 1:
                yield {**options[1], **options[0]}

    def _bare(self, chosen: Chosen) -> Chosen:
        """The choice without its launch options."""
        spec = ",".join(part for part in parts(chosen.spec) if not part.startswith(RETILE))
        found = self._made(spec)
        assert found is not None
        return Chosen(spec, found, self._us(found))

    def _applied(self, chosen: Chosen, spec: str) -> Chosen | None:
        """The choice with one more pass; None where that changes nothing, fails, or there are no more trials."""
        whole = f"{chosen.spec},{spec}" if chosen.spec else spec
        try:
            module = self._run(spec, chosen.module)
        except KernelwrightError:
            return None
        if module.digest == chosen.module.digest or (module.digest not in self._known and self.scored > self.trials):
            return None
        return Chosen(whole, module, self._us(module))

    def _made(self, spec: str) -> KernelModule | None:
        if not spec:
            return self.module
        try:
            return self._run(spec, self.module)
        except KernelwrightError:
            return None

    def _run(self, spec: str, module: KernelModule) -> KernelModule:
        """What passes make, not verified on the way: what is chosen in the end is verified by whoever takes it."""
        for one in parse_pipeline(spec).passes:
            module = one.run(module, Context(target=self.target))
        return module

    def _us(self, module: KernelModule) -> float:
        if module.digest not in self._known:
            self._known[module.digest] = self.score(module)
        return self._known[module.digest]

    def _shortest(self, best: Chosen) -> Chosen:
        """The same module, or as good a one that was scored, without passes and options that change little."""
        changed = True
        while changed:
            changed = False
            for spec in _shorter(best.spec):
                module = self._made(spec)
                if module is not None and self._known.get(module.digest, math.inf) * WORTH <= best.us:
                    best, changed = Chosen(spec, module, self._known[module.digest]), True
                    break
        return best


def parts(spec: str) -> list[str]:
    """The passes of a spec, each as it is spelt; none for ""."""
    return [str(Pipeline((one,))) for one in parse_pipeline(spec).passes] if spec else []


def spelt(options: dict[str, int]) -> str:
    """`retile` with these options."""
    return f"{RETILE}{{{','.join(f'{name}={value}' for name, value in options.items())}}}"


def _steps(spec: str) -> Iterator[str]:
    """Rewrites that may be the next of a chain: each occurs once."""
    taken = {part.partition("{")[0] for part in parts(spec)}
    for name in rewrites():
        if name not in taken and explored(name).estimated:
            yield from tried(name)


def _shorter(spec: str) -> Iterator[str]:
    """The spec without one pass, or without one option of its `retile`."""
    passes = parts(spec)
    for index, part in enumerate(passes):
        rest = passes[:index], passes[index + 1 :]
        if len(passes) > 1 or part.startswith(RETILE):
            yield ",".join((*rest[0], *rest[1]))
        if part.startswith(RETILE):
            options = dict(option.split("=") for option in part[len(RETILE) + 1 : -1].split(",") if option)
            for name in options if len(options) > 1 else ():
                kept = {key: int(value) for key, value in options.items() if key != name}
                yield ",".join((*rest[0], spelt(kept), *rest[1]))


def drawn_choice(random: Random) -> str:
    """A choice drawn blindly: up to two rewrites with options that are tried elsewhere, and mostly launch options."""
    chosen = [random.choice(tried(name)) for name in random.sample(rewrites(), random.randint(0, 2))]
    if not chosen or random.random() < 0.75:
        options = random.choice((*REDUCTIONS, *POINTWISE, {**random.choice(POINTWISE), **random.choice(REDUCTIONS)}))
        chosen.append(spelt(options))
    return ",".join(chosen)
