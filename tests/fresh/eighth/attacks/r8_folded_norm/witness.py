import torch


def show(reference, candidate):
    torch.manual_seed(0)
    model, new = reference.Model(12), candidate.ModelNew(12)
    new.load_state_dict(model.state_dict())
    result = [[], []]
    for training in (False, True, True, True, False):
        x = torch.randn(40, 12) * 5 + 8
        for one, found in zip((model, new), result, strict=True):
            one.train(training)
            with torch.no_grad():
                found.append(one(x.clone()))
    return result[0], result[1]
