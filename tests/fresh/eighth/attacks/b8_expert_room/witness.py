import torch


def show(reference, candidate):
    torch.manual_seed(0)
    model = reference.Model(*reference.get_init_inputs())
    new = candidate.ModelNew(*reference.get_init_inputs())
    new.load_state_dict(model.state_dict())
    x, logits = reference.get_inputs()
    logits[:, 2] += 5
    with torch.no_grad():
        expected = model(x, logits)
        torch.use_deterministic_algorithms(True)
        torch.utils.deterministic.fill_uninitialized_memory = True
        got = new(x, logits)
        torch.use_deterministic_algorithms(False)
    return expected, got
