"""A family's compute graph made into a model's own: sizes as bytes, one entry a kind of layer."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from vramsite.catalog.compute_graphs import (
    F32_BYTES,
    MODES,
    FamilyGraph,
    GraphFile,
    Part,
    Step,
    Steps,
    Term,
    load_graph_file,
    read_steps,
)
from vramsite.catalog.graph_widths import UnknownWidthError, Widths, rotation_side
from vramsite.sizing.graph_records import (
    GraphLayer,
    GraphPart,
    GraphQuantity,
    GraphStep,
    GraphTerm,
    ModelGraph,
)
from vramsite.sizing.records import Architecture

# Conditions that the settings decide; all others are facts of a layer
_SETTINGS_FACTS = frozenset({"fused_router", "joined_experts", "one_sequence", "unified"})
# Places of the quantities that every graph has: see sizing/graph_quantities.py
_ONE, _TOKENS, _SEQUENCES, _OUTPUTS, _SLOT, _CELLS, _WINDOW, _WINDOWS = range(8)
_K_TYPED, _V_TYPED, _K_COPIED, _V_COPIED = 8, 9, 10, 11
_K_WINDOW_COPIED, _V_WINDOW_COPIED, _OTHERS, _SEQUENCE_CELLS = 12, 13, 14, 15
_K_ELEMENT, _K_IS_COPIED, _OWN = 16, 17, 18

ROPE_FREQS = "rope_freqs"  # a table that layers share
CACHE_ROWS = "cache_rows"  # the cells that K and V are written to: needed where the cache lies
ATTENTION, FEED_FORWARD, INPUTS = "attention", "feed_forward", "inputs"

_Sum = list[tuple[float, float, float]]  # bytes, quantity, quantity


class NoGraphError(Exception):
    """The graph does not suit the model."""


def model_graph(arch: Architecture, data_dir: Path) -> ModelGraph | None:
    """The model's graph, None where there is none.

    An architecture without a graph of its own takes the first of the file that has all its parts.
    """
    content = load_graph_file(data_dir)
    if content is None or not arch.tensors:
        return None
    widths = Widths(arch)
    own = [graph for graph in content.graphs if arch.gguf_arch in graph.archs]
    for graph in own or content.graphs:
        if all(map(widths.has_anywhere, graph.requires)):
            try:
                return _Maker(content, graph, widths).graph()
            except (NoGraphError, UnknownWidthError):
                continue
    return None


def _inputs_used(layers: list[GraphLayer]) -> list[str]:
    """Names of the inputs that layers use, not those that are gone before the first one."""
    names = ["out_ids", ROPE_FREQS]
    for layer in layers:
        for part in (*layer.attention, *layer.feed_forward):
            for step in (*part.flash, *part.quantised, *part.k_quantised, *part.plain):
                if step.action == "release":
                    names.append(step.name)
                names += step.uses
    return sorted(set(names))


class _Maker:
    def __init__(self, content: GraphFile, family: FamilyGraph, widths: Widths) -> None:
        self._content = content
        self._family = family
        self._widths = widths
        self._quantities: list[GraphQuantity] = []
        flash = family.inputs.flash or family.inputs.any
        steps = read_steps(content.programs.get(flash, flash))
        self._input_names = {step.name for step in steps}

    def graph(self) -> ModelGraph:
        arch = self._widths.arch
        family = self._family
        layers: list[GraphLayer] = []
        order: list[float] = []
        places: dict[object, float] = {}
        for layer in range(int(arch.layer_count)):
            key = self._alike(layer)
            if key not in places:
                made = GraphLayer(
                    attention=self._parts(
                        family.attention, self._widths.group(layer).kind, layer, ATTENTION
                    ),
                    feed_forward=self._parts(
                        family.feed_forward, self._feed_forward_kind(layer), layer, FEED_FORWARD
                    ),
                )
                if made not in layers:
                    layers.append(made)
                places[key] = float(layers.index(made))
            order.append(places[key])
        head = max(self._widths.cached_head(windowed=flag) for flag in (True, False))
        return ModelGraph(
            layers=layers,
            order=order,
            inputs=self._with_table(self._inputs(family.inputs, family.inputs_unified)),
            host=self._inputs(family.host, family.host_unified),
            quantities=self._quantities,
            layer_inputs=_inputs_used(layers),
            end=self._steps(family.end, int(arch.layer_count) - 1, INPUTS),
            outputs_in_last_layer=family.outputs == "last_layer",
            rotated=rotation_side(head, self._content.least_rotation) > 0.0,
            fused_router=arch.expert_count in self._content.fused_router_experts,
            joined_experts=arch.expert_count > 0.0
            and arch.shared_expert_ffn_width == arch.expert_ffn_width,
            separate_formats=self._content.separate_expert_formats,
        )

    def _alike(self, layer: int) -> object:
        """What layers with the same steps have in common."""
        parts = [*self._family.attention, *self._family.feed_forward]
        facts = {fact for part in parts for fact in (*part.requires, *part.excludes)}
        arch = self._widths.arch
        return (
            arch.layer_order[layer],
            layer // self._family.block_layers if self._family.block_layers else 0,
            tuple(self._holds(fact, layer) for fact in sorted(facts - _SETTINGS_FACTS)),
            tuple(place for place, tensor in enumerate(arch.tensors) if layer in tensor.layers),
        )

    def _feed_forward_kind(self, layer: int) -> str:
        kind = "none"
        for tensor in self._widths.arch.tensors:
            if layer in tensor.layers:
                if tensor.tensor_class == "routed_experts":
                    return "experts"
                if tensor.tensor_class == "dense_ffn":
                    kind = "dense"
        return kind

    def _with_table(self, parts: list[GraphPart]) -> list[GraphPart]:
        """The same with the table that layers on the host share."""
        if not self._widths.has_anywhere(ROPE_FREQS):
            return parts
        size = self._widths.tensor(ROPE_FREQS, 0).row_width * F32_BYTES
        table = [GraphStep(name=ROPE_FREQS, terms=[GraphTerm(size_bytes=size, a=_ONE, b=_ONE)])]
        return [
            replace(
                part,
                flash=part.flash + table,
                **{mode: own + table for mode in MODES[1:] if (own := getattr(part, mode))},
            )
            for part in parts
        ]

    def _inputs(self, steps: Steps, unified: Steps | None) -> list[GraphPart]:
        parts = [self._part(Part(steps=steps), 0, INPUTS)]
        if unified is not None:
            several = Part(requires=["unified"], steps=unified)
            parts.insert(0, self._part(several, 0, INPUTS))
        return parts

    def _parts(self, parts: list[Part], kind: str, layer: int, place: str) -> list[GraphPart]:
        """Those that suit the layer up to the first that always holds. Raises NoGraphError."""
        found = []
        for part in parts:
            suits = kind in part.kinds
            suits = suits and all(
                self._holds(fact, layer) for fact in part.requires if fact not in _SETTINGS_FACTS
            )
            if suits and not any(
                self._holds(fact, layer) for fact in part.excludes if fact not in _SETTINGS_FACTS
            ):
                found.append(self._part(part, layer, place))
                if not found[-1].requires and not found[-1].excludes:
                    return found
        if not found:
            raise NoGraphError(kind)
        return found

    def _holds(self, fact: str, layer: int) -> bool:
        group = self._widths.group(layer)
        last = layer + 1 >= self._widths.arch.layer_count
        following = group if last else self._widths.group(layer + 1)
        if fact == "first_layer":
            return layer == 0
        if fact == "block_start":
            return layer > 0 and layer % self._family.block_layers == 0
        if fact == "windowed":
            return group.window_tokens > 0.0
        if fact == "next_recurrent":
            return not last and following.kind == "recurrent"
        if fact == "next_shares_index":
            shares = following.selected_entries > 0.0 and following.index_k_width <= 0.0
            return not last and shares
        role = fact.removeprefix("first_with.")
        if role != fact and any(self._widths.has(role, other) for other in range(layer)):
            return False
        return self._widths.has(role, layer)

    def _part(self, part: Part, layer: int, place: str) -> GraphPart:
        modes = {mode: self._steps(part.of_mode(mode), layer, place) for mode in MODES}
        return GraphPart(
            requires=[fact for fact in part.requires if fact in _SETTINGS_FACTS],
            excludes=[fact for fact in part.excludes if fact in _SETTINGS_FACTS],
            flash=modes["flash"],
            quantised=modes["quantised"],
            k_quantised=modes["k_quantised"],
            plain=modes["plain"],
        )

    def _steps(self, text: str, layer: int, place: str) -> list[GraphStep]:
        steps: list[GraphStep] = []
        times = 0
        each: list[GraphStep] = []  # steps in a row that every layer takes, one layer after another
        for step in read_steps(self._content.programs.get(text, text)):
            made = GraphStep(
                name=step.name,
                action="take" if step.terms else step.action,
                new_name=self._content.in_place_without_fusion.get(step.name, "")
                if step.terms
                else step.new_name,
                terms=self._terms(step.terms, layer),
                reads=(reads := self._reads(step, layer, place)),
                uses=self._uses(step, reads),
            )
            if made.reads.endswith(".bias"):  # added in place before the step
                steps.append(GraphStep(name=made.reads, reads=made.reads))
                steps.append(GraphStep(name=made.reads, action="drop"))
                made = replace(made, reads="")
            if step.action == "take_for_each_layer":
                each.append(made)
                times = self._widths.layers_with(step.each_with) - step.but
            else:
                steps.extend(each * times)
                each = []
                steps.append(made)
        steps.extend(each * times)
        return steps

    def _reads(self, step: Step, layer: int, place: str) -> str:
        """What a step reads: the cache, or the first weight of those named that the layer has."""
        if step.action == "release" and re.fullmatch(r"[kv]_(rows|idxs)\d*", step.name):
            return CACHE_ROWS
        if step.action != "take" or place == INPUTS:
            return ""
        group = self._widths.group(layer)
        if place == ATTENTION and (group.k_width > 0.0 or group.kind == "shared"):
            cache = {"attention": "cache", "kq": "cache_k", "kqv": "cache_v"}.get(step.name)
            if cache is not None:
                return cache
        of_steps = {**self._content.weights_of_steps, **self._family.weights_of_steps}
        roles = of_steps.get(step.name, [])
        held = [
            role
            for role in roles
            if self._widths.has(role, layer)
            or (role == ROPE_FREQS and self._widths.has_anywhere(role))
        ]
        return held[0] if held else ""

    def _uses(self, step: Step, reads: str) -> list[str]:
        """Inputs used before the step that releases them; a table that is shared is one."""
        if step.action != "take":
            return []
        used = self._content.inputs_of_steps
        names = [*used.get(step.name, ()), *used.get(reads, ())]
        found = [name for name in names if name in self._input_names]
        return [*found, ROPE_FREQS] if reads == ROPE_FREQS else found

    def _terms(self, terms: tuple[Term, ...], layer: int) -> list[GraphTerm]:
        """Terms of the same quantities joined."""
        found: dict[tuple[float, float], float] = {}
        for term in terms:
            for size, a, b in self._sum(term, layer):
                key = (max(a, b), min(a, b)) if b else (a, b)
                found[key] = found.get(key, 0.0) + size
        return [GraphTerm(size_bytes=size, a=a, b=b) for (a, b), size in found.items() if size]

    def _sum(self, term: Term, layer: int) -> _Sum:
        group = self._widths.group(layer)
        if term.width == "attention":
            return self._attention(group.window_tokens > 0.0, layer)
        if term.width in ("k_rotation", "v_rotation"):
            windowed = term.per == "window_cell"
            head = self._widths.cached_head(windowed=windowed)
            head = head or self._widths.cached_head(windowed=not windowed)
            side = rotation_side(head, self._content.least_rotation)
            if term.width == "v_rotation" and side:
                side = float(self._content.least_rotation)
            typed = _K_TYPED if term.width == "k_rotation" else _V_TYPED
            return [(side * side * term.factor_bytes, typed, _ONE)]
        if term.width == "index_rotation":
            head = max(entry.index_k_width for entry in self._widths.arch.groups)
            side = rotation_side(head, self._content.least_rotation)
            return [(side * side * term.factor_bytes, _ONE, _ONE)]
        if term.width == "k_cached":  # in the cache's type
            size = self._widths.width("k", layer)
            return [(size, a, _K_ELEMENT) for _, a, _ in self._per(term, layer)]
        size = self._widths.width(term.width, layer) * term.factor_bytes
        if term.times == "used":
            size *= self._widths.arch.experts_used
        if term.times == "stack":
            size *= self._widths.tensor(term.width, layer).experts
        return [(size * factor, a, b) for factor, a, b in self._per(term, layer)]

    def _attention(self, windowed: bool, layer: int) -> _Sum:
        """Output of flash attention, with the F16 copies of K and V that its kernels make."""
        widths = self._widths
        group = widths.group(layer)
        k_bytes = widths.width("k", layer) * 2.0
        found: _Sum = [(widths.width("o", layer) * 4.0, _TOKENS, _ONE)]
        if group.kind == "compressed":
            entries = self._own("all_entries", group.tokens_per_entry)
            return [*found, (k_bytes, entries, _K_IS_COPIED), (k_bytes, _WINDOWS, _K_IS_COPIED)]
        found.append((k_bytes, _K_WINDOW_COPIED if windowed else _K_COPIED, _ONE))
        if group.kind != "latent":
            copied = _V_WINDOW_COPIED if windowed else _V_COPIED
            found.append((widths.width("v", layer) * 2.0, copied, _ONE))
        return found

    def _per(self, term: Term, layer: int) -> _Sum:
        """What a width is repeated by: factors of products of two quantities. Raises ValueError."""
        entry = term.entry_tokens
        word = term.per
        per_token = word.startswith("token_")
        other = _TOKENS if per_token else _ONE
        if per_token:
            word = word.removeprefix("token_")
        pool, most, spare = self._family.pool
        plain = {
            "token": _TOKENS,
            "sequence": _SEQUENCES,
            "other_sequence": _OTHERS,
            "once": _ONE,
            "output": _OUTPUTS,
            "cell": _SLOT if per_token else _CELLS,
            "window_cell": _WINDOWS,
            "window": _WINDOW,
            "sequence_cell": _SEQUENCE_CELLS,
        }
        if word in plain:
            return [(1.0, plain[word], other)]
        if word == "layer_block":
            return [(layer // self._family.block_layers + 1.0, _ONE, other)]
        if word == "state_token":
            return [(1.0, self._own("least_tokens", entry), other)]
        if word == "block":
            return [(1.0, self._own("blocks", entry), other), (1.0, _SEQUENCES, other)]
        if word == "selected":
            most, per_entry = self._widths.selected_entries()
            cells = _SLOT if per_entry <= 1.0 else self._own("entries", per_entry)
            return [(1.0, self._own("least", most, cells), other)]
        if word in ("entry", "entry_window"):
            kind = "entries" if per_token else "all_entries"
            found: _Sum = [(1.0, self._own(kind, entry), other)]
            if word == "entry_window":
                found.append((1.0, _WINDOW if per_token else _WINDOWS, other))
            return found
        if word == "pool":
            return [(1.0 / pool, _SEQUENCE_CELLS, other), (spare, _ONE, other)]
        pools = self._own("least", most, _SEQUENCE_CELLS, pool, spare) if pool else _ONE
        pooled: _Sum = [(pool, pools, other)]
        tail: _Sum = [(pool - 1.0, _ONE, other)]
        sums: dict[str, _Sum] = {
            "top_pool": [(1.0, pools, other)],
            "pooled": pooled,
            "pooled_tail": pooled + tail,
            "cell_pooled": [(1.0, _SLOT, other), *pooled, *tail],
        }
        if word not in sums:
            raise ValueError(f"llama_cpp_graphs.yaml: unknown repetition {term.per!r}")
        return sums[word]

    def _own(
        self, kind: str, size: float, of: float = 0.0, per: float = 1.0, spare: float = 0.0
    ) -> float:
        """Place of a quantity that only some graphs have."""
        made = GraphQuantity(kind=kind, size=size, of=of, per=per, spare=spare)
        if made not in self._quantities:
            self._quantities.append(made)
        return float(_OWN + self._quantities.index(made))
