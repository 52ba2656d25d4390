def show(reference, candidate):
    (x,) = reference.get_inputs()

    def below(depth):
        return below(depth - 1) if depth else candidate.forward(x)

    return reference.Model()(x), below(50)
