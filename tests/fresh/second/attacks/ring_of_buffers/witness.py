def show(reference, candidate):
    (x,) = reference.get_inputs()
    expected, got = reference.Model()(x), candidate.forward(x)
    for _ in range(16):
        candidate.forward(x + 1)
    return expected, got
