import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """Decodes UTF-8: the code point that begins at each byte, or -1."""

    def forward(self, text):
        a = text.to(torch.int64)
        padded = F.pad(a, (0, 3))
        b, c, d = padded[:, 1:-2], padded[:, 2:-1], padded[:, 3:]
        follows = [(one & 0xC0) == 0x80 for one in (b, c, d)]
        two = (a >= 0xC2) & (a < 0xE0) & follows[0]
        three = (a >= 0xE0) & (a < 0xF0) & follows[0] & follows[1]
        four = (a >= 0xF0) & (a < 0xF5) & follows[0] & follows[1] & follows[2]
        point = torch.where(a < 0x80, a, -1)
        point = torch.where(two, ((a & 31) << 6) | (b & 63), point)
        point = torch.where(three, ((a & 15) << 12) | ((b & 63) << 6) | (c & 63), point)
        return torch.where(four, ((a & 7) << 18) | ((b & 63) << 12) | ((c & 63) << 6) | (d & 63), point)


def get_inputs():
    letters = ["a", "e", " ", "\u00e9", "\u03b1", "\u20ac", "\u4e2d", "\U0001f600", "\U0001f680"]
    rows = []
    for _ in range(4):
        chosen = torch.randint(0, len(letters), (60,)).tolist()
        rows.append(list("".join(letters[one] for one in chosen).encode()[:60]))
    return [torch.tensor(rows, dtype=torch.uint8)]


def get_init_inputs():
    return []
