"""A verdict as short text for a policy's next turn.

The text is a trust boundary: what a candidate makes the evaluator say must carry neither what the candidate has seen
(hidden inputs, files, paths) nor anything that it printed. A verdict's `detail` is therefore never quoted: the facts in
it are read by exact patterns of the evaluator's own sentences, numbers and names alone, and said anew. Of diagnostics
the message is cleaned and cut, and the line quoted is the candidate's own, taken from its source.
"""

import builtins
import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from kernelwright.agent.evaluator import Status, Verdict
from kernelwright.agent.measures import BASELINES, coverage, modelled_speedup, profile, speedup
from kernelwright.ir.errors import Diagnostic
from kernelwright.ir.values import DTYPES, KernelModule

#: Characters of the whole text, of one diagnostic's message or hint, and of a quoted line.
LIMIT, _MESSAGE, _QUOTE = 2_000, 200, 160
_DIAGNOSTICS, _KERNELS = 3, 8

_NUMBER = r"[-+]?(?:\d+(?:\.\d+)?(?:e[-+]?\d+)?|inf|nan)"
_MISMATCH = re.compile(rf"output (\w{{1,60}})(\[[\d, ]{{0,60}}\]): expected ({_NUMBER}), got ({_NUMBER})")
_DTYPE = re.compile(r"output (\w{1,60}) is (\w{1,8}) where the reference gives (\w{1,8})")
_SHAPE = re.compile(r"output (\w{1,60}) has shape (\[[\d, ]{0,60}\]) where the reference gives (\[[\d, ]{0,60}\])")
_COUNT = re.compile(r"(\d{1,6}) outputs where the reference gives (\d{1,6})")
_KIND = re.compile(r"it returns a (tensor|tuple|list|dict) where the reference returns a (tensor|tuple|list)")
_INPUT = re.compile(r"input (\w{1,60}) was modified")
_OVERWRITTEN = re.compile(r"output (\d{1,6}) of an earlier call was overwritten")
_DRAW = re.compile(r"\[inputs ([a-z]{1,10})(, perturbed weights)?\]")
_COMPUTES = re.compile(r"host code computes with ((?:aten|torch)[\w.]{1,40})?")
_TIMEOUT = re.compile(r"no answer within (\d{1,6}(?:\.\d{1,3})?) s")
_IDLE = re.compile(r"no kernel has a part in output (\w{1,60})")
_EXCEPTION = re.compile(r"(\w{1,40}):")

_PATH = re.compile(r"(?:[A-Za-z]:)?[\w.~-]*[/\\][\w.~/\\-]+|\b\w+://\S+")
_ADDRESS = re.compile(r"0x[0-9a-fA-F]{5,}")
_FILE = re.compile(r'File "[^"]*"|\b[\w-]+\.(?:py|so|cu|txt|json|env|pem)\b')
_DUMP = re.compile(rf"(?:{_NUMBER}[\s,;|]+){{6,}}{_NUMBER}?")
#: Where a tag of a chat template, or of reasoning, would begin.
_CHAT_TAG = re.compile(r"<(?=[/|]|think|reason|im_|system|user|assistant)")
_STATIC = re.compile(r"(static|device)_(?:assert|print).*", re.DOTALL)

_HEADS = {
    Status.OK: "The program is correct.",
    Status.UNPARSED: "The program is outside the dialect and was not run.",
    Status.COMPILE_ERROR: "The program does not compile.",
    Status.RUNTIME_ERROR: "The program fails when it is run.",
    Status.MISMATCH: "The program runs, but its outputs are wrong.",
    Status.TIMEOUT: "The program did not end in time.",
    Status.HOST_COMPUTES: "Host code computes: kernels must compute every output.",
    Status.CHEAT: "The program is refused: kernels must compute every output.",
    Status.UNSUPPORTED: "The program uses something that cannot be judged here; write it in another way.",
}


def feedback(verdict: Verdict, candidate: KernelModule | None = None) -> str:
    """What the next turn is told, in at most `LIMIT` characters.

    `candidate` is what the verdict is about; lines are quoted from it. Names in the text are identifiers.
    """
    lines = [f"Status: {verdict.status.value} (rung: {verdict.rung.value}). {_HEADS[verdict.status]}"]
    if verdict.shrunken:
        lines.append("It was judged at shapes smaller than the problem's own.")
    if verdict.ok:
        lines += _speed(verdict)
    else:
        lines += _facts(verdict)
        lines += _diagnostics(verdict, candidate)
    lines += _kernels(verdict, candidate)
    text = "\n".join(lines)
    return text if len(text) <= LIMIT else text[: LIMIT - 4].rsplit("\n", 1)[0] + "\n..."


def clean(text: str, limit: int = _MESSAGE) -> str:
    """One line of printable ASCII without paths, addresses, dumps of numbers and fences, at most `limit` long."""
    text = text[: 8 * limit]
    for pattern, word in ((_FILE, "a file"), (_PATH, "a path"), (_ADDRESS, "an address"), (_DUMP, "numbers ")):
        text = pattern.sub(word, text)
    text = re.sub(r"[^\x20-\x7e]+", " ", _STATIC.sub(r"\1_assert failed", text)).replace("`", "'")
    text = _CHAT_TAG.sub("(", " ".join(text.split()))
    return text if len(text) <= limit else text[: limit - 3] + "..."


def _facts(verdict: Verdict) -> list[str]:
    """What the evaluator's own sentence says, said anew; nothing for a sentence that is none of them."""
    detail = verdict.detail[:4000]
    if verdict.status is Status.MISMATCH:
        return _mismatch(detail)
    if verdict.status is Status.TIMEOUT:
        return [f"There was no answer within {match[1]} s." for match in _matches(_TIMEOUT, detail)]
    if verdict.status in (Status.CHEAT, Status.HOST_COMPUTES):
        return _cheat(detail)
    return _exception(detail) if verdict.status is Status.RUNTIME_ERROR and not verdict.diagnostics else []


def _mismatch(detail: str) -> list[str]:
    lines = [f"Worst: output {m[1]}{m[2]}: expected {m[3]}, got {m[4]}." for m in _matches(_MISMATCH, detail)]
    for match in _matches(_DTYPE, detail):
        if {match[2], match[3]} <= DTYPES.keys():
            lines.append(f"Output {match[1]} is {match[2]} where the reference gives {match[3]}.")
    lines += [f"Output {m[1]} has shape {m[2]}; the reference gives {m[3]}." for m in _matches(_SHAPE, detail)]
    lines += [f"It gives {m[1]} outputs; the reference gives {m[2]}." for m in _matches(_COUNT, detail)]
    lines += [f"It returns a {m[1]}; the reference returns a {m[2]}." for m in _matches(_KIND, detail)]
    lines += [f"It modified the input {m[1]}, which the reference does not." for m in _matches(_INPUT, detail)]
    lines += [f"Output {m[1]} shares memory with that of a later call." for m in _matches(_OVERWRITTEN, detail)]
    for match in list(_DRAW.finditer(detail))[:1]:
        if match[1] != "given" or match[2]:
            lines.append(f"Inputs: {match[1]}{match[2] or ''}.")
    return lines


def _cheat(detail: str) -> list[str]:
    for match in _matches(_COMPUTES, detail):
        return [f"Host code computes with {match[1] or 'tensors'}; write a kernel for it."]
    for match in _matches(_IDLE, detail):
        return [f"No kernel writes output {match[1]}."]
    return []


def _exception(detail: str) -> list[str]:
    """The name of a built-in exception that host code ended with; its text is the candidate's and is not told."""
    for match in _matches(_EXCEPTION, detail):
        kind = getattr(builtins, match[1], None)
        if isinstance(kind, type) and issubclass(kind, Exception):
            return [f"Host code raised {match[1]}."]
    return []


def _matches(pattern: re.Pattern[str], text: str) -> Iterable[re.Match[str]]:
    """The match at the very start of the text, if there is one."""
    match = pattern.match(text)
    return [] if match is None else [match]


def _diagnostics(verdict: Verdict, candidate: KernelModule | None) -> list[str]:
    shown = verdict.diagnostics[:_DIAGNOSTICS]
    lines = [_diagnostic(one, verdict.status, candidate) for one in shown]
    more = len(verdict.diagnostics) - len(shown)
    return [*lines, f"... and {more} more."] if more else lines


def _diagnostic(found: Diagnostic, status: Status, candidate: KernelModule | None) -> str:
    """One complaint, with the line that it is about: of the program, or of a kernel's own source."""
    where, quoted = f"line {int(found.line)}", found.text if status is Status.UNPARSED else ""
    source = _kernel_lines(candidate, found.kernel)
    if source:
        where += f" of kernel @{found.kernel}"
        quoted = source[found.line - 1] if 0 < found.line <= len(source) else ""
    quote = f": `{clean_source(quoted)}`" if quoted.strip() else ""
    hint = f" ({clean(found.hint)})" if found.hint else ""
    return f"- {where}: {clean(found.message)}{quote}{hint}"


def clean_source(line: str) -> str:
    """A line of a candidate's source for quoting: one line of printable ASCII without backquotes, cut."""
    text = re.sub(r"[^\x20-\x7e]+", " ", line.strip()).replace("`", "'")
    text = _CHAT_TAG.sub("(", text)
    return text if len(text) <= _QUOTE else text[: _QUOTE - 3] + "..."


def _kernel_lines(candidate: KernelModule | None, symbol: str) -> Sequence[str]:
    if candidate is None or not symbol:
        return ()
    return next((kernel.source.splitlines() for kernel in candidate.kernels if kernel.symbol == symbol), ())


def _speed(verdict: Verdict) -> list[str]:
    names = {"eager": "eager PyTorch", "inductor": "torch.compile", "before": "the program as it was given"}
    found = {name: speedup(verdict, name) for name in BASELINES}
    parts = [f"{ratio:.2f}x of {names[name]}" for name, ratio in found.items() if ratio is not None]
    lines = [f"Speed: {verdict.times_ms['candidate']:.4g} ms; {', '.join(parts)}."] if parts else []
    modelled = modelled_speedup(verdict)
    if modelled is not None:
        lines.append(f"Speed by a cost model: {modelled:.2f}x of the program as it was given.")
    return lines


def _kernels(verdict: Verdict, candidate: KernelModule | None) -> list[str]:
    """The profile's table where there is one, and what each kernel takes."""
    symbols = {kernel.symbol for kernel in candidate.kernels} if candidate is not None else set()
    lines = []
    share = coverage(verdict)
    if share is not None:
        lines.append(f"Profile: {share:.0%} of the device's time is in these kernels.")
    lines += [line for row in list(profile(verdict).get("kernels", ()))[:_KERNELS] for line in _profiled(row, symbols)]
    for symbol, taken in list(verdict.resources.items())[:_KERNELS]:
        if symbol in symbols:
            lines.append(
                f"- @{symbol}: {taken.registers} registers, {taken.spill_bytes} bytes spilled a thread, "
                f"{taken.shared_bytes} bytes of shared memory"
            )
    return lines


def _profiled(row: Mapping[str, Any], symbols: Collection[str]) -> list[str]:
    """A row of the profile's table: time, rates and what bounds it; what is not the candidate's kernel has no name."""
    own = row.get("kind", "generated") == "generated" and row.get("name") in symbols
    took = _finite(row.get("us"))
    if took is None:
        return []
    parts = [f"{took:.3g} us"]
    for key, unit, share in (("gb_s", "GB/s", "of_bandwidth"), ("gflop_s", "GFLOP/s", "of_peak")):
        rate, of_peak = _finite(row.get(key)), _finite(row.get(share))
        if rate:
            parts.append(f"{rate:.4g} {unit}" + (f" ({of_peak:.0%} of the peak)" if of_peak is not None else ""))
    reached = _finite(row.get("of_attainable"))
    if row.get("bound") in ("memory", "compute") and reached is not None:
        parts.append(f"bound by {row['bound']}, at {reached:.0%} of what is attainable")
    name = row["name"] if own else {"copy": "copies and fills"}.get(str(row.get("kind")), "other")
    return [f"- {name}: {', '.join(parts)}"]


def _finite(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and math.isfinite(value) else None
