import torch
import torch.distributed


def show(reference, candidate):
    (x,) = reference.get_inputs()
    store = torch.distributed.HashStore()
    torch.distributed.init_process_group("gloo", store=store, rank=0, world_size=1)
    return reference.Model()(x), candidate.forward(x)
