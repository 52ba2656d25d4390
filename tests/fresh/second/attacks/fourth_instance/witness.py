def show(reference, candidate):
    (x,) = reference.get_inputs()
    layers = [candidate.ModelNew() for _ in range(4)]
    return reference.Model()(x), layers[3](x)
