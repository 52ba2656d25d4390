import torch


def show(reference, candidate):
    """The programs run from the last to the first, which the launch allows."""
    from triton.runtime.interpreter import interpreter_builder as machine

    real = machine.set_grid_idx
    given = reference.get_inputs()
    expected = reference.Model()(*[one.clone() for one in given])
    machine.set_grid_idx = lambda x, y, z: real(machine.grid_dim[0] - 1 - x, y, z)
    try:
        got = candidate.ModelNew()(*given)
    finally:
        machine.set_grid_idx = real
    return expected, got
