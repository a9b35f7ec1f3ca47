"""data/finetune_rules.yaml and finetune_calibration.yaml: how training uses memory.

The first says how weights, gradients and states are stored; the second holds fitted coefficients
and their errors with sources left out.
"""

from __future__ import annotations

from functools import cache, cached_property
from pathlib import Path
from typing import Annotated

from pydantic import Field

from vramsite.catalog.record import Record, Text
from vramsite.catalog.rule_yaml import read_rules
from vramsite.sizing.finetune_records import (
    ActivationRule,
    BaseRule,
    FineTune,
    FineTuneRules,
    OptimizerRule,
    PrecisionRule,
    ReadingRule,
    ShardingRule,
)

Amount = Annotated[float, Field(ge=0, lt=2**53)]
Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$", max_length=40)]


class BaseEntry(Record):
    """Bits of a stored weight, scales included."""

    matrix_bits: Amount
    other_bits: Amount = 16.0
    quantised: bool = False


class PrecisionEntry(Record):
    """Bytes of a trained parameter beside its optimizer states."""

    weight_bytes: Amount
    gradient_bytes: Amount
    master_bytes: Amount = 0.0
    state_element_bytes: Amount
    step_bytes: Amount = 0.0
    step_element_bytes: Amount = 0.0


class OptimizerEntry(Record):
    """States of an optimizer."""

    matrix_elements: Amount = 0.0
    other_elements: Amount | None = Field(None, description="default: as for matrices")
    state_bytes: Amount = 0.0
    step_elements: Amount = 0.0
    paged: bool = False
    names: list[str] = Field(default_factory=list, description="other spellings of tools")


class ActivationEntry(Record):
    """See `vramsite.sizing.finetune_records.ActivationRule`."""

    element_bytes: Amount
    saved_hidden: Amount
    saved_attention: Amount
    saved_inner: Amount
    backward_hidden: Amount
    backward_inner: Amount
    expert_backward_share: Amount
    selective_share: Amount
    adapter_inputs: Amount
    quantised_saved: Amount
    routed_hidden: Amount
    sharded_adapter_copies: Amount
    logits_bytes: Amount
    fused_logits_bytes: Amount
    score_bytes: Amount


class ShardingEntry(Record):
    """See `vramsite.sizing.finetune_records.ShardingRule`."""

    gathered_layers: Amount
    gathered_outside: Amount
    gathered_gradients: Amount
    zero_bucket_bytes: Amount
    ddp_bucket_share: Amount


class ReadingEntry(Record):
    """See `vramsite.sizing.finetune_records.ReadingRule`."""

    held_activation_share: Amount
    held_logits_share: Amount
    held_static_share: Amount
    context_bytes: Amount
    link_bytes: Amount
    low: Amount
    high: Amount


class FrameworkEntry(Record):
    """Documented traits of a training tool that its runs share."""

    adapter_precision: Name = "fp32"
    logits_share: Amount = 1.0
    source: Text


class ErrorEntry(Record):
    """Relative errors of predicted peaks, each source predicted without its own rows."""

    count: int
    median: Amount
    p90: Amount
    bias: float


class ErrorsEntry(Record):
    """By method (and "all"), training tool, kind of model and kind of reading."""

    methods: dict[str, ErrorEntry]
    frameworks: dict[str, ErrorEntry]
    classes: dict[str, ErrorEntry]
    readings: dict[str, ErrorEntry]


class ThroughputEntry(Record):
    """Share of the matrix rate that published runs on one device reach: 80 % of them."""

    count: int
    sources: int
    low: Amount
    high: Amount


class CalibrationFile(Record):
    """All of data/finetune_calibration.yaml, as `vramsite calibrate` writes it."""

    activation: ActivationEntry
    sharding: ShardingEntry
    reading: ReadingEntry
    errors: ErrorsEntry
    throughput: dict[str, dict[str, ThroughputEntry]] = Field(
        default_factory=dict, description="by family of the device, then by method"
    )


class MethodEntry(Record):
    """A way to fine-tune that pages show; `sharding` is how several devices share it."""

    method: str = Field(pattern=r"^(?:full|lora|qlora)$")
    base: Name
    optimizer: Name
    sharding: str = Field(pattern=r"^(?:ddp|zero[123]|fsdp)$")
    sharded_precision: Name = Field("bf16", description="of trained weights under sharding")


class FormatsFile(Record):
    """All of data/finetune_rules.yaml."""

    bases: dict[Name, BaseEntry]
    precisions: dict[Name, PrecisionEntry]
    optimizers: dict[Name, OptimizerEntry]
    frameworks: dict[str, FrameworkEntry]
    methods: dict[Name, MethodEntry]
    throughput_devices: dict[str, str]
    rank: Amount
    targets: list[str]
    sequence_tokens: Amount


class FinetuneRulesFile(FormatsFile):
    """Both files together."""

    calibration: CalibrationFile

    def choice(
        self, name: str, *, devices: float = 1.0, tokens: float | None = None, experts: bool = False
    ) -> FineTune:
        """The run that pages show for a method; `experts`: adapters on routed experts too."""
        entry = self.methods[name]
        several = devices > 1.0
        return FineTune(
            method=entry.method,
            base=entry.base,
            precision=entry.sharded_precision if several else "bf16",
            optimizer=entry.optimizer,
            rank=self.rank,
            targets=[*self.targets, "experts"] if experts else list(self.targets),
            sequence_tokens=self.sequence_tokens if tokens is None else tokens,
            sharding=entry.sharding if several else "none",
            devices=devices,
        )

    def optimizer_name(self, spelling: str) -> str | None:
        """Our name of an optimizer by any tool's spelling of it; None for an unknown one."""
        wanted = spelling.lower().replace("-", "_").strip()
        for name, entry in self.optimizers.items():
            if wanted == name or wanted in entry.names:
                return name
        return None

    def record(self) -> FineTuneRules:
        """The engine's record, made once."""
        return self.engine_record

    @cached_property
    def engine_record(self) -> FineTuneRules:
        """What `record` gives."""
        return FineTuneRules(
            bases=[BaseRule(name=name, **dict(rule)) for name, rule in self.bases.items()],
            precisions=[
                PrecisionRule(name=name, **dict(rule)) for name, rule in self.precisions.items()
            ],
            optimizers=[
                OptimizerRule(
                    name=name,
                    matrix_elements=rule.matrix_elements,
                    other_elements=(
                        rule.matrix_elements if rule.other_elements is None else rule.other_elements
                    ),
                    state_bytes=rule.state_bytes,
                    step_elements=rule.step_elements,
                    paged=rule.paged,
                )
                for name, rule in self.optimizers.items()
            ],
            activation=ActivationRule(**dict(self.calibration.activation)),
            sharding=ShardingRule(**dict(self.calibration.sharding)),
            reading=ReadingRule(**dict(self.calibration.reading)),
        )


@cache
def load_finetune_rules(data_dir: Path) -> FinetuneRulesFile:
    """Read both files. Raises pydantic's ValidationError where one is faulty."""
    return FinetuneRulesFile.model_validate(
        {
            **_read(data_dir / "finetune_rules.yaml"),
            "calibration": _read(data_dir / "finetune_calibration.yaml"),
        }
    )


def _read(path: Path) -> dict[str, object]:
    data: dict[str, object] = read_rules(path)
    return data
