"""A backend of `torch.compile` that is ours, and marks what runs: each graph, each kernel, each operation of a library.

Every kernel is seen as Inductor writes it, so nothing comes from Inductor's caches but compiled code of kernels.
"""

import os
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from torch import Tensor

from kernelwright.backend.cost.extern import ExternCall, ExternTrace
from kernelwright.backend.torch_private import tree_leaves
from kernelwright.driver.profile.trace import mark
from kernelwright.driver.torch_compile.options import Request
from kernelwright.driver.torch_compile.picks import Picks, pick_of
from kernelwright.driver.torch_compile.record import Part, Record, Swap
from kernelwright.driver.torch_compile.session import Session
from kernelwright.frontend.inductor.plain import Inner, Runner
from kernelwright.frontend.swap.hooks import Chosen, Generated, Launchable, observing, parted
from kernelwright.frontend.swap.key import NotReplaceableError, read
from kernelwright.frontend.swap.launches import Work, work_of
from kernelwright.ir.errors import UserError

#: Types of pointers, and what torch calls them; products of the first that a kernel has count for it.
_FACTORS = {"*bf16": "bfloat16", "*fp16": "float16", "*fp32": "float32", "*fp64": "float64"}
_READ, _CHANGED = "in_ptr", "in_out_ptr"


@dataclass(frozen=True)
class Written:
    """A kernel as Inductor wrote it: what it must do, the type of its factors, what Inductor calls its kind, and its
    parameters."""

    work: Work
    dtype: str = ""
    form: str = ""
    parameters: tuple[str, ...] = ()


@dataclass
class MarkedGraph:
    """An aten graph of a model: what became of its kernels, how they were written, how often each was launched while
    marks were in force, and the operations of libraries that its last call made, in order, with their shapes."""

    index: int
    backward: bool
    part: Part = field(default_factory=Part)
    written: dict[str, Written] = field(default_factory=dict)
    runs: int = 0
    launches: Counter[str] = field(default_factory=Counter)
    operations: list[ExternCall] = field(default_factory=list)
    shapes: list[str] = field(default_factory=list)
    #: By kernel, the operation whose product it reads.
    after: dict[str, int] = field(default_factory=dict)

    def see(self, generated: Generated) -> None:
        """Take down a kernel that Inductor writes."""
        work = work_of(generated)
        try:
            text = read(generated.source)
        except NotReplaceableError:
            self.written[generated.name] = Written(work)
            return
        dtype = next((name for kind, name in _FACTORS.items() if kind in text.signature.values()), "")
        self.written[generated.name] = Written(work, dtype, text.heuristics, text.parameters)


class Marks:
    """The graphs of a model, and the marks in force about what they launch."""

    def __init__(self) -> None:
        self.graphs: list[MarkedGraph] = []
        #: What is known of the replacements, by what a lock names for them.
        self.certificates: dict[str, dict[str, Any]] = {}
        self._on = False
        self._here = threading.local()

    @contextmanager
    def in_force(self) -> Iterator[None]:
        """Everything that runs within it is marked."""
        self._on = True
        try:
            yield
        finally:
            self._on = False

    def graph(self, backward: bool) -> MarkedGraph:
        """A new graph, which is about to be compiled."""
        self.graphs.append(MarkedGraph(len(self.graphs), backward))
        return self.graphs[-1]

    def about(self, graph: MarkedGraph, code: Runner) -> Runner:
        """The code of a graph, marked when marks are in force."""

        def run(values: list[Any]) -> Any:
            if not self._on:
                return code(values)
            seen = self._here.seen = _Operations(graph)
            graph.runs += 1
            try:
                with mark("graph", graph.index), seen:
                    return code(values)
            finally:
                self._here.seen = None
                graph.operations, graph.shapes = seen.calls, seen.shapes

        run._boxed_call = True  # type: ignore[attr-defined]  # how compiled graphs say that they empty the list
        return run

    @contextmanager
    def kernel(self, name: str, arguments: Sequence[Any]) -> Iterator[None]:
        """About the launch of a kernel."""
        seen: _Operations | None = getattr(self._here, "seen", None)
        if not self._on or seen is None or seen.inside:
            yield
            return
        seen.launch(name, arguments)
        seen.inside = True
        try:
            with mark("kernel", name):
                yield
        finally:
            seen.inside = False


class _Operations(ExternTrace):  # type: ignore[no-untyped-call]
    """In one call of a graph, marks every operation of a library, and knows where products lie."""

    def __init__(self, graph: MarkedGraph) -> None:
        super().__init__()
        self.graph = graph
        self.shapes: list[str] = []
        #: Whether a kernel is being launched: what the host does for that is no operation of the graph.
        self.inside = False
        self._products: dict[int, int] = {}

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        if self.inside or func.is_view:
            return func(*args, **(kwargs or {}))
        place = len(self.calls)
        with mark("operation", place):
            result = super().__torch_dispatch__(func, types, args, kwargs)
        if len(self.calls) > place:
            self.shapes.append(" ".join(_shape(leaf) for leaf in tree_leaves(args) if isinstance(leaf, Tensor)))
            for one in tree_leaves(result):
                if isinstance(one, Tensor) and self.calls[place].flops:
                    self._products[one.data_ptr()] = place
        return result

    def launch(self, name: str, arguments: Sequence[Any]) -> None:
        """Take down a launch: the product that it reads, and those that it overwrites."""
        self.graph.launches[name] += 1
        written = self.graph.written.get(name)
        for parameter, value in zip(written.parameters if written else (), arguments, strict=False):
            if not isinstance(value, Tensor):
                continue
            if parameter.startswith((_READ, _CHANGED)) and value.data_ptr() in self._products:
                self.graph.after[name] = self._products[value.data_ptr()]
            if not parameter.startswith(_READ):
                self._products.pop(value.data_ptr(), None)


def _shape(tensor: Tensor) -> str:
    return f"{tensor.dtype}".rpartition(".")[2] + str(list(tensor.shape))


class MarkedBackend:
    """`torch.compile(model, backend=MarkedBackend(marks, options))` compiles as the backend kernelwright does with
    these options, which are its own or Inductor's. Raises UserError where they leave no kernel to be seen."""

    def __init__(self, marks: Marks, options: Mapping[str, Any]) -> None:
        self._marks = marks
        self._request = Request.read({**options, "fx_graph_cache": False}, None)
        self._picks = Picks(self._request.options)
        if hidden := self._request.inductor.why_hidden():
            raise UserError(f"kernels cannot be told apart: {hidden}")

    def __call__(self, graph: torch.fx.GraphModule, inputs: Sequence[Any]) -> Runner:
        record = Record(len(graph.graph.nodes))
        session = _MarkedSession(self._request.options.target, self._picks, record, self._marks)
        return self._request.inductor(graph, inputs, session.around, session.inner, aot_cache=False)


class _MarkedSession(Session):
    """The compile of one graph, whose code is marked."""

    def __init__(self, target: str, picks: Picks, record: Record, marks: Marks) -> None:
        super().__init__(target, picks, record)
        self._marks = marks

    def inner(self, compile_graph: Inner) -> Inner:
        """What compiles an aten graph, with kernels replaced and everything marked."""
        swapping = super().inner(compile_graph)

        def compiled(graph: torch.fx.GraphModule, *arguments: Any, **options: Any) -> Any:
            marked = self._marks.graph(bool(options.get("is_backward")))
            with observing(marked.see):
                code = swapping(graph, *arguments, **options)
            marked.part = self._record.parts[-1]
            return self._marks.about(marked, code)

        return compiled

    def _choose(self, part: Part, name: str, source: str) -> Chosen:
        if os.environ.get("KERNELWRIGHT_DISABLE") == "1":
            part.note(Swap(name, "", "inductor", "KERNELWRIGHT_DISABLE=1"))
            return None
        chosen = super()._choose(part, name, source)
        if chosen is not None:
            kernel = read(source)
            found = self._picks.find(kernel.key, kernel.target)
            assert not isinstance(found, str)
            self._marks.certificates[pick_of(found)] = dict(found[0].certificate)
        return self._marked(chosen, name)

    def _marked(self, chosen: Chosen, name: str) -> Chosen:
        """What is chosen, with launches of host code marked; those of other texts are Inductor's, and marked anyhow."""
        what, within = parted(chosen)
        marked = [one if isinstance(one, str) else _MarkedLaunch(one, name, self._marks) for one in what]
        if within:
            return replace(within, chosen=marked)
        return marked[0] if marked else None


class _MarkedLaunch:
    """A replacement that is launched by host code of its own."""

    def __init__(self, replacement: Launchable, name: str, marks: Marks) -> None:
        self._replacement, self._name, self._marks = replacement, name, marks
        self.run: Callable[..., Any] = self._run

    def _run(self, *arguments: Any, **options: Any) -> Any:
        with self._marks.kernel(self._name, arguments):
            return self._replacement.run(*arguments, **options)
