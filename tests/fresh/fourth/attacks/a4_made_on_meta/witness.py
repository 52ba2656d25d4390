import torch


def show(reference, candidate):
    weights = {"gain": torch.randn(64)}
    made = []
    for one in (reference.Model, candidate.ModelNew):
        with torch.device("meta"):
            model = one()
        waste = [torch.full((64,), 7.0) for _ in range(8)]
        del waste
        model = model.to_empty(device="cpu")
        model.load_state_dict(weights)
        made.append(model)
    x = reference.get_inputs()[0]
    with torch.no_grad():
        return made[0](x), made[1](x)
