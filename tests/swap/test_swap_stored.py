"""An entry keeps what a judge of another machine needs: Inductor's kernel, its buffers, and what runs in its place."""

from pathlib import Path
from typing import Any

import bed


def kept() -> list[dict[str, Any]]:
    """Kernels of a model, forward and backward, put into entries and taken out again."""
    import torch
    from torch._inductor.compile_fx import compile_fx, compile_fx_inner

    from kernelwright.backend.store.entry import Entry, Versions
    from kernelwright.driver.config.discovery import discover
    from kernelwright.frontend.lower_inductor import LowerInductor
    from kernelwright.frontend.swap.hooks import observing
    from kernelwright.frontend.swap.problem import own_kernel, problem
    from kernelwright.frontend.swap.recorded import Recorder
    from kernelwright.frontend.swap.replacement import replacement
    from kernelwright.frontend.swap.stored import arguments_of, recorded_of, why_not_inductors
    from kernelwright.ir.errors import LoweringError
    from kernelwright.ir.parser import parse_module
    from kernelwright.ir.passes import Context
    from kernelwright.ir.printer import print_module

    discover()
    torch._inductor.config.fx_graph_cache = False
    torch._functorch.config.enable_autograd_cache = False
    recorded = []

    def inner(graph: Any, arguments: Any, **options: Any) -> Any:
        recorder = Recorder()
        with observing(recorder.see):
            compiled = compile_fx_inner(graph, arguments, **options)
        recorded.extend(recorder.recorded())
        return compiled

    model = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.LayerNorm(32), torch.nn.GELU())
    backend = lambda graph, given: compile_fx(graph, given, inner_compile=inner)  # noqa: E731
    torch.compile(model, backend=backend)(torch.randn(8, 16)).sum().backward()
    torch.compile(lambda x, w: (x @ w + x).relu(), backend=backend)(torch.randn(8, 16), torch.randn(16, 16))
    found = []
    for kernel in recorded:
        if kernel.graph is None or kernel.parts:
            continue
        module = problem(kernel)
        lowered = LowerInductor().run(module, Context(target="interpreter"))
        try:
            made = replacement(kernel, lowered)
        except LoweringError:  # such as where two results are views of one buffer
            continue
        entry = Entry(
            kernel.key, "interpreter", Versions.installed(), "replacement", print_module(lowered), made.text, made.form,
            made.order, arguments_of(kernel), source=kernel.source,
        )  # fmt: skip
        read = parse_module(Entry.parse(entry.text).module)
        again = recorded_of(entry, read)
        # Its own name is of the operations in the graph, which an entry does not have.
        own, other = (own_kernel(*one, "interpreter").kernels[-1] for one in ((kernel, module), (again, read)))
        found.append(
            {
                "in place": any(one.read and one.written for one in kernel.arguments),
                "same replacement": replacement(again, read) == made,
                "same kernel": own.source.replace(own.symbol, other.symbol) == other.source and own.meta == other.meta,
                "why not": why_not_inductors(kernel.source),
            }
        )
    return found


def test_a_recorded_kernel_is_the_same_from_its_entry(tmp_path: Path) -> None:
    found = bed.run(kept, tmp_path)
    assert len(found) >= 3 and sum(one.pop("in place") for one in found)
    assert all(one == {"same replacement": True, "same kernel": True, "why not": ""} for one in found), found
