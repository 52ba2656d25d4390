"""The host process: loads a candidate's text, builds what it defines, and answers the device's calls."""

import contextlib
import functools
import inspect
import itertools
import socket
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import torch
import torch.distributed.tensor  # tensor subclasses make torch import it: once here, not in every child
from torch import Tensor, nn

from kernelwright.backend.launch.execute import GIVEN_NAMES
from kernelwright.backend.reference.holdings import holdings
from kernelwright.backend.reference.program import held_tensors, init_call
from kernelwright.backend.tensors import TORCH_DTYPES, laid_out, register_source
from kernelwright.evaluation.host import cuda, library, looks, triton_names
from kernelwright.evaluation.host.effects import Building, Shared, leaving_all
from kernelwright.evaluation.host.instances import EVALUATED, check, earlier, hooked, layers, more
from kernelwright.evaluation.host.kernels import HostKernels
from kernelwright.evaluation.host.modes import NAMED, World, called, evaluating, world_in_the_dialect
from kernelwright.evaluation.host.rehearsals import Made, Rehearsals, Wanted, given_names
from kernelwright.evaluation.host.session import Session
from kernelwright.evaluation.host.withheld import (
    DEVICE_NUMBERS,
    DeviceTensor,
    Store,
    giving_the_first,
    public,
    reference_to,
)
from kernelwright.evaluation.protocol.chance import chance
from kernelwright.evaluation.protocol.link import Json, Link, LinkError, TensorRef, results_kept

#: Words of what Python leaves out with its option -OO.
_DEBUGGING = ("assert", "__debug__", "__doc__")
_LINK_BYTES = 1 << 30
#: The first call before which other layers are called.
_LAYERS_FROM = 3


def serve(connection: socket.socket, walls: Sequence[str]) -> None:
    """Everything a host process does, behind the walls named; returns when the device is done with it."""
    link = Link(connection, _LINK_BYTES)
    try:
        link.send({"do": "ready", "walls": list(walls)})
        message, _ = link.receive()
        chance.seed(message.pop("chance"))
        session = Session(link, None if message["externs"] is None else frozenset(message["externs"]))
        try:
            host = _Host(session, message)
            host.run() if message["bare"] else looks.as_from_a_script(host.run)
        finally:
            session.flush()  # a fault of an earlier launch comes before what the program raises
    except LinkError:
        return
    except BaseException as error:  # noqa: BLE001 - the boundary to a program that may raise anything
        try:
            link.send({"do": "raised", "error": _told(error), "memory": _is_memory(error)})
        except LinkError:
            return


def _told(error: BaseException) -> str:
    try:
        return f"{type(error).__name__}: {error}"[:2000]
    except BaseException:  # noqa: BLE001 - a hostile __str__
        return type(error).__name__


def _is_memory(error: BaseException) -> bool:
    return isinstance(error, MemoryError) or "can't allocate memory" in _told(error)


class _Host:
    def __init__(self, session: Session, job: Json) -> None:
        self.session, self.job = session, job
        self.kernels = HostKernels(session)
        self.stores: dict[int, Store] = {}
        self.given: dict[TensorRef, DeviceTensor] = {}
        self.model: nn.Module | None = None
        #: An instance built before the one that is judged, and others that share the tensors of that one.
        self.first: Any = None
        self.others: list[Any] = []
        #: One that is in evaluation mode for good, and those of other layers with weights of their own.
        self.evaluated: Any = None
        self.strangers: list[nn.Module] = []
        self.module: Json = {}
        self.kept: list[Made] = []
        #: Stores of what the reference holds, too.
        self.bound: set[int] = set()
        self.calls = Rehearsals(session)

    def run(self) -> None:
        """Load, build, and answer calls until the device has no more."""
        cuda.install(self.session)
        library.install()
        triton_names.install(self.kernels)
        if not self.job["bare"]:
            looks.hide_limits(lambda: self.session.rehearsing)
            looks.forbid(self.session.leave)
            self.shared = Shared()
        with self._around():
            call, held = self._load()
            answer = self.session.ask({"do": "built", "held": held, "module": self.module})
            while "call" in answer:
                answer = self._answer(call, answer["call"])

    @contextlib.contextmanager
    def _around(self) -> Iterator[None]:
        """What host code runs in, in each thread."""
        with cuda.DeviceMode(self.session), torch.no_grad():
            yield

    def _load(self) -> tuple[Callable[..., Any], list[Json]]:
        text, entry = str(self.job["text"]), str(self.job["entry"])
        name = looks.module_name()
        file = register_source(text, "candidate", None if self.job["bare"] else Path.cwd() / f"{name}.py")
        made = self._executed(text, name, file, entry, 0)
        lean = None
        if not self.job["bare"] and any(word in text for word in _DEBUGGING):
            with contextlib.suppress(Exception):  # such a program may refuse to be loaded so
                lean = self._executed(text, name, file, entry, 2)
        if not inspect.isclass(made):
            return self._function(made, lean), []
        return self._model(made, lean)

    def _executed(self, text: str, name: str, file: str, entry: str, optimize: int) -> Any:
        """What a program defines as its entry, loaded as Python does with so many letters O among its options."""
        module = ModuleType(name)
        module.__file__ = file
        if self.job["bare"]:
            module.__dict__.update(GIVEN_NAMES, triton=self.kernels.namespace)
        if not optimize:
            sys.modules[name] = module
        exec(compile(text, file, "exec", optimize=optimize), module.__dict__)
        made = getattr(module, entry, None)
        if made is None:
            raise NameError(f"the program defines no {entry}, which it needs outside the dialect (dialect=off)")
        return made

    def _function(self, made: Callable[..., Any], lean: Callable[..., Any] | None) -> Callable[..., Any]:
        names = list(inspect.signature(made).parameters)

        def call(values: list[Any], state: Mapping[str, Any], world: World) -> Any:
            given = {**dict(zip(self.job["inputs"], values, strict=True)), **state}
            function = lean if lean is not None and world.instance % 2 else made
            return _passing(function, {name: given[name] for name in names}, world.by_name)

        return call

    def _model(
        self, made: Callable[..., Any], lean: Callable[..., Any] | None
    ) -> tuple[Callable[..., Any], list[Json]]:
        arguments, keywords = init_call(self._arguments())
        building = Building()
        if not self.job["bare"]:  # any Python may keep what its first instance holds, and use it in others
            make = functools.partial(made, *arguments, **keywords)
            torch.manual_seed(int(self.job["seed"]) + 1)  # not as the judged one is begun with
            self.first, *self.others = earlier(functools.partial(building.made, make))
            arguments, keywords = init_call(self._arguments())
        torch.manual_seed(int(self.job["seed"]))
        model = building.made(functools.partial(made, *arguments, **keywords))
        if not isinstance(model, nn.Module):
            raise TypeError("ModelNew is no torch.nn.Module")
        self.module = holdings(model) | {"effect": building.effect}
        if self.job["bf16"]:  # as the reference is
            model.to(torch.bfloat16)
        held = []
        for path, tensor in list(held_tensors(model)):
            if isinstance(tensor, DeviceTensor):
                on_device: Tensor = tensor
            else:
                on_device = public(self.session, tensor.detach().clone())
                _put_in_place(model, path, tensor, on_device)
            shown = _tensor_at(model, path)
            assert isinstance(shown, DeviceTensor)
            shown.store.publish()
            self.stores[shown.store.number] = shown.store
            held.append({"path": path, "tensor": reference_to(shown).encode()})
        self.model = model
        if not self.job["bare"]:
            check(model)
            self._share(model, [functools.partial(one, *arguments, **keywords) for one in (made, lean) if one])
            self.shared.settle()
        return lambda values, _state, world: _passing(model, self._named(values), world.by_name), held

    def _named(self, values: Sequence[Any]) -> dict[str, Any]:
        """Inputs by the names that the reference's forward gives them."""
        return dict(zip(self.job["inputs"], values, strict=True))

    def _share(self, model: nn.Module, makers: Sequence[Callable[[], nn.Module]]) -> None:
        """Let the other instances hold the tensors that the judged one holds; those that cannot are left out."""
        if self.others:  # it is built quickly
            self.others += more(makers[0])
            self.strangers = layers(makers[0])
            with contextlib.suppress(Exception):  # as above
                self.others += [make() for make in makers[1:]]
            with contextlib.suppress(Exception):  # a module may refuse to be built once more
                self.evaluated = makers[0]()
        known = dict(held_tensors(model))
        for other in filter(None, (*self.others, self.evaluated)):
            for path, tensor in list(held_tensors(other)):
                mine = known.get(path)
                if (
                    isinstance(mine, DeviceTensor)
                    and not isinstance(tensor, DeviceTensor)
                    and mine.shape == tensor.shape
                ):
                    _put_in_place(other, path, tensor, DeviceTensor(mine.store, mine))

        for stranger in self.strangers:
            for path, tensor in list(held_tensors(stranger)):
                if not isinstance(tensor, DeviceTensor):
                    on_device = public(self.session, tensor.detach().clone())
                    on_device.store.withhold()  # as those of the judged one are
                    _put_in_place(stranger, path, tensor, on_device)

    def _arguments(self) -> Any:
        """What the class is built from: given, or found as the reference finds it."""
        torch.manual_seed(int(self.job["seed"]))
        space: dict[str, Any] = {"__name__": "arguments"}
        exec(str(self.job["init"]), space)
        return space["get_init_inputs"]()

    def _answer(self, call: Callable[..., Any], request: Json) -> Json:
        for number in request["withhold"]:
            if number in self.stores:
                self.stores[number].content, self.stores[number].stale = None, False
                self.bound.add(number)
        if request["tune_again"]:
            self.kernels.tune_again()
            cuda.appear(request["number"])
        if request["bump"]:
            models = [one for one in (self.model, *self.others, self.evaluated) if one is not None]
            with giving_the_first():  # as a write does; the device has the content already
                for _, tensor in itertools.chain.from_iterable(map(held_tensors, models)):
                    if isinstance(tensor, DeviceTensor) and tensor.store.number < DEVICE_NUMBERS:  # no kept input
                        tensor.copy_(tensor)
        if request["may_evaluate"] and self.evaluated is not None and self.evaluated.training:
            with contextlib.suppress(Exception):  # as above
                self.evaluated.eval()
        state = {name: self._value(value) for name, value in request["state"].items()}

        def run(world: World) -> Any:
            values = [self._value(value, new=world.inputs == "new") for value in request["inputs"]]
            model = self._instance(world)
            with evaluating(None if request["training"] else model):

                def work(given: list[Any]) -> Any:
                    made = functools.partial(self._called, call, world, model, given, state)
                    quickly = self.job["bare"] or self.session.drops_launches
                    return made() if quickly else leaving_all(made, model, given)

                return called(world, work, values, self._around, model)

        if self.job["bare"]:
            made = Made.of(run(world_in_the_dialect(request["mode"], self.job["text"], request["may_evaluate"])))
        else:
            asked = Wanted(request["rehearsals"], request["last"], request["may_evaluate"], request["may_autocast"])
            names = given_names(request, self.stores)
            made = self.calls.call(run, NAMED[request["mode"]], names, asked, self._layers(request))
        if not self.job["bare"]:
            self.shared.check()
        answer = self.session.ask({"do": "returned", "kind": made.kind, "outputs": made.described})
        kept = [made, *self.kept]  # callers keep results while they make other calls
        self.kept = kept[: results_kept([sum(TensorRef.decode(ref).numel for ref in one.described) for one in kept])]
        results = {ref[0] for one in self.kept for ref in one.described}
        self.session.returned(frozenset(results | self.bound))
        return answer

    def _layers(self, request: Json) -> Iterator[Callable[[], Any]]:
        """Once, calls of other layers of a deep model, whose weights are others and were written to as often."""
        strangers, self.strangers = (self.strangers, []) if request["number"] >= _LAYERS_FROM else ([], self.strangers)
        versions = {path: one._version for path, one in held_tensors(self.model)} if self.model and strangers else {}
        for stranger in strangers:
            with giving_the_first():
                for path, tensor in held_tensors(stranger):
                    for _ in range(versions.get(path, 0) - tensor._version):
                        tensor.copy_(tensor)
            values = [self._value(value) for value in request["inputs"]]
            yield functools.partial(_passing, stranger, self._named(values), 0)

    def _instance(self, world: World) -> Any:
        """The module that is called in a world."""
        if world.evaluating and world.instance in EVALUATED and self.evaluated is not None:
            return self.evaluated
        return self.others[world.instance % len(self.others)] if world.instance and self.others else self.model

    def _called(
        self,
        call: Callable[..., Any],
        world: World,
        model: nn.Module | None,
        given: list[Any],
        state: Mapping[str, Any],
    ) -> Any:
        if model is None or (model is self.model and not world.hooks):
            return call(given, state, world)

        def work() -> Any:
            return _passing(model, self._named(given), world.by_name)

        return hooked(model, work) if world.hooks else work()

    def _value(self, value: Json, new: bool = False) -> Any:
        if "tensor" not in value:
            return value["value"]
        ref = TensorRef.decode(value["tensor"])
        if new:
            known = self._value(value)
            return DeviceTensor(known.store, known)
        if ref in self.given:  # the caller uses the same tensor again, its content changed
            return self.given[ref]
        like = laid_out(ref.shape, ref.strides, ref.offset, TORCH_DTYPES[ref.dtype], "meta")
        store = self.stores.get(ref.store)
        if store is None:
            store = self.stores[ref.store] = Store.known(self.session, ref.store, like.untyped_storage().nbytes())
        self.given[ref] = DeviceTensor(store, like)
        return self.given[ref]


def _passing(function: Callable[..., Any], given: Mapping[str, Any], by_name: int) -> Any:
    """What a function gives for inputs of which the last so many are passed by name, if it has these names."""
    if not by_name or not set(given) <= set(inspect.signature(getattr(function, "forward", function)).parameters):
        return function(*given.values())
    first = max(0, len(given) - by_name)
    items = list(given.items())
    return function(*(value for _, value in items[:first]), **dict(items[first:]))


def _tensor_at(model: nn.Module, path: str) -> Any:
    value: Any = model
    for part in path.split("."):
        value = getattr(value, part)
    return value


def _put_in_place(model: nn.Module, path: str, tensor: Tensor, replacement: Tensor) -> None:
    """Let the very object that a model holds become a tensor of the device, so that other names for it do too."""
    wrapped = nn.Parameter(replacement, requires_grad=False) if isinstance(tensor, nn.Parameter) else replacement
    try:
        torch.utils.swap_tensors(tensor, wrapped)  # type: ignore[no-untyped-call]
    except RuntimeError:  # something else refers to it weakly
        *parents, name = path.split(".")
        owner = _tensor_at(model, ".".join(parents)) if parents else model
        setattr(owner, name, wrapped)
