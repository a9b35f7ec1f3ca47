"""A family's compute graph made into a model's own: sizes as bytes, one entry a kind of layer."""

from __future__ import annotations

from vramsite.catalog.graphs.layer_steps import (
    ATTENTION,
    FEED_FORWARD,
    INPUTS,
    ROPE_FREQS,
    SETTINGS_FACTS,
    layer_steps,
    part_of,
)
from vramsite.catalog.graphs.nodes import overfull_caches
from vramsite.catalog.graphs.rules import (
    FamilyGraph,
    GraphRules,
    ModePrograms,
    PartRule,
    steps_of,
)
from vramsite.catalog.graphs.steps import F32_BYTES
from vramsite.catalog.graphs.terms import ONE, Making, block_of
from vramsite.catalog.graphs.widths import (
    Widths,
    cached_head,
    group_of,
    has,
    has_anywhere,
    rotation_side,
    tensor_of,
    widths_of,
)
from vramsite.sizing.graph_records import GraphLayer, GraphPart, GraphStep, GraphTerm, ModelGraph
from vramsite.sizing.numeric import index
from vramsite.sizing.records import Architecture


def graph_of(rules: GraphRules, arch: Architecture) -> ModelGraph | None:
    """The model's graph, None where there is none.

    An architecture without a graph of its own takes the first of the file that has all its parts.
    Raises ArchitectureError for steps that cannot be read.
    """
    if len(arch.tensors) == 0:
        return None
    own = [family for family in rules.families if arch.gguf_arch in family.archs]
    widths = widths_of(arch)
    for family in own if len(own) > 0 else rules.families:
        if all(has_anywhere(widths, role) for role in family.requires):
            made = _family_graph(rules, family, widths)
            if made is not None:
                return made
    return None


def _family_graph(rules: GraphRules, family: FamilyGraph, widths: Widths) -> ModelGraph | None:
    """The graph of that family, None where it does not suit the model."""
    arch = widths.arch
    widths.known = True
    making = Making(
        rules=rules,
        family=family,
        widths=widths,
        input_names=[step.name for step in steps_of(rules, family.inputs.flash)],
        quantities=[],
    )
    facts = _layer_facts(family)
    layers: list[GraphLayer] = []
    order: list[float] = []
    keys: list[str] = []
    places: list[float] = []
    for layer in range(index(arch.layer_count)):
        key = _alike(making, facts, layer)
        if key not in keys:
            made = _layer(making, layer)
            if not making.fits or not widths.known:
                return None
            if made not in layers:
                layers.append(made)
            keys.append(key)
            places.append(layers.index(made) * 1.0)
        order.append(places[keys.index(key)])
    head = max(cached_head(widths, True), cached_head(widths, False))
    inputs = _inputs(making, family.inputs, family.inputs_unified)
    host = _inputs(making, family.host, family.host_unified)
    recurrent = _recurrent_layer(widths)
    host_more = [
        GraphPart(flash=layer_steps(making, family.host_states, recurrent, INPUTS)),
        GraphPart(flash=layer_steps(making, family.host_scans, recurrent, INPUTS)),
    ]
    end = layer_steps(making, family.end, index(arch.layer_count) - 1, INPUTS)
    if not making.fits or not widths.known:
        return None
    return ModelGraph(
        layers=layers,
        order=order,
        inputs=_with_table(widths, inputs),
        host=host,
        host_more=host_more,
        overfull=overfull_caches(arch, family.nodes, rules.node_table),
        quantities=making.quantities,
        layer_inputs=_inputs_used(layers),
        end=end,
        outputs_in_last_layer=family.outputs_in_last_layer,
        rotated=rotation_side(head, rules.least_rotation) > 0.0,
        fused_router=arch.expert_count in rules.fused_router_experts,
        joined_experts=arch.expert_count > 0.0
        and arch.shared_expert_ffn_width == arch.expert_ffn_width,
        separate_formats=rules.separate_expert_formats,
    )


def _recurrent_layer(widths: Widths) -> int:
    """The first one, 0 where there is none."""
    for layer in range(index(widths.arch.layer_count)):
        if group_of(widths, layer).kind == "recurrent":
            return layer
    return 0


def _layer_facts(family: FamilyGraph) -> list[str]:
    """The facts of a layer that decide which parts it has."""
    found: list[str] = []
    for part in [*family.attention, *family.feed_forward]:
        for fact in [*part.requires, *part.excludes]:
            if fact not in SETTINGS_FACTS and fact not in found:
                found.append(fact)
    return found


def _alike(making: Making, facts: list[str], layer: int) -> str:
    """What layers with the same steps have in common."""
    family = making.family
    group = making.widths.arch.layer_order[layer]
    block = block_of(making, layer) if family.block_layers > 0.0 else 0.0
    held = ["1" if _holds(making, fact, layer) else "0" for fact in facts]
    return f"{group:g} {block:g} {''.join(held)} {making.widths.alike[layer]}"


def _layer(making: Making, layer: int) -> GraphLayer:
    family = making.family
    kind = group_of(making.widths, layer).kind
    return GraphLayer(
        attention=_parts(making, family.attention, kind, layer, ATTENTION),
        feed_forward=_parts(
            making, family.feed_forward, _feed_forward_kind(making, layer), layer, FEED_FORWARD
        ),
    )


def _feed_forward_kind(making: Making, layer: int) -> str:
    kind = "none"
    for tensor in making.widths.tensors[layer]:
        if tensor.tensor_class == "routed_experts":
            return "experts"
        if tensor.tensor_class == "dense_ffn":
            kind = "dense"
    return kind


def _parts(
    making: Making, parts: list[PartRule], kind: str, layer: int, place: str
) -> list[GraphPart]:
    """Those that suit the layer up to the first that always holds."""
    found: list[GraphPart] = []
    for part in parts:
        if kind in part.kinds and _suits(making, part, layer):
            made = part_of(making, part.requires, part.excludes, part.steps, layer, place)
            found.append(made)
            if len(made.requires) == 0 and len(made.excludes) == 0:
                return found
    if len(found) == 0:
        making.fits = False
    return found


def _suits(making: Making, part: PartRule, layer: int) -> bool:
    for fact in part.requires:
        if fact not in SETTINGS_FACTS and not _holds(making, fact, layer):
            return False
    for fact in part.excludes:
        if fact not in SETTINGS_FACTS and _holds(making, fact, layer):
            return False
    return True


def _holds(making: Making, fact: str, layer: int) -> bool:
    widths = making.widths
    group = group_of(widths, layer)
    last = layer + 1 >= widths.arch.layer_count
    if fact == "first_layer":
        return layer == 0
    if fact == "block_start":
        return layer > 0 and layer % making.family.block_layers == 0.0
    if fact == "windowed":
        return group.window_tokens > 0.0
    if fact == "next_recurrent":
        return not last and group_of(widths, layer + 1).kind == "recurrent"
    if fact == "next_shares_index":
        if last:
            return False
        following = group_of(widths, layer + 1)
        return following.selected_entries > 0.0 and following.index_k_width <= 0.0
    role = fact.removeprefix("first_with.")
    if role != fact:
        for other in range(layer):
            if has(widths, role, other):
                return False
    return has(widths, role, layer)


def _inputs(making: Making, steps: ModePrograms, unified: ModePrograms | None) -> list[GraphPart]:
    plain = part_of(making, [], [], steps, 0, INPUTS)
    if unified is None:
        return [plain]
    return [part_of(making, ["unified"], [], unified, 0, INPUTS), plain]


def _with_table(widths: Widths, parts: list[GraphPart]) -> list[GraphPart]:
    """The same with the table that layers on the host share."""
    if not has_anywhere(widths, ROPE_FREQS):
        return parts
    size = tensor_of(widths, ROPE_FREQS, 0).row_width * F32_BYTES
    table = GraphStep(name=ROPE_FREQS, terms=[GraphTerm(size_bytes=size, a=ONE, b=ONE)])
    return [
        GraphPart(
            requires=part.requires,
            excludes=part.excludes,
            flash=[*part.flash, table],
            quantised=_followed(part.quantised, table),
            k_quantised=_followed(part.k_quantised, table),
            plain=_followed(part.plain, table),
        )
        for part in parts
    ]


def _followed(steps: list[GraphStep], last: GraphStep) -> list[GraphStep]:
    """A mode's steps with one more; none where the mode has none of its own."""
    return [*steps, last] if len(steps) > 0 else []


def _inputs_used(layers: list[GraphLayer]) -> list[str]:
    """Names of the inputs that layers use, not those that are gone before the first one."""
    names = ["out_ids", ROPE_FREQS]
    for layer in layers:
        for part in [*layer.attention, *layer.feed_forward]:
            for step in [*part.flash, *part.quantised, *part.k_quantised, *part.plain]:
                if step.action == "release" and step.name not in names:
                    names.append(step.name)
                for name in step.uses:
                    if name not in names:
                        names.append(name)
    return names
