"""Qwen 4's per-layer embedding: a table of hashed n-grams and what injects its rows."""

from __future__ import annotations

from vramsite.catalog.architectures.keys import ArchitectureError, Keys
from vramsite.catalog.architectures.shapes import whole
from vramsite.catalog.architectures.tensor_list import TensorList
from vramsite.sizing.numeric import ceil_to, index

# Far beyond any table, and the search for primes still ends at once.
MOST_ROWS = 10_000_000_000.0
MOST_HEADS = 1024.0


def _is_prime(value: float) -> bool:
    if value < 4.0:
        return value > 1.0
    divisor = 2.0
    while divisor * divisor <= value:
        if value % divisor == 0.0:
            return False
        divisor += 1.0 if divisor == 2.0 else 2.0
    return True


def table_rows(base: float, heads: float, divisor: float) -> float:
    """Rows of the table: one prime for each head, counted up from `base`, the sum padded."""
    total = 0.0
    size = base - 1.0
    for _ in range(index(heads)):
        size += 1.0
        while not _is_prime(size):
            size += 1.0
        total += size
    return ceil_to(total, divisor)


def conv_state_elements(keys: Keys) -> float:
    """State of the dilated convolution behind the injection, in every stream."""
    taps = whole(keys, "ple_conv_kernel_size", 4) - 1
    dilation = whole(keys, "ngram_size", 3)
    return taps * dilation * whole(keys, "hc_count") * whole(keys, "hidden_size")


def ngram_embedding(tensors: TensorList, keys: Keys, layers: list[float]) -> None:
    """The table (gathered by rows, kept on the host) and its injection in `layers`."""
    if len(layers) != 1:
        raise ArchitectureError(
            f"{keys.path}.ple_layer_ids", f"lists {len(layers)} layers; one table is supported"
        )
    width = whole(keys, "hidden_size")
    streams = width * whole(keys, "hc_count")
    embedding = whole(keys, "ple_embed_dim", width)
    orders = whole(keys, "ngram_size", 3, least=2)
    heads = (orders - 1) * whole(keys, "heads_per_ngram", 8)
    if embedding % heads != 0:
        raise ArchitectureError(
            f"{keys.path}.ple_embed_dim", f"is {embedding:g}; {heads:g} heads do not divide it"
        )
    base = whole(keys, "ngram_vocab_size_base", 20_000_000)
    if base > MOST_ROWS or heads > MOST_HEADS:
        raise ArchitectureError(
            f"{keys.path}.ngram_vocab_size_base", f"is {base:g} for {heads:g} heads", "range"
        )
    rows = table_rows(base, heads, whole(keys, "make_ngram_vocab_size_divisible_by", 128))
    kind = "per_layer_embedding"
    tensors.matrix("per_layer_token_embd", kind, embedding / heads, rows)
    # hash multipliers, head sizes and offsets: integers, which the converter writes as metadata
    tensors.matrix(
        "ple_hash", kind, orders + 2 * heads, 1.0, layers=layers, in_gguf=False, loaded=False
    )
    tensors.matrix("ple_key", "other", embedding, streams, layers=layers)
    tensors.matrix("ple_value", "other", embedding, width, layers=layers)
    for role in ("ple_norm_key", "ple_norm_query", "ple_norm_conv"):
        # one row a stream, which makes it a matrix for the quantiser
        tensors.matrix(role, "norm", width, streams / width, layers=layers)
    kernel = whole(keys, "ple_conv_kernel_size", 4)
    tensors.matrix("ple_conv1d", "other", kernel, streams, layers=layers)
