def inputs(reference):
    (x,) = reference.get_inputs()
    return [x + 100_000_000]
