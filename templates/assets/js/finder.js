// The finder: every model of the catalog under one use on one's own hardware, answered by the engine.

import { formatter } from "./format.js";

const RESERVED = ["fits", "unified"];
const SLICE_MS = 12;
const SHARE_OF_NOMINAL = 0.75; // a file may be that much smaller than its name says
const GIB = 2 ** 30;

const form = document.querySelector("form.finder");
const status = form.querySelector("[role=status]");
const found = document.getElementById("found");
const table = found.querySelector("table");
const names = new Map(JSON.parse(form.dataset.names).map((entry) => [entry[0], entry]));
const formats = JSON.parse(form.dataset.formats);
const classes = JSON.parse(form.dataset.classes);
const print = formatter(document.documentElement.lang);
const KEYS = ["d", "g", "u", "t", "cap", "bw", "ram"];

let round = 0;
let loading;

async function json(address) {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${address}: ${answer.status}`);
  return answer.json();
}

async function load() {
  const { engine, rules, models } = form.dataset;
  const [module, view, figures, rulesJson, modelsJson] = await Promise.all([
    import(engine), import("./configurator-view.js"), import("./figures.js"), json(rules), json(models),
  ]);
  const calculator = new view.Calculator(module, figures, rulesJson);
  return { module, view, calculator, models: modelsJson.map(module.ModelFacts) };
}

const number = (name) => {
  const { value } = form.elements[name];
  return value.trim() && Number(value) > 0 ? Number(value) : null;
};

/** The hardware as the engine takes it. */
async function hardware({ module, view, calculator }) {
  const option = form.elements.d.selectedOptions[0];
  let device = module.DeviceFacts(await json(option.dataset.file));
  const own = { backend: device.backends[0].backend, usable_gib: number("cap"), bandwidth_gb_s: number("bw"), tflops: null };
  if (own.usable_gib || own.bandwidth_gb_s)
    ({ device } = view.withOwnDevice(calculator, { device, deviceCard: {} }, own, ""));
  const ram = number("ram");
  if (ram) ({ device } = view.withRam({ device }, ram));
  return { device, ram, kind: device.device.kind };
}

/** The best format of one model: the largest that is held with reserve and quick enough. */
function best({ module, calculator }, model, { device, ram }, asked) {
  const { use, gpus, least } = asked;
  if (model.arch.context_max_tokens < use.context) return null;
  const params = names.get(model.id)?.[2];
  const room = (device.device.usable_bytes ?? 0) * gpus + (ram ?? 0) * GIB;
  let second = null;
  for (const [format, bits] of formats) {
    if (!model.files.some((file) => file.format === format)) continue;
    if (params && (params * bits * SHARE_OF_NOMINAL) / 8 > room && model.arch.expert_count === 0) continue;
    const settings = module.Settings({
      backend: device.backends[0].backend,
      format,
      context_tokens: use.context * use.users,
      parallel: use.users,
      outputs_max: use.users,
      gpus,
    });
    const size = calculator.attempt(() => calculator.size({ model, device }, settings));
    const tps = size?.decode_tps.value;
    if (!size || tps === null || tps < least) continue;
    const { verdict } = size.fit;
    const row = { model, format, size, tps, verdict };
    if (RESERVED.includes(verdict)) return row;
    if (verdict === "tight" || verdict === "raised" || (verdict === "offload" && ram)) second ??= row;
  }
  return second;
}

function link(row, asked) {
  const query = new URLSearchParams();
  if (row.format !== "Q4_K_M") query.set("f", row.format);
  if (asked.use.users > 1) query.set("n", asked.use.users);
  if (asked.use.context * asked.use.users !== 8192) query.set("c", asked.use.context * asked.use.users);
  if (asked.gpus > 1) query.set("g", asked.gpus);
  for (const key of ["cap", "bw", "ram"]) if (number(key)) query.set(key, number(key));
  const address = form.dataset.pair
    .replace("/0/", `/${row.model.id}/`).replace("/1/", `/${form.elements.d.value}/`);
  return query.size ? `${address}?${query}` : address;
}

function draw(rows, asked) {
  for (const body of [...table.tBodies]) body.remove();
  const pattern = document.getElementById("size-class").content.firstElementChild;
  const sizeOf = (row) => names.get(row.model.id)[2] ?? 0;
  classes.forEach((from, index) => {
    const members = rows.filter((row) => sizeOf(row) >= from && (index === 0 || sizeOf(row) < classes[index - 1]));
    if (!members.length) return;
    members.sort((a, b) => b.tps - a.tps || (a.model.id < b.model.id ? -1 : 1));
    const body = pattern.cloneNode(true);
    const head = body.rows[0].cells[0];
    const words = from > 0 ? head.dataset.above : head.dataset.below;
    head.textContent = words.replace("{n}", print.integer((from > 0 ? from : classes[index - 1]) / 1e9));
    for (const row of members) body.append(line(row, asked));
    table.append(body);
  });
  found.hidden = rows.length === 0;
}

function line(row, asked) {
  const made = document.createElement("tr");
  const name = document.createElement("th");
  name.scope = "row";
  name.className = "soft";
  const anchor = document.createElement("a");
  anchor.href = link(row, asked);
  anchor.textContent = names.get(row.model.id)[1];
  name.append(anchor);
  made.append(name);
  const { low, high } = row.size.decode_tps;
  const params = names.get(row.model.id)[2];
  const cells = [
    [print.tps(row.tps), "r"],
    [row.format, ""],
    [low === null || high === null ? "–" : print.span(low, high), "r"],
    [print.gib(row.size.fit.needed_bytes, 1), "r"],
    [document.querySelector(`template[data-verdict="${row.verdict}"]`).content.cloneNode(true), ""],
    [params ? print.billions(params) : "–", "r"],
  ];
  for (const [content, kind] of cells) {
    const cell = document.createElement("td");
    cell.className = kind;
    cell.append(content);
    made.append(cell);
  }
  return made;
}

function remember() {
  const query = new URLSearchParams();
  for (const key of KEYS) {
    const control = form.elements[key];
    const usual = control.dataset.usual ?? (key === "g" ? "1" : key === "u" ? "chat" : "");
    if (control.value !== "" && control.value !== usual) query.set(key, control.value);
  }
  const search = query.size ? `?${query}` : "";
  history.replaceState(null, "", location.pathname + search);
  for (const other of document.querySelectorAll("nav.languages a")) other.search = search;
}

async function find() {
  const mine = ++round;
  remember();
  status.textContent = status.dataset.busy;
  let ready;
  try {
    ready = await (loading ??= load());
  } catch (error) {
    loading = undefined;
    status.textContent = status.dataset.failed;
    throw error;
  }
  const own = await hardware(ready);
  const option = form.elements.u.selectedOptions[0];
  const use = { context: Number(option.dataset.context), users: Number(option.dataset.users) };
  const asked = { use, gpus: number("g") ?? 1, least: number("t") ?? 0 };
  const rows = [];
  let since = performance.now();
  for (const model of ready.models) {
    const row = best(ready, model, own, asked);
    if (row) rows.push(row);
    if (performance.now() - since > SLICE_MS) {
      await new Promise((go) => setTimeout(go));
      if (mine !== round) return;
      since = performance.now();
    }
  }
  draw(rows, asked);
  status.textContent = rows.length ? `${status.dataset.found} ${print.integer(rows.length)}` : status.dataset.none;
}

if (location.protocol.startsWith("http")) {
  form.hidden = false;
  const given = new URLSearchParams(location.search);
  for (const key of KEYS) {
    const control = form.elements[key];
    const value = given.get(key);
    const known = control.options ? [...control.options].some((item) => item.value === value) : value > 0;
    if (value !== null && known) control.value = value;
  }
  if (["cap", "bw", "ram"].some((key) => form.elements[key].value)) form.querySelector("details").open = true;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (form.reportValidity()) find();
  });
  form.addEventListener("change", () => {
    if (form.checkValidity()) find();
  });
  if (location.search && form.checkValidity()) find();
}
