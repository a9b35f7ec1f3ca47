// The settings of a page as short texts by key, in the address and in the form's controls; a key
// that is left out has its default. See docs/configurator.md.

export const KEYS = [
  "m", "d", "f", "c", "k", "v", "n", "g", "s", "e", "b", "ngl", "moe", "ub",
  "fa", "ku", "swa", "nkvo", "mm", "dr", "im", "cap", "bw", "fl",
];

const STEPS = [
  1, 2, 4, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 4096,
  8192, 10240,
].map((thousands) => thousands * 1024);

/** The contexts that the slider offers, up to a limit. */
export const contextSteps = (most) => {
  const steps = STEPS.filter((tokens) => tokens < most);
  return [...steps, most];
};

export const fromAddress = (search) => {
  const given = new URLSearchParams(search);
  return Object.fromEntries(KEYS.filter((key) => given.get(key)).map((key) => [key, given.get(key)]));
};

export const toAddress = (values, without = []) => {
  const query = new URLSearchParams();
  for (const key of KEYS)
    if (values[key] !== undefined && !without.includes(key)) query.set(key, values[key]);
  return query.size ? `?${query}` : "";
};

/**
 * Engine settings from texts, for a model and a device with their cards.
 * Gives `settings`, `values` (without what is not allowed or is the default), `faults` (the keys
 * of what is not allowed) and `own` (a device typed in, null where there is none).
 */
export function resolve(given, { model, device, modelCard, deviceCard, cacheTypes }) {
  const values = { ...given };
  const faults = [];
  const take = (key, usual, read) => {
    if (values[key] === undefined) return usual;
    const found = read(values[key]);
    if (found === null) faults.push(key);
    if (found === null || found === usual) {
      delete values[key];
      return usual;
    }
    return found;
  };
  const choice = (key, usual, allowed) =>
    take(key, usual, (text) => (text === usual || allowed.includes(text) ? text : null));
  const whole = (key, usual, least, most) =>
    take(key, usual, (text) => {
      const number = /^\d{1,9}$/.test(text) ? Number(text) : -1;
      return number >= least && number <= most ? number : null;
    });
  const decimal = (key) =>
    take(key, null, (text) => {
      const number = /^\d{1,7}(\.\d{1,6})?$/.test(text) ? Number(text) : 0;
      return number > 0 ? number : null;
    });
  const flag = (key, usual) => take(key, usual, (text) => (text === (usual ? "0" : "1") ? !usual : null));

  const backend = choice("b", device.backends[0].backend, device.backends.map((item) => item.backend));
  const parallel = whole("n", 1, 1, 1024);
  const kvTypeK = choice("k", "f16", cacheTypes);
  const layers = modelCard.layer_count + 1;
  const settings = {
    engine: choice("e", "llama.cpp", deviceCard.engines[backend] ?? []),
    backend,
    format: choice("f", "Q4_K_M", model.files.map((file) => file.format)),
    imatrix: flag("im", false),
    context_tokens: whole("c", modelCard.default_context, 1, modelCard.context_max_tokens * parallel),
    parallel,
    outputs_max: parallel,
    kv_unified: flag("ku", false),
    kv_type_k: kvTypeK,
    kv_type_v: choice("v", kvTypeK, cacheTypes),
    ubatch_tokens: whole("ub", 512, 1, 8192),
    flash_attention: flag("fa", true),
    full_window_cache: flag("swa", false),
    kv_offload: flag("nkvo", true),
    gpus: whole("g", 1, 1, 16),
    split: choice("s", "layer", ["layer", "tensor"]),
    gpu_layers: whole("ngl", null, 0, layers),
    cpu_moe_layers: whole("moe", null, 0, modelCard.layer_count),
    vision: flag("mm", false),
    draft_tokens: whole("dr", 0, 0, 16),
  };
  const own = { usable_gib: decimal("cap"), bandwidth_gb_s: decimal("bw"), tflops: decimal("fl") };
  const typed = Object.values(own).some((value) => value !== null);
  return { settings, values, faults, own: typed ? own : null };
}
