"""Types of the subset, read from annotations: enough to tell where two languages differ.

JavaScript and Python disagree about the truth of a list, `==` of records, `+` of lists, an index
that is no whole number. Every name is annotated, so the type of every expression is known.
"""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Kind:
    """A type: float, int, bool, str, none, list, tuple, record, or unknown (an empty list's item).

    `record` is the qualified name of a record ("module.Name").
    """

    name: str
    items: tuple[Kind, ...] = ()
    record: str = ""
    optional: bool = False

    def present(self) -> Kind:
        """The same without None."""
        return replace(self, optional=False) if self.optional else self

    def text(self) -> str:
        """As an annotation would say it."""
        plain = self.record.rpartition(".")[2] if self.name == "record" else self.name
        if self.items:
            plain += f"[{', '.join(item.text() for item in self.items)}]"
        return f"{plain} | None" if self.optional else plain


FLOAT = Kind("float")
INT = Kind("int")
BOOL = Kind("bool")
STR = Kind("str")
NONE = Kind("none", optional=True)
UNKNOWN = Kind("unknown")

NUMBERS = frozenset({"float", "int"})


def is_number(kind: Kind) -> bool:
    """A float or a whole number (None aside: the type checker saw to that)."""
    return kind.name in NUMBERS


def fits(value: Kind, target: Kind) -> bool:
    """Whether a value of one type may be kept as another."""
    if value.name == "none":
        return target.optional or target.name == "none"
    if value.optional and not target.optional:
        return fits(value.present(), target)  # narrowed by a check that is not followed here
    if target.name == "unknown" or value.name == "unknown" or target.name == "json":
        return True
    if target.name == "list" and value.name == "tuple":
        return all(fits(item, target.items[0]) for item in value.items)
    if target.name == "float" and value.name == "int":
        return True
    if value.name != target.name or value.record != target.record:
        return False
    return len(value.items) == len(target.items) and all(
        fits(one, other) for one, other in zip(value.items, target.items, strict=True)
    )


def joined(one: Kind, other: Kind) -> Kind | None:
    """The narrowest type that holds both, None where there is none."""
    optional = one.optional or other.optional
    if one.name == "none":
        return replace(other, optional=True)
    if other.name == "none":
        return replace(one, optional=True)
    for wide, narrow in ((one, other), (other, one)):
        if fits(narrow.present(), wide.present()):
            return replace(wide, optional=optional)
    return None
