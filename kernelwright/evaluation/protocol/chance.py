"""What a job's processes draw while a candidate runs: secret, and the same again for an evaluator with a `seed`.

The judge draws one number a job, which comes with the job. Neither process takes anything from Python's or torch's own
generators, whose seeds a program may set.
"""

import random

#: What is drawn from in this process; a job begins it anew.
chance = random.Random()
