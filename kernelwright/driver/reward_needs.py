"""What a reward needs, against what a training run measures: told before anything is asked or judged."""

from kernelwright.agent.evaluator import Rung
from kernelwright.agent.rewards import Needs
from kernelwright.driver.train_settings import RolloutSettings, TrainSettings
from kernelwright.ir.errors import UserError

_TIMED = (Rung.PARSE, Rung.COMPILE, Rung.RUN, Rung.TIME)


def rungs_for(needs: Needs, rollout: RolloutSettings) -> tuple[Rung, ...] | None:
    """The rungs that are configured; where none are and a GPU is there, also those that a reward is made of."""
    if rollout.rungs is not None or not (needs.times or needs.profile):
        return rollout.ladder()
    import torch  # late: most rewards are checked without it

    if not torch.cuda.is_available():
        return rollout.ladder()
    return (*_TIMED, Rung.PROFILE) if needs.profile else _TIMED


def check_judge(needs: Needs, settings: TrainSettings) -> None:
    """UserError, naming the reward and the way out, where a judge is needed and none is configured."""
    if needs.judge and not settings.plain.judge.is_configured:
        weight = settings.pay.get("judge_weight")
        told = f"reward.judge_weight={weight:g}" if weight else _named(settings)
        way_out = ", or reward.judge_weight=0" if weight else ", or another reward"
        raise UserError(f"{told} needs a judge: give judge=openai judge.url=… judge.model=…{way_out}")


def _named(settings: TrainSettings) -> str:
    return f"the reward {settings.reward or settings.plugins['reward']['_target_']}"


def check_needs(needs: Needs, settings: TrainSettings) -> None:
    """UserError, naming the reward and the way out, for a need that nothing in the configuration meets."""
    plain = settings.plain
    climbed, evaluator = rungs_for(needs, plain.rollout) or (), plain.evaluator
    reward = _named(settings)
    check_judge(needs, settings)
    # A quick estimate is of candidates alone; it can be compared with that of the module that was given.
    estimated = Rung.RUN in climbed and evaluator.samples > 0 and needs.baseline in ("", "before")
    if needs.times and Rung.TIME not in climbed and not estimated:
        rungs = ", ".join(climbed) or "parse, compile, interpret"
        raise UserError(
            f"{reward} uses measured times, but the rungs {rungs} measure no times: give "
            "rollout.rungs=[parse,compile,run,time] on a GPU, or a reward without times, such as reward=cost_model"
        )
    if needs.baseline in ("eager", "inductor") and needs.baseline not in evaluator.baselines:
        measured = ",".join([*evaluator.baselines, needs.baseline])
        raise UserError(f"{reward} compares with {needs.baseline}: give evaluator.baselines=[{measured}]")
    if needs.profile and Rung.PROFILE not in climbed:
        raise UserError(f"{reward} needs a profile: give rollout.rungs=[parse,compile,run,time,profile] on a GPU")
