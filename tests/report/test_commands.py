from __future__ import annotations

import shlex

import pytest
from made_up_report import made_up_book, model

from vramsite.report.commands import (
    gguf_file,
    launch_commands,
    llama_cpp,
    mlx,
    ollama,
    vllm,
)
from vramsite.sizing.figures import tensor_parallel_devices
from vramsite.sizing.records import Settings


def everywhere(engine: str, backend: str) -> bool:
    return True


def commands(record, settings=None, **changes):
    facts = {
        "runs_on": everywhere,
        "weights_bytes": 5e9,
        "checkpoint_devices": 1.0,
        "attention_heads": 32.0,
        "layer_count": 32,
        "moe": False,
        "runs": True,
    }
    return launch_commands(record, settings or Settings(), **(facts | changes))


def test_everything_on_the_device():
    text = llama_cpp("acme/a-GGUF", "Q4_K_M", Settings(), moe=False, layer_count=32)
    assert text == "llama-server -hf acme/a-GGUF:Q4_K_M -c 8192 -ngl 99 -np 1"


def test_layers_left_in_ram_show_in_the_command():
    settings = Settings(gpu_layers=20.0, context_tokens=32768.0)
    text = llama_cpp("acme/a-GGUF", "Q4_K_M", settings, moe=False, layer_count=32)
    assert text == "llama-server -hf acme/a-GGUF:Q4_K_M -c 32768 -ngl 20 -np 1"


def test_experts_left_in_ram_show_in_the_command():
    settings = Settings(gpu_layers=33.0, cpu_moe_layers=12.0)
    text = llama_cpp("acme/a-GGUF", "Q4_K_M", settings, moe=True, layer_count=32)
    assert "-ngl 99 --n-cpu-moe 12" in text


def test_a_quantised_cache_needs_flash_attention():
    settings = Settings(kv_type_k="q8_0", kv_type_v="q8_0")
    text = llama_cpp("acme/a-GGUF", "Q4_K_M", settings, moe=False, layer_count=32)
    assert "-ctk q8_0 -ctv q8_0 -fa on" in text


def test_vllm_ollama_and_mlx():
    assert vllm("acme/a", Settings(), 4) == (
        "vllm serve acme/a --max-model-len 8192 --tensor-parallel-size 4"
    )
    assert vllm("acme/a", Settings(), 1) == "vllm serve acme/a --max-model-len 8192"
    assert ollama("acme/a-GGUF", "Q4_K_M", Settings()) == (
        "OLLAMA_CONTEXT_LENGTH=8192 ollama serve\nollama run hf.co/acme/a-GGUF:Q4_K_M"
    )
    assert mlx("acme/a", 4).splitlines() == [
        "mlx_lm.convert --hf-path acme/a --mlx-path a-mlx-4bit -q --q-bits 4",
        "mlx_lm.server --model a-mlx-4bit",
    ]


HOSTILE = [
    "acme/a;rm -rf ~",
    "acme/$(reboot)",
    "acme/a b",
    "-hf/x",
    "acme/../../etc",
    "acme",
    "acme/a/b",
    'acme/"><script>alert(1)</script>',
    "acme/a\nreboot",
    "acme/ä",
    "",
]


@pytest.mark.parametrize("repo", HOSTILE)
def test_a_hostile_repository_gives_no_command(repo):
    record = model("small-8b").model_copy(update={"hf_repo": repo, "gguf_repo": repo, "files": []})
    assert commands(record, Settings(backend="metal")) == []


@pytest.mark.parametrize("name", ["$(reboot)", "a b", "`id`", "", "-rf"])
def test_a_hostile_format_gives_no_command_with_it(name):
    record = model("small-8b")
    hostile = record.files[0].model_copy(update={"format": name})
    record = record.model_copy(update={"files": [hostile]})
    for item in commands(record):
        assert name == "" or name not in shlex.split(item.text)


def test_a_command_survives_the_shell_as_it_is():
    for item in commands(model("small-8b")):
        for line in item.text.splitlines():
            assert shlex.join(shlex.split(line)) == line


def test_the_wanted_file_of_the_models_own_repository():
    file = gguf_file(model("small-8b", files=own("Q4_K_M", "Q8_0")), "Q4_K_M", 5e9)
    assert file is not None
    assert (file.repo, file.tag, file.listed) == ("acme/small-8b-GGUF", "Q4_K_M", True)


def own(*formats, repo="acme/small-8b-GGUF", start=5e9):
    return [
        {"format": name, "bytes": int(start * (index + 1)), "exact": True, "repo": repo}
        for index, name in enumerate(formats)
    ]


def test_another_repository_that_lists_the_file_is_named():
    record = model("small-8b", files=own("Q8_0") + own("Q4_K_M", repo="other/small-8b-GGUF"))
    file = gguf_file(record, "Q4_K_M", 5e9)
    assert file is not None
    assert file.repo == "other/small-8b-GGUF"


def test_without_the_wanted_file_the_largest_that_is_no_larger():
    record = model("small-8b", files=own("Q2_K", "Q3_K_M", "Q8_0", start=2e9))
    file = gguf_file(record, "Q4_K_M", 5e9)
    assert file is not None
    assert file.tag == "Q3_K_M"
    assert commands(record)[0].notes == ("nearest_format",)


def test_an_unknown_file_list_is_said_to_be_unknown():
    record = model("small-8b", files=[])
    assert commands(record)[0].notes == ("unlisted",)
    assert ":Q4_K_M" in commands(record)[0].text


def test_the_name_in_the_repository_is_the_tag():
    listed = own("MXFP4_MOE")
    listed[0]["note"] = "named MXFP4 in the repository"
    record = model("small-8b", files=listed)
    file = gguf_file(record, "MXFP4_MOE", 5e9)
    assert file is not None
    assert file.tag == "MXFP4"


def test_ollama_is_left_out_for_files_in_parts():
    large = model("small-8b", files=own("Q4_K_M", start=60e9))
    assert [item.engine for item in commands(large)] == ["llama.cpp", "vllm"]
    small = model("small-8b", files=own("Q4_K_M"))
    assert [item.engine for item in commands(small)] == ["llama.cpp", "ollama", "vllm"]


def test_only_engines_that_run_there():
    def only_llama(engine, backend):
        return engine == "llama.cpp"

    engines = [item.engine for item in commands(model("small-8b"), runs_on=only_llama)]
    assert engines == ["llama.cpp"]


def test_what_does_not_fit_gets_no_command_for_one_device():
    found = commands(model("small-8b"), runs=False, checkpoint_devices=3.0)
    assert [(item.engine, item.devices) for item in found] == [("vllm", 4)]


@pytest.mark.parametrize(
    ("needed", "heads", "devices"),
    [
        (1.0, 32.0, 1),
        (3.0, 32.0, 4),
        (5.0, 64.0, 8),
        (3.0, 6.0, None),
        (9.0, 64.0, None),
        (None, 32.0, None),
    ],
)
def test_tensor_parallel_takes_powers_of_two_that_divide_the_heads(needed, heads, devices):
    assert tensor_parallel_devices(needed, heads) == devices


def test_the_made_up_pages_have_commands():
    book = made_up_book()
    assert not book.runs_on("vllm", "cuda")  # the made-up catalog lists no engine
