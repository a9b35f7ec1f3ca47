"""For an unknown `model_type`: the readers that come nearest, and what each makes of the config."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from vramsite.catalog.architectures import ArchitectureError, ArchitectureSource, Keys
from vramsite.catalog.architectures.registry import known_model_types, read_architecture
from vramsite.contribute.parameters import parameter_count

if TYPE_CHECKING:
    from vramsite.catalog import Catalog

SHOWN = 3
MOST_KEYS_SHOWN = 8
# Keys that every config has, or that say nothing about layers.
_COMMON = frozenset(
    {
        "dtype",
        "hidden_size",
        "intermediate_size",
        "max_position_embeddings",
        "num_attention_heads",
        "num_hidden_layers",
        "rms_norm_eps",
        "rope_parameters",
        "rope_scaling",
        "rope_theta",
        "tie_word_embeddings",
        "torch_dtype",
        "vocab_size",
    }
)


@dataclass(frozen=True, slots=True)
class NearReader:
    """A reader that might fit."""

    model_type: str
    likeness: float
    only_here: list[str]  # keys of the config that no model of this type has
    only_there: list[str]  # keys that all models of this type have and the config lacks
    computed: int | None  # parameters, where the reader could read the config
    objection: str | None

    def text(self, params_total: int | None) -> str:
        """One paragraph."""
        lines = [f"  {self.model_type}:"]
        if self.computed is None:
            lines.append(f"    cannot read it: {self.objection}")
        elif params_total is None:
            lines.append(f"    reads it, and counts {self.computed:,} parameters; compare with")
            lines.append("    the safetensors total on the model page")
        elif self.computed == params_total:
            lines.append(
                f"    reads it, and counts {self.computed:,} parameters: exactly the total"
            )
        else:
            lines.append(
                f"    reads it, and counts {self.computed:,} parameters; the total is "
                f"{params_total:,} ({self.computed / params_total - 1:+.2%})"
            )
        for keys, what in ((self.only_here, "only here"), (self.only_there, "missing here")):
            if keys:
                more = f", and {len(keys) - MOST_KEYS_SHOWN} more"
                shown = ", ".join(keys[:MOST_KEYS_SHOWN])
                lines.append(f"    {what}: {shown}{more if len(keys) > MOST_KEYS_SHOWN else ''}")
        return "\n".join(lines)


def nearest_readers(
    catalog: Catalog, model_type: str, config: Mapping[str, Any], params_total: int | None = None
) -> list[NearReader]:
    """The readers most like it, by name, by keys, and by whether they count the same."""
    found = [
        _near(catalog, known, model_type, config, params_total) for known in known_model_types()
    ]
    found.sort(key=lambda near: (-near.likeness, near.model_type))
    return found[:SHOWN]


def unknown_type_text(
    catalog: Catalog, model_type: str, config: Mapping[str, Any], params_total: int | None = None
) -> str:
    """What to tell the contributor."""
    near = nearest_readers(catalog, model_type, config, params_total)
    return "\n".join(
        [
            f"model_type {model_type!r} has no reader yet. Nearest are:",
            *(item.text(params_total) for item in near),
            "Where a reader counts exactly and caches the same, add the name to its decorator;",
            "else write one: docs/adding-an-architecture.md shows how, with an example.",
        ]
    )


def _near(
    catalog: Catalog,
    known: str,
    model_type: str,
    config: Mapping[str, Any],
    params_total: int | None,
) -> NearReader:
    here = set(config) - _COMMON
    siblings = [set(model.config) for model in catalog.models.values() if model.model_type == known]
    any_of, all_of = set[str](), set[str]()
    if siblings:
        any_of = set.union(*siblings) - _COMMON
        all_of = set.intersection(*siblings) - _COMMON
    shared = len(here & any_of) / max(1, len(here | all_of))
    name = difflib.SequenceMatcher(None, model_type, known).ratio()
    computed, objection = None, None
    try:
        computed = parameter_count(
            read_architecture(
                ArchitectureSource(
                    model_type=known,
                    gguf_arch="",
                    context_max_tokens=4096.0,
                    config=Keys(dict(config)),
                )
            )
        )
    except ArchitectureError as error:
        objection = str(error)
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        objection = f"{type(error).__name__}: {error}"
    exact = params_total is not None and computed == params_total
    likeness = (
        shared + 0.5 * name + (0.5 if computed is not None else 0.0) + (2.0 if exact else 0.0)
    )
    return NearReader(
        model_type=known,
        likeness=likeness,
        only_here=sorted(here - any_of) if siblings else [],
        only_there=sorted(all_of - here),
        computed=computed,
        objection=objection,
    )
