import torch
import triton.runtime.interpreter as interpreter


def show(reference, candidate):
    x = torch.randn(640)
    builder = interpreter.interpreter_builder
    plain = builder.set_grid_idx

    def turned(i, j, k):
        plain(builder.grid_dim[0] - 1 - i, j, k)

    builder.set_grid_idx = turned
    return reference.Model()(x), candidate.forward(x)
