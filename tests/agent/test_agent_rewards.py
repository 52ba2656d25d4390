"""Every reward pays honest work, pays no failure and no cheat, and says so where it lacks what it is made of."""

import math
from pathlib import Path
from typing import Any

import pytest
import yaml
from hydra import compose, initialize_config_module
from scripted import PROBLEM, RIGHT, given_module

from kernelwright import conf
from kernelwright.agent.evaluator import Rung, Status, Verdict
from kernelwright.agent.judge import JudgeError, Scores
from kernelwright.agent.measures import coverage, is_correct, speedup
from kernelwright.agent.rewards import REWARDS, make_reward, needs_of, paid
from kernelwright.frontend.agent import FrontendAgent
from kernelwright.ir.errors import UserError
from kernelwright.ir.values import KernelModule
from kernelwright.midend.agent import MidendAgent

GIVEN = given_module()
AFTER = given_module(RIGHT.replace("num_warps=4", "num_warps=8"))
TIMES = {"candidate": 1.0, "eager": 2.0, "inductor": 1.5, "before": 1.25, "modelled_candidate": 1.0}
TIMES |= {"modelled_before": 3.0}
PROFILED = {"profile": {"coverage": 0.8, "kernels": []}}
HONEST = Verdict(Status.OK, Rung.PROFILE, rungs=tuple(Rung), times_ms=TIMES, caliber=PROFILED)
PAID = {
    "frontend": 1.0,
    "midend": 3.0,
    "joint": 3.0,
    "composite": 0.1 + 0.3 + 2.0,
    "profiling": 0.5 + 0.5 * 2.0 + 0.5 * 0.8,
    "kevin": 0.3 + 2.0,
    "log_speedup": math.log(1.25),
    "cost_model": 4.0,
}
UNPAID = {
    "frontend": -10.0,
    "midend": -10.0,
    "joint": -10.0,
    "composite": 0.0,
    "profiling": 0.0,
    "kevin": 0.0,
    "log_speedup": -10.0,
    "cost_model": -10.0,
}
FAILURES = [status for status in Status if status is not Status.OK]


def failed(status: Status, rungs: tuple[Rung, ...] = (Rung.PARSE,)) -> Verdict:
    """A failure that shows splendid times and coverage all the same."""
    return Verdict(status, Rung.INTERPRET, "x", rungs, times_ms=TIMES | {"candidate": 1e-6}, caliber=PROFILED)


def test_every_reward_is_named() -> None:
    assert set(REWARDS) == set(PAID) == set(UNPAID)


@pytest.mark.parametrize("name", PAID)
def test_honest_work_is_paid(name: str) -> None:
    assert make_reward(name)(GIVEN, AFTER, HONEST) == pytest.approx(PAID[name])


@pytest.mark.parametrize("status", FAILURES)
@pytest.mark.parametrize("name", PAID)
def test_no_failure_and_no_cheat_is_paid(name: str, status: Status) -> None:
    assert make_reward(name)(GIVEN, AFTER, failed(status)) == UNPAID[name] < PAID[name]


@pytest.mark.parametrize("name", PAID)
def test_a_cheat_that_compiled_is_not_paid(name: str) -> None:
    verdict = failed(Status.CHEAT, (Rung.PARSE, Rung.COMPILE, Rung.INTERPRET, Rung.RUN))
    assert make_reward(name)(GIVEN, AFTER, verdict) == UNPAID[name]


@pytest.mark.parametrize("name", PAID)
def test_an_unread_answer_is_not_paid(name: str) -> None:
    assert make_reward(name)(GIVEN, None, failed(Status.UNPARSED, ())) == UNPAID[name]


@pytest.mark.parametrize("name", PAID)
def test_what_only_compiled_is_not_taken_for_correct(name: str) -> None:
    compiled = Verdict(Status.OK, Rung.COMPILE, rungs=(Rung.PARSE, Rung.COMPILE), times_ms=TIMES)
    with pytest.raises(UserError, match="does not say whether outputs are right"):
        make_reward(name)(GIVEN, AFTER, compiled)


@pytest.mark.parametrize("name", sorted(set(PAID) - {"frontend"}))
def test_a_missing_time_is_an_error(name: str) -> None:
    untimed = Verdict(Status.OK, Rung.RUN, rungs=(Rung.PARSE, Rung.RUN), caliber=PROFILED)
    with pytest.raises(UserError, match=r"needs (times|estimated)"):
        make_reward(name)(GIVEN, AFTER, untimed)


def test_a_missing_before_says_what_to_do() -> None:
    verdict = Verdict(Status.OK, Rung.TIME, times_ms={"candidate": 1.0, "eager": 1.0})
    with pytest.raises(UserError, match="evaluate the given module"):
        make_reward("log_speedup")(GIVEN, AFTER, verdict)


def test_a_missing_profile_is_an_error_unless_it_weighs_nothing() -> None:
    verdict = Verdict(Status.OK, Rung.TIME, times_ms=TIMES)
    with pytest.raises(UserError, match="rung profile"):
        make_reward("profiling")(GIVEN, AFTER, verdict)
    assert make_reward("profiling", {"covered": 0})(GIVEN, AFTER, verdict) == pytest.approx(1.5)


@pytest.mark.parametrize(
    ("name", "options", "most"),
    [
        ("midend", {}, 11.0),
        ("joint", {"cap": 5}, 6.0),
        ("composite", {}, 3.4),
        ("profiling", {}, 2.5),
        ("kevin", {}, 10.3),
        ("log_speedup", {"baseline": "eager"}, 3.0),
    ],
)
def test_speedups_are_capped(name: str, options: dict[str, Any], most: float) -> None:
    times = {"candidate": 1e-6, "eager": 1.0}
    verdict = Verdict(Status.OK, Rung.TIME, times_ms=times, caliber={"profile": {"coverage": 1.0}})
    assert make_reward(name, options)(GIVEN, AFTER, verdict) == pytest.approx(most)


def test_a_baseline_can_be_chosen() -> None:
    assert make_reward("midend", {"baseline": "inductor"})(GIVEN, AFTER, HONEST) == 2.5
    assert make_reward("midend", {"baseline": "before"})(GIVEN, AFTER, HONEST) == 2.25


def test_slower_than_before_is_worth_less_but_more_than_failing() -> None:
    slow = Verdict(Status.OK, Rung.TIME, times_ms={"candidate": 1000.0, "before": 1.0})
    assert make_reward("log_speedup")(GIVEN, AFTER, slow) == -3.0


STEADY = {"determinism": {"runs": 5, "equal": 4}, "timing": {"mode": {"eager": "events"}}}
STEADY["timing"]["modes"] = {"candidate": {"events": {"median": 2.0, "iqr": 0.5}}}  # type: ignore[index]


@pytest.mark.parametrize("name", ["frontend", "midend", "joint"])
def test_equal_runs_are_paid_and_their_spread_is_taken_off_where_that_is_asked_for(name: str) -> None:
    verdict = Verdict(Status.OK, Rung.TIME, times_ms=TIMES, caliber=STEADY)
    assert make_reward(name)(GIVEN, AFTER, verdict) == PAID[name]
    weights = {"determinism_weight": 2.0, "spread_weight": 3}
    reward = make_reward(name, weights)
    assert reward(GIVEN, AFTER, verdict) == pytest.approx(PAID[name] + 2 * 3 / 4 - 3 * 0.25)
    assert reward(GIVEN, AFTER, failed(Status.MISMATCH)) == UNPAID[name]
    needs = needs_of(reward)
    assert needs.repeats and needs.spread and needs.times
    assert not needs_of(make_reward(name)).repeats


def test_steadiness_that_was_not_measured_is_an_error() -> None:
    verdict = Verdict(Status.OK, Rung.TIME, times_ms=TIMES)
    with pytest.raises(UserError, match=r"evaluator\.repeats=3"):
        make_reward("frontend", {"determinism_weight": 1})(GIVEN, AFTER, verdict)
    with pytest.raises(UserError, match="rung time"):
        make_reward("midend", {"spread_weight": 1})(GIVEN, AFTER, verdict)


def test_the_cost_model_asks_its_estimate() -> None:
    verdict = Verdict(Status.OK, Rung.INTERPRET)
    reward = make_reward("cost_model", estimate=lambda module: {GIVEN.digest: 6.0, AFTER.digest: 4.0}[module.digest])
    assert reward(GIVEN, AFTER, verdict) == 2.5
    with pytest.raises(UserError, match="has none yet"):
        reward(PROBLEM, AFTER, verdict)


def test_compiling_alone_earns_its_part() -> None:
    compiled = Verdict(Status.MISMATCH, Rung.INTERPRET, "x", (Rung.PARSE, Rung.COMPILE))
    assert make_reward("composite")(GIVEN, AFTER, compiled) == pytest.approx(0.1)


class FixedJudge:
    """Always the same scores."""

    def __init__(self, *scores: float) -> None:
        self.given, self.asked = scores, 0

    def scores(self, before: KernelModule, after: KernelModule) -> Scores:
        """Those; without any the judge does not answer."""
        del before, after
        self.asked += 1
        if not self.given:
            raise JudgeError("no answer")
        return Scores(*self.given)


def test_the_judge_is_off_by_default() -> None:
    judge = FixedJudge()
    assert make_reward("composite", judge=judge)(GIVEN, AFTER, HONEST) == pytest.approx(2.4)
    assert judge.asked == 0


def test_the_judge_weighs_in_for_all_but_cheats_and_unread_answers() -> None:
    judge = FixedJudge(1.0, 0.5, 0.0)
    reward = make_reward("composite", {"judge_weight": 0.5}, judge=judge)
    assert reward(GIVEN, AFTER, HONEST) == pytest.approx(2.65)
    assert reward(GIVEN, AFTER, failed(Status.MISMATCH)) == pytest.approx(0.25)
    assert reward(GIVEN, AFTER, failed(Status.CHEAT)) == 0.0
    assert reward(GIVEN, None, failed(Status.UNPARSED)) == 0.0
    assert judge.asked == 2


def test_a_judge_that_fails_is_no_zero() -> None:
    with pytest.raises(JudgeError):
        make_reward("composite", {"judge_weight": 0.5}, judge=FixedJudge())(GIVEN, AFTER, HONEST)
    with pytest.raises(UserError, match="needs a judge"):
        make_reward("composite", {"judge_weight": 0.5})(GIVEN, AFTER, HONEST)


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("frontent", {}, "did you mean 'frontend'"),
        ("midend", {"floor": 1}, "has no option 'floor'"),
        ("midend", {"cap": "much"}, "cap takes a number"),
        ("midend", {"cap": True}, "cap takes a number"),
        ("midend", {"baseline": 3}, "baseline takes a word"),
        ("midend", {"baseline": "slow"}, "choose from eager"),
        ("composite", {"judge": "me"}, "has no option 'judge'"),
        ("log_speedup", {"failure": -1}, "must be below"),
        ("frontend", {"determinism_weight": -1}, "reward.determinism_weight=-1.0: out of range, at least 0"),
        ("joint", {"spread_weight": math.nan}, "a finite number"),
    ],
)
def test_a_bad_configuration_is_named(name: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=message):
        make_reward(name, options)


def test_measures() -> None:
    assert speedup(HONEST) == 2.0 and speedup(Verdict(Status.OK, Rung.RUN)) is None
    assert coverage(HONEST) == 0.8 and coverage(Verdict(Status.OK, Rung.RUN)) is None
    assert coverage(Verdict(Status.OK, Rung.RUN, caliber={"profile": {"coverage": 7}})) == 1.0
    assert not is_correct(failed(Status.TIMEOUT))


YAMLS = sorted((Path(conf.__path__[0]) / "reward").glob("*.yaml"))


def test_every_reward_has_its_yaml() -> None:
    assert {path.stem for path in YAMLS} == set(REWARDS)


@pytest.mark.parametrize("path", YAMLS, ids=lambda path: path.stem)
def test_every_yaml_composes_to_the_defaults(path: Path) -> None:
    with initialize_config_module("kernelwright.conf", version_base=None):
        config = dict(compose(f"reward/{path.stem}").reward)
    assert config == yaml.safe_load(path.read_text("utf-8"))
    assert config.pop("name") == path.stem
    assert make_reward(path.stem, config) == make_reward(path.stem)


class Odd:
    """A reward of somebody's own that says or raises what it is given."""

    def __init__(self, said: Any) -> None:
        self.said = said

    def __call__(self, before: KernelModule, after: KernelModule | None, verdict: Verdict) -> Any:
        del before, verdict
        return after.kernels if self.said is None else self.said  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("high", "reward Odd gives 'high'; give a finite number"),
        (math.nan, "reward Odd gives nan; give a finite number"),
        (True, "reward Odd gives True; give a finite number"),
        ([1.0], r"reward Odd gives \[1\.0\]; give a finite number"),
        (None, r"reward Odd fails: AttributeError: 'NoneType' .* \(`after` may be None\)"),
    ],
)
def test_a_reward_that_gives_no_number_is_named(said: Any, told: str) -> None:
    assert paid(Odd(2), GIVEN, AFTER, HONEST) == 2.0
    with pytest.raises(UserError, match=told):
        paid(Odd(said), GIVEN, None, HONEST)
    agents = FrontendAgent("h100", Odd(said)), MidendAgent("h100", Odd(said))
    for agent in agents:
        with pytest.raises(UserError, match=told):
            agent.reward(GIVEN, None, HONEST)
