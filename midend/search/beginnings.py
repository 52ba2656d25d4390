"""What a search on a GPU begins with: launch options that the kernels' author would measure, and what is remembered."""

import math
from collections import Counter
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from kernelwright.backend.compile.compiled import cache_folder
from kernelwright.backend.tuning.configure import Configure, read_configs, spell_configs
from kernelwright.ir.errors import UserError
from kernelwright.ir.passes import Context
from kernelwright.ir.pipeline import parse_pipeline
from kernelwright.ir.values import KernelModule, Scalar
from kernelwright.midend.search.memory import KEPT, LOST, Found, Likeness, PastWinners
from kernelwright.midend.search.services import SearchServices
from kernelwright.midend.search.space import Candidate, lowerings, parts
from kernelwright.midend.search.tuning import Entry

#: The share of a call below which a kernel is not measured by itself.
LEAST_SHARE = 0.1


def worth_measuring(plain: Entry, module: KernelModule) -> tuple[str, ...]:
    """Kernels that have other launch options than in the plain candidate, and a share of its time that matters."""
    whole = plain.us
    return tuple(
        one.symbol
        for one in module.kernels
        if one.meta != plain.candidate.module.kernel(one.symbol).meta
        and plain.measured.us.get(one.symbol, 0.0) > LEAST_SHARE * whole
    )


def best_of_each(entries: Sequence[Entry]) -> Candidate | None:
    """The candidate in which each kernel has the launch options with which it was fastest by itself; None where one of
    these was measured. All have the same kernels, and the first is the plain one."""
    plain = entries[0].candidate
    best: dict[str, Entry] = {}
    for entry in entries:
        for symbol, us in entry.measured.us.items():
            if symbol and us < best.get(symbol, entries[0]).measured.us.get(symbol, math.inf):
                best[symbol] = entry
    metas = {symbol: entry.candidate.module.kernel(symbol).meta for symbol, entry in best.items()}
    kernels = tuple(replace(one, meta=metas.get(one.symbol, one.meta)) for one in plain.module.kernels)
    module = replace(plain.module, kernels=kernels)
    if module.digest in {entry.candidate.digest for entry in entries}:
        return None
    changed = {symbol: dict(meta) for symbol, meta in metas.items() if meta != plain.module.kernel(symbol).meta}
    return Candidate(f"{plain.spec},{spell_configs(changed)}", module)


def memory_of(ctx: Context) -> PastWinners:
    """The memory that the context's `SearchServices` name, or the one in the cache."""
    return ctx.service(SearchServices).memory or PastWinners(Path(cache_folder(), "search", "memory.jsonl"))


def beginnings(
    plain: KernelModule, ctx: Context, memory: PastWinners | None
) -> tuple[tuple[str, ...], Collection[str]]:
    """Pipelines to begin with, and such as are tried last: what memory says of programs like this one, and what the
    sources of the context's `SearchServices` give."""
    services = ctx.service(SearchServices)
    given = [spec for source in services.sources for spec in source(plain, ctx.target)]
    if memory is None:
        return tuple(dict.fromkeys(given)), ()
    likeness = Likeness.of(plain)
    won = [_elsewhere(winner) for winner in memory.winners(likeness, ctx.target, services.forgets)]
    first = (*(fitted for fitted, _ in won), *(made for _, made in won))
    return tuple(dict.fromkeys((*given, *first))), memory.losers(likeness, ctx.target, services.forgets)


def _elsewhere(winner: str) -> tuple[str, str]:
    """What won on another program: with its launch options, for kernels that may have other names here, and without."""
    fitting = [one for one in parts(winner) if one.startswith(f"{Configure.name}{{")]
    made = ",".join(one for one in parts(winner) if one not in fitting)
    configs: dict[str, dict[str, Scalar]] = {}
    with suppress(UserError):  # what is in a file may say anything
        for one in parse_pipeline(",".join(fitting)).passes if fitting else ():
            configs |= read_configs(one.configs) if isinstance(one, Configure) else {}
    return f"{made},{spell_configs(configs, near=True)}" if configs else made, made


def early_lowerings(ctx: Context, memory: PastWinners | None, most: int) -> tuple[str, ...]:
    """So many lowerings that are tried on any program, before it is known what it is like: first those with which
    others won most often."""
    forgets = ctx.service(SearchServices).forgets
    won = memory.all_winners(ctx.target, forgets) if memory is not None else ()
    often = Counter(parts(winner)[0] for winner in won)
    return tuple(sorted(lowerings(), key=lambda spec: -often[spec]))[:most]


def remember(memory: PastWinners, bare: KernelModule, entries: Sequence[Entry], best: Entry, target: str) -> None:
    """Add what a search found to memory."""
    plain = entries[0]
    if not math.isfinite(best.us) or best.candidate.spec.startswith("given"):
        return
    made = [entry for entry in entries if entry.candidate is entry.base]
    slow = [entry.candidate.spec for entry in made if LOST * best.us < entry.us][:KEPT]
    likeness = Likeness.of(plain.candidate.module)
    memory.add(Found(bare.digest, target, likeness, best.candidate.spec, plain.us / best.us, tuple(slow)))
