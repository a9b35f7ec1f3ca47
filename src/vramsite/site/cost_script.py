"""Money, energy and training for browsers: `sizing/cost*.py` and others as an ES module."""

from __future__ import annotations

from vramsite.site.engine_js import compile_modules
from vramsite.site.engine_js.link import SIZING_DIR, read_sources

NAME = "js/costs.js"
FUNCTIONS = [
    "cost_section.cost_section",
    "cost_section.offer_cost",
    "cost_machine.machine_count",
    "cost_machine.working_devices",
    "throughput.load_settings",
    "finetune_fit.first_fit",
    "finetune_speed.training_span",
    "cost.rented_per_million",
    "cost.tokens_per_watt_hour",
]
_SEEN = [
    *(f"cost_inputs.{name}" for name in ("CostChoice", "CostRules", "Rate", "Place", "Carbon")),
    *(f"cost_inputs.{name}" for name in ("DeviceCost", "HostedPrice", "MachineCount")),
    "cost_inputs.MachineSpeeds",
    "cost_results.CostSection",
    "cost_results.OfferCost",
    "finetune_fit.TrainingPeak",
    "finetune_fit.TrainingFit",
    "finetune_speed.TrainingSpan",
    "records.Device",
    "records.Size",
    "records.Settings",
]


def cost_module() -> bytes:
    """The module: the cost section of a page, and what the comparison says of money."""
    return compile_modules(
        read_sources(SIZING_DIR), FUNCTIONS, ["cost_records.Use", "cost_records.Machine"], _SEEN
    ).text.encode()
