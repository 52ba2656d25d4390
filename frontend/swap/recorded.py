"""What a kernel that Inductor generates computes: an aten graph between the buffers that it reads and writes.

A kernel's reference is the part of the graph between its buffers, which lie in memory as Inductor laid them out: the
node's own fake tensor may lie otherwise, and a buffer may be a slice of a larger one. A kernel without such a part is
recorded with the reason. Kernels that meet in a buffer that holds no operation's result are one problem together.
"""

import ast
import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from torch.fx import GraphModule, Node

from kernelwright.frontend.swap.hooks import Generated
from kernelwright.frontend.swap.key import KernelText, NotReplaceableError, accesses, read
from kernelwright.frontend.swap.meaning import Layout, Meaning, layout_of, meaning_of, real_name, versions
from kernelwright.frontend.swap.part import ApartError, between
from kernelwright.frontend.swap.sizes import Sizes, around, at_sizes, guards_now, number, numels, sizes_now

#: The reason of a kernel whose buffer holds no operation's result.
PART = "a buffer holds no operation's result"
#: How text of kernels that draw random numbers reads.
_RANDOM = ("tl.rand", "triton_helpers.rand", "load_seed", "tl.philox")


@dataclass(frozen=True)
class Argument:
    """A pointer parameter. `read` and `written` are the buffers whose values its memory holds before and after, or the
    versions of one that is changed; "" if the kernel does not read or not write it. `layouts` says how they lie."""

    parameter: str
    read: str
    written: str
    layouts: Mapping[str, Layout]

    @property
    def versions(self) -> tuple[str, ...]:
        """Both, as far as there are any."""
        return tuple(name for name in (self.read, self.written) if name)


@dataclass(frozen=True)
class Recorded:
    """A generated kernel, or several that are one problem together, whose keys are in `parts`.

    `graph` takes what `inputs` name and returns what `outputs` name, which are versions of buffers. Without such a
    graph it is None, and `why_not` says why. `values` says what `inputs` hold of the whole graph, and `layouts` how
    inputs and outputs lie in memory.
    """

    key: str
    name: str
    source: str
    arguments: tuple[Argument, ...] = ()
    graph: GraphModule | None = None
    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    layouts: Mapping[str, Layout] = field(default_factory=dict)
    values: tuple[Meaning, ...] = ()
    why_not: str = ""
    parts: tuple[str, ...] = ()
    #: Of parameters whose sizes may change from call to call: their numbers in the first call, which all here is for.
    numbers: Mapping[str, int] = field(default_factory=dict)
    #: Gives the same kernel at other sizes around these, as far as it could be recorded for them.
    elsewhere: Callable[[], Sequence["Recorded"]] = field(default=tuple, repr=False, compare=False)

    @property
    def sized_key(self) -> str:
        """The key, with the sizes of the first call where those may change."""
        return read(self.source).sized_key if self.numbers else self.key


@dataclass(frozen=True)
class _Changing:
    """A kernel's sizes that may change: layouts of its arguments and its run-time parameters as expressions, the sizes
    of the first call, and the guards of its graph."""

    arguments: tuple[Argument, ...]
    parameters: Mapping[str, Any]
    now: Sizes
    guards: Sequence[Any]

    def at(self, kernel: Recorded, sizes: Sizes) -> Recorded:
        """The kernel for certain sizes. Raises NotReplaceableError where it depends on other things."""
        arguments = []
        for one in self.arguments:
            layouts = {name: layout.at(sizes) for name, layout in one.layouts.items()}
            known = {name: layout for name, layout in layouts.items() if layout is not None}
            if len(known) < len(layouts):
                raise NotReplaceableError("its sizes depend on values")
            arguments.append(replace(one, layouts=known))
        numbers = {name: number(value, sizes) for name, value in self.parameters.items()}
        found = {name: value for name, value in numbers.items() if value is not None}
        if len(found) < len(numbers):
            raise NotReplaceableError("its sizes depend on values")
        return replace(kernel, arguments=tuple(arguments), numbers=found)

    @property
    def used(self) -> set[Any]:
        """The symbols on which it depends."""
        layouts = [layout for one in self.arguments for layout in one.layouts.values()]
        values = [size for one in layouts for size in (*one.shape, *one.strides)]
        symbols = {one for value in (*values, *self.parameters.values()) for one in getattr(value, "free_symbols", ())}
        return symbols & set(self.now)


class Recorder:
    """Records the kernels of one graph: `see` each of them while it is lowered, then ask for what was `recorded`."""

    def __init__(self) -> None:
        self.kernels: dict[str, Recorded] = {}
        self.meanings: dict[str, Meaning | None] = {}
        self._changing: dict[str, _Changing] = {}
        self._fixed: dict[tuple[Any, ...], Mapping[Node, Node]] = {}

    def see(self, generated: Generated) -> None:
        """Take down a kernel; Inductor's values of its graph are there only now."""
        seen = Recorded("", generated.name, generated.source)
        place, meanings = generated.name, dict[str, Meaning | None]()
        while place in self.kernels:  # one text at several places of a graph
            place += "'"
        try:
            kernel = read(generated.source)
            seen = replace(seen, key=kernel.key)
            changing = _changing(kernel, generated)
            seen = changing.at(seen, changing.now)
            meanings = {name: meaning_of(name) for one in seen.arguments for name in one.versions}
            if seen.numbers:
                self._changing[place] = changing
                seen = replace(seen, elsewhere=partial(self._elsewhere, place))
        except NotReplaceableError as error:
            seen = replace(seen, why_not=str(error))
        except Exception as error:  # noqa: BLE001 - whatever of Inductor's was not foreseen here
            seen = replace(seen, why_not=_unforeseen(error), arguments=())
        self.kernels[place] = seen
        self.meanings |= meanings

    def recorded(self) -> Iterator[Recorded]:
        """Every kernel, and every problem of several."""
        yield from map(self._alone, self.kernels)
        for group in self._groups():
            if (together := self._together(group)) is not None:
                yield together

    def _alone(self, place: str) -> Recorded:
        kernel, changing = self.kernels[place], self._changing.get(place)
        if kernel.why_not:
            return kernel
        if self._unknown(kernel):
            return replace(kernel, why_not=PART)
        return self._with_graph(kernel, changing.now if changing else None)

    def _elsewhere(self, place: str) -> Sequence[Recorded]:
        """A kernel at other sizes; one with sums of stretches, whose number may change, is known at its own alone."""
        kernel, changing = self.kernels[place], self._changing[place]
        if any(self._known(name).stretches > 1 for one in kernel.arguments for name in one.versions):
            return ()
        sizes = list(around(changing.now, changing.used, changing.guards))
        found = [self._with_graph(changing.at(kernel, one), one) for one in sizes]
        return [one for one in found if one.graph is not None]

    def _with_graph(self, kernel: Recorded, sizes: Sizes | None = None) -> Recorded:
        """The kernel with its part of the graph, for certain sizes where they may change, or why there is none."""
        try:
            return self._with_part(kernel, sizes)
        except ApartError as error:
            return replace(kernel, why_not=str(error))
        except Exception as error:  # noqa: BLE001 - whatever of Inductor's was not foreseen here
            return replace(kernel, why_not=_unforeseen(error))

    def _with_part(self, kernel: Recorded, sizes: Sizes | None) -> Recorded:
        inputs = tuple(dict.fromkeys(one.read for one in kernel.arguments if one.read))
        outputs = tuple(dict.fromkeys(one.written for one in kernel.arguments if one.written))
        layouts = {name: layout for one in kernel.arguments for name, layout in one.layouts.items()}
        taken, given = (tuple(self._known(name) for name in names) for names in (inputs, outputs))
        if not taken:
            raise ApartError("it is given nothing: its results are constants")
        if len({one.node for one in taken}) < len(taken):
            raise ApartError("it is given one value in two buffers")
        fixed = [one if sizes is None else self._at(one, sizes) for one in (*taken, *given)]
        graph = between(fixed[: len(taken)], fixed[len(taken) :], [layouts[name] for name in outputs])
        return replace(kernel, graph=graph, inputs=inputs, outputs=outputs, layouts=layouts, values=taken)

    def _at(self, meaning: Meaning, sizes: Sizes) -> Meaning:
        """A meaning in the graph for certain sizes."""
        graph, place = meaning.node.graph, tuple(sizes.items())
        if place not in self._fixed:
            self._fixed[place] = at_sizes(graph, sizes)
        found = meaning.at(self._fixed[place], sizes)
        if found.factor <= 0:
            raise ApartError("a variance of so few elements has no sum under it")
        return found

    def _known(self, name: str) -> Meaning:
        found = self.meanings[name]
        assert found is not None, name
        return found

    def _groups(self) -> Iterator[Sequence[Recorded]]:
        """Kernels that meet in buffers without a meaning."""
        kernels = (one for one in self.kernels.values() if not one.why_not and not one.numbers)
        open_ones = [one for one in kernels if self._unknown(one)]
        while open_ones:
            group, names = [open_ones.pop(0)], set[str]()
            names |= self._unknown(group[0])
            while more := [one for one in open_ones if self._unknown(one) & names]:
                open_ones = [one for one in open_ones if one not in more]
                group += more
                names |= {name for one in more for name in self._unknown(one)}
            yield group

    def _unknown(self, kernel: Recorded) -> set[str]:
        return {name for one in kernel.arguments for name in one.versions if self.meanings[name] is None}

    def _together(self, group: Sequence[Recorded]) -> Recorded | None:
        """One problem of kernels of which one makes what another needs; None where something else makes it."""
        made = {one.written for kernel in group for one in kernel.arguments if one.written}
        arguments = dict[str, Argument]()
        for kernel in group:
            for one in kernel.arguments:
                taken = one.read if one.read and one.read not in made else ""
                given = one.written if one.written and self.meanings[one.written] is not None else ""
                if taken and self.meanings[taken] is None:
                    return None
                if taken or given:
                    arguments.setdefault(taken + given, replace(one, read=taken, written=given))
        if len(group) < 2 or not arguments:
            return None
        keys = tuple(kernel.key for kernel in group)
        key = hashlib.sha256(" ".join(keys).encode()).hexdigest()
        name = " + ".join(kernel.name for kernel in group)
        found = self._with_graph(Recorded(key, name, "", tuple(arguments.values()), parts=keys))
        return found if found.graph is not None else None


def _changing(kernel: KernelText, generated: Generated) -> _Changing:
    """All of a kernel's sizes. NotReplaceableError where a parameter is no size."""
    known = numels(generated.kernel) if kernel.unfixed else {}
    if missing := [name for name in kernel.unfixed if name not in known]:
        raise NotReplaceableError(f"its {missing[0]} may change from call to call")
    parameters = {name: known[name] for name in kernel.unfixed}
    return _Changing(tuple(_arguments(kernel, generated)), parameters, sizes_now(), guards_now())


def _arguments(kernel: KernelText, generated: Generated) -> Iterator[Argument]:
    """The pointers with their buffers; NotReplaceableError for a kernel that takes anything else."""
    text = ast.unparse(kernel.function)
    if any(one in text for one in _RANDOM):
        raise NotReplaceableError("it draws random numbers")
    args = generated.kernel.args
    buffers = {str(parameter): name for name, parameter in (*args.input_buffers.items(), *args.output_buffers.items())}
    shared = {one.inner_name: one.other_names for one in args.inplace_buffers.values() if hasattr(one, "inner_name")}
    read, written = versions(generated.node_schedule)
    loaded, stored = accesses(kernel)
    for parameter in kernel.pointers:
        names = [real_name(name) for name in shared.get(parameter, [buffers.get(parameter, "")])]
        if not names[0]:
            raise NotReplaceableError(f"{parameter} is {_kind(parameter)}")
        before = next((read[name] for name in names if name in read), "") if parameter in loaded else ""
        after = next((written[name] for name in reversed(names) if name in written), "") if parameter in stored else ""
        layouts = {name: layout_of(real_name(name)) for name in (before, after) if name}
        if not layouts:
            raise NotReplaceableError(f"{parameter} is {_kind(parameter)}")
        yield Argument(parameter, before, after, layouts)


def _kind(parameter: str) -> str:
    kinds = {"ws": "a workspace", "sem": "a semaphore", "seed": "a seed"}
    return kinds.get(parameter.partition("_")[0], "neither input nor output")


def _unforeseen(error: Exception) -> str:
    """The reason of a kernel at which recording stops short: it must never break a compile."""
    return ": ".join(["it could not be recorded", type(error).__name__, *str(error).strip().splitlines()[:1]])
