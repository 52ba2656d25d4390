"""An algorithm: GRPO with a smaller clip and half the weight on negative advantages."""

from kernelwright.rl.algorithms.algorithm import Algorithm

GENTLE = Algorithm(clip_low=0.1, clip_high=0.1, negative=0.5, kl=0.0)
