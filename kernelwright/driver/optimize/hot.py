"""`torch.compile(…, options={"hot": True})`: a graph runs Inductor's kernels from its first call on, while a process
beside this one searches for faster ones. What that admits is put in place between two calls of the graph."""

import copy
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.fx import GraphModule

from kernelwright.backend.store.entry import Entry
from kernelwright.driver.optimize.handed import ANSWER, hand_over, without_history
from kernelwright.driver.optimize.in_compile import admitted_entries, why_not
from kernelwright.driver.torch_compile import record
from kernelwright.driver.torch_compile.options import Request
from kernelwright.driver.torch_compile.session import tell
from kernelwright.frontend.swap.hooks import Launchable
from kernelwright.frontend.swap.live import Place, ready
from kernelwright.ir.errors import UserError

#: The seconds of a search where none are asked for.
SECONDS = 90.0
#: What runs the process that searches, before its arguments.
COMMAND: Sequence[str] = (sys.executable, "-P", "-m", "kernelwright.driver.optimize.handed")

#: The name of threads that wait for a search.
THREAD = "kernelwright search"
#: Held by the one search that is under way: a model may have several graphs.
_turn = threading.Lock()

#: An admitted kernel, loaded, with where it goes.
Ready = tuple[Entry, list[tuple[Place, Launchable]]]


def served(graph: GraphModule, request: Request, compiled: Callable[[], Callable[..., Any]]) -> Callable[..., Any]:
    """What runs a graph: the code that `compiled` makes of it, with a search that begins after its first call, which
    knows the values that the graph is given. A search that cannot be made is told in one warning."""
    search = Search(GraphModule(graph, copy.deepcopy(graph.graph)), request)
    run = compiled()

    def call(*arguments: Any) -> Any:
        search.swap()
        result = run(*arguments)
        search.begin(arguments)
        return result

    return call


class Search:
    """One graph's. Its calls may come from several threads."""

    def __init__(self, graph: GraphModule, request: Request) -> None:
        self._graph: GraphModule | None = graph
        self._request, self._lock = request, threading.Lock()
        self._ready: Sequence[Ready] = ()

    def begin(self, arguments: Sequence[Any]) -> None:
        """Search in the background, with the values of this call; once."""
        if self._graph is None:
            return
        with self._lock:
            graph, self._graph = self._graph, None
        if graph is None:
            return
        options = self._request.options
        why = why_not(arguments, options)
        if not why and self._request.inductor.replays():
            why = "CUDA graphs launch the kernels that they were recorded with; take `search` without `hot`"
        if why:
            tell(f"no kernel is searched for: {why}")
            return
        given = [without_history(one) for one in arguments]
        asked = {
            "seconds": options.search or SECONDS,
            "store": options.store,
            "gradients": torch.is_grad_enabled(),
        }
        threading.Thread(target=self._search, name=THREAD, args=(graph, given, asked), daemon=True).start()

    def swap(self) -> None:
        """Put in place what was admitted since the last call, which programs launch from their next call on."""
        if not self._ready:
            return
        with self._lock:
            some, self._ready = self._ready, ()
        for entry, kernels in some:
            for place, kernel in kernels:
                place.put(kernel)
            record.exchanged(entry.key, str(entry.certificate.get("summary", "verified")), entry.pick)

    def _search(self, graph: GraphModule, given: list[Any], asked: dict[str, Any]) -> None:
        device = next((one.device for one in given if isinstance(one, Tensor)), torch.device("cpu"))
        try:
            with tempfile.TemporaryDirectory(prefix="kernelwright-") as place:
                hand_over(Path(place), graph, given, **asked)
                given.clear()  # the values are the caller's to free
                with _turn:
                    told = _answer(Path(place))
            if "error" in told:
                raise UserError(told["error"])
            with torch.cuda.device(device) if device.type == "cuda" else nullcontext():
                found = admitted_entries(told["admitted"], told["device"], self._request.options)
                self._ready = [(entry, ready(entry)) for entry in found]
        except Exception as error:  # noqa: BLE001 - the program that is served goes on with Inductor's kernels
            line = str(error).strip().splitlines()[:1]
            told_as = line if isinstance(error, UserError) else [type(error).__name__, *line]
            tell(f"the search for faster kernels fails: {': '.join(told_as)}")


def _answer(folder: Path) -> dict[str, Any]:
    """What the process says that searches. Raises UserError where it says nothing."""
    errors = folder / "errors.txt"
    with errors.open("w") as file:
        done = subprocess.run(
            [*COMMAND, str(folder), str(os.getpid())],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=file,
            start_new_session=True,
            check=False,
        )
    if done.returncode or not (folder / ANSWER).exists():
        last = errors.read_text("utf-8", errors="replace").strip().splitlines()[-1:]
        raise UserError(": ".join([f"the process that searches ended with status {done.returncode}", *last]))
    told: dict[str, Any] = json.loads((folder / ANSWER).read_text("utf-8"))
    return told
