"""Packed weights give back what was packed."""

from __future__ import annotations

from vramsite.sizing.packed_weights import (
    PackedFile,
    PackedWeights,
    WeightPiece,
    find_packed,
    unpacked,
)


def made(name: str, pieces: list[float], imatrix: bool = False) -> PackedWeights:
    return PackedWeights(
        name=name,
        layer_count=3.0,
        pieces=pieces,
        file_bytes=1000.0,
        device_bytes=900.0,
        tensor_count=5.0,
        parameters=400.0,
        active_bytes_per_token=300.0,
        imatrix=imatrix,
        output_bytes=70.0,
    )


PACKED = PackedFile(
    layers=[[0.0, 1.0, 2.0], [1.0, 2.0]],
    pieces=[
        WeightPiece(device_bytes=10.0, layers=0.0, role="attn_q"),
        WeightPiece(device_bytes=100.0, layers=1.0, role="ffn_down_exps", routed=True),
        WeightPiece(device_bytes=3.0, layers=1.0, host_less_bytes=1.0),
        WeightPiece(device_bytes=20.0, layers=0.0, role="attn_q"),
    ],
    weights=[made("Q8_0", [3.0]), made("Q2_K", [0.0, 1.0, 2.0]), made("Q2_K", [0.0], True)],
)


def test_layers_add_up_their_pieces() -> None:
    weights = unpacked(PACKED, PACKED.weights[1])
    assert weights.layer_bytes == [10.0, 113.0, 113.0]
    assert weights.layer_host_bytes == [10.0, 112.0, 112.0]
    assert weights.layer_expert_bytes == [0.0, 100.0, 100.0]
    assert weights.layer_expert_host_bytes == [0.0, 100.0, 100.0]
    assert (weights.file_bytes, weights.output_bytes, weights.input_bytes) == (1000.0, 70.0, 0.0)


def test_tensors_with_a_role_are_listed() -> None:
    listed = unpacked(PACKED, PACKED.weights[1]).layer_tensors
    found = [(entry.role, entry.layers, entry.size_bytes, entry.routed) for entry in listed]
    assert found == [
        ("attn_q", [0.0, 1.0, 2.0], 10.0, False),
        ("ffn_down_exps", [1.0, 2.0], 100.0, True),
    ]


def test_an_importance_matrix_counts_only_where_it_makes_a_difference() -> None:
    assert find_packed(PACKED, "Q2_K", False) is PACKED.weights[1]
    assert find_packed(PACKED, "Q2_K", True) is PACKED.weights[2]
    assert find_packed(PACKED, "Q8_0", True) is PACKED.weights[0]
    assert find_packed(PACKED, "Q4_0", False) is None
