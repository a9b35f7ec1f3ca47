"""`vramsite add-gpu`: a few facts about a device into one new file."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vramsite.catalog.gpu_record import GpuRecord
from vramsite.catalog.record import SLUG
from vramsite.contribute.draft_text import draft_text
from vramsite.contribute.file_kinds import KINDS
from vramsite.contribute.page_numbers import device_numbers
from vramsite.contribute.yaml_form import write_new

if TYPE_CHECKING:
    from vramsite.catalog import Catalog

_SOURCED = ("bandwidth_gb_s", "memory_mib_reported", "tdp_w", "msrp_usd", "launched", "tflops")
# What a record cannot be without; a device that lacks one is only checked, not shown.
_STAND_INS: dict[str, Any] = {
    "interconnect": {"type": "-"},
    "family": "unknown",
    "usable_default": None,
}


class DeviceError(ValueError):
    """A device that no file can be begun for; the message says what is wrong."""


@dataclass(frozen=True, slots=True)
class AddedGpu:
    """What was written, and what to say about it."""

    path: Path
    todo: dict[str, str]
    numbers: str | None


def add_gpu(catalog: Catalog, gpu_id: str, values: dict[str, Any], source: str | None) -> AddedGpu:
    """Write `data/gpus/<vendor>/<id>.yaml`; `values` are keys of the record, None not known.

    Raises DeviceError, FileExistsError and, for a value that a record cannot hold, pydantic's
    ValidationError; then nothing was written.
    """
    if not re.match(SLUG, gpu_id):
        raise DeviceError(f"{gpu_id}: an id has lower-case letters, digits, '.' and '-'")
    if gpu_id in catalog.gpus:
        raise FileExistsError(f"the catalog has a device {gpu_id}; give another id")
    known = {key: value for key, value in values.items() if value is not None}
    vendor, vendor_slug = _vendor(catalog, str(known["vendor"]))
    if not re.match(SLUG, vendor_slug):
        raise DeviceError(f"{vendor}: the vendor's name needs a letter or a digit")
    known["vendor"] = vendor
    known.setdefault("tflops", {})
    todo = _todo(catalog, known)
    sourced = [key for key in _SOURCED if known.get(key)]
    known["sources"] = dict.fromkeys(sourced, source)
    if source is None and sourced:
        todo |= dict.fromkeys(sourced, "where you read it: page with its date")
    if known.get("usable_default"):
        known["usable_default"]["source"] = source
        if source is None:
            todo["source"] = "where you read it: page with its date"
    complete = {**known, **{key: None for key in todo if key in GpuRecord.model_fields}}
    complete |= {key: value for key, value in known.items() if value is not None}
    path = catalog.data_dir / "gpus" / vendor_slug / f"{gpu_id}.yaml"
    record = _record(gpu_id, vendor_slug, known)
    numbers = None
    if not todo.keys() & _STAND_INS.keys():
        catalog.gpus[gpu_id] = record
        numbers = device_numbers(catalog, gpu_id)
    write_new(path, draft_text(KINDS[1], complete, todo))
    return AddedGpu(path, todo, numbers)


def _vendor(catalog: Catalog, vendor: str) -> tuple[str, str]:
    for gpu in catalog.gpus.values():
        if gpu.vendor.lower() == vendor.lower():
            return gpu.vendor, gpu.vendor_slug
    return vendor, re.sub(r"[^a-z0-9]+", "-", vendor.lower()).strip("-")


def _todo(catalog: Catalog, known: dict[str, Any]) -> dict[str, str]:
    todo = {}
    if "interconnect" not in known:
        todo["interconnect"] = "type: PCIe only, NVLink 4, Thunderbolt 5, ..."
    if "family" not in known:
        families = {g.family for g in catalog.gpus.values() if g.vendor == known["vendor"]}
        names = ", ".join(sorted(families)) or "vendor-generation"
        todo["family"] = f"generation for pooling measurements; known here are {names}"
    if known["kind"] == "unified" and "usable_default" not in known:
        todo["usable_default"] = "gib, rule and source: what the GPU may use by default"
    if "bandwidth_gb_s" not in known:
        todo["bandwidth_gb_s"] = "10**9 bytes a second, from the data sheet; no line if not known"
    return todo


def _record(gpu_id: str, vendor_slug: str, known: dict[str, Any]) -> GpuRecord:
    """The device with what is known of it. Raises pydantic's ValidationError for a bad value."""
    values = {**_STAND_INS, **known, "id": gpu_id, "vendor_slug": vendor_slug, "sources": {}}
    if known.get("usable_default"):
        values["usable_default"] = {**known["usable_default"], "source": "-"}
    return GpuRecord.model_validate(values)
