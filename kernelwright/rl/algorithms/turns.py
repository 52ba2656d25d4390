"""The rows that are trained on: one turn of one trajectory each."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import torch
from torch import Tensor

from kernelwright.agent.trajectory import Trajectory, Turn


@dataclass(frozen=True)
class Turns:
    """N turns with T response tokens each, padded on the right. Log-probabilities are in nats.

    logp          (N, T)  by the policy that is trained, with gradients
    old_logp      (N, T)  by the trainer's policy before its first update on the batch: the one that drew the tokens, or
                          as many steps later as batches are drawn ahead
    rollout_logp  (N, T)  by the engine that drew them, after temperature and top-p
    ref_logp      (N, T)  by the policy that KL is taken to; None where no KL is asked for
    mask          (N, T)  bool: the policy's own tokens
    reward        (N,)    of the turn alone
    prompt        (N,)    int64: which problem
    traj          (N,)    int64: which trajectory
    turn          (N,)    int64: which turn of it, from 0
    valid         (N,)    bool: False only where the infrastructure failed, never for a bad answer
    correct       (N,)    bool: verified
    speedup       (N,)    over the reference, NaN where not measured
    coverage      (N,)    share of device time in generated kernels, NaN where not measured
    """

    logp: Tensor
    old_logp: Tensor
    rollout_logp: Tensor
    ref_logp: Tensor | None
    mask: Tensor
    reward: Tensor
    prompt: Tensor
    traj: Tensor
    turn: Tensor
    valid: Tensor
    correct: Tensor
    speedup: Tensor
    coverage: Tensor

    def __len__(self) -> int:
        return self.mask.shape[0]

    def select(self, rows: Tensor | Sequence[int]) -> "Turns":
        """Some of the rows, by index or bool mask, as wide as before."""
        chosen = torch.as_tensor(rows, device=self.mask.device)
        picked: dict[str, Any] = {}
        for field in fields(self):
            value = getattr(self, field.name)
            picked[field.name] = None if value is None else value[chosen]
        return Turns(**picked)

    def with_logp(self, logp: Tensor) -> "Turns":
        """The same rows as the policy that is trained sees them; `logp` may be narrower than T."""
        return replace(self, logp=torch.nn.functional.pad(logp, (0, self.mask.shape[1] - logp.shape[1])))

    def validate(self) -> None:
        """Check a whole batch, before rows are selected from it.

        Raises ValueError for shapes and types that differ from the above, for a log-probability of a valid row that is
        no finite number (a token drawn with -inf by the engine excepted), a reward that is none, a trajectory of
        several prompts, and turns that are not 0, 1, 2, …
        """
        _check_shapes(self)
        learnt = self.mask & self.valid[:, None]
        for name in ("logp", "old_logp", "rollout_logp", "ref_logp"):
            values = getattr(self, name)
            if values is None:
                continue
            bad = torch.isnan(values) if name == "rollout_logp" else ~torch.isfinite(values)
            _refuse((bad & learnt).any(-1), f"{name} is no finite number")
        _refuse(~torch.isfinite(self.reward) & self.valid, "the reward is no finite number")
        _check_trajectories(self)


def _refuse(bad: Tensor, message: str) -> None:
    if bool(bad.any()):
        rows = bad.nonzero()[:, 0].tolist()
        raise ValueError(f"turns {', '.join(map(str, rows[:5]))}{', …' if len(rows) > 5 else ''}: {message}")


def _check_shapes(turns: Turns) -> None:
    if turns.mask.ndim != 2:
        raise ValueError(f"mask: (N, T) expected, not {tuple(turns.mask.shape)}")
    wide = {"logp", "old_logp", "rollout_logp", "ref_logp", "mask"}
    types = {"mask": torch.bool, "valid": torch.bool, "correct": torch.bool}
    types |= dict.fromkeys(("prompt", "traj", "turn"), torch.int64)
    for field in fields(turns):
        value = getattr(turns, field.name)
        if value is None and field.name == "ref_logp":
            continue
        shape = tuple(turns.mask.shape) if field.name in wide else (len(turns),)
        if tuple(value.shape) != shape:
            raise ValueError(f"{field.name}: {shape} expected, not {tuple(value.shape)}")
        wanted = types.get(field.name)
        if wanted is None and not value.is_floating_point():
            raise ValueError(f"{field.name}: floating point expected, not {value.dtype}")
        if wanted is not None and value.dtype != wanted:
            raise ValueError(f"{field.name}: {wanted} expected, not {value.dtype}")


def _check_trajectories(turns: Turns) -> None:
    seen: dict[int, list[int]] = {}
    prompts: dict[int, int] = {}
    columns = zip(turns.traj.tolist(), turns.turn.tolist(), turns.prompt.tolist(), strict=True)
    for traj, turn, prompt in columns:
        seen.setdefault(traj, []).append(turn)
        if prompts.setdefault(traj, prompt) != prompt:
            raise ValueError(f"trajectory {traj}: turns of prompts {prompts[traj]} and {prompt}")
    for traj, numbers in seen.items():
        if sorted(numbers) != list(range(len(numbers))):
            raise ValueError(f"trajectory {traj}: turns 0 to {len(numbers) - 1} expected, not {sorted(numbers)}")


def padded(rows: Sequence[Sequence[float]], width: int | None = None) -> Tensor:
    """Rows of different lengths as fp32 (N, T), zero past the end of each; T is `width` or the longest row's length."""
    longest = max((len(row) for row in rows), default=0) if width is None else width
    result = torch.zeros(len(rows), longest)
    for index, row in enumerate(rows):
        result[index, : len(row)] = torch.tensor(row)
    return result


def turns_of(
    trajectories: Sequence[Trajectory],
    old_logp: Tensor,
    ref_logp: Tensor | None = None,
    speedup: Sequence[float] | None = None,
    coverage: Sequence[float] | None = None,
    mask_truncated: bool = False,
) -> Turns:
    """Rows for all turns of some trajectories, in their order; `logp` is `old_logp` until `with_logp`.

    `old_logp`, `ref_logp` (N, T): T at least the longest completion's tokens; `speedup`, `coverage` (N,), NaN where not
    given. With `mask_truncated` a completion that was cut off has no token that is learnt from; its reward still counts
    in the baseline of its group. Raises ValueError for a valid turn whose completion does not tell the probability of
    each token.
    """
    rows = [(place, number, turn) for place, made in enumerate(trajectories) for number, turn in enumerate(made.turns)]
    device, width = old_logp.device, old_logp.shape[1]
    found = [_logprobs(turn, place, number) for place, number, turn in rows]
    learnt = [not (mask_truncated and turn.completion.finish == "length") for _, _, turn in rows]
    lengths = torch.tensor([len(values) * keep for values, keep in zip(found, learnt, strict=True)], device=device)
    unknown = [float("nan")] * len(rows)

    def integers(values: list[int]) -> Tensor:
        return torch.tensor(values, dtype=torch.int64, device=device)

    def floats(values: Sequence[float]) -> Tensor:
        return torch.tensor(values, dtype=torch.float32, device=device)

    return Turns(
        logp=old_logp,
        old_logp=old_logp.detach(),
        rollout_logp=padded(found, width).to(device),
        ref_logp=ref_logp,
        mask=torch.arange(width, device=device)[None, :] < lengths[:, None],
        reward=floats([turn.reward for _, _, turn in rows]),
        prompt=integers([trajectories[place].problem for place, _, _ in rows]),
        traj=integers([place for place, _, _ in rows]),
        turn=integers([number for _, number, _ in rows]),
        valid=torch.tensor([turn.valid for _, _, turn in rows], dtype=torch.bool, device=device),
        correct=torch.tensor([turn.verdict.ok for _, _, turn in rows], dtype=torch.bool, device=device),
        speedup=floats(unknown if speedup is None else speedup),
        coverage=floats(unknown if coverage is None else coverage),
    )


def _logprobs(turn: Turn, traj: int, number: int) -> tuple[float, ...]:
    """What the engine drew each token with; none for a turn that is not learnt from."""
    tokens, logprobs = turn.completion.token_ids, turn.completion.logprobs
    if turn.valid and len(tokens) != len(logprobs):
        raise ValueError(f"trajectory {traj}, turn {number}: {len(tokens)} tokens, {len(logprobs)} log-probabilities")
    return logprobs
