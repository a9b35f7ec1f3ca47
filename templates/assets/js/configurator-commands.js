// Launch commands for a configuration, word for word those of vramsite/report/commands.py.
// Repositories and tags passed a strict pattern on the server and need no quoting.

const SINGLE_FILE_LIMIT = 50e9;

function ggufFile(card, wanted, wantedBytes) {
  for (const home of [card.gguf_repo, null]) {
    const found = card.files.find(
      (file) => (home === file.repo || home === null) && file.format === wanted,
    );
    if (found) return found;
  }
  const repo = card.safe_gguf_repo;
  if (!repo) return null;
  const own = card.files.filter((file) => file.repo === repo);
  if (!own.length) return { repo, format: wanted, tag: wanted, bytes: wantedBytes, listed: false };
  const before = (a, b) => a.bytes - b.bytes || (a.tag < b.tag ? -1 : 1);
  const smaller = own.filter((file) => file.bytes <= wantedBytes).sort(before);
  return smaller.length ? smaller.at(-1) : own.sort(before)[0];
}

function llamaCpp(file, settings, card) {
  const words = ["llama-server", "-hf", `${file.repo}:${file.tag}`, "-c", settings.context_tokens];
  const layers = settings.gpu_layers;
  words.push("-ngl", layers === null || layers > card.layer_count ? 99 : layers);
  if (card.expert_count > 0 && settings.cpu_moe_layers > 0)
    words.push("--n-cpu-moe", settings.cpu_moe_layers);
  const wide = settings.kv_type_k === "f16" && settings.kv_type_v === "f16";
  if (settings.kv_type_k !== "f16") words.push("-ctk", settings.kv_type_k);
  if (settings.kv_type_v !== "f16") words.push("-ctv", settings.kv_type_v);
  if (!settings.flash_attention) words.push("-fa", "off");
  else if (!wide) words.push("-fa", "on");
  words.push("-np", settings.parallel);
  if (settings.kv_unified) words.push("-kvu");
  if (settings.full_window_cache) words.push("--swa-full");
  if (!settings.kv_offload) words.push("-nkvo");
  if (settings.ubatch_tokens !== 512) words.push("-ub", settings.ubatch_tokens);
  if (settings.gpus > 1 && settings.split === "tensor") words.push("-sm", "row");
  return words.join(" ");
}

function ollama(file, settings) {
  let server = `OLLAMA_CONTEXT_LENGTH=${settings.context_tokens}`;
  if (settings.kv_type_k !== "f16")
    server += ` OLLAMA_FLASH_ATTENTION=1 OLLAMA_KV_CACHE_TYPE=${settings.kv_type_k}`;
  return `${server} ollama serve\nollama run hf.co/${file.repo}:${file.tag}`;
}

function vllm(repo, settings, devices) {
  const words = ["vllm", "serve", repo, "--max-model-len"];
  words.push(Math.floor(settings.context_tokens / settings.parallel));
  if (devices > 1) words.push("--tensor-parallel-size", devices);
  if (settings.kv_type_k === "q8_0") words.push("--kv-cache-dtype", "fp8");
  if (settings.parallel > 1) words.push("--max-num-seqs", settings.parallel);
  return words.join(" ");
}

function mlx(repo) {
  const folder = `${repo.split("/").at(-1)}-mlx-4bit`;
  return `mlx_lm.convert --hf-path ${repo} --mlx-path ${folder} -q --q-bits 4\nmlx_lm.server --model ${folder}`;
}

/** Commands as the template takes them; `devices` is how many hold the original for vLLM. */
export function commands(size, { modelCard, deviceCard }, devices) {
  const found = [];
  const { settings } = size;
  const add = (engine, text, format, notes, count = 1) =>
    found.push({ engine, text, format, devices: count, notes });
  const runsOn = (engine) => (deviceCard.engines[settings.backend] ?? []).includes(engine);
  const runs = size.fit.verdict !== "exceeds";
  const file = runs ? ggufFile(modelCard, settings.format, size.weights_file_bytes) : null;
  if (file) {
    const notes = [];
    if (file.format !== settings.format) notes.push("nearest_format");
    else if (!file.listed) notes.push("unlisted");
    if (runsOn("llama.cpp")) add("llama.cpp", llamaCpp(file, settings, modelCard), file.format, notes);
    if (runsOn("ollama") && file.bytes < SINGLE_FILE_LIMIT)
      add("ollama", ollama(file, settings), file.format, notes);
  }
  const repo = modelCard.safe_repo;
  if (repo && runsOn("vllm") && devices !== null)
    add("vllm", vllm(repo, settings, devices), "native", devices > 1 ? ["needs_devices"] : [], devices);
  if (repo && settings.backend === "metal" && runs) add("mlx", mlx(repo), "4bit", ["converts_first"]);
  return found;
}
