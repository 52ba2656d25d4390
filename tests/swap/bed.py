"""Inductor's path for a GPU on a machine without one: Triton's kernels, run by Triton's own interpreter.

`install` changes the process for good, and must come before Triton is imported; so work happens in a process of its
own, by `run`. A stand-in driver names an sm_90, and Inductor writes the kernels that it would write for a GPU, but for
what it knows of that: no library of convolutions, no CUDA graphs.
"""

import ctypes
import inspect
import json
import os
import subprocess
import sys
import tempfile
import textwrap
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent.parent


def install() -> None:
    """Have Inductor write Triton for the CPU, and Triton interpret it."""
    assert "triton" not in sys.modules, "triton was imported before the interpreter was asked for"
    os.environ |= {"TRITON_INTERPRET": "1", "TORCHINDUCTOR_COMPILE_THREADS": "1"}
    import torch
    import torch._inductor.config
    from torch._inductor.runtime import triton_helpers
    from triton.runtime import driver

    from kernelwright.frontend.inductor.stand_in import StandInDriver

    # The default, not a value: newer releases keep values by thread.
    torch._inductor.config._config["cpu_backend"].default = "triton"
    driver.set_active(StandInDriver())
    triton_helpers.libdevice = _Library()
    _lay_out_atomics()
    _read_bounds()
    warnings.filterwarnings(
        "ignore", "Could not find an active CPU backend"
    )  # kernels are not compiled, but interpreted
    torch.backends.mkldnn.enabled = False
    torch.set_num_threads(1)


def _lay_out_atomics() -> None:
    """Have the interpreter's atomics get arrays without strides of 0: they read a mask of one element that stands for
    many as if it had as many, and take for it what comes behind it in memory. Sums of bf16, which they lack, are added
    here."""
    import numpy as np
    import triton.language as tl
    from triton._C.libtriton import ir
    from triton.runtime.interpreter import InterpreterBuilder, TensorHandle

    plain = InterpreterBuilder.create_atomic_rmw

    def laid_out(self: Any, operation: Any, pointers: Any, values: Any, mask: Any, *others: Any) -> Any:
        for one in (pointers, values, mask):
            one.data = np.ascontiguousarray(one.data)
        if operation == ir.ATOMIC_OP.FADD and values.dtype.scalar == tl.bfloat16:
            return TensorHandle(_added_in_bf16(pointers.data, values.data, mask.data), tl.bfloat16)
        return plain(self, operation, pointers, values, mask, *others)

    InterpreterBuilder.create_atomic_rmw = laid_out


def _added_in_bf16(pointers: Any, values: Any, mask: Any) -> Any:
    """The bits that stood at pointers to which values of bf16, given as bits, are added one after another."""
    import numpy as np

    from kernelwright.backend.interpreter.numerics import bf16_to_f32, f32_to_bf16

    before = np.zeros_like(values)
    for lane in np.flatnonzero(mask):
        place = ctypes.c_uint16.from_address(int(pointers.flat[lane]))
        before.flat[lane] = place.value
        two = bf16_to_f32(np.array([place.value, values.flat[lane]], np.uint16))
        place.value = int(f32_to_bf16(two.sum(dtype=np.float32, keepdims=True))[0])
    return before


def _read_bounds() -> None:
    """Have the interpreter read a bound of a loop from an array of one element, which numpy ends to convert in 2.4 and
    Triton 3.6 converts."""
    from triton.runtime import interpreter

    plain = interpreter._patch_lang_tensor

    def patched(tensor: Any, scope: Any) -> None:
        plain(tensor, scope)
        scope.set_attr(tensor, "__index__", lambda self: int(self.handle.data.item()))

    interpreter._patch_lang_tensor = patched


class _Library:
    """libdevice's functions on the interpreter's tensors."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        from kernelwright.backend.interpreter import numerics

        function = numerics.libdevice(name)
        if function is None:
            raise AttributeError(f"Triton's interpreter has no libdevice function {name}")
        return lambda *arguments: _apply(function, arguments)


def _apply(function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    import numpy as np
    import triton.language as tl
    from triton.runtime.interpreter import TensorHandle

    tensor = next(one for one in arguments if isinstance(one, tl.tensor))
    with np.errstate(all="ignore"):
        found = np.asarray(function(*(one.handle.data if isinstance(one, tl.tensor) else one for one in arguments)))
    scalar = tensor.type.scalar
    if found.dtype.kind == "i" and not scalar.is_int():  # isnan and its like answer in integers
        scalar, found = tl.int32, found.astype(np.int32)
    else:
        found = found.astype(tensor.handle.data.dtype, copy=False)
    return tl.tensor(TensorHandle(found, scalar), tl.block_type(scalar, tensor.shape) if tensor.shape else scalar)


def run(work: Callable[..., Any] | str, folder: Path, *arguments: Any, **environment: str) -> Any:
    """What `work(*arguments)` returns, made in a fresh process on the bed; Inductor's caches and the user's are in the
    folder, so that another process with it finds them.

    `work` is a function of a test that imports all it needs, or the text of a module that defines `work`. Arguments
    and result are JSON. Fails with the end of what the process printed where it fails.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if isinstance(work, str):
        text, name = work, "work"
    else:
        text, name = textwrap.dedent(inspect.getsource(work)), work.__name__
        text = f"from __future__ import annotations  # what annotations name is not here\n\n{text}"
    question = Path(tempfile.mkdtemp(dir=folder)) / "question.json"
    question.write_text(json.dumps({"text": text, "name": name, "arguments": arguments}))
    done = subprocess.run(
        [sys.executable, __file__, str(question)], capture_output=True, text=True, env=variables(folder, **environment)
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-6000:]
    answer: dict[str, Any] = json.loads(question.with_suffix(".answer").read_text())
    return answer["result"]


def variables(folder: Path, **more: str) -> dict[str, str]:
    """The environment of a process that keeps all its caches in a folder."""
    caches = {
        "TORCHINDUCTOR_CACHE_DIR": str(folder / "inductor"),
        "KERNELWRIGHT_CACHE_DIR": str(folder / "kernelwright"),
    }
    path = os.pathsep.join([str(ROOT), str(Path(__file__).parent), str(ROOT / "tests"), *filter(None, sys.path)])
    return {**os.environ, **caches, "PYTHONPATH": path, **more}


def _main(question: Path) -> None:
    install()
    asked = json.loads(question.read_text())
    # A file of its own: Dynamo and Triton read a function's source.
    module = question.with_suffix(".py")
    module.write_text(asked["text"])
    namespace: dict[str, Any] = {"__name__": "work", "__file__": str(module)}
    exec(compile(asked["text"], str(module), "exec"), namespace)
    result = namespace[asked["name"]](*asked["arguments"])
    question.with_suffix(".answer").write_text(json.dumps({"result": result}))


if __name__ == "__main__":
    _main(Path(sys.argv[1]))
