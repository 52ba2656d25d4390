"""A warning where candidates run with fewer walls around them than there are."""

import sys
from collections.abc import Mapping
from typing import Any

from kernelwright.evaluation.sandbox.isolation import EVERY_WALL


def warn_of_walls(caliber: Mapping[str, Any]) -> None:
    """Say on stderr which walls the kernel of this machine refused to a candidate that was judged here."""
    standing = caliber.get("walls", ())
    missing = [wall for wall in EVERY_WALL if wall not in standing]
    if standing and missing:  # none at all: no candidate ran
        sys.stderr.write(
            f"kernelwright: warning: candidates ran without {', '.join(missing)}: this machine's kernel, or the "
            "container, refuses them; do not judge untrusted programs here\n"
        )
