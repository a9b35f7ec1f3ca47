// The settings of a page as short texts by key, in the address and in the form's controls; a key
// that is left out has its default. See docs/configurator.md.

/** Key → field of the engine's settings; the last four describe a machine typed in. */
export const FIELDS = {
  f: "format", n: "parallel", c: "context_tokens", k: "kv_type_k", v: "kv_type_v", g: "gpus",
  s: "split", b: "backend", e: "engine", ngl: "gpu_layers", moe: "cpu_moe_layers",
  ub: "ubatch_tokens", fa: "flash_attention", ku: "kv_unified", swa: "full_window_cache",
  nkvo: "kv_offload", mm: "vision", dr: "draft_tokens", im: "imatrix",
  cap: "usable_gib", bw: "bandwidth_gb_s", fl: "tflops", ram: "host_ram_gib",
};

/** Key → field of the choice of use and prices (sizing/cost_inputs.py). */
export const COSTS = {
  h: "hours_a_day", u: "busy_percent", on: "own_on_hours_a_day", mo: "lifetime_months",
  ct: "country", cur: "currency", kwh: "price_per_kwh", pc: "condition", pp: "device_price",
  hp: "host_price", rv: "residual_percent", wl: "load_w", wi: "idle_w", pue: "pue",
};
const KEYS = ["m", "d", ...Object.keys(FIELDS), ...Object.keys(COSTS)];
const MOST = { h: 24, u: 100, on: 24, mo: 240, rv: 100, pue: 9 };
const NUMBER = /^\d{1,7}(\.\d{1,6})?$/;

/** What a ticked box writes into the address. */
export const TICKED = { fa: "0", ku: "1", swa: "1", nkvo: "1", mm: "1", im: "1" };

const STEPS = [
  1, 2, 4, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 2048, 4096, 10240,
];

/** The contexts that the slider offers, up to a limit. */
export const contextSteps = (most) => [
  ...STEPS.map((step) => step * 1024).filter((tokens) => tokens < most),
  most,
];

export const fromAddress = (search) => {
  const given = new URLSearchParams(search);
  return Object.fromEntries(KEYS.filter((key) => given.get(key)).map((key) => [key, given.get(key)]));
};

export const toAddress = (values, without = "") => {
  const query = new URLSearchParams();
  for (const key of KEYS)
    if (values[key] !== undefined && !without.includes(key)) query.set(key, values[key]);
  return query.size ? `?${query}` : "";
};

/** What each choice offers, its default first. */
export const choicesOf = ({ model, device, deviceCard, cacheTypes }, backend) => ({
  f: ["Q4_K_M", ...model.files.map((file) => file.format)],
  b: device.backends.map((item) => item.backend),
  e: ["llama.cpp", ...(deviceCard.engines[backend] ?? [])],
  k: ["f16", ...cacheTypes],
  v: cacheTypes,
  s: ["layer", "tensor"],
});

/**
 * Engine settings from texts, for a model and a device with their cards.
 * Gives `settings`, `values` (without what is not allowed or is the default) and `faults` (the
 * keys of what is not allowed).
 */
export function resolve(given, pair) {
  const values = { ...given };
  for (const key in COSTS) delete values[key];
  const faults = [];
  const settings = {};
  const { modelCard } = pair;
  const backend = choicesOf(pair).b.includes(given.b) ? given.b : pair.device.backends[0].backend;
  const choices = choicesOf(pair, backend);
  const layers = modelCard.layer_count;
  const bounds = (parallel) => ({
    n: [1, 1024, 1],
    c: [1, modelCard.context_max_tokens * parallel, modelCard.default_context],
    g: [1, 16, 1],
    ngl: [0, layers + 1, null],
    moe: [0, layers, null],
    ub: [1, 8192, 512],
    dr: [0, 16, 0],
  });
  for (const [key, field] of Object.entries(FIELDS)) {
    const text = values[key];
    const whole = bounds(settings.parallel)[key];
    let usual = null;
    let found = null;
    if (choices[key]) {
      usual = key === "v" ? settings.kv_type_k : choices[key][0];
      if (choices[key].includes(text)) found = text;
    } else if (key in TICKED) {
      usual = TICKED[key] === "0" || key === "nkvo";
      if (text === TICKED[key]) found = !usual;
    } else if (whole) {
      usual = whole[2];
      if (/^\d{1,9}$/.test(text) && text >= whole[0] && text <= whole[1]) found = Number(text);
    } else if (NUMBER.test(text) && text > 0) {
      found = Number(text);
    }
    if (text !== undefined && found === null) faults.push(key);
    if (found === null || found === usual) delete values[key];
    settings[field] = found ?? usual;
  }
  settings.outputs_max = settings.parallel;
  return { settings, values, faults };
}

/** The same for use and prices: `usual` is the page's choice, `offered` what each list offers. */
export function resolveCosts(given, usual, offered) {
  const values = {};
  const faults = [];
  const choice = { ...usual };
  for (const [key, field] of Object.entries(COSTS)) {
    const text = given[key];
    if (text === undefined) continue;
    let found = null;
    if (offered[key]) found = offered[key].includes(text) ? text : null;
    else if (NUMBER.test(text) && text <= (MOST[key] ?? Infinity)) found = Number(text);
    if (found === null) faults.push(key);
    else if (found !== usual[field]) [values[key], choice[field]] = [text, found];
  }
  return { values, faults, choice };
}
