"""Nemotron 3: each layer is one block, either Mamba-2, attention, experts or a dense MLP."""

from __future__ import annotations

from vramsite.catalog.architectures.blocks import (
    dense_ffn,
    embeddings,
    gqa_attention,
    nextn_projection,
    norms,
    prediction_head,
)
from vramsite.catalog.architectures.json_value import shown
from vramsite.catalog.architectures.keys import ArchitectureError, Keys
from vramsite.catalog.architectures.registry import reader
from vramsite.catalog.architectures.shapes import (
    assemble,
    attention_shape,
    layers_after,
    text_keys,
    whole,
)
from vramsite.catalog.architectures.source import ArchitectureSource
from vramsite.catalog.architectures.tensor_list import TensorList
from vramsite.sizing.records import Architecture, LayerGroup

_LETTERS = ("M", "*", "E", "-")
_NAMES = ("mamba", "attention", "moe", "mlp")  # of the letters


@reader("nemotron_h")
def hybrid(source: ArchitectureSource) -> Architecture:
    """Only attention blocks cache tokens; Mamba-2 blocks keep a fixed state a sequence."""
    keys = text_keys(source.config)
    width = whole(keys, "hidden_size")
    vocabulary = whole(keys, "vocab_size")
    tied = keys.flag("tie_word_embeddings", False)
    blocks = _blocks(keys, "layers_block_type", "hybrid_override_pattern")
    if keys.has("num_hidden_layers") and keys.number("num_hidden_layers") != len(blocks):
        raise ArchitectureError(
            f"{keys.path}.num_hidden_layers",
            f"is {keys.number('num_hidden_layers'):g}, but the pattern has {len(blocks)} blocks",
        )
    extra_layers = whole(keys, "num_nextn_predict_layers", 0.0, least=0.0)

    tensors = TensorList()
    embeddings(tensors, width, vocabulary, tied=tied)
    _add(tensors, keys, width, blocks, 0)
    if extra_layers > 0:
        _prediction(tensors, keys, width, len(blocks))
    mamba = _mamba_group(keys) if "mamba" in blocks else LayerGroup(kind="none", count=1.0)
    attention = attention_shape(keys)
    full = attention.group()
    nothing = LayerGroup(kind="none", count=1.0)
    has_experts = "moe" in blocks
    return assemble(
        source,
        embedding_width=width,
        vocabulary=vocabulary,
        tied_embeddings=tied,
        attention_heads=attention.query_heads,
        layers=[
            mamba if block == "mamba" else full if block == "attention" else nothing
            for block in blocks
        ],
        tensors=tensors,
        dense_ffn_width=whole(keys, "intermediate_size") if "mlp" in blocks else 0.0,
        expert_count=whole(keys, "n_routed_experts") if has_experts else 0.0,
        experts_used=whole(keys, "num_experts_per_tok") if has_experts else 0.0,
        expert_ffn_width=whole(keys, "moe_intermediate_size") if has_experts else 0.0,
        shared_expert_ffn_width=_shared_width(keys) if has_experts else 0.0,
        prediction_layers=extra_layers,
    )


def _blocks(keys: Keys, names_key: str, letters_key: str) -> list[str]:
    """What each layer is, from a list of names or from a string of letters."""
    if keys.has(names_key):
        names = keys.texts(names_key)
        for place, name in enumerate(names):
            if name not in _NAMES:
                message = f"is {shown(name)}; known are {', '.join(_NAMES)}"
                raise ArchitectureError(f"{keys.path}.{names_key}[{place}]", message)
        return names
    letters = keys.text(letters_key)
    for letter in letters:
        if letter not in _LETTERS:
            message = f"holds {shown(letter)}; known are {' '.join(_LETTERS)}"
            raise ArchitectureError(f"{keys.path}.{letters_key}", message)
    return [_NAMES[_LETTERS.index(letter)] for letter in letters]


def _places(blocks: list[str], name: str, first: float) -> list[float]:
    return [first + place for place, block in enumerate(blocks) if block == name]


def _add(tensors: TensorList, keys: Keys, width: float, blocks: list[str], first: float) -> None:
    """The tensors of these blocks; `first` is the index of the first of them."""
    norms(tensors, width, layers_after(first, len(blocks)), "attn_norm")
    mamba = _places(blocks, "mamba", first)
    if mamba:
        _mamba(tensors, keys, width, mamba)
    attention = _places(blocks, "attention", first)
    if attention:
        gqa_attention(
            tensors,
            width,
            attention_shape(keys),
            attention,
            qkv_bias=keys.flag("attention_bias", False),
        )
    experts = _places(blocks, "moe", first)
    if experts:
        _experts(tensors, keys, width, experts)
    dense = _places(blocks, "mlp", first)
    if dense:
        dense_ffn(tensors, width, whole(keys, "intermediate_size"), dense, gated=False)


def _mamba_widths(keys: Keys) -> tuple[float, float, float, float]:
    """Inner width, state size, width of the convolved part, heads."""
    heads = whole(keys, "mamba_num_heads")
    inner = heads * whole(keys, "mamba_head_dim")
    state = whole(keys, "ssm_state_size")
    groups = whole(keys, "n_groups")
    if inner % groups != 0:
        raise ArchitectureError(
            f"{keys.path}.n_groups",
            f"is {groups:g}, which does not divide the inner width {inner:g}",
        )
    return inner, state, inner + 2 * groups * state, heads


def _mamba(tensors: TensorList, keys: Keys, width: float, layers: list[float]) -> None:
    inner, _, convolved, heads = _mamba_widths(keys)
    groups = whole(keys, "n_groups")
    tensors.matrix("ssm_in", "recurrent", width, inner + convolved + heads, layers=layers)
    tensors.matrix(
        "ssm_conv1d",
        "recurrent",
        whole(keys, "conv_kernel"),
        convolved,
        layers=layers,
        fixed_type="F32",
    )
    if keys.flag("use_conv_bias", True):
        tensors.vector("ssm_conv1d.bias", "recurrent", convolved, layers=layers)
    tensors.vector("ssm_dt.bias", "recurrent", heads, layers=layers)
    for role in ("ssm_a", "ssm_d"):
        tensors.matrix(role, "recurrent", 1.0, heads, layers=layers, fixed_type="F32")
    tensors.matrix("ssm_norm", "norm", inner / groups, groups, layers=layers, fixed_type="F32")
    tensors.matrix("ssm_out", "recurrent", inner, width, layers=layers)


def _mamba_group(keys: Keys) -> LayerGroup:
    inner, state, convolved, _ = _mamba_widths(keys)
    return LayerGroup(
        kind="recurrent",
        count=1.0,
        recurrent_elements=state * inner,
        conv_elements=(whole(keys, "conv_kernel") - 1) * convolved,
    )


def _shared_width(keys: Keys) -> float:
    return whole(keys, "moe_shared_expert_intermediate_size", 0.0, least=0.0) * whole(
        keys, "n_shared_experts", 1.0
    )


def _experts(tensors: TensorList, keys: Keys, width: float, layers: list[float]) -> None:
    """Experts without a gate; with `moe_latent_size` they work in a narrower space.

    The router's correction bias is a buffer that the published parameter totals leave out.
    """
    experts = whole(keys, "n_routed_experts")
    expert_width = whole(keys, "moe_intermediate_size")
    latent = whole(keys, "moe_latent_size", width)
    tensors.matrix("ffn_gate_inp", "router", width, experts, layers=layers, fixed_type="F32")
    tensors.vector("exp_probs_b.bias", "router", experts, layers=layers, in_checkpoint=False)
    for role, row_width, rows in (
        ("ffn_up_exps", latent, expert_width),
        ("ffn_down_exps", expert_width, latent),
    ):
        tensors.matrix(role, "routed_experts", row_width, rows, experts=experts, layers=layers)
    if latent != width:
        tensors.matrix("ffn_latent_down", "shared_experts", width, latent, layers=layers)
        tensors.matrix("ffn_latent_up", "shared_experts", latent, width, layers=layers)
    shared = _shared_width(keys)
    if shared > 0:
        tensors.matrix("ffn_up_shexp", "shared_experts", width, shared, layers=layers)
        tensors.matrix("ffn_down_shexp", "shared_experts", shared, width, layers=layers)


def _prediction(tensors: TensorList, keys: Keys, width: float, first: float) -> None:
    blocks = _blocks(keys, "mtp_layers_block_type", "mtp_hybrid_override_pattern")
    block = TensorList()
    _add(block, keys, width, blocks, first)
    nextn_projection(block, width, [first])
    prediction_head(tensors, block, in_gguf=False)
