def inputs(reference):
    (x,) = reference.get_inputs()
    return [x + 1_400_000_001]
