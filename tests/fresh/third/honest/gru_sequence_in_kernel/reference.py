import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, width, hidden):
        super().__init__()
        self.w_in = nn.Parameter(torch.randn(3 * hidden, width) * 0.3)
        self.w_hid = nn.Parameter(torch.randn(3 * hidden, hidden) * 0.3)
        self.b_in = nn.Parameter(torch.zeros(3 * hidden))
        self.b_hid = nn.Parameter(torch.zeros(3 * hidden))

    def forward(self, x, h):
        out = []
        for t in range(x.shape[1]):
            ir, iz, n = (x[:, t] @ self.w_in.t() + self.b_in).chunk(3, -1)
            hr, hz, hn = (h @ self.w_hid.t() + self.b_hid).chunk(3, -1)
            z = torch.sigmoid(iz + hz)
            h = (1 - z) * torch.tanh(n + torch.sigmoid(ir + hr) * hn) + z * h
            out.append(h)
        return torch.stack(out, 1)


def get_inputs():
    return [torch.randn(3, 5, 10), torch.randn(3, 8)]


def get_init_inputs():
    return [10, 8]
