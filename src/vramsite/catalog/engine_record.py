"""Inference engines: `data/engines.yaml`."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from vramsite.catalog.gpu_record import Backend
from vramsite.catalog.record import HttpsUrl, IsoDate, Label, Notes, Positive, Record, Text
from vramsite.sizing.cache import CacheType
from vramsite.sizing.profiles import EngineProfile

FormatFamily = Literal["gguf", "gguf-dynamic", "checkpoint", "mlx", "exl"]
Block = Annotated[list[Positive], Field(min_length=2, max_length=2)]
EngineId = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9._-]*$", max_length=40)]


class EngineDefault(Record):
    """One default setting of an engine that changes memory or speed."""

    value: float | int | str | bool = Field(description="the value used when nothing is set")
    flag: Label | None = Field(None, description="the option that changes it")
    source: Text = Field(description="where the default is stated")
    as_of: IsoDate = Field(description="day it was checked")
    note: Text | None = None


class EngineMemory(Record):
    """How the engine reserves memory; `sizing/profiles.py` says what each figure means."""

    layout: Literal["slots", "pages", "arrays"] = Field(
        description="slots: as llama.cpp; pages: a pool of pages; arrays: as long as their tokens"
    )
    page_tokens: Positive = Field(description="the cache grows by so many tokens")
    counts_work: bool = Field(description="whether its share of the device covers working memory")
    weights_share: Positive = Field(
        1.0, le=1, description="share of the usable memory that weights take without slowing it"
    )
    full_windows: bool = Field(description="whether a windowed layer keeps the whole context")
    host_embedding: bool = Field(description="whether the token embedding stays in host memory")
    cache_types: dict[str, Block] = Field(
        min_length=1, description="elements and bytes of a block of each cache type"
    )
    state_element_bytes: Positive = Field(description="bytes of a recurrent state's element")
    conv_element_bytes: Positive = Field(description="bytes of a convolution state's element")
    states_per_sequence: Positive = Field(description="recurrent states kept for a sequence")
    states_in_pages: bool = Field(description="whether states lie in pages of the same pool")
    step_tokens: Positive = Field(description="tokens of the largest step")
    step_sequences: Positive = Field(description="sequences of the largest step")
    step_tokens_large: Positive = Field(description="the same on large devices")
    step_sequences_large: Positive = Field(description="the same on large devices")
    large_device_gib: Positive = Field(description="from this size on a device is large")
    embedding_copies: float = Field(ge=0, description="16-bit values a token of embedding width")
    ffn_copies: float = Field(ge=0, description="16-bit values a token of feed-forward width")
    logits_copies: float = Field(ge=0, description="F32 rows of logits a sequence")
    work_low: Positive = Field(description="low end of the working memory, as a factor")
    work_high: Positive = Field(description="high end of the working memory, as a factor")
    graph_mib: float = Field(ge=0, description="CUDA graphs")
    link_mib: float = Field(ge=0, description="buffers of the collective library")
    padded_formats: list[str] = Field(
        default_factory=list, description="formats whose experts are padded for the kernels"
    )
    padded_embedding: Positive = Field(1, description="multiple of the embedding's width")
    padded_ffn: Positive = Field(1, description="multiple of one device's feed-forward width")
    source: Text = Field(description="where the figures come from, or what they were fitted to")
    as_of: IsoDate = Field(description="day of the source")

    def profile(self, engine: str, utilization: float) -> EngineProfile:
        """The engine's record of these figures."""
        mib = 2.0**20
        return EngineProfile(
            engine=engine,
            layout=self.layout,
            cache_types=[
                CacheType(
                    name=name,
                    block_elements=float(block[0]),
                    block_bytes=float(block[1]),
                    quantised=block[0] > 1,
                )
                for name, block in self.cache_types.items()
            ],
            page_tokens=float(self.page_tokens),
            utilization=utilization,
            counts_work=self.counts_work,
            weights_share=float(self.weights_share),
            full_windows=self.full_windows,
            host_embedding=self.host_embedding,
            state_element_bytes=float(self.state_element_bytes),
            conv_element_bytes=float(self.conv_element_bytes),
            states_per_sequence=float(self.states_per_sequence),
            states_in_pages=self.states_in_pages,
            step_tokens=float(self.step_tokens),
            step_sequences=float(self.step_sequences),
            step_tokens_large=float(self.step_tokens_large),
            step_sequences_large=float(self.step_sequences_large),
            large_device_bytes=self.large_device_gib * 2.0**30,
            embedding_copies=float(self.embedding_copies),
            ffn_copies=float(self.ffn_copies),
            logits_copies=float(self.logits_copies),
            work_low=float(self.work_low),
            work_high=float(self.work_high),
            graph_bytes=self.graph_mib * mib,
            link_bytes=self.link_mib * mib,
            padded_formats=self.padded_formats,
            padded_embedding=float(self.padded_embedding),
            padded_ffn=float(self.padded_ffn),
        )


class ContextDefault(Record):
    """The context an engine takes by itself on devices below a size."""

    below_gib: Positive | None = Field(None, description="absent: on all larger devices")
    tokens: Positive = Field(description="context in tokens")


class FullLogits(Record):
    """An engine of llama.cpp's kind that reserves logits for every token of a micro-batch.

    Its compute buffer then holds these and so many rows of embeddings, if that is more than what
    the layers need.
    """

    embedding_rows: float = Field(ge=0, description="F32 rows of embeddings beside the logits")
    source: Text = Field(description="where that is stated, or what it was read from")
    as_of: IsoDate = Field(description="day of the source")


class EngineRecord(Record):
    """An engine that runs models."""

    id: EngineId = Field(description="as in the engine column of data/measurements/")
    name: Label = Field(description="name as its project writes it")
    url: HttpsUrl = Field(description="home of the project")
    backends: list[Backend] = Field(min_length=1, description="back ends it has")
    formats: list[FormatFamily] = Field(
        min_length=1, description="families of data/quants.yaml that it loads"
    )
    defaults: dict[str, EngineDefault] = Field(default_factory=dict)
    memory_utilization: Positive | None = Field(
        None, description="share of the device it reserves at start, if it reserves"
    )
    context_by_memory: list[ContextDefault] = Field(
        default_factory=list, description="default context by device memory, smallest first"
    )
    full_logits: FullLogits | None = Field(
        None, description="absent: it reserves logits for one token of each sequence"
    )
    memory: EngineMemory | None = Field(
        None, description="how it reserves memory; absent: as llama.cpp, or not known"
    )
    notes: Notes = ""

    def default_context(self, capacity_bytes: float) -> float | None:
        """Tokens of context where the user sets none; None: the engine takes the model's own."""
        for step in self.context_by_memory:
            if step.below_gib is None or capacity_bytes < step.below_gib * 2.0**30:
                return float(step.tokens)
        return None

    def profile(self) -> EngineProfile | None:
        """The engine's memory profile, None where there is none."""
        if self.memory is None:
            return None
        return self.memory.profile(self.id, float(self.memory_utilization or 1.0))


class EnginesFile(Record):
    """All of data/engines.yaml."""

    engines: list[EngineRecord] = Field(min_length=1)
