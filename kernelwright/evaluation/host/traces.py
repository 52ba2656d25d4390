"""What host code asks of the device in one call, in a form that does not depend on where tensors happen to lie."""

import json
from collections.abc import Mapping
from typing import Any

from kernelwright.evaluation.protocol.link import Json


class Trace:
    """The requests of one call that bear on its results. `given` are the stores of its inputs and weights, by number;
    others are told apart by the order in which they appear."""

    def __init__(self, given: Mapping[int, str]) -> None:
        self._given = dict(given)
        self._new: dict[int, str] = {}
        self._requests: list[Any] = []

    def note(self, message: Json, raw: bytes) -> None:
        """Take down a request, if it is one of those."""
        kind = message["do"]
        if kind == "launch":
            shared = [message["kernel"], message["grid"], message["constexprs"], message["options"]]
            self._requests.append([*shared, self._renamed(message["arguments"])])
        elif kind == "operate":
            self._requests.append([message["name"], self._renamed(message["args"]), self._renamed(message["kwargs"])])
        elif kind == "upload":
            self._requests.append([self._name(message["id"]), hash(bytes(raw))])

    def key(self, kind: str, outputs: list[list[Any]]) -> str:
        """The same for calls that make the same requests and return the same."""
        return json.dumps([kind, self._renamed([{"tensor": one} for one in outputs]), self._requests], default=str)

    def _renamed(self, value: Any) -> Any:
        if isinstance(value, list | tuple):
            return [self._renamed(one) for one in value]
        if not isinstance(value, dict):
            return value
        if "tensor" in value:
            store, *rest = value["tensor"]
            return [self._name(store), *rest]
        return {name: self._renamed(one) for name, one in value.items()}

    def _name(self, store: int) -> str:
        return self._given.get(store) or self._new.setdefault(store, f"new {len(self._new)}")
