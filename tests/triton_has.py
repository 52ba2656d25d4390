"""What Triton has in the version that is installed."""

import triton

#: Block pointers are gone from Triton 3.9 on.
BLOCK_POINTERS = tuple(map(int, triton.__version__.split(".")[:2])) < (3, 9)


def available(text: str) -> bool:
    """Whether a kernel's text needs no more than there is."""
    return BLOCK_POINTERS or "make_block_ptr" not in text
