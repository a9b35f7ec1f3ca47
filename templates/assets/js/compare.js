// Two to four pairs side by side, answered by the engine; the address keeps what was chosen.

import { formatter } from "./format.js";

const PLACES = [0, 1, 2, 3];
const form = document.querySelector("form.compare");
const status = form.querySelector("[role=status]");
const shown = document.getElementById("compared");
const { elements } = form;
const print = formatter(document.documentElement.lang);
const fetched = new Map();

let round = 0;
let loading;

function json(address) {
  if (!fetched.has(address))
    fetched.set(address, fetch(address).then((answer) => {
      if (!answer.ok) throw new Error(`${address}: ${answer.status}`);
      return answer.json();
    }));
  return fetched.get(address);
}

async function load() {
  const { engine, rules } = form.dataset;
  const [module, view, figures, costs, rulesJson] = await Promise.all([
    import(engine), import("./configurator-view.js"), import("./figures.js"), import("./costs.js"), json(rules),
  ]);
  return { module, costs, calculator: new view.Calculator(module, figures, rulesJson) };
}

const chosen = () =>
  PLACES.map((place) => [elements[`m${place}`].selectedOptions[0], elements[`d${place}`].selectedOptions[0]])
    .filter(([model, device]) => model?.value && device?.value);

async function answer({ module, costs, calculator }, [modelOption, deviceOption]) {
  const [model, device] = await Promise.all([
    json(modelOption.dataset.file).then(module.ModelFacts),
    json(deviceOption.dataset.file).then(module.DeviceFacts),
  ]);
  const settings = module.Settings({
    backend: device.backends[0].backend,
    format: elements.f.value,
    context_tokens: Math.min(Number(elements.c.value), model.arch.context_max_tokens),
  });
  const size = calculator.attempt(() => calculator.size({ model, device }, settings));
  const tps = size?.decode_tps.value ?? null;
  const given = (name) => (deviceOption.dataset[name] ? Number(deviceOption.dataset[name]) : null);
  const use = costs.Use({ hours_a_day: 24, days_a_month: 30, busy_share: 1, own_on_hours_a_day: 24 });
  const machine = costs.Machine({
    purchase: null, host_price: null, residual_share: null, lifetime_months: null,
    load_w: given("power"), idle_w: null, pue: 1,
  });
  return {
    size, tps,
    price: given("price"),
    rent: given("rent"),
    million: costs.rented_per_million(given("rent"), tps, use).value,
    energy: costs.tokens_per_watt_hour(machine, tps).value,
  };
}

// A phone shows two pairs first; the next one comes when those before it are chosen.
function reveal() {
  const fields = [...form.querySelectorAll("fieldset")];
  for (const place of PLACES.slice(2)) {
    const names = [`m${place}`, `d${place}`, `m${place - 1}`, `d${place - 1}`];
    fields[place].hidden = fields[place - 1].hidden || !names.some((name) => elements[name].value);
  }
}

const or = (value, text) => (value === null || value === undefined ? "–" : text(value));

function cells({ size, tps, price, rent, million, energy }) {
  const fit = size?.fit;
  const span = size?.decode_tps;
  const badge = document.querySelector(`template[data-verdict="${fit?.verdict ?? "unknown"}"]`);
  return {
    verdict: badge.content.cloneNode(true),
    needed: or(fit?.needed_bytes, print.gib),
    usable: or(fit?.usable_bytes, print.gib),
    output: or(tps, print.tps),
    span: or(span?.low, () => print.span(span.low, span.high)),
    prompt: or(size?.prefill_tps.value, print.tps),
    first: or(size?.ttft_s.value, print.seconds),
    price: or(price, (usd) => print.usd(usd, false)),
    rent: or(rent, (usd) => print.usd(usd)),
    million: or(million, (usd) => print.usd(usd)),
    dollar: or(million, (usd) => print.integer(1e6 / usd)),
    energy: or(energy, print.threeDigits),
  };
}

function draw(pairs, answers) {
  const head = shown.querySelector("thead tr");
  const rows = [...shown.querySelectorAll("[data-row]")];
  for (const row of [head, ...rows]) while (row.cells.length > 1) row.lastElementChild.remove();
  const query = new URLSearchParams();
  if (elements.f.value !== "Q4_K_M") query.set("f", elements.f.value);
  if (elements.c.value !== "8192") query.set("c", elements.c.value);
  pairs.forEach(([model, device], index) => {
    const title = document.createElement("th");
    title.scope = "col";
    const anchor = document.createElement("a");
    const address = form.dataset.pair.replace("/0/", `/${model.value}/`).replace("/1/", `/${device.value}/`);
    anchor.href = query.size ? `${address}?${query}` : address;
    anchor.textContent = `${model.textContent} · ${device.textContent}`;
    title.append(anchor);
    head.append(title);
    const found = cells(answers[index]);
    for (const row of rows) {
      const cell = document.createElement("td");
      cell.append(found[row.dataset.row]);
      row.append(cell);
    }
  });
  shown.hidden = false;
}

function remember(pairs) {
  const query = new URLSearchParams(pairs.map(([model, device]) => ["p", `${model.value}_${device.value}`]));
  if (elements.f.value !== "Q4_K_M") query.set("f", elements.f.value);
  if (elements.c.value !== "8192") query.set("c", elements.c.value);
  const search = query.size ? `?${query}` : "";
  history.replaceState(null, "", location.pathname + search);
  for (const other of document.querySelectorAll("nav.languages a")) other.search = search;
}

async function compare() {
  const mine = ++round;
  const pairs = chosen();
  remember(pairs);
  if (!pairs.length) {
    status.textContent = status.dataset.few;
    return;
  }
  status.textContent = status.dataset.busy;
  try {
    const ready = await (loading ??= load());
    const answers = await Promise.all(pairs.map((pair) => answer(ready, pair)));
    if (mine !== round) return;
    draw(pairs, answers);
    status.textContent = "";
  } catch (error) {
    loading = undefined;
    status.textContent = status.dataset.failed;
    throw error;
  }
}

if (location.protocol.startsWith("http")) {
  // The lists are in the page once; the other pairs take them from the first.
  for (const place of PLACES.slice(1))
    for (const kind of ["m", "d"]) {
      elements[kind + place].replaceChildren(...elements[`${kind}0`].cloneNode(true).childNodes);
      elements[kind + place].value = ""; // what moves takes its choice along
    }
  const given = new URLSearchParams(location.search);
  given.getAll("p").slice(0, 4).forEach((pair, place) => {
    const [model, device] = pair.split("_");
    for (const [name, value] of [[`m${place}`, model], [`d${place}`, device]])
      if ([...elements[name].options].some((item) => item.value === value)) elements[name].value = value;
  });
  if ([...elements.f.options].some((item) => item.value === given.get("f"))) elements.f.value = given.get("f");
  if (/^\d{1,7}$/.test(given.get("c")) && given.get("c") > 0) elements.c.value = given.get("c");
  form.hidden = false;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (form.reportValidity()) compare();
  });
  reveal();
  form.addEventListener("change", () => {
    reveal();
    if (form.checkValidity() && !shown.hidden) compare();
  });
  if (given.has("p")) compare();
}
