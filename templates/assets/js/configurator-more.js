// What is drawn after the answer: commands, costs, contexts, formats, notes, questions.

import { commands } from "./configurator-commands.js";
import { machineOf, moneyView, offersFor, offersView, totalOf } from "./configurator-costs.js";

const WITH_RESERVE = ["fits", "unified"];
const HOLDS = [...WITH_RESERVE, "tight", "raised"];
const LONG_TASK_MS = 8;

/** Draws through `put(name, ...)` of the page; `json` loads a file. */
export class More {
  constructor({ calculator, costs, facts, parts, json, rented, home }) {
    const { figures } = calculator;
    Object.assign(this, { calculator, costs, facts, figures, parts, json, home });
    this.rentedFiles = rented;
    this.reckoned = {}; // figures behind what nobody typed, by the key of their control
  }

  /** The cost section without its loads, of which the tile needs none. */
  money(pair, view, choice) {
    if (!this.facts) return null;
    view.work ??= machineOf(this, pair, view);
    const money = moneyView(this, pair, view.asked, view.work, choice);
    const { price_per_kwh, device_price, idle_w, pue, own } = money.section;
    this.reckoned = {
      kwh: price_per_kwh.value, pp: device_price.value, pue, wi: idle_w,
      wl: own.length ? own[1].load_w : null,
    };
    return money;
  }

  /** Cost sections for another choice; what the machine writes stays. */
  drawMoney(put, pair, view, choice) {
    if (!this.facts) return;
    const money = this.money(pair, view, choice);
    put("cost", view, money);
    if (view.offers) this.drawOffers(put, view, money);
  }

  drawOffers(put, view, { choice, section }) {
    const offers = offersView(this, view.offers, choice);
    const { model, size, short_tokens } = view;
    put("offers", offers, section, model.name, size.settings.format, short_tokens);
  }

  /** All of it in small steps, until `go` says that a newer change came. */
  async draw(put, pair, view, choice, names, go) {
    let since = performance.now();
    const resume = async (now) => {
      if (!now && performance.now() - since < LONG_TASK_MS) return true;
      const going = await go();
      since = performance.now();
      return going;
    };
    put("commands", { ...view, commands: this.commands(pair, view) });
    if (!(await resume())) return false;
    if (this.facts) {
      for (const users of view.work.counts) {
        const total_tps = totalOf(this, pair, view.work, users);
        if (total_tps === null) break;
        view.work.speeds.loads.push({ sequences: users, total_tps });
        if (!(await resume())) return false;
      }
      view.work.counts = [];
      if (view.usual) view.offers = pair.modelCard.money;
      this.drawMoney(put, pair, view, choice());
    }
    this.drawTraining(put, pair, view);
    if (!(await resume())) return false;
    const curve = this.curve(pair, view);
    const longest_whole_tokens = this.figures.longest_whole_tokens(
      curve.map((row) => row.context_tokens),
      curve.map((row) => row.needed_bytes),
      view.size.fit.usable_bytes,
    );
    put("contexts", { ...view, curve, longest_whole_tokens });
    const rows = [];
    for (const format of pair.modelCard.formats) {
      rows.push(...this.formatRow(pair, view, format));
      if (!(await resume())) return false;
    }
    rows.sort((a, b) => b.file_bytes - a.file_bytes || (a.format < b.format ? -1 : 1));
    const best_format = rows.find((row) => WITH_RESERVE.includes(row.verdict)) ?? null;
    put("formats", { ...view, formats: rows }, names);
    if (!(await resume())) return false;
    const told = { ...view, best_format, notes: this.notes(pair, view) };
    put("notes", told);
    put("questions", told, this.parts.sentence(view));
    if (this.facts && !view.offers) {
      if (!(await resume(true))) return false;
      this.rented ??= Promise.all(this.rentedFiles.map((file) => this.json(file)));
      const [rented, devices] = await this.rented;
      this.devices ??= devices.map(this.calculator.engine.DeviceFacts);
      const { model } = pair;
      view.offers = await offersFor(this, model, view.asked, rented, this.devices, resume);
      if (!view.offers) return false;
      this.drawOffers(put, view, this.money(pair, view, choice()));
    }
    return true;
  }

  // Verdicts of training runs; the files to start with are the page's own, where they still hold.
  drawTraining(put, { model, device, modelCard, deviceCard }, view) {
    const { costs } = this;
    const table = modelCard.training;
    const part = document.querySelector("[data-part=finetune]");
    if (!part) return;
    part.hidden = !table;
    const found = (row) => {
      const none = { verdict: "no_tool", devices: null };
      const { tool, rates } = deviceCard.training;
      const fit = tool ? costs.first_fit(row.peaks, device.device, view.asked.gpus) : none;
      const rate = fit.devices === 1 && rates[row.method];
      return {
        ...fit,
        rate: rate
          ? costs.training_span(rate[0], rate[1], device.device.bf16_flops, row.work)
          : null,
      };
    };
    const rows = table ? table.rows.map((row) => [row, found(row)]) : [];
    if (table) put("finetune", view, { table, rows });
    const start = document.querySelector("[data-start]");
    if (!start) return;
    const [row, { devices }] = rows.find((entry) => entry[1].devices !== null) ?? [{}, {}];
    start.hidden = model.id !== this.home || start.dataset.start !== `${row.name} ${devices}`;
  }

  commands(pair, view) {
    const { calculator, figures } = this;
    const native = { ...view.asked, format: pair.modelCard.native, gpus: 1, engine: "llama.cpp" };
    const whole = calculator.attempt(() => calculator.size(pair, native));
    const { capacity_bytes: capacity, vllm_share: share } = pair.deviceCard;
    const least = whole && figures.devices_in_share(whole.fit.needed_bytes, capacity, share);
    const devices = figures.tensor_parallel_devices(least, pair.model.arch.attention_heads);
    return commands(view.size, pair, devices);
  }

  curve(pair, view) {
    const { calculator, figures } = this;
    const { asked, size, long } = view;
    const usable = size.fit.usable_bytes;
    const known = new Map([size, long].map((one) => [one.settings.context_tokens, one]));
    const tokens = [...new Set([...pair.modelCard.contexts, asked.context_tokens])];
    const rows = tokens.sort((a, b) => a - b).flatMap((context_tokens) => {
      const settings = { ...asked, context_tokens };
      const whole = calculator.attempt(() => calculator.loaded(pair.model, settings));
      if (!whole) return [];
      const there = known.get(context_tokens);
      const verdict = there ? there.fit.verdict : figures.context_verdict(
        whole.memory, usable, pair.device.device.kind, view.assumed, size.fit.raised_bytes,
      );
      let tps = there ? there.decode_tps.value : null;
      if (!there && HOLDS.includes(verdict)) tps = calculator.speed(pair, settings).value;
      return [{ context_tokens, verdict, tps, ...figures.context_figures(whole.memory) }];
    });
    const bars = figures.speed_bars(rows.map((row) => row.tps));
    return rows.map((row, at) => ({
      ...row,
      bar: figures.context_bar(row, usable, rows.at(-1)),
      speed_bar: bars[at],
    }));
  }

  formatRow(pair, view, format) {
    const { calculator, figures } = this;
    const size = calculator.attempt(() => calculator.size(pair, { ...view.asked, format }));
    if (!size) return [];
    return [
      {
        ...figures.format_figures(size, pair.modelCard.params_total),
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

  notes(pair, view) {
    const { calculator, figures } = this;
    const { asked, size, long, long_tokens } = view;
    const wide = asked.kv_type_k === "f16" && asked.kv_type_v === "f16";
    const small = { ...asked, context_tokens: long_tokens, kv_type_k: "q8_0", kv_type_v: "q8_0" };
    const smaller = wide
      ? calculator.attempt(() => calculator.loaded(pair.model, small).memory)
      : null;
    const cache = figures.cache_figures(
      size.memory, long.memory, size.settings.context_tokens, long.settings.context_tokens,
      smaller,
    );
    return {
      cache: { ...cache, ...pair.modelCard.counts },
      read: {
        active_bytes: size.active_bytes_per_token,
        active_share: figures.size_figures(size).active_share,
        bandwidth_gb_s: pair.deviceCard.bandwidth_gb_s,
      },
      host_bytes: size.memory.host_bytes,
    };
  }
}
