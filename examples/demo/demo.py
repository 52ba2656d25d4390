"""A tour in under a minute: real programs lowered, verified, tuned and emitted as Triton."""

from pathlib import Path

from kernelwright.driver.build import discover, open_context, silent
from kernelwright.driver.settings import read_settings
from kernelwright.driver.show import compile_and_print

EXAMPLES = Path(__file__).parent.parent
TOUR = ("row_softmax", "rms_norm", "cross_entropy", "rotary_embedding", "layer_norm_gelu")


def main():
    """Compile the tour with one evaluator and show the last program's kernels; 0 if all are verified."""
    discover()
    with open_context(read_settings("demo"), silent) as context:
        compiled = [compile_and_print(EXAMPLES / f"{name}.py", context=context) for name in TOUR]
    path = compiled[-1].folder / "module.py"
    text = path.read_text("utf-8")
    print(f"\nThe kernels of {TOUR[-1]}, from {path}:\n\n{text[text.index('# covers') :]}")
    verified = sum(program.result.ok for program in compiled)
    print(f"{verified} of {len(compiled)} programs end with verified kernels")
    return 0 if verified == len(compiled) else 1


if __name__ == "__main__":
    raise SystemExit(main())
