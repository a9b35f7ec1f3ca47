"""Which storage type llama-quantize gives each tensor of a model.

The rules of every format are data (`QuantRecipe`, `QuantScheme`); here is only how llama.cpp
applies them (src/llama-quant.cpp): the first rule of a tensor's category that holds wins, its
position in the model is counted as llama.cpp counts it, and a row that is not a whole number of
blocks falls back to a type with smaller ones.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from vramsite.sizing.numeric import floor, index
from vramsite.sizing.records import Architecture, Tensor


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockType:
    """A storage type: so many elements of a row share one block of so many bytes."""

    name: str
    block_elements: float
    block_bytes: float
    fallback: str = ""  # the type for rows that are no whole number of blocks; "" = F16


@dataclass(frozen=True, slots=True, kw_only=True)
class TypeRule:
    """One line of a recipe. Conditions left at their default always hold."""

    # attention_q/k/v/output, ffn_up/gate/down, token_embedding, stacked (three-dimensional), any
    category: str
    type_name: str
    more_bits: bool = False  # first and last eighth of the layers and every third between
    first_layers: float = 0.0  # only the first so many layers
    first_share: float = 0.0  # only the first 1/n of the layers
    outer_share: float = 0.0  # only the first and the last 1/n of the layers
    min_head_group: float = 0.0  # query heads a KV head of the first layer, at least
    experts: float = 0.0  # exactly so many experts
    min_experts: float = 0.0  # at least so many experts
    imatrix: str = ""  # "with", "without"
    size_class: str = ""  # "70b": models that llama.cpp knows as 70B


@dataclass(frozen=True, slots=True, kw_only=True)
class QuantRecipe:
    """A llama-quantize format: the type of most tensors and the exceptions, in order."""

    name: str
    base_type: str
    quantised: bool = True  # False: 16-bit formats, where the rules below play no part
    output_type: str = ""  # output head, or the embedding where it is tied
    misaligned_output_type: str = ""  # the same where a row is no whole number of base blocks
    rules: list[TypeRule] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleCategory:
    """The category that llama-quantize puts a tensor in, told by its name."""

    role: str
    category: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SizeClass:
    """The models that llama.cpp takes for a named size: architecture and number of layers."""

    name: str
    gguf_arch: str
    layers: float
    min_head_group: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class QuantScheme:
    """What all recipes share."""

    blocks: list[BlockType]
    categories: list[RoleCategory]
    unquantised_roles: list[str]  # matrices that are never quantised
    host_roles: list[str]  # tables of the input layer: looked up in host memory
    host_when_quantised_roles: list[str]  # layer tensors that no GPU multiplies by unless 16 bit
    every_device_roles: list[str]  # single tensors that every device holding a layer needs
    first_layer_roles: list[str]  # single tensors that lie where the first layer lies
    # GGUF architectures whose tied embedding is loaded twice even where both copies are on the host
    twice_on_host_archs: list[str]
    size_classes: list[SizeClass]
    # GGUF architectures whose metadata gives recurrent layers no KV heads
    headless_recurrent_archs: list[str]
    more_bits_share: float = 8.0
    more_bits_step: float = 3.0


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredTensor:
    """Tensors of one shape stored as one type: `layers` lists them, empty = one outside."""

    tensor: Tensor
    type_name: str
    layers: list[float]
    fallback: bool


def find_block(scheme: QuantScheme, name: str) -> BlockType:
    """The block type of that name; the first of the list where there is none."""
    for block in scheme.blocks:
        if block.name == name:
            return block
    return scheme.blocks[0]


def row_bytes(block: BlockType, row_width: float) -> float:
    """Bytes of one row of `row_width` elements (a whole number of blocks)."""
    return row_width / block.block_elements * block.block_bytes


def tensor_bytes(block: BlockType, tensor: Tensor) -> float:
    """Bytes of one such tensor, all its experts together."""
    return row_bytes(block, tensor.row_width) * tensor.rows * tensor.experts


def file_layer_count(arch: Architecture) -> float:
    """Layers that the GGUF file holds, prediction layers included where they are in it."""
    count = arch.layer_count
    for tensor in arch.tensors:
        if tensor.in_gguf:
            for layer in tensor.layers:
                count = max(count, layer + 1.0)
    return count


def stored_tensors(
    arch: Architecture, recipe: QuantRecipe, scheme: QuantScheme, imatrix: bool
) -> list[StoredTensor]:
    """Every tensor of the GGUF file with the type it is stored as."""
    model = _model(arch, recipe, scheme, imatrix)
    stored: list[StoredTensor] = []
    for tensor in arch.tensors:
        if tensor.in_gguf:
            _store(stored, tensor, model)
    return stored


@dataclass(frozen=True, slots=True, kw_only=True)
class _Model:
    recipe: QuantRecipe
    scheme: QuantScheme
    imatrix: str
    tied: bool
    experts: float
    head_group: float
    size_class: str
    layers: float
    value_before: list[float]  # by layer: tensors like attn_v in the layers before it
    value_count: float
    down_before: list[float]  # the same of feed-forwards, by their ffn_down


def _model(arch: Architecture, recipe: QuantRecipe, scheme: QuantScheme, imatrix: bool) -> _Model:
    layers = file_layer_count(arch)
    tied = True
    values = [0.0 for _ in range(index(layers))]
    downs = [0.0 for _ in range(index(layers))]
    for tensor in arch.tensors:
        category = _category(scheme, tensor.role) if tensor.in_gguf else ""
        if category == "output":
            tied = False
        if category == "attention_v":
            for layer in tensor.layers:
                values[index(layer)] += 1.0
        if category == "ffn_down":
            for layer in tensor.layers:
                downs[index(layer)] += 1.0
    value_before, value_count = _running(values)
    down_before, _ = _running(downs)
    head_group = _head_group(arch, scheme)
    return _Model(
        recipe=recipe,
        scheme=scheme,
        imatrix="with" if imatrix else "without",
        tied=tied,
        experts=arch.expert_count,
        head_group=head_group,
        size_class=_size_class(arch, scheme, head_group),
        layers=layers,
        value_before=value_before,
        value_count=value_count,
        down_before=down_before,
    )


def _running(counts: list[float]) -> tuple[list[float], float]:
    before: list[float] = []
    total = 0.0
    for count in counts:
        before.append(total)
        total += count
    return before, total


def _category(scheme: QuantScheme, role: str) -> str:
    for entry in scheme.categories:
        if entry.role == role:
            return entry.category
    return "other"


def _head_group(arch: Architecture, scheme: QuantScheme) -> float:
    # llama.cpp asks the first layer. Most converters write one number for all layers, so that a
    # recurrent first layer answers for the attention layers; some write 0 heads for it.
    for layer in arch.layer_order:
        group = arch.groups[index(layer)]
        if group.kv_heads > 0.0:
            return floor(group.query_heads / group.kv_heads)
        if arch.gguf_arch in scheme.headless_recurrent_archs:
            return 0.0
    return 0.0


def _size_class(arch: Architecture, scheme: QuantScheme, head_group: float) -> str:
    for entry in scheme.size_classes:
        if (
            entry.gguf_arch == arch.gguf_arch
            and entry.layers == arch.layer_count
            and entry.min_head_group <= head_group
        ):
            return entry.name
    return ""


def _store(stored: list[StoredTensor], tensor: Tensor, model: _Model) -> None:
    recipe = model.recipe
    if tensor.fixed_type != "":
        stored.append(_stored(tensor, tensor.fixed_type, tensor.layers, False))
        return
    if not recipe.quantised:
        source = tensor.converted_type if tensor.converted_type != "" else recipe.base_type
        stored.append(_stored(tensor, source, tensor.layers, False))
        return
    if tensor.role in model.scheme.unquantised_roles:
        source = tensor.converted_type if tensor.converted_type != "" else "F16"
        stored.append(_stored(tensor, source, tensor.layers, False))
        return
    category = _category(model.scheme, tensor.role)
    rules = [rule for rule in recipe.rules if _may_hold(rule, category, tensor, model)]
    if len(tensor.layers) == 0 or len(rules) == 0 or not _depends_on_layer(rules[0]):
        chosen = _chosen_type(rules, category, tensor, 0.0, model)
        stored.append(_aligned(tensor, chosen, tensor.layers, model))
        return
    names: list[str] = []
    layers: list[list[float]] = []
    for layer in tensor.layers:
        chosen = _chosen_type(rules, category, tensor, layer, model)
        place = 0
        while place < len(names) and names[place] != chosen:
            place += 1
        if place == len(names):
            names.append(chosen)
            layers.append([])
        layers[place].append(layer)
    for kind in range(len(names)):
        stored.append(_aligned(tensor, names[kind], layers[kind], model))


def _stored(tensor: Tensor, type_name: str, layers: list[float], fallback: bool) -> StoredTensor:
    return StoredTensor(tensor=tensor, type_name=type_name, layers=layers, fallback=fallback)


def _aligned(tensor: Tensor, chosen: str, layers: list[float], model: _Model) -> StoredTensor:
    block = find_block(model.scheme, chosen)
    type_name = chosen
    if tensor.least_type != "":
        least = find_block(model.scheme, tensor.least_type)
        if row_bytes(block, 1.0) < row_bytes(least, 1.0):
            block = least
            type_name = tensor.least_type
    if _whole_blocks(block, tensor.row_width):
        return _stored(tensor, type_name, layers, False)
    if block.fallback != "":
        if _whole_blocks(find_block(model.scheme, block.fallback), tensor.row_width):
            return _stored(tensor, block.fallback, layers, True)
    return _stored(tensor, "F16", layers, True)


def _whole_blocks(block: BlockType, row_width: float) -> bool:
    return floor(row_width / block.block_elements) * block.block_elements == row_width


def _chosen_type(
    rules: list[TypeRule], category: str, tensor: Tensor, layer: float, model: _Model
) -> str:
    recipe = model.recipe
    if category == "output" or (category == "token_embedding" and model.tied):
        if _whole_blocks(find_block(model.scheme, recipe.base_type), tensor.row_width):
            return recipe.output_type
        return recipe.misaligned_output_type
    for rule in rules:
        if not _depends_on_layer(rule) or _holds_at(rule, category, layer, model):
            return rule.type_name
    return recipe.base_type


def _depends_on_layer(rule: TypeRule) -> bool:
    return (
        rule.more_bits
        or rule.first_layers > 0.0
        or rule.first_share > 0.0
        or rule.outer_share > 0.0
    )


def _may_hold(rule: TypeRule, category: str, tensor: Tensor, model: _Model) -> bool:
    if rule.category == "stacked":
        if tensor.experts <= 1.0:
            return False
    elif rule.category != "any" and rule.category != category:
        return False
    return (
        (rule.min_head_group <= model.head_group)
        and (rule.experts == 0.0 or rule.experts == model.experts)
        and (rule.min_experts <= model.experts)
        and (rule.imatrix == "" or rule.imatrix == model.imatrix)
        and (rule.size_class == "" or rule.size_class == model.size_class)
    )


def _holds_at(rule: TypeRule, category: str, layer: float, model: _Model) -> bool:
    at = layer
    count = model.layers
    if category == "attention_v":
        at = model.value_before[index(layer)]
        count = model.value_count
    elif model.experts <= 1.0:
        at = model.down_before[index(layer)]
    if rule.more_bits:
        return _gets_more_bits(at, count, model.scheme)
    if rule.first_layers > 0.0:
        return at < rule.first_layers
    if rule.first_share > 0.0:
        return at < floor(count / rule.first_share)
    share = rule.outer_share
    return at < floor(count / share) or at >= floor((share - 1.0) * count / share)


def _gets_more_bits(at: float, count: float, scheme: QuantScheme) -> bool:
    share = scheme.more_bits_share
    step = scheme.more_bits_step
    head = floor(count / share)
    between = at - head
    return (
        at < head
        or at >= floor((share - 1.0) * count / share)
        or between - floor(between / step) * step == step - 1.0
    )
