def inputs(reference):
    (x,) = reference.get_inputs()
    x[:, :4] = x[:, :4].sort(0).values
    return [x]
