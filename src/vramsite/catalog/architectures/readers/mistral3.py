"""Mistral Small 3.x, Devstral and Ministral 3: the plain decoder beside a Pixtral vision tower."""

from __future__ import annotations

from vramsite.catalog.architectures.blocks import vision, vision_blocks
from vramsite.catalog.architectures.keys import Keys
from vramsite.catalog.architectures.readers.dense import dense_decoder
from vramsite.catalog.architectures.registry import reader
from vramsite.catalog.architectures.shapes import text_keys, whole
from vramsite.catalog.architectures.source import ArchitectureSource
from vramsite.catalog.architectures.tensor_list import TensorList
from vramsite.sizing.records import Architecture


def pixtral_tower(tensors: TensorList, config: Keys, text_width: float) -> None:
    """Pixtral: RMS norms, gated feed-forward, no biases; 2x2 patches are merged before the text.

    Patch convolution, norm before the layers, layers, then norm + merging matrix + two linears.
    """
    tower = config.sub("vision_config")
    width = whole(tower, "hidden_size")
    patch = whole(tower, "patch_size")
    merge = whole(config, "spatial_merge_size", 2)
    vision(tensors, "v.patch_embd", whole(tower, "num_channels", 3) * patch * patch, width)
    vision(tensors, "v.pre_ln", width)
    vision_blocks(
        tensors,
        depth=whole(tower, "num_hidden_layers"),
        width=width,
        ffn_width=whole(tower, "intermediate_size"),
        biases=False,
        gated=True,
    )
    vision(tensors, "mm.input_norm", width)
    vision(tensors, "mm.patch_merger", merge * merge * width, width)
    vision(tensors, "mm.1", width, text_width)
    vision(tensors, "mm.2", text_width, text_width)


@reader("mistral3", "ministral3")
def read_mistral3(source: ArchitectureSource) -> Architecture:
    """The text is the Llama shape; the tower is counted where config.json describes one."""
    keys = text_keys(source.config)
    tensors = TensorList()
    if source.config.has("vision_config"):
        pixtral_tower(tensors, source.config, whole(keys, "hidden_size"))
    return dense_decoder(source, keys, tensors)
