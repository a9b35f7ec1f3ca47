// Answers cases with the compiled engine, in Node or a browser; one line of text a case.
// A line holds words and the bytes of all numbers: see flatten.py.

const flatten = (value, numbers, words) => {
  if (typeof value === "number") numbers.push(value);
  else if (typeof value === "string") words.push(value);
  else if (value === null || typeof value === "boolean") words.push(String(value));
  else if (Array.isArray(value)) {
    words.push(`[${value.length}`);
    for (const item of value) flatten(item, numbers, words);
  } else if (typeof value === "object")
    for (const name of Object.keys(value).sort()) flatten(value[name], numbers, words);
  else throw new TypeError(`${typeof value} is no value of the engine`);
};

export const line = (values) => {
  const numbers = [];
  const words = [];
  flatten(values, numbers, words);
  const bytes = new Uint8Array(new Float64Array(numbers).buffer);
  let text = "";
  for (let at = 0; at < bytes.length; at += 8192)
    text += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return JSON.stringify([words, btoa(text)]);
};

// `fields` maps names of fields that are short within the engine; `slices` maps "rules", "models/…" and "devices/…" to the build's JSON, `variants` to changes.
export const answerAll = ({ engine: plain, whole: all, fields, slices, variants, cases, wholeEvery }) => {
  const rules = plain.SharedRules(slices.rules);
  const made = new Map();
  const once = (name, make) => {
    if (!made.has(name)) made.set(name, make());
    return made.get(name);
  };
  return cases.map((asked, place) => {
    const settings = plain.Settings(asked.settings);
    // As a page does: other engines than llama.cpp, drafts, several devices and models without a
    // graph are asked of the whole module.
    const { gpus, draft_tokens } = settings;
    const simple = settings.engine === "llama.cpp" && gpus <= 1 && !draft_tokens;
    const engine = simple && slices[`models/${asked.model}`].arch.graph ? plain : all;
    const whole = place % wholeEvery === 0;
    try {
      const model = once(`models/${asked.model}`, () =>
        engine.ModelFacts(slices[`models/${asked.model}`]),
      );
      const usual = once(`devices/${asked.device}`, () =>
        engine.DeviceFacts(slices[`devices/${asked.device}`]),
      );
      const change = variants[asked.variant];
      const device = {
        ...usual,
        device: { ...usual.device, ...change.device },
        speed: { ...usual.speed, ...change.speed },
      };
      const file = once(`${asked.model} ${settings.format} ${settings.imatrix}`, () =>
        engine.weights_of(rules, model, settings.format, settings.imatrix),
      );
      const loaded = engine.loaded_file(rules, file, settings);
      const size = engine.answer(rules, model, loaded, device);
      if (!whole) return line([size]);
      const part = (owner, name) => owner[fields[name] ?? name];
      const parts = ["memory", "cache", "work"].map((name) => part(loaded, name));
      return line([size, ...parts, part(file, "weights")]);
    } catch (error) {
      if (error.name !== "SizingError") throw error;
      return line([error.code]);
    }
  });
};
