"""Terms of fine-tuning memory that follow by hand from a small made-up model and round rules."""

from __future__ import annotations

from dataclasses import replace

import pytest

from vramsite.sizing.errors import SizingError
from vramsite.sizing.finetune import fine_tune
from vramsite.sizing.finetune_adapters import adapters
from vramsite.sizing.finetune_fit import training_need, training_verdict
from vramsite.sizing.finetune_records import (
    ActivationRule,
    BaseRule,
    FineTune,
    FineTuneMemory,
    FineTuneRules,
    OptimizerRule,
    PrecisionRule,
    ReadingRule,
    ShardingRule,
)
from vramsite.sizing.finetune_shape import train_shape
from vramsite.sizing.finetune_speed import training_flops_per_token
from vramsite.sizing.records import Architecture, LayerGroup, Tensor

NOTHING = ActivationRule(
    element_bytes=2.0,
    saved_hidden=0.0,
    saved_attention=0.0,
    saved_inner=0.0,
    backward_hidden=0.0,
    backward_inner=0.0,
    expert_backward_share=0.0,
    selective_share=0.5,
    adapter_inputs=0.0,
    quantised_saved=1.0,
    routed_hidden=0.0,
    sharded_adapter_copies=0.0,
    logits_bytes=0.0,
    fused_logits_bytes=0.0,
    score_bytes=0.0,
)
RULES = FineTuneRules(
    bases=[
        BaseRule(name="bf16", matrix_bits=16.0, other_bits=16.0, quantised=False),
        BaseRule(name="nf4", matrix_bits=4.0, other_bits=16.0, quantised=True),
    ],
    precisions=[
        PrecisionRule(
            name="bf16",
            weight_bytes=2.0,
            gradient_bytes=2.0,
            master_bytes=0.0,
            state_element_bytes=2.0,
            step_bytes=0.0,
            step_element_bytes=2.0,
        ),
        PrecisionRule(
            name="fp32",
            weight_bytes=4.0,
            gradient_bytes=4.0,
            master_bytes=0.0,
            state_element_bytes=4.0,
            step_bytes=0.0,
            step_element_bytes=4.0,
        ),
        PrecisionRule(
            name="zero",
            weight_bytes=2.0,
            gradient_bytes=2.0,
            master_bytes=4.0,
            state_element_bytes=4.0,
            step_bytes=0.0,
            step_element_bytes=0.0,
        ),
    ],
    optimizers=[
        OptimizerRule(
            name="adamw",
            matrix_elements=2.0,
            other_elements=2.0,
            state_bytes=0.0,
            step_elements=1.0,
        ),
        OptimizerRule(
            name="muon", matrix_elements=1.0, other_elements=2.0, state_bytes=0.0, step_elements=0.0
        ),
        OptimizerRule(
            name="sgd", matrix_elements=0.0, other_elements=0.0, state_bytes=0.0, step_elements=0.0
        ),
        OptimizerRule(
            name="paged",
            matrix_elements=2.0,
            other_elements=2.0,
            state_bytes=0.0,
            step_elements=0.0,
            paged=True,
        ),
    ],
    activation=NOTHING,
    sharding=ShardingRule(
        gathered_layers=0.0,
        gathered_outside=0.0,
        gathered_gradients=0.0,
        zero_bucket_bytes=0.0,
        ddp_bucket_share=0.0,
    ),
    reading=ReadingRule(
        held_activation_share=0.0,
        held_logits_share=0.0,
        held_static_share=0.0,
        context_bytes=1000.0,
        link_bytes=500.0,
        low=0.9,
        high=1.2,
    ),
)


def dense(layers: int = 2) -> Architecture:
    """Hidden 8, attention 8 -> 8 four times, feed-forward 8 -> 16 gated, vocabulary 32."""
    at = [float(layer) for layer in range(layers)]
    tensors = [
        Tensor(role="token_embd", tensor_class="token_embedding", row_width=8.0, rows=32.0),
        Tensor(role="output", tensor_class="output", row_width=8.0, rows=32.0),
        Tensor(role="attn_norm", tensor_class="norm", row_width=8.0, layers=at),
        Tensor(role="ffn_gate", tensor_class="dense_ffn", row_width=8.0, rows=16.0, layers=at),
        Tensor(role="ffn_up", tensor_class="dense_ffn", row_width=8.0, rows=16.0, layers=at),
        Tensor(role="ffn_down", tensor_class="dense_ffn", row_width=16.0, rows=8.0, layers=at),
        Tensor(role="v.attn", tensor_class="vision", row_width=99.0, rows=99.0),
    ]
    for role in ("attn_q", "attn_k", "attn_v", "attn_output"):
        tensors.append(
            Tensor(role=role, tensor_class="attention", row_width=8.0, rows=8.0, layers=at)
        )
    return architecture(tensors, layers)


def sparse() -> Architecture:
    """One layer of four experts 8 -> 4 -> 8, two used, and a shared one of the same size."""
    tensors = [
        Tensor(role="ffn_gate_inp", tensor_class="router", row_width=8.0, rows=4.0, layers=[0.0]),
    ]
    for role, width, rows in (("gate", 8.0, 4.0), ("up", 8.0, 4.0), ("down", 4.0, 8.0)):
        tensors += [
            Tensor(
                role=f"ffn_{role}_exps",
                tensor_class="routed_experts",
                row_width=width,
                rows=rows,
                experts=4.0,
                layers=[0.0],
            ),
            Tensor(
                role=f"ffn_{role}_shexp",
                tensor_class="shared_experts",
                row_width=width,
                rows=rows,
                layers=[0.0],
            ),
        ]
    return architecture(tensors, 1, experts=4.0)


def architecture(tensors: list[Tensor], layers: int, experts: float = 0.0) -> Architecture:
    return Architecture(
        model_type="made-up",
        gguf_arch="",
        embedding_width=8.0,
        vocabulary=32.0,
        layer_count=float(layers),
        context_max_tokens=0.0,
        tied_embeddings=False,
        attention_heads=2.0,
        dense_ffn_width=16.0,
        expert_count=experts,
        experts_used=experts / 2.0,
        expert_ffn_width=4.0 if experts else 0.0,
        shared_expert_ffn_width=0.0,
        groups=[LayerGroup(kind="full", count=float(layers))],
        layer_order=[0.0] * layers,
        tensors=tensors,
    )


# 2 x (4 x 64 + 3 x 128) linear, 2 x 256 outside the layers, 2 x 8 in norms
PARAMETERS = 1280.0 + 512.0 + 16.0


def terms(memory: FineTuneMemory) -> dict[str, float]:
    return {term.name: term.device_bytes for term in memory.terms}


def full(**changes: object) -> FineTune:
    return replace(FineTune(method="full", base="bf16", sequence_tokens=1.0), **changes)  # type: ignore[arg-type]


def test_parameters_are_counted_without_the_vision_tower() -> None:
    shape = train_shape(dense())
    assert shape.matrix_parameters == 1280.0
    assert shape.outside_parameters == 512.0
    assert shape.other_parameters == 16.0
    assert shape.layer_parameters == 648.0
    assert shape.biggest_matrix == 128.0


def test_tied_head_is_the_embedding() -> None:
    assert train_shape(dense()).head_parameters == 256.0
    assert train_shape(architecture([dense().tensors[0]], 1)).head_parameters == 256.0


@pytest.mark.parametrize(
    ("precision", "optimizer", "bytes_a_parameter"),
    [
        ("bf16", "adamw", 10.0),  # 2 + 2 + 4 and a temporary copy of 2
        ("bf16", "sgd", 4.0),
        ("fp32", "adamw", 20.0),
        ("zero", "adamw", 16.0),  # 2 + 2 + 12: the ZeRO paper's count
    ],
)
def test_full_training_costs_so_many_bytes_a_parameter(
    precision: str, optimizer: str, bytes_a_parameter: float
) -> None:
    choice = full(precision=precision, optimizer=optimizer, sharding="zero1")
    memory = fine_tune(dense(), choice, RULES)
    assert memory.allocated_bytes == bytes_a_parameter * PARAMETERS
    assert memory.trained_parameters == memory.parameters == PARAMETERS


def test_muon_keeps_one_state_for_matrices_and_two_for_the_rest() -> None:
    memory = fine_tune(dense(), full(optimizer="muon", precision="bf16"), RULES)
    assert terms(memory)["optimizer"] == 2.0 * 1280.0 + 4.0 * 528.0


@pytest.mark.parametrize(
    ("sharding", "weights", "gradients", "states"),
    [
        ("ddp", 1.0, 1.0, 1.0),
        ("zero1", 1.0, 1.0, 0.25),
        ("zero2", 1.0, 0.25, 0.25),
        ("zero3", 0.25, 0.25, 0.25),
        ("fsdp", 0.25, 0.25, 0.25),
    ],
)
def test_each_stage_of_zero_splits_one_thing_more(
    sharding: str, weights: float, gradients: float, states: float
) -> None:
    memory = fine_tune(dense(), full(precision="zero", sharding=sharding, devices=4.0), RULES)
    found = terms(memory)
    assert found["weights"] == 2.0 * PARAMETERS * weights
    assert found["gradients"] == 2.0 * PARAMETERS * gradients
    assert found["optimizer"] == 12.0 * PARAMETERS * states


def test_tensor_parallel_splits_weights_and_the_optimizer_goes_over_all() -> None:
    choice = full(precision="zero", sharding="megatron", devices=4.0, tensor_parallel=2.0)
    found = terms(fine_tune(dense(), choice, RULES))
    assert found["weights"] == PARAMETERS  # 2 bytes, half of them
    assert found["optimizer"] == 3.0 * PARAMETERS  # 12 bytes, a quarter of them


def test_expert_parallel_spreads_experts_only() -> None:
    choice = full(precision="bf16", sharding="megatron", devices=4.0, expert_parallel=4.0)
    found = terms(fine_tune(sparse(), choice, RULES))
    assert found["weights"] == 2.0 * (384.0 / 4.0 + 96.0 + 32.0)


def test_updating_in_the_backward_pass_keeps_one_layers_gradients() -> None:
    memory = fine_tune(dense(), full(precision="bf16", step_in_backward=True), RULES)
    assert memory.allocated_bytes == pytest.approx(6.0 * PARAMETERS + 4.0 * 648.0)


def test_paged_states_are_shown_but_not_allocated() -> None:
    memory = fine_tune(dense(), full(precision="bf16", optimizer="paged"), RULES)
    assert memory.allocated_bytes == 4.0 * PARAMETERS
    assert memory.shown_bytes == 8.0 * PARAMETERS + 1000.0


def test_an_adapter_has_rank_times_both_widths() -> None:
    found = adapters(dense(), 3.0, ["q", "v"])
    assert found.parameters == 2 * 2 * 3.0 * (8.0 + 8.0)
    assert adapters(dense(), 1.0, ["mlp"]).parameters == 2 * 3 * (8.0 + 16.0)
    assert adapters(dense(), 1.0, ["down"]).parameters == 2 * (8.0 + 16.0)


def test_each_routed_expert_has_its_own_adapter() -> None:
    found = adapters(sparse(), 2.0, ["experts", "shared_experts"])
    assert found.expert_parameters == 4 * 3 * 2.0 * 12.0
    assert found.parameters == 3 * 2.0 * 12.0
    assert adapters(sparse(), 2.0, ["shared_experts"]).expert_parameters == 0.0


def test_lora_trains_only_adapters_over_frozen_weights() -> None:
    choice = FineTune(
        method="lora", base="bf16", rank=1.0, targets=["q"], sequence_tokens=1.0, optimizer="sgd"
    )
    found = terms(fine_tune(dense(), choice, RULES))
    assert found["weights"] == 2.0 * PARAMETERS
    assert found["adapters"] == 4.0 * 32.0  # two layers, rank 1, 8 + 8, in F32
    assert found["optimizer"] == 0.0


def test_qlora_stores_linear_layers_in_four_bits_and_expands_one_matrix() -> None:
    choice = FineTune(method="qlora", base="nf4", rank=1.0, targets=["q"], optimizer="sgd")
    found = terms(fine_tune(dense(), choice, RULES))
    assert found["weights"] == 0.5 * 1280.0 + 2.0 * 528.0
    assert found["buffers"] == 2.0 * 128.0


def test_whole_trained_embeddings_are_copies() -> None:
    base = FineTune(method="lora", base="bf16", rank=1.0, targets=["q"], optimizer="sgd")
    without = terms(fine_tune(dense(), base, RULES))
    beside = terms(fine_tune(dense(), replace(base, train_embeddings=True), RULES))
    assert beside["weights"] == without["weights"]
    assert beside["adapters"] - without["adapters"] == 2.0 * 512.0


def acts(**changes: float) -> FineTuneRules:
    return replace(RULES, activation=replace(NOTHING, **changes))


def tuned(**changes: object) -> FineTune:
    start = FineTune(
        method="lora",
        base="bf16",
        rank=1.0,
        targets=[],
        optimizer="sgd",
        sequence_tokens=100.0,
        micro_batch=2.0,
    )
    return replace(start, **changes)  # type: ignore[arg-type]


def activation_bytes(choice: FineTune, rules: FineTuneRules) -> float:
    found = terms(fine_tune(dense(), choice, rules))
    return found["activations"] + found["logits"]


def test_with_checkpointing_only_the_inputs_of_layers_wait() -> None:
    # 200 tokens x 2 layers x 8 wide x 2 bytes, and one layer whole: 4 x 8 x 2 a token
    assert activation_bytes(tuned(), acts(saved_hidden=4.0)) == 200.0 * (32.0 + 64.0)
    none = tuned(checkpointing="none")
    assert activation_bytes(none, acts(saved_hidden=4.0)) == 200.0 * 2.0 * 64.0


def test_offloaded_inputs_wait_on_the_host() -> None:
    memory = fine_tune(dense(), tuned(checkpointing="offload"), acts(saved_hidden=4.0))
    assert terms(memory)["activations"] == 200.0 * 64.0
    assert memory.host_bytes == 200.0 * 32.0


def test_inner_and_attention_widths_count_apart() -> None:
    none = tuned(checkpointing="none")
    assert activation_bytes(none, acts(saved_inner=1.0)) == 200.0 * 2 * 2.0 * 32.0
    # q, k, v and what the output projection reads
    assert activation_bytes(none, acts(saved_attention=1.0)) == 200.0 * 2 * 2.0 * 32.0


def test_without_flash_attention_every_pair_of_tokens_counts() -> None:
    # 5 bytes a head and pair (5as2b of Korthikanti et al.): 2 heads, 100 x 100 pairs, batch 2
    eager = tuned(checkpointing="none", flash_attention=False)
    assert activation_bytes(eager, acts(score_bytes=5.0)) == 2 * 5.0 * 2 * 100.0**2 * 2


def test_logits_follow_the_vocabulary_unless_fused() -> None:
    rules = acts(logits_bytes=6.0, fused_logits_bytes=0.0)
    whole = fine_tune(dense(), tuned(), rules)
    assert terms(whole)["logits"] == 200.0 * 6.0 * 32.0
    assert whole.peak_moment == "loss"
    assert terms(fine_tune(dense(), tuned(fused_cross_entropy=True), rules))["logits"] == 0.0


def test_the_fullest_moment_is_the_peak() -> None:
    short = fine_tune(dense(), full(precision="bf16"), acts(logits_bytes=6.0))
    assert short.peak_moment == "step"
    # The head's gradient is there at the loss, those of the layers are not.
    choice = full(precision="bf16", sequence_tokens=10_000.0)
    long = fine_tune(dense(), choice, acts(logits_bytes=6.0))
    assert long.peak_moment == "loss"
    inputs = 10_000.0 * 32.0
    assert long.allocated_bytes == 6.0 * PARAMETERS + 512.0 + inputs + 10_000.0 * 192.0


def test_accumulated_gradients_are_there_at_the_loss() -> None:
    choice = full(precision="bf16", sequence_tokens=10_000.0, accumulation=4.0)
    found = terms(fine_tune(dense(), choice, acts(logits_bytes=6.0)))
    assert found["gradients"] == 2.0 * PARAMETERS


def test_terms_add_up_to_the_peak() -> None:
    for choice in (full(precision="bf16"), tuned(), tuned(checkpointing="none")):
        memory = fine_tune(dense(), choice, acts(saved_hidden=3.0, logits_bytes=6.0))
        assert sum(terms(memory).values()) == pytest.approx(memory.allocated_bytes)


def test_readings_are_told_apart() -> None:
    reading = replace(RULES.reading, held_logits_share=0.5, held_static_share=0.1)
    rules = replace(acts(logits_bytes=6.0), reading=reading)
    memory = fine_tune(dense(), tuned(devices=2.0, sharding="ddp"), rules)
    logits = 200.0 * 192.0
    held = memory.reserved_bytes - memory.allocated_bytes
    assert held == pytest.approx(0.5 * logits + 0.1 * 2.0 * PARAMETERS)
    assert memory.shown_bytes == memory.reserved_bytes + 1500.0
    assert memory.allocated_high_bytes == memory.allocated_bytes * 1.2


def test_offloaded_parameters_leave_the_device() -> None:
    memory = fine_tune(dense(), full(precision="bf16", offload_parameters=True), RULES)
    assert terms(memory)["weights"] == 0.0
    assert memory.host_bytes == 10.0 * PARAMETERS


def test_verdict_needs_what_is_in_use_and_the_context() -> None:
    memory = fine_tune(dense(), full(precision="bf16"), RULES)
    need = training_need(memory, RULES, several=False)
    assert need == 10.0 * PARAMETERS + 1000.0
    assert training_verdict(memory, RULES, False, need) == "tight"
    assert training_verdict(memory, RULES, False, need - 1.0) == "exceeds"
    assert training_verdict(memory, RULES, False, 12.0 * PARAMETERS + 1000.0) == "fits"
    assert training_verdict(memory, RULES, False, None) == "unknown"
    assert training_verdict(memory, RULES, False, 0.0) == "unknown"


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"base": "int3", "method": "lora"}, "unknown_base"),
        ({"optimizer": "sofa"}, "unknown_optimizer"),
        ({"precision": "fp128"}, "unknown_precision"),
    ],
)
def test_unknown_names_are_refused(changes: dict[str, str], code: str) -> None:
    with pytest.raises(SizingError) as caught:
        fine_tune(dense(), full(**changes), RULES)
    assert caught.value.code == code


def test_work_of_a_token() -> None:
    shape = train_shape(dense())
    active = 1280.0 + 256.0
    assert training_flops_per_token(shape, 0.0, full(checkpointing="none")) == 6.0 * active
    assert training_flops_per_token(shape, 0.0, full()) == 8.0 * active
    assert training_flops_per_token(shape, 0.0, tuned()) == 6.0 * active
