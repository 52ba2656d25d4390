"""A program in KernelBench's format, loaded: class `Model`, `get_inputs()` and `get_init_inputs()`."""

import ast
import inspect
import linecache
import math
import traceback
import types
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import torch

from kernelwright.backend.reference.device_mode import cuda_or_here
from kernelwright.ir.errors import UserError
from kernelwright.ir.host.beside import FILES_BEGIN, FILES_END
from kernelwright.ir.host.nesting import appendix
from kernelwright.ir.text import text_lines
from kernelwright.ir.trees import syntax_tree

FORMAT = (
    "a file needs `class Model(torch.nn.Module)`, `def get_inputs()` returning the list of forward's arguments, "
    "and, where Model's constructor takes arguments, `def get_init_inputs()` returning them"
)

#: How the line begins that shrinking puts above a text.
SHRUNKEN = "# Shrunken from the original sizes: "


def line_in_file(line: int, name: str) -> int:
    """`line_in_text` for a program that was loaded under that name."""
    return line_in_text(line, linecache.getlines(f"<{name}>"))


def line_in_text(line: int, text: Sequence[str]) -> int:
    """The number that a line of a program's text has in its own file, which has no files beside it and no header."""
    rows = [row.rstrip("\n") for row in text[:line]]
    added = int(bool(rows) and rows[0].startswith(SHRUNKEN))
    if FILES_BEGIN in rows and FILES_END in rows:
        added += rows.index(FILES_END) - rows.index(FILES_BEGIN) + 1
    return line - added


def single_line(error: BaseException) -> str:
    """An exception as `Type: first line of its message`."""
    text = str(error).strip().splitlines()
    return f"{type(error).__name__}: {text[0]}" if text else type(error).__name__


def failure(error: BaseException, name: str) -> str:
    """The same for what a program of that name raised, with the last line of the program that was being run."""
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if frame.filename == f"<{name}>"]
    return f"{single_line(error)} (line {line_in_file(lines[-1] or 0, name)})" if lines else single_line(error)


#: Functions of a program that people know by name; all else happens while the file itself runs.
KNOWN = ("forward", "get_inputs", "get_init_inputs", "__init__")


def exit_place(error: BaseException, name: str) -> str:
    """Which part of a program of that name raised, with its line: `get_inputs() (line 12)`, or `the file (line 3)`."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == f"<{name}>"]
    known = [frame.name for frame in frames if frame.name in KNOWN]
    what = f"{known[-1]}()" if known else "the file"
    return f"{what} (line {line_in_file(frames[-1].lineno or 0, name)})" if frames else what


def parse_source(source: str, name: str) -> ast.Module:
    """The syntax tree; UserError with the line of a syntax error."""
    try:
        return syntax_tree(source)
    except SyntaxError as error:
        where = f"{name}:{error.lineno}" if error.lineno else name
        text = f": `{error.text.strip()}`" if error.text else ""
        raise UserError(f"{where}: {error.msg}{text}; fix the Python syntax") from error


@dataclass(frozen=True)
class Problem:
    """What such a file defines. Calling the methods runs the user's code."""

    name: str
    entry: type
    get_inputs: Callable[[], Any]
    get_init_inputs: Callable[[], Any]

    @classmethod
    def load(cls, source: str, name: str, entry: str = "Model") -> "Problem":
        """Execute `source`; UserError where it does not parse, run or define what is needed."""
        parse_source(source, name)
        filename = f"<{name}>"
        module = types.ModuleType(name)
        lines = text_lines(source, keep_ends=True)
        linecache.cache[filename] = (len(source), None, lines, filename)
        try:
            exec(compile(source, filename, "exec"), module.__dict__)
        except Exception as error:  # the user's file may raise anything
            raise UserError(f"{name}: the file does not run: {failure(error, name)}") from error
        found = vars(module)
        model = found.get(entry)
        if not isinstance(model, type):
            raise UserError(f"{name}: no class `{entry}`; {FORMAT}")
        if not callable(found.get("get_inputs")):
            raise UserError(f"{name}: no `get_inputs()`; {FORMAT}")
        init = found.get("get_init_inputs", list)
        return cls(name, model, found["get_inputs"], init)

    def build(self) -> torch.nn.Module:
        """A new model, its weights as the global random state gives them."""
        arguments, keywords = self._init_arguments()
        try:
            with cuda_or_here():
                model: torch.nn.Module = self.entry(*arguments, **keywords)
        except Exception as error:  # the user's constructor may raise anything
            raise UserError(
                f"{self.name}: {self.entry.__name__}(...) fails: {failure(error, self.name)}; "
                f"check get_init_inputs() against the constructor"
            ) from error
        if not isinstance(model, torch.nn.Module):
            raise UserError(f"{self.name}: {self.entry.__name__} is not a torch.nn.Module; {FORMAT}")
        if type(model).forward is torch.nn.Module.forward and "forward" not in vars(model):
            raise UserError(f"{self.name}: {self.entry.__name__} has no forward(); {FORMAT}")
        return model

    def inputs(self) -> tuple[Any, ...]:
        """New inputs; UserError unless they are tensors, numbers, bools or None."""
        try:
            with cuda_or_here():
                inputs = self.get_inputs()
        except Exception as error:  # the user's function may raise anything
            raise UserError(f"{self.name}: get_inputs() fails: {failure(error, self.name)}") from error
        if not isinstance(inputs, Sequence) or isinstance(inputs, str):
            raise UserError(
                f"{self.name}: get_inputs() returns {type(inputs).__name__}; return a list of forward's arguments"
            )
        for index, value in enumerate(inputs):
            check_input(value, f"{self.name}: input {index} of get_inputs()")
        return tuple(inputs)

    def _init_arguments(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        try:
            arguments = self.get_init_inputs()
        except Exception as error:  # the user's function may raise anything
            raise UserError(f"{self.name}: get_init_inputs() fails: {failure(error, self.name)}") from error
        if isinstance(arguments, dict):
            return (), arguments
        if not isinstance(arguments, list | tuple):
            raise UserError(f"{self.name}: get_init_inputs() returns {type(arguments).__name__}; return a list")
        if len(arguments) == 2 and isinstance(arguments[0], list) and isinstance(arguments[1], dict):
            return tuple(arguments[0]), arguments[1]
        return tuple(arguments), {}


def with_inputs_apart(source: str, problem: Problem) -> str:
    """The program's text, below which inputs that are lists, tuples and dictionaries are taken apart if there are
    such. UserError for what these may not hold."""
    inputs: Any = None
    for device in ("meta", "cpu"):
        with suppress(Exception), torch.device(device), cuda_or_here():  # what fails is told where inputs are made
            inputs = problem.get_inputs()
            break
    if not isinstance(inputs, list | tuple) or not any(type(one) in (list, tuple, dict) for one in inputs):
        return source
    names: list[str] = []
    forward = getattr(problem.entry, "forward", torch.nn.Module.forward)
    for parameter in list(inspect.signature(forward).parameters.values())[1:]:
        collects = parameter.kind is parameter.VAR_POSITIONAL
        names += [f"{parameter.name}_{i}" for i in range(len(inputs) - len(names))] if collects else [parameter.name]
    what = f"{problem.name}: an input of get_inputs()"
    takes = {name: _shape(one, what) for name, one in zip(names, inputs, strict=False)}
    below = appendix(problem.entry.__name__, takes)
    return source if below is None or len(names) < len(inputs) else source.rstrip("\n") + "\n" + below


def _shape(value: Any, what: str, *, inside: bool = False) -> Any:
    """What an input is taken apart by."""
    if type(value) is dict and all(type(key) in (str, int) for key in value):
        return {key: _shape(one, what, inside=True) for key, one in value.items()}
    if type(value) in (list, tuple):
        return type(value)(_shape(one, what, inside=True) for one in value)
    if not inside or isinstance(value, torch.Tensor):
        return ...
    if value is None or type(value) in (bool, int, str) or (type(value) is float and math.isfinite(value)):
        return value
    raise UserError(f"{what} holds a {type(value).__name__}; make it of lists, tuples and dictionaries of tensors")


def check_input(value: object, what: str) -> None:
    """UserError unless `value` is a dense tensor, a number, a bool or None."""
    way_out = "make it a tensor, a number, a bool or None, or build it inside Model"
    if isinstance(value, torch.Tensor):
        if value.layout != torch.strided or value.is_complex() or value.is_quantized:
            raise UserError(f"{what} is a {value.layout} tensor of {value.dtype}; only dense real tensors are read")
    elif value is not None and not isinstance(value, bool | int | float):
        raise UserError(f"{what} is a {type(value).__name__}; {way_out}")
