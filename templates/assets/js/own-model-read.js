// A config.json as text → what the page needs of a model that is in no catalog. The readers are
// those of the catalog, compiled (engine_js/readers_module.py); here is only what surrounds them.

import { objectOf } from "./own-model-json.js";

const MOST_CHARACTERS = 1e6;
const NEAR = 3;
const CONTEXTS = [4096, 8192, 16384, 32768, 65536, 131072];
const SHORT_CONTEXT = 8192;
const FORMATS = ["Q8_0", "Q6_K", "Q5_K_M", "Q4_K_M", "IQ4_XS", "Q3_K_M", "Q2_K"];
const ATTENTION = [
  ["recurrent", ["recurrent"]], ["compressed", ["compressed"]], ["latent", ["latent"]],
  ["window", ["window", "chunked"]],
];

/**
 * Why a text is no model: a code, the key it is about, and what the reader says of it. Of a text
 * that is no JSON: why, what was found, and on which line.
 */
export class Fault extends Error {
  constructor(code, key = "", reason = "", near = [], line = 0) {
    super(`${code} ${key} ${reason}`);
    Object.assign(this, { code, key, reason, near, line });
  }
}

function parsed(text) {
  if (text.length > MOST_CHARACTERS) throw new Fault("too_big");
  return objectOf(text, (why, line, found) => {
    throw new Fault("not_json", shortened(found), why, [], line);
  });
}

/** A text of the config for a message. */
export const shortened = (text) => (text.length > 120 ? `${text.slice(0, 119)}…` : text);

// How much of two names is alike: pairs of letters that both have.
function likeness(one, other) {
  const pairs = (text) => [...text].slice(1).map((letter, at) => text[at] + letter);
  const [mine, theirs] = [pairs(one.slice(0, 80)), pairs(other)];
  return (2 * mine.filter((pair) => theirs.includes(pair)).length) / (mine.length + theirs.length);
}

const nearest = (name, known) =>
  known.sort((a, b) => likeness(name, b) - likeness(name, a) || (a < b ? -1 : 1)).slice(0, NEAR);

/** The text as an architecture, the checkpoint's format, keys that nothing read. Throws a Fault. */
export function architecture(own, rules, text) {
  const readers = own.readers();
  try {
    const keys = own.own_keys(parsed(text));
    const type = own.own_type(keys);
    if (!Object.hasOwn(readers, type))
      throw new Fault("unknown_type", shortened(type), "", nearest(type, Object.keys(readers)));
    const arch = readers[type](own.own_source(rules, keys));
    return [arch, own.own_native(keys), own.own_unread(rules, keys)];
  } catch (error) {
    if (error instanceof own.ArchitectureError)
      throw new Fault(error.code, shortened(error.key), error.code === "missing" ? "" : error.reason);
    if (error instanceof Fault) throw error;
    throw Object.assign(new Fault("failed"), { cause: error });
  }
}

/** What a page says of a model by itself, as report/cards.py has it. */
export function card(own, arch, native, name) {
  const layers = own.own_layers(arch).map(([kind, count, window_tokens, k_width, v_width]) => ({
    kind, count, window_tokens, k_width, v_width,
  }));
  const kinds = layers.map((share) => share.kind);
  const found = ATTENTION.find(([, names]) => names.some((kind) => kinds.includes(kind)));
  const windows = layers.filter((share) => share.window_tokens > 0);
  const sum = (shares) => shares.reduce((total, share) => total + share.count, 0);
  const longest = arch.context_max_tokens;
  const contexts = CONTEXTS.filter((tokens) => tokens <= longest);
  if (!contexts.length || (longest < CONTEXTS.at(-1) && contexts.at(-1) !== longest))
    contexts.push(longest);
  const nothing = { vendor: "", vendor_slug: "", repo: "", confidence: "derived" };
  for (const key of [
    "params_active_b", "license", "released", "repo_url", "config_url", "gguf_repo", "gguf_url",
    "safe_repo", "safe_gguf_repo",
  ]) nothing[key] = null;
  return {
    ...nothing, name, native, layers, contexts,
    id: "own",
    own: true,
    density: arch.expert_count > 0 ? "moe" : "dense",
    attention: found ? found[0] : "full",
    params_total: own.own_parameters(arch),
    context_max_tokens: longest,
    default_context: Math.min(SHORT_CONTEXT, longest),
    layer_count: arch.layer_count,
    expert_count: arch.expert_count,
    experts_used: own.own_experts_used(arch),
    formats: [...new Set([...(native ? [native] : []), ...FORMATS])],
    files: [],
    counts: {
      window_tokens: Math.max(0, ...windows.map((share) => share.window_tokens)),
      window_layers: sum(windows),
      recurrent_layers: sum(layers.filter((share) => share.kind === "recurrent")),
    },
    money: { hosted: [], sellers: [], offers: [], count: 0 },
  };
}
