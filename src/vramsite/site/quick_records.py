"""Records made at a third of the cost, in the processes that make pages.

A frozen dataclass puts each of its fields in place through ``object.__setattr__``: most of what a
record costs, and a page makes hundreds. Whoever writes to a record is found by mypy and by the
tests, where all records are frozen; a worker runs the same code and need not look again.
"""

from __future__ import annotations

import sys
from dataclasses import field, fields, is_dataclass, make_dataclass
from operator import attrgetter
from typing import Any

PACKAGE = "vramsite."


def quicken_records() -> None:
    """Do without the guard in all frozen dataclasses of this package that are loaded by now."""
    for name, module in list(sys.modules.items()):
        if name.startswith(PACKAGE):
            for item in list(vars(module).values()):
                if isinstance(item, type) and item.__module__ == name:
                    quicken(item)


def quicken(cls: type) -> None:
    """Make records of a class as if it were not frozen; any other class is left as it is."""
    if not is_dataclass(cls) or "__setattr__" not in vars(cls) or hasattr(cls, "__post_init__"):
        return
    if not cls.__dataclass_params__.frozen:  # type: ignore[attr-defined]
        return
    twin = make_dataclass(
        cls.__name__,
        [
            (
                one.name,
                object,
                field(
                    default=one.default,
                    default_factory=one.default_factory,
                    init=one.init,
                    kw_only=one.kw_only,
                ),
            )
            for one in fields(cls)
        ],
    )
    changed: Any = cls
    changed.__init__ = twin.__dict__["__init__"]
    del changed.__setattr__
    del changed.__delattr__
    if "__getstate__" in vars(cls):  # dataclass's own looks for the fields of each record
        values = attrgetter(*(one.name for one in fields(cls)))
        if len(fields(cls)) > 1:
            changed.__getstate__ = lambda record: values(record)
