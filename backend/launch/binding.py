"""What `kernel[grid](...)` in host code means: binding, decorators and options, apart from who runs it.

`JitNamespace` stands for `triton` in a module's code wherever kernels are not compiled: there
`@triton.jit` gives a `KernelHandle`, and `autotune` takes its first configuration, or that which somebody chooses.
"""

import contextlib
import copy
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

import triton
import triton.language as tl

#: Launch keywords that are no parameter of the kernel.
LAUNCH_OPTIONS = frozenset(
    {"num_warps", "num_stages", "num_ctas", "maxnreg", "enable_fp_fusion", "launch_cooperative_grid"}
)
#: CUDA's bounds on a grid; the first axis is the long one.
GRID_LIMITS = (2**31 - 1, 65535, 65535)

Grid = tuple[int, int, int]
#: Decorator seen at a launch: the arguments bound so far -> more of them.
Resolver = Callable[[Mapping[str, Any]], Mapping[str, Any]]


class LaunchError(ValueError):
    """A launch that Triton would refuse: unknown or missing arguments, a bad grid."""


@dataclass(frozen=True)
class BoundLaunch:
    """One launch with everything resolved: `arguments` in the order of the kernel's parameters."""

    symbol: str
    grid: Grid
    arguments: Mapping[str, Any]
    constexprs: frozenset[str]
    options: Mapping[str, Any]


def is_constexpr(annotation: object) -> bool:
    """Whether a parameter's annotation says `tl.constexpr`."""
    return annotation is tl.constexpr or (isinstance(annotation, str) and annotation.split(".")[-1] == "constexpr")


class KernelHandle:
    """What `@triton.jit` gives outside CUDA: a kernel to launch, or a helper that other kernels call.

    `choose` is asked, once for each key of an autotuned kernel, which of several launches to make: its number. Without
    it the first configuration is taken.
    """

    choose: "Choose | None" = None

    def __init__(self, fn: Callable[..., Any], run: Callable[["KernelHandle", BoundLaunch], None]) -> None:
        self.fn = fn
        self.__name__ = fn.__name__
        self._parameters = inspect.signature(fn).parameters
        self.arg_names = list(self._parameters)
        self._run = run
        self._resolvers: tuple[Resolver, ...] = ()
        self._chosen: dict[tuple[str, ...], Any] = {}

    def forget(self) -> None:
        """Let the next launch of each key choose its configuration anew."""
        self._chosen.clear()

    def resolved_by(self, resolver: Resolver) -> "KernelHandle":
        """The same kernel under one more decorator; the outermost resolves first."""
        return self._with((resolver, *self._resolvers))

    def _with(self, resolvers: tuple[Resolver, ...]) -> "KernelHandle":
        handle = copy.copy(self)
        handle._resolvers, handle._chosen = resolvers, {}
        return handle

    def __getitem__(self, grid: Any) -> Callable[..., None]:
        return lambda *args, **kwargs: self._run(self, self.bind(grid, args, kwargs))

    def run(self, *args: Any, grid: Any, warmup: bool = False, **kwargs: Any) -> Any:
        """What Triton's own launchers and wrappers around kernels call; with `warmup` nothing is launched."""
        if warmup:
            return Warm(self)
        self._run(self, self.bind(grid, args, kwargs))
        return Warm(self)

    def warmup(self, *args: Any, grid: Any, **kwargs: Any) -> "Warm":
        """Compile without a launch, which means nothing here."""
        return self.run(*args, grid=grid, warmup=True, **kwargs)  # type: ignore[no-any-return]

    def __call__(self, *_args: Any, **_kwargs: Any) -> Any:
        raise LaunchError(f"@{self.__name__} is called from host code without a grid: write {self.__name__}[grid](...)")

    def bind(self, grid: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> BoundLaunch:
        """Resolve decorators, defaults and the grid; raises LaunchError for what Triton would refuse."""
        parameters = self._parameters
        if len(args) > len(parameters):
            raise LaunchError(f"@{self.__name__} takes {len(parameters)} arguments, {len(args)} given")
        positional = dict(zip(parameters, args, strict=False))
        if twice := sorted(positional.keys() & kwargs.keys()):
            raise LaunchError(f"@{self.__name__}: argument {twice[0]!r} given twice")
        bound = {**positional, **kwargs}
        for place, resolver in enumerate(self._resolvers):
            if isinstance(resolver, Autotune):
                resolver = self._settled(place, resolver, bound, lambda handle: handle.bind(grid, args, kwargs))
            bound.update(resolver(bound))
        for name, parameter in parameters.items():
            if name not in bound and parameter.default is not parameter.empty:
                bound[name] = parameter.default
        if missing := [name for name in parameters if name not in bound]:
            raise LaunchError(f"@{self.__name__}: missing argument {missing[0]!r}")
        options = {name: value for name, value in bound.items() if name not in parameters}
        if unknown := sorted(options.keys() - LAUNCH_OPTIONS):
            raise LaunchError(f"{unknown[0]!r} is neither a parameter of @{self.__name__} nor a launch option")
        arguments = {name: bound[name] for name in parameters}
        constexprs = frozenset(name for name, item in parameters.items() if is_constexpr(item.annotation))
        return BoundLaunch(self.__name__, self._grid(grid, bound), arguments, constexprs, options)

    def _settled(
        self, place: int, tuned: "Autotune", bound: Mapping[str, Any], bind: Callable[["KernelHandle"], BoundLaunch]
    ) -> "Autotune":
        """The decorator at `place` with one configuration left."""
        configs = tuned.candidates(bound)
        if self.choose is None or len(configs) == 1:
            return tuned.only(configs[0])
        key = tuned.key_of(bound)
        if key not in self._chosen:
            trials: list[tuple[Any, BoundLaunch]] = []
            for config in configs:
                one: Resolver = replace(tuned.only(config), hook=False)
                alone = (*self._resolvers[:place], one, *self._resolvers[place + 1 :])
                with contextlib.suppress(LaunchError):  # a configuration that cannot be launched is not chosen
                    trials.append((config, bind(self._with(alone))))
            number = self.choose(self, [trial for _, trial in trials], tuned) if len(trials) > 1 else 0
            self._chosen[key] = trials[number][0] if trials else configs[0]
        return tuned.only(self._chosen[key])

    def _grid(self, grid: Any, bound: Mapping[str, Any]) -> Grid:
        sizes = grid(dict(bound)) if callable(grid) else grid
        if not isinstance(sizes, tuple | list) or not 1 <= len(sizes) <= 3:
            raise LaunchError(f"@{self.__name__}: a grid is a tuple of one to three sizes, not {sizes!r}")
        full = tuple(int(size) for size in sizes) + (1,) * (3 - len(sizes))
        if any(size < 0 or size > limit for size, limit in zip(full, GRID_LIMITS, strict=True)):
            raise LaunchError(f"@{self.__name__}: grid {full} is outside CUDA's limits {GRID_LIMITS}")
        return full[0], full[1], full[2]


class Warm:
    """What a kernel is compiled to, as host code asks it how many programs fit: with figures of a small one."""

    n_regs, n_spills = 32, 0
    metadata = SimpleNamespace(shared=1024, num_warps=4, num_stages=3, num_ctas=1)

    def __init__(self, handle: KernelHandle) -> None:
        self._handle = handle

    def _init_handles(self) -> None:
        """Load it onto the device."""

    def __getitem__(self, grid: Any) -> Callable[..., None]:
        return self._handle[grid]


#: Chooses a launch. It takes an autotuned kernel, one launch for each configuration, and the decorator, and returns the
#: number of the launch to make.
Choose = Callable[[KernelHandle, Sequence[BoundLaunch], "Autotune"], int]


@dataclass(frozen=True)
class Autotune:
    """`autotune` as a decorator that was seen: its configurations, of which the first is taken where several are left.

    `hook`: whether a configuration's own hook runs before a launch. Before Triton tries a
    configuration, it fills the arguments `zeroed` with zeros. Afterwards it restores the arguments `restored`.
    """

    configs: tuple[Any, ...]
    key: tuple[str, ...] = ()
    prune: Callable[..., Sequence[Any]] | None = None
    hook: bool = True
    zeroed: tuple[str, ...] = ()
    restored: tuple[str, ...] = ()

    def candidates(self, bound: Mapping[str, Any]) -> Sequence[Any]:
        """What early pruning leaves for these arguments."""
        return self.prune(list(self.configs), dict(bound)) if self.prune else self.configs

    def only(self, config: Any) -> "Autotune":
        """The same with one configuration."""
        return replace(self, configs=(config,), prune=None)

    def key_of(self, bound: Mapping[str, Any]) -> tuple[str, ...]:
        """What launches share that are tuned together: the values of the key, and the dtypes of all tensors."""
        plain = {name: value for name, value in bound.items() if not hasattr(value, "dtype")}
        dtypes = [f"{name}: {value.dtype}" for name, value in bound.items() if name not in plain]
        return (*(f"{name}={plain[name]!r}" for name in self.key if name in plain), *dtypes)

    def __call__(self, bound: Mapping[str, Any]) -> Mapping[str, Any]:
        config = self.candidates(bound)[0]
        if clash := sorted(config.kwargs.keys() & bound.keys()):
            raise LaunchError(f"{clash[0]!r} is set by both the launch and the autotune configuration")
        chosen = config.all_kwargs()
        if self.hook and config.pre_hook is not None:
            config.pre_hook({**bound, **chosen})
        return dict(chosen)


class JitNamespace:
    """What the name `triton` means in a module's code where kernels are recorded or interpreted."""

    Config = triton.Config
    cdiv = staticmethod(triton.cdiv)
    next_power_of_2 = staticmethod(triton.next_power_of_2)
    language = tl

    def __init__(
        self,
        run: Callable[[KernelHandle, BoundLaunch], None],
        kind: type[KernelHandle],
        choose: Choose | None = None,
    ) -> None:
        self._run = run
        self._kind = kind
        self._choose = choose

    def jit(self, fn: Callable[..., Any] | None = None, **_options: Any) -> Any:
        """`@triton.jit` and `@triton.jit(...)`; compile options mean nothing here."""
        if fn is None:
            return lambda function: self.jit(function)
        handle = self._kind(fn, self._run)
        handle.choose = self._choose
        return handle

    def autotune(self, configs: Sequence[Any], key: Sequence[str], **options: Any) -> Any:
        """`@triton.autotune`: the configuration that is chosen, or the first."""
        prune = (options.get("prune_configs_by") or {}).get("early_config_prune")
        zeroed, restored = (tuple(options.get(name) or ()) for name in ("reset_to_zero", "restore_value"))
        tuned = Autotune(tuple(configs), tuple(key), prune, zeroed=zeroed, restored=restored)
        return lambda handle: handle.resolved_by(tuned)

    def heuristics(self, values: Mapping[str, Callable[[Mapping[str, Any]], Any]]) -> Any:
        """`@triton.heuristics`: each value computed from the arguments."""

        def resolve(bound: Mapping[str, Any]) -> Mapping[str, Any]:
            known = dict(bound)
            for name, rule in values.items():
                known[name] = rule(known)
            return known

        return lambda handle: handle.resolved_by(resolve)
