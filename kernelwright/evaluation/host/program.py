"""The host process: loads a candidate's text, builds what it defines, and answers the device's calls."""

import ast
import contextlib
import functools
import inspect
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
from kernelwright.backend.reference.program import held_tensors, init_call, tensor_at
from kernelwright.backend.tensors import TORCH_DTYPES, laid_out, register_source
from kernelwright.evaluation.host import cuda, library, looks, triton_names
from kernelwright.evaluation.host.callers import interleaved
from kernelwright.evaluation.host.effects import Building, Shared, leaving_all
from kernelwright.evaluation.host.instances import Instances, check, hooked, put_in_place
from kernelwright.evaluation.host.kernels import HostKernels
from kernelwright.evaluation.host.modes import NAMED, World, called, evaluating, world_in_the_dialect
from kernelwright.evaluation.host.rehearsals import Made, Rehearsals, Wanted, backwards, given_names
from kernelwright.evaluation.host.session import Session
from kernelwright.evaluation.host.withheld import (
    DeviceTensor,
    Store,
    public,
    reference_to,
)
from kernelwright.evaluation.protocol.chance import chance
from kernelwright.evaluation.protocol.link import Json, Link, LinkError, TensorRef, results_kept
from kernelwright.ir.host.nesting import arguments_of

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
        externs = None if message["externs"] is None else frozenset(message["externs"])
        session = Session(link, externs, prepares=not message["bare"])
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
        self.takes: dict[str, Any] = ast.literal_eval(job["takes"])
        self.kernels = HostKernels(session)
        self.stores: dict[int, Store] = {}
        self.given: dict[TensorRef, DeviceTensor] = {}
        self.instances = Instances(session)
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
            self.instances.begin(functools.partial(building.made, make))
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
                put_in_place(model, path, tensor, on_device)
            shown = tensor_at(model, path)
            assert isinstance(shown, DeviceTensor)
            shown.store.publish()
            self.stores[shown.store.number] = shown.store
            held.append({"path": path, "tensor": reference_to(shown).encode()})
        self.instances.model = model
        if not self.job["bare"]:
            check(model)
            self.instances.share([functools.partial(one, *arguments, **keywords) for one in (made, lean) if one])
            self.shared.settle()
        return lambda values, _state, world: _passing(model, self._named(values), world.by_name), held

    def _named(self, values: Sequence[Any]) -> dict[str, Any]:
        """Inputs as the reference's forward takes them, by the names that it gives them."""
        return dict(zip(self.takes or self.job["inputs"], arguments_of(self.takes, values), strict=True))

    def _given(self, request: Json) -> dict[str, Any]:
        return self._named([self._value(value) for value in request["inputs"]])

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
            self.instances.write(None if request["bump"] is True else request["bump"])
        self.instances.assign(request.get("assigned", ()))
        passing, beside = request.get("passing", False), request.get("beside")
        if request["may_evaluate"]:
            self.instances.evaluate()
        state = {name: self._value(value) for name, value in request["state"].items()}

        def run(world: World, inputs: Sequence[Json] = request["inputs"]) -> Any:
            values = [self._value(value, new=world.inputs == "new") for value in inputs]
            model = self.instances.called(world.instance, world.evaluating)
            with evaluating(None if request["training"] else model):

                def work(given: list[Any]) -> Any:
                    made = functools.partial(self._called, call, world, model, given, state)
                    quickly = self.job["bare"] or self.session.drops_launches
                    self.session.anew()
                    try:
                        return made() if quickly else leaving_all(made, model, given)
                    finally:
                        self.session.anew()  # what callers do to weights afterwards follows from nothing it was told

                return called(world, work, values, self._around, model)

        if self.job["bare"]:
            made = Made.of(run(world_in_the_dialect(request["mode"], self.job["text"], request["may_evaluate"])))
        else:
            modes = request["may_evaluate"], request["may_autocast"]
            asked = Wanted(request["rehearsals"], request["last"], *modes, backwards(request))
            names = given_names(request, self.stores)
            alone = passing or beside
            layers = self.instances.layers() if request["number"] >= _LAYERS_FROM and not alone else []
            calls = [functools.partial(_passing, one, self._given(request), 0) for one in layers]
            at_once = functools.partial(self._beside, run, beside, request["inputs"]) if beside else run
            made = self.calls.call(at_once, NAMED[request["mode"]], names, asked, calls)
        if not self.job["bare"]:
            self.shared.check()
        answer = self.session.ask({"do": "returned", "kind": made.kind, "outputs": made.described})
        if passing:
            return answer
        kept = [made, *self.kept]  # callers keep results while they make other calls
        results = {ref[0] for one in kept for ref in one.described}  # those too that they let go of now
        self.kept = kept[: results_kept([sum(TensorRef.decode(ref).numel for ref in one.described) for one in kept])]
        self.session.returned(frozenset(results | self.bound))
        return answer

    def _beside(self, run: Callable[..., Any], beside: Json, inputs: Sequence[Json], world: World) -> Any:
        """What a call gives that runs together with one on other inputs, by another instance. That one was called
        without effect: only if launches lasted there, it has what it keeps. It holds the tensors of the judged one,
        buffers that are not saved included, which may be scratch memory."""
        model = self.instances.model
        own = {path for path, _ in held_tensors(model)} - set(model.state_dict()) if model is not None else set()
        if own or not self.session.keeps:
            return run(world, inputs)
        apart = World(instance=1)
        outer, inner = (beside["inputs"], inputs) if beside["inner"] else (inputs, beside["inputs"])
        first, second = (apart, world) if beside["inner"] else (world, apart)

        def within() -> Any:
            with self._around():
                return run(second, inner)

        at_launch = functools.partial(self.session.at_launch, beside["launch"])
        return interleaved(at_launch, lambda: run(first, outer), within)[beside["inner"]]

    def _called(
        self,
        call: Callable[..., Any],
        world: World,
        model: nn.Module | None,
        given: list[Any],
        state: Mapping[str, Any],
    ) -> Any:
        if model is None or (model is self.instances.model and not world.hooks):
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
    taken = inspect.signature(getattr(function, "forward", function)).parameters if by_name else {}
    if not set(given) <= taken.keys() and not any(one.kind is one.VAR_KEYWORD for one in taken.values()):
        return function(*given.values())
    first = max(0, len(given) - by_name)
    items = list(given.items())
    return function(*(value for _, value in items[:first]), **dict(items[first:]))
