"""The steps of one part of a layer: sizes in bytes, and what each reads and uses."""

from __future__ import annotations

from dataclasses import replace

from vramsite.catalog.graphs.rules import ModePrograms, named, steps_of
from vramsite.catalog.graphs.steps import RuleStep
from vramsite.catalog.graphs.terms import Making, terms_of
from vramsite.catalog.graphs.widths import group_of, has, has_anywhere, layers_with
from vramsite.sizing.graph_records import GraphPart, GraphStep
from vramsite.sizing.numeric import index

ROPE_FREQS = "rope_freqs"  # a table that layers share
CACHE_ROWS = "cache_rows"  # the cells that K and V are written to: needed where the cache lies
ATTENTION = "attention"
FEED_FORWARD = "feed_forward"
INPUTS = "inputs"

# Conditions that the settings decide; all others are facts of a layer
SETTINGS_FACTS = ("fused_router", "joined_experts", "one_sequence", "unified")


def part_of(
    making: Making,
    requires: list[str],
    excludes: list[str],
    steps: ModePrograms,
    layer: int,
    place: str,
) -> GraphPart:
    """A part of a layer (or the inputs, of layer 0), with the conditions that the settings decide.

    `place` is ATTENTION, FEED_FORWARD or INPUTS.
    """
    return GraphPart(
        requires=[fact for fact in requires if fact in SETTINGS_FACTS],
        excludes=[fact for fact in excludes if fact in SETTINGS_FACTS],
        flash=layer_steps(making, steps.flash, layer, place),
        quantised=layer_steps(making, steps.quantised, layer, place),
        k_quantised=layer_steps(making, steps.k_quantised, layer, place),
        plain=layer_steps(making, steps.plain, layer, place),
    )


def layer_steps(making: Making, program: float | None, layer: int, place: str) -> list[GraphStep]:
    """The steps of a program for one layer."""
    steps: list[GraphStep] = []
    times = 0.0
    each: list[GraphStep] = []  # steps in a row that every layer takes, one layer after another
    scales: list[GraphStep] = []  # of a norm: applied in place when what it read is dropped
    for step in steps_of(making.rules, program):
        made = _step(making, step, layer, place)
        if made.action != "drop":
            steps += scales
            scales = []
        if made.reads.endswith(".bias"):  # added in place before the step
            steps += _in_place(made.reads, [])
            made = replace(made, reads="")
        elif made.reads.endswith("_norm"):
            scales = _in_place(made.reads, made.uses)
            made = replace(made, reads="", uses=[])
        if step.action == "take_for_each_layer":
            each.append(made)
            times = layers_with(making.widths, step.each_with) - step.but
        else:
            for _ in range(index(times)):
                steps += each
            times = 0.0
            each = []
            steps.append(made)
    for _ in range(index(times)):
        steps += each
    steps += scales
    return steps


def _in_place(weight: str, uses: list[str]) -> list[GraphStep]:
    """A weight added or multiplied in place: nothing is taken but, from the host, its copy."""
    return [
        GraphStep(name=weight, reads=weight, uses=uses),
        GraphStep(name=weight, action="drop"),
    ]


def _step(making: Making, step: RuleStep, layer: int, place: str) -> GraphStep:
    reads = _reads(making, step, layer, place)
    takes = len(step.terms) > 0
    new_name = step.new_name
    if takes:
        other = named(making.rules.in_place_without_fusion, step.name)
        new_name = other[0] if len(other) > 0 else ""
    return GraphStep(
        name=step.name,
        action="take" if takes else step.action,
        new_name=new_name,
        terms=terms_of(making, step.terms, layer),
        reads=reads,
        uses=_uses(making, step, reads),
    )


def _reads(making: Making, step: RuleStep, layer: int, place: str) -> str:
    """What a step reads: the cache, or the first weight of those named that the layer has."""
    if step.action == "release" and step.of_cache_rows:
        return CACHE_ROWS
    if step.action != "take" or place == INPUTS:
        return ""
    group = group_of(making.widths, layer)
    if place == ATTENTION and (group.k_width > 0.0 or group.kind == "shared"):
        if step.name == "attention":
            return "cache"
        if step.name == "kq":
            return "cache_k"
        if step.name == "kqv":
            return "cache_v"
    for role in _roles(making, step.name, place):
        if has(making.widths, role, layer):
            return role
        if role == ROPE_FREQS and has_anywhere(making.widths, role):
            return role
    return ""


def _roles(making: Making, name: str, place: str) -> list[str]:
    """Weights that a step of that name may multiply by, in this part of a layer."""
    for lists in [making.family.weights_of_steps, making.rules.weights_of_steps]:
        for key in [place + "." + name, name]:
            if key in lists.names:
                return named(lists, key)
    return []


def _uses(making: Making, step: RuleStep, reads: str) -> list[str]:
    """Inputs used before the step that releases them; a table that is shared is one."""
    if step.action != "take":
        return []
    used = making.rules.inputs_of_steps
    names = [*named(used, step.name), *named(used, reads)]
    found = [name for name in names if name in making.input_names]
    return [*found, ROPE_FREQS] if reads == ROPE_FREQS else found
