"""Compute buffers: published log lines, and what follows from the rules by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from vramsite.catalog import Catalog, load_catalog
from vramsite.catalog.buffer_rules import load_buffer_rules
from vramsite.catalog.quant_recipes import load_quant_scheme
from vramsite.sizing.buffers import Buffers, KnownBuffers, compute_buffers, keeping
from vramsite.sizing.records import Settings
from vramsite.sizing.weights import WeightBytes, quantised_weights

DATA = Path(__file__).parents[2] / "data"
RULES = load_buffer_rules(DATA)


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return load_catalog(DATA)


def weights_of(catalog: Catalog, model: str) -> WeightBytes:
    scheme, recipes = load_quant_scheme(DATA)
    return quantised_weights(catalog.architecture(model), recipes["Q4_K_M"], scheme)


def buffers(catalog: Catalog, model: str, settings: Settings) -> Buffers:
    return compute_buffers(catalog.architecture(model), settings, weights_of(catalog, model), RULES)


@pytest.mark.parametrize(
    ("model", "device_bytes", "host_bytes"),
    [
        ("llama-3.1-8b-instruct", 130037888, 41961504),
        ("qwen3-8b", 117454976, 41961504),
        ("gemma-3-27b-it", 186146944, 54030368),
        ("glm-4.5", 293615744, 50350112),
        ("deepseek-r1-0528", 419440768, 67123232),
    ],
)
def test_llama_cpp_s_own_figures(
    catalog: Catalog, model: str, device_bytes: int, host_bytes: int
) -> None:
    found = buffers(catalog, model, Settings(context_tokens=8192.0))
    assert (found.device_bytes, found.host_bytes) == (device_bytes, host_bytes)


@pytest.mark.parametrize(
    ("model", "parallel", "unified", "device_bytes", "host_bytes"),
    [
        ("llama-3.1-8b-instruct", 3.0, False, 126089856, 37841120),
        ("llama-3.1-8b-instruct", 5.0, True, 135019136, 46426336),
        ("gpt-oss-20b", 3.0, False, 99570048, 28656416),
        ("deepseek-r1-0528", 5.0, True, 426117632, 71735488),
    ],
)
def test_a_micro_batch_holds_as_many_tokens_of_each_sequence(
    catalog: Catalog,
    model: str,
    parallel: float,
    unified: bool,
    device_bytes: int,
    host_bytes: int,
) -> None:
    """512 tokens of 3 sequences are 513: llama.cpp's own figures (build b11434)."""
    found = buffers(
        catalog,
        model,
        Settings(
            context_tokens=12288.0, parallel=parallel, outputs_max=parallel, kv_unified=unified
        ),
    )
    assert (found.device_bytes, found.host_bytes) == (device_bytes, host_bytes)


@pytest.mark.parametrize(
    ("settings", "device_bytes", "host_bytes"),
    [
        (Settings(kv_offload=False), 96473088, 35772480),
        (Settings(kv_offload=False, parallel=8.0, outputs_max=8.0), 97259520, 29122368),
        (Settings(gpu_layers=16.0), 112899072, 35772480),
    ],
)
def test_recurrent_states_in_host_memory(
    catalog: Catalog, settings: Settings, device_bytes: int, host_bytes: int
) -> None:
    """Qwen3.5 4B at 8,192 tokens: llama.cpp's own figures (build b11434)."""
    found = buffers(catalog, "qwen3.5-4b", settings)
    assert found.device_bytes == device_bytes
    # The last rows of a convolution are counted whole, as its input is
    assert 0 <= found.host_bytes - host_bytes <= 2048


def test_output_buffer_holds_a_row_of_logits_a_sequence(catalog: Catalog) -> None:
    found = buffers(catalog, "llama-3.1-8b-instruct", Settings(parallel=4.0, outputs_max=4.0))
    assert found.output_bytes == 4 * 128256 * 4.0


def test_nothing_is_on_the_device_without_one(catalog: Catalog) -> None:
    settings = Settings(backend="cpu", gpu_layers=0.0)
    found = buffers(catalog, "llama-3.1-8b-instruct", settings)
    assert found.device_bytes == 0.0
    assert found.host_bytes > 0.0


def test_a_longer_context_adds_its_mask(catalog: Catalog) -> None:
    short = buffers(catalog, "llama-3.1-8b-instruct", Settings(context_tokens=8192.0))
    long = buffers(catalog, "llama-3.1-8b-instruct", Settings(context_tokens=16384.0))
    # F16, a column a cell and a row a token of the micro-batch
    assert long.device_bytes - short.device_bytes == 8192 * 512 * 2.0


@pytest.mark.parametrize(
    ("model", "host_bytes"),
    [("llama-3.1-8b-instruct", 138430496), ("qwen3-8b", 125847584), ("glm-4.5", 220219424)],
)
def test_llama_cpp_s_own_figures_without_a_device(
    catalog: Catalog, model: str, host_bytes: int
) -> None:
    settings = Settings(backend="cpu", gpu_layers=0.0, context_tokens=8192.0)
    assert buffers(catalog, model, settings).host_bytes == pytest.approx(host_bytes, rel=1e-4)


def test_experts_on_the_host_are_copied_to_be_computed(catalog: Catalog) -> None:
    model = "qwen3-30b-a3b-instruct-2507"
    on_device = buffers(catalog, model, Settings(context_tokens=8192.0))
    on_host = buffers(catalog, model, Settings(context_tokens=8192.0, cpu_moe_layers=48.0))
    largest = max(
        entry.size_bytes for entry in weights_of(catalog, model).layer_tensors if entry.routed
    )
    # llama.cpp's own figure
    assert on_host.device_bytes == pytest.approx(236468480, rel=0.01)
    assert on_host.device_bytes < on_device.device_bytes + largest


def test_what_is_kept_changes_nothing(catalog: Catalog) -> None:
    model = "qwen3-30b-a3b-instruct-2507"
    weights = weights_of(catalog, model)
    arch = catalog.architecture(model)
    kept: list[KnownBuffers] = []
    for context_tokens in (8192.0, 16384.0, 8192.0):
        rules = keeping(RULES, kept)
        for layers in (48.0, 0.0, 20.0, 48.0):
            settings = Settings(context_tokens=context_tokens, cpu_moe_layers=layers)
            again = compute_buffers(arch, settings, weights, rules)
            assert again == compute_buffers(arch, settings, weights, RULES)
    assert [len(entry.placed) for entry in kept] == [3, 3]
    assert RULES.kept == []


@pytest.mark.parametrize(
    ("model", "gpu_layers", "context_tokens", "device_bytes"),
    [
        ("llama-3.1-8b-instruct", 16.0, 32768.0, 276828160),
        ("qwen2.5-72b-instruct", 40.0, 8192.0, 410194176),
        ("qwen3-0.6b", 14.0, 8192.0, 58724352),
        ("minicpm5-2b", 21.0, 32768.0, 104861696),
        ("cohere-command-a-111b", 32.0, 8192.0, 623251456),
    ],
)
def test_layers_on_the_host_part_the_graph(
    catalog: Catalog, model: str, gpu_layers: float, context_tokens: float, device_bytes: int
) -> None:
    """llama.cpp's own figures, to the byte: copies come and go as its scheduler parts the graph."""
    settings = Settings(context_tokens=context_tokens, gpu_layers=gpu_layers)
    assert buffers(catalog, model, settings).device_bytes == device_bytes


def test_a_shared_cache_on_the_host_is_copied_for_each_layer_that_reads_it(
    catalog: Catalog,
) -> None:
    settings = Settings(context_tokens=8192.0, kv_offload=False)
    assert buffers(catalog, "gemma-4-e4b-it", settings).device_bytes == pytest.approx(
        252708992, rel=0.01
    )


def test_shared_experts_are_computed_after_routed_ones_on_the_host(catalog: Catalog) -> None:
    settings = Settings(context_tokens=8192.0, cpu_moe_layers=45.0)
    # llama.cpp's own figure: the graph is cut where experts are copied
    assert buffers(catalog, "step-3.5-flash", settings).device_bytes == 1428445440
