"""The agent of a stage, as a configuration has it."""

from kernelwright.agent.rewards import Reward
from kernelwright.driver.config.train_settings import RolloutSettings
from kernelwright.frontend.agent import FrontendAgent
from kernelwright.midend.agent import MidendAgent
from kernelwright.rl.data.rows import FRONTEND


def make_agent(stage: str, target: str, rollout: RolloutSettings, reward: Reward) -> FrontendAgent | MidendAgent:
    """The agent of a stage: the same as its pass has."""
    if stage == FRONTEND:
        return FrontendAgent(target, reward, rollout.form, rollout.history, prompt=rollout.prompt)
    return MidendAgent(target, reward, rollout.action, rollout.history, rollout.form)
