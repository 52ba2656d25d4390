"""Pieces of device work as the rows of a profile: pieces of one kernel, or of one operation on the same shapes, are one
row."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from kernelwright.driver.profile.marking import MarkedGraph
from kernelwright.driver.profile.rates import Rates
from kernelwright.driver.profile.rows import Kind, Profile, Row, Times, longest_first
from kernelwright.driver.profile.trace import Piece
from kernelwright.driver.torch_compile.record import Swap

#: The device's names of what a row is made of are listed up to so many.
_SYMBOLS = 3


@dataclass(frozen=True)
class _Place:
    """What pieces have in common that are one row."""

    kind: Kind
    name: str
    graph: int
    detail: str = ""


@dataclass
class _Seen:
    """Of one row: microseconds by call of the model, and how often each of the device's names occurs."""

    us: dict[int, float] = field(default_factory=lambda: defaultdict(float))
    symbols: Counter[str] = field(default_factory=Counter)


def profile_of(
    pieces: Sequence[Piece],
    graphs: Sequence[MarkedGraph],
    rates: Rates,
    *,
    calls: int,
    wall_us: float,
    device: str,
) -> Profile:
    """The profile of `calls` calls whose pieces of work these are."""
    seen: dict[_Place, _Seen] = defaultdict(_Seen)
    whole = dict.fromkeys(range(calls), 0.0)
    for piece in pieces:
        one = seen[_place(piece, graphs)]
        one.us[piece.call] += piece.us
        one.symbols[piece.symbol] += 1
        whole[piece.call] += piece.us
    us = Times.of(list(whole.values()))
    rows = []
    for place, one in seen.items():
        times = Times.of([one.us.get(call, 0.0) for call in range(calls)])
        row = _row(place, graphs[place.graph] if place.graph >= 0 else None, rates, calls)
        launches = row.calls or round(one.symbols.total() / calls)
        symbols = ", ".join(name for name, _ in one.symbols.most_common(_SYMBOLS) if name)
        detail = row.detail or (symbols if place.kind is not Kind.OTHER else "")
        share = sum(one.us.values()) / max(sum(whole.values()), 1e-9)
        rows.append(replace(row, times=times, share=share, calls=launches, detail=detail))
    accounted = sum(row.share for row in rows if row.kind is not Kind.OTHER)
    return Profile(longest_first(rows), us, wall_us, accounted, device, calls)


def _place(piece: Piece, graphs: Sequence[MarkedGraph]) -> _Place:
    """The row that a piece belongs to."""
    graph = graphs[piece.graph] if piece.graph >= 0 else None
    if piece.kind == "kernel":
        return _Place(Kind.GENERATED, piece.name, piece.graph)
    if graph is not None and piece.kind == "operation" and int(piece.name) < len(graph.operations):
        number = int(piece.name)
        return _Place(Kind.LIBRARY, graph.operations[number].name, piece.graph, graph.shapes[number])
    if piece.operation:
        kind = Kind.EAGER if graph is None else Kind.LIBRARY
        return _Place(kind, piece.operation.replace("::", "."), piece.graph)
    # What no mark and no operation is about, but bears the name of one kernel of one graph, is that kernel's.
    named = [one for one in graphs if piece.symbol in one.written]
    if len(named) == 1:
        return _Place(Kind.GENERATED, piece.symbol, named[0].index)
    return _Place(Kind.OTHER, piece.symbol or "the host's own work", piece.graph)


def _row(place: _Place, graph: MarkedGraph | None, rates: Rates, calls: int) -> Row:
    """All of a row but what the pieces say."""
    plain = Row(
        place.kind, place.name, place.graph, graph is not None and graph.backward, "", str(place.kind), "", "", 0,
        Times(0.0, 0.0, 0.0), 0.0, detail=place.detail,
    )  # fmt: skip
    if graph is None:
        return plain
    if place.kind is Kind.GENERATED:
        return _generated(plain, graph, rates, calls)
    if graph.part.eager:
        plain = replace(plain, runs="eager", why=graph.part.why_eager)
    return _library(plain, graph, rates, calls) if place.kind is Kind.LIBRARY and place.detail else plain


def _generated(row: Row, graph: MarkedGraph, rates: Rates, calls: int) -> Row:
    swap = next((one for one in graph.part.all_swaps() if one.name == row.name), None)
    swap = swap or Swap(row.name, "", "inductor", "Inductor loaded it where it was not looked up")
    row = replace(row, key=swap.key, runs=swap.runs, why=swap.why, pick=swap.pick)
    launches = round(graph.launches[row.name] / calls)
    written = graph.written.get(row.name)
    if written is None:
        return replace(row, calls=launches)
    work, after = written.work, graph.after.get(row.name)
    floor, bound = rates.floor(work.bytes, work.flops, written.dtype, cached=True)
    return replace(
        row,
        calls=launches,
        bytes=launches * work.bytes,
        flops=launches * work.flops,
        floor_us=launches * floor,
        bound=bound,
        form=written.form,
        after="" if after is None else graph.operations[after].name,
    )


def _library(row: Row, graph: MarkedGraph, rates: Rates, calls: int) -> Row:
    same = zip(graph.operations, graph.shapes, strict=True)
    found = [one for one, shapes in same if (one.name, shapes) == (row.name, row.detail)]
    launches, one = round(len(found) * graph.runs / calls), found[0]
    floor, bound = rates.floor(one.bytes, one.flops, str(one.dtype).rpartition(".")[2], cached=False)
    return replace(
        row,
        calls=launches,
        bytes=launches * one.bytes,
        flops=launches * one.flops,
        floor_us=launches * floor,
        bound=bound,
    )
