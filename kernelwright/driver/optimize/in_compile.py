"""`torch.compile(…, options={"search": seconds})`: a graph's kernels are searched in its first call, and exchanged."""

import copy
import threading
from collections.abc import Callable
from typing import Any

from torch import Tensor
from torch.fx import GraphModule

from kernelwright.backend.store.entry import Versions
from kernelwright.driver.extraction.filling import stored_as
from kernelwright.driver.optimize.result import Optimized
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
    if why := _why_not(subject, options):
        tell(f"no kernel is searched for: {why}")
        return
    try:
        found = optimize_subject(subject, options.search, opened(options.store))
    except UserError as error:
        tell(f"no kernel is searched for: {error}")
        return
    _exchange(found, options)
    if found.stopped == "interrupted":
        raise KeyboardInterrupt


def _why_not(subject: Graph, options: Options) -> str:
    if options.lock is not None or job_store() is not None:
        return "a lock, or the first process of a job, says which kernels run"
    if not all(isinstance(one, Tensor) for one in subject.inputs):
        return "sizes change from call to call"
    return ""


def _exchange(found: Optimized, options: Options) -> None:
    """Have all programs of this process launch what was admitted."""
    store, target = opened(options.store), stored_as("interpreter" if found.device == "cpu" else resolve_target("auto"))
    for kernel in found.admitted:
        entry = store.find(kernel.key, target, Versions.installed())
        if entry is not None and entry.kind == "replacement":
            exchange_all(entry)
            record.exchanged(kernel.key, str(entry.certificate.get("summary", "verified")), entry.pick)
