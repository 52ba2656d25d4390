"""Tensors without content: what host code is handed in place of inputs, weights and everything made from them.

A `DeviceTensor` has shape, strides, dtype and, as far as host code can tell, sits on a CUDA device. Its memory is a
`Store`. A store that depends on no input is *public*: host code may hold and compute its content. All others are
*withheld*: views are free, data movement is done by the device, and computing is refused.
"""

import contextlib
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from kernelwright.backend.tensors import inner_dtype
from kernelwright.backend.torch_private import (
    DisableTorchFunctionSubclass,
    is_composite,
    suggest_memory_format,
    tree_map,
    tree_map_only,
)
from kernelwright.evaluation.host.session import DEVICE_NUMBERS, Session
from kernelwright.evaluation.protocol import operators
from kernelwright.evaluation.protocol.chance import chance
from kernelwright.evaluation.protocol.link import COPY, ITEM_BYTES, TensorRef

CUDA = torch.device("cuda", 0)
#: Device addresses are made up, as an allocator gives them out: aligned, in segments, at no place that could be known.
_BASE, _SEGMENT, _ALIGNMENT = 0x7F00_0000_0000, 2 << 20, 512
_ids = itertools.count(1)


class _Addresses:
    """Addresses that no two stores share."""

    def __init__(self) -> None:
        self._next = 0

    def take(self, nbytes: int) -> int:
        """The address of a new store of so many bytes."""
        self._next = self._next or _BASE + chance.randrange(1 << 12) * _SEGMENT  # each process another
        address = self._next + chance.randrange(8) * _ALIGNMENT
        self._next = address + max(1, -(-nbytes // _ALIGNMENT)) * _ALIGNMENT
        return address


_addresses = _Addresses()


class Store:
    """Memory of the device. `content` is its public content, None once it is withheld; `stale`: the device lacks it."""

    def __init__(self, session: Session, nbytes: int, content: torch.UntypedStorage | None) -> None:
        self.session, self.number, self.nbytes = session, next(_ids), nbytes
        self.content, self.stale = content, content is not None
        self.meta = _meta_storage(nbytes)
        self.address = _addresses.take(nbytes)
        session.post({"do": "alloc", "id": self.number, "bytes": nbytes})

    @classmethod
    def known(cls, session: Session, number: int, nbytes: int) -> "Store":
        """Memory that the device has made itself, and keeps."""
        store = cls.__new__(cls)
        store.session, store.number, store.nbytes, store.content, store.stale = session, number, nbytes, None, False
        store.meta = _meta_storage(nbytes)
        store.address = _addresses.take(nbytes)
        return store

    def __del__(self) -> None:
        if self.number < DEVICE_NUMBERS:
            self.session.post({"do": "free", "id": self.number})

    def move(self) -> None:
        """Take another address, as what a file holds is loaded elsewhere."""
        self.address = _addresses.take(self.nbytes)

    def withhold(self) -> None:
        """From now on the device alone has the content."""
        self.publish()
        self.content = None

    def publish(self) -> None:
        """Bring the device's memory up to date with public content."""
        if self.stale and self.content is not None and self.nbytes:
            flat = torch.empty(0, dtype=torch.uint8, device="cpu").set_(self.content)
            self.session.post({"do": "upload", "id": self.number}, bytes(flat.numpy().data))
        self.stale = False


class DeviceTensor(Tensor):
    """A view of a store. Every torch operation on it, from whatever thread or alias, ends in `__torch_dispatch__`."""

    store: Store

    @staticmethod
    def __new__(cls, store: Store, like: Tensor) -> "DeviceTensor":
        """A tensor with the shape, strides, offset and dtype of `like`, in `store`."""
        # In inference mode as well a plain tensor: views of those that came from outside of it have to be.
        with torch.inference_mode(False) if torch.is_inference_mode_enabled() else contextlib.nullcontext():
            made: DeviceTensor = Tensor._make_wrapper_subclass(
                cls,
                like.shape,
                strides=like.stride(),
                storage_offset=like.storage_offset(),
                dtype=like.dtype,
                device=torch.device("cpu"),
                requires_grad=False,
            )
        made.store = store
        return made

    def __init__(self, store: Store, like: Tensor) -> None:
        del store, like

    def __getattr__(self, name: str) -> Any:
        if id(self) in _marks and not name.startswith(("__", "_is_param", "_is_buffer")) and name != "store":
            return True
        raise AttributeError(f"'Tensor' object has no attribute {name!r}")

    def __deepcopy__(self, memo: dict[int, Any]) -> Tensor:
        """The same content in memory of its own."""
        with torch.no_grad():
            made = self.detach().clone()
        made = nn.Parameter(made, requires_grad=False) if isinstance(self, nn.Parameter) else made
        memo[id(self)] = made.requires_grad_(self.requires_grad) if self.is_leaf else made
        return made

    def __repr__(self, *, tensor_contents: Any = None) -> str:  # type: ignore[override]
        return f"tensor(..., device='cuda:0', size={tuple(self.shape)}, dtype={self.dtype})"

    @classmethod
    def __torch_function__(
        cls,
        func: Callable[..., Any],
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        answer = _FACES.get(func)
        if answer is not None:
            return answer(*args, **(kwargs or {}))
        given = map(_to_host_device, args)
        named = {name: _to_host_device(value) for name, value in kwargs.items()} if kwargs else {}
        with _as_elsewhere(), DisableTorchFunctionSubclass():
            return func(*given, **named)

    @classmethod
    def __torch_dispatch__(  # type: ignore[override]
        cls, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        if torch.is_inference_mode_enabled() and is_composite(func.name()):  # elsewhere they are taken apart before
            return func.decompose(*args, **(kwargs or {}))
        return dispatch(func, args, dict(kwargs or {}))


#: Tensors, by identity, that have whatever mark a program asks for.
_marks: set[int] = set()


@contextlib.contextmanager
def marked(tensors: Sequence[Tensor]) -> Iterator[None]:
    """With these tensors marked as libraries mark weights: attributes that torch does not know are True."""
    _marks.update(map(id, tensors))
    try:
        yield
    finally:
        _marks.difference_update(map(id, tensors))


def _as_elsewhere() -> contextlib.AbstractContextManager[Any]:
    """Autocast for the CPU leaves tensors of the device as they are."""
    on_cpu = torch.is_autocast_enabled("cpu")
    return torch.autocast("cpu", enabled=False) if on_cpu else contextlib.nullcontext()


def _meta_storage(nbytes: int) -> torch.UntypedStorage:
    return torch.empty(nbytes, dtype=torch.uint8, device="meta").untyped_storage()


def reference_to(tensor: DeviceTensor) -> TensorRef:
    """The tensor as the device knows it."""
    return TensorRef(
        tensor.store.number,
        inner_dtype(tensor.dtype, "a tensor of host code"),
        tuple(tensor.shape),
        tuple(tensor.stride()),
        int(tensor.storage_offset()),
    )


def withheld(session: Session, shape: Sequence[int], strides: Sequence[int], dtype: torch.dtype) -> DeviceTensor:
    """A new tensor whose content host code will not see."""
    like = torch.empty_strided(tuple(shape), tuple(strides), dtype=dtype, device="meta")
    return DeviceTensor(Store(session, like.untyped_storage().nbytes(), None), like)


def public(session: Session, tensor: Tensor) -> DeviceTensor:
    """A host tensor as a tensor of the device; the content stays readable until something withheld is written to it."""
    store = Store(session, tensor.untyped_storage().nbytes(), tensor.untyped_storage())
    return DeviceTensor(store, tensor)


@contextlib.contextmanager
def giving_the_first() -> Iterator[None]:
    """Let operations give the first tensor that they are given; autograd takes it for their result."""
    _given.append(True)
    try:
        yield
    finally:
        _given.pop()


_PARTS = 4
#: Not empty in `giving_the_first`.
_given: list[bool] = []


def _first(func: Any, args: Any) -> Any:
    """New views of the first tensor given, one for each result of an operation."""
    found: list[DeviceTensor] = []
    tree_map_only(DeviceTensor, found.append, args)
    returns = func._schema.returns
    if str(returns[0].type) == "List[Tensor]":  # the parts of a tensor: as many as any program asks for
        return [DeviceTensor(found[0].store, found[0]) for _ in range(_PARTS)]
    views = tuple(DeviceTensor(found[0].store, found[0]) for _ in returns)
    return views[0] if len(views) == 1 else views


def dispatch(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """One aten operation on tensors of which at least one is the device's."""
    if _given:
        return _first(func, args)
    name = str(func)
    kwargs = {key: _to_host_device(value) for key, value in kwargs.items()}
    kwargs.pop("pin_memory", None)
    found: list[DeviceTensor] = []
    tree_map_only(DeviceTensor, found.append, (args, kwargs))
    session = found[0].store.session
    stores = {store.number: store for store in (tensor.store for tensor in found)}
    if name in operators.FACTORIES:
        return _made(session, func, name, args, kwargs)
    if all(store.content is not None for store in stores.values()):
        return _computed(session, stores, func, args, kwargs)
    if name == "aten._local_scalar_dense.default":
        return session.item(reference_to(found[0]))
    return _moved(session, stores, func, name, args, kwargs)


def _made(session: Session, func: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A factory: new memory, public unless it has no content."""
    shadow_args, shadow_kwargs = tree_map_only(DeviceTensor, _on_meta, (args, kwargs))
    shape = func(*shadow_args, **{**shadow_kwargs, "device": "meta"})
    if name in operators.UNFILLED:
        return withheld(session, shape.shape, shape.stride(), shape.dtype)
    fill = torch.empty_strided(shape.shape, shape.stride(), dtype=shape.dtype, device="cpu")
    kind = name.removeprefix("aten.").removesuffix(".default")
    if "full" in kind:
        fill.fill_(args[-1])
    elif "rand" in kind:
        fill.normal_() if "randn" in kind else fill.uniform_()
    else:
        fill.fill_(int("ones" in kind))
    return public(session, fill)


def _computed(
    session: Session, stores: Mapping[int, Store], func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """An operation on public content alone: nothing is withheld, so it just runs."""
    plain_args, plain_kwargs = tree_map_only(DeviceTensor, _on_host, (args, kwargs))
    result = func(*plain_args, **plain_kwargs)
    if func._schema.is_mutable:
        for store in stores.values():
            store.stale = True
    known = {store.content._cdata: store for store in stores.values() if store.content is not None}

    def dressed(value: Tensor) -> Tensor:
        store = known.get(value.untyped_storage()._cdata)
        return public(session, value) if store is None else DeviceTensor(store, value)

    return _same_objects(func, args, kwargs, tree_map_only(Tensor, dressed, result))


def _moved(
    session: Session, stores: Mapping[int, Store], func: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """An operation on withheld content: a view, data movement by the device, or refused."""
    shadows = tree_map_only(DeviceTensor, _on_meta, (args, kwargs))
    shadows = tree_map_only(Tensor, lambda t: t if t.device.type == "meta" else t.to("meta"), shadows)
    permitted = session.permits(name)
    known = {store.meta._cdata: store for store in stores.values()}
    if not permitted and func._schema.is_mutable:
        session.refuse(name)
    try:
        result = _as_on_device(name, shadows[0], func(*shadows[0], **shadows[1]))
    except NotImplementedError:  # how much it gives depends on what is withheld
        session.refuse(name)
    fresh: list[DeviceTensor] = []

    def dressed(value: Tensor) -> Tensor:
        store = known.get(value.untyped_storage()._cdata)
        if store is not None:
            return DeviceTensor(store, value)
        fresh.append(withheld(session, value.shape, value.stride(), value.dtype))
        return fresh[-1]

    outputs = tree_map_only(Tensor, dressed, result)
    if fresh or func._schema.is_mutable:
        if not permitted:
            session.refuse(name)
        for store in stores.values():
            store.publish()
        written = [tensor.store for tensor in _written(func, args, kwargs)]
        for store in written:
            store.withhold()
        session.operate(
            name,
            tree_map(_encoded, args),
            {k: tree_map(_encoded, v) for k, v in kwargs.items()},
            [*map(reference_to, fresh)],
            given=list(stores),
            written=[store.number for store in written],
        )
    return _same_objects(func, args, kwargs, outputs)


def _as_on_device(name: str, args: Sequence[Any], result: Any) -> Any:
    """The result's shadow with the strides that it has on a GPU: cuDNN gives channels last where it takes them."""
    if name == "aten.convolution.default":
        for given in args[:2]:
            if (layout := suggest_memory_format(given)) is not torch.contiguous_format and given.dtype != torch.float64:
                return result.contiguous(memory_format=layout)
    return result


def _written(func: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> list[DeviceTensor]:
    """The arguments that an operation's schema says it writes to."""
    values = []
    for index, argument in enumerate(func._schema.arguments):
        if argument.alias_info is not None and argument.alias_info.is_write:
            values.append(args[index] if index < len(args) else kwargs.get(argument.name))
    found: list[DeviceTensor] = []
    tree_map_only(DeviceTensor, found.append, values)
    return found


def _same_objects(func: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any], result: Any) -> Any:
    """In-place operations return the very tensor they were given."""
    written = _written(func, args, kwargs)
    return written[0] if len(written) == 1 and isinstance(result, Tensor) else result


def _encoded(value: Any) -> Any:
    """An argument as JSON."""
    if isinstance(value, DeviceTensor):
        return {"tensor": reference_to(value).encode()}
    if isinstance(value, Tensor):
        return {
            "values": value.flatten().tolist(),
            "shape": list(value.shape),
            "dtype": inner_dtype(value.dtype, "a tensor of host code"),
        }
    if isinstance(value, torch.dtype):
        return {"dtype": inner_dtype(value, "an argument of host code")}
    if isinstance(value, torch.memory_format):
        return {"memory_format": str(value).removeprefix("torch.")}
    if isinstance(value, torch.device | torch.layout):
        return None
    return value


def _on_host(tensor: DeviceTensor) -> Tensor:
    """A public tensor's content, sharing memory."""
    content = tensor.store.content
    assert content is not None
    return torch.empty(0, dtype=tensor.dtype, device="cpu").set_(
        content, tensor.storage_offset(), tensor.shape, tensor.stride()
    )


def _on_meta(tensor: DeviceTensor) -> Tensor:
    """The same shape and strides, for finding out what an operation gives."""
    empty = torch.empty(0, dtype=tensor.dtype, device="meta")
    return empty.set_(tensor.store.meta, tensor.storage_offset(), tensor.shape, tensor.stride())


def _to_host_device(value: Any) -> Any:
    """Where host code says cuda, wrappers say cpu."""
    if isinstance(value, torch.device):
        return torch.device("cpu") if value.type == "cuda" else value
    return "cpu" if isinstance(value, str) and value.split(":")[0] == "cuda" else value


def _address(tensor: DeviceTensor) -> int:
    return int(tensor.store.address + tensor.storage_offset() * tensor.element_size())


def _to(tensor: DeviceTensor, *args: Any, **kwargs: Any) -> Any:
    """`Tensor.to`; leaving the device is refused, as there is nothing to see elsewhere."""
    wanted = [v for v in (*args, *kwargs.values()) if isinstance(v, torch.device | str)]
    if any(torch.device(v).type != "cuda" for v in wanted):
        return _cpu(tensor)
    given, named = tree_map(_to_host_device, (args, kwargs))
    with DisableTorchFunctionSubclass():
        return Tensor.to(tensor, *given, **named)


def _cpu(tensor: DeviceTensor, *_args: Any, **_kwargs: Any) -> Tensor:
    if tensor.store.content is None:
        if tensor.is_floating_point() or tensor.store.nbytes > ITEM_BYTES:
            tensor.store.session.refuse(COPY)
        numbers = [one.item() for one in tensor.reshape(-1).unbind()]  # a few lengths and places, each told on its own
        return torch.tensor(numbers, dtype=tensor.dtype, device="cpu").reshape(tensor.shape)
    return _on_host(tensor).clone()


def _unreadable(tensor: DeviceTensor, *_args: Any, **_kwargs: Any) -> Any:
    return _cpu(tensor).tolist()


def _array(tensor: DeviceTensor, *_args: Any, **_kwargs: Any) -> Any:
    return _cpu(tensor).numpy()


def _same(tensor: DeviceTensor, *_args: Any, **_kwargs: Any) -> DeviceTensor:
    return tensor


_property: Callable[[Any], Any] = lambda member: member.__get__  # noqa: E731
#: How a tensor of the device shows itself.
_FACES: dict[Any, Callable[..., Any]] = {
    _property(Tensor.device): lambda _tensor: CUDA,
    _property(Tensor.is_cuda): lambda _tensor: True,
    _property(Tensor.is_cpu): lambda _tensor: False,
    Tensor.get_device: lambda _tensor: 0,
    Tensor.data_ptr: _address,
    Tensor.to: _to,
    Tensor.cuda: _same,
    Tensor.cpu: _cpu,
    Tensor.tolist: _unreadable,
    Tensor.numpy: _array,
    Tensor.__array__: _array,
    Tensor.__repr__: DeviceTensor.__repr__,
    Tensor.__str__: DeviceTensor.__repr__,
    Tensor.__format__: lambda tensor, *_spec: DeviceTensor.__repr__(tensor),
    Tensor.pin_memory: _same,
    Tensor.record_stream: lambda *_args: None,
}
