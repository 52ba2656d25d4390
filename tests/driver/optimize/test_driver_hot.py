"""What is handed to a process that searches for a hot graph, and why there is no search for some."""

import logging
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.fx import GraphModule

from kernelwright.driver.optimize import hot
from kernelwright.driver.optimize.handed import hand_over, without_history
from kernelwright.driver.torch_compile.options import Request
from kernelwright.driver.torch_compile.session import tell

ASKED: dict[str, Any] = {"seconds": 5.0, "store": None, "gradients": False}


def graph_of(work: Any, *inputs: torch.Tensor) -> GraphModule:
    """The graph that Dynamo makes of a function."""
    graphs: list[GraphModule] = []

    def backend(graph: GraphModule, _inputs: Any) -> Any:
        graphs.append(graph)
        return graph.forward

    torch.compiler.reset()
    torch.compile(work, backend=backend)(*inputs)
    (graph,) = graphs
    return graph


def doubled(x: torch.Tensor) -> torch.Tensor:
    return torch.relu(x) * 2


def under_autocast(x: torch.Tensor) -> torch.Tensor:
    with torch.autocast("cpu", torch.bfloat16):
        return x @ x


@pytest.mark.parametrize(
    ("work", "told"),
    [
        (doubled, "optimize needs a model on a CUDA device, and this one is on cpu"),
        (under_autocast, "the graph cannot be handed to a process of its own: a part of it, such as autocast, is lost"),
    ],
)
def test_a_process_says_why_it_does_not_search(work: Any, told: str, tmp_path: Path) -> None:
    x = torch.randn(4, 4)
    hand_over(tmp_path, graph_of(work, x), [x], **ASKED)
    assert hot._answer(tmp_path) == {"error": told}
    assert {path.name for path in tmp_path.iterdir()} == {"answer.json", "errors.txt"}  # the values are not left


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (
            {"lock": "picks.json"},
            "no kernel is searched for: a lock, or the first process of a job, says which kernels run",
        ),
        (
            {"mode": "reduce-overhead"},
            "no kernel is searched for: CUDA graphs launch the kernels that they were recorded with",
        ),
        (
            {"triton.cudagraphs": True},
            "no kernel is searched for: CUDA graphs launch the kernels that they were recorded with",
        ),
        ({}, "the search for faster kernels fails: the process that searches ended with status 3: nothing here"),
    ],
)
def test_a_search_that_is_not_made_is_told_in_one_warning_and_no_call_fails(
    options: dict[str, Any], told: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    tell.cache_clear()
    monkeypatch.setattr(
        hot, "COMMAND", (sys.executable, "-c", "import sys; print('nothing here', file=sys.stderr); sys.exit(3)")
    )
    x = torch.randn(3, 4)
    call = hot.served(graph_of(doubled, x), Request.read({"hot": True, **options}, None), lambda: doubled)
    with caplog.at_level(logging.WARNING):
        assert torch.equal(call(x), doubled(x))
        for thread in [one for one in threading.enumerate() if one.name == hot.THREAD]:
            thread.join()
        assert torch.equal(call(x), doubled(x))
    (line,) = [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]
    assert line.startswith(told) and "\n" not in line


def test_values_are_handed_over_without_what_they_were_computed_from() -> None:
    weight, x = torch.nn.Parameter(torch.ones(2)), torch.ones(2)
    made = without_history(weight * 2)
    assert made.requires_grad and made.is_leaf and torch.equal(made, torch.full((2,), 2.0))
    assert without_history(weight) is weight and without_history(x) is x and without_history(3) == 3


def test_the_process_ends_with_all_it_started_once_the_one_that_it_works_for_is_gone(tmp_path: Path) -> None:
    folder, x = tmp_path / "handed", torch.randn(4, 4)
    folder.mkdir()
    hand_over(folder, graph_of(doubled, x), [x], **ASKED)
    done = subprocess.run([*hot.COMMAND, str(folder), "1"], start_new_session=True, check=False)
    assert done.returncode == -signal.SIGKILL and not folder.exists()
