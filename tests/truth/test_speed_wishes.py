"""Speeds that people reported against other calculators, each with the tolerance it is held to.

Wishes T14, T16, T17, T22, T29, T30. A case that does not say its main memory is held to a wider
tolerance, because two channels of DDR4 and of DDR5 differ by nearly a factor of two.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from vramsite.catalog import Catalog, MeasurementRow, load_catalog
from vramsite.catalog.calibration import coefficients, load_calibration
from vramsite.evidence.outside_catalog import OutsideCatalog
from vramsite.evidence.row_weights import WeightSource
from vramsite.evidence.speed import SpeedJudge
from vramsite.evidence.speed_case import CaseReader
from vramsite.sizing.model_work import model_work
from vramsite.sizing.speed import decode

DATA = Path(__file__).parents[2] / "data"


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return load_catalog(DATA)


def row(model: str, quant: str, gpu: str, metric: str, value: float, **more: object):  # type: ignore[no-untyped-def]
    values = {
        "id": "wish",
        "model_id": model,
        "same_shape": False,
        "model_name": model,
        "params_total_b": None,
        "params_active_b": None,
        "quant": quant,
        "quant_published": quant,
        "bits_per_weight": None,
        "weights_bytes": None,
        "gpu_id": gpu,
        "gpu_name": gpu,
        "gpu_count": 1,
        "engine": "llama.cpp",
        "backend": None,
        "engine_version": None,
        "context_tokens": 0.0,
        "prompt_tokens": None,
        "batch": 1.0,
        "kv_type": None,
        "flash_attention": None,
        "offload": "none",
        "speculative": False,
        "power_limit_w": None,
        "metric": metric,
        "value": value,
        "per": "total",
        "usable": True,
        "unusable_reason": None,
        "source": "wishes",
        "date": None,
        "notes": None,
    }
    return MeasurementRow(**{**values, **more})  # type: ignore[arg-type]


LLAMA3_OF_2024 = [
    ("llama-3.1-8b-instruct", "F16", "rtx-3090", 1, "decode_tps", 46.5),
    ("llama-3.1-8b-instruct", "Q4_K_M", "rtx-3090", 1, "decode_tps", 111.7),
    ("llama-3.1-8b-instruct", "F16", "rtx-4090", 1, "decode_tps", 54.3),
    ("llama-3.1-8b-instruct", "Q4_K_M", "rtx-4090", 1, "decode_tps", 127.7),
    ("llama-3.1-8b-instruct", "F16", "mac-studio-m2-ultra-192gb", 1, "decode_tps", 36.3),
    ("llama-3.1-8b-instruct", "Q4_K_M", "mac-studio-m2-ultra-192gb", 1, "decode_tps", 76.3),
    ("llama-3.3-70b-instruct", "Q4_K_M", "rtx-3090", 2, "decode_tps", 16.29),
    ("llama-3.3-70b-instruct", "Q4_K_M", "rtx-4090", 2, "decode_tps", 19.06),
    ("llama-3.3-70b-instruct", "Q4_K_M", "rtx-3090", 2, "prefill_tps", 394.0),
    ("llama-3.3-70b-instruct", "Q4_K_M", "rtx-4090", 2, "prefill_tps", 905.0),
]


@pytest.mark.parametrize(("model", "quant", "gpu", "count", "metric", "measured"), LLAMA3_OF_2024)
def test_t29_t30_llama_3_with_builds_of_2024(
    catalog: Catalog,
    model: str,
    quant: str,
    gpu: str,
    count: int,
    metric: str,
    measured: float,
) -> None:
    # tg1024 and pp1024. These values are not fitted: they stay outside data/measurements/, so the
    # builds of early 2024 are predicted from other old rows only. Decode within 40 %; prompt
    # processing of that time, on two cards, within a factor of two.
    prompt = 1024.0 if metric == "prefill_tps" else None
    case = row(
        model,
        quant,
        gpu,
        metric,
        measured,
        gpu_count=count,
        prompt_tokens=prompt,
        notes="tg1024",
        date="2024-05",
    )
    [compared] = SpeedJudge(catalog, DATA).compare([case]).compared
    tolerance = 1.0 if metric == "prefill_tps" else 0.4
    assert compared.predicted == pytest.approx(measured, rel=tolerance)


def test_todays_builds_are_faster_than_those_of_2024(catalog: Catalog) -> None:
    judge = SpeedJudge(catalog, DATA)
    case = row("llama-3.1-8b-instruct", "Q4_K_M", "rtx-3090", "decode_tps", 111.7)
    [now] = judge.compare([case]).compared
    [then] = judge.compare([replace(case, date="2024-05")]).compared
    assert now.predicted > then.predicted


class Host:
    """Cases with weights in main memory or on devices without a page."""

    def __init__(self, catalog: Catalog) -> None:
        self.catalog = catalog
        self.reader = CaseReader(catalog, DATA.resolve(), OutsideCatalog(DATA))
        self.calibration = load_calibration(DATA.resolve())
        self.weights = WeightSource(DATA.resolve(), self.reader.model.dense_floor_bits)

    def speed(self, case: MeasurementRow, ram: str, **placement: float) -> float:
        read = self.reader.read(case)
        settings = replace(read.settings, **placement)
        found = self.weights.find(case.model_id or case.model_name, read.arch, case)
        assert found is not None
        work = model_work(read.arch, found.weights, settings, found.dense_scale, found.routed_scale)
        ram_bytes = self.catalog.assumptions.sizing("cuda", ram_platform=ram)
        estimate = decode(
            read.arch,
            work,
            read.device,
            settings,
            self.reader.rules,
            coefficients(self.calibration, self.reader.model, read.gpu, settings, read.arch),
            ram_bytes.ram_bandwidth_bytes_per_s,
            case.context_tokens or 0.0,
        )
        assert estimate.value is not None
        return estimate.value


@pytest.fixture(scope="module")
def host(catalog: Catalog) -> Host:
    return Host(catalog)


@pytest.mark.parametrize(
    ("model", "measured"),
    [
        ("Mistral-7B", 77.8),
        ("deepseek-r1-distill-llama-8b", 71.7),
        ("Qwen2.5-7B-Instruct", 77.0),
    ],
)
def test_t17_whole_models_on_an_rtx_2080(host: Host, model: str, measured: float) -> None:
    case = row(model, "Q4_K_M", "RTX 2080", "decode_tps", measured, context_tokens=4096.0)
    assert host.speed(case, "dual-channel-ddr4-3200") == pytest.approx(measured, rel=0.15)


def test_t17_a_few_layers_on_the_host(host: Host) -> None:
    # Qwen2.5-14B has the shape of the distilled one; the main memory is not stated.
    case = row(
        "deepseek-r1-distill-qwen-14b",
        "Q4_K_M",
        "RTX 2080",
        "decode_tps",
        20.8,
        context_tokens=4096.0,
    )
    slow = host.speed(case, "dual-channel-ddr4-3200", gpu_layers=42.0)
    fast = host.speed(case, "dual-channel-ddr5-5600", gpu_layers=42.0)
    assert slow < 20.8 * 1.1
    assert fast > 20.8 / 1.3


def test_t16_experts_of_half_the_layers_on_the_host(host: Host) -> None:
    case = row("gpt-oss-20b", "MXFP4", "RTX 2080", "decode_tps", 36.4, context_tokens=4096.0)
    slow = host.speed(case, "dual-channel-ddr4-3200", cpu_moe_layers=12.0)
    fast = host.speed(case, "dual-channel-ddr5-5600", cpu_moe_layers=12.0)
    assert slow / 1.25 < 36.4 < fast * 1.25


def test_t16_more_than_half_a_dense_model_on_the_host(host: Host) -> None:
    case = row(
        "mistral-small-3.2-24b", "Q4_K_M", "RTX 2080", "decode_tps", 5.2, context_tokens=4096.0
    )
    slow = host.speed(case, "dual-channel-ddr4-3200", gpu_layers=16.0)
    fast = host.speed(case, "dual-channel-ddr5-5600", gpu_layers=16.0)
    assert slow / 1.25 < 5.2 < fast * 1.25


def test_t14_all_experts_on_ddr4_are_not_as_fast_as_on_the_card(host: Host) -> None:
    # The card of the report has no page; its nearest relative stands in. Other tools said 28.
    # Within a factor of two: how many channels and threads is not known.
    case = row("qwen3-coder-next", "Q4_K_M", "rx-7900-xtx", "decode_tps", 10.3)
    found = host.speed(case, "dual-channel-ddr4-3200", cpu_moe_layers=48.0)
    assert 10.3 / 2.0 < found < 10.3 * 2.0


def test_t22_many_long_requests_are_bound_by_their_prompts(catalog: Catalog) -> None:
    # Kimi K2 on eight B200: another tool said 7,070 tokens a second in all, measured were 1,540.
    case = row(
        "kimi-k2-instruct",
        "NVFP4",
        "b200-180gb",
        "decode_tps",
        192.44 * 8,
        engine="vllm",
        gpu_count=8,
        batch=384.0,
        context_tokens=8192.0,
        notes="aggregate output tok/s, incl. prefill; ISL 8192 OSL 1024",
    )
    [compared] = SpeedJudge(catalog, DATA).compare([case]).compared
    assert compared.predicted == pytest.approx(192.44 * 8, rel=0.4)
