"""The JSON Schema of every JSON file: all keys are there, none besides, null is "not known"."""

from __future__ import annotations

from vramsite.report.api_json import SHARED_KEYS, VERDICT_KEYS

Schema = dict[str, object]

DIALECT = "https://json-schema.org/draft/2020-12/schema"
VERDICTS = ("fits", "tight", "unified", "raised", "offload", "exceeds", "unknown")
BASES = ("device", "family", "engine", "all", "none")


def _text(description: str) -> Schema:
    return {"type": "string", "description": description}


def _texts(description: str) -> Schema:
    return {"type": ["string", "null"], "description": description}


def _number(description: str) -> Schema:
    return {"type": "number", "minimum": 0, "description": description}


def _numbers(description: str) -> Schema:
    return {"type": ["number", "null"], "minimum": 0, "description": description}


def _one_of(description: str, *values: str) -> Schema:
    return {"enum": list(values), "description": description}


def _list(items: Schema, description: str) -> Schema:
    return {"type": "array", "items": items, "description": description}


def _record(description: str, **properties: Schema) -> Schema:
    return {
        "type": "object",
        "description": description,
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _file(title: str, **properties: Schema) -> Schema:
    return {"$schema": DIALECT, "title": title} | _record(
        title, **properties, schema=_link("address of this schema")
    )


def _link(description: str) -> Schema:
    return {"type": "string", "format": "uri", "description": description}


def _by_locale(description: str) -> Schema:
    return {
        "type": "object",
        "additionalProperties": {"type": "string", "format": "uri"},
        "minProperties": 1,
        "description": description,
    }


_PAGES = _by_locale("the page for people, by language")
_SOURCES: Schema = {
    "type": "object",
    "additionalProperties": {"type": "string"},
    "description": "where each value was found, by its key in the catalog",
}
_FORMAT = _text("weight format, such as Q4_K_M")
_VERDICT = _one_of(
    "fits: with reserve; tight: with little; unified: in memory shared with the CPU; offload: "
    "with a part in system memory; exceeds: does not run; unknown: the memory is not published",
    *VERDICTS,
)
_BASIS = _one_of("what the estimate is calibrated on: measurements of this device, …", *BASES)

_COLUMNS: dict[str, Schema] = {
    "model": _text("id of the model"),
    "device": _text("id of the device"),
    "engine": _text("inference engine"),
    "backend": _text("back end of the engine"),
    "format": _FORMAT,
    "context_tokens": _number("context of all sequences together, in tokens"),
    "verdict": _VERDICT,
    "needed_bytes": _number("device memory with everything on the device"),
    "usable_bytes": _numbers("device memory a model can use"),
    "device_bytes": _number("device memory of the run, after any offload"),
    "host_bytes": _number("system memory of the run"),
    "gpus_needed": _numbers("least number of such devices that hold it whole"),
    "weights_file_bytes": _number("size of the weight file"),
    "decode_tps": _numbers("output speed of one sequence, in tokens a second"),
    "decode_low_tps": _numbers("lower end of its 80 % interval"),
    "decode_high_tps": _numbers("upper end of its 80 % interval"),
    "decode_basis": _BASIS,
    "prefill_4096_tps": _numbers("prompt speed for 4,096 tokens, in tokens a second"),
    "ttft_4096_s": _numbers("time to the first token after a prompt of 4,096 tokens, in seconds"),
}
_LINES = _list(
    _record(
        "one verdict",
        **{key: _COLUMNS[key] for key in VERDICT_KEYS if key not in SHARED_KEYS},
    ),
    "one verdict each, for llama.cpp with Q4_K_M",
)

_ESTIMATE = _record(
    "an estimate with its 80 % interval",
    value=_numbers("the estimate"),
    low=_numbers("lower end"),
    high=_numbers("upper end"),
    basis=_BASIS,
    device_measurements=_number("published measurements on this device behind it"),
    family_measurements=_number("published measurements on its family behind it"),
)
_TERM = _record(
    "one line of the memory breakdown",
    name=_text("weights, kv_cache, recurrent_state, compute_buffer, …"),
    device_bytes=_number("on the device"),
    device_low_bytes=_number("lower end"),
    device_high_bytes=_number("upper end"),
    host_bytes=_number("in system memory"),
    basis=_text("how it was got: published_file, exact_tensors, engine_formula, estimate, …"),
)

SCHEMAS: dict[str, Schema] = {
    "index": _file(
        "Where everything is; {model} and {device} stand for ids of the catalog",
        version={"const": 1, "description": "version of the keys; in the address too"},
        license=_text("SPDX licence of the data"),
        catalog=_link("list of all models and devices"),
        verdicts_csv=_link("all verdicts as CSV (RFC 4180)"),
        model=_text("address of a model's file"),
        device=_text("address of a device's file"),
        pair=_text("address of a pair's file"),
        badge=_text("address of a pair's badge"),
        schemas=_by_locale("address of each schema, by name"),
        feeds=_by_locale("Atom feed of new entries, by language"),
        documentation=_by_locale("the page that explains all this, by language"),
    ),
    "catalog": _file(
        "Every model and device",
        models=_list(
            _record(
                "a model",
                id=_text("id, as in addresses"),
                name=_text("name"),
                vendor=_text("who trained it"),
                released=_texts("year, month or day"),
                data=_link("its own file"),
                pages=_PAGES,
            ),
            "all models",
        ),
        devices=_list(
            _record(
                "a device",
                id=_text("id, as in addresses"),
                name=_text("name"),
                vendor=_text("who makes it"),
                kind=_one_of("class", "consumer", "workstation", "datacenter", "unified"),
                launched=_texts("year, month or day"),
                data=_link("its own file"),
                pages=_PAGES,
            ),
            "all devices",
        ),
    ),
    "model": _file(
        "A model and its verdict on every device",
        id=_text("id, as in addresses"),
        name=_text("name"),
        vendor=_text("who trained it"),
        hf_repo=_text("official weights on Hugging Face"),
        gguf_repo=_texts("a repository of GGUF files"),
        license=_texts("licence, from the model card"),
        released=_texts("year, month or day"),
        modality=_texts("text, vision, audio or omni"),
        context_max_tokens=_number("longest documented context, in tokens"),
        params_total=_numbers("parameters"),
        params_headline_billions=_number("parameters as the vendor names them, in 10^9"),
        params_active_billions=_number("parameters one token uses, in 10^9"),
        density=_one_of("architecture", "dense", "moe"),
        attention=_text("what its layers cache: full, window, latent, compressed, recurrent"),
        layer_count=_number("layers"),
        expert_count=_number("experts a layer, 0 for a dense model"),
        experts_used=_number("experts one token uses"),
        layers=_list(
            _record(
                "layers of one kind",
                kind=_text("what they cache"),
                count=_number("how many"),
                window_tokens=_number("tokens they see, 0 for all"),
                k_width_values=_number("cached key values a token"),
                v_width_values=_number("cached value values a token"),
            ),
            "layers by kind",
        ),
        files=_list(
            _record(
                "a published weight file",
                format=_FORMAT,
                bytes=_number("size"),
                exact={"type": "boolean", "description": "false: printed rounded"},
                repo=_texts("where it is published"),
                kind=_one_of("what it holds", "model", "variant", "same_shape"),
            ),
            "published GGUF files",
        ),
        confidence=_one_of("how its configuration is known", "exact", "derived", "partial"),
        sources=_SOURCES,
        devices=_LINES,
        pages=_PAGES,
    ),
    "device": _file(
        "A device and the verdict of every model on it",
        id=_text("id, as in addresses"),
        name=_text("name"),
        vendor=_text("who makes it"),
        kind=_one_of("class", "consumer", "workstation", "datacenter", "unified"),
        status=_one_of("whether one can have it", "released", "announced"),
        family=_text("generation"),
        backends=_list(_text("back end"), "what llama.cpp runs it with, the usual one first"),
        memory_gb=_number("memory as it is sold, in GB"),
        memory_type=_texts("kind of memory"),
        capacity_bytes=_numbers("memory the driver reports"),
        capacity_basis=_one_of("where that is from", "driver", "measured", "marketing"),
        process_limit_bytes=_numbers("what one process may take, before the runtime's own use"),
        bandwidth_gb_s=_numbers("memory bandwidth, 10^9 bytes a second"),
        fp16_tflops=_numbers("dense FP16, accumulated in FP32, 10^12 a second"),
        bf16_tflops=_numbers("dense BF16, 10^12 a second"),
        fp8_tflops=_numbers("dense FP8, 10^12 a second"),
        int8_tops=_numbers("dense INT8, 10^12 a second"),
        fp4_tflops=_numbers("dense FP4, 10^12 a second"),
        tdp_w=_numbers("board or package power in watts"),
        interconnect=_text("link to other devices"),
        interconnect_gb_s=_numbers("of one device, both directions together, 10^9 bytes a second"),
        pcie=_texts("generation and lanes"),
        msrp_usd=_numbers("list price at launch"),
        street_low_usd=_numbers("street price, lower end"),
        street_high_usd=_numbers("street price, upper end"),
        street_condition=_texts("new or used"),
        street_as_of=_texts("when it was seen"),
        launched=_texts("year, month or day"),
        sources=_SOURCES,
        models=_LINES,
        pages=_PAGES,
    ),
    "pair": _file(
        "One model on one device, as `vramsite size --json` prints it",
        model=_COLUMNS["model"],
        device=_COLUMNS["device"],
        engine=_COLUMNS["engine"],
        backend=_COLUMNS["backend"],
        format=_FORMAT,
        context_tokens=_COLUMNS["context_tokens"],
        parallel=_number("sequences at a time"),
        kv_type_k=_text("type of the cached keys"),
        kv_type_v=_text("type of the cached values"),
        gpus=_number("devices"),
        split=_text("how several devices share the work: layer or tensor"),
        gpu_layers=_number("layers on the device (-ngl)"),
        cpu_moe_layers=_number("layers whose experts are in system memory (--n-cpu-moe)"),
        verdict=_VERDICT,
        device_bytes=_COLUMNS["device_bytes"],
        device_low_bytes=_number("lower end"),
        device_high_bytes=_number("upper end"),
        host_bytes=_COLUMNS["host_bytes"],
        per_device_bytes=_list(_number("one device"), "memory of each device"),
        terms=_list(_TERM, "the breakdown"),
        usable_bytes=_COLUMNS["usable_bytes"],
        raised_usable_bytes=_numbers("the same once the limit on unified memory is raised"),
        runtime_bytes=_number("what driver and runtime take"),
        reserve_bytes={"type": ["number", "null"], "description": "usable less device_bytes"},
        utilization_of_usable=_numbers("device_bytes over usable_bytes"),
        offloaded_bytes=_number("moved to system memory because it had to"),
        host_ram_bytes=_number("system memory the run needs"),
        gpus_needed=_COLUMNS["gpus_needed"],
        weights_file_bytes=_COLUMNS["weights_file_bytes"],
        active_bytes_per_token=_number("weights read for one token"),
        decode_tps=_ESTIMATE | {"description": "output speed of one sequence, tokens a second"},
        decode_total_tps=_ESTIMATE | {"description": "of all sequences together, tokens a second"},
        prefill_4096_tps=_ESTIMATE | {"description": "prompt of 4,096 tokens, tokens a second"},
        ttft_4096_s=_ESTIMATE | {"description": "time to the first token, seconds"},
        ttft_512_s=_numbers("the same after a prompt of 512 tokens"),
        ttft_context_s=_numbers("the same after a prompt that fills the context"),
        pages=_PAGES,
        badge=_link("picture that says the same"),
    ),
    "search": _file(
        "Names for the search box",
        models=_list(
            _list(_text("id, name, further words"), "a model"), "models in the order of the site"
        ),
        devices=_list(
            _list(_text("id, name, further words"), "a device"), "devices in the order of the site"
        ),
    ),
}
"""Name → schema; an `$id` is added with the site's address."""
