import torch


def show(reference, candidate):
    results = []
    for model in (reference.Model(), candidate.ModelNew()):
        model.load_state_dict({"gain": torch.ones(48)})
        with torch.no_grad():
            for parameter in model.parameters():
                parameter.sub_(0.5)
            results.append(model(torch.ones(16, 48)))
    return results
