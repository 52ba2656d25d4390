"""The command `kernelwright`; what stands here is all that its help needs."""

import os
import sys
from collections.abc import Sequence

from kernelwright.driver.command.helping import asked_for, fitted

BAD_INPUT = 2


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status."""
    given = list(sys.argv[1:] if argv is None else argv)
    _fill_gaps()
    if sys.stdout is None:
        if sys.stderr is not None:
            sys.stderr.write(
                "kernelwright: error: stdout is closed; redirect it, for example with >FILE or >/dev/null\n"
            )
        return BAD_INPUT
    text = asked_for(given)
    if text is None:
        from kernelwright.driver.command.dispatch import run  # late: help is quick
        from kernelwright.driver.command.leaving import end_children_last, end_threads

        if argv is not None:
            return run(given)
        end_children_last()
        status = run(given)
        end_threads(status)
        return status
    try:
        sys.stdout.write(f"{fitted(text, _columns())}\n")
        sys.stdout.flush()
    except BrokenPipeError:  # the reader has gone, e.g. `| head`
        sys.stdout = None
    except OSError as error:
        from kernelwright.driver.command.dispatch import tell_of_output  # late, as above

        return tell_of_output(error)
    return 0 if given else BAD_INPUT  # help alone, where a verb is missing


def _columns() -> int | None:
    """How wide the screen is; None where stdout is no screen and COLUMNS is not set."""
    told = os.environ.get("COLUMNS", "")
    if told.isdigit() and int(told):
        return int(told)
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns
    except (OSError, ValueError):
        return None


def _fill_gaps() -> None:
    """Open the standard streams that are closed on /dev/null: a file that is opened later would take their places."""
    while (number := os.open(os.devnull, os.O_RDWR)) < 3:
        os.set_inheritable(number, True)
    os.close(number)


if __name__ == "__main__":
    sys.exit(main())
