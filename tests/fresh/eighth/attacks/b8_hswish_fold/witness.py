import torch


def show(reference, candidate):
    torch.manual_seed(0)
    model = reference.Model(*reference.get_init_inputs()).eval()
    new = candidate.ModelNew(*reference.get_init_inputs()).eval()
    x = reference.get_inputs()
    with torch.no_grad():
        model(*x), new(*x)
        state = {k: torch.rand(v.shape) + 0.5 if v.is_floating_point() else v for k, v in model.state_dict().items()}
        model.load_state_dict(state)
        new.load_state_dict(state)
        return model(*x), new(*x)
