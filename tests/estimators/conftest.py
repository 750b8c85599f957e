"""What the tests of all estimators may ask for."""

from collections.abc import Iterator

import pytest
import sklearn


@pytest.fixture
def routing() -> Iterator[None]:
    """Enable scikit-learn's metadata routing."""
    with sklearn.config_context(enable_metadata_routing=True):
        yield
