"""`torch.cuda` as host code finds it: one device that is always there, and no way to run anything on the side."""

import contextlib
from collections.abc import Iterator
from typing import Any, NoReturn

import torch

from kernelwright.evaluate.host.session import Session


class _Properties:
    """What `get_device_properties` gives: an H100's published figures."""

    name = "NVIDIA H100 80GB HBM3"
    major, minor = 9, 0
    total_memory = 80 << 30
    multi_processor_count = 132
    max_threads_per_multi_processor = 2048
    max_threads_per_block = 1024
    regs_per_multiprocessor = 65536
    shared_memory_per_block = 49152
    shared_memory_per_block_optin = 232448
    shared_memory_per_multiprocessor = 233472
    warp_size = 32
    L2_cache_size = 50 << 20


class _Stream:
    """The only stream there is."""

    cuda_stream = 0

    def synchronize(self) -> None: ...

    def wait_stream(self, _other: Any) -> None: ...


@contextlib.contextmanager
def _same_device(*_args: Any, **_kwargs: Any) -> Iterator[None]:
    yield


def install(session: Session) -> None:
    """Replace what host code may ask of `torch.cuda`; streams and graphs of its own are refused."""

    def refused(what: str) -> Any:
        def use(*_args: Any, **_kwargs: Any) -> NoReturn:
            session.refuse(what)

        return use

    stream = _Stream()
    answers: dict[str, Any] = {
        "is_available": lambda: True,
        "is_initialized": lambda: True,
        "init": lambda: None,
        "device_count": lambda: 1,
        "current_device": lambda: 0,
        "set_device": lambda _device: None,
        "synchronize": lambda *_device: None,
        "empty_cache": lambda: None,
        "get_device_properties": lambda *_device: _Properties(),
        "get_device_capability": lambda *_device: (9, 0),
        "get_device_name": lambda *_device: _Properties.name,
        "current_stream": lambda *_device: stream,
        "default_stream": lambda *_device: stream,
        "device": _same_device,
        "Stream": refused("a stream of its own"),
        "ExternalStream": refused("a stream of its own"),
        "stream": refused("a stream of its own"),
        "CUDAGraph": refused("a CUDA graph"),
        "graph": refused("a CUDA graph"),
        "make_graphed_callables": refused("a CUDA graph"),
    }
    for name, answer in answers.items():
        setattr(torch.cuda, name, answer)
