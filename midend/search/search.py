"""`search`: the fastest verified of many lowerings, rewrites and launch options, without a language model."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

from kernelwright.backend.targets import get_target
from kernelwright.ir.errors import UserError
from kernelwright.ir.passes import Context, Pass, register
from kernelwright.ir.values import KernelModule, Level, Record

if TYPE_CHECKING:
    from kernelwright.midend.search.search_run import Spending
    from kernelwright.midend.search.space import Space


@register
@dataclass(frozen=True)
class Search(Pass):
    """Try lowerings, rewrites and launch options; keep the fastest verified program, or the plain lowering.

    width: candidates that are made into longer ones, and without a GPU those that the cost model lets through to be
    verified; of those, half of each round go on to more trials of `tune`, up to `trials` for the last. most:
    candidates that are made (on a GPU, where several are at a time, twice as many). seconds: when to stop with what
    there is (0: when done); on a GPU half of them are left once processes have started, however long that takes.
    After them a search on a GPU waits for a first verdict, and for one on the fastest 4.5 s and a tenth of its seconds
    more, or as long as the first one took. It keeps the fastest that is verified by then; where nothing is, it
    waits for the first that is found right.
    measure: gpu, model, or auto (the GPU where there is one). resume: go on from what an earlier search of the same
    program found out. general: rewrite the module's own kernels alone, and write no size into them that launches
    pass. memory: on a GPU, begin with what won on programs like this one, and remember what wins. rivals: on a GPU,
    how many of the next fastest are verified as well, for callers that time them elsewhere. cache: on a GPU, cold has
    all data come from memory in what is measured; hot has caches as another run of the same leaves them.

    On a GPU all candidates of which the cost model has hopes are compiled by `workers` processes (0: as many as there
    are cores, 12 at most), compared loosely with the plain lowering and measured in one more; `trials` are those of the
    first round, and the last candidate gets ever more while that brings something. Only the fastest are verified, and
    with `timed` what is kept is timed beside eager PyTorch and Inductor at the end, which is not counted into the
    seconds.

    It begins with the module's own kernels where it has some, which are then what must be beaten. Ctrl-C keeps the best
    so far. Of the context's services it takes `SearchServices`, and `evaluate`, `rungs` and `estimate` of
    `AgentServices`.
    """

    name: ClassVar[str] = "search"
    reads: ClassVar[Level] = Level.TORCH
    writes: ClassVar[Level] = Level.TUNED
    explore = None

    width: int = 8
    trials: int = 16
    most: int = 48
    seconds: float = 0.0
    measure: str = "auto"
    resume: bool = True
    workers: int = 0
    timed: bool = True
    memory: bool = True
    general: bool = False
    rivals: int = 0
    cache: str = "cold"

    def __post_init__(self) -> None:
        for name in ("width", "trials", "most"):
            if getattr(self, name) < 1:
                raise UserError(f"{name}={getattr(self, name)}: at least one is needed")
        if self.rivals < 0:
            raise UserError(f"rivals={self.rivals}: give a number of candidates")
        if self.workers < 0:
            raise UserError(f"workers={self.workers}: give a number of processes, or 0 for as many as the cores allow")
        if self.seconds < 0:
            raise UserError(f"seconds={self.seconds}: give seconds, or 0 for no limit")
        if self.cache not in ("cold", "hot"):
            raise UserError(f"cache={self.cache!r}; choose cold or hot")
        if self.measure not in ("auto", "gpu", "model"):
            raise UserError(f"measure={self.measure!r}; choose auto, gpu or model")

    def run(self, module: KernelModule, ctx: Context) -> KernelModule:
        """The fastest verified candidate; its record's notes say what was tried, and how times were obtained.

        Raises UserError without an evaluator, for a target that is no GPU and for measure=gpu without one; what the
        plain lowering raises; SearchError where no candidate is verified.
        """
        import torch  # late: a pass is known, and its options are read, without torch

        from kernelwright.midend.search.search_run import OutOfTimeError, SearchRun, Spending
        from kernelwright.midend.search.space import Space

        if not get_target(ctx.target).is_gpu:
            raise UserError(f"search compares times, and target {ctx.target} has none; choose a GPU such as h100")
        if self.measure == "gpu" and not torch.cuda.is_available():
            raise UserError("search{measure=gpu} needs a CUDA device; use measure=model, or auto")
        spending = Spending(self.width, self.trials, self.most, self.seconds)
        if self.measure != "model" and torch.cuda.is_available():
            spending = replace(spending, most=2 * spending.most)
            return self._measured(Space(module, ctx, general=self.general), spending, module, ctx)
        run = SearchRun(Space(module, ctx, general=self.general), spending, ctx, self.resume)
        stopped = ""
        try:
            run.run()
        except KeyboardInterrupt:
            if not run.verified:
                raise
            stopped = "interrupted"
        except OutOfTimeError:
            stopped = "out of time"
        best = run.best()
        notes = run.notes(best) | ({"stopped": stopped} if stopped else {})
        return _stamped(best.candidate.module, module, ctx, str(best.verdict), notes)

    def _measured(self, space: "Space", spending: "Spending", module: KernelModule, ctx: Context) -> KernelModule:
        import torch

        from kernelwright.midend.search.measured import MeasuredSearchRun
        from kernelwright.midend.search.processes import workers_of

        torch.cuda.empty_cache()  # does nothing where nothing was allocated; the children want it
        run = MeasuredSearchRun(
            space,
            spending,
            ctx,
            workers_of(self.workers),
            self.resume,
            self.timed,
            memory=self.memory,
            rivals=self.rivals,
            cache=self.cache,
        )
        best = run.run().candidate
        return _stamped(best.module, module, ctx, str(run.verdicts[best.digest]), run.notes())


def _stamped(
    found: KernelModule, given: KernelModule, ctx: Context, verdict: str, notes: Mapping[str, Any]
) -> KernelModule:
    """What was found, with one record that says how."""
    record = Record("", "", seed=ctx.seed, verdict=verdict, notes=notes)
    return replace(found, provenance=(*given.provenance, record))
