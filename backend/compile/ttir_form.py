"""Whether two kernels are one: a form of TTIR that names and the order of independent computing do not change.

Every value is a digest of what computes it, and of how deep in loops and branches it does. What has an effect, loads
too, keeps its order in its block. Carried values of loops and results of branches have no order.
"""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

_VALUE = re.compile(r"%[\w.$-]+(?:#\d+)?")
_RESULTS = re.compile(r"(%[\w.$-]+)(?::(\d+))?(?:,\s*|\s*=\s)")
_EFFECTS: tuple[str, ...] = (
    "tt.load",
    "tt.store",
    "tt.atomic",
    "tt.call",
    "tt.print",
    "tt.assert",
    "gpu.barrier",
    "llvm.",
    "cf.",
    "ttg.",
)
_EFFECTS += ("tt.descriptor", "tt.make_tensor_descriptor", "tt.elementwise_inline_asm", "tt.return", "ttng.")
_ARGUMENT = re.compile(r"(%[\w.$-]+)\s*:\s*([^,%]+(?:<[^%]*>)?)")


@dataclass
class _Operation:
    results: list[str]
    name: str
    text: str
    regions: list["_Region"] = field(default_factory=list)


@dataclass
class _Region:
    """Blocks in order: label, arguments with their types, operations."""

    blocks: list[tuple[str, list[str], list[_Operation]]] = field(default_factory=list)


def form(ttir: str) -> str:
    """The digest of the public function of a module, printed without locations."""
    lines = [line.strip() for line in ttir.splitlines() if line.strip()]
    start = next(index for index, line in enumerate(lines) if line.startswith("tt.func public"))
    head = lines[start]
    region, _ = _read_region(lines, start + 1)
    known: dict[str, str] = {}
    names = re.findall(r"(%\w+):", head)
    signature = head
    for index, name in enumerate(names):
        known[name] = _digest("parameter", str(index))
        signature = re.sub(rf"{re.escape(name)}\b", f"%{index}", signature)
    signature = re.sub(r"@\w+", "@", signature, count=1)
    return _digest(signature, *_Forming(known).region(region, 0))


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:24]


def _read_region(lines: Sequence[str], index: int) -> tuple[_Region, int]:
    """The blocks up to the line that closes the region, and that line's index."""
    region = _Region([("", [], [])])
    while not lines[index].startswith("}"):
        line = lines[index].split("  //")[0]
        if line.startswith("^"):
            label, _, arguments = line.rstrip(":").partition("(")
            region.blocks.append((label.strip(), _VALUE.findall(arguments), []))
            index += 1
            continue
        operation = _operation(line)
        region.blocks[-1][2].append(operation)
        while lines[index].endswith("{"):
            body, index = _read_region(lines, index + 1)
            operation.regions.append(body)
            operation.text += " } " + lines[index].lstrip("}").strip().removesuffix("{")
        index += 1
    return region, index


def _operation(line: str) -> _Operation:
    results: list[str] = []
    head, equals, rest = line.partition(" = ")
    if equals and head.startswith("%") and not re.search(r"[\s(]", head.replace(", ", "")):
        for part in head.split(", "):
            base, _, count = part.partition(":")
            results += [f"{base}#{i}" for i in range(int(count))] if count else [base]
    else:
        rest = line
    name = re.match(r'"?([\w.]+)"?', rest)
    return _Operation(results, name[1] if name else rest, rest.removesuffix("{").strip())


class _Forming:
    def __init__(self, known: dict[str, str]) -> None:
        self.known = known

    def region(self, region: _Region, depth: int, *, bound: bool = False) -> list[str]:
        """Digests of what the region does, in order; its last operation is the last of them.

        `bound`: what its arguments are is known already. Names of arguments in other regions may be the same.
        """
        found: list[str] = []
        labels = {label: f"^{index}" for index, (label, _, _) in enumerate(region.blocks) if label}
        for index, (_, arguments, operations) in enumerate(region.blocks):
            for place, argument in enumerate(arguments):
                if not bound:
                    self.known[argument] = _digest("argument", str(depth), str(index), str(place))
            found.append(f"^{index}")
            for operation in operations:
                digest, acts = self.operation(operation, depth, labels)
                if acts or operation is operations[-1]:
                    found.append(digest)
        return found

    def operation(self, operation: _Operation, depth: int, labels: dict[str, str]) -> tuple[str, bool]:
        """The digest of an operation, and whether its place matters."""
        if operation.name in ("scf.for", "scf.while"):
            return self.loop(operation, depth)
        if operation.name == "scf.if":
            return self.branch(operation, depth)
        text = operation.text
        for label, new in labels.items():
            text = re.sub(rf"{re.escape(label)}\b", new, text)
        inner = [part for region in operation.regions for part in self.region(region, depth + 1)]
        digest = _digest(str(depth), self.replaced(text), *inner)
        for index, result in enumerate(operation.results):
            self.known[result] = _digest(digest, str(index))
        return digest, operation.name.startswith(_EFFECTS)

    def replaced(self, text: str) -> str:
        """Text with its values replaced by their digests."""
        return _VALUE.sub(lambda match: "%" + self.known[match[0]], text)

    def loop(self, operation: _Operation, depth: int) -> tuple[str, bool]:
        head = operation.text
        pairs = re.findall(r"(%[\w.$-]+) = (%[\w.$-]+(?:#\d+)?)", re.sub(r"scf\.for %[\w.$-]+ = %\S+ to", "", head))
        counter = re.match(r"scf\.for (%[\w.$-]+) = (%\S+) to (%\S+) step (%\S+)", head)
        bounds = [self.known[value.rstrip(":")] for value in counter.groups()[1:]] if counter else []
        types = _types(head)
        options = head[head.rfind("}") + 1 :] if "}" in head else ""
        colors = [_digest(self.known[init], kind) for (_, init), kind in zip(pairs, types, strict=True)]
        body = operation.regions[-1]
        done: list[str] = []
        yields: list[str] = []
        for _ in range(len(pairs) + 1):
            if counter:
                self.known[counter[1]] = _digest("counter", str(depth))
            arguments = [name for name, _ in pairs]
            if operation.name == "scf.while":
                arguments_after = body.blocks[0][1] or (body.blocks[1][1] if len(body.blocks) > 1 else [])
                self.known |= zip(arguments, colors, strict=True)
                condition = self.region(operation.regions[0], depth + 1)
                passed = _VALUE.findall(operation.regions[0].blocks[-1][2][-1].text)
                self.known |= {a: self.known[p] for a, p in zip(arguments_after, passed[1:], strict=True)}
                bounds = [*condition[:-1], self.known[passed[0]]]
                colors_out = [self.known[p] for p in passed[1:]]
            else:
                self.known |= zip(arguments, colors, strict=True)
                colors_out = colors
            done = self.region(body, depth + 1, bound=True)
            last = body.blocks[-1][2][-1] if body.blocks[-1][2] else None
            yields = [self.known[v] for v in _VALUE.findall(last.text)] if last and last.name == "scf.yield" else []
            if last is not None and last.name == "scf.yield":
                done = done[:-1]
            new = [_digest(color, given) for color, given in zip(colors, yields, strict=True)]
            if len(set(new)) == len(set(colors)) and _ > 1:
                break
            colors = new
        digest = _digest(operation.name, str(depth), options, *bounds, *sorted(map(_digest, colors, yields)), *done)
        for result, color in zip(operation.results, colors_out, strict=True):
            self.known[result] = _digest(digest, color)
        return digest, _acts(operation)

    def branch(self, operation: _Operation, depth: int) -> tuple[str, bool]:
        condition = self.known[_VALUE.findall(operation.text)[0]]
        given: list[list[str]] = []
        done: list[str] = []
        for region in operation.regions:
            inside = self.region(region, depth + 1)
            last = region.blocks[-1][2][-1] if region.blocks[-1][2] else None
            if last is not None and last.name == "scf.yield":
                given.append([self.known[v] for v in _VALUE.findall(last.text)])
                inside = inside[:-1]
            done += ["branch", *inside]
        pairs = [_digest(*pair) for pair in zip(*given, strict=True)] if given else []
        digest = _digest(operation.name, str(depth), condition, *sorted(pairs), *done)
        for result, pair in zip(operation.results, pairs, strict=True):
            self.known[result] = _digest(digest, pair)
        return digest, _acts(operation)


def _acts(operation: _Operation) -> bool:
    return any(
        inner.name.startswith(_EFFECTS) or _acts(inner)
        for region in operation.regions
        for _, _, operations in region.blocks
        for inner in operations
    )


def _types(head: str) -> list[str]:
    """Types of carried values: those behind the arrow."""
    arrow = re.search(r"-> \((.*?)\)(?: |$)|-> (\S+)", head)
    if arrow is None:
        return []
    text = arrow[1] or arrow[2] or ""
    if not text:
        return []
    parts, depth, last = [], 0, ""
    for letter in text:
        depth += (letter == "<") - (letter == ">")
        if letter == "," and not depth:
            parts.append(last.strip())
            last = ""
        else:
            last += letter
    return [*parts, last.strip()]
