"""Records of workers: made without a guard, and the same records."""

from __future__ import annotations

import pickle
from dataclasses import FrozenInstanceError, dataclass, field, replace

import pytest

from vramsite.site.quick_records import quicken


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """Fields by name."""

    name: str
    size: float = 1.5
    parts: list[float] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Placed:
    """Fields in order."""

    x: int
    y: int = 2


@dataclass(frozen=True)
class Guarded:
    """A class that looks at what it is given."""

    x: int

    def __post_init__(self) -> None:
        if self.x < 0:
            raise ValueError("negative")


def test_a_quick_record_is_the_same_record() -> None:
    frozen = Named(name="a", parts=[1.0]), Placed(1)
    with pytest.raises(FrozenInstanceError):
        frozen[1].x = 3  # type: ignore[misc]
    quicken(Named)
    quicken(Placed)
    made = Named(name="a", parts=[1.0]), Placed(1)
    assert made == frozen
    assert hash(made[1]) == hash(frozen[1])
    assert repr(made) == repr(frozen)
    assert pickle.loads(pickle.dumps(made)) == frozen
    assert replace(made[0], size=2.0) == Named(name="a", size=2.0, parts=[1.0])
    made[1].x = 3  # type: ignore[misc]
    assert made[1] == Placed(3, 2)


def test_defaults_are_each_records_own() -> None:
    quicken(Named)
    one, other = Named(name="a"), Named(name="b")
    one.parts.append(1.0)
    assert other.parts == []
    with pytest.raises(TypeError):
        Named(size=1.0)  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        Named("a")  # type: ignore[call-arg]


def test_a_class_that_looks_at_its_fields_stays_as_it_is() -> None:
    quicken(Guarded)
    with pytest.raises(ValueError, match="negative"):
        Guarded(-1)
    with pytest.raises(FrozenInstanceError):
        Guarded(1).x = 2  # type: ignore[misc]
