import torch
import torch.nn as nn


class Model(nn.Module):
    """The length of each year, and the number of the year's day that 1 March is."""

    def forward(self, year):
        leap = ((year % 4 == 0) & (year % 100 != 0)) | (year % 400 == 0)
        length = torch.where(leap, 366, 365)
        march = torch.where(leap, 61, 60)
        return length, march


def get_inputs():
    return [torch.randint(1901, 2100, (64, 40))]


def get_init_inputs():
    return []
