"""The templates that the store chooses for products, in the compile of one graph."""

import hashlib
import json
import logging
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from functools import cache, cached_property

from kernelwright.backend.store.choice import TemplateChoice
from kernelwright.backend.store.entry import Entry
from kernelwright.frontend.swap.key import read
from kernelwright.ir.errors import UnsupportedVersionError

log = logging.getLogger("kernelwright.torch_compile")


@dataclass(frozen=True)
class Templates:
    """Entries of kind `choice` by the keys of their products. Without any, a compile is as if there were no choices."""

    entries: Mapping[str, Entry]

    @cached_property
    def mark(self) -> str:
        """What keys of Inductor's caches must tell apart; "" where nothing is chosen."""
        if not self.entries:
            return ""
        picks = sorted((key, entry.pick) for key, entry in self.entries.items())
        return hashlib.sha256(json.dumps(picks).encode()).hexdigest()

    def in_force(self) -> AbstractContextManager[None]:
        """Within it, in this thread, Inductor is given these templates."""
        return _choosing(self.entries) if self.entries and _works() else nullcontext()

    @cached_property
    def _by_kernel(self) -> Mapping[str, Entry]:
        return {read(one.source).key: one for one in self.entries.values() if one.source}

    def behind(self, kernel: str) -> Entry | None:
        """The choice by which Inductor wrote a kernel, by its key; None where no choice names it."""
        return self._by_kernel.get(kernel)


@contextmanager
def _choosing(entries: Mapping[str, Entry]) -> Iterator[None]:
    from kernelwright.frontend.swap.choices import Product, choosing_templates  # late: few compiles choose

    def choose(product: Product) -> TemplateChoice | None:
        entry = entries.get(product.key)
        return TemplateChoice.parse(entry.replacement) if entry else None

    with choosing_templates(choose):
        yield


@cache
def _works() -> bool:
    """Whether this release of torch takes choices; a release that does not costs one warning."""
    try:
        import kernelwright.frontend.swap.choices  # noqa: F401
    except UnsupportedVersionError as error:
        log.warning("%s; products are left to Inductor", error)
        return False
    return True
