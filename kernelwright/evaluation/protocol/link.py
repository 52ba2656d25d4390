"""Messages between a host process and its device: JSON objects, each with raw bytes behind it.

A message is four bytes (length of the JSON text), eight bytes (length of the raw part), both little endian, then both
parts. Tensors travel as references: [store, dtype, shape, strides, offset], sizes in elements.
"""

import itertools
import json
import math
import socket
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

Json = dict[str, Any]
MAX_TEXT_BYTES = 8 << 20
#: Bytes received at a time, where so many are there: a call's messages are short, and each system call takes long.
_CHUNK_BYTES = 1 << 16
#: The size of the tensors that host code may read numbers from, one at a time: lengths and places.
ITEM_BYTES = 64
#: How many numbers it may read in a call. Of floating numbers few, each alone in its tensor, as a scale is.
ITEMS_PER_CALL, FLOATS_PER_CALL = 64, 4
#: What a host asks for that would see content.
COPY = "a copy to the host"
#: How many of the latest results a caller keeps, if they have no more elements than this together.
_RESULTS, _ELEMENTS = 8, 1 << 16


class Origin(StrEnum):
    """Where the content of a device's memory comes from, in the order of what counts more."""

    HOST = "host"  #: constants of host code, or nothing
    GIVEN = "given"  #: inputs and weights, moved at most
    KERNEL = "kernel"  #: what kernels and permitted operators computed


class LinkError(ConnectionError):
    """The other side is gone or does not keep to the protocol."""


@dataclass(frozen=True)
class TensorRef:
    """A tensor in a device's memory; `dtype` is a key of `INNER_DTYPES`, strides and offset are in elements."""

    store: int
    dtype: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int

    @property
    def numel(self) -> int:
        """The number of elements."""
        return math.prod(self.shape)

    def encode(self) -> list[Any]:
        """As JSON."""
        return [self.store, self.dtype, list(self.shape), list(self.strides), self.offset]

    @classmethod
    def decode(cls, content: Any) -> "TensorRef":
        """From JSON; raises LinkError for anything else. Whether it lies inside its store is the device's to check."""
        try:
            store, dtype, shape, strides, offset = content
            sizes = [store, offset, *shape, *strides]
        except (TypeError, ValueError) as error:
            raise LinkError("a tensor reference is malformed") from error
        if not isinstance(dtype, str) or not all(type(size) is int and 0 <= size < 1 << 48 for size in sizes):
            raise LinkError("a tensor reference holds something else than sizes")
        if len(shape) != len(strides) or len(shape) > 64:
            raise LinkError("a tensor reference's shape and strides differ in length")
        return cls(store, dtype, tuple(shape), tuple(strides), offset)


def results_kept(elements: Sequence[int]) -> int:
    """How many results a caller of any Python keeps, by the number of elements of each, the newest first."""
    sums = itertools.accumulate(elements[:_RESULTS])
    return max(1, sum(total <= _ELEMENTS for total in sums))


class Link:
    """One end of the connection. `limit` bounds the raw bytes that a message may bring."""

    def __init__(self, connection: socket.socket, limit: int) -> None:
        self._connection, self._limit = connection, limit
        self._ahead = memoryview(b"")  # received, and not yet read

    def send(self, message: Json, raw: bytes | memoryview = b"") -> None:
        """Send one message; raises LinkError where nobody listens."""
        self.send_all([(message, raw)])

    def send_all(self, messages: Iterable[tuple[Json, bytes | memoryview]]) -> None:
        """Send messages in order, short ones together; raises LinkError where nobody listens."""
        together = bytearray()
        for message, raw in messages:
            text, size = json.dumps(message).encode(), memoryview(raw).nbytes
            together += len(text).to_bytes(4, "little") + size.to_bytes(8, "little") + text
            if size <= _CHUNK_BYTES:
                together += raw
            if len(together) > _CHUNK_BYTES or size > _CHUNK_BYTES:
                self._send(together)
                together = bytearray()
            if size > _CHUNK_BYTES:
                self._send(raw)
        if together:
            self._send(together)

    def _send(self, content: bytes | bytearray | memoryview) -> None:
        try:
            self._connection.sendall(content)
        except OSError as error:
            raise LinkError("the other side is gone") from error

    def receive(self) -> tuple[Json, bytearray]:
        """The next message; raises LinkError at the end and for anything malformed or too large."""
        head = self._read(12)
        length, size = int.from_bytes(head[:4], "little"), int.from_bytes(head[4:], "little")
        if length > MAX_TEXT_BYTES or size > self._limit:
            raise LinkError(f"a message of {length} + {size} bytes is too large")
        try:
            message = json.loads(self._read(length))
        except (ValueError, RecursionError) as error:
            raise LinkError("a message is not JSON") from error
        if not isinstance(message, dict):
            raise LinkError("a message is not an object")
        return message, self._read(size)

    def close(self) -> None:
        """End the connection."""
        self._connection.close()

    def _read(self, size: int) -> bytearray:
        content = bytearray(size)
        view, done = memoryview(content), 0
        while done < size:
            if not self._ahead and size - done >= _CHUNK_BYTES:
                done += self._receive(view[done:])
                continue
            if not self._ahead:
                chunk = bytearray(_CHUNK_BYTES)
                self._ahead = memoryview(chunk)[: self._receive(memoryview(chunk))]
            taken = min(size - done, len(self._ahead))
            view[done : done + taken] = self._ahead[:taken]
            self._ahead, done = self._ahead[taken:], done + taken
        return content

    def _receive(self, into: memoryview) -> int:
        """Bytes received, at least one; raises LinkError at the end."""
        try:
            count = self._connection.recv_into(into)
        except OSError as error:
            raise LinkError("the other side is gone") from error
        if not count:
            raise LinkError("the other side is gone")
        return count
