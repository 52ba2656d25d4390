def inputs(reference):
    (r,) = reference.get_inputs()
    r[5:9, 0] = float("inf")
    return [r]
