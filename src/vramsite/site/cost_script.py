"""What the comparison says of money and energy: `sizing/cost.py` as an ES module."""

from __future__ import annotations

from vramsite.site.engine_js import compile_modules
from vramsite.site.engine_js.link import SIZING_DIR, read_sources

NAME = "js/costs.js"


def cost_module() -> bytes:
    """The module: cost of a rented machine, and tokens for a watt-hour."""
    return compile_modules(
        read_sources(SIZING_DIR),
        ["cost.rented_per_million", "cost.tokens_per_watt_hour"],
        ["cost_records.Use", "cost_records.Machine"],
        ["cost_records.Figure"],
    ).text.encode()
