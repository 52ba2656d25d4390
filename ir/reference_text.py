"""The values of a module's header and REFERENCE, read back from text."""

import ast
import json
from dataclasses import fields
from typing import Any

from kernelwright.ir.host.structure import PLAIN, is_structure
from kernelwright.ir.values import NUMERICS, Record, Reference, ScalarSpec, StateSpec, TensorSpec, Tolerance


def header_value(text: str) -> str:
    """What `printer.header_text` wrote: plain text, or a JSON string; ValueError for a broken one."""
    if not text.startswith('"'):
        return text
    value = json.loads(text)
    assert isinstance(value, str)
    return value


def record_from(text: str) -> Record:
    """A provenance record from one line of JSON; ValueError or TypeError where it is none."""
    given = json.loads(text)
    if not isinstance(given, dict) or not all(isinstance(given.get(name, ""), str) for name in _RECORD_TEXTS):
        raise ValueError(f"not an object with texts for {', '.join(_RECORD_TEXTS)}")
    if not isinstance(given.get("notes", {}), dict):
        raise ValueError("notes are an object")
    return Record(**given)


_RECORD_TEXTS = tuple(part.name for part in fields(Record) if part.type in ("str", str))


def reference_from(given: Any) -> Reference:
    """The reference from the dictionary that the printer writes; ValueError, TypeError or KeyError otherwise."""
    if not isinstance(given, dict):
        raise TypeError("not a dictionary")
    unknown = set(given) - {part.name for part in fields(Reference)}
    if unknown or not isinstance(given["source"], str) or not isinstance(given["entry"], str):
        raise ValueError(f"unexpected fields {sorted(map(str, unknown))}, or a source or entry that is not a text")
    if not is_structure(given["returns"]) or given["shrunken"] not in (True, False):
        raise ValueError(f"returns is {', '.join(PLAIN)} or a literal with ..., and shrunken True or False")
    if given.get("numerics", "ieee") not in NUMERICS:
        raise ValueError(f"numerics is one of {', '.join(NUMERICS)}")
    return Reference(
        source=given["source"],
        entry=given["entry"],
        inputs=tuple(_input(line) for line in _lines(given["inputs"])),
        state=tuple(_state(line) for line in _lines(given["state"])),
        outputs=tuple(_tensor(line) for line in _lines(given["outputs"])),
        returns=given["returns"],
        tolerance=Tolerance(**given["tolerance"]),
        shrunken=given["shrunken"],
        numerics=given.get("numerics", "ieee"),
    )


def _lines(value: Any) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(line, str) for line in value):
        raise TypeError(f"{value!r} is not a list of texts")
    return value


def _state(line: str) -> StateSpec:
    path, _, spec = line.partition(" -> ")
    return StateSpec(_tensor(spec), path)


def _tensor(line: str) -> TensorSpec:
    name, _, annotation = line.partition(": ")
    return TensorSpec.parse(name, annotation)


def _input(line: str) -> TensorSpec | ScalarSpec:
    name, _, annotation = line.partition(": ")
    if "[" in annotation:
        return TensorSpec.parse(name, annotation)
    if annotation in ("inf", "-inf", "nan"):
        return ScalarSpec(name, float(annotation))
    value = ast.literal_eval(annotation)
    if value is not None and not isinstance(value, bool | int | float):
        raise ValueError(f"{name}: {annotation} is not a number")
    return ScalarSpec(name, value)
