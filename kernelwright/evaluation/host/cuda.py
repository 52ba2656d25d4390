"""`torch.cuda` as host code finds it: one device that is always there, and no way to run anything on the side."""

from typing import Any, NoReturn

import torch

from kernelwright.backend.execute import cuda_elsewhere
from kernelwright.evaluation.host.session import Session


class _Stream:
    """The only stream there is."""

    cuda_stream = 0

    def synchronize(self) -> None: ...

    def wait_stream(self, _other: Any) -> None: ...


def install(session: Session) -> None:
    """Replace what host code may ask of `torch.cuda`; streams and graphs of its own are refused."""

    def refused(what: str) -> Any:
        def use(*_args: Any, **_kwargs: Any) -> NoReturn:
            session.refuse(what)

        return use

    stream = _Stream()
    answers: dict[str, Any] = {
        **vars(cuda_elsewhere()),
        "is_initialized": lambda: True,
        "init": lambda: None,
        "current_stream": lambda *_device: stream,
        "default_stream": lambda *_device: stream,
        "Stream": refused("a stream of its own"),
        "ExternalStream": refused("a stream of its own"),
        "stream": refused("a stream of its own"),
        "CUDAGraph": refused("a CUDA graph"),
        "graph": refused("a CUDA graph"),
        "make_graphed_callables": refused("a CUDA graph"),
    }
    for name, answer in answers.items():
        setattr(torch.cuda, name, answer)
