"""Entries for kernels of a program, put into the store of a process on the bed: changed copies of Inductor's own."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch

from kernelwright.backend.store.entry import Entry, Versions
from kernelwright.backend.store.store import Store
from kernelwright.frontend.swap import hooks
from kernelwright.frontend.swap.hooks import Generated
from kernelwright.frontend.swap.key import read


@contextmanager
def without_caches() -> Iterator[None]:
    """Inductor compiles all anew, and forgets it."""
    torch.compiler.reset()
    with (
        torch._inductor.config.patch(fx_graph_cache=False),
        torch._functorch.config.patch(enable_autograd_cache=False),
    ):
        yield
    torch.compiler.reset()


def generated(work: Callable[[], Any]) -> list[Generated]:
    """The kernels that plain Inductor writes for what is compiled in `work`."""
    found: list[Generated] = []
    with without_caches(), hooks.observing(found.append):
        work()
    assert found, "Inductor wrote no kernel"
    return found


def same(source: str) -> str:
    """Inductor's own text under another name, as entries have it."""
    return source.replace(read(source).function.name, "replacement")


def doubled(source: str) -> str:
    """A text whose last value stored is twice as large."""
    head, store, rest = same(source).rpartition("tl.store(")
    return head + store + re.sub(r", (\w+), ", r", 2 * \1, ", rest, count=1)


def keep(kernels: list[Generated], change: Callable[[str], str] = same, **fields: Any) -> list[Entry]:
    """Put an entry for each kernel into the user's store."""
    store, made = Store.open(), []
    for one in kernels:
        kernel = read(one.source)
        known = {"kind": "replacement", "module": "made by a test", "form": "kernel", "name": one.name}
        if fields.get("kind") != "wrong":
            known["replacement"] = change(one.source)
        else:
            known |= {"module": "", "form": ""}
        made.append(Entry(kernel.key, kernel.target, Versions.installed(), **known | fields))
        assert store.put(made[-1])
    return made
