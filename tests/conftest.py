"""What all tests share: those that take long come first, so that no process is left alone with one of them."""

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Slow tests first, else in the order of their files."""
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)
