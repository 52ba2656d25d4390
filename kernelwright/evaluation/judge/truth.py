"""What the judge knows: for each reference, inputs and state, eager's outputs, and the gold."""

import contextlib
import hashlib
import json
import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any

from kernelwright.agent.evaluator import Status
from kernelwright.evaluation.checks.expected import ORDERS, Expected, rms_of
from kernelwright.evaluation.inputs.draws import HIGHEST, IMPULSES, LOWEST, NAMED, ORDINARY, SAME, Draw
from kernelwright.evaluation.inputs.kinds.compared import COMPARED
from kernelwright.evaluation.inputs.kinds.numbers import NUMBERS, other_numbers
from kernelwright.evaluation.inputs.not_finite import EXTREME
from kernelwright.evaluation.inputs.weights import NUDGED_BYTES, NUDGES
from kernelwright.evaluation.protocol.answers import ReferencePass, ReferenceRan
from kernelwright.evaluation.protocol.jobs import RunReference
from kernelwright.evaluation.protocol.transport import encode_reference
from kernelwright.evaluation.protocol.wire import SKETCHED, RawTensor
from kernelwright.evaluation.sandbox.parent import Limits, Sandbox, SandboxError
from kernelwright.ir.values import DTYPES, Reference, TensorSpec, Tolerance

#: What is kept of all references: so many bytes, and so many references, each of which may hold a file open.
_CACHED_BYTES, CACHED = 2 << 30, 256
_SLACK_BYTES = 1 << 20
#: How torch's modules call the calls that they count: nothing reads that but a batch norm without momentum.
UNREAD_COUNT = "num_batches_tracked"
#: What a source names that reads it.
_READ_COUNT = (UNREAD_COUNT, "momentum=None")
#: How many times eager's error a candidate's may be at most where eager may take its operands as TF32.
TF32_FACTOR = 4.0
#: The least RMS of inputs beside which numbers around 1 leave less than inputs are.
_LEAST_ORDINARY = 2**-7
#: Draws of more than so many bytes do not travel, and this many of them are made at most; outputs are then sketched
#: that have more elements than the third says.
LARGE_BYTES, LARGE_DRAWS, SKETCHED_ABOVE = 256 << 20, 4, 4 << 20
#: Bytes of all draws that travel: they are drawn, sent and compared for each candidate again.
DRAWN_BYTES = 2 << 30


@dataclass(frozen=True)
class ReferenceRun:
    """One draw of values and what the reference made of it.

    `inputs` has None for scalars, and for tensors that are drawn again where they are needed, whose `digests` are
    known; `kept` names the tensors that the reference leaves unchanged, `left` has what it makes of all others.
    `shared`: for each output of eager, the outputs, inputs and state that it shares memory with. `computed`: whether it
    is computed, and neither a view or copy of inputs and weights nor a constant. `of_inputs`: for each whether an input
    has a part in it. `returns`: what eager gives, see `ir.host.structure`. `autocast`: its outputs under autocast,
    where these are others. `unread`: names of counts that it adds to and never reads.
    """

    draw: Draw
    inputs: tuple[RawTensor | None, ...]
    state: Mapping[str, RawTensor]
    expected: tuple[Expected, ...]
    kept: frozenset[str]
    digests: tuple[int, ...] = ()
    left: tuple[Expected, ...] = ()
    shared: tuple[frozenset[str], ...] = ()
    computed: tuple[bool, ...] = ()
    of_inputs: tuple[bool, ...] = ()
    returns: str = "tensor"
    autocast: tuple[Expected, ...] = ()
    unread: frozenset[str] = frozenset()

    def left_by(self, in_the_dialect: bool) -> tuple[Expected, ...]:
        """What the reference changes. Programs in the dialect need not count what nothing reads."""
        return tuple(one for one in self.left if not in_the_dialect or one.name not in self.unread)

    @property
    def drawing(self) -> dict[str, Any]:
        """What a call says of its inputs, should they not travel."""
        return {"draw": asdict(self.draw), "digests": tuple(self.digests)}

    def same(self, reference: Reference) -> dict[str, str]:
        """The inputs that a caller gives as one with an earlier one, by name, where a draw has such."""
        found: dict[str, str] = {}
        known: dict[tuple[Any, ...], str] = {}
        for spec, tensor in zip(reference.inputs, self.inputs, strict=True) if self.draw.kind == SAME else ():
            if tensor is not None and spec.name in self.kept:
                key = tensor.dtype, tensor.shape, tensor.strides, bytes(tensor.data)
                if known.setdefault(key, spec.name) != spec.name:
                    found[spec.name] = known[key]
        return found

    def values(self, reference: Reference) -> tuple[Any, ...]:
        """The numbers among the inputs, None for tensors."""
        values = [getattr(spec, "value", None) for spec in reference.inputs]
        return tuple(other_numbers(reference.inputs, values, self.draw.inputs) if self.draw.kind == NUMBERS else values)

    @property
    def given(self) -> tuple[RawTensor, ...]:
        """All tensors that a candidate is handed."""
        return tuple(tensor for tensor in self.inputs if tensor is not None) + tuple(self.state.values())


@dataclass(frozen=True)
class Truth:
    """All passes of a reference; or, where `failure` says that there are none, why and what that amounts to.

    `init` is the source text of the init arguments, None where they are more than literals. `built` is the state of the
    model as built from the judge's seed, before any pass. `notes` tell where the gold is less than fp64. `tf32`: eager
    rounded operands to TF32. With `sketch`, a `Sketching` as JSON, inputs do not travel and large outputs are sketched.
    `left_out`: kinds of inputs that the reference does not take. `alike_in_eval`: it gives the same in evaluation mode.
    `held`: what draws keep of each input. `alike_under_autocast`: the same under autocast. `module`: see `holdings`.
    """

    passes: tuple[ReferenceRun, ...] = ()
    built: Mapping[str, RawTensor] = field(default_factory=dict)
    init: str | None = None
    status: Status = Status.OK
    failure: str = ""
    notes: tuple[str, ...] = ()
    sketch: Mapping[str, int] | None = None
    tf32: bool = False
    left_out: tuple[str, ...] = ()
    alike_in_eval: bool = False
    alike_under_autocast: bool = False
    held: Mapping[str, Sequence[str]] = field(default_factory=dict)
    module: Mapping[str, Any] = field(default_factory=dict)

    def of_form(self, form: str) -> "Truth":
        """The truth about programs of this form: a function has no evaluation mode, and does what training does. It is
        not given numbers among the inputs, which are part of its text."""
        if form == "class":
            return self
        return replace(self, passes=tuple(one for one in self.passes if one.draw.training and one.draw.kind != NUMBERS))

    def tolerance(self, reference: Reference) -> Tolerance:
        """How close is right."""
        tolerance = reference.tolerance
        if not self.tf32:
            return tolerance
        # Errors of products of normal numbers (RMS, measured): 2.9e-4 where operands are rounded to TF32, up to 9e-4
        # where they are cut off, as those of `tl.dot` are, 2.3e-3 in bf16. 16 times the first would let the last pass.
        # Where products add up, what cutting does to them does too: twice the error of cut operands is allowed as well.
        return replace(tolerance, factor=min(tolerance.factor, TF32_FACTOR))

    def drawing(self, reference: Reference) -> dict[str, Any]:
        """What a job with calls on inputs that do not travel says."""
        return {"sketch": self.sketch, "reference": encode_reference(reference)} if self.sketch else {}

    @cached_property
    def nbytes(self) -> int:
        """Bytes that it keeps in memory."""
        tensors = [tensor for one in self.passes for tensor in one.given]
        tensors += [t for one in self.passes for e in (*one.expected, *one.left) for t in e.tensors]
        return sum(tensor.nbytes for tensor in tensors)


def answer_bytes(tensors: Sequence[TensorSpec]) -> int:
    """What an answer with these tensors may take."""
    return sum(tensor.nbytes + 64 for tensor in tensors) + _SLACK_BYTES


class TruthKeeper:
    """Runs references in children of plain sandboxes and keeps what the latest gave, up to two gigabytes of it for each
    of the `sharers`, evaluators that ask it from threads of their own: each reference runs once for all of them."""

    def __init__(self, seed: int, draws: tuple[Draw, ...], limits: Limits, signs: int, sharers: int = 1) -> None:
        self._seed, self._draws, self._limits, self._signs = seed, draws, limits, signs
        self._most = _CACHED_BYTES * sharers
        self._kept: OrderedDict[tuple[str, str], Future[Truth]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, reference: Reference, device: str, sandbox: Sandbox, numbers: tuple[float, ...] = ()) -> Truth:
        """The truth about a reference on `cpu` or `cuda`; the sandbox is where it runs, if nobody runs it yet.

        If `numbers` are given, the truth is on one draw of inputs around these numbers.
        """
        draws = (replace(self._draws[-1], kind=NAMED, numbers=numbers),) if numbers else self._draws
        content = json.dumps([encode_reference(reference), numbers], sort_keys=True)
        key = hashlib.sha256(content.encode()).hexdigest(), device
        while True:
            with self._lock:
                kept = self._kept.get(key)
                if kept is None:
                    self._make_room()
                    made = self._kept[key] = Future[Truth]()
                self._kept.move_to_end(key)
            if kept is None:
                return self._made(key, made, reference, sandbox, draws)
            with contextlib.suppress(Exception):  # of whoever runs it, whose sandbox may be broken: run it here
                return kept.result()

    def _make_room(self) -> None:
        """Drop the oldest before the next is there: one may hold half of the memory."""
        while len(self._kept) >= CACHED or sum(map(_nbytes, self._kept.values())) > self._most:
            self._kept.popitem(last=False)

    def _made(
        self,
        key: tuple[str, str],
        made: "Future[Truth]",
        reference: Reference,
        sandbox: Sandbox,
        wanted: tuple[Draw, ...],
    ) -> Truth:
        try:
            truth = self._find(reference, key[1], sandbox, wanted)
        except BaseException as error:
            with self._lock:
                if self._kept.get(key) is made:
                    del self._kept[key]
            made.set_exception(error)
            raise
        made.set_result(truth)
        return truth

    def _find(self, reference: Reference, device: str, sandbox: Sandbox, wanted: tuple[Draw, ...]) -> Truth:
        gold = sum(spec.numel * DTYPES["f64"][2] + 64 for spec in reference.outputs)
        each = answer_bytes(reference.tensors) + (2 + NUDGES + ORDERS) * answer_bytes(reference.outputs) + gold
        large = each > LARGE_BYTES
        most = min(int(self._limits.memory_gb * 2**30 / 4), DRAWN_BYTES)
        # What each answer may take besides is not kept: it bounds an answer, not the memory of all.
        content = max(each - (3 + NUDGES + ORDERS) * _SLACK_BYTES, 1)
        draws = first_of(wanted, LARGE_DRAWS if large else most // content)
        sketch = {"seed": self._signs, "above": SKETCHED_ABOVE}
        encoded, asked = encode_reference(reference), tuple(asdict(draw) for draw in draws)
        job = RunReference(encoded, reference.numerics, device, self._seed, asked, sketch if large else None)
        room = len(draws) * (each + 3 * answer_bytes(reference.tensors)) + answer_bytes(reference.tensors)
        room += len(draws) * NUDGES * sum(min(spec.nbytes, NUDGED_BYTES) + 64 for spec in reference.tensors)
        limits, notes = replace(self._limits, device=device != "cpu"), []
        answer = sandbox.run(job, (), room, limits)
        if answer.failure == "died":  # torch does not check all integers that some operators take
            ended = answer.detail.removeprefix("the program ")
            notes.append(f"integers stay in the range of get_inputs(): with others the reference {ended}")
            answer = sandbox.run(replace(job, within=True), (), room, limits)
        if answer.failure == "lost":  # no deed of the reference, which is in another process
            raise SandboxError("the evaluation worker died while the reference ran")
        if answer.failure == "timeout":
            return Truth(status=Status.UNSUPPORTED, failure=f"the reference gave {answer.detail}")
        ran = answer.content
        if not isinstance(ran, ReferenceRan):
            return Truth(status=Status.UNSUPPORTED, failure=f"the reference failed: {answer.why}")
        truth = _truth(reference, draws, ran, answer.tensors)
        if len(draws) < len(wanted):
            notes.append(f"{len(truth.passes)} of {len(wanted)} draws, of {each / 2**30:.1f} GB each")
        if ran.sketched:
            notes.append(f"outputs of more than {SKETCHED_ABOVE} elements compared by signed sums of {SKETCHED}")
            truth = replace(truth, sketch=sketch)
        return replace(truth, notes=(*truth.notes, *notes))


def _nbytes(kept: "Future[Truth]") -> int:
    return kept.result().nbytes if kept.done() and not kept.exception() else 0


def first_of(draws: tuple[Draw, ...], count: int) -> tuple[Draw, ...]:
    """So many draws, but at least one. The one with normal inputs is the last to go but for the first."""
    return draws if count >= len(draws) else (draws[0], *draws[-1:], *draws[1:-1])[: max(1, count)]


def _truth(reference: Reference, draws: Sequence[Draw], ran: ReferenceRan, tensors: Sequence[RawTensor]) -> Truth:
    passes = []
    for one in ran.passes:
        if one.random:
            detail = "the reference is a random program: two runs on the same inputs differ"
            return Truth(status=Status.UNSUPPORTED, failure=f"{detail} (dropout? call .eval() on it)")
        passes.append(_pass(reference, draws[one.number], one, ran.weight, tensors))
    notes = tuple(sorted({one.note for one in ran.passes if one.note}))
    built = {name: tensors[place] for name, place in ran.built.items()}
    tf32 = any(one.tf32 for one in ran.passes)
    if tf32:
        notes += (f"eager rounds operands to TF32: {TF32_FACTOR:g} times its error is allowed at most",)
    return Truth(
        tuple(passes),
        built,
        ran.init,
        notes=notes,
        tf32=tf32,
        left_out=ran.left_out,
        held=ran.held,
        module=ran.module,
        alike_in_eval=ran.alike_in_eval,
        alike_under_autocast=not any(one.autocast for one in passes),
    )


def _pass(
    reference: Reference, draw: Draw, one: ReferencePass, weight: float, tensors: Sequence[RawTensor]
) -> ReferenceRun:
    names = [spec.name for spec in reference.outputs]
    eager, gold = ([tensors[place] for place in places] for places in (one.eager, one.gold))
    cut, respelled = (
        [tensors[place] for place in places] if places else [None] * len(eager) for places in (one.cut, one.respelled)
    )
    nudged, reordered = (
        [tuple(tensors[run[output]] for run in runs) for output in range(len(eager))]
        for runs in (one.nudged, one.reordered)
    )
    given = max([rms_of(tensors[place]) for place in one.inputs if place is not None], default=0.0)
    if draw.kind in (LOWEST, HIGHEST):  # such inputs cancel out in nothing that is taken: see `Trial.steady`
        given = min(given, max(map(rms_of, gold), default=0.0))
    longest = max([size for spec in reference.tensors for size in spec.shape], default=0)
    narrow = any(spec.dtype in ("f16", "bf16") for spec in reference.tensors) or "autocast" in reference.source
    ordinary, alone = draw.kind in ORDINARY and given >= _LEAST_ORDINARY, draw.kind == IMPULSES
    places, numbers = draw.kind == EXTREME, draw.kind == COMPARED
    if len(names) != len(eager):
        names = [f"out{i}" for i in range(len(eager))]
    return ReferenceRun(
        draw=draw,
        digests=one.digests,
        inputs=tuple(None if place is None else tensors[place] for place in one.inputs),
        state={name: tensors[place] for name, place in one.state.items()},
        expected=tuple(
            Expected(
                *(name, eager[at], gold[at], cut[at], nudged[at], given, reordered[at], longest, narrow, weight),
                ordinary=ordinary,
                impulses=alone,
                respelled=respelled[at],
                places=places,
                numbers=numbers,
            )
            for at, name in enumerate(names)
        ),
        kept=frozenset(one.kept),
        shared=tuple(map(frozenset, one.shared)),
        computed=one.computed,
        of_inputs=one.of_inputs,
        returns=one.returns,
        autocast=tuple(
            Expected(
                *(name, tensors[place], gold[at]),
                given=given,
                longest=longest,
                narrow=True,
                places=places,
                numbers=numbers,
            )
            for at, (name, place) in enumerate(zip(names, one.autocast or (), strict=False))
        ),
        left=tuple(
            Expected(
                *(name, tensors[left.eager], tensors[left.gold]),
                nudged=tuple(tensors[place] for place in left.nudged),
                given=given,
                weight=weight,
                places=places,
                numbers=numbers,
            )
            for name, left in one.left.items()
        ),
        unread=frozenset(
            name
            for name in one.left
            if name.endswith(UNREAD_COUNT) and not any(word in reference.source for word in _READ_COUNT)
        ),
    )
