"""A candidate's calls, served by the device: what the judge asked for, and what came of it."""

import contextlib
import functools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import torch
from torch import Tensor

from kernelwright.backend.launch.faults import AccessError, UninitialisedReadError
from kernelwright.backend.measure.turns import DeviceLock
from kernelwright.backend.reference.holdings import difference, other_start
from kernelwright.backend.reference.program import ReferenceProgram
from kernelwright.backend.tensors import copy_of, shared_with
from kernelwright.evaluation.device.binding import Bound, bind
from kernelwright.evaluation.device.changes import (
    call_before,
    call_beside,
    changed_alone,
    check_settled,
    told,
)
from kernelwright.evaluation.device.memory import POISONS, Memory
from kernelwright.evaluation.device.returned import Returned
from kernelwright.evaluation.device.serve import Executor, HostLeftError, Server, tensors_of
from kernelwright.evaluation.inputs.draws import Draw, drawn
from kernelwright.evaluation.protocol.answers import CallMade, CandidateRan
from kernelwright.evaluation.protocol.decoding import Place
from kernelwright.evaluation.protocol.jobs import Call, RunCandidate
from kernelwright.evaluation.protocol.link import Json, Link, TensorRef
from kernelwright.evaluation.protocol.sketch import DrawnOtherwiseError, Sketching, digests, snapshot
from kernelwright.evaluation.protocol.tensors import from_raw, same_bits
from kernelwright.evaluation.protocol.transport import decode_reference
from kernelwright.evaluation.protocol.wire import RawTensor
from kernelwright.ir.values import DTYPES, INPUT_DTYPES

#: Numbers of stores that belong to the device: the same for each call, and one more block for each fresh one.
_OWN, _BLOCK = 1 << 32, 1 << 16
#: What calls are made under in turn, see `host.modes`; the last one is made in inference mode.
MODES = (
    *("", "grad", "autocast", "training", "compiling", "thread", "mixed", "activation", "parameter", "settings"),
    *("rank", "hooks", "eval"),
)
#: Before other calls than the last one a program is called without effect only this many times less often.
_BEFORE_LAST = 128
#: Those of them in which inputs want gradients, and in which autocast is on.
WANTING_GRADIENTS = ("training", "mixed", "activation", "parameter")
AUTOCAST_MODES = ("autocast", "mixed")
#: Programs with more launches a call, or more memory, are not rehearsed.
_FEW_LAUNCHES, _SMALL_BYTES = 64, 4 << 20
#: What a process that lasts may hold on to between candidates.
_KEPT_BYTES = 2 << 30


@dataclass
class Calls:
    """One host's calls, one after another, between which others may have a turn on the device."""

    server: Server
    job: RunCandidate
    tensors: Sequence[RawTensor]
    turns: DeviceLock
    bound: tuple[Bound, ...] = ()
    own: Mapping[str, TensorRef] = field(default_factory=dict)
    _spent: set[str] = field(default_factory=set)
    results: list[RawTensor] = field(default_factory=list)
    _returned: Returned = field(default_factory=Returned)

    def run(self, built: Json, walls: Sequence[str]) -> CandidateRan:
        """Make all of them with what `meet` says is built within which walls; raises as `Server.until` does."""
        withhold = self._bind(built)
        answers: list[CallMade] = []
        notes = self._unbound()
        calls = self.job.calls
        for number, call in enumerate(calls):
            last = 0 < number == len(calls) - 1
            withheld = withhold if number == 0 else []
            rehearsals = self._rehearsals(answers) // (1 if last else _BEFORE_LAST)
            try:
                kept = call.again and self.keeps()
                if kept and call.step is not None:
                    check_settled(self, number, call)
                if call.again and (call.step is not None or not kept):
                    answers.append(replace(answers[-1], again=True))
                else:
                    answers.append(self._one(number, call, withheld, "inference" if last else "", rehearsals))
            except AccessError as error:
                for note in (*self._negative(call), *self._outlived(error)):
                    error.add_note(note)
                raise
        return CandidateRan(tuple(answers), tuple(notes), tuple(walls))

    def _negative(self, call: Call) -> Iterator[str]:
        """What to say of integer inputs that hold negative numbers, which kernels may take for places."""
        for name, index in zip(self.job.program.inputs, call.inputs, strict=True) if self.sketching is None else ():
            if index is not None and self.tensors[index].dtype in ("i8", "i16", "i32", "i64"):
                value = from_raw(self.tensors[index])
                if value.numel() and int(value.min()) < 0:
                    yield f"input {name} holds {int(value.min())}, which the reference takes"

    def _spend(self) -> None:
        """Take their content from the tensors of the program's own that a call has changed: in the dialect nothing
        outlives a call, and what is scratch memory is written before it is read. Any Python may keep what it has
        prepared of its weights."""
        for path in self._spent if self.server.kernels is not None else ():
            store = self.server.memory.store(self.own[path].store)
            store.content.fill_(self.server.memory.poison)
            self.server.executor.fresh(store.whole)

    def _outlived(self, error: AccessError) -> Iterator[str]:
        """What to say of a read of such a tensor."""
        if self.server.overwritten and isinstance(error, UninitialisedReadError):
            path = min(path for path, ref in self.own.items() if ref.store in self.server.overwritten)
            yield f"a kernel wrote to self.{path}, which another call may do just then; allocate this buffer in forward"
        elif self._spent and self.server.kernels is not None and isinstance(error, UninitialisedReadError):
            changed = f"an earlier call changed self.{min(self._spent)}, and no state may outlive a call"
            yield f"{changed}; allocate this buffer in forward"

    def _bind(self, built: Json) -> list[int]:
        memory, state = self.server.memory, self.job.state
        held = []
        for item in built["held"]:
            ref = TensorRef.decode(item["tensor"])
            held.append((str(item["path"]), ref, memory.tensor(ref)))
        known = {item.name: from_raw(self.tensors[item.built], memory.device) for item in state}
        if self.job.module:
            self._compare(built["module"], {path: content for path, _, content in held}, known)
        self.bound = bind(held, known, {item.name: item.path for item in state})
        stores = sorted(self._bound_stores)
        self.own = {path: ref for path, ref, _ in held if ref.store not in stores}
        if self.server.kernels is not None:
            self.server.own = frozenset(ref.store for ref in self.own.values())
        return stores

    def _compare(self, module: Json, held: Mapping[str, Tensor], known: Mapping[str, Tensor]) -> None:
        """Raise HostLeftError if the module is another one than the reference's, apart from what it gives."""
        told = difference(self.job.module, module)
        for item in self.job.state if not told else ():
            mine, found = known[item.name], held.get(item.path)
            if (
                found is not None
                and (found.shape, found.dtype) == (mine.shape, mine.dtype)
                and other_start(mine, found)
            ):
                told = f"self.{item.path} starts with other values than the reference's"
        if told:
            raise HostLeftError(f"ModuleError: {told}", told=True)

    def _unbound(self) -> list[str]:
        if self.job.program.form == "function":
            return []
        names = {one.name for one in self.bound}
        return [item.path for item in self.job.state if item.name not in names]

    def _rehearsals(self, answers: Sequence[CallMade]) -> int:
        """How often a program is called without effect before its last call. Only any Python may know how often it
        is called; those that take long are left alone."""
        server = self.server
        if server.kernels is not None or server.executor.timed or not answers:
            return 0
        quick = server.memory.used <= _SMALL_BYTES and max(one.launches for one in answers) <= _FEW_LAUNCHES
        return self.job.rehearsals if quick else 0

    def _mode(self, number: int) -> str:
        """What a call is made under that names no mode: each of the modes comes in turn to such calls."""
        modes: Sequence[str] = MODES if self.job.alike_in_eval else MODES[:-1]
        if not self.job.alike_under_autocast:  # the judge says which calls are made under it
            modes = tuple(mode for mode in modes if mode not in AUTOCAST_MODES)
        left = {name for call in self.job.calls for name in call.left}
        if left & set(self.job.program.inputs):  # nobody writes to what wants gradients
            modes = tuple(mode for mode in modes if mode not in WANTING_GRADIENTS)
        return modes[sum(call.mode is None for call in self.job.calls[:number]) % len(modes)]

    def _one(self, number: int, call: Call, withhold: list[int], mode: str = "", rehearsals: int = 0) -> CallMade:
        self.turns.pause()
        memory, launches, kept = self.server.memory, self.server.launches, self.keeps()
        last, may_autocast = mode == "inference", self.job.alike_under_autocast
        mode = mode or (self._mode(number) if call.mode is None else call.mode)
        alone, beside = call.apart is not None and (kept or not call.training), call.beside is not None and kept
        if alone:
            call_before(self, number, call, mode)
            alone = self.keeps()  # what is kept for evaluation mode is made only now
        given, by_name = self.placed(number, call)
        places = given | by_name | {one.name: one.tensor for one in self.bound}
        before = {name: memory.tensor(ref).clone() for name, ref in places.items()}
        around = {name: memory.store(ref.store).content.clone() for name, ref in given.items()}
        own = {path: memory.tensor(ref).clone() for path, ref in self.own.items()}
        asked = self.request(number, call, given, by_name, mode) | {"withhold": withhold, "last": last}
        if alone:
            asked |= changed_alone(self, call)
        elif beside and launches > 1:
            asked["beside"] = call_beside(self, number, call, given, launches)
        elif may_autocast or mode not in AUTOCAST_MODES:  # no other world
            asked["rehearsals"] = rehearsals
        found = self._answer(self.ask(asked), places, before)
        left = self._left(call, given | by_name)
        self._spent |= {path for path, was in own.items() if not same_bits(was, memory.tensor(self.own[path]))}
        self._spent |= {path for path, ref in self.own.items() if ref.store in self.server.overwritten}
        gaps = [
            name for name, whole in around.items() if not torch.equal(whole, memory.store(given[name].store).content)
        ]
        for ref in (*given.values(), *by_name.values()) if call.fresh else ():
            memory.free(ref.store)
        modified = (*found.modified, *(name for name in gaps if name not in found.modified))
        after = told(call) if alone or "beside" in asked else ""
        return replace(found, left=left, modified=modified, mode=mode, again=call.again, after=after)

    def ask(self, asked: Json) -> Json:
        """Have the host make a call; what it returned."""
        self.server.link.send({"call": asked})
        answer, _ = self.server.until("returned")
        return answer

    def keeps(self) -> bool:
        """Whether the program keeps memory from call to call that a kernel or an operator has written to."""
        self.server.touched &= self.server.memory.stores.keys()
        return any(one < _OWN for one in self.server.touched - self._bound_stores - self._returned.stores)

    @property
    def _bound_stores(self) -> set[int]:
        """Stores of the state that the judge gives."""
        return {one.tensor.store for one in self.bound}

    def placed(self, number: int, call: Call, state: bool = True) -> tuple[dict[str, TensorRef], dict[str, TensorRef]]:
        """Put a call's inputs into memory, and its `state`: the inputs by name, and the state that a function is
        given."""
        memory = self.server.memory
        self.server.begin_call(POISONS[number % len(POISONS)], number)
        base = _OWN + (_BLOCK * (number + 1) if call.fresh else 0)
        given = {name: memory.place(base + place, value) for place, (name, value) in enumerate(self.values(call))}
        given |= {name: given[first] for name, first in call.same.items()}
        for one in self.bound:
            memory.store(one.tensor.store).receive()
            if state:
                value = from_raw(self.tensors[call.state[one.name]], memory.device)
                memory.tensor(one.tensor).copy_(one.arranged(value))
        by_name: dict[str, TensorRef] = {}
        if self.job.program.form == "function":
            start = base + len(self.job.program.inputs)
            by_name = {
                name: memory.put(start + place, self.tensors[index])
                for place, (name, index) in enumerate(call.state.items())
            }
        self._spend()
        return given, by_name

    def request(
        self, number: int, call: Call, given: Mapping[str, TensorRef], by_name: Mapping[str, TensorRef], mode: str
    ) -> Json:
        """What the host is asked for: a call that others are like."""
        bump = self.server.kernels is None and (number > 0 if call.bump is None else call.bump)
        return {
            "inputs": self.encoded(call, given),
            "state": {name: {"tensor": ref.encode()} for name, ref in by_name.items()},
            "withhold": [],
            "bump": bump,  # only any Python sees versions
            "tune_again": not self.server.executor.timed,
            "number": number,
            "mode": mode,
            "rehearsals": 0,
            "last": False,
            "may_evaluate": self.job.alike_in_eval and call.training,
            "may_autocast": self.job.alike_under_autocast,
            "training": call.training,
            "free": [given[name].store for name in self.job.free if name in given],
        }

    def encoded(self, call: Call, given: Mapping[str, TensorRef]) -> list[Json]:
        """The inputs as the host is given them."""
        return [
            {"tensor": given[name].encode()} if name in given else {"value": value}
            for name, value in zip(self.job.program.inputs, call.values, strict=True)
        ]

    def values(self, call: Call) -> Iterator[tuple[str, Tensor]]:
        """A call's tensors by the names of the inputs, each new in memory of its own."""
        names, device = self.job.program.inputs, self.server.memory.device
        if self.sketching is None:
            for name, index in zip(names, call.inputs, strict=True):
                if index is not None:
                    yield name, from_raw(self.tensors[index], device)
            return
        assert call.draw is not None, "inputs that do not travel are drawn"
        values = drawn(self._program, Draw.decode(call.draw), device)
        if digests(values, self.sketching) != list(call.digests):
            raise DrawnOtherwiseError("the reference's get_inputs() gives other values in another process")
        yield from (
            (name, copy_of(value)) for name, value in zip(names, values, strict=True) if isinstance(value, Tensor)
        )

    @functools.cached_property
    def sketching(self) -> Sketching | None:
        """What large outputs are taken by; None: as they are."""
        return Sketching.decode(self.job.sketch) if self.job.sketch else None

    @functools.cached_property
    def _program(self) -> ReferenceProgram:
        assert self.job.reference is not None, "a job with a sketch has the reference"
        return ReferenceProgram.load(decode_reference(self.job.reference))

    def _answer(self, answer: Json, places: Mapping[str, TensorRef], before: Mapping[str, Tensor]) -> CallMade:
        """A call without what it left behind."""
        memory = self.server.memory
        _synchronize(memory.device)
        memory.check_zones(list(memory.stores))
        refs = tensors_of(answer, "outputs")
        outputs = [memory.tensor(ref) for ref in refs]
        for index, ref in enumerate(refs):
            if ref.dtype not in DTYPES or ref.dtype in INPUT_DTYPES:
                raise HostLeftError(f"output {index} is {outputs[index].dtype}, which no reference gives", told=True)
        given = {store for store in memory.stores if store >= _OWN} | self._bound_stores
        self._returned.check(memory, given, self.sketching)
        raws = [snapshot(output, self.sketching) for output in outputs]
        # in the dialect no program has memory that outlives two calls
        self._returned.keep(refs, raws, one=self.server.kernels is not None or self.server.executor.timed)
        first = len(self.results)
        self.results += raws
        return CallMade(
            outputs=tuple(map(Place, range(first, len(self.results)))),
            left={},
            returned=str(answer["kind"]),
            modified=tuple(n for n, value in before.items() if not same_bits(value, memory.tensor(places[n]))),
            origins=tuple(memory.store(ref.store).origin for ref in refs),
            prepared=tuple(memory.store(ref.store).prepared for ref in refs),
            launches=self.server.launches,
            shared=tuple(map(tuple, shared_with(outputs, {n: memory.tensor(ref) for n, ref in places.items()}))),
        )

    def _left(self, call: Call, direct: Mapping[str, TensorRef]) -> dict[str, Place]:
        """Where the inputs and the state that the judge wants to see are among the results; not what nothing holds."""
        memory, found = self.server.memory, dict[str, Place]()
        for name in call.left:
            held = next((one for one in self.bound if one.name == name), None)
            if name in direct:
                value = memory.tensor(direct[name])
            elif held is not None:
                shape = self.tensors[call.state[name]].shape
                value = held.restored(memory.tensor(held.tensor), shape)
            else:
                continue
            found[name] = Place(len(self.results))
            self.results.append(snapshot(value, self.sketching))
        return found


def _synchronize(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize()


def meet(job: RunCandidate, link: Link, memory: Memory, executor: Executor) -> tuple[Server, list[str], Json]:
    """Wait for a host and let it build its program: its server, the walls around it, and what is built.

    That needs no turn on the device, which has little to do while a host starts and draws weights.
    """
    externs = job.program.externs
    allowed = None if externs is None else frozenset(externs)
    server = Server(link, memory, executor, allowed, kernels=job.kernels)
    ready, _ = server.until("ready")
    link.send(vars(job.program))
    built, _ = server.until("built")
    return server, [str(wall) for wall in ready["walls"]], built


def run_candidate(
    job: RunCandidate, tensors: Sequence[RawTensor], link: Link, executor: Executor, turns: DeviceLock
) -> tuple[CandidateRan, list[RawTensor]]:
    """Serve one host from its start to its last call."""
    with memory_for(job) as memory:
        server, walls, built = meet(job, link, memory, executor)
        calls = Calls(server, job, tensors, turns)
        with turns.shared():
            answer = calls.run(built, walls)
        link.send({"done": True})
        return answer, calls.results


@contextlib.contextmanager
def memory_for(job: RunCandidate) -> Iterator[Memory]:
    """A candidate's memory, of which the next one finds nothing; gigabytes go back to the GPU."""
    device = torch.device(job.device)
    limit = torch.cuda.mem_get_info()[0] if device.type == "cuda" else job.memory_bytes
    memory = Memory(device, limit)
    try:
        yield memory
    finally:
        memory.clear()
        if device.type == "cuda" and torch.cuda.memory_reserved() > _KEPT_BYTES:
            torch.cuda.empty_cache()
