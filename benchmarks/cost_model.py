"""How good the cost model is on a GPU: predicted against measured time, for launch options good and bad.

    python benchmarks/cost_model.py --problems problems.jsonl --plan plan.json --target h200 --predict-only
    python benchmarks/cost_model.py --problems problems.jsonl --plan plan.json --resume --out cost_model_h200.json
    python benchmarks/cost_model.py --problems problems.jsonl --plan plan.json --repredict --out cost_model_h200.json

The first, which needs no GPU, lowers every problem at full size, takes its kernel with the largest estimate, draws
options for it and predicts each; the plan holds modules, options and predictions, so that the second measures the
same ones with whatever versions its machine has, stopping after `--budget` seconds. The third judges the model as it
is now against times already measured. Lines of the problems' file are {"level", "problem_id", "name", "code"};
results hold none of its code.

A time is the device's, of one launch, from CUDA events around it behind a flush of the L2 cache, in microseconds.
Every second problem is `held_out`: constants of the model may be fitted to the others only.
"""

import argparse
import json
import math
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from cost_model_cases import Case, plan_case
from cost_model_device import caliber, measure_us, warm_up

from kernelwright.backend.cost import launch_cost_of
from kernelwright.backend.targets import get_target
from kernelwright.ir.errors import KernelwrightError
