"""`configure`: launch options as they are given, kernel by kernel, which is how `search` spells what it found."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import takewhile
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

    near: the options are those of another program's kernels. A kernel that is not named gets those of the one that
    shares most first words of its name, at least one, if it has these options and more than one block size. Names of
    kernels that are not there are no error.

    Legal for options that the kernel has, and Triton's own, which it need not have had before. A block size for which
    masks were left out may be wrong; that is for the evaluator to find.
    """

    name: ClassVar[str] = "configure"
    reads: ClassVar[Level] = Level.TRITON
    writes: ClassVar[Level] = Level.TRITON
    explore = None

    configs: str = ""
    near: bool = False

    def __post_init__(self) -> None:
        read_configs(self.configs)

    def run(self, module: KernelModule, ctx: Context) -> KernelModule:  # noqa: ARG002
        """The module with these options. Raises UserError for a kernel that is not there and for an option that it
        does not have."""
        configs = read_configs(self.configs)
        symbols = [kernel.symbol for kernel in module.kernels]
        if self.near:
            found = {kernel.symbol: _nearest(kernel, configs) for kernel in module.kernels}
            configs = {symbol: config for symbol, config in found.items() if config}
            if not configs:
                return module
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


def spell_configs(configs: Mapping[str, Mapping[str, Scalar]], near: bool = False) -> str:
    """The pass that gives kernels these options, as text; inverse of `read_configs`."""
    options = {symbol: " ".join(f"{name}={value}" for name, value in meta.items()) for symbol, meta in configs.items()}
    return pass_spec(Configure("; ".join(f"{symbol}: {text}" for symbol, text in options.items()), near))


def _nearest(kernel: Kernel, configs: Mapping[str, dict[str, Scalar]]) -> dict[str, Scalar]:
    """Of options by kernel those of this one, else of the one that shares most first words of its name; none where that
    is no word, or the options are others. A single block size of another kernel says nothing: what else there is to a
    block is not known."""
    here = dict(kernel.meta).keys() - LAUNCH_OPTIONS
    if kernel.symbol in configs and configs[kernel.symbol].keys() - LAUNCH_OPTIONS <= here:
        return configs[kernel.symbol]
    words = kernel.symbol.split("_")
    alike = {
        symbol: sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(words, symbol.split("_"), strict=False)))
        for symbol, config in configs.items()
        if config.keys() - LAUNCH_OPTIONS == here and len(here) > 1
    }
    best = max(alike, key=alike.__getitem__, default="")
    return configs[best] if alike.get(best) else {}


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
