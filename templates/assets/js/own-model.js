// A model of somebody's own: a pasted, dropped or chosen config.json becomes a model of the page.

import { Fault, architecture, card, shortened } from "./own-model-read.js";

const MOST_BYTES = 1e6;
const MOST_UNREAD = 8;

async function load(page) {
  const index = await page.namesOfAll();
  const base = new URL(".", new URL(page.form.dataset.index, location));
  const [module, rules] = index.own.map((address) => new URL(address, base));
  const [own, json, words] = await Promise.all([
    import(module), page.json(rules), import(`./parts-own.${document.documentElement.lang}.js`),
  ]);
  return { own, rules: own.OwnRules(json), words: words.default(page.help) };
}

// The engine asks for weights as of any model; those of an own model are quantised here.
function teach(calculator, own, rules) {
  const { engine } = calculator;
  const weights = (shared, model, format, imatrix) => {
    if (!model.own) return engine.weights_of(shared, model, format, imatrix);
    return own.own_file(rules, model.arch, format, model.native, imatrix);
  };
  calculator.engine = { ...engine, weights_of: weights };
}

/** Brings the panel to life; `page` is the form's page. */
export async function start(page, panel) {
  const place = panel.querySelector("div");
  let loaded;
  try {
    loaded = await load(page);
  } catch (error) {
    place.textContent = place.dataset.failed;
    throw error;
  }
  const { own, rules, words } = loaded;
  place.innerHTML = String(words.panel());
  panel.querySelector("code").textContent = Object.keys(own.readers()).sort().join(", ");
  teach(page.calculator, own, rules);
  const text = panel.querySelector("textarea");
  const file = panel.querySelector("input");
  const fault = panel.querySelector(".note");
  const outcome = panel.querySelector("#own-outcome");
  // A region that is there before its words is read out by screen readers.
  const show = (element, markup) => {
    element.hidden = !markup;
    element.textContent = "";
    if (markup) setTimeout(() => (element.innerHTML = String(markup)), 50);
  };
  let count = 0;

  // What is typed here is no setting.
  for (const kind of ["input", "change"])
    panel.addEventListener(kind, (event) => event.stopPropagation());

  const read = async (given, name) => {
    show(fault, "");
    show(outcome, "");
    try {
      const [arch, native, unread] = architecture(own, rules, given);
      count += 1;
      const facts = { ...own.own_facts(rules, arch, native), id: `own ${count}`, own: true, native };
      const shown = card(own, arch, native, name || outcome.dataset.name);
      page.models.set("own", [facts, shown]);
      const { m } = page.controls;
      for (const option of [...m.options]) if (option.value === "own") option.remove();
      m.append(new Option(shown.name, "own"));
      page.state = null;
      page.go({ ...page.values, m: "own" });
      const parameters = shown.params_total;
      const [low, high] = own.own_buffer_range(rules);
      const buffers = own.own_buffers(rules, facts);
      const longest = arch.context_max_tokens;
      show(outcome, words.outcome(
        shown.name, arch.layer_count, parameters, longest, buffers, low, high,
        unread.slice(0, MOST_UNREAD).map(shortened), unread.length - MOST_UNREAD,
      ));
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      show(fault, words.fault(error.code, error.key, error.reason, error.near, error.line));
    }
  };

  const take = async (chosen) => {
    if (!chosen) return;
    if (chosen.size > MOST_BYTES) {
      text.value = "";
      await read(" ".repeat(MOST_BYTES + 1), "");
      return;
    }
    text.value = await chosen.text();
    const name = chosen.name.replace(/\.\w+$/, "").replace(/[^\w .-]/g, "").slice(0, 60).trim();
    await read(text.value, /^config$/i.test(name) ? "" : name);
  };

  panel.querySelector("button").addEventListener("click", () => read(text.value, ""));
  text.addEventListener("paste", () => setTimeout(() => read(text.value, "")));
  file.addEventListener("change", () => take(file.files[0]));
  panel.addEventListener("dragover", (event) => event.preventDefault());
  panel.addEventListener("drop", (event) => {
    const [dropped] = event.dataTransfer.files;
    if (!dropped) return;
    event.preventDefault();
    take(dropped);
  });
}
