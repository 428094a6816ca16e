"""Parameters of label models, as scikit-learn asks for them: ``label_model__prior`` can be searched."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import fields, replace
from typing import Any, Self


class Searchable:
    """What ``GridSearchCV`` and ``clone`` need of a frozen dataclass, which all label models are."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name; with ``deep`` also those of label models among them, as ``name__other``."""
        found = {own.name: getattr(self, own.name) for own in fields(self) if own.init}  # type: ignore[arg-type]
        inner = {name: value for name, value in found.items() if deep and isinstance(value, Searchable)}
        for name, value in inner.items():
            found |= {f"{name}__{other}": own for other, own in value.get_params().items()}
        return found

    def __sklearn_clone__(self) -> Self:
        """A copy: constructors may turn lists into tuples, which ``clone`` would not take."""
        return deepcopy(self)

    def set_params(self, **params: Any) -> Self:
        """Change parameters in place, as scikit-learn does; they are checked as in the constructor."""
        known = self.get_params(deep=False)
        own = {name: value for name, value in params.items() if "__" not in name}
        for name in params:
            if name.partition("__")[0] not in known:
                raise ValueError(
                    f"{type(self).__name__} has the parameters {', '.join(known) or 'none'}. Got {name!r}."
                )
        changed = replace(self, **own)  # type: ignore[type-var]
        self.__dict__.update(changed.__dict__)
        for name, value in params.items():
            first, _, rest = name.partition("__")
            if rest:
                getattr(self, first).set_params(**{rest: value})
        return self
