"""What the store keeps for one of Inductor's kernels, and the text that it is kept as."""

import hashlib
import importlib
import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from functools import cache
from importlib import metadata
from typing import Any, Literal, get_args

from kernelwright.backend.store.once import once

#: Raised when entries change their meaning: entries of another format are not found.
FORMAT = 3

#: The part of a certificate that has the sizes that were tried beside an entry's own.
OTHER_SIZES = "other sizes"

Kind = Literal["replacement", "wrong"]
Form = Literal["kernel", "host", ""]


class OtherFormatError(ValueError):
    """A text that another release of Kernelwright wrote: of another format, or of a kind that is not known here."""


@dataclass(frozen=True)
class Versions:
    """The releases that an entry is for: of torch, of Triton, and of the entries' own format."""

    torch: str
    triton: str
    format: int = FORMAT

    @classmethod
    def installed(cls) -> "Versions":
        """What this process runs with."""
        return cls(_version("torch"), _version("triton"))

    def __str__(self) -> str:
        return f"torch {self.torch}, triton {self.triton}, format {self.format}"


@cache
def _version(library: str) -> str:
    try:
        return metadata.version(library)  # the import takes seconds
    except metadata.PackageNotFoundError:  # a nightly release has another name
        return str(importlib.import_module(library).__version__)


@dataclass(frozen=True)
class Entry:
    """What is known of one of Inductor's kernels.

    A `replacement` runs in its place; `wrong` says that Inductor's own kernel differs from aten in `operation`.
    An entry says nothing about kernels with other keys, on other targets, or with other versions.
    """

    #: The key of Inductor's kernel, in hexadecimal digits.
    key: str
    #: `sm_90`, `interpreter`, …
    target: str
    versions: Versions
    kind: Kind
    #: The printed KernelModule, whose reference says what the kernel computes; "" for `wrong`.
    module: str = field(default="", repr=False)
    #: What runs. `kernel`: a text in Inductor's own form, for `async_compile.triton`. `host`: host code that writes to
    #: the buffers that it is given.
    replacement: str = field(default="", repr=False)
    form: Form = ""
    #: For `host`: which of Inductor's arguments, by position, the host code is given.
    order: tuple[int, ...] = ()
    #: Inductor's buffers, with which an entry can be judged again: each pointer parameter, and by position which input
    #: and which output of the module's reference it is; -1 for none.
    arguments: tuple[tuple[str, int, int], ...] = ()
    #: For a kernel with sizes that may change from call to call: each such parameter with its numbers at all sizes for
    #: which the replacement is verified; the module's own first.
    sizes: tuple[tuple[str, tuple[int, ...]], ...] = ()
    #: What was tested, on what, how strong the tests were, how much faster it is, and with what confidence.
    certificate: Mapping[str, Any] = field(default_factory=dict, hash=False)
    #: For `wrong`: the operation, such as `aten.gelu`.
    operation: str = ""
    #: What Inductor called the kernel, and its text, where they are known.
    name: str = ""
    source: str = field(default="", repr=False)
    #: The file that the entry was imported from; "" for one that was made here.
    origin: str = ""
    #: Whether it may run: an imported entry may not until it was judged on this machine.
    trusted: bool = True

    def __post_init__(self) -> None:
        if not re.fullmatch("[0-9a-f]{8,64}", self.key):
            raise ValueError(f"key {self.key!r} is no hexadecimal digest")
        if self.kind not in get_args(Kind) or self.form not in get_args(Form):
            raise ValueError(f"an entry of kind {self.kind!r} and form {self.form!r} is not known")
        if (self.kind == "replacement") != bool(self.replacement and self.form and self.module):
            raise ValueError("a replacement has a module, a text and a form; a finding has none of them")
        if (self.kind == "wrong") != bool(self.operation):
            raise ValueError("a finding names an operation; a replacement names none")

    @once
    def text(self) -> str:
        """The entry as JSON; equal entries have equal texts."""
        return json.dumps(asdict(self), sort_keys=True, separators=(",", ":"))

    @once
    def digest(self) -> str:
        """SHA-256 of `text`, in hexadecimal digits: the name of the entry's file."""
        return digest_of(self.text)

    @property
    def own_sizes(self) -> Mapping[str, int]:
        """The sizes at which it was admitted, by run-time parameter; none where sizes may not change."""
        return {name: known[0] for name, known in self.sizes}

    @once
    def pick(self) -> str:
        """SHA-256 of what runs: entries that differ in certificate, origin or trust have the same."""
        return digest_of(json.dumps([self.kind, self.form, self.order, self.sizes, self.replacement, self.operation]))

    @classmethod
    def parse(cls, text: str) -> "Entry":
        """Read `text`; raises ValueError for anything else."""
        try:
            content = json.loads(text)
            if (number := content["versions"]["format"]) != FORMAT:
                raise OtherFormatError(f"it is of format {number}, and this release of Kernelwright reads {FORMAT}")
            if isinstance(kind := content["kind"], str) and kind not in get_args(Kind):
                raise OtherFormatError(f"it is of kind {kind!r}, which this release of Kernelwright does not know")
            types = {one.name: one.type for one in fields(cls)}
            if content.keys() != types.keys():
                raise ValueError("its fields are not those of an entry")
            for name, kind in types.items():
                if isinstance(kind, type) and type(content[name]) is not kind and kind is not Versions:
                    raise ValueError(f"{name} is no {kind.__name__}")
            arguments = tuple((str(name), int(taken), int(given)) for name, taken, given in content["arguments"])
            rest = {"versions": Versions(**content["versions"]), "order": tuple(map(int, content["order"]))}
            sizes = tuple((str(name), tuple(map(int, numbers))) for name, numbers in content["sizes"])
            if len({len(numbers) for _, numbers in sizes} - {0}) > 1 or not all(numbers for _, numbers in sizes):
                raise ValueError("its parameters are not known for the same sizes")
            return cls(**content | rest | {"arguments": arguments, "sizes": sizes})
        except (TypeError, KeyError, AttributeError, RecursionError) as error:
            raise ValueError(f"it is no entry: {error}") from error


def digest_of(text: str) -> str:
    """SHA-256 of a text, in hexadecimal digits."""
    return hashlib.sha256(text.encode()).hexdigest()
