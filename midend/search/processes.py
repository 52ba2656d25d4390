"""The processes of a search on a GPU: what they import, and how they are started before it begins. Without torch."""

import importlib.util
import os
from pathlib import Path

from kernelwright.backend.measure import pool
from kernelwright.backend.measure.children import MOST_WORKERS, OFF_GPU, cores
from kernelwright.backend.tuning.configure import Configure
from kernelwright.ir.passes import REGISTRY
from kernelwright.ir.pipeline import Pipeline
from kernelwright.midend.search.search import Search
from kernelwright.midend.search.space import PLAIN, rewrites

#: What makes a process that makes candidates ready; in a module that imports torch.
_WARM_UP = "kernelwright.midend.search.making:warm_up"
#: Where NVIDIA's driver is.
_DRIVER = Path("/dev/nvidiactl")


def begin(pipeline: Pipeline) -> None:
    """Start the processes of the pipeline's search, where it has one that will run on a GPU, so that they are ready by
    the time it begins; returns at once."""
    searches = [one for one in pipeline.passes if isinstance(one, Search) and one.measure != "model"]
    if searches and _DRIVER.exists() and os.environ.get("CUDA_VISIBLE_DEVICES") != "":
        pool.begin(workers_of(searches[0].workers), modules_of_passes(), OFF_GPU, pool.BENCH)


def workers_of(asked: int) -> int:
    """How many processes make candidates: as many as were asked for, or by the cores."""
    return asked or min(cores(), MOST_WORKERS)


def modules_of_passes() -> tuple[str, ...]:
    """What children have to import, and to do first, in order to make candidates."""
    names = {REGISTRY[name].__module__ for name in (PLAIN, Configure.name, *rewrites()) if name in REGISTRY}
    return (*sorted(name for name in names if _exists(name)), _WARM_UP)


def _exists(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except (ImportError, ValueError):
        return False
