"""What Inductor writes for a model where nothing can be measured: its kernels, and what the store has for each."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from torch import nn

from kernelwright.driver.extraction.modes import EVAL
from kernelwright.driver.extraction.recording import record_model
from kernelwright.driver.profile.rows import Kind, Profile, Row, Times
from kernelwright.driver.torch_compile.options import Request
from kernelwright.driver.torch_compile.picks import Picks, pick_of
from kernelwright.driver.torch_compile.session import told_of
from kernelwright.frontend.swap.graphs import RecordedGraph
from kernelwright.frontend.swap.key import NotReplaceableError, read
from kernelwright.frontend.swap.recorded import Recorded

_UNKNOWN = Times(0.0, 0.0, 0.0)


def listed_model(
    model: nn.Module, inputs: Sequence[Any], mode: str = EVAL, *, options: Mapping[str, Any] | None = None
) -> Profile:
    """As `profile_model`, without times: no kernel runs, and libraries' operations are not seen. Bytes are those of the
    kernels' buffers."""
    picks = Picks(Request.read(options or {}, None).options)
    graphs = record_model(model, inputs, mode)
    certificates: dict[str, Mapping[str, Any]] = {}
    rows = [
        _row(kernel, launches, graph, index, picks, certificates)
        for index, graph in enumerate(graphs)
        for kernel, launches in _kernels(graph)
    ]
    ordered = tuple(sorted(rows, key=lambda row: -row.bytes))
    return Profile(ordered, _UNKNOWN, 0.0, 0.0, "no GPU", 0, certificates)


def _kernels(graph: RecordedGraph) -> Iterator[tuple[Recorded, int]]:
    """Each kernel of a graph once, and how often it occurs; problems of several kernels are none of them."""
    by_name: dict[str, list[Recorded]] = {}
    for kernel in graph.kernels:
        if not kernel.parts:
            by_name.setdefault(kernel.name, []).append(kernel)
    for same in by_name.values():
        yield next((one for one in same if one.graph is not None), same[0]), len(same)


def _row(
    kernel: Recorded,
    launches: int,
    graph: RecordedGraph,
    index: int,
    picks: Picks,
    certificates: dict[str, Mapping[str, Any]],
) -> Row:
    layouts = [layout for one in kernel.arguments for layout in one.layouts.values()]
    moved = launches * sum(math.prod(one.shape) * one.dtype.itemsize for one in layouts)
    runs, why, pick, form = "inductor", kernel.why_not, "", ""
    try:
        text = read(kernel.source)
    except NotReplaceableError as error:
        why = str(error)
    else:
        form, found = text.heuristics, picks.find(text.key, text.target)
        why = found if isinstance(found, str) else told_of(found)
        if not isinstance(found, str) and found[0].kind == "wrong":
            runs, why = "eager", f"Inductor's code gives wrong values for {found[0].operation}"
        elif not isinstance(found, str):
            runs, pick = "kernelwright", pick_of(found)
            certificates[pick] = found[0].certificate
    detail = "" if kernel.graph is not None else f"no problem of its own: {kernel.why_not}"
    return Row(
        Kind.GENERATED, kernel.name, index, graph.backward, kernel.key, runs, why, pick, launches, _UNKNOWN, 0.0,
        bytes=moved, form=form, detail=detail,
    )  # fmt: skip
