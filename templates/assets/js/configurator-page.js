// The form of a page: what somebody chooses goes into the address, the engine answers, and the
// parts of the page that depend on it are drawn anew.

import { formatter } from "./format.js";
import {
  FIELDS, TICKED, choicesOf, contextSteps, fromAddress, resolve, toAddress,
} from "./configurator-state.js";
import {
  Calculator, firstView, formatRow, withCommands, withContexts, withFormats, withNotes,
  withOwnDevice,
  withRam,
} from "./configurator-view.js";
import { draw, helpers, holds, markup } from "./markup.js";

const root = document.documentElement;
const ANNOUNCE_AFTER_MS = 800;
const LONG_TASK_MS = 8;

const pause = () => new Promise((go) => setTimeout(go));

async function json(address, options) {
  const answer = await fetch(address, options);
  if (!answer.ok) throw new Error(`${address}: ${answer.status}`);
  return answer.json();
}

/** Load everything and bring the form to life. */
export async function start(form) {
  const note = form.querySelector("[role=alert]");
  try {
    const page = new Page(form, note);
    await page.load();
    await page.open();
  } catch (error) {
    root.dataset.engine = "failed";
    note.textContent = note.dataset.failed;
    note.hidden = false;
    throw error;
  }
}

class Page {
  constructor(form, note) {
    this.form = form;
    this.note = note;
    this.controls = form.elements;
    this.status = form.querySelector("[role=status]");
    this.report = form.querySelector("a.report");
    this.home = { m: form.dataset.model, d: form.dataset.device };
    this.parts = new Map(
      [...document.querySelectorAll("[data-part]")].map((part) => [part.dataset.part, part]),
    );
    this.models = new Map();
    this.devices = new Map();
    this.values = {};
    this.round = 0;
  }

  async load() {
    const [engine, rules, model, device, modelCard, deviceCard] = this.form.dataset.files.split(" ");
    const loaded = await Promise.all([
      import(engine),
      import("./figures.js"),
      import(`./parts.${root.lang}.js`),
      json(rules),
      ...[model, device, modelCard, deviceCard].map((address) => json(address)),
    ]);
    const [engineModule, figures, parts, rulesJson] = loaded;
    this.format = formatter(root.lang);
    this.draw = parts.default(helpers(this.format));
    this.engine = engineModule;
    this.calculator = new Calculator(engineModule, figures, rulesJson);
    this.cacheTypes = rulesJson.engine.cache.types.map((type) => type.name);
    this.models.set(this.home.m, [engineModule.ModelFacts(loaded[4]), loaded[6]]);
    this.devices.set(this.home.d, [engineModule.DeviceFacts(loaded[5]), loaded[7]]);
    // What the script cannot work out alone: prices, and which device is the cheapest.
    const tile = document.querySelector("[data-part=tiles] [data-given]");
    this.tile = tile && markup(`${tile.outerHTML}\n`);
    this.cheapest = new Map();
    this.names = {};
    for (const row of document.querySelectorAll("[data-part=formats] tbody tr")) {
      const link = row.querySelector("a");
      if (!link) continue;
      const id = link.pathname.split("/").at(-2);
      this.names[id] = link.textContent;
      this.cheapest.set(row.cells[0].firstChild.data.trim(), id);
    }
  }

  async open() {
    await this.choose(fromAddress(location.search), true);
    this.listen();
  }

  listen() {
    const { form } = this;
    form.addEventListener("input", (event) => {
      if (event.target.name === "slider") {
        this.controls.c.value = this.steps[event.target.value];
      } else if (event.target.localName === "select") return;
      this.changed(event.target, event.type === "input");
    });
    form.addEventListener("change", (event) => {
      this.changed(event.target, event.type === "input");
    });
    form.addEventListener("reset", (event) => {
      event.preventDefault();
      this.go({});
    });
    addEventListener("popstate", () => this.choose(fromAddress(location.search), true));
    for (const name of ["m", "d"])
      this.controls[name].addEventListener("focusin", () => this.names_of_all(), { once: true });
    form.addEventListener("pointerenter", () => this.names_of_all(), { once: true });
    const link = this.controls.link;
    if (!navigator.clipboard) link.hidden = true;
    link.addEventListener("click", async () => {
      await navigator.clipboard.writeText(location.href);
      this.say(link.dataset.done);
    });
    const { type } = this.controls;
    type.hidden = matchMedia("(prefers-reduced-motion: reduce)").matches;
    type.addEventListener("click", async () => {
      const { typing } = await import("./configurator-typing.js");
      typing(type, form.querySelector(".typed"), String(this.draw.words("sample")), this.view?.size);
    });
  }

  // One control says something new: the address follows, then the page.
  changed(control, moving) {
    const name = control.name === "slider" ? "c" : control.name;
    if (!name || control.type === "button") return;
    const values = { ...this.values };
    const value = name in TICKED ? (control.checked ? TICKED[name] : "") : this.controls[name].value;
    if (value.trim() === "") delete values[name];
    else values[name] = value.trim();
    this.go(values, control, moving);
  }

  // While a control moves, one step of history changes along; the next change is the next step.
  go(values, control, moving = false) {
    this.choose(values, false, control, (address) => {
      const target = location.pathname + address + location.hash;
      const way = this.moving ? "replaceState" : "pushState";
      if (address !== location.search) history[way](null, "", target);
      else if (moving) return;
      this.moving = moving;
    });
  }

  async choose(given, fill, control, write) {
    const round = ++this.round;
    const pair = await this.pair(given);
    if (round !== this.round) return;
    const resolved = resolve(given, pair);
    for (const key of ["m", "d"]) {
      if (pair.faults.includes(key) || given[key] === this.home[key]) delete resolved.values[key];
    }
    this.values = resolved.values;
    const faults = [...pair.faults, ...resolved.faults];
    this.tell(faults.length ? this.draw.fallback(faults.map((key) => this.label(key))) : "");
    const answered = this.answer(pair, resolved);
    // The answer comes first: the address costs a browser more than all that was worked out.
    await pause();
    if (round !== this.round) return;
    const address = toAddress(this.values);
    this.fill(pair, resolved, fill ? null : control);
    write?.(address);
    for (const link of document.querySelectorAll("nav.languages a")) link.search = address;
    if (answered) await this.rest(round, address, answered);
  }

  label(key) {
    return this.controls[key].labels[0].firstChild.data.trim();
  }

  tell(text) {
    const words = String(text);
    this.note.hidden = !words;
    if (this.note.textContent !== words) this.note.textContent = words;
  }

  say(text) {
    this.status.textContent = "";
    setTimeout(() => (this.status.textContent = text), 50);
  }

  async names_of_all() {
    this.index ??= json(this.form.dataset.index, { cache: "no-cache" });
    const { models, devices } = await this.index;
    for (const [name, entries] of [["m", models], ["d", devices]]) {
      const select = this.controls[name];
      if (select.options.length >= entries.length) continue;
      const chosen = select.value;
      select.replaceChildren(...entries.map(([id, text]) => new Option(text, id)));
      select.value = chosen;
    }
  }

  async entry(kind, id, build) {
    const known = kind === "models" ? this.models : this.devices;
    if (!known.has(id)) {
      this.index ??= json(this.form.dataset.index, { cache: "no-cache" });
      const found = (await this.index)[kind].find((item) => item[0] === id);
      if (!found) return null;
      const base = new URL(".", new URL(this.form.dataset.index, location));
      const [facts, card] = await Promise.all(
        found.slice(2).map((address) => json(new URL(address, base))),
      );
      known.set(id, [build(facts), card]);
      await this.names_of_all();
    }
    return known.get(id);
  }

  async pair(given) {
    const faults = [];
    const find = async (key, kind, build) => {
      const found = given[key] && (await this.entry(kind, given[key], build));
      if (found) return found;
      if (given[key]) faults.push(key);
      return this.entry(kind, this.home[key], build);
    };
    const [model, modelCard] = await find("m", "models", this.engine.ModelFacts);
    const [device, deviceCard] = await find("d", "devices", this.engine.DeviceFacts);
    return { model, modelCard, device, deviceCard, faults, cheapest: this.cheapest, cacheTypes: this.cacheTypes };
  }

  // Every control shows what holds; the one in use keeps what was typed.
  fill(pair, { settings, values }, used) {
    const { controls } = this;
    const { modelCard, deviceCard } = pair;
    for (const [name, { id, name: text }] of [["m", modelCard], ["d", deviceCard]]) {
      if (![...controls[name].options].some((item) => item.value === id))
        controls[name].replaceChildren(new Option(text, id));
      controls[name].value = id;
    }
    const choices = choicesOf(pair, settings.backend);
    for (const [key, field] of Object.entries(FIELDS)) {
      const control = controls[key];
      const offered = key !== "s" && choices[key] && [...new Set(choices[key])];
      if (offered && offered.join() !== [...control.options].map((item) => item.value).join())
        control.replaceChildren(...offered.map((text) => new Option(text)));
      if (key in TICKED) control.checked = values[key] !== undefined;
      else if (control !== used) control.value = settings[field] ?? "";
    }
    this.steps = contextSteps(modelCard.context_max_tokens);
    const { slider } = controls;
    slider.max = this.steps.length - 1;
    if (slider !== used)
      slider.value = this.steps.findLastIndex((tokens) => tokens <= settings.context_tokens);
    slider.setAttribute("aria-valuetext", this.format.tokens(settings.context_tokens));
    const here = this.form.dataset.pair === location.pathname;
    const away = values.m !== undefined || values.d !== undefined;
    this.report.hidden = here || !(away || Object.keys(values).length);
    const ids = [modelCard.id, deviceCard.id];
    this.report.href =
      this.form.dataset.pair.replace("/0/1/", `/${ids.join("/")}/`) + toAddress(values, "md");
  }

  // Verdict, figures and table of memory; null where the engine refuses.
  answer(plain, { settings: chosen, values }) {
    const { calculator } = this;
    const { usable_gib, bandwidth_gb_s, tflops, host_ram_gib, ...asked } = chosen;
    const settings = this.engine.Settings(asked);
    const own = usable_gib || bandwidth_gb_s || tflops;
    const usual = !Object.keys(values).length;
    let pair = host_ram_gib ? withRam(plain, host_ram_gib) : plain;
    if (own) pair = withOwnDevice(calculator, pair, chosen, String(this.draw.words("own")));
    let view;
    try {
      view = firstView(calculator, pair, settings, usual);
    } catch (error) {
      if (!(error instanceof this.engine.SizingError)) throw error;
      this.tell(this.draw.refusal(error.code));
      return null;
    }
    this.view = view;
    const checks = usual && !root.dataset.engine ? [] : null;
    this.put("answer", checks, view, this.draw.sentence(view));
    this.put("tiles", checks, view, usual ? this.tile : null);
    this.put("memory", checks, view);
    for (const item of document.querySelectorAll("[data-unusual]")) item.hidden = usual;
    if (!checks) this.announce(view);
    return { pair, view, checks };
  }

  // What lies further down, in small steps; a newer change ends it.
  async rest(round, address, { pair, view: first, checks }) {
    const { calculator } = this;
    let view = first;
    const put = (name, ...rest) => this.put(name, checks, view, ...rest);
    const resume = async () => {
      await pause();
      return round === this.round;
    };
    if (!(await resume())) return;
    view = withCommands(calculator, pair, view);
    put("commands");
    if (!(await resume())) return;
    view = withContexts(calculator, pair, view);
    put("contexts");
    const rows = [];
    let since = performance.now();
    for (const format of pair.modelCard.formats) {
      rows.push(...formatRow(calculator, pair, view, format));
      if (performance.now() - since < LONG_TASK_MS) continue;
      if (!(await resume())) return;
      since = performance.now();
    }
    view = withNotes(calculator, pair, withFormats(view, rows));
    put("formats", this.names);
    if (!(await resume())) return;
    put("notes");
    put("questions", this.draw.sentence(view));
    if (checks) {
      root.dataset.engine = checks.length ? "mismatch" : "ok";
      if (checks.length) root.dataset.engineParts = checks.join(" ");
    }
    root.dataset.drawn = address || "?";
  }

  // The page's own answer is only compared: what the server printed stays.
  put(name, checks, view, ...rest) {
    const part = this.parts.get(name);
    const text = String(this.draw[name](view, ...rest));
    if (!checks) {
      draw(part, text);
      for (const button of part.querySelectorAll("button.copy")) button.hidden = !navigator.clipboard;
    } else if (!holds(part, text)) {
      checks.push(name);
    }
  }

  announce(view) {
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => this.say(String(this.draw.status(view))), ANNOUNCE_AFTER_MS);
  }
}
