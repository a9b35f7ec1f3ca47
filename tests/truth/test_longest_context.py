"""The longest context that a page names is nearly the exact one, on real pairs."""

from __future__ import annotations

from pathlib import Path

import pytest

from vramsite.catalog import load_catalog
from vramsite.report.book import Book
from vramsite.report.capacity import capacity
from vramsite.report.pair import pair_view
from vramsite.report.sizer import Sizer

DATA = Path(__file__).parents[2] / "data"


@pytest.fixture(scope="module")
def sizer() -> Sizer:
    return Sizer(load_catalog(DATA))


# Windows, latent rows, recurrent layers, an indexer, plain attention.
@pytest.mark.parametrize(
    ("model", "device"),
    [
        ("gemma-3-27b-it", "rtx-3090"),
        ("gemma-4-31b-it", "rtx-4090"),
        ("llama-3.1-8b-instruct", "rtx-3060-12gb"),
        ("llama-3.3-70b-instruct", "rtx-6000-ada"),
        ("qwen3-32b", "rtx-3090"),
        ("qwen3.5-35b-a3b", "rtx-3090"),
        ("phi-4", "rtx-4080-super"),
        ("glm-4.7-flash", "rtx-4090"),
    ],
)
def test_the_page_is_near_and_the_command_is_exact(sizer: Sizer, model: str, device: str) -> None:
    view = pair_view(Book(sizer.catalog, sizer), model, device)
    room = capacity(sizer, model, view.size)
    assert room.context_tokens is not None
    if view.longest_whole_tokens is None:  # all that the page shows fits
        assert room.context_tokens >= view.curve[-1].context_tokens
    else:
        # Below the exact one, never above: the need bends upwards where it bends at all.
        assert 0.99 * room.context_tokens - 1024 < view.longest_whole_tokens
        assert view.longest_whole_tokens <= room.context_tokens
    settings = sizer.settings(model, device, context_tokens=int(room.context_tokens))
    assert sizer.size(model, device, settings).fit.offloaded_bytes == 0.0
    if room.context_tokens < sizer.catalog.models[model].context_max_tokens:
        longer = sizer.settings(model, device, context_tokens=int(room.context_tokens) + 256)
        assert sizer.size(model, device, longer).fit.offloaded_bytes > 0.0
