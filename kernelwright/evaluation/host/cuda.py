"""`torch.cuda` as host code finds it: one device that is always there, and no way to run anything on the side."""

import contextlib
from collections.abc import Iterator, Mapping
from typing import Any, NoReturn
from unittest import mock

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

from kernelwright.backend.launch.execute import cuda_elsewhere
from kernelwright.evaluation.host.session import Session
from kernelwright.evaluation.host.withheld import DeviceTensor, public, withheld

_UNFILLED = frozenset(("empty", "empty_strided", "empty_permuted"))
_FACTORIES = frozenset(
    "zeros ones full arange linspace eye tensor as_tensor scalar_tensor rand randn randint randperm tril_indices "
    "triu_indices logspace bartlett_window blackman_window hamming_window hann_window kaiser_window".split()
)


class DeviceMode(TorchFunctionMode):
    """Gives tensors of the device where host code asks for cuda ones."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        named = dict(kwargs or {})
        if any(isinstance(value, DeviceTensor) for value in (*args, *named.values())):
            return func(*args, **named)
        name = getattr(func, "__name__", "")
        if func is Tensor.cuda or (func is Tensor.to and any(map(_is_cuda, (*args[1:], *named.values())))):
            rest = tuple(v for v in args[1:] if not _is_cuda(v) and not isinstance(v, bool))
            kept = {key: v for key, v in named.items() if key in ("dtype", "copy", "memory_format")}
            plain = args[0].to(*rest, **kept) if func is Tensor.to and (rest or kept) else args[0]
            return public(self._session, plain.detach().clone())
        if _is_cuda(named.get("device")) and name in _UNFILLED:
            like = func(*args, **{**named, "device": "meta"})
            return withheld(self._session, like.shape, like.stride(), like.dtype)
        if _is_cuda(named.get("device")) and name in _FACTORIES:
            return public(self._session, func(*args, **{**named, "device": "cpu"}))
        return func(*args, **named)


def _is_cuda(value: Any) -> bool:
    if isinstance(value, torch.device):
        return value.type == "cuda"
    return isinstance(value, str) and value.split(":")[0] == "cuda"


class _Stream:
    """The only stream there is."""

    cuda_stream = 0

    def synchronize(self) -> None: ...

    def wait_stream(self, _other: Any) -> None: ...


#: Devices of one kind that a program may run on; the first is the one that it is loaded on.
_DEVICES = (
    ("NVIDIA H100 80GB HBM3", 132, 80 << 30),
    ("NVIDIA H100 PCIe", 114, 80 << 30),
    ("NVIDIA H20", 78, 96 << 30),
    ("NVIDIA H200", 132, 141 << 30),
    ("NVIDIA H100 80GB HBM3 MIG 1g.10gb", 16, 10 << 30),
    ("NVIDIA H100 80GB HBM3 MIG 3g.40gb", 60, 40 << 30),
    ("NVIDIA H100 80GB HBM3 MIG 1g.20gb", 26, 20 << 30),
)


def appear(number: int) -> None:
    """Be one of the devices that users have, by a call's number."""
    found = torch.cuda.get_device_properties(0)
    name, count, memory = _DEVICES[number % len(_DEVICES)]
    for what, value in (("name", name), ("multi_processor_count", count), ("total_memory", memory)):
        setattr(found, what, value)


@contextlib.contextmanager
def capturing() -> Iterator[None]:
    """As `torch.cuda` says while the caller captures a CUDA graph."""
    with mock.patch.object(torch.cuda, "is_current_stream_capturing", lambda: True):
        yield


@contextlib.contextmanager
def on_a_stream() -> Iterator[None]:
    """As `torch.cuda` says where the caller works on a stream of its own."""
    own = _Stream()
    own.cuda_stream = 0x5581_0C40
    with mock.patch.object(torch.cuda, "current_stream", lambda *_device: own):
        yield


def install(session: Session) -> None:
    """Replace what host code may ask of `torch.cuda`; streams and graphs of its own are refused."""

    def refused(what: str, name: str) -> Any:
        def use(*_args: Any, **_kwargs: Any) -> NoReturn:
            session.refuse(what)

        return (
            type(name, (), {"__new__": use, "__module__": "torch.cuda"})
            if name[0].isupper() or name == "graph"
            else use
        )

    stream = _Stream()
    answers: dict[str, Any] = {
        **vars(cuda_elsewhere()),
        "is_initialized": lambda: True,
        "init": lambda: None,
        "is_current_stream_capturing": lambda: False,
        "current_stream": lambda *_device: stream,
        "default_stream": lambda *_device: stream,
        "Stream": refused("a stream of its own", "Stream"),
        "ExternalStream": refused("a stream of its own", "ExternalStream"),
        "stream": refused("a stream of its own", "stream"),
        "CUDAGraph": refused("a CUDA graph", "CUDAGraph"),
        "graph": refused("a CUDA graph", "graph"),
        "make_graphed_callables": refused("a CUDA graph", "make_graphed_callables"),
    }
    for name, answer in answers.items():
        setattr(torch.cuda, name, answer)
    # Seeds go to the CPU's generator alone; a build for CUDA would look for devices with the driver's library.
    vars(torch.cuda.random).update(device_count=lambda: 0)
