"""What Gemma 4 puts before the text: a vision tower, an audio tower, or plain projections.

Keys that config.json leaves out take the defaults of the published configuration classes.
"""

from __future__ import annotations

from vramsite.catalog.architectures.blocks import vision, vision_blocks
from vramsite.catalog.architectures.keys import Keys
from vramsite.catalog.architectures.shapes import whole
from vramsite.catalog.architectures.tensor_list import TensorList


def vision_tower(tensors: TensorList, tower: Keys, text_width: float) -> None:
    """Gated feed-forward without biases, four norms a layer, norms on the heads, 2-D positions.

    Towers that standardise their output carry a bias and a scale for it.
    """
    width = whole(tower, "hidden_size")
    head = whole(tower, "head_dim")
    patch = whole(tower, "patch_size", 16)
    vision(tensors, "v.patch_embd", 3 * patch * patch, width)
    vision(tensors, "v.position_embd", width, 2 * whole(tower, "position_embedding_size", 10240))
    vision_blocks(
        tensors,
        depth=whole(tower, "num_hidden_layers"),
        width=width,
        ffn_width=whole(tower, "intermediate_size"),
        biases=False,
        gated=True,
        norm_vectors=[width, width, width, width, head, head],
    )
    # The published files state `standardize` only beside the tower they belong to; where the key
    # is left out, the wide (1152) tower has it and the narrow one of the E models has not.
    if tower.flag("standardize", width > 768):
        vision(tensors, "v.std", width, count=2)
    vision(tensors, "mm.input_projection", width, text_width)


def audio_tower(tensors: TensorList, tower: Keys, text_width: float) -> None:
    """A conformer: two strided convolutions, then layers of FFN, attention, convolution, FFN."""
    width = whole(tower, "hidden_size")
    depth = whole(tower, "num_hidden_layers")
    head = width / whole(tower, "num_attention_heads")
    channels = [128.0, 32.0]
    if tower.has("subsampling_conv_channels"):
        channels = tower.numbers("subsampling_conv_channels", 2)
    out = whole(tower, "output_proj_dims", 1536)
    kernel = whole(tower, "conv_kernel_size", 5)
    vision(tensors, "a.conv1d.0", 3 * 3, channels[0])
    vision(tensors, "a.conv1d.0.norm", channels[0])
    vision(tensors, "a.conv1d.1", 3 * 3 * channels[0], channels[1])
    vision(tensors, "a.conv1d.1.norm", channels[1])
    # 128 mel bands, halved by each convolution
    vision(tensors, "a.input_projection", 128 / 4 * channels[1], width)
    vision(tensors, "a.ffn", width, 4 * width, count=4 * depth)
    vision(tensors, "a.attn", width, width, count=5 * depth)
    vision(tensors, "a.per_dim_scale", head, count=depth)
    vision(tensors, "a.conv_pw1", width, 2 * width, count=depth)
    vision(tensors, "a.conv_dw", kernel, width, count=depth)
    vision(tensors, "a.conv_pw2", width, width, count=depth)
    # before and after both FFNs and the attention, before and inside the convolution, at the end
    vision(tensors, "a.norm", width, count=9 * depth)
    vision(tensors, "a.pre_encode.out", width, out)
    vision(tensors, "a.pre_encode.out.bias", out)
    vision(tensors, "mm.a.input_projection", out, text_width)


def unified_inputs(tensors: TensorList, config: Keys, text_width: float) -> None:
    """Pixels of a pooled patch and raw audio frames are projected straight to the text width."""
    if config.has("vision_config"):
        keys = config.sub("vision_config")
        width = whole(keys, "mm_embed_dim", text_width)
        side = whole(keys, "patch_size") * whole(keys, "pooling_kernel_size")
        pixels = 3 * side * side
        vision(tensors, "v.patch_norm", pixels, count=2)
        vision(tensors, "v.patch_embd", pixels, width)
        vision(tensors, "v.patch_embd.bias", width)
        vision(tensors, "v.norm", width, count=4)
        vision(tensors, "v.position_embd", width, 2 * whole(keys, "mm_posemb_size"))
        vision(tensors, "mm.input_projection", width, text_width)
    if config.has("audio_config"):
        frame = whole(config.sub("audio_config"), "audio_embed_dim")
        vision(tensors, "mm.a.input_projection", frame, text_width)
