"""Runs exported kernels where the project is not installed: `python -I use_exports.py PACKAGE FOLDER INSTALLED`.

PACKAGE is a package's folder, FOLDER one for the package `kernels`, and INSTALLED a folder of packages, which may be
empty. Prints what wrong inputs are told, and whether `kernels` itself ran the layer. With Triton 3.6, numpy has to be
older than 2.4.
"""

import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

PACKAGE, FOLDER = map(Path, sys.argv[1:3])
sys.path[:0] = [str(PACKAGE), sys.argv[3]]
assert importlib.util.find_spec("kernelwright") is None, "the project is installed in this environment"

import torch  # noqa: E402
from torch import Tensor, nn  # noqa: E402


def loaded() -> Any:
    """The folder's variant for CPUs, as `kernels` loads it."""
    variant = FOLDER / "build" / "torch-cpu"
    name = json.loads((variant / "metadata.json").read_text())["id"]
    spec = importlib.util.spec_from_file_location(name, variant / "__init__.py")
    assert spec is not None and spec.loader is not None
    sys.modules[name] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Mine(nn.Module):
    """A layer with a weight, whose own forward is not what runs."""

    def __init__(self) -> None:
        super().__init__()
        self.bias = nn.Parameter(torch.randn(24))

    def forward(self, _x: Tensor) -> Tensor:
        raise AssertionError("the layer's own forward runs")


def check_kernels(x: Tensor) -> None:
    """Functions of the package and of the folder, and what they say of inputs that do not fit."""
    package: Any = importlib.import_module("some_kernels")
    bias, y = torch.randn(24), torch.randn(8, 40)
    for place in package, loaded():
        torch.testing.assert_close(place.add_relu(x, bias), torch.relu(x + bias))
        torch.testing.assert_close(place.column_sum(y), y.sum(0))
    for wrong in (x.double(), x[:2], x.T.contiguous().T, x.clone().requires_grad_()):
        try:
            package.add_relu(wrong, bias)
        except ValueError as error:
            sys.stdout.write(f"{error}\n")


def check_layer(x: Tensor) -> None:
    """What `kernelize` does: the layer's forward in a module that has the weight."""
    mine, layer = Mine(), loaded().layers.AddRelu
    assert layer.__init__ is nn.Module.__init__ and not layer.has_backward and not layer.can_torch_compile
    with torch.no_grad():
        torch.testing.assert_close(layer.forward(mine, x), torch.relu(x + mine.bias))


def kernelized(x: Tensor) -> str:
    """Whether the package `kernels` runs the layer, where it is installed."""
    if importlib.util.find_spec("kernels") is None:
        return "the package kernels is not installed"
    kernels: Any = importlib.import_module("kernels")
    mapping = {"AddRelu": {"cpu": kernels.LocalLayerRepository(repo_path=FOLDER, layer_name="AddRelu")}}
    model = nn.Sequential(kernels.use_kernel_forward_from_hub("AddRelu")(Mine)())
    with kernels.use_kernel_mapping(mapping), torch.no_grad():
        ready = kernels.kernelize(model, mode=kernels.Mode.INFERENCE, device="cpu", use_fallback=False)
        torch.testing.assert_close(ready(x), torch.relu(x + model[0].bias))
    return "kernelize runs the layer"


given = torch.randn(4, 24)
check_kernels(given)
check_layer(given)
sys.stdout.write(f"{kernelized(given)}\n")
