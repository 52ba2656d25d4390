def show(reference, candidate):
    (x,) = reference.get_inputs()
    x = x.requires_grad_() * 3
    return reference.Model()(x).detach(), candidate.forward(x)
