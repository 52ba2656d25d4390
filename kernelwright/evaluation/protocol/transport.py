"""Modules and references as JSON, for the way from the judge to a child."""

from dataclasses import asdict
from typing import Any

from kernelwright.ir.values import (
    Kernel,
    KernelModule,
    Launcher,
    Reference,
    ScalarSpec,
    StateSpec,
    TensorSpec,
    Tolerance,
)

Json = dict[str, Any]


def encode_reference(reference: Reference) -> Json:
    """A reference as JSON."""
    return asdict(reference)


def encode_module(module: KernelModule, source: str = "") -> Json:
    """A module as JSON, without its provenance and with `source` in the place of its reference's source."""
    content = asdict(module)
    content["reference"]["source"] = source
    del content["provenance"]
    return content


def _tensor(content: Json) -> TensorSpec:
    return TensorSpec(content["name"], content["dtype"], tuple(content["shape"]), tuple(content["strides"]))


def decode_reference(content: Json) -> Reference:
    """The reference that `encode_reference` was given."""
    inputs = tuple(ScalarSpec(**item) if "value" in item else _tensor(item) for item in content["inputs"])
    return Reference(
        source=content["source"],
        entry=content["entry"],
        inputs=inputs,
        state=tuple(StateSpec(_tensor(item["tensor"]), item["path"]) for item in content["state"]),
        outputs=tuple(map(_tensor, content["outputs"])),
        returns=content["returns"],
        tolerance=Tolerance(**content["tolerance"]),
        shrunken=content["shrunken"],
        numerics=content["numerics"],
    )


def decode_module(content: Json) -> KernelModule:
    """The module that `encode_module` was given."""
    kernels = tuple(
        Kernel(item["symbol"], item["source"], tuple(map(tuple, item["meta"])), tuple(item["covers"]))
        for item in content["kernels"]
    )
    launcher = None if content["launcher"] is None else Launcher(**content["launcher"])
    return KernelModule(
        name=content["name"],
        reference=decode_reference(content["reference"]),
        kernels=kernels,
        launcher=launcher,
        target=content["target"],
        constants=tuple(content["constants"]),
    )
