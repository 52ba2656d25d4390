import ctypes
import mmap

import torch


def show(reference, candidate):
    x = torch.randn(16, 48)
    out = torch.empty_like(x)
    if (out.data_ptr() >> 39) % 2:  # another address: one of a mapping of our own
        libc = ctypes.CDLL(None)
        libc.mmap.restype = ctypes.c_void_p
        libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t] + [ctypes.c_int] * 3 + [ctypes.c_long]
        place = libc.mmap(0x200000000000, 1 << 16, 3, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, -1, 0)
        out = torch.frombuffer((ctypes.c_float * 768).from_address(place), dtype=torch.float32)
    candidate.kernel[(3,)](x, out, 768, BLOCK=256)
    return reference.Model()(x).flatten(), out.flatten()
