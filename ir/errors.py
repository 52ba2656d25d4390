"""Errors and diagnostics that name the thing, say where it is, and show the way out."""

from collections.abc import Iterable
from dataclasses import dataclass


class KernelwrightError(Exception):
    """Base of every error this project raises on purpose.

    Raised for a broken framework or bad user input; a bad *candidate* is data (a verdict), never an error.
    """


class UserError(KernelwrightError, ValueError):
    """Bad input. The message names the problem and the fix. The command line prints it alone, and exits with 2."""


class Terminated(KeyboardInterrupt):
    """SIGTERM: ends a run as Ctrl-C does, with its processes ended and its files in order."""


def check_choice(name: str, value: object, choices: Iterable[object]) -> None:
    """Raise UserError, which lists the choices, where a value is none of them."""
    known = list(choices)
    if value not in known:
        raise UserError(f"{name}={value!r}: choose from {', '.join(map(str, known))}")


class SpecError(UserError):
    """A pipeline spec that does not parse; `str` shows the spec with a caret under the bad part."""

    def __init__(self, spec: str, position: int, message: str) -> None:
        self.spec, self.position, self.message = spec, position, message
        super().__init__(f"{message}\n  {spec}\n  {' ' * position}^")


class LoweringError(UserError):
    """A program that a lowering cannot express; names the operation and what can be done about it."""


class PassError(KernelwrightError):
    """A pass raised or returned an invalid module; names the pass and the module."""


class UnsupportedVersionError(KernelwrightError):
    """A private interface of torch or Triton is not as any tried version has it."""


@dataclass(frozen=True)
class Diagnostic:
    """One complaint about a program text.

    `line` is 1-based in the text that was parsed, `column` 0-based; `text` is the offending source and
    `hint` says what would be accepted instead. `kernel` is the symbol concerned, or "" for host code.
    """

    message: str
    line: int
    column: int
    text: str = ""
    hint: str = ""
    kernel: str = ""

    def __str__(self) -> str:
        where = f"kernel @{self.kernel}: " if self.kernel else ""
        what = f": `{self.text}`" if self.text else ""
        hint = f"; {self.hint}" if self.hint else ""
        return f"line {self.line}, column {self.column}: {where}{self.message}{what}{hint}"


class DialectError(KernelwrightError):
    """A program text outside the dialect; carries every diagnostic found."""

    def __init__(self, diagnostics: tuple[Diagnostic, ...]) -> None:
        assert diagnostics
        self.diagnostics = diagnostics
        super().__init__("\n".join(map(str, diagnostics)))

    @property
    def first(self) -> str:
        """The first complaint in one line, and how many more there are."""
        more = len(self.diagnostics) - 1
        return f"{self.diagnostics[0]}{f' (and {more} more)' if more else ''}"
