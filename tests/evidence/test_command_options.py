"""Options in the commands that published figures quote."""

from __future__ import annotations

from vramsite.evidence.command_options import read_options

SERVER = (
    "published peakVramGb=13.7; prompt 82 tok; cmd: llama-server -m model.gguf -ngl 99 -c 8192 "
    "-np 2 -ctk q8_0 --mmproj tower.gguf -nkvo --n-cpu-moe 12 --port 8080 "
)


def test_options_of_a_server() -> None:
    found = read_options(SERVER)
    assert found.tool == "llama-server"
    assert (found.context_tokens, found.parallel, found.gpu_layers) == (8192.0, 2.0, 99.0)
    assert (found.cpu_moe_layers, found.all_experts_on_host) == (12.0, False)
    assert found.vision
    assert not found.kv_offload
    assert (found.batch_tokens, found.ubatch_tokens) == (None, None)


def test_a_note_without_a_command_sets_nothing() -> None:
    found = read_options("llama-bench pp2048 -ngl 3")
    assert (found.tool, found.gpu_layers, found.kv_offload, found.vision) == ("", None, True, False)


def test_half_a_number_at_the_end_of_a_cut_note_is_no_number() -> None:
    cut = "cmd: /home/me/llama-bench -m m.gguf -p 4096 -b 4096 -ub 10"
    for note in (cut, cut + " [norm: params_total_b published as 1, catalog value used]"):
        found = read_options(note)
        assert found.tool == "llama-bench"
        assert (found.batch_tokens, found.ubatch_tokens) == (4096.0, None)


def test_all_experts_on_the_host() -> None:
    assert read_options("cmd: llama-server --cpu-moe -m m.gguf").all_experts_on_host
    assert not read_options("cmd: llama-server --n-cpu-moe 4 -m m.gguf").all_experts_on_host


def test_a_command_cut_within_an_option_says_so() -> None:
    path = "/home/me/" + "models/" * 18
    assert read_options(f"cmd: llama-bench -m {path} -p 4096 -b 4096 -ub 10").cut
    assert read_options(f"cmd: llama-server -m {path} --no-mmap -c").cut
    assert not read_options(f"cmd: llama-server -m {path} -c 4096 --host 127.0").cut
    assert not read_options("cmd: llama-server -m m.gguf -c 4096").cut
