"""data/outside_catalog.yaml: what measurements name that the site has no pages for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml
from pydantic import Field

from vramsite.catalog.architectures import ArchitectureSource, Keys, read_architecture
from vramsite.catalog.gpu_record import Backend, GpuRecord
from vramsite.catalog.record import Label, Positive, Record, Slug
from vramsite.sizing.records import Architecture


class OutsideDevice(Record):
    """A device by the names that rows give it, with the two rates that speed depends on."""

    names: list[Label] = Field(min_length=1)
    family: Slug
    backend: Backend
    bandwidth_gb_s: Positive
    fp16_tflops: Positive


class OutsideModel(Record):
    """A model by the names that rows give it, with its config.json keys."""

    names: list[Label] = Field(min_length=1)
    model_type: str
    gguf_arch: str
    config: dict[str, Any]


class OutsideFile(Record):
    """All of data/outside_catalog.yaml."""

    devices: list[OutsideDevice]
    models: list[OutsideModel]


class OutsideCatalog:
    """Devices and architectures by the names in measurement rows."""

    def __init__(self, data_dir: Path) -> None:
        text = (data_dir / "outside_catalog.yaml").read_text(encoding="utf-8")
        content = OutsideFile.model_validate(yaml.safe_load(text))
        self.gpus = {name: _gpu(device) for device in content.devices for name in device.names}
        self.architectures = {
            name: _architecture(model) for model in content.models for name in model.names
        }


def _gpu(device: OutsideDevice) -> GpuRecord:
    slug = "".join(c if c.isalnum() else "-" for c in device.names[0].lower()).strip("-")
    while "--" in slug:
        slug = slug.replace("--", "-")
    return GpuRecord.model_validate(
        {
            "id": slug,
            "vendor_slug": "outside",
            "name": device.names[0],
            "vendor": "outside",
            "kind": "unified" if device.backend == "metal" else "consumer",
            "family": device.family,
            "backends": [device.backend],
            "memory_gb": 1.0,
            "bandwidth_gb_s": device.bandwidth_gb_s,
            "tflops": {"fp16": device.fp16_tflops},
            "interconnect": {"type": "none (PCIe only)"},
            "pcie": None if device.backend == "metal" else "4.0 x16",
            "sources": {},
        }
    )


def _architecture(model: OutsideModel) -> Architecture:
    return read_architecture(
        ArchitectureSource(
            model_type=model.model_type,
            gguf_arch=model.gguf_arch,
            context_max_tokens=float(model.config["max_position_embeddings"]),
            config=Keys(model.config),
        )
    )
