// The form of a page: what somebody chooses goes into the address, the engine answers, and the
// parts of the page that depend on it are drawn anew.

import { formatter } from "./format.js";
import {
  COSTS, FIELDS, TICKED, choicesOf, contextSteps, fromAddress, resolve, resolveCosts, toAddress,
} from "./configurator-state.js";
import { Calculator, firstView, withOwnDevice, withRam } from "./configurator-view.js";
import { draw, helpers, holds } from "./markup.js";

const root = document.documentElement;
const ANNOUNCE_AFTER_MS = 800;

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
    this.json = json;
    this.put = this.put.bind(this);
  }

  async load() {
    const { files, rented } = this.form.dataset;
    const [engine, rules, ...slices] = files.split(" ");
    const [engineModule, figures, costs, { More }, parts, moreParts, rulesJson, ...loaded] =
      await Promise.all([
        import(engine),
        import("./figures.js"),
        import("./costs.js"),
        import("./configurator-more.js"),
        import(`./parts.${root.lang}.js`),
        import(`./parts-more.${root.lang}.js`),
        json(rules),
        ...slices.map((address) => json(address)),
      ]);
    const [model, device, modelCard, deviceCard, facts] = loaded;
    this.format = formatter(root.lang);
    this.help = helpers(this.format);
    this.draw = { ...parts.default(this.help), ...moreParts.default(this.help) };
    for (const place of this.form.querySelectorAll("[data-controls]"))
      draw(place, String(this.draw[place.dataset.controls]()));
    this.engine = engineModule;
    const calculator = new Calculator(engineModule, figures, rulesJson);
    this.calculator = calculator;
    this.facts = facts;
    this.more = new More({
      calculator, costs, facts, json, parts: this.draw, rented: rented.split(" "),
      home: this.home.m,
    });
    this.cacheTypes = rulesJson.engine.cache.types.map((type) => type.name);
    this.models.set(this.home.m, [engineModule.ModelFacts(model), modelCard]);
    this.devices.set(this.home.d, [engineModule.DeviceFacts(device), deviceCard]);
    // What the script does not work out: which device is the cheapest that holds a format.
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
      this.controls[name].addEventListener("focusin", () => this.namesOfAll(), { once: true });
    form.addEventListener("pointerenter", () => this.namesOfAll(), { once: true });
    const own = form.querySelector("details.own");
    own.addEventListener("click", async () => (await import("./own-model.js")).start(this, own), {
      once: true,
    });
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
    const { engine, gpus, draft_tokens } = resolved.settings;
    const usual = engine === "llama.cpp" && gpus <= 1 && !draft_tokens;
    if (!usual || !pair.model.arch.graph) await this.wholeEngine();
    if (round !== this.round) return;
    const offered = this.offered(pair);
    const costs = this.facts
      ? resolveCosts(given, this.facts.choices[root.lang], offered)
      : { values: {}, faults: [] };
    this.choice = costs.choice;
    this.values = { ...resolved.values, ...costs.values };
    const faults = [...pair.faults, ...resolved.faults, ...costs.faults];
    this.tell(faults.length ? this.draw.fallback(faults.map((key) => this.label(key))) : "");
    const state = toAddress(resolved.values);
    const same = state === this.state && this.answered;
    const answered = same ? this.answered : this.answer(pair, resolved);
    if (same) {
      const { pair: there, view } = same;
      const money = this.more.money(there, view, this.choice);
      this.put("tiles", view, money);
      this.more.drawMoney(this.put, there, view, this.choice);
      this.announce(() => this.draw.spoken(money));
    } else {
      this.state = state;
      this.answered = null;
    }
    // The answer comes first: the address costs a browser more than all that was worked out.
    await pause();
    if (round !== this.round) return;
    // The tiles name costs, which may ask for a machine of several devices.
    if (answered && !same)
      this.put("tiles", answered.view, this.more.money(answered.pair, answered.view, this.choice));
    const address = toAddress(this.values);
    this.fill(pair, resolved, costs, offered, fill ? null : control);
    write?.(address);
    for (const link of document.querySelectorAll("nav.languages a")) link.search = address;
    if (answered && !same) await this.rest(round, answered);
    if (round === this.round && answered) root.dataset.drawn = address || "?";
  }

  // What the lists of the cost section offer, the page's own first.
  offered({ deviceCard }) {
    if (!this.facts) return {};
    const { rates, places, choices } = this.facts;
    const { cost, place } = deviceCard.money;
    const usual = choices[root.lang];
    const codes = (first, items) => [...new Set([first, ...items])];
    return {
      ct: codes(usual.country, places[place].electricity.map((entry) => entry.country)),
      cur: codes(usual.currency, ["USD", ...rates.map((rate) => rate.currency)]),
      pc: cost.prices.map((price) => price.condition),
    };
  }

  label(key) {
    const texts = [...this.controls[key].labels[0].childNodes].map((node) => node.data ?? "");
    return texts.join("").trim(); // of a box to tick it stands behind
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

  async namesOfAll() {
    this.entries();
    const { models, devices } = await this.index;
    for (const [name, entries] of [["m", models], ["d", devices]]) {
      const select = this.controls[name];
      if (select.options.length >= entries.length) continue;
      const chosen = select.value;
      select.replaceChildren(...entries.map(([id, text]) => new Option(text, id)));
      select.value = chosen;
    }
    return this.index;
  }

  // Engines with a memory management of their own, drafts, several devices and models without a
  // graph need more than the first module.
  async wholeEngine() {
    this.whole ??= this.entries().then(async (index) => {
      const base = new URL(".", new URL(this.form.dataset.index, location));
      const { loaded_file, answer, answer_together, answer_speed } = await import(
        new URL(index.whole[0], base)
      );
      const { calculator } = this;
      const more = { loaded_file, answer, answer_together, answer_speed };
      calculator.engine = { ...calculator.engine, ...more };
    });
    await this.whole;
  }

  entries() {
    return (this.index ??= json(this.form.dataset.index, { cache: "no-cache" }));
  }

  async entry(kind, id, build) {
    const known = kind === "models" ? this.models : this.devices;
    if (!known.has(id)) {
      this.entries();
      const found = (await this.index)[kind].find((item) => item[0] === id);
      if (!found) return null;
      const base = new URL(".", new URL(this.form.dataset.index, location));
      const [facts, card] = await Promise.all(
        found.slice(2).map((address) => json(new URL(address, base))),
      );
      known.set(id, [build(facts), card]);
      await this.namesOfAll();
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
  fill(pair, { settings, values }, costs, offered, used) {
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
      if (key !== "s" && choices[key]) this.list(control, choices[key]);
      if (key in TICKED) control.checked = values[key] !== undefined;
      else if (control !== used) control.value = settings[field] ?? "";
    }
    if (this.facts) this.fillCosts(pair, costs, offered, used);
    this.steps = contextSteps(modelCard.context_max_tokens);
    const { slider } = controls;
    slider.max = this.steps.length - 1;
    if (slider !== used)
      slider.value = this.steps.findLastIndex((tokens) => tokens <= settings.context_tokens);
    slider.setAttribute("aria-valuetext", this.format.tokens(settings.context_tokens));
    const here = this.form.dataset.pair === location.pathname;
    this.report.hidden = here || modelCard.own || !Object.keys(this.values).length;
    const ids = [modelCard.id, deviceCard.id];
    this.report.href =
      this.form.dataset.pair.replace("/0/1/", `/${ids.join("/")}/`) + toAddress(this.values, "md");
    const { kind } = this.form.dataset;
    const names = [kind, modelCard.name, deviceCard.name];
    const heading = document.querySelector("h1");
    const text = String(this.draw.heading(...names));
    if (heading.textContent !== text) {
      heading.textContent = text;
      document.title = this.draw.title(...names);
    }
    for (const item of document.querySelectorAll("[data-home]"))
      item.hidden = [...item.dataset.home].some((key) => values[key] !== undefined);
  }

  list(control, values, text = (value) => value) {
    const offered = [...new Set(values)];
    if (offered.join() !== [...control.options].map((item) => item.value).join())
      control.replaceChildren(...offered.map((value) => new Option(text(value), value)));
  }

  fillCosts({ deviceCard }, { choice }, offered, used) {
    const { controls, draw } = this;
    this.regions ??= new Intl.DisplayNames(root.lang, { type: "region" });
    const { cost } = deviceCard.money;
    this.list(controls.cur, offered.cur);
    this.list(controls.ct, offered.ct, (code) => this.regions.of(code === "UK" ? "GB" : code));
    this.list(controls.pc, offered.pc, (condition) =>
      String(draw.condition(cost.prices.find((price) => price.condition === condition))).trim());
    controls.pc.disabled = offered.pc.length < 2;
    for (const [key, field] of Object.entries(COSTS))
      if (controls[key] !== used) controls[key].value = choice[field] ?? "";
    if (!controls.pc.value) controls.pc.value = offered.pc[0] ?? "";
    for (const [key, value] of Object.entries(this.more.reckoned))
      if (value !== null) controls[key].placeholder = this.format.compact(value, 4);
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
      if (error.name !== "SizingError") throw error;
      this.tell(this.draw.refusal(error.code));
      return null;
    }
    this.view = view;
    this.checks = Object.keys(this.values).length || root.dataset.engine ? null : [];
    this.put("answer", view, this.draw.sentence(view));
    this.put("memory", view);
    for (const item of document.querySelectorAll("[data-usual]")) item.hidden = !usual;
    if (!this.checks) this.announce(() => this.draw.status(view));
    return { pair, view };
  }

  // What lies further down, in small steps; a newer change ends it.
  async rest(round, answered) {
    const { pair, view } = answered;
    const go = async () => {
      await pause();
      return round === this.round;
    };
    if (!(await go())) return;
    if (!(await this.more.draw(this.put, pair, view, () => this.choice, this.names, go))) return;
    this.answered = answered;
    const { checks } = this;
    if (!checks) return;
    root.dataset.engine = checks.length ? "mismatch" : "ok";
    if (checks.length) root.dataset.engineParts = checks.join(" ");
    this.checks = null;
  }

  // The page's own answer is only compared: what the server printed stays.
  put(name, ...values) {
    const part = this.parts.get(name);
    const text = String(this.draw[name](...values));
    if (!this.checks) {
      draw(part, text);
      for (const button of part.querySelectorAll("button.copy")) button.hidden = !navigator.clipboard;
    } else if (!holds(part, text)) {
      this.checks.push(name);
    }
  }

  announce(words) {
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => this.say(String(words())), ANNOUNCE_AFTER_MS);
  }
}
