"""What a reward needs, against what a training run measures and pays for: told before anything is asked or judged."""

from collections.abc import Sequence

from kernelwright.agent.evaluator import ON_GPU, Rung
from kernelwright.agent.rewards import Needs, reward_options
from kernelwright.driver.config.settings import EvaluatorKind
from kernelwright.driver.config.train_settings import RolloutSettings, TrainSettings
from kernelwright.ir.errors import UserError

#: The rungs of a candidate that is timed, on a GPU.
TIMED = (Rung.PARSE, Rung.COMPILE, Rung.RUN, Rung.TIME)


def rungs_for(needs: Needs, rollout: RolloutSettings) -> tuple[Rung, ...] | None:
    """The rungs that are configured; where none are and a GPU is there, also those that a reward is made of."""
    if rollout.rungs is not None or not (needs.times or needs.profile):
        return rollout.ladder()
    if not _has_gpu():
        return rollout.ladder()
    return (*TIMED, Rung.PROFILE) if needs.profile else TIMED


def _has_gpu() -> bool:
    import torch  # late: most rewards are checked without it

    return torch.cuda.is_available()


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
    wants_gpu = next((rung for rung in ON_GPU if rung in climbed), None)
    if wants_gpu is not None and evaluator.kind is EvaluatorKind.local and not _has_gpu():
        way_out = "leave it out" + ", and give a reward without times, such as reward=cost_model" * needs.times
        raise UserError(f"rollout.rungs has {wants_gpu}, which needs a GPU, and there is none here; {way_out}")
    _check_steadiness(needs, settings, climbed)
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


def _check_steadiness(needs: Needs, settings: TrainSettings, climbed: Sequence[Rung]) -> None:
    """The same for what several runs of a candidate show."""
    weights = {name: f"reward.{name}={value:g}" for name, value in settings.pay.items() if name.endswith("_weight")}
    reward = _named(settings)
    if needs.spread and Rung.TIME not in climbed:
        raise UserError(
            f"{weights.get('spread_weight', reward)} needs the spread over timed runs: give "
            "rollout.rungs=[parse,compile,run,time] on a GPU, or leave the spread out of the reward"
        )
    if needs.repeats and settings.plain.evaluator.repeats < 2:
        told = weights.get("determinism_weight", reward)
        raise UserError(f"{told} compares runs on the same input: give evaluator.repeats=3")


def doubts(settings: TrainSettings) -> list[str]:
    """What of a configuration fits together and still teaches something else than is meant; a sentence each."""
    algorithm, turns = settings.algorithm, settings.plain.rollout.turns
    added_up = algorithm.how == "sum" and algorithm.gamma > 0 and algorithm.group == "prompt"
    if not settings.reward or turns == 1 or not added_up:
        return []
    failure = settings.pay.get("failure", reward_options(settings.reward).get("failure", 0.0))
    if not failure:
        return []
    return [
        f"reward.failure={failure:g} is added up over {turns} turns, and all turns of a prompt are compared with one "
        "another. If all answers are wrong, late turns look better than early turns, and the agent learns only that; "
        "give reward.failure=0, or algorithm.group=prompt_turn"
    ]
