"""data/quant_recipes.yaml -> the engine's QuantScheme and QuantRecipe records."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from vramsite.catalog.rule_yaml import read_rules
from vramsite.sizing.checkpoints import CheckpointRecipe, ClassBits
from vramsite.sizing.quantize import (
    BlockType,
    QuantRecipe,
    QuantScheme,
    RoleCategory,
    SizeClass,
    TypeRule,
)


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _Rule(_Strict):
    category: str
    type: str
    more_bits: bool = False
    first_layers: float = 0.0
    first_share: float = 0.0
    outer_share: float = 0.0
    min_head_group: float = 0.0
    experts: float = 0.0
    min_experts: float = 0.0
    imatrix: str = ""
    size_class: str = ""

    def record(self) -> TypeRule:
        values = self.model_dump()
        values["type_name"] = values.pop("type")
        return TypeRule(**values)


class _Recipe(_Strict):
    base: str
    quantised: bool = True
    output: str = "Q6_K"
    misaligned_output: str = "Q8_0"
    embedding: str = ""
    rules: list[_Rule] = Field(default_factory=list)


class _SizeClass(_Strict):
    arch: str
    layers: float
    min_head_group: float = 0.0


class _Shrunk(_Strict):
    type: str
    bits: float = Field(gt=0)
    classes: list[str] = Field(default_factory=list)
    dense: list[str] = Field(default_factory=list)
    moe: list[str] = Field(default_factory=list)

    def records(self, classes: list[str]) -> list[ClassBits]:
        return [
            ClassBits(tensor_class=name, bits=self.bits, type_name=self.type)
            for name in [*self.classes, *classes]
        ]


class _RecipeFile(_Strict):
    blocks: dict[str, list[float | str]]
    categories: dict[str, list[str]]
    unquantised: list[str]
    host: list[str]
    host_when_quantised: list[str]
    every_device: list[str]
    first_layer: list[str]
    twice_on_host: list[str]
    size_classes: dict[str, list[_SizeClass]]
    headless_recurrent: list[str]
    recipes: dict[str, _Recipe]
    checkpoints: dict[str, list[_Shrunk]]


@cache
def _load(path: Path) -> _RecipeFile:
    content = _RecipeFile.model_validate(read_rules(path))
    _check_names(content, path)
    return content


@cache
def load_checkpoint_recipes(data_dir: Path) -> Mapping[str, CheckpointRecipe]:
    """The formats that checkpoints come in, by name."""
    content = _load(data_dir / "quant_recipes.yaml")
    return {
        name: CheckpointRecipe(
            name=name,
            unquantised=ClassBits(tensor_class="", bits=16.0, type_name="BF16"),
            dense=[entry for part in parts for entry in part.records(part.dense)],
            moe=[entry for part in parts for entry in part.records(part.moe)],
        )
        for name, parts in content.checkpoints.items()
    }


@cache
def load_quant_scheme(data_dir: Path) -> tuple[QuantScheme, Mapping[str, QuantRecipe]]:
    """What all recipes share, and the recipes by the name of their format.

    Raises ValueError for a type, a category or a fallback that the file does not define.
    """
    content = _load(data_dir / "quant_recipes.yaml")
    recipes = {name: _recipe(name, recipe) for name, recipe in content.recipes.items()}
    scheme = QuantScheme(
        blocks=[_block(name, values) for name, values in content.blocks.items()],
        categories=[
            RoleCategory(role=role, category=category)
            for category, roles in content.categories.items()
            for role in roles
        ],
        unquantised_roles=content.unquantised,
        host_roles=content.host,
        host_when_quantised_roles=content.host_when_quantised,
        every_device_roles=content.every_device,
        first_layer_roles=content.first_layer,
        twice_on_host_archs=content.twice_on_host,
        size_classes=[
            SizeClass(
                name=name,
                gguf_arch=entry.arch,
                layers=entry.layers,
                min_head_group=entry.min_head_group,
            )
            for name, entries in content.size_classes.items()
            for entry in entries
        ],
        headless_recurrent_archs=content.headless_recurrent,
    )
    return scheme, recipes


def _recipe(name: str, recipe: _Recipe) -> QuantRecipe:
    embedding = (
        [TypeRule(category="token_embedding", type_name=recipe.embedding)]
        if recipe.embedding
        else []
    )
    return QuantRecipe(
        name=name,
        base_type=recipe.base,
        quantised=recipe.quantised,
        output_type=recipe.output,
        misaligned_output_type=recipe.misaligned_output,
        rules=[*embedding, *(rule.record() for rule in recipe.rules)],
    )


def _block(name: str, values: list[float | str]) -> BlockType:
    return BlockType(
        name=name,
        block_elements=float(values[0]),
        block_bytes=float(values[1]),
        fallback=str(values[2]) if len(values) > 2 else "",
    )


def _check_names(content: _RecipeFile, path: Path) -> None:
    categories = {*content.categories, "stacked", "any"}
    for name, block in content.blocks.items():
        if len(block) > 2 and block[2] not in content.blocks:
            raise ValueError(f"{path}: blocks.{name} falls back to unknown type {block[2]!r}")
    for name, recipe in content.recipes.items():
        types = [recipe.base, *(rule.type for rule in recipe.rules)]
        if recipe.quantised:
            types += [recipe.output, recipe.misaligned_output]
        for type_name in types:
            if type_name not in content.blocks:
                raise ValueError(f"{path}: recipes.{name} names unknown type {type_name!r}")
        for rule in recipe.rules:
            if rule.category not in categories:
                raise ValueError(f"{path}: recipes.{name} names unknown {rule.category!r}")
