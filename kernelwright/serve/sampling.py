"""A token for each row: drawn on the device, and on its way to the host while the device goes on."""

from typing import Any

import torch
from torch import Tensor

from kernelwright.agent.policy import Sampling


class DrawnTokens:
    """Tokens of B rows and their log-probabilities."""

    def __init__(self, logits_bv: Tensor, sampling: Sampling, generator: torch.Generator) -> None:
        logprobs_bv = processed_logprobs(logits_bv.float(), sampling.temperature, sampling.top_p)
        if sampling.temperature == 0:
            self.tokens_b1 = logprobs_bv.argmax(-1, keepdim=True)
        else:
            self.tokens_b1 = torch.multinomial(logprobs_bv.exp(), 1, generator=generator)
        chosen_b1 = logprobs_bv.gather(-1, self.tokens_b1)
        self._tokens_b, self._logprobs_b = (
            one_b1[:, 0].to("cpu", non_blocking=True) for one_b1 in (self.tokens_b1, chosen_b1)
        )
        self._there: Any = None
        if logits_bv.is_cuda:
            self._there = torch.cuda.Event()  # type: ignore[no-untyped-call]
            self._there.record()

    def on_host(self) -> tuple[list[int], list[float]]:
        """Both, once they are there; what the device was given to do after them is not waited for."""
        if self._there is not None:
            self._there.synchronize()
        return self._tokens_b.tolist(), self._logprobs_b.tolist()


def processed_logprobs(logits_bv: Tensor, temperature: float, top_p: float) -> Tensor:
    """(B, V) log-probabilities that tokens are drawn with: temperature, then nucleus, then normalised again.

    Temperature 0 gives the model's own, as vLLM does. The nucleus keeps the likeliest tokens up to `top_p` and the
    one that crosses it.
    """
    if temperature == 0:
        return logits_bv.log_softmax(-1)
    logits_bv = logits_bv / temperature
    if top_p < 1:
        sorted_bv, index_bv = logits_bv.sort(-1, descending=True)
        probability_bv = sorted_bv.softmax(-1)
        outside_bv = probability_bv.cumsum(-1) - probability_bv >= top_p
        logits_bv = logits_bv.masked_fill(outside_bv.scatter(-1, index_bv, outside_bv), -torch.inf)
    return logits_bv.log_softmax(-1)
