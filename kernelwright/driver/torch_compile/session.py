"""The compile of one graph: each kernel that Inductor loads is looked up, and what became of it is noted."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from functools import cache, partial, wraps
from typing import Any

import torch

from kernelwright.backend.store.entry import Entry
from kernelwright.driver.torch_compile.picks import Picks, log, pick_of
from kernelwright.driver.torch_compile.record import Part, Record, Swap
from kernelwright.frontend.inductor.plain import Inner, keep_artifact, kept
from kernelwright.frontend.swap.hooks import Chooser, Chosen, Failed, Loaded, choosing
from kernelwright.frontend.swap.key import NotReplaceableError, read
from kernelwright.frontend.swap.library import opened
from kernelwright.frontend.swap.running import in_place


class Session:
    """One graph's. It lives as long as the graph's code may ask for another aten graph to be compiled."""

    def __init__(self, target: str, picks: Picks, record: Record) -> None:
        self._target, self._picks, self._record = target, picks, record

    @property
    def wrong_from_cache(self) -> bool:
        """Whether code with a kernel that is known to be wrong came from the cache of AOTAutograd, where there is no
        aten graph to run in its place."""
        return any(part.wrong and not part.eager for part in self._record.parts)

    @contextmanager
    def around(self, backward: bool = False) -> Iterator[Part]:
        """Kernels that are loaded within it are noted as one part, and replaced where there is something for them."""
        part = Part(backward)
        chosen: dict[tuple[str, str], Chosen] = {}
        self._record.parts.append(part)

        def choose(name: str, source: str) -> Chosen:
            # Inductor may ask twice: when it writes a kernel, to have it compiled early, and when it loads it. Kernels
            # of both passes may have one name, and come from the cache together.
            place = name, source.strip()
            if place not in chosen:
                chosen[place] = None
                chosen[place] = self._choose(part, name, source)
            return chosen[place]

        def failed(name: str, source: str, error: Exception) -> None:
            part.note(Swap(name, read(source).key, "inductor", f"the replacement failed: {error}"))

        with choosing(choose, failed, self._opening(choose, failed)):
            yield part
        told(part)

    def _opening(self, choose: Chooser, failed: Failed) -> Loaded | None:
        """What has a program's calls of libraries looked up in their first call, by what it gives them; None where
        there is nothing for any."""
        return partial(opened, choose=choose, failed=failed) if self._picks.for_libraries else None

    def inner(self, compile_graph: Inner) -> Inner:
        """What compiles an aten graph, with kernels replaced. A graph with a kernel that is known to be wrong runs in
        eager mode."""

        @wraps(compile_graph)
        def compiled(graph: torch.fx.GraphModule, *arguments: Any, **options: Any) -> Any:
            eager = kept(graph)
            with self.around(bool(options.get("is_backward"))) as part:
                code = compile_graph(graph, *arguments, **options)
            if not part.wrong:
                return code
            part.eager = True
            tell(f"{part.why_eager}; the graph with it runs in eager mode")
            return eager()

        return compiled

    def _choose(self, part: Part, name: str, source: str) -> Chosen:
        """What runs in a kernel's place, noted."""
        try:
            kernel = read(source)
        except NotReplaceableError as why:
            part.note(Swap(name, "", "inductor", str(why)))
            return None
        if not kernel.target or self._target not in ("auto", kernel.target):
            part.note(Swap(name, kernel.key, "inductor", f"it is for {kernel.target or 'another kind of device'}"))
            return None
        found = self._picks.find(kernel.key, kernel.target)
        if isinstance(found, str):
            part.note(Swap(name, kernel.key, "inductor", found))
            return None
        if found[0].kind == "wrong":
            part.wrong.append(found[0].operation)
            part.note(Swap(name, kernel.key, "inductor", f"it gives wrong values for {found[0].operation}"))
            return None
        try:
            instead = in_place(found, kernel, name)
        except NotReplaceableError as why:
            part.note(Swap(name, kernel.key, "inductor", str(why)))
            return None
        part.note(Swap(name, kernel.key, "kernelwright", told_of(found), pick_of(found)))
        return instead


def told_of(entries: Sequence[Entry]) -> str:
    """What a kernel's certificate says in short, and where there are several for sizes that change, each of them."""
    return "; ".join(dict.fromkeys(str(entry.certificate.get("summary", "verified")) for entry in entries))


def told(part: Part) -> None:
    """Log what runs for each kernel of a part, and why, where `TORCH_LOGS` or `TORCH_TRACE` asks for it."""
    swaps = list(part.all_swaps())
    for swap in swaps:
        log.info("%s%s", swap, " (backward)" * swap.backward)
    if swaps:
        keep_artifact("kernelwright_kernels", lambda: json.dumps([asdict(swap) for swap in swaps], indent=1))


@cache
def tell(line: str) -> None:
    """Warn, once in a process."""
    log.warning("%s", line)
