// The view of a pair under any settings, as vramsite/report/pair.py puts it together: every
// number comes from the engine or from figures.js (both compiled), here is only the order of asking.

import { commands } from "./configurator-commands.js";

const HOLDS = ["fits", "tight", "unified"];
const WITH_RESERVE = ["fits", "unified"];
const KEPT = 300;

/** Asks the engine about one pair at a time and keeps what other questions share. */
export class Calculator {
  constructor(engine, figures, rulesJson) {
    Object.assign(this, { engine, figures, rules: engine.SharedRules(rulesJson) });
    this.files = new Map();
    this.loads = new Map();
  }

  loaded(model, settings) {
    const fileKey = `${model.id} ${settings.format} ${settings.imatrix}`;
    const key = fileKey + JSON.stringify(settings);
    if (!this.files.has(fileKey))
      this.files.set(
        fileKey,
        this.engine.weights_of(this.rules, model, settings.format, settings.imatrix),
      );
    if (!this.loads.has(key)) {
      if (this.loads.size >= KEPT) this.loads.clear();
      this.loads.set(key, this.engine.loaded_file(this.rules, this.files.get(fileKey), settings));
    }
    return this.loads.get(key);
  }

  size({ model, device }, settings) {
    return this.engine.answer(this.rules, model, this.loaded(model, settings), device);
  }

  /** What `ask` gives, null where the engine refuses. */
  attempt(ask) {
    try {
      return ask();
    } catch (error) {
      if (error instanceof this.engine.SizingError) return null;
      throw error;
    }
  }
}

/** The part of the view that the answer, the tiles and the table of memory are drawn from. */
export function firstView(calculator, pair, asked, usual) {
  const { figures } = calculator;
  const { modelCard, deviceCard } = pair;
  const size = calculator.size(pair, asked);
  const longTokens = figures.long_context_tokens(
    asked.context_tokens, modelCard.context_max_tokens, asked.parallel,
  );
  const long = calculator.size(pair, { ...asked, context_tokens: longTokens });
  const found = figures.size_figures(size);
  const assumed = pair.device.backends.find((item) => item.backend === asked.backend).assumptions;
  return {
    asked, assumed, size, long, usual,
    model: modelCard,
    device: deviceCard,
    holds: HOLDS.includes(size.fit.verdict),
    hopeless: size.fit.verdict === "exceeds",
    needed_bytes: size.fit.needed_bytes,
    long_needed_bytes: long.fit.needed_bytes,
    missing_bytes: found.missing_bytes,
    need_share: found.need_share,
    tight_fraction: assumed.tight_fraction,
    ram_bytes_per_s: assumed.ram_bandwidth_bytes_per_s,
    host_ram_bytes: assumed.host_ram_bytes,
    short_tokens: asked.context_tokens,
    long_tokens: longTokens,
    weights_basis: found.weights_basis,
    bar: figures.size_bar(size, deviceCard.capacity_bytes),
  };
}

export function withCommands(calculator, pair, view) {
  const { figures } = calculator;
  const native = { ...view.asked, format: pair.modelCard.native, gpus: 1, engine: "llama.cpp" };
  const whole = calculator.attempt(() => calculator.size(pair, native));
  const { capacity_bytes: capacity, vllm_share: share } = pair.deviceCard;
  const least = whole && figures.devices_in_share(whole.fit.needed_bytes, capacity, share);
  const devices = figures.tensor_parallel_devices(least, pair.model.arch.attention_heads);
  return { ...view, commands: commands(view.size, pair, devices) };
}

export function withContexts(calculator, pair, view) {
  const { figures } = calculator;
  const { asked, size, long } = view;
  const usable = size.fit.usable_bytes;
  const verdicts = new Map([size, long].map((one) => [one.settings.context_tokens, one.fit.verdict]));
  const tokens = [...new Set([...pair.modelCard.contexts, asked.context_tokens])];
  const rows = tokens.sort((a, b) => a - b).flatMap((context_tokens) => {
    const settings = { ...asked, context_tokens };
    const memory = calculator.attempt(() => calculator.loaded(pair.model, settings).memory);
    if (!memory) return [];
    return [{ context_tokens, memory, ...figures.context_figures(memory) }];
  });
  const curve = rows.map((row) => ({
    ...row,
    verdict:
      verdicts.get(row.context_tokens) ??
      figures.context_verdict(row.memory, usable, pair.device.device.kind, view.assumed),
    bar: figures.context_bar(row, usable, rows.at(-1)),
  }));
  return { ...view, curve };
}

export function formatRow(calculator, pair, view, format) {
  const size = calculator.attempt(() => calculator.size(pair, { ...view.asked, format }));
  if (!size) return [];
  return [
    {
      ...calculator.figures.format_figures(size, pair.modelCard.params_total),
      format,
      native: format === pair.modelCard.native,
      file_bytes: size.weights_file_bytes,
      needed_bytes: size.fit.needed_bytes,
      verdict: size.fit.verdict,
      decode: size.decode_tps,
      device_id: (view.usual && pair.cheapest?.get(format)) || null,
    },
  ];
}

export function withFormats(view, rows) {
  const formats = rows.sort((a, b) => b.file_bytes - a.file_bytes || (a.format < b.format ? -1 : 1));
  const best = formats.find((row) => WITH_RESERVE.includes(row.verdict)) ?? null;
  return { ...view, formats, best_format: best };
}

export function withNotes(calculator, pair, view) {
  const { figures } = calculator;
  const { asked, size, long, long_tokens } = view;
  const wide = asked.kv_type_k === "f16" && asked.kv_type_v === "f16";
  const small = { ...asked, context_tokens: long_tokens, kv_type_k: "q8_0", kv_type_v: "q8_0" };
  const smaller = wide
    ? calculator.attempt(() => calculator.loaded(pair.model, small).memory)
    : null;
  const cache = figures.cache_figures(
    size.memory, long.memory, size.settings.context_tokens, long.settings.context_tokens, smaller,
  );
  const notes = {
    cache: { ...cache, ...pair.modelCard.counts },
    read: {
      active_bytes: size.active_bytes_per_token,
      active_share: figures.size_figures(size).active_share,
      bandwidth_gb_s: pair.deviceCard.bandwidth_gb_s,
    },
    host_bytes: size.memory.host_bytes,
  };
  return { ...view, notes };
}

/** A pair with another memory, bandwidth or throughput than the device's own. */
export function withOwnDevice(calculator, pair, own, name) {
  const { device, deviceCard } = pair;
  const { assumptions } = device.backends.find((item) => item.backend === own.backend);
  const made = calculator.figures.own_device(
    device.device, assumptions, own.usable_gib, own.bandwidth_gb_s, own.tflops,
  );
  const speed = made.compute_flops === null
    ? device.speed
    : { ...device.speed, compute_flops: made.compute_flops };
  return {
    ...pair,
    device: { ...device, device: made.device, speed: { ...speed, device_rows: [], family_rows: [] } },
    deviceCard: {
      ...deviceCard,
      name: `${deviceCard.name} (${name})`,
      capacity_bytes: own.usable_gib === null ? deviceCard.capacity_bytes : null,
      bandwidth_gb_s: own.bandwidth_gb_s ?? deviceCard.bandwidth_gb_s,
    },
  };
}
