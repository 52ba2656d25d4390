"""The canary of `kernelwright train`: whether the policy has the trainer's weights, asked before the first step."""

import dataclasses
import json
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from kernelwright.agent.policy import Policy, Prompt
from kernelwright.backend.scratch import Scratch
from kernelwright.driver.config.train_settings import CanarySettings
from kernelwright.ir.errors import UserError
from kernelwright.rl.trainer.learner import Learner, load_adapter_weights
from kernelwright.rl.trainer.packing import Example
from kernelwright.serve.canary import CanaryReport, Side, StepTooSmallError, check_sync, large_step

#: What every process is to do: take the adapter of a folder, score a row; None at the end.
_Asked = tuple[Path | None, Example | None] | None
_NOTHING: _Asked = None


def check_policy(
    policy: Policy, adapter: str, learner: Learner, prompts: Sequence[Prompt], settings: CanarySettings, folder: Path
) -> CanaryReport:
    """Let the policy answer with the learner's adapter and with one far from it; both have to be the learner's own.

    The learner is as before then, the policy has the far one loaded. What was found is `canary.json` in the folder.
    Raises SyncError where the policy has other weights, UserError where the far adapter is not far enough to tell.
    """
    with Scratch("canary") as scratch:
        near = scratch / "near"
        learner.save_adapter(near)
        far = large_step(near, scratch / "far", settings.scale)
        scorer = _Scorer(learner, near)
        before, after = (Side(place, partial(scorer.logprobs, place)) for place in (near, far))
        try:
            report = check_sync(
                policy,
                adapter,
                prompts[: settings.prompts],
                before,
                after,
                n=settings.n,
                max_tokens=settings.max_tokens,
                ratio=settings.ratio,
                slack=settings.slack,
                share=settings.share,
            )
        except StepTooSmallError as error:
            raise UserError(f"{error}; raise canary.scale, or skip the canary with canary.enabled=false") from error
        finally:
            scorer.end(near)
    (folder / "canary.json").write_text(json.dumps(dataclasses.asdict(report), indent=1) + "\n", "utf-8")
    return report


def follow_canary(learner: Learner) -> None:
    """Take part in the scoring of `check_policy`, which another process runs, until it ends."""
    while (asked := learner.ranks.shared(_NOTHING)) is not None:
        place, row = asked
        if place is not None:
            load_adapter_weights(learner.model, place)
        if row is not None:
            learner.scored([row])


class _Scorer:
    """A learner that takes the adapter of whichever folder is asked about; it has that of `place` to begin with."""

    def __init__(self, learner: Learner, place: Path) -> None:
        self.learner, self._place = learner, place

    def logprobs(self, place: Path, prompt_ids: Sequence[int], token_ids: Sequence[int]) -> list[float]:
        row = Example(tuple(prompt_ids), tuple(token_ids))
        self._show(place, row)
        found: list[float] = self.learner.scored([row]).logp[0].tolist()
        return found

    def end(self, place: Path) -> None:
        """Be as before, in every process."""
        self._show(place, None)
        self.learner.ranks.shared(None)

    def _show(self, place: Path, row: Example | None) -> None:
        moved = None if place == self._place else place
        asked: _Asked = (moved, row)
        self.learner.ranks.shared(asked)
        if moved is not None:
            load_adapter_weights(self.learner.model, moved)
            self._place = moved
