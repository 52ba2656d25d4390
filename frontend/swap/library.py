"""The adapter for calls of libraries in Inductor's programs: each becomes a place where a kernel of ours may run.

A program says `extern_kernels.convolution(...)` where it calls a library. Once it is `opened`, each such call goes
through an object of its own. Its first call tells what the library is given: a call is written down as a text in the
form of Inductor's kernels, with the library's function in the place of a body, so that it has a key, a problem and
replacements as kernels have. `versions.TRIED` has the releases that this was tried with.
"""

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import torch
from torch import Tensor

from kernelwright.backend.versions import adapting, parameters
from kernelwright.frontend.swap.hooks import Chooser, Failed, Launchable, Within, give_up
from kernelwright.frontend.swap.key import ZEROED, KernelText, changed, loaded_kernels, read
from kernelwright.frontend.swap.meaning import Layout

with adapting("exchanging calls of libraries", "torch", "triton"):
    from torch._inductor.async_compile import AsyncCompile
    from torch._inductor.codecache import CodeCacheFuture

    parameters(AsyncCompile.triton, "kernel_name", "source_code", "device_str")

#: The functions whose calls are opened, and the operations that they compute.
OPERATIONS = {
    "extern_kernels.convolution": torch.ops.aten.convolution.default,
    "extern_kernels.mm": torch.ops.aten.mm.default,
    "extern_kernels.bmm": torch.ops.aten.bmm.default,
    "extern_kernels.addmm": torch.ops.aten.addmm.default,
}
#: Calls that tell sizes; in a program whose sizes may change from call to call, some of them are no constants.
_MAKES = "empty_strided"
_SIZES = (_MAKES, "reinterpret_tensor", "assert_size_stride")
_DTYPES = {torch.float32: "fp32", torch.float16: "fp16", torch.bfloat16: "bf16"}
#: Where kernels are loaded from memory in vectors, all buffers begin at multiples of so many bytes.
_ALIGNMENT = 16
#: A program's name for its opened calls, and for what gives the present stream.
_OPENED, _STREAM = "kernelwright_calls", "get_raw_stream"


@dataclass(frozen=True)
class Call:
    """What one call of a library was given: `tensors` and `result` as they lie, and `text`, the call with parameters of
    a kernel in the place of tensors."""

    text: str
    tensors: tuple[Layout, ...]
    result: Layout
    numerics: str

    @classmethod
    def of(cls, function: str, arguments: Sequence[Any], options: Mapping[str, Any], result: Tensor) -> "Call | None":
        """The call with its result; None for one that no kernel of ours takes the place of."""
        given = {name: value for name, value in options.items() if name != "out"}
        tensors = tensors_of(arguments, given)
        everything = [*tensors, result]
        if any(one.dtype not in _DTYPES or not one.numel() for one in everything) or not _aligned(everything):
            return None
        if result.data_ptr() in {one.data_ptr() for one in tensors}:
            return None
        if len({(one.dtype, one.device) for one in everything}) > 1 or not tensors:
            return None
        places = {id(one): f"in_ptr{place}" for place, one in reversed(list(enumerate(tensors)))}
        written = [_written(value, places) for value in arguments]
        written += [f"{name}={_written(value, places)}" for name, value in given.items()]
        written += ["out=out_ptr0"] if "out" in options else []
        return cls(
            f"{function}({', '.join(written)})",
            tuple(_layout(one) for one in tensors),
            _layout(result),
            _numerics(function, result.dtype),
        )

    @property
    def parameters(self) -> tuple[str, ...]:
        """Those of a kernel in its place: the tensors, and the result."""
        return (*(f"in_ptr{place}" for place in range(len(self.tensors))), "out_ptr0")

    def source(self, name: str, like: KernelText) -> str:
        """The call as a text in the form of Inductor's kernels, for the device of a kernel of the same program."""
        layouts = [(list(one.shape), list(one.strides), _DTYPES[one.dtype]) for one in (*self.tensors, self.result)]
        pointers = zip(self.parameters, layouts, strict=True)
        triton = changed(
            {key: value for key, value in like.meta("triton_meta").items() if key not in ZEROED},
            signature={parameter: f"*{dtype}" for parameter, (_, _, dtype) in pointers},
            constants={},
            configs=[{(place,): [["tt.divisibility", _ALIGNMENT]] for place in range(len(layouts))}],
        )
        inductor = changed(
            like.meta("inductor_meta"),
            grid_type="FixedGrid",
            kernel_name=name,
            mutated_arg_names=[],
            no_x_dim=None,
            atomic_add_found=False,
            library=self.text,
            layouts=layouts,
            numerics=self.numerics,
        )
        imported = (
            one for one in ast.parse(like.source).body if isinstance(one, ast.Import | ast.ImportFrom | ast.Expr)
        )
        return "\n".join(
            [
                *map(ast.unparse, imported),
                "",
                "@triton_heuristics.fixed_config(",
                "    config={},",
                "    filename=__file__,",
                f"    triton_meta={triton},",
                f"    inductor_meta={inductor},",
                ")",
                "@triton.jit",
                f"def {name}({', '.join(self.parameters)}):",
                "    pass",
                "",
            ]
        )


class InPlace:
    """A kernel in the place of a library's function: it is called as that is, and launches the kernel, or calls the
    library where a buffer begins elsewhere than the kernel expects, or where it may no longer round to TF32."""

    def __init__(self, kernel: Launchable, opened: "Opened") -> None:
        assert opened.call is not None
        self.kernel, self._result, self._library = kernel, opened.call.result, opened.library
        self._function, self._rounds = opened.function, opened.call.numerics == "tf32"
        self._stream: Callable[[Any], Any] = getattr(opened.program, _STREAM)
        self.run: Callable[..., Any] = self._launch

    def _launch(self, *arguments: Any, out: Tensor | None = None, **options: Any) -> Tensor:
        """The library's result, in `out` where that is given."""
        tensors = tensors_of(arguments, options)
        if not _aligned(tensors) or (self._rounds and _numerics(self._function, torch.float32) != "tf32"):
            result: Tensor = self._library(*arguments, **options, **({} if out is None else {"out": out}))
            return result
        device = tensors[0].device
        if out is None:
            made = self._result
            out = torch.empty_strided(made.shape, made.strides, dtype=made.dtype, device=device)
        self.kernel.run(*tensors, out, stream=self._stream(device.index))
        return out


#: Told a call that is opened, what it is given, and its result.
Seen = Callable[["Opened", Sequence[Any], Mapping[str, Any], Tensor], object]


class Opened:
    """One call of a library in a program. `call` is what its first call was given, None before that and for a call that
    stays the library's, and `source` its text, with the key; `run` is what the program calls.

    `choose` and `failed` are asked and told as those of `hooks.choosing` are, in the first call. `seen` is told what
    the library was given then, and its result, where a kernel may take the call's place.
    """

    def __init__(
        self,
        program: ModuleType,
        name: str,
        function: str,
        like: KernelText,
        choose: Chooser | None = None,
        failed: Failed | None = None,
        seen: Seen | None = None,
    ) -> None:
        self.program, self.name, self.function = program, name, function
        self.call: Call | None = None
        self.source = self.key = ""
        self._like, self._choose, self._failed, self._seen = like, choose, failed, seen
        self.library: Callable[..., Any] = getattr(program.extern_kernels, function.rpartition(".")[2])
        self.run: Callable[..., Any] = self._first

    def _first(self, *arguments: Any, **options: Any) -> Any:
        result = self.library(*arguments, **options)
        self.run = self.library
        try:
            self.call = Call.of(self.function, arguments, options, result)
            if self.call is None:
                return result
            self.source = self.call.source(self.name, self._like)
            self.key = read(self.source).key
            if self._seen is not None:
                self._seen(self, arguments, options, result)
            if (run := self._chosen()) is not None:
                result, self.run = run(*arguments, **options), run
        except Exception as error:  # noqa: BLE001 - the library's result is there, whatever ours raises
            give_up(self.name, self.source, error, self._failed)
        return result

    def _chosen(self) -> Callable[..., Any] | None:
        """What runs in the library's place, if anything does."""
        chosen = self._choose(self.name, self.source) if self._choose else None
        if chosen is None or isinstance(chosen, Within):
            return None
        return InPlace(loaded(self.name, chosen) if isinstance(chosen, str) else chosen, self).run


def loaded(name: str, source: str) -> Launchable:
    """The kernel of a text in Inductor's own form. Raises what Triton's compiler raises."""
    device = "cpu" if read(source).target == "interpreter" else "cuda"
    made: Any = AsyncCompile().triton(name, source, device_str=device)
    if isinstance(made, CodeCacheFuture):
        made = made.result()
    kernel: Launchable = made
    return kernel


def calls(program: ModuleType) -> Sequence[Opened]:
    """Those of a program that was opened."""
    return tuple(vars(program).get(_OPENED, ()))


def opened(
    program: ModuleType, choose: Chooser | None = None, failed: Failed | None = None, seen: Seen | None = None
) -> Sequence[Opened]:
    """The calls of libraries in a program, each of which goes through an object of its own from now on. None of a
    program whose sizes may change from call to call, and of one without a kernel of Inductor's.

    In the first call of each, `seen` is told of it, `choose` is asked what runs in its place, and `failed` told if that
    fails.
    """
    if _OPENED in vars(program):
        return calls(program)
    made = list[Opened]()
    if hasattr(program, "call") and hasattr(program, "extern_kernels") and program.__file__:
        tree = ast.parse(Path(program.__file__).read_text("utf-8"))
        like = next((kernel for _, kernel in loaded_kernels(tree)), None)
        opening = _Opening()
        opening.visit(tree)
        if like is not None and opening.functions and not _changes(tree):
            for name, function in opening.functions.items():
                made.append(Opened(program, name, function, like, choose, failed, seen))
                setattr(program, name, made[-1])
            _exchange_code(program, compile(ast.fix_missing_locations(tree), program.__file__, "exec"))
    setattr(program, _OPENED, made)
    return made


class _Opening(ast.NodeTransformer):
    """Calls of a library's functions become launches of names of their own, which `functions` tells."""

    def __init__(self) -> None:
        self.functions: dict[str, str] = {}

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        function = ast.unparse(node.func)
        if function in OPERATIONS:
            name = f"library_{function.rpartition('.')[2]}_{len(self.functions)}"
            self.functions[name] = function
            node.func = ast.Attribute(ast.Name(name, ast.Load()), "run", ast.Load())
        return node


def _changes(tree: ast.Module) -> bool:
    """Whether a program has sizes that are no constants."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and (called := ast.unparse(node.func)).startswith(_SIZES):
            told = node.args if called.startswith(_MAKES) else node.args[1:]  # others tell first of what
            parts = (one for part in told if isinstance(part, ast.Tuple) for one in ast.walk(part))
            if any(isinstance(one, ast.Name) for one in parts):
                return True
    return False


def _exchange_code(program: ModuleType, code: CodeType) -> None:
    """Have the functions of a program, and those of its classes, run other code of the same names."""
    for one in (part for part in code.co_consts if isinstance(part, CodeType)):
        found = vars(program).get(one.co_name)
        if isinstance(found, FunctionType):
            found.__code__ = one
        elif isinstance(found, type):
            for inner in (part for part in one.co_consts if isinstance(part, CodeType)):
                method = vars(found).get(inner.co_name)
                if isinstance(method, FunctionType):
                    method.__code__ = inner


def tensors_of(arguments: Sequence[Any], options: Mapping[str, Any]) -> list[Tensor]:
    """The tensors that a library is given, in order."""
    return [one for one in (*arguments, *options.values()) if isinstance(one, Tensor)]


def _aligned(tensors: Sequence[Tensor]) -> bool:
    return not any(one.data_ptr() % _ALIGNMENT for one in tensors)


def _written(value: Any, places: Mapping[int, str]) -> str:
    return places[id(value)] if isinstance(value, Tensor) else repr(value)


def _layout(tensor: Tensor) -> Layout:
    return Layout(tuple(tensor.shape), tuple(tensor.stride()), tensor.dtype)


def _numerics(function: str, dtype: torch.dtype) -> str:
    """Whether the library may round factors of fp32 to TF32."""
    if dtype is not torch.float32:
        return "ieee"
    backends: Any = torch.backends
    flags = backends.cudnn.conv if function.endswith("convolution") else backends.cuda.matmul
    return "tf32" if flags.fp32_precision == "tf32" else "ieee"
