"""Configuration files of two training tools for the run that a page shows.

The model's repository passes a strict pattern or there is no file. Data set and learning rate are
the tools' own examples, to be replaced.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from vramsite.report.cards import REPO_PATTERN

if TYPE_CHECKING:
    from vramsite.sizing.finetune_records import FineTune

_AXOLOTL_OPTIMIZERS = {"adamw": "adamw_torch", "adamw_8bit": "adamw_bnb_8bit"}
_TRAINER_OPTIMIZERS = {"adamw": "adamw_torch", "adamw_8bit": "adamw_bnb_8bit"}


@dataclass(frozen=True, slots=True)
class Recipe:
    """A file to save and the command that starts it. `tool` is a proper name."""

    tool: str
    url: str
    file_name: str
    text: str
    command: str


def recipes(repo: str, choice: FineTune) -> list[Recipe]:
    """Axolotl and LLaMA-Factory, where each can run this choice; none for an odd repository."""
    if not REPO_PATTERN.fullmatch(repo):
        return []
    sharded_4bit = choice.method == "qlora" and choice.devices > 1.0
    # 4-bit weights are sharded by FSDP; Axolotl's needs the name of the model's layer class.
    return (
        [_llama_factory(repo, choice)]
        if sharded_4bit
        else [
            _axolotl(repo, choice),
            _llama_factory(repo, choice),
        ]
    )


def _number(value: float) -> str:
    return str(int(value))


def _axolotl(repo: str, choice: FineTune) -> Recipe:
    lines = [f"base_model: {repo}"]
    if choice.base.startswith("nf4"):
        lines.append("load_in_4bit: true")
    if choice.base == "int8":
        lines.append("load_in_8bit: true")
    lines += [
        "datasets:",
        "  - path: tatsu-lab/alpaca",
        "    type: alpaca",
        f"output_dir: ./outputs/{choice.method}",
        f"sequence_len: {_number(choice.sequence_tokens)}",
        "sample_packing: true",
        "pad_to_sequence_len: true",
    ]
    if choice.method != "full":
        lines += [
            f"adapter: {'qlora' if choice.base.startswith('nf4') else 'lora'}",
            f"lora_r: {_number(choice.rank)}",
            f"lora_alpha: {_number(2.0 * choice.rank)}",
            "lora_target_linear: true",
        ]
    lines += [
        f"micro_batch_size: {_number(choice.micro_batch)}",
        f"gradient_accumulation_steps: {_number(choice.accumulation)}",
        "num_epochs: 1",
        f"optimizer: {_AXOLOTL_OPTIMIZERS.get(choice.optimizer, choice.optimizer)}",
        f"learning_rate: {'0.00002' if choice.method == 'full' else '0.0002'}",
        "bf16: true",
        "gradient_checkpointing: true",
        "flash_attention: true",
    ]
    if choice.devices > 1.0:
        lines.append("deepspeed: deepspeed_configs/zero3_bf16.json")
    name = f"{choice.method}.yaml"
    fetch = "axolotl fetch deepspeed_configs\n" if choice.devices > 1.0 else ""
    return Recipe(
        tool="Axolotl",
        url="https://docs.axolotl.ai/",
        file_name=name,
        text="\n".join(lines) + "\n",
        command=f"{fetch}axolotl train {name}",
    )


def _llama_factory(repo: str, choice: FineTune) -> Recipe:
    lines = [f"model_name_or_path: {repo}"]
    if choice.base.startswith("nf4"):
        lines += ["quantization_bit: 4", "quantization_method: bnb"]
    if choice.base == "int8":
        lines += ["quantization_bit: 8", "quantization_method: bnb"]
    lines += ["stage: sft", "do_train: true"]
    if choice.method == "full":
        lines.append("finetuning_type: full")
    else:
        lines += [
            "finetuning_type: lora",
            f"lora_rank: {_number(choice.rank)}",
            "lora_target: all",
        ]
    lines += [
        "dataset: alpaca_en_demo",
        f"cutoff_len: {_number(choice.sequence_tokens)}",
        f"output_dir: saves/{choice.method}",
        f"per_device_train_batch_size: {_number(choice.micro_batch)}",
        f"gradient_accumulation_steps: {_number(choice.accumulation)}",
        f"optim: {_TRAINER_OPTIMIZERS.get(choice.optimizer, choice.optimizer)}",
        f"learning_rate: {'1.0e-5' if choice.method == 'full' else '1.0e-4'}",
        "num_train_epochs: 1.0",
    ]
    several = choice.devices > 1.0
    # Alone, weights and states of full training are all BF16; ZeRO keeps F32 master weights.
    pure = choice.method == "full" and not several
    lines.append("pure_bf16: true" if pure else "bf16: true")
    name = f"{choice.method}.yaml"
    command = f"llamafactory-cli train {name}"
    if several and choice.sharding.startswith("zero3"):
        lines.append("deepspeed: examples/deepspeed/ds_z3_config.json")
        command = f"FORCE_TORCHRUN=1 {command}"
    elif several:
        command = (
            "accelerate launch --config_file examples/accelerate/fsdp_config.yaml "
            f"--num_processes {_number(choice.devices)} src/train.py {name}"
        )
    return Recipe(
        tool="LLaMA-Factory",
        url="https://llamafactory.readthedocs.io/",
        file_name=name,
        text="\n".join(lines) + "\n",
        command=command,
    )
