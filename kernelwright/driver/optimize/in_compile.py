"""`torch.compile(…, options={"search": seconds})`: a graph's kernels are searched in its first call, and exchanged."""

import copy
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from torch import Tensor
from torch.fx import GraphModule

from kernelwright.backend.store.entry import Entry, Versions
from kernelwright.driver.extraction.filling import stored_as
from kernelwright.driver.optimize.session import optimize_subject
from kernelwright.driver.optimize.subjects import Graph
from kernelwright.driver.run.build import resolve_target
from kernelwright.driver.torch_compile import record
from kernelwright.driver.torch_compile.options import Options
from kernelwright.driver.torch_compile.picks import opened
from kernelwright.driver.torch_compile.session import tell
from kernelwright.frontend.inductor.plain import job_store
from kernelwright.frontend.swap.live import exchange_all
from kernelwright.ir.errors import UserError


def searched(graph: GraphModule, options: Options, compiled: Callable[[], Callable[..., Any]]) -> Callable[..., Any]:
    """What runs a graph: the code that `compiled` makes of it, with a search in its first call, which knows the values
    that the graph is given. A search that cannot be made is told in one warning."""
    copied, lock, done = GraphModule(graph, copy.deepcopy(graph.graph)), threading.Lock(), False
    run = compiled()

    def searching(*arguments: Any) -> Any:
        nonlocal done
        with lock:
            if not done:
                done = True
                _search(Graph(copied, arguments), options)
        return run(*arguments)

    return searching


def _search(subject: Graph, options: Options) -> None:
    if why := why_not(subject.inputs, options):
        tell(f"no kernel is searched for: {why}")
        return
    try:
        found = optimize_subject(subject, options.search, opened(options.store))
    except UserError as error:
        tell(f"no kernel is searched for: {error}")
        return
    for entry in admitted_entries([one.key for one in found.admitted], found.device, options):
        exchange_all(entry)
        record.exchanged(entry.key, str(entry.certificate.get("summary", "verified")), entry.pick)
    if found.stopped == "interrupted":
        raise KeyboardInterrupt


def why_not(inputs: Sequence[Any], options: Options) -> str:
    """Why no kernel is searched for, for a graph that is given these; "" where some are."""
    if options.lock is not None or job_store() is not None:
        return "a lock, or the first process of a job, says which kernels run"
    if not all(isinstance(one, Tensor) for one in inputs):
        return "sizes change from call to call"
    return ""


def admitted_entries(keys: Sequence[str], device: str, options: Options) -> Iterator[Entry]:
    """What the store has for admitted kernels, by key; `device` is the kind of device that they are for."""
    store, target = opened(options.store), stored_as("interpreter" if device == "cpu" else resolve_target("auto"))
    for key in keys:
        entry = store.find(key, target, Versions.installed())
        if entry is not None and entry.kind == "replacement":
            yield entry
