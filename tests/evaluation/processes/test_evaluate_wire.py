"""Frames come back as they were, and nothing malformed gets through."""

import json
import mmap

import pytest

from kernelwright.evaluation.protocol import wire
from kernelwright.evaluation.protocol.wire import FrameError, RawTensor, frame_size, read_frame, write_frame


def frame(content: object, data: bytes = b"") -> bytes:
    text = json.dumps(content).encode()
    head = len(text).to_bytes(8, "little") + text
    return head.ljust(-(-len(head) // 64) * 64, b"\0") + data


def test_a_frame_comes_back() -> None:
    tensors = [
        RawTensor("f32", (2, 3), (1, 2), memoryview(bytes(range(24)))),
        RawTensor("i64", (0,), (1,), memoryview(b"")),
        RawTensor("b1", (), (), memoryview(b"\1")),
    ]
    buffer = mmap.mmap(-1, frame_size(tensors))
    write_frame(buffer, {"a": [1, None]}, tensors)
    header, read = read_frame(buffer)
    assert header == {"a": [1, None]}
    assert [(t.dtype, t.shape, t.strides, bytes(t.data)) for t in read] == [
        (t.dtype, t.shape, t.strides, bytes(t.data)) for t in tensors
    ]


def test_a_frame_that_does_not_fit_is_refused() -> None:
    with pytest.raises(ValueError, match="does not fit"):
        write_frame(mmap.mmap(-1, 4096), {}, [RawTensor("u8", (5000,), (1,), memoryview(bytes(5000)))])


def test_many_tensors_travel_and_too_many_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    many = [RawTensor("f32", (1, 1), (1, 1), memoryview(bytes(4)))] * 80_000
    buffer = mmap.mmap(-1, frame_size(many))
    write_frame(buffer, {}, many)
    assert len(read_frame(buffer)[1]) == len(many)
    monkeypatch.setattr(wire, "MAX_HEADER_BYTES", 1 << 10)
    with pytest.raises(ValueError, match="80000 tensors are too many"):
        write_frame(buffer, {}, many)


TENSOR = {"dtype": "f32", "shape": [4], "strides": [1], "at": 0}


@pytest.mark.parametrize(
    "data",
    [
        b"",
        bytes(4096),
        (1 << 40).to_bytes(8, "little") + bytes(64),
        (4).to_bytes(8, "little") + b"nope" + bytes(64),
        (100_000).to_bytes(8, "little") + b"[" * 100_000,
        frame([]),
        frame({"header": 1, "tensors": []}),
        frame({"header": {}}),
        frame({"header": {}, "tensors": [1]}),
        frame({"header": {}, "tensors": [TENSOR]}),
        *[
            frame({"header": {}, "tensors": [TENSOR | change]}, bytes(64))
            for change in (
                {"dtype": "object"},
                {"dtype": ["f32"]},
                {"at": -64},
                {"at": 1 << 70},
                {"at": 1.5},
                {"shape": [-4]},
                {"shape": [True]},
                {"shape": [1 << 47]},
                {"shape": "4"},
                {"strides": []},
                {"shape": [1] * 100, "strides": [1] * 100},
            )
        ],
    ],
)
def test_malformed_frames_are_refused(data: bytes) -> None:
    with pytest.raises(FrameError):
        read_frame(data)
