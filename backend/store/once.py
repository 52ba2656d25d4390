"""A property that is computed once, as `functools.cached_property` is, but without a lock.

Before Python 3.12 all objects of a class share the lock of such a property. A process that is forked while another
thread holds it would wait for ever.
"""

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

_Value = TypeVar("_Value")


class once(Generic[_Value]):  # noqa: N801 - read as a decorator
    """Computes the value when it is first asked for; two threads that ask at once compute the same."""

    def __init__(self, compute: Callable[[Any], _Value]) -> None:
        self._compute, self.__doc__, self._name = compute, compute.__doc__, compute.__name__

    @overload
    def __get__(self, instance: None, owner: type) -> "once[_Value]": ...

    @overload
    def __get__(self, instance: object, owner: type) -> _Value: ...

    def __get__(self, instance: object, owner: type) -> "once[_Value] | _Value":
        """The value, which the instance holds from then on."""
        if instance is None:
            return self
        found = instance.__dict__[self._name] = self._compute(instance)
        return found
