"""What a process's own flags let programs use."""

import torch

from kernelwright.driver.run.numerics import permitted


def test_programs_may_use_tf32_where_the_users_flags_let_them() -> None:
    for convolutions, products, numerics in (
        (True, False, "torch"),
        (True, True, "tf32"),
        (False, False, "ieee"),
        (False, True, "ieee"),
    ):
        with torch.backends.cudnn.flags(allow_tf32=convolutions):
            torch.backends.cuda.matmul.allow_tf32 = products
            try:
                assert permitted() == numerics
            finally:
                torch.backends.cuda.matmul.allow_tf32 = False
