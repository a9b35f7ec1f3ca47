"""`vramsite add-model`: everything at hand about a model into one new file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vramsite.catalog.model_record import ModelRecord
from vramsite.contribute import gguf_facts
from vramsite.contribute.config_source import ModelSource
from vramsite.contribute.draft_text import draft_text
from vramsite.contribute.file_kinds import KINDS
from vramsite.contribute.gguf_header import GgufHeader
from vramsite.contribute.model_draft import Draft, Given, draft_model
from vramsite.contribute.page_numbers import model_numbers
from vramsite.contribute.parameters import gguf_count, parameter_count
from vramsite.contribute.safetensors_index import read_index
from vramsite.contribute.yaml_form import write_new

if TYPE_CHECKING:
    from vramsite.catalog import Catalog


@dataclass(frozen=True, slots=True)
class AddedModel:
    """What was written, and what to say about it."""

    path: Path
    draft: Draft
    remarks: list[str]
    numbers: str


def add_model(
    catalog: Catalog,
    source: ModelSource,
    given: Given,
    index: Path | None = None,
    gguf: list[Path] | None = None,
) -> AddedModel:
    """Write `data/models/<vendor>/<id>.yaml`.

    Raises DraftError, SourceError, GgufError, FileExistsError; then nothing was written.
    """
    given.repo = given.repo or source.repo
    given.license = given.license or source.license
    given.config_source = given.config_source or source.read_from
    if given.params_total is None and source.params_total is not None:
        given.params_total = source.params_total
        given.params_source = "Hugging Face API: safetensors total"
    if source.checkpoint_bytes is not None:
        given.checkpoint_bytes, given.checkpoint_exact = source.checkpoint_bytes, True
    if index is not None:
        _use_index(given, index)
    headers = [(path, gguf_facts.read(path)) for path in gguf or []]
    for path, header in headers:
        given.gguf_arch = given.gguf_arch or header.architecture
        given.files.append(
            gguf_facts.published_file(path, header, catalog.formats, given.gguf_repo)
        )
    draft = draft_model(catalog, source.config, given)
    if draft.model_id in catalog.models:
        raise FileExistsError(f"the catalog has a model {draft.model_id}; give another --id")
    path = catalog.data_dir / "models" / draft.vendor_slug / f"{draft.model_id}.yaml"
    write_new(path, draft_text(KINDS[0], draft.values, draft.todo))
    return AddedModel(path, draft, _remarks(draft, headers), _numbers(catalog, draft))


def _use_index(given: Given, index: Path) -> None:
    size = read_index(index)
    if given.params_total is None and size.params_total is not None:
        given.params_total = size.params_total
        given.params_source = "model.safetensors.index.json: metadata.total_parameters"
    if given.checkpoint_bytes is None:
        given.checkpoint_bytes = size.tensor_bytes
        given.checkpoint_note = "model.safetensors.index.json: tensors without file headers"


def _remarks(draft: Draft, headers: list[tuple[Path, GgufHeader]]) -> list[str]:
    computed = parameter_count(draft.arch)
    found = [f"config.json gives {computed:,} parameters ({gguf_count(draft.arch):,} in a GGUF)"]
    total = draft.values.get("params_total")
    if total == computed:
        found.append("that is exactly the published total")
    if draft.unread:
        found.append(
            f"the reader of {draft.values['model_type']} does not look at "
            f"{', '.join(draft.unread)}: where one changes what layers hold, teach the reader; "
            "else name it in data/config_keys.yaml"
        )
    for path, header in headers:
        differing = gguf_facts.differences(header, draft.arch)
        if differing:
            found.append(f"{path.name} does not hold the tensors that the reader expects:")
            found += [f"  {line}" for line in differing]
        else:
            found.append(f"{path.name}: tensor by tensor what the reader expects")
    return found


def _numbers(catalog: Catalog, draft: Draft) -> str:
    """With stand-ins for what is still TODO: nothing of it changes a number."""
    stand_in: dict[str, Any] = {"name": draft.model_id, "vendor": "-", "hf_repo": "a/b"}
    values = {
        key: stand_in.get(key) if value is None else value for key, value in draft.values.items()
    }
    values.pop("params_check", None)
    values |= {"id": draft.model_id, "vendor_slug": draft.vendor_slug}
    catalog.models[draft.model_id] = ModelRecord.model_validate(values)
    return model_numbers(catalog, draft.model_id)
