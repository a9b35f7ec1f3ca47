"""llms.txt: what a language model should read first, as llmstxt.org proposes it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vramsite.site.prose import markdown_escaped

if TYPE_CHECKING:
    from vramsite.catalog import Catalog
    from vramsite.site.machine.api import Api


def llms_txt(catalog: Catalog, api: Api) -> bytes:
    """Markdown in the source language: a title, a summary, lists of links."""
    locale = api.locales[0]
    example = (next(iter(catalog.models), ""), next(iter(catalog.gpus), ""))
    pages = [
        ("Models", "models", "every model with its memory and the cheapest device that holds it"),
        ("Devices", "devices", "every device with its memory and bandwidth"),
        ("Methodology", "methodology", "every formula behind the figures"),
        ("Accuracy", "accuracy", "the engine against measurements it was not fitted to"),
        ("Data", "api", "addresses and keys of the files below, explained"),
    ]
    files = [
        ("Index", "api_index", "addresses and schemas of all JSON files"),
        ("Catalog", "api_catalog", "ids and names of all models and devices"),
        ("Verdicts", "api_verdicts", "every pair in a line, CSV"),
    ]
    base = api.urls.absolute(api.urls.base_path)
    lines = [
        "# vramsite",
        "",
        f"> Does an open-weight language model run on a device, in how much memory, how fast, and "
        f"how is it started: {len(catalog.models)} models on {len(catalog.gpus)} devices.",
        "",
        "Memory follows llama.cpp's own accounting to the byte; speeds are estimates with an 80 % "
        "interval, calibrated on published measurements. Unless a page says otherwise a figure is "
        "for one user of llama.cpp, weights in Q4_K_M, a KV cache in f16 and a context of 8,192 "
        "tokens. GiB is 2^30 bytes, GB is 10^9. A value that is not known is null.",
        "",
        "One pair of model and device, by their ids:",
        "",
        f"- JSON: {base}api/v1/pairs/{{model}}/{{device}}.json",
        f"- page: {base}{locale}/models/{{model}}/{{device}}/",
    ]
    if all(example):
        lines.append(f"- for example: {api.address('api_pair', *example)}")
    lines += ["", "## Pages", ""]
    lines += [
        f"- [{name}]({api.address(kind, locale=locale)}): {what}" for name, kind, what in pages
    ]
    lines += ["", "## Data", ""]
    lines += [f"- [{name}]({api.address(kind)}): {what}" for name, kind, what in files]
    lines += ["", "## Optional", ""]
    lines += [
        f"- [{markdown_escaped(model.name)}]({api.address('api_model', model.id)}): "
        "JSON, its verdict on every device"
        for model in catalog.models.values()
    ]
    return ("\n".join(lines) + "\n").encode()
