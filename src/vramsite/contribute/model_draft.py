"""From a config.json, and what else is at hand, to a model file; TODO where it is not known."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from vramsite.catalog.architectures import (
    ArchitectureError,
    ArchitectureSource,
    Keys,
    known_model_types,
    read_architecture,
)
from vramsite.catalog.architectures.unread import unread_keys
from vramsite.catalog.config_key_rules import config_key_rules, load_config_keys
from vramsite.catalog.record import SLUG
from vramsite.contribute.config_keys import checkpoint_format, kept_keys, text_config
from vramsite.contribute.nearest_readers import unknown_type_text
from vramsite.contribute.parameters import active_count, parameter_count
from vramsite.sizing.records import Architecture

if TYPE_CHECKING:
    from vramsite.catalog import Catalog

_BILLIONS = re.compile(r"(?:^|[-_ ])(\d+(?:\.\d+)?)[bB](?:[-_ ]|$)")
_ACTIVE = re.compile(r"[-_ ]A(\d+(?:\.\d+)?)[bB](?:[-_ ]|$)")
_TRILLIONS = re.compile(r"(?:^|[-_ ])(\d+(?:\.\d+)?)[tT](?:[-_ ]|$)")


class DraftError(ValueError):
    """A model that no file can be begun for; the message says what is missing."""


@dataclass(slots=True)
class Given:
    """What the contributor gave beside config.json; None is not known."""

    repo: str | None = None
    model_id: str | None = None
    name: str | None = None
    vendor: str | None = None
    vendor_slug: str | None = None
    license: str | None = None
    released: str | None = None
    modality: str | None = None
    gguf_repo: str | None = None
    gguf_arch: str | None = None
    context_max_tokens: int | None = None
    headline_b: float | None = None
    active_b: float | None = None
    params_total: int | None = None
    params_source: str = ""
    checkpoint_bytes: int | None = None
    checkpoint_exact: bool = False
    checkpoint_note: str | None = None
    files: list[dict[str, Any]] = field(default_factory=list)
    files_source: str = ""
    config_source: str = ""
    confidence: str = "exact"


@dataclass(frozen=True, slots=True)
class Draft:
    """A model file to be: values in the order of the record, and what a TODO asks for."""

    model_id: str
    vendor_slug: str
    values: dict[str, Any]
    todo: dict[str, str]
    arch: Architecture
    unread: list[str]  # keys that the reader did not ask for and that may change sizes


def draft_model(catalog: Catalog, config: dict[str, Any], given: Given) -> Draft:
    """Begin a file. Raises DraftError for an unknown architecture or where no id can be made."""
    kept = kept_keys(config, load_config_keys(catalog.data_dir).about_code)
    model_type = _model_type(catalog, config, kept, given.params_total)
    repo = given.repo or _named_repo(config)
    title = given.name or (_title(repo) if repo else None)
    model_id = given.model_id or _slug(title or "")
    if not re.match(SLUG, model_id):
        raise DraftError("no name to make an id of; give --repo owner/name, or --id")
    context = given.context_max_tokens or _context(config)
    if context is None:
        raise DraftError("config.json has no max_position_embeddings; give --context")
    siblings = [model for model in catalog.models.values() if model.model_type == model_type]
    arch_names = Counter(model.gguf_arch for model in siblings if model.gguf_arch)
    gguf_arch = given.gguf_arch or (next(iter(arch_names)) if len(arch_names) == 1 else None)
    keys = Keys(kept)
    arch = _architecture(model_type, gguf_arch, context, keys)
    computed = parameter_count(arch)
    todo: dict[str, str] = {}
    vendor, vendor_slug = _vendor(catalog, repo, given)
    headline, active = _sizes(title or "", arch, computed, given)
    sources = {"config": given.config_source}
    values: dict[str, Any] = {
        "name": given.name or (title or "").replace("-", " "),
        "vendor": vendor,
        "hf_repo": repo,
        "gguf_repo": given.gguf_repo,
        "license": given.license,
        "released": given.released,
        "modality": given.modality or _modality(kept),
        "context_max_tokens": context,
        "hf_architecture": _first(config.get("architectures")),
        "model_type": model_type,
        "gguf_arch": gguf_arch,
        "params_total": given.params_total,
        "params_headline_b": headline,
        "params_active_b": active,
        "checkpoint": _checkpoint(config, computed, given),
        "files": given.files or None,
        "confidence": given.confidence,
    }
    if given.params_total is not None:
        sources["params_total"] = given.params_source or "safetensors total of the repository"
        if given.params_total != computed:
            values["params_check"] = {"computed": computed, "reason": None}
            todo["reason"] = (
                f"config.json gives {computed:,}, the repository {given.params_total:,}; say why, "
                "or correct one of the two"
            )
    if given.files:
        sources["files"] = given.files_source or "GGUF header"
    for key, hint in (
        ("name", "name with its headline size, as the vendor writes it"),
        ("vendor", "company or group that trained it"),
        ("hf_repo", "owner/name of the official weights on Hugging Face"),
        ("license", "licence, from the model card"),
        ("released", "release: 2026 or 2026-11"),
        ("gguf_arch", "general.architecture of its GGUF files; no line if there are none"),
    ):
        if values[key] is None or values[key] == "":
            todo[key] = hint
    values["sources"] = sources
    values["config"] = kept
    ordered = {key: value for key, value in values.items() if value is not None or key in todo}
    unread = unread_keys(config_key_rules(catalog.data_dir), keys, model_type)
    return Draft(model_id, vendor_slug, ordered, todo, arch, unread)


def _model_type(
    catalog: Catalog, config: dict[str, Any], kept: dict[str, Any], params_total: int | None
) -> str:
    outer, inner = config.get("model_type"), text_config(config).get("model_type")
    known = known_model_types()
    for name in (outer, inner):
        if name in known:
            return str(name)
    if not isinstance(inner or outer, str):
        raise DraftError("config.json has no model_type; is it the config.json of a model?")
    raise DraftError(unknown_type_text(catalog, str(inner or outer), kept, params_total))


def _architecture(model_type: str, gguf_arch: str | None, context: int, keys: Keys) -> Architecture:
    try:
        return read_architecture(
            ArchitectureSource(
                model_type=model_type,
                gguf_arch=gguf_arch or "",
                context_max_tokens=float(context),
                config=keys,
            )
        )
    except ArchitectureError as error:
        raise DraftError(f"the reader of {model_type} objects: {error}") from error


def _named_repo(config: dict[str, Any]) -> str | None:
    named = config.get("_name_or_path")
    if isinstance(named, str) and re.match(r"^[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*$", named):
        return named
    return None


def _vendor(catalog: Catalog, repo: str | None, given: Given) -> tuple[str | None, str]:
    owner = repo.split("/")[0].lower() if repo else ""
    same = [m for m in catalog.models.values() if m.hf_repo.split("/")[0].lower() == owner]
    if given.vendor is None and same:
        return same[0].vendor, given.vendor_slug or same[0].vendor_slug
    if given.vendor is not None:
        named = [m for m in catalog.models.values() if m.vendor.lower() == given.vendor.lower()]
        if named:
            return named[0].vendor, given.vendor_slug or named[0].vendor_slug
    slug = given.vendor_slug or _slug(given.vendor or owner)
    if not re.match(SLUG, slug):
        raise DraftError("no vendor to make a folder of; give --vendor")
    return given.vendor, slug


def _sizes(title: str, arch: Architecture, computed: int, given: Given) -> tuple[float, float]:
    """Headline and active parameters in 10**9: as given, as in the name, else as counted."""
    headline = given.headline_b
    for pattern, unit in ((_BILLIONS, 1.0), (_TRILLIONS, 1000.0)):
        match = pattern.search(title)
        if headline is None and match and 0.8 <= computed / 1e9 / (float(match[1]) * unit) <= 1.6:
            headline = float(match[1]) * unit
    if headline is None:
        headline = round(computed / 1e9, 2)
    active = given.active_b
    named = _ACTIVE.search(title)
    if active is None and named:
        active = float(named[1])
    if active is None:
        active = headline if arch.expert_count == 0 else round(active_count(arch) / 1e9, 2)
    return _plain(headline), _plain(min(active, headline))


def _checkpoint(config: dict[str, Any], computed: int, given: Given) -> dict[str, Any] | None:
    storage = checkpoint_format(config)
    if storage is None:
        return None
    if given.checkpoint_bytes is not None:
        found: dict[str, Any] = {
            "format": storage,
            "bytes": given.checkpoint_bytes,
            "exact": given.checkpoint_exact,
        }
        return found | ({"note": given.checkpoint_note} if given.checkpoint_note else {})
    if storage in ("bf16", "fp16"):
        total = 2 * (given.params_total or computed)
        note = "computed: two bytes a parameter"
        return {"format": storage, "bytes": total, "exact": False, "note": note}
    return {"format": storage}


def _context(config: dict[str, Any]) -> int | None:
    for keys in (text_config(config), config):
        for name in ("max_position_embeddings", "max_seq_len", "model_max_length", "n_positions"):
            value = keys.get(name)
            if isinstance(value, int) and not isinstance(value, bool) and value > 0:
                return value
    return None


def _modality(kept: dict[str, Any]) -> str:
    if "audio_config" in kept:
        return "omni" if "vision_config" in kept else "audio"
    return "vision" if "vision_config" in kept else "text"


def _title(repo: str) -> str:
    """Llama-2-7B of meta-llama/Llama-2-7b-hf."""
    plain = re.sub(r"-hf$", "", repo.split("/")[1].replace("_", "-"))
    return re.sub(r"(?<=\d)b(?=-|$)", "B", plain)


def _slug(text: str) -> str:
    return re.sub(r"-+", "-", re.sub(r"[^a-z0-9.]+", "-", text.lower())).strip("-.")


def _first(value: Any) -> str | None:
    return value[0] if isinstance(value, list) and value and isinstance(value[0], str) else None


def _plain(value: float) -> float:
    return int(value) if value == int(value) else value
