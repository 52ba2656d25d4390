"""The command `kernelwright`; what stands here is all that its help needs."""

import sys
from collections.abc import Sequence

from kernelwright.driver.helping import asked_for

BAD_INPUT = 2


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status."""
    given = list(sys.argv[1:] if argv is None else argv)
    text = asked_for(given)
    if text is None:
        from kernelwright.driver.dispatch import run  # late: help is quick

        return run(given)
    try:
        sys.stdout.write(f"{text}\n")
        sys.stdout.flush()
    except BrokenPipeError:  # the reader has gone, e.g. `| head`
        sys.stdout = None
    except OSError as error:
        from kernelwright.driver.dispatch import tell_of_output  # late, as above

        return tell_of_output(error)
    return 0 if given else BAD_INPUT  # help alone, where a verb is missing


if __name__ == "__main__":
    sys.exit(main())
