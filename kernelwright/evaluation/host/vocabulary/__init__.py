"""`dialect=off`: the vocabulary of host code, and the check of a program against it before anything of it runs."""

from kernelwright.evaluation.host.vocabulary.checking import refused

__all__ = ["refused"]
