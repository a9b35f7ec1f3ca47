"""KV cache and recurrent state, to the byte, as llama.cpp allocates them.

Cells: the context is rounded up to a multiple of 256, a slot of a cache that is not unified gets
its share of it, rounded up again. A windowed layer keeps its window and one micro-batch. A cache
row is the width of all its heads in blocks of the cache type; on CUDA a quantised tensor whose
rows are no multiple of 512 elements gets the rest of one row as padding.
Source: llama.cpp, the constructors of llama_context and of its caches, the CUDA buffer type.
"""

from __future__ import annotations

from dataclasses import dataclass

from vramsite.sizing.errors import SizingError
from vramsite.sizing.numeric import ceil_to, floor, index
from vramsite.sizing.placement import all_layers, layer_count_on_host
from vramsite.sizing.records import Architecture, LayerGroup, Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheType:
    """A storage type of the cache: `block_bytes` hold `block_elements` elements."""

    name: str
    block_elements: float
    block_bytes: float
    quantised: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheRules:
    """How the engine rounds its caches."""

    types: list[CacheType]
    cell_multiple: float
    padded_row_elements: float  # quantised rows on the device
    device_alignment_bytes: float  # of each tensor
    host_alignment_bytes: float
    state_element_bytes: float  # recurrent and compressor state, whatever the cache type
    # llama.cpp's names of architectures whose state is kept once more for each drafted token
    rollback_archs: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheBytes:
    """Bytes of all layers together, and of each layer. Index keys and compressed entries are KV."""

    kv_bytes: float
    recurrent_bytes: float
    layer_kv_bytes: list[float]
    layer_recurrent_bytes: list[float]
    layer_bytes: list[float]  # both


def cache_type(rules: CacheRules, name: str) -> CacheType:
    """The storage type of that name; SizingError "unknown_cache_type"."""
    for entry in rules.types:
        if entry.name == name:
            return entry
    raise SizingError("unknown_cache_type")


def row_bytes(entry: CacheType, width: float) -> float:
    """Bytes of `width` elements (unrounded where they end within a block)."""
    return width / entry.block_elements * entry.block_bytes


def check_cache(arch: Architecture, settings: Settings, rules: CacheRules) -> None:
    """Raise the SizingError with which llama.cpp refuses these cache types, if it does."""
    k_type = cache_type(rules, settings.kv_type_k)
    v_type = cache_type(rules, settings.kv_type_v)
    if v_type.quantised and not settings.flash_attention:
        raise SizingError("quantised_v_needs_flash_attention")
    for group in arch.groups:
        latent = group.kind == "latent" or group.kind == "compressed"
        if latent and k_type.name != v_type.name:
            raise SizingError("mla_kv_types_differ")
        if k_type.quantised and _splits_block(group.k_head_size, k_type):
            raise SizingError("k_head_size_not_whole_blocks")
        if v_type.quantised and _splits_block(group.v_head_size, v_type):
            raise SizingError("v_head_size_not_whole_blocks")


def _splits_block(head_size: float, entry: CacheType) -> bool:
    return ceil_to(head_size, entry.block_elements) != head_size


def streams(settings: Settings) -> float:
    """Separate caches side by side: one for each slot, or a single unified one."""
    return 1.0 if settings.kv_unified else settings.parallel


def slot_cells(settings: Settings, rules: CacheRules) -> float:
    """Cells of full attention that one sequence may fill (all of them in a unified cache)."""
    cells = ceil_to(settings.context_tokens, rules.cell_multiple)
    if streams(settings) == 1.0:
        return cells
    return ceil_to(floor(cells / settings.parallel), rules.cell_multiple)


def window_cells(group: LayerGroup, settings: Settings, rules: CacheRules) -> float:
    """Cells of a windowed layer in one stream: its window for every sequence, one micro-batch."""
    cells = slot_cells(settings, rules)
    if settings.full_window_cache:
        return cells
    sharing = settings.parallel if settings.kv_unified and not group.own_context else 1.0
    micro_batch = min(settings.ubatch_tokens, settings.context_tokens)
    return ceil_to(min(cells, group.window_tokens * sharing + micro_batch), rules.cell_multiple)


def entry_cells(cells: float, tokens_per_entry: float, rules: CacheRules) -> float:
    """Cells of compressed entries, each of them for so many tokens."""
    if tokens_per_entry == 1.0:
        return cells
    return ceil_to(
        max(ceil_to(cells, tokens_per_entry) / tokens_per_entry, 1.0), rules.cell_multiple
    )


def widest_v(arch: Architecture) -> float:
    """Widest V row: without flash attention V is stored transposed and padded to it."""
    widest = 0.0
    for group in arch.groups:
        widest = max(widest, group.v_width)
    return widest


def cache_bytes(arch: Architecture, settings: Settings, rules: CacheRules) -> CacheBytes:
    """Bytes of cache and state under these settings; SizingError where the engine refuses them."""
    check_cache(arch, settings, rules)
    gpu_layers = settings.gpu_layers
    if gpu_layers is None:
        gpu_layers = all_layers(arch.layer_count)
    on_device = settings.kv_offload and settings.backend != "cpu"
    transposed_v = 0.0 if settings.flash_attention else widest_v(arch)
    states = settings.parallel
    if settings.draft_tokens > 0.0:
        states = states * (1.0 + kept_drafts(arch, settings, rules))
    first = layer_count_on_host(arch.layer_count, gpu_layers)
    host_kv = [group_kv_bytes(group, settings, rules, transposed_v, False) for group in arch.groups]
    device_kv = host_kv
    if on_device:
        device_kv = [
            group_kv_bytes(group, settings, rules, transposed_v, True) for group in arch.groups
        ]
    state_bytes = rules.state_element_bytes * states
    kept_kv = [group.compressor_elements * state_bytes for group in arch.groups]
    kept = [(group.recurrent_elements + group.conv_elements) * state_bytes for group in arch.groups]
    layer_kv_bytes = []
    layer_recurrent_bytes = []
    layer_bytes = []
    kv_bytes = 0.0
    recurrent_bytes = 0.0
    for layer in range(index(arch.layer_count)):
        place = index(arch.layer_order[layer])
        kv = (host_kv[place] if layer < first else device_kv[place]) + kept_kv[place]
        recurrent = kept[place]
        layer_kv_bytes.append(kv)
        layer_recurrent_bytes.append(recurrent)
        layer_bytes.append(kv + recurrent)
        kv_bytes = kv_bytes + kv
        recurrent_bytes = recurrent_bytes + recurrent
    return CacheBytes(
        kv_bytes=kv_bytes,
        recurrent_bytes=recurrent_bytes,
        layer_kv_bytes=layer_kv_bytes,
        layer_recurrent_bytes=layer_recurrent_bytes,
        layer_bytes=layer_bytes,
    )


def cache_placed(
    arch: Architecture, whole: CacheBytes, settings: Settings, rules: CacheRules
) -> CacheBytes:
    """The cache under another placement of the layers than that of `whole`.

    Only rows of quantised types are padded on the device and not on the host.
    """
    quantised = (
        cache_type(rules, settings.kv_type_k).quantised
        or cache_type(rules, settings.kv_type_v).quantised
    )
    return cache_bytes(arch, settings, rules) if quantised else whole


def kept_drafts(arch: Architecture, settings: Settings, rules: CacheRules) -> float:
    """Copies of the state kept to roll back drafted tokens, beside the state itself."""
    for name in rules.rollback_archs:
        if name == arch.gguf_arch:
            return settings.draft_tokens
    return 0.0


def group_kv_bytes(
    group: LayerGroup, settings: Settings, rules: CacheRules, transposed_v: float, padded: bool
) -> float:
    """Bytes of one layer's cache tensors. `transposed_v`: the width V is padded to, 0 for none."""
    if group.kind == "shared" or group.kind == "none":
        return 0.0
    k_type = cache_type(rules, settings.kv_type_k)
    v_type = cache_type(rules, settings.kv_type_v)
    count = settings.parallel if group.own_context else streams(settings)
    slot = slot_cells(settings, rules)
    cells = window_cells(group, settings, rules) if group.window_tokens > 0.0 else slot
    entries = entry_cells(slot, group.tokens_per_entry, rules)
    indexed = entry_cells(slot, group.index_tokens_per_entry, rules)
    v_width = group.v_width
    if v_width > 0.0 and transposed_v > 0.0:
        v_width = transposed_v
    return (
        _tensor_bytes(k_type, group.k_width, cells * count, rules, padded)
        + _tensor_bytes(v_type, v_width, cells * count, rules, padded)
        + _tensor_bytes(k_type, group.compressed_k_width, entries * count, rules, padded)
        + _tensor_bytes(k_type, group.index_k_width, indexed * count, rules, padded)
        + _tensor_bytes(v_type, group.index_v_width, indexed * count, rules, padded)
    )


def _tensor_bytes(
    entry: CacheType, width: float, rows: float, rules: CacheRules, padded: bool
) -> float:
    if width <= 0.0:
        return 0.0
    size = row_bytes(entry, width) * rows
    if not padded:
        return ceil_to(size, rules.host_alignment_bytes)
    if entry.quantised:
        size = size + row_bytes(entry, ceil_to(width, rules.padded_row_elements) - width)
    return ceil_to(size, rules.device_alignment_bytes)


def cache_read_bytes(
    arch: Architecture, settings: Settings, rules: CacheRules, depth_tokens: float
) -> float:
    """Bytes that one decode step of one sequence moves at that depth.

    A windowed layer reads no more than its window, sparse attention the entries it selects (and
    all index keys); a recurrent state is read and written.
    """
    k_type = cache_type(rules, settings.kv_type_k)
    v_type = cache_type(rules, settings.kv_type_v)
    total = 0.0
    for group in arch.groups:
        attended = depth_tokens
        if group.window_tokens > 0.0:
            attended = min(attended, group.window_tokens)
        elif group.selected_entries > 0.0:
            attended = min(attended, group.selected_entries)
        entries = floor(depth_tokens / group.tokens_per_entry)
        if group.selected_entries > 0.0:
            entries = min(entries, group.selected_entries)
        indexed = floor(depth_tokens / group.index_tokens_per_entry)
        state = group.recurrent_elements + group.conv_elements + group.compressor_elements
        layer = (
            attended * (row_bytes(k_type, group.k_width) + row_bytes(v_type, group.v_width))
            + entries * row_bytes(k_type, group.compressed_k_width)
            + indexed * row_bytes(k_type, group.index_k_width)
            + indexed * row_bytes(v_type, group.index_v_width)
            + state * rules.state_element_bytes * 2.0
        )
        total = total + layer * group.count
    return total
