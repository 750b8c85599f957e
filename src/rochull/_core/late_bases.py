"""Bases that are scikit-learn's from when they are asked for: to import it takes a second and 200 MB."""

from __future__ import annotations

import copy
import inspect
import sys
from typing import TYPE_CHECKING, Any, Self, TypeVar

E = TypeVar("E")

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin

    class _Transformer(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator): ...

else:

    class _Early:
        """Base until scikit-learn is asked for: by a method or tag of its, or because it is imported."""

        def __getattr__(self, name):
            fitted = name.endswith("_") and not name.startswith("_")
            if fitted or (name.startswith("__") and not name.startswith("__sklearn")):
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            take_on()
            return getattr(self, name)

        def __repr__(self):
            take_on()
            return repr(self)

        def __sklearn_tags__(self):
            take_on()
            return super(LateTransformer, self).__sklearn_tags__()

    _Transformer = _Early


class LateTransformer(_Transformer):
    """A transformer of scikit-learn, as soon as anybody can tell."""

    # Here, not in a base that goes: classes made after that would have no __new__ that takes parameters.
    def __new__(cls, *args: Any, **parameters: Any) -> Self:
        if "sklearn" in sys.modules:
            take_on()
        return object.__new__(cls)


def take_on() -> None:
    """Make the bases scikit-learn's, of this class and of those made from it."""
    from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin

    if LateTransformer.__bases__ == (_Transformer,):
        LateTransformer.__bases__ = (ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator)
        _prepare(LateTransformer)


def _prepare(base: type[Any]) -> None:
    """Do for the classes made from this one what scikit-learn does for each when it is made."""
    for made in base.__subclasses__():
        super(LateTransformer, made).__init_subclass__()
        _prepare(made)


if "sklearn" in sys.modules:
    take_on()


def check_is_fitted(estimator: Any) -> None:
    """Raise scikit-learn's error unless it is fitted: unless a name of its ends in an underscore."""
    if not any(name.endswith("_") and not name.startswith("__") for name in vars(estimator)):
        from sklearn.utils import validation

        validation.check_is_fitted(estimator)


def unfitted(estimator: E) -> E:
    """One like it, as scikit-learn's ``clone`` makes it."""
    parameters = [*inspect.signature(type(estimator).__init__).parameters][1:]
    return type(estimator)(**{name: copy.deepcopy(getattr(estimator, name)) for name in parameters})
