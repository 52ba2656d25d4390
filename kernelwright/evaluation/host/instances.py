"""What callers do with a module besides calling it: they build several, copy them, and ask for what they hold."""

import contextlib
import copy
import pickle
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from kernelwright.backend.reference.program import held_tensors
from kernelwright.evaluation.host.session import DEVICE_NUMBERS, Session
from kernelwright.evaluation.host.withheld import DeviceTensor, giving_the_first, public
from kernelwright.evaluation.protocol.chance import chance

#: Modules that take longer to build, or hold more, are built twice and not copied.
_SECONDS, _BYTES = 0.1, 4 << 20
_spent = time.process_time
#: Layers of a deep model, and the most bytes that each may hold.
_LAYERS, _LAYER_BYTES = 16, 64 << 10
#: Numbers of instances that stand for the one that is in evaluation mode for good.
_EVALUATED = (1, 4, 7, 10)
#: Methods that give tensors by name, or without one.
_GIVING = ("parameters", "buffers", "named_parameters", "named_buffers")


class ModuleError(TypeError):
    """A module does not do what callers of `torch.nn.Module` rely on."""


class Instances:
    """The modules of a program.

    `model`: the one that is judged. `others` hold the tensors that it holds, and one more is in evaluation mode for
    good. Layers of a deep model have weights of their own.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self.model: nn.Module | None = None
        self.others: list[Any] = []
        self._first: Any = None
        self._evaluated: Any = None
        self._layers: list[nn.Module] = []

    def begin(self, make: Callable[[], Any]) -> None:
        """Build what users have before the module that is judged. Raises ModuleError as `_earlier` does."""
        self._first, *self.others = _earlier(make)

    def share(self, makers: Sequence[Callable[[], nn.Module]]) -> None:
        """Build the others, and let them hold the tensors of the judged one; those that cannot are left out."""
        assert self.model is not None
        if self.others:  # it is built quickly
            self.others += _more(makers[0])
            self._layers = _layers(makers[0])
            with contextlib.suppress(Exception):  # a program may refuse to be built in this way
                self.others += [make() for make in makers[1:]]
            with contextlib.suppress(Exception):
                self._evaluated = makers[0]()
        known = dict(held_tensors(self.model))
        for other in filter(None, (*self.others, self._evaluated)):
            for path, tensor in _plain_tensors(other):
                mine = known.get(path)
                if isinstance(mine, DeviceTensor) and mine.shape == tensor.shape:
                    put_in_place(other, path, tensor, DeviceTensor(mine.store, mine))
        for layer in self._layers:
            for path, tensor in _plain_tensors(layer):
                on_device = public(self._session, tensor.detach().clone())
                on_device.store.withhold()  # as those of the judged one are
                put_in_place(layer, path, tensor, on_device)

    def write(self, stores: Collection[int] | None = None) -> None:
        """Count a write to each weight, or to those in these stores: the device has the content already."""
        with giving_the_first():
            for one in filter(None, (self.model, *self.others, self._evaluated)):
                for _, tensor in held_tensors(one):
                    number = tensor.store.number if isinstance(tensor, DeviceTensor) else DEVICE_NUMBERS
                    if number < DEVICE_NUMBERS and (stores is None or number in stores):  # no kept input
                        tensor.copy_(tensor)

    def assign(self, stores: Collection[int]) -> None:
        """Let other tensors elsewhere hold what these stores have, as loading a state with assign=True does. Their
        versions are as before, or begin again."""
        made: dict[int, Tensor] = {}
        again = chance.random() < 0.25
        for module in [one for model in filter(None, (self.model, *self.others)) for one in model.modules()]:
            for held in (module._parameters, module._buffers):
                for name, tensor in held.items():
                    if isinstance(tensor, DeviceTensor) and tensor.store.number in stores:
                        known = made.get(id(tensor))
                        made[id(tensor)] = known if known is not None else _assigned(tensor, again)
                        held[name] = made[id(tensor)]
        for store in {one.store for one in made.values() if isinstance(one, DeviceTensor)}:
            store.move()

    def evaluate(self) -> None:
        """Once, bring one instance into evaluation mode."""
        if self._evaluated is not None and self._evaluated.training:
            with contextlib.suppress(Exception):  # as above
                self._evaluated.eval()

    def called(self, number: int, evaluating: bool) -> Any:
        """The instance of a number, 0 for the judged one."""
        if evaluating and number in _EVALUATED and self._evaluated is not None:
            return self._evaluated
        return self.others[number % len(self.others)] if number and self.others else self.model

    def layers(self) -> list[nn.Module]:
        """Once, other layers of a deep model, whose weights were written to as often as those of the judged one."""
        layers, self._layers = self._layers, []
        versions = {path: one._version for path, one in held_tensors(self.model)} if self.model and layers else {}
        with giving_the_first():
            for layer in layers:
                for path, tensor in held_tensors(layer):
                    for _ in range(versions.get(path, 0) - tensor._version):
                        tensor.copy_(tensor)
        return layers


def _assigned(tensor: DeviceTensor, again: bool) -> Tensor:
    """Another tensor of the same store, whose version is that of this one, or that of a new one."""
    made = DeviceTensor(tensor.store, tensor)
    other = nn.Parameter(made, tensor.requires_grad) if isinstance(tensor, nn.Parameter) else made
    with giving_the_first():
        for _ in range(0 if again else tensor._version - other._version):
            other.copy_(other)
    return other


def _plain_tensors(module: nn.Module) -> list[tuple[str, Tensor]]:
    """What a module holds that is not on the device."""
    return [(path, one) for path, one in held_tensors(module) if not isinstance(one, DeviceTensor)]


def put_in_place(model: nn.Module, path: str, tensor: Tensor, replacement: Tensor) -> None:
    """Let the very object that a model holds become a tensor of the device, so that other names for it do too."""
    wrapped = nn.Parameter(replacement, requires_grad=False) if isinstance(tensor, nn.Parameter) else replacement
    try:
        torch.utils.swap_tensors(tensor, wrapped)  # type: ignore[no-untyped-call]
    except RuntimeError:  # something else refers to it weakly
        owner, _, name = path.rpartition(".")
        setattr(model.get_submodule(owner), name, wrapped)


def _earlier(make: Callable[[], Any]) -> list[Any]:
    """An instance built before the one that is judged; if it is small also copies of it, as processes get them.

    Raises ModuleError if a copy holds other weights.
    """
    began = _spent()
    first = make()
    small = isinstance(first, nn.Module) and sum(one.nbytes for _, one in held_tensors(first)) <= _BYTES
    return [first, *_copies(first)] if small and _spent() - began <= _SECONDS else [first]


def _more(make: Callable[[], nn.Module]) -> list[nn.Module]:
    """The third instance, the fourth, and the last of a few more."""
    began, made = _spent(), [make()]
    for _ in range(chance.randrange(1, 12)):
        if _spent() - began > _SECONDS / 4:
            break
        made = [*made[:2], make()]
    return made


def _layers(make: Callable[[], nn.Module]) -> list[nn.Module]:
    """So many instances as a deep model has, each with weights of its own; none if that takes long, or much memory."""
    began, made = _spent(), list[nn.Module]()
    while len(made) < _LAYERS and _spent() - began < _SECONDS / 4:
        made.append(make())
        if sum(one.nbytes for _, one in held_tensors(made[0])) > _LAYER_BYTES:
            return []
    return made


def _copies(first: nn.Module) -> Iterator[nn.Module]:
    with torch.no_grad():
        for tensor in nn.Module.parameters(first):
            if tensor.is_floating_point() and tensor.device.type == "cpu":
                tensor.add_(torch.rand_like(tensor))  # what no constructor gives
    made: Any = first
    for make, of in ((copy.deepcopy, first), (_pickled, first), (_pickled, None)):
        try:
            made = make(made if of is None else of)  # the last is a copy of a copy
        except Exception:  # noqa: BLE001 - a module may refuse to be copied
            continue
        known = dict(held_tensors(made)) if isinstance(made, nn.Module) else {}
        for path, tensor in nn.Module.named_parameters(first):
            if path not in known or not torch.equal(tensor, known[path]):
                raise ModuleError(f"a copy of ModelNew has lost its weight {path}; let torch.nn.Module copy it")
        yield made


def _pickled(one: Any) -> Any:
    return pickle.loads(pickle.dumps(one))


def check(model: nn.Module) -> None:
    """Raise ModuleError if a module's own methods do not give what it holds."""
    for name in _GIVING:
        given, base = getattr(model, name)(), getattr(nn.Module, name)(model)
        if [_identity(one) for one in given] != [_identity(one) for one in base]:
            raise ModuleError(f"ModelNew.{name}() does not give the tensors that the module holds; do not override it")
    saved = model.state_dict()
    for name, tensor in nn.Module.state_dict(model).items():
        if not isinstance(saved.get(name), torch.Tensor) or saved[name].data_ptr() != tensor.data_ptr():
            raise ModuleError(f"ModelNew.state_dict() does not give {name} as the module holds it; do not override it")


def _identity(one: Any) -> Any:
    return (one[0], id(one[1])) if isinstance(one, tuple) else id(one)


def hooked(model: nn.Module, call: Callable[[], Any]) -> Any:
    """What a call gives while hooks are registered. Raises ModuleError if they do not run."""
    ran: list[str] = []
    before = model.register_forward_pre_hook(lambda *_given: ran.append("forward_pre_hook"))
    after = model.register_forward_hook(lambda *_given: ran.append("forward_hook"))
    try:
        result = call()
    finally:
        before.remove()
        after.remove()
    for name in ("forward_pre_hook", "forward_hook"):
        if name not in ran:
            raise ModuleError(f"a {name} that is registered with ModelNew does not run; do not override __call__")
    return result
