"""`configure`: launch options as they are given, kernel by kernel, which is how `search` spells what it found."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

from kernelwright.ir.dialect.tables import LAUNCH_OPTIONS
from kernelwright.ir.errors import UserError
from kernelwright.ir.passes import Context, Pass, register
from kernelwright.ir.spec import pass_spec
from kernelwright.ir.values import Kernel, KernelModule, Level, Scalar


@register
@dataclass(frozen=True)
class Configure(Pass):
    """Set the launch options of kernels, which are named by symbol.

    configs: for each kernel that gets some its name, a colon and `OPTION=INTEGER` separated by spaces; kernels are
    separated by semicolons, as in `configure{configs="softmax: XBLOCK=1 num_warps=8; mean: XBLOCK=64"}`. Options that
    are not named stay as they are.

    Legal for options that the kernel has, and Triton's own, which it need not have had before. A block size for which
    masks were left out may be wrong; that is for the evaluator to find.
    """

    name: ClassVar[str] = "configure"
    reads: ClassVar[Level] = Level.TRITON
    writes: ClassVar[Level] = Level.TRITON
    explore = None

    configs: str = ""

    def __post_init__(self) -> None:
        read_configs(self.configs)

    def run(self, module: KernelModule, ctx: Context) -> KernelModule:  # noqa: ARG002
        """The module with these options. Raises UserError for a kernel that is not there and for an option that it
        does not have."""
        configs = read_configs(self.configs)
        symbols = [kernel.symbol for kernel in module.kernels]
        for symbol in configs:
            if symbol not in symbols:
                raise UserError(f"configure: no kernel {symbol!r}; there are {', '.join(symbols)}")
        return replace(module, kernels=tuple(_configured(one, configs.get(one.symbol, {})) for one in module.kernels))


def read_configs(text: str) -> dict[str, dict[str, Scalar]]:
    """Launch options by kernel. Raises UserError that names what it does not understand."""
    found: dict[str, dict[str, Scalar]] = {}
    for part in filter(None, (part.strip() for part in text.split(";"))):
        symbol, colon, options = part.partition(":")
        if not colon or not symbol.strip().isidentifier() or symbol.strip() in found:
            raise UserError(f"configs={part!r}: write `KERNEL: OPTION=INTEGER …`, each kernel once")
        found[symbol.strip()] = dict(_option(option) for option in options.split())
    return found


def spell_configs(configs: Mapping[str, Mapping[str, Scalar]]) -> str:
    """The pass that gives kernels these options, as text; inverse of `read_configs`."""
    options = {symbol: " ".join(f"{name}={value}" for name, value in meta.items()) for symbol, meta in configs.items()}
    return pass_spec(Configure("; ".join(f"{symbol}: {text}" for symbol, text in options.items())))


def _option(text: str) -> tuple[str, Scalar]:
    name, equals, value = text.partition("=")
    if not equals or not name.isidentifier() or not value.isdecimal():
        raise UserError(f"configs: {text!r} is not a launch option; write OPTION=INTEGER, such as num_warps=8")
    return name, int(value)


def _configured(kernel: Kernel, config: Mapping[str, Scalar]) -> Kernel:
    meta = dict(kernel.meta)
    for name in config:
        if name not in meta and name not in LAUNCH_OPTIONS:
            raise UserError(f"configure: kernel {kernel.symbol} has no option {name!r}; it has {', '.join(meta)}")
    return replace(kernel, meta=tuple({**meta, **config}.items()))
