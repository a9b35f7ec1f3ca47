"""Turns what pydantic found into faults with file, line, key, and what to type."""

from __future__ import annotations

import difflib
from typing import Any, get_args

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from vramsite.catalog.faults import MOST_OF_A_KIND, Fault, shortened
from vramsite.catalog.record import FORMS, LEAST
from vramsite.catalog.yaml_source import VERBATIM, Document, KeyPath

# Instead of pydantic's wording, where that speaks to programmers.
_WORDING = {
    "greater_than": "must be greater than {gt}",
    "greater_than_equal": "must be at least {ge}",
    "less_than": "must be less than {lt}",
    "less_than_equal": "must be at most {le}",
    "literal_error": "must be {expected}",
    "string_too_long": "must have at most {max_length} characters",
    "string_too_short": "must not be empty",
    "too_short": "must have at least {min_length} entry",
    "int_type": "must be a whole number, written in digits alone",
    "int_from_float": "must be a whole number",
    "float_type": "must be a number alone, with a decimal point and without a unit",
    "finite_number": "must be a finite number",
    "string_type": "must be a text (put it in quotes)",
    "bool_type": "must be true or false",
    "list_type": "must be a list",
    "dict_type": "must be a mapping (key: value)",
    "model_type": "must be a mapping (key: value)",
    "date_type": "must be a date such as 2026-11-05",
    "date_from_datetime_parsing": "must be a date such as 2026-11-05",
    "string_pattern_mismatch": "does not have the form needed",
    "too_long": "must have at most {max_length} entries",
    "value_error": "{error}",
}


def validation_faults(
    document: Document, record: type[BaseModel], error: ValidationError
) -> list[Fault]:
    """The faults that pydantic found in a file that should be a `record`, of many the first."""
    told = set(document.empty)  # by `empty_faults`
    found = [
        details
        for details in error.errors(include_url=False)
        if _keys(document.data, details["loc"]) not in told
    ]
    faults = [_fault(document, record, details) for details in found[:MOST_OF_A_KIND]]
    if len(found) > len(faults):
        more = len(found) - len(faults)
        faults.append(document.fault((), f"has {more} more faults; correct these first"))
    return faults


def empty_faults(document: Document, record: type[BaseModel]) -> list[Fault]:
    """A fault for each key with nothing behind it: is it not known, or was it forgotten?"""
    faults = []
    for keys in document.empty[:MOST_OF_A_KIND]:
        field = _field(record, keys)
        text = "has nothing behind it; write its value"
        if keys[0] == VERBATIM:
            text += ", or null where config.json says null"
        elif field is None or not field.is_required():
            text += ", or take the line out where it is not known"
        described = f" ({field.description})" if field is not None and field.description else ""
        faults.append(document.fault(keys, text + described))
    if len(document.empty) > len(faults):
        more = len(document.empty) - len(faults)
        faults.append(document.fault((), f"has {more} more keys with nothing behind them"))
    return faults


def _fault(document: Document, record: type[BaseModel], details: ErrorDetails) -> Fault:
    keys = _keys(document.data, details["loc"])
    kind = details["type"]
    if kind == "extra_forbidden":
        parent = _record_at(record, keys[:-1]) or record
        return document.fault(keys, _unknown_key(str(keys[-1]), parent))
    message = what_is_wrong(details)
    field = _field(record, keys)
    described = f" ({field.description})" if field is not None and field.description else ""
    return document.fault(keys, message + described)


def what_is_wrong(details: ErrorDetails) -> str:
    """What was found, and what it must be."""
    kind = details["type"]
    if kind == "missing":
        return "is missing"
    context = {name: shortened(str(value), 200) for name, value in details.get("ctx", {}).items()}
    wording = _WORDING.get(kind)
    text = wording.format(**context) if wording else details["msg"]
    text = FORMS.get(str(details.get("ctx", {}).get("pattern")), text)
    if context.get("ge") == str(LEAST):
        text = f"must be greater than 0, and at least {LEAST:g}"
    found = details["input"]
    quoted = kind.endswith("_type") and isinstance(found, str)
    return f"found {repr(shortened(found)) if quoted else _shown(found)}; {text}"


def _unknown_key(key: str, record: type[BaseModel]) -> str:
    if key in ("id", "vendor_slug", "provider_slug"):
        return "must not be written; it is taken from the path of the file"
    known = [name for name in record.model_fields if name not in ("id", "vendor_slug")]
    near = difflib.get_close_matches(key, known, n=1, cutoff=0.6)
    if near:
        return f"is not a known key; did you mean {near[0]}?"
    return f"is not a known key; known here are {', '.join(known)}"


def _keys(data: Any, location: tuple[int | str, ...]) -> KeyPath:
    # pydantic adds parts that name no key of the file, such as the branch of a union.
    keys: list[int | str] = []
    for part in location:
        if isinstance(data, dict) and (part in data or part == location[-1]):
            if part == "[key]":
                continue
            keys.append(part)
            data = data.get(part)
        elif isinstance(data, list) and isinstance(part, int):
            keys.append(part)
            data = data[part] if part < len(data) else None
    return tuple(keys)


def _record_at(record: type[BaseModel], keys: KeyPath) -> type[BaseModel] | None:
    current: type[BaseModel] | None = record
    for key in keys:
        if isinstance(key, int):
            continue
        field = current.model_fields.get(key) if current is not None else None
        current = _nested(field.annotation) if field is not None else None
    return current


def _nested(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    for argument in get_args(annotation):
        found = _nested(argument)
        if found is not None:
            return found
    return None


def _field(record: type[BaseModel], keys: KeyPath) -> FieldInfo | None:
    named = [key for key in keys if isinstance(key, str)]
    if not named:
        return None
    parent = _record_at(record, tuple(named[:-1]))
    return parent.model_fields.get(named[-1]) if parent is not None else None


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list):
        return "a list"
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "true" if value else "false"
    return shortened(str(value)) or "an empty text"
