"""What a search on a GPU has verified: one candidate at a time in a thread beside the measuring, and each waited for no
longer than the search has time."""

import math
import time
from collections.abc import Callable
from concurrent.futures import Future, wait
from dataclasses import dataclass, field

from kernelwright.agent.evaluator import Verdict
from kernelwright.ir.values import KernelModule
from kernelwright.midend.search.beside import beside


@dataclass
class Verifying:
    """Verdicts by the modules' digests, and the one that is under way.

    `judge` gives the verdict on a module. A judging that is not waited for any more goes on in its thread.
    """

    judge: Callable[[KernelModule], Verdict]
    verdicts: dict[str, Verdict] = field(default_factory=dict)
    _digest: str = ""
    _under_way: "Future[Verdict] | None" = None

    def begin(self, module: KernelModule) -> None:
        """Have a module judged beside what else is done, unless another one is or its verdict is known."""
        self._collect(raises="")
        if self._under_way is None and module.digest not in self.verdicts:
            self._digest, self._under_way = module.digest, beside(lambda: self.judge(module))

    def verdict(self, module: KernelModule, until: float = math.inf) -> Verdict | None:
        """The verdict on a module; None where it is not there at `until` by time.monotonic. Raises what judging it
        raises; what was begun before and raised is judged again."""
        while module.digest not in self.verdicts:
            asked = self._under_way is None
            if asked:
                if time.monotonic() >= until:
                    return None
                self.begin(module)
            assert self._under_way is not None
            wait([self._under_way], None if until == math.inf else max(until - time.monotonic(), 0.0))
            if not self._under_way.done():
                return None
            self._collect(raises=module.digest if asked else "")
        return self.verdicts[module.digest]

    def under_way(self) -> str:
        """The digest of the module that is being judged; empty where none is."""
        self._collect(raises="")
        return self._digest if self._under_way is not None else ""

    def _collect(self, raises: str) -> None:
        """Take the verdict of a judging that is over. Its error is raised for the module `raises` alone."""
        if self._under_way is None or not self._under_way.done():
            return
        done, self._under_way = self._under_way, None
        error = done.exception()
        if error is None:
            self.verdicts[self._digest] = done.result()
        elif raises == self._digest:
            raise error
