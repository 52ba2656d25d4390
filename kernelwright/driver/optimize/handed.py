"""A graph that is handed to a process of its own, which searches its kernels and tells what was admitted.

    python -m kernelwright.driver.optimize.handed FOLDER PID

The graph is in the folder, and the answer is written there. The process ends once the one with that id is gone.
"""

import json
import os
import shutil
import signal
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.fx import GraphModule

from kernelwright.backend.store.store import Store
from kernelwright.driver.optimize.session import optimize_subject
from kernelwright.driver.optimize.subjects import Graph
from kernelwright.ir.errors import KernelwrightError, UserError

GRAPH, ANSWER = "graph.pt", "answer.json"
#: How often a process looks for the one that it works for, in seconds.
LOOK_S = 1.0


def hand_over(folder: Path, graph: GraphModule, inputs: Sequence[Any], **asked: Any) -> None:
    """Write a graph with all that it is given, into a folder where `searched` finds it. `asked`: the `seconds` of the
    search, the folder of the `store`, None for the user's, and whether `gradients` are on. Raises UserError for a graph
    that cannot be written."""
    graph.meta.clear()
    try:
        torch.save((graph, list(inputs), _steps(graph), asked), folder / GRAPH)
    except Exception as error:  # whatever a graph holds that cannot be written
        raise UserError(f"the graph cannot be handed to a process of its own: {_line(error)}") from error


def without_history(value: Any) -> Any:
    """A value of a graph without what it was computed from; it wants gradients as before."""
    if not isinstance(value, Tensor) or isinstance(value, nn.Parameter) or not value.requires_grad:
        return value
    return value.detach().requires_grad_()


def searched(folder: Path) -> dict[str, Any]:
    """What becomes of the graph in a folder: the keys of its admitted kernels, or the `error` in one line."""
    try:
        graph, inputs, steps, asked = torch.load(folder / GRAPH, weights_only=False)
        (folder / GRAPH).unlink()
        if _steps(graph) != steps:
            raise UserError(
                "the graph cannot be handed to a process of its own: a part of it, such as autocast, is lost"
            )
        with torch.set_grad_enabled(asked["gradients"]):
            found = optimize_subject(Graph(graph, inputs), asked["seconds"], Store.open(asked["store"]))
    except KernelwrightError as error:
        return {"error": str(error).splitlines()[0]}
    return {"admitted": [one.key for one in found.admitted], "device": found.device}


def main(folder: str, parent: str) -> int:
    """Search, and write the answer."""
    threading.Thread(target=_end_with, args=(int(parent), Path(folder)), daemon=True).start()
    told = json.dumps(searched(Path(folder)))
    (Path(folder) / ANSWER).write_text(told, "utf-8")
    return 0


def _end_with(parent: int, folder: Path) -> None:
    """End this process, which leads a group, with all that it started once its parent is gone."""
    while os.getppid() == parent:
        time.sleep(LOOK_S)
    shutil.rmtree(folder, ignore_errors=True)
    os.killpg(os.getpid(), signal.SIGKILL)


def _steps(graph: GraphModule) -> list[tuple[str, str]]:
    """What the nodes of a graph do, in order: contexts, such as autocast, are lost where a graph is written."""
    return [(node.op, getattr(node.target, "__name__", str(node.target))) for node in graph.graph.nodes]


def _line(error: Exception) -> str:
    return ": ".join([type(error).__name__, *str(error).strip().splitlines()[:1]])


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
