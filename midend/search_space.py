"""The candidates of `search`: lowerings, and chains of rewrites on what each of them gives.

Rewrites are found through the registry, so that a new pass of the mid-end takes part by itself.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

import torch

from kernelwright.ir.errors import KernelwrightError
from kernelwright.ir.passes import Context
from kernelwright.ir.pipeline import parse_pipeline
from kernelwright.ir.values import KernelModule, Level
from kernelwright.midend.choices import choices

#: The lowering that others are compared with, and the variants of it that a rewrite or a target may prefer.
PLAIN = "lower-inductor"
LOWERINGS = (
    PLAIN,
    "lower-inductor{channels_last=false}",
    "lower-inductor{persistent=false}",
    "lower-inductor{split=false}",
    "lower-inductor{persistent=false,split=false}",
    "lower-inductor{tile_reductions=true}",
    "lower-inductor{tiles=1}",
    "lower-inductor{tiles=3}",
    "lower-inductor{online_softmax=false}",
    "lower-inductor{persistent=false,online_softmax=false}",
)
#: Lowerings whose kernels wait for one another, which neither the interpreter nor a small device can run.
ON_GPU = ("lower-inductor{cooperative=true}",)
#: Passes with other options than their defaults, beside which they are tried.
VARIANTS = {
    "depthwise-conv": ("depthwise-conv{rows=1}", "depthwise-conv{rows=8}"),
    "implicit-gemm": ("implicit-gemm{form=direct}", "implicit-gemm{form=dot}"),
    "transposed-conv": ("transposed-conv{form=direct}", "transposed-conv{form=dot}"),
    "split-rows": ("split-rows{programs=264}",),
}
#: Passes that fit a module to a target, which `search` runs on what is left of the candidates.
FITTING = ("tune",)
#: Rewrites in one chain.
MOST_REWRITES = 6
#: What the module that a search is given is called among the specs.
GIVEN = "given"


@dataclass(frozen=True)
class Candidate:
    """A module for the search's target, and the passes that make it: their spec, after `given` where the search began
    with kernels."""

    spec: str
    module: KernelModule

    @property
    def digest(self) -> str:
        """Of its kernels and launcher: provenance does not count."""
        return self.module.digest


@dataclass
class Space:
    """Walks the candidates for one module, the shortest chains first, each set of kernels once.

    `made` counts results of passes, those that were there already included; `failed` says why a spec gave none. `say`
    is told before each pass of `walk`, and may raise to end it.
    """

    module: KernelModule
    ctx: Context
    made: int = 0
    failed: dict[str, str] = field(default_factory=dict)
    say: Callable[[str], None] = lambda _line: None

    def plain(self) -> Candidate:
        """What the others are compared with: the module's own kernels, else the plain lowering.

        Raises what the lowering raises.
        """
        if self.module.launcher is not None:
            return Candidate(GIVEN, self._fitted(self.module))
        return Candidate(PLAIN, self._fitted(self._run(PLAIN, self.module)))

    def walk(self, first: Candidate, score: Callable[[KernelModule], float], width: int) -> Iterator[Candidate]:
        """`first` and every other distinct candidate, one after another; of chains of one length the `width` with the
        lowest scores are made longer."""
        seen = {first.digest}
        layer = [first]
        yield first
        bare = replace(self.module, kernels=(), launcher=None, target=None, constants=())
        for spec in (*LOWERINGS, *(ON_GPU if torch.cuda.is_available() else ())):
            if spec == first.spec:
                continue
            found = self._apply(spec, spec, bare, seen)
            if found is not None:
                layer.append(found)
                yield found
        for _ in range(MOST_REWRITES):
            longer = []
            for candidate in sorted(layer, key=lambda candidate: score(candidate.module))[:width]:
                for found in self._rewritten(candidate, seen):
                    longer.append(found)
                    yield found
            layer = longer

    def _rewritten(self, candidate: Candidate, seen: set[str]) -> Iterator[Candidate]:
        for name in rewrites():
            for spec in (name, *VARIANTS.get(name, ())):
                if name in [part.partition("{")[0] for part in candidate.spec.split(",")]:
                    continue
                found = self._apply(spec, f"{candidate.spec},{spec}", candidate.module, seen)
                if found is not None:
                    yield found

    def _apply(self, spec: str, whole: str, module: KernelModule, seen: set[str]) -> Candidate | None:
        """What one pass gives; None where that was there already, or the pass cannot do it."""
        self.say(f"{len(seen)} distinct candidates of {self.made}, now {whole}")
        try:
            result = self._run(spec, module)
        except KernelwrightError as error:
            self.failed[whole] = str(error)
            return None
        found = Candidate(whole, self._fitted(result))
        if result is module or found.digest in seen:
            return None
        seen.add(found.digest)
        return found

    def _run(self, spec: str, module: KernelModule) -> KernelModule:
        self.made += 1
        return parse_pipeline(spec).run(module, self.ctx)

    def _fitted(self, module: KernelModule) -> KernelModule:
        """The module for the target, without the history that its spec tells as well."""
        return replace(module, target=self.ctx.target, provenance=self.module.provenance)


def rewrites() -> tuple[str, ...]:
    """The deterministic passes that make Triton of Triton, by name."""
    found = choices()
    return tuple(name for name in found if name not in FITTING and found[name].writes is Level.TRITON)
