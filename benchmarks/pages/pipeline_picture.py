"""Draw docs/assets/pipeline.svg: the pipeline with its walls of verification, and its speedups on KernelBench.

usage: python -m benchmarks.pages.pipeline_picture [--check]

--check writes nothing, and exits with status 1 where the file differs from the drawing. The bars are the rows of
the campaign that the pages quote.
"""

import argparse
import math
from collections.abc import Iterator
from xml.sax.saxutils import escape

from benchmarks.pages.figures.formats import ROOT, read
from benchmarks.pages.figures.kernelbench import CAMPAIGN, MODE

PICTURE = ROOT / "docs/assets/pipeline.svg"
WIDTH, HEIGHT = 1000, 372
#: Names, what each does, and what comes out, in the order of the pipeline.
STAGES = (
    ("PyTorch", "a program", "what to compute"),
    ("frontend", "lowering, agent", "correct Triton"),
    ("mid-end", "rewrites, search, agent", "faster Triton"),
    ("backend", "tuning for one GPU", "tuned Triton"),
)
RUNGS = "parse · compile · interpret · run"
STYLE = """
  .page { fill: #ffffff; stroke: #d0d7de }
  .box { fill: #ddf4ff; stroke: #0969da }
  .wall { fill: #cf222e }
  .bar { fill: #0969da }
  .same { fill: #8c959f }
  .line { stroke: #57606a }
  text { fill: #1f2328; font-family: system-ui, sans-serif; font-size: 14px }
  .name { font-size: 18px; font-weight: 600 }
  .small { font-size: 12px }
  @media (prefers-color-scheme: dark) {
    .page { fill: #0d1117; stroke: #3d444d }
    .box { fill: #12263f; stroke: #4493f8 }
    .wall { fill: #f85149 }
    .bar { fill: #4493f8 }
    .line { stroke: #9198a1 }
    text { fill: #f0f6fc }
  }
"""


def main() -> int:
    """Draw, or compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    text = draw()
    if parser.parse_args().check:
        if not PICTURE.is_file() or PICTURE.read_text("utf-8") != text:
            print(f"{PICTURE.relative_to(ROOT)} is not what `python -m benchmarks.pages.pipeline_picture` draws")
            return 1
        return 0
    PICTURE.parent.mkdir(parents=True, exist_ok=True)
    PICTURE.write_text(text, encoding="utf-8")
    return 0


def draw() -> str:
    """The picture as SVG. Each colour scheme has its own page, so that text is readable on any background."""
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">',
        "<title>The pipeline: every change is verified before the next pass sees it</title>",
        f"<style>{STYLE}</style>",
        f'<rect class="page" x="1" y="1" width="{WIDTH - 2}" height="{HEIGHT - 2}" rx="10"/>',
        *_stages(),
        *_speedups(),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _stages() -> Iterator[str]:
    step, wide, top, high = 240, 184, 40, 84
    for place, (name, does, gives) in enumerate(STAGES):
        left = 42 + place * step
        middle = left + wide / 2
        yield f'<rect class="box" x="{left}" y="{top}" width="{wide}" height="{high}" rx="8"/>'
        yield _text(middle, top + 28, name, "name")
        yield _text(middle, top + 50, does)
        yield _text(middle, top + 70, gives, "small")
        if place:
            level = top + high / 2
            yield f'<line class="line" x1="{left - step + wide}" y1="{level}" x2="{left}" y2="{level}"/>'
        if place > 1:
            yield f'<rect class="wall" x="{left - 32}" y="{top - 12}" width="7" height="{high + 24}"/>'
    last = 42 + (len(STAGES) - 1) * step + wide
    yield f'<rect class="wall" x="{last + 8}" y="{top - 12}" width="7" height="{high + 24}"/>'
    told = f"red walls: each change is verified ({RUNGS}) in separate processes, or it is not kept"
    yield _text(WIDTH / 2, top + high + 34, told)


def _speedups() -> Iterator[str]:
    """A bar a problem on a logarithmic scale: the result over the faster of eager and Inductor, which it may be."""
    content = read(CAMPAIGN)
    timed = [row for row in content["results"] if row["mode"] == MODE]
    found = sorted((max(1.0, min((row.get("speedups") or {}).values(), default=1.0)) for row in timed), reverse=True)
    base, left, unit, step = 340, 70, 42, (WIDTH - 125) / len(found)
    for times in (1, 2, 5, 10):
        level = base - unit * math.log2(times)
        yield f'<line class="line" x1="{left - 5}" y1="{level:.1f}" x2="{WIDTH - 50}" y2="{level:.1f}" opacity="0.4"/>'
        yield f'<text class="small" x="{left - 12}" y="{level + 4:.1f}" text-anchor="end">{times}x</text>'
    for place, ratio in enumerate(found):
        high = max(unit * math.log2(min(ratio, 12)), 1.5)
        kind = "bar" if ratio > 1 else "same"
        yield (
            f'<rect class="{kind}" x="{left + place * step:.1f}" y="{base - high:.1f}" '
            f'width="{step - 2:.1f}" height="{high:.1f}"/>'
        )
    beyond = sum(ratio > 12 for ratio in found)
    device = content["caliber"]["device"]
    yield _text(610, 212, f"{len(found)} KernelBench problems on one {device}: speedup over the faster of")
    cut = f"; bars end at 12x, {beyond} would be longer" if beyond else ""
    yield _text(610, 231, f"eager PyTorch and Inductor (a bar a problem{cut})")


def _text(x: float, y: float, text: str, kind: str = "") -> str:
    chosen = f' class="{kind}"' if kind else ""
    return f'<text{chosen} x="{x:g}" y="{y:g}" text-anchor="middle">{escape(text)}</text>'


if __name__ == "__main__":
    raise SystemExit(main())
