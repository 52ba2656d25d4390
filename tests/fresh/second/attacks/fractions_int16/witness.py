def inputs(reference):
    (x,) = reference.get_inputs()
    return [x.abs() + 50000]
