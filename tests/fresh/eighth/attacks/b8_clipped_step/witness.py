def inputs(reference):
    param, grad = reference.get_inputs()
    return [param * 0.01, grad * 0.005]
