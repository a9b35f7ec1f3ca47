// The view of a pair under any settings, as vramsite/report/pair.py puts it together: every
// number comes from the engine or from figures.js (both compiled), here is only the order of asking.

const HOLDS = ["fits", "tight", "unified", "raised"];
const KEPT = 300;
const GIB = 2 ** 30;

/** Asks the engine about one pair at a time and keeps what other questions share. */
export class Calculator {
  constructor(engine, figures, rulesJson) {
    Object.assign(this, { engine, figures, rules: engine.SharedRules(rulesJson) });
    this.files = new Map();
    this.loads = new Map();
  }

  loaded(model, settings) {
    const format = this.engine.stored_format(this.rules, model, settings);
    const fileKey = `${model.id} ${format} ${settings.imatrix}`;
    const key = fileKey + JSON.stringify(settings);
    if (!this.files.has(fileKey))
      this.files.set(
        fileKey, this.engine.weights_of(this.rules, model, format, settings.imatrix),
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

  /** Output speed with everything on the devices. */
  speed({ model, device }, settings) {
    return this.engine.answer_speed(this.rules, model, this.loaded(model, settings), device);
  }

  /** What all sequences write together, null where the devices do not hold them. */
  together(model, device, settings) {
    return this.engine.answer_together(this.rules, model, this.loaded(model, settings), device);
  }

  /** What `ask` gives, null where the engine refuses. */
  attempt(ask) {
    try {
      return ask();
    } catch (error) {
      if (error.name === "SizingError") return null;
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

/** A pair in a machine with so many GiB of system RAM. */
export function withRam(pair, gib) {
  const { device } = pair;
  const backends = device.backends.map((item) => ({
    ...item, assumptions: { ...item.assumptions, host_ram_bytes: gib * GIB },
  }));
  return { ...pair, device: { ...device, backends } };
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
      money: deviceCard.money && unpriced(deviceCard.money),
    },
  };
}

// Nothing is known of what a device somebody typed in costs and draws.
function unpriced({ cost, place }) {
  const unknown = { value: null, basis: "unknown", rows: 0 };
  const powers = ["prompt_power", "single_power", "several_power", "idle_power"];
  return {
    place,
    sellers: [],
    cost: {
      ...cost, prices: [], offers: [],
      ...Object.fromEntries(powers.map((name) => [name, unknown])),
    },
  };
}
