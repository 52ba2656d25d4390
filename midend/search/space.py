"""The candidates of `search`: lowerings, and chains of rewrites on what each of them gives.

Rewrites are found through the registry, so that a new pass of the mid-end takes part by itself.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest

from kernelwright.ir.errors import KernelwrightError
from kernelwright.ir.exploration import Exploration, Phase, Variant, places
from kernelwright.ir.passes import REGISTRY, Context, exploration
from kernelwright.ir.pipeline import parse_pipeline
from kernelwright.ir.values import KernelModule, Level
from kernelwright.midend.search.choices import choices

#: The lowering that others are compared with.
PLAIN = "lower-inductor"
#: Rewrites in one chain.
MOST_REWRITES = 6
#: What the module that a search is given is called among the specs.
GIVEN = "given"


@dataclass(frozen=True)
class Candidate:
    """A module for the search's target, and the passes that make it: their spec, after `given` where the search began
    with kernels. `unsimplified`: the candidate without the simplifying passes at its end, where it has any."""

    spec: str
    module: KernelModule
    unsimplified: "Candidate | None" = None

    def longer(self, spec: str) -> tuple[str, "Step"]:
        """The spec with one more rewrite, and the step that makes it; simplifying passes stay at the end."""
        begun = self.unsimplified or self
        return f"{begun.spec},{spec}", Step(begun.module, spec, simplify=True)

    @property
    def digest(self) -> str:
        """Of its kernels and launcher: provenance does not count."""
        return self.module.digest

    @property
    def passes(self) -> tuple[str, ...]:
        """The passes of its spec, with their options."""
        return parts(self.spec)

    @property
    def templates(self) -> tuple[str, ...]:
        """Those of them that put a kernel in the place of a library's."""
        return tuple(spec for spec in self.passes if explored(spec).phase is Phase.TEMPLATE)

    @property
    def prospects(self) -> tuple[str, ...]:
        """What its time says little of before others have worked on it: its templates, a lowering for rewrites.

        The cost model knows libraries less well than kernels, so chains that differ in templates are not weighed
        against one another before they are long enough.
        """
        first = self.passes[0]
        prepared = (spelt(_name(first), one) for one in explored(first).variants if one.prepared)
        return (*(spec for spec in prepared if spec == first), *self.templates)


@dataclass(frozen=True)
class Step:
    """Passes to run on a module, or none of them; `simplify`: and the simplifying ones on what they give;
    `priced`: and what is new is compiled and priced."""

    module: KernelModule
    spec: str
    simplify: bool = False
    priced: bool = True


@dataclass(frozen=True)
class Made:
    """What a step gave: a module, the one it was given where nothing changed, or why there is none; and the simplifying
    passes that changed something, with the module as it was before them."""

    module: KernelModule | None = None
    failed: str = ""
    simplified: tuple[str, ...] = ()
    unsimplified: KernelModule | None = None


@dataclass
class Space:
    """Walks the candidates for one module, the shortest chains first, each set of kernels once.

    `made` counts results of passes, those that were there already included; `failed` says why a spec gave none. `say`
    is told before each pass of `walk`, and may raise to end it.
    `general`: the module's own kernels alone are rewritten, and not by passes that write sizes into them.
    """

    module: KernelModule
    ctx: Context
    made: int = 0
    failed: dict[str, str] = field(default_factory=dict)
    say: Callable[[str], None] = lambda _line: None
    general: bool = False

    def plain(self) -> Candidate:
        """What the others are compared with: the module's own kernels, else the plain lowering.

        Raises what the lowering raises.
        """
        if self.module.launcher is not None:
            return Candidate(GIVEN, self.fitted(self.module))
        self.made += 1
        return Candidate(PLAIN, self.fitted(parse_pipeline(PLAIN).run(self.module, self.ctx)))

    @property
    def bare(self) -> KernelModule:
        """The module without kernels."""
        return replace(self.module, kernels=(), launcher=None, target=None, constants=())

    def walk(self, first: Candidate, score: Callable[[KernelModule], float], width: int) -> Iterator[Candidate]:
        """`first` and every other distinct candidate, one after another; of chains of one length `width` are made
        longer: of those with the same prospects the ones with the lowest scores, of all prospects alike. Where `first`
        can be simplified, what that gives is made longer in its place."""
        seen = {first.digest}
        yield first
        layer = [first]
        for spec in simplifying():
            for found in self._layer([(f"{layer[0].spec},{spec}", Step(layer[0].module, spec))], seen):
                layer = [replace(found, unsimplified=first)]
                yield found
        for specs in () if self.general else (lowerings, self._further_lowerings):
            steps = [(spec, Step(self.bare, spec, simplify=True)) for spec in specs() if spec != first.spec]
            for found in self._layer(steps, seen):
                layer.append(found)
                yield found
        for _ in range(MOST_REWRITES):
            steps = [
                candidate.longer(spec)
                for candidate in in_turn(layer, score, lambda candidate: candidate.prospects)[:width]
                for spec in followers(candidate)
                if not (self.general and explored(spec).sizes)
            ]
            # What many passes can work on comes first.
            place = places(_rewriting())
            steps.sort(key=lambda step: place[_name(step[1].spec)])
            layer = []
            for found in self._layer(steps, seen):
                layer.append(found)
                yield found

    def _further_lowerings(self) -> Iterator[str]:
        for spec in lowerings():
            if spec not in self.failed:
                yield from needing(spec)

    def _layer(self, steps: Sequence[tuple[str, Step]], seen: set[str]) -> Iterator[Candidate]:
        """The new candidates that steps give."""
        for whole, step in steps:
            self.say(f"{len(seen)} distinct candidates of {self.made}, now {whole}")
            yield from self.found(whole, step, run_step(step, self.ctx), seen)

    def found(self, whole: str, step: Step, made: Made, seen: set[str]) -> Iterator[Candidate]:
        """The candidate that a step gave, if it is new beside those whose digests are `seen`."""
        self.made += 1
        if made.module is None:
            self.failed[whole] = made.failed
            return
        begun = Candidate(whole, self.fitted(made.unsimplified)) if made.unsimplified is not None else None
        found = Candidate(",".join((whole, *made.simplified)), self.fitted(made.module), begun)
        if made.module is not step.module and found.digest not in seen:
            seen.add(found.digest)
            yield found

    def fitted(self, module: KernelModule) -> KernelModule:
        """The module for the target, without the history that its spec tells as well."""
        return replace(module, target=self.ctx.target, provenance=self.module.provenance)


def run_step(step: Step, ctx: Context) -> Made:
    """Run a pass; what it raises against a module is a result."""
    try:
        begun = module = parse_pipeline(step.spec).run(step.module, ctx)
        simplified: tuple[str, ...] = ()
        for spec in simplifying() if step.simplify and module is not step.module else ():
            simpler = parse_pipeline(spec).run(module, ctx)
            simplified += (spec,) if simpler is not module else ()
            module = simpler
        return Made(module, simplified=simplified, unsimplified=begun if simplified else None)
    except KernelwrightError as error:
        return Made(failed=str(error))


def in_turn(
    candidates: Iterable[Candidate],
    score: Callable[[KernelModule], float],
    kind: Callable[[Candidate], tuple[str, ...]] = lambda candidate: candidate.templates,
) -> list[Candidate]:
    """The candidates by score, lowest first, but those of the same kind take turns with the others."""
    groups: dict[tuple[str, ...], list[Candidate]] = {}
    for candidate in sorted(candidates, key=lambda candidate: score(candidate.module)):
        groups.setdefault(kind(candidate), []).append(candidate)
    return [candidate for turn in zip_longest(*groups.values()) for candidate in turn if candidate is not None]


def followers(candidate: Candidate) -> Iterator[str]:
    """The passes, with their variants, that may make a chain longer."""
    place = places(_rewriting())
    used = [name for name in map(_name, candidate.passes) if name in place]
    for name in sorted(place, key=lambda name: (place[name], name)):
        if name not in used and (not used or place[name] >= place[used[-1]]):
            yield from tried(name, candidate.passes[0])


def tried(name: str, lowering: str = "") -> tuple[str, ...]:
    """The specs of a rewrite that are worth trying in a chain that begins with that lowering."""
    options = lowering.partition("{")[2].removesuffix("}").split(",")
    variants = explored(name).variants
    special = [spelt(name, one) for one in variants if one.given and one.given in options]
    return tuple(special) or (name, *(spelt(name, one) for one in variants if not one.given))


def lowerings() -> tuple[str, ...]:
    """The specs of the lowerings that are tried on every program, the plain one first."""
    found = _lowering()
    names = sorted(found, key=lambda name: (name != PLAIN, name))
    return tuple(spec for name in names for spec in tried(name))


def needing(spec: str) -> Iterator[str]:
    """The lowerings that are tried where this one, with the option they need alone, gave a module."""
    for name, one in _lowering().items():
        for variant in one.variants:
            if variant.given and spelt(name, Variant(variant.given)) == spec:
                yield spelt(name, variant)


def rewrites() -> tuple[str, ...]:
    """The deterministic passes that make Triton of Triton, by name; those that fit launch options are none."""
    return tuple(
        name for name, cls in choices().items() if explored(name).phase is not Phase.FIT and cls.writes is Level.TRITON
    )


def explored(spec: str) -> Exploration:
    """How the pass of a spec is explored; nothing is said of what is no pass."""
    cls = REGISTRY.get(_name(spec))
    return exploration(cls) if cls is not None else Exploration()


def spelt(name: str, variant: Variant) -> str:
    """The spec of a variant of a pass."""
    return f"{name}{{{variant.options}}}"


def _rewriting() -> dict[str, Exploration]:
    """The rewrites that are tried one by one."""
    return {name: explored(name) for name in rewrites() if explored(name).phase is not Phase.SIMPLIFY}


def simplifying() -> tuple[str, ...]:
    """The rewrites that are tried on whatever others gave."""
    return tuple(name for name in rewrites() if explored(name).phase is Phase.SIMPLIFY)


def _lowering() -> dict[str, Exploration]:
    return {
        name: cls.explore
        for name, cls in sorted(REGISTRY.items())
        if cls.explore is not None and cls.explore.phase is Phase.LOWERING
    }


def _name(spec: str) -> str:
    return spec.partition("{")[0]


def parts(spec: str) -> tuple[str, ...]:
    """The passes of a spec: commas in braces part options."""
    depth, begun, found = 0, 0, []
    for at, character in enumerate(spec):
        depth += (character == "{") - (character == "}")
        if character == "," and not depth:
            found.append(spec[begun:at])
            begun = at + 1
    return (*found, spec[begun:])
