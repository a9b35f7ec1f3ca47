"""One open-weight model: `data/models/<vendor>/<id>.yaml`."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from vramsite.catalog.record import (
    Count,
    FormatName,
    HfRepo,
    Label,
    Notes,
    PartialDate,
    Positive,
    Record,
    Slug,
    Sources,
    Text,
)


class PublishedFile(Record):
    """A weight file (or the sum of its parts) somebody published, with its size."""

    format: FormatName = Field(
        description="format as in the file name: Q4_K_M, UD-Q4_K_XL; names are in data/quants.yaml"
    )
    bytes: Count = Field(description="size in bytes; all parts of a split file together")
    exact: bool = Field(description="true: to the byte; false: rounded or converted from GB or GiB")
    published_as: Label | None = Field(None, description="the figure as printed, if rounded")
    repo: HfRepo | None = Field(None, description="owner/name of the repository, if known")
    kind: Literal["model", "variant", "same_shape"] = Field(
        "model",
        description=(
            "model: this model in the plain recipe; variant: this model in another recipe or "
            "layout; same_shape: the file of another model with the same tensors"
        ),
    )
    prediction_layers: bool | None = Field(
        None, description="whether the file holds the multi-token-prediction layers, if known"
    )
    as_of: PartialDate | None = Field(None, description="day, month or year of the listing")
    note: Text | None = Field(None, description="what else there is to know about the file")


class Checkpoint(Record):
    """The weights as the vendor publishes them."""

    format: Label = Field(description="storage format: bf16, fp8, mxfp4, nvfp4, ...")
    bytes: Count | None = Field(None, description="size of the weight files in bytes, if known")
    exact: bool = Field(False, description="true: listed to the byte; false: rounded or computed")
    repo: HfRepo | None = Field(None, description="owner/name, if it is not hf_repo")
    note: Text | None = Field(None, description="how the size was got")


class ParameterCheck(Record):
    """Why the count computed from config.json is not `params_total`."""

    computed: Count | None = Field(
        None, description="the count that the config gives; absent where no exact one is possible"
    )
    reason: Text = Field(description="what makes the difference, or why there is no exact count")


class PerLayerTable(Record):
    """A table of per-layer or n-gram embeddings that is only read row by row."""

    tensor: Label = Field(description="name of the tensor in GGUF")
    rows: Count = Field(description="rows of the table")
    row_width: Count = Field(description="elements in a row")
    rows_read_per_token: Count = Field(description="rows one token reads")
    host_placeable: bool = Field(description="whether engines can leave it in host memory")
    gguf_bytes: dict[FormatName, Count] = Field(
        default_factory=dict, description="size of the table by the type it is stored in"
    )
    notes: Text | None = Field(None, description="how each engine places it")


class ModelRecord(Record):
    """Facts about one model. `config` holds the size-relevant keys of config.json, verbatim."""

    id: Slug
    vendor_slug: Slug
    name: Label = Field(description="name with its headline size, as the vendor writes it")
    vendor: Label = Field(description="company or group that trained it")
    hf_repo: HfRepo = Field(description="owner/name of the official weights on Hugging Face")
    gguf_repo: HfRepo | None = Field(None, description="owner/name of a repository of GGUF files")
    license: Label | None = Field(None, description="licence, from the model card")
    released: PartialDate | None = Field(None, description="release, year or year and month")
    modality: Literal["text", "vision", "audio", "omni"] | None = Field(
        None, description="text, vision (text and images), audio or omni (all of them)"
    )
    context_max_tokens: Count = Field(description="longest context the vendor documents, in tokens")
    hf_architecture: Label | None = Field(None, description="architectures[0] of config.json")
    model_type: Label | None = Field(
        None, description="model_type of config.json: picks the reader"
    )
    gguf_arch: Label | None = Field(None, description="general.architecture of its GGUF files")
    params_total: Count | None = Field(
        None, description="parameters as Hugging Face counts them (safetensors total)"
    )
    params_headline_b: Positive = Field(description="total in 10**9, as the vendor names it")
    params_active_b: Positive = Field(
        description="parameters one token uses, in 10**9; the same as the total for dense models"
    )
    params_check: ParameterCheck | None = Field(
        None, description="only where the computed count and params_total differ for a reason"
    )
    params_parts: dict[Slug, Count] = Field(
        default_factory=dict, description="published or checked parts of the count"
    )
    checkpoint: Checkpoint | None = Field(None, description="the vendor's own weight files")
    other_checkpoints: list[Checkpoint] = Field(
        default_factory=list, description="further official or well-known weight repositories"
    )
    files: list[PublishedFile] = Field(
        default_factory=list, description="GGUF files with published sizes"
    )
    vision_files: list[PublishedFile] = Field(
        default_factory=list, description="vision or audio encoder files (mmproj)"
    )
    draft_files: list[PublishedFile] = Field(
        default_factory=list, description="separate draft or multi-token-prediction files"
    )
    per_layer_table: PerLayerTable | None = Field(
        None, description="an embedding table that is read row by row, if it has one"
    )
    cache_reference: dict[str, int] = Field(
        default_factory=dict, description="cache figures published elsewhere, to test ours against"
    )
    cache_note: Text | None = Field(None, description="how the cache of this model works, in words")
    confidence: Literal["exact", "derived", "partial"] = Field(
        description="exact: verbatim config; derived: rebuilt and checked; partial: keys missing"
    )
    notes: Notes = Field(
        "",
        description="what else is known: checks, variants, how engines treat it",
    )
    sources: Sources = Field(description="where each value was found, by key")
    config: dict[str, Any] = Field(
        description="the size-relevant keys of config.json, verbatim (text_config flattened)"
    )

    @property
    def params_expected(self) -> int | None:
        """The count that `config` must give, None where no exact one is possible."""
        return self.params_check.computed if self.params_check else self.params_total

    def published_file(self, format_name: str) -> PublishedFile | None:
        """The file of this model in this format: an exact size first, then a rounded one."""
        own = [file for file in self.files if file.format == format_name and file.kind == "model"]
        for file in own:
            if file.exact:
                return file
        return own[0] if own else None
