def inputs(reference):
    (x,) = reference.get_inputs()
    return [x + 800_000_000]
