"""Help, made with as little as can be: it is on the screen before Python has imported what a verb needs."""

import os

from kernelwright import __version__

OVERVIEW = """Kernelwright: a staged compiler from PyTorch to verified, tuned Triton.

usage: kernelwright VERB … [key=value …]

  kernelwright compile model.py                  compile, verify and tune a program
  kernelwright compile model.py target=h100 --emit=triton
  kernelwright opt module.py -p tune --diff      run chosen passes on one module
  kernelwright evaluate reference=R.py candidate=C.py   judge a program
  kernelwright passes                            list the passes and their options
  kernelwright VERB --help                       the arguments of a verb
  eval "$(kernelwright --shell-completion install=bash)"   complete verbs and keys in this shell

Exit status: 0 done and verified, 1 not verified, 2 bad usage or input, 130 interrupted, 143 terminated.
KERNELWRIGHT_DEBUG=1 shows tracebacks.

Verbs:
"""
#: What every verb with a configuration takes besides.
HYDRA = """
as in any Hydra application:
  --cfg job|hydra|all   print the configuration instead of running; --resolve fills in references, --package KEY
                        prints a part of it
  --info [all|config|defaults|defaults-tree|plugins|searchpath]
  -m, --multirun        one job for each combination of key=A,B; hydra/launcher=… and hydra/sweeper=… choose how
  --config-dir FOLDER   your own options, FOLDER/GROUP/NAME.yaml; hydra.searchpath=[file://…,pkg://…] takes several
  --config-name NAME    your own configuration, instead of the verb's
  +key=VALUE adds a key, ++key=VALUE adds or changes it, ~key removes it
  hydra.run.dir=FOLDER is another name for out=FOLDER; in a multirun, hydra.sweep.dir=FOLDER gives each job the folder
  FOLDER/NUMBER; hydra.verbose=true, hydra.job.chdir=true, …
  --shell-completion install=bash, --hydra-help
"""
#: A verb's module says by this that it composes a configuration.
COMPOSES = "\nROOT = "


def asked_for(given: list[str]) -> str | None:
    """The help, or the version, that a command line asks for; None for one that asks for something else."""
    if given == ["--version"]:
        return f"kernelwright {__version__}"
    if not given or given[0] in ("-h", "--help", "help"):
        return overview()
    known = verb_help()
    return known[given[0]] if given[0] in known and ("-h" in given or "--help" in given) else None


def fitted(text: str, columns: int | None) -> str:
    """Text whose lines end between words where a screen is narrower than they are."""
    if columns is None or max(map(len, text.splitlines())) <= columns:
        return text
    import textwrap  # late: few screens are so narrow, and help is quick

    return "\n".join(
        textwrap.fill(
            line,
            max(columns, 20),
            subsequent_indent=_indent(line),
            break_long_words=False,
            break_on_hyphens=False,
        )
        for line in text.split("\n")
    )


def _indent(line: str) -> str:
    """What the rest of a line that is too long begins with: two spaces more than the line, which prose does without."""
    spaces = len(line) - len(line.lstrip())
    return (spaces + 2) * " " if spaces else ""


def overview() -> str:
    """What the program is, and its verbs with a line each."""
    known = verb_help()
    width = max(map(len, known))
    return OVERVIEW + "\n".join(f"  {verb:{width}}  {text.splitlines()[0]}" for verb, text in known.items())


def verb_help() -> dict[str, str]:
    """Verb -> its help: the docstring of its module, read without importing the module."""
    folder = os.path.join(os.path.dirname(os.path.dirname(__file__)), "verbs")  # noqa: PTH118, PTH120 (slow pathlib)
    found = {}
    for name in sorted(os.listdir(folder)):  # noqa: PTH208
        if name.endswith(".py") and not name.startswith("_"):
            with open(os.path.join(folder, name), encoding="utf-8") as file:  # noqa: PTH118, PTH123
                text = file.read()
            found[name[:-3]] = text.split('"""', 2)[1].strip() + (f"\n{HYDRA.rstrip()}" if COMPOSES in text else "")
    return found
