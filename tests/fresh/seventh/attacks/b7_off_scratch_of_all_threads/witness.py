import torch


def show(reference, candidate):
    """A second thread runs its whole call between the two launches of the first."""
    import threading

    new = candidate.ModelNew()
    (x,), (other,) = reference.get_inputs(), reference.get_inputs()
    real = candidate.subtract

    class Late:
        def __getitem__(self, grid):
            candidate.subtract = real
            thread = threading.Thread(target=new, args=(other + 3.0,))
            thread.start()
            thread.join()
            return real[grid]

    candidate.subtract = Late()
    return reference.Model()(x), new(x)
