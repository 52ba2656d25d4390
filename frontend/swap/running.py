"""Entries of the store in the place of one of Inductor's kernels: one, or where sizes may change, one for each range.

A text in Inductor's own form gets the kernel's name and device, and Inductor loads it as it loads its own. Host code
becomes an object that is launched as Inductor's kernel is.
"""

import ast
import copy
import linecache
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from torch import Tensor

from kernelwright.backend.launch.execute import GIVEN_NAMES
from kernelwright.backend.store.entry import Entry
from kernelwright.frontend.swap.hooks import Within
from kernelwright.frontend.swap.key import KernelText, NotReplaceableError, read
from kernelwright.frontend.swap.replacement import ENTRY
from kernelwright.frontend.swap.sizes import fits, which_fits

#: For how many ranges of sizes a kernel is replaced at most: every launch looks for the one that it fits.
MOST_RANGES = 8


def holds(entry: Entry, sizes: Mapping[str, int]) -> bool:
    """Whether an entry is for sizes, by run-time parameter."""
    return sizes.keys() == {name for name, _ in entry.sizes} and (not sizes or fits(entry.sizes, sizes))


def side_by_side(entries: Sequence[Entry]) -> tuple[Entry, ...]:
    """Of replacements of a kernel, those that run: the first one, and where sizes may change, those after it whose own
    sizes none before it is for."""
    found = tuple(entries[:1])
    for entry in entries[1:] if found and found[0].sizes else ():
        if entry.sizes and not any(holds(one, entry.own_sizes) for one in found):
            found = *found, entry
    return found[:MOST_RANGES]


def for_sizes(entries: Sequence[Entry], sizes: Mapping[str, int]) -> Entry | None:
    """Of what is known of a kernel, a finding, or what runs at some sizes."""
    return next((one for one in side_by_side(entries) if one.kind == "wrong" or holds(one, sizes)), None)


def in_place(entries: Sequence[Entry], kernel: KernelText, name: str) -> "str | Hosted | Within":
    """What takes the kernel's place under its name: a text for Inductor to load, or an object to launch; where sizes
    may change from call to call, one for each entry, for launches with sizes that the first such entry is for.

    Raises NotReplaceableError for an entry that does not fit the kernel.
    """
    made = list[str | Hosted]()
    for entry in entries:
        if missing := set(kernel.unfixed) - {one for one, _ in entry.sizes}:
            raise NotReplaceableError(f"its {min(missing)} may change from call to call")
        made.append(Hosted(entry, kernel) if entry.form == "host" else _as_inductors(entry, kernel, name))
    if not entries[0].sizes:
        return made[0]
    return Within(made, which_fits([entry.sizes for entry in entries], kernel.parameters))


def _as_inductors(entry: Entry, kernel: KernelText, name: str) -> str:
    """The replacement under the kernel's name, for the device that the kernel is for."""
    replacement = read(entry.replacement)
    if replacement.parameters != kernel.parameters:
        raise NotReplaceableError(f"the replacement takes {', '.join(replacement.parameters)}")
    tree = ast.parse(entry.replacement)
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == replacement.function.name:
            node.name = name
            _set(node, "triton_meta", "device", kernel.meta("triton_meta")["device"])
            _set(node, "inductor_meta", "kernel_name", ast.Constant(name))
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n"


def _set(function: ast.FunctionDef, meta: str, key: str, value: ast.expr) -> None:
    """Change one value of a dictionary that the function's heuristics are given."""
    for decorator in function.decorator_list:
        for keyword in decorator.keywords if isinstance(decorator, ast.Call) else ():
            if keyword.arg == meta and isinstance(keyword.value, ast.Dict):
                pairs = dict(zip(map(ast.unparse, filter(None, keyword.value.keys)), keyword.value.values, strict=True))
                pairs[repr(key)] = copy.deepcopy(value)
                keyword.value = ast.Dict([ast.parse(one, mode="eval").body for one in pairs], list(pairs.values()))


class Hosted:
    """Host code, of several launches maybe, that is launched as one kernel of Inductor's."""

    def __init__(self, entry: Entry, kernel: KernelText) -> None:
        if not entry.order or max(entry.order) >= len(kernel.parameters):
            raise NotReplaceableError("the replacement wants other arguments")
        self._work, self._order = _loaded(entry), entry.order
        #: Positions of what is read and written: what a first launch that fails must leave as it was.
        self._changed = [kernel.parameters.index(one) for one in kernel.mutated if one in kernel.parameters]
        self.run: Callable[..., Any] = self._first

    def _first(self, *arguments: Any, **options: Any) -> None:
        """The first launch; one that raises leaves arguments as they were, for Inductor's kernel to be launched."""
        before = [(arguments[i], arguments[i].clone()) for i in self._changed if isinstance(arguments[i], Tensor)]
        try:
            self._launch(*arguments, **options)
        except BaseException:
            for tensor, value in before:
                tensor.copy_(value)
            raise
        self.run = self._launch

    def _launch(self, *arguments: Any, **_stream: Any) -> None:
        # Triton launches on the current stream, which is the one that Inductor names.
        self._work(*(arguments[i] for i in self._order))


def _loaded(entry: Entry) -> Callable[..., None]:
    """The function that an entry's host code defines."""
    text, filename = entry.replacement, f"<replacement {entry.digest[:12]}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)  # Triton reads it there
    space: dict[str, Any] = {"__name__": filename, **GIVEN_NAMES}
    exec(compile(text, filename, "exec"), space)
    work: Callable[..., None] = space[ENTRY]
    return work
