"""A small catalog of made-up entries in a temporary folder, to be spoilt one value at a time."""

from __future__ import annotations

from datetime import date
from pathlib import Path

from vramsite.catalog.catalog import read_catalog

TODAY = date(2026, 12, 1)

MODEL = """\
name: Toy 1B
vendor: Acme
hf_repo: acme/toy-1b
gguf_repo: acme/toy-1b-GGUF
license: MIT
released: 2026-03
modality: text
context_max_tokens: 8192
model_type: llama
gguf_arch: llama
params_total: 1000000000
params_headline_b: 1
params_active_b: 1
files:
  - format: Q8_0
    bytes: 1062500000
    exact: true
confidence: exact
sources:
  config: model card
  params_total: model card
  files: repository listing
config:
  hidden_size: 64
  intermediate_size: 128
  num_hidden_layers: 2
  num_attention_heads: 4
  num_key_value_heads: 2
  head_dim: 16
  vocab_size: 100
  max_position_embeddings: 8192
  tie_word_embeddings: false
  layer_types: [full_attention, full_attention]
"""

GPU = """\
name: Card 10
vendor: Acme
kind: consumer
family: acme-one
backends: [cuda]
launched: 2026-01-15
memory_gb: 16
memory_mib_reported: 16376
memory_type: GDDR7
bandwidth_gb_s: 500
tflops:
  fp16: 40
tdp_w: 200
interconnect:
  type: PCIe only
pcie: 4.0 x16
msrp_usd: 500
street_usd:
  low: 450
  high: 600
  condition: used
  as_of: 2026-02
  source: shop
sources:
  bandwidth_gb_s: data sheet
  memory_mib_reported: driver
  tflops: data sheet
  tdp_w: data sheet
  msrp_usd: press release
  launched: press release
"""

UNIFIED = """\
name: Box 64
vendor: Acme
kind: unified
family: acme-box
backends: [metal]
memory_gb: 64
bandwidth_gb_s: 273
tflops: {}
interconnect:
  type: Thunderbolt 5
  gb_s: 15
usable_default:
  gib: 48
  rule: three quarters
  source: log
sources:
  bandwidth_gb_s: data sheet
"""

CLOUD = """\
provider: Rent Co
offers:
  - instance: one card
    gpu: card-10
    gpu_count: 1
    usd_per_hour: 0.5
    billing: on-demand
    as_of: 2026-11-05
    source: https://rent.example/prices
"""

QUANTS = """\
source: by definition
as_of: 2026-11-30
block_types:
  Q8_0: {elements: 32, bytes: 34}
  F16: {elements: 1, bytes: 2}
formats:
  - {name: Q8_0, label: Q8_0, family: gguf, base_type: Q8_0, nominal_bits: 8.5, headline: true}
  - {name: F16, label: F16, family: gguf, base_type: F16, nominal_bits: 16}
"""

ENGINES = """\
engines:
  - id: llama.cpp
    name: llama.cpp
    url: https://engine.example
    backends: [cuda, metal]
    formats: [gguf]
"""

ASSUMPTIONS = """\
tight_share: {value: 0.08, unit: share, source: rule, as_of: 2026-11-30}
desktop: {value: 512, unit: MiB, source: seen, as_of: 2026-11-30}
runtime:
  cuda: {value: 400, low: 300, high: 500, unit: MiB, source: seen, as_of: 2026-11-30}
  other: {value: 450, unit: MiB, source: guess of a maker, as_of: 2026-11-30}
hosts:
  - id: desktop
    device_kinds: [consumer]
    ram_platform: two-channels
    ram_limit: {value: 64, unit: GiB, source: rule, as_of: 2026-11-30}
    read_share: {value: 0.5, unit: share, source: seen, as_of: 2026-11-30}
ram_platforms:
  - {id: two-channels, name: two channels, gb_s: 80, source: definition, as_of: 2026-11-30}
electricity: {value: 0.3, unit: USD/kWh, source: office, as_of: 2026-11-30}
system_power: {value: 40, unit: W, source: seen, as_of: 2026-11-30}
"""

FILES = {
    "models/acme/toy-1b.yaml": MODEL,
    "gpus/acme/card-10.yaml": GPU,
    "gpus/acme/box-64.yaml": UNIFIED,
    "cloud/rent-co.yaml": CLOUD,
    "quants.yaml": QUANTS,
    "engines.yaml": ENGINES,
    "assumptions.yaml": ASSUMPTIONS,
}


def write_catalog(folder: Path, **changed: str) -> Path:
    """Write the made-up catalog below `folder`/data; `changed` replaces whole files by stem."""
    data = folder / "data"
    for name, text in FILES.items():
        path = data / name
        path.parent.mkdir(parents=True, exist_ok=True)
        stem = path.stem.replace("-", "_").replace(".", "_")
        path.write_text(changed.get(stem, text), encoding="utf-8")
    return data


def spoil(data: Path, name: str, old: str, new: str) -> None:
    """Replace `old`, which must be there, in one file of the catalog."""
    path = data / name
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def faults_of(data: Path, *, architectures: bool = False) -> list[str]:
    """Every fault of the catalog as it is printed."""
    _, faults = read_catalog(data, today=TODAY, architectures=architectures)
    return [str(fault) for fault in faults]
