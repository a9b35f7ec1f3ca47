// node fuzz_in_node.mjs FOLDER: what the own-model script makes of texts, most of them broken.
// Each is refused with a code, or gives numbers; "broken: …" is what a page must never see.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const folder = process.argv[2];
const load = (name) => import(pathToFileURL(`${folder}/${name}`).href);
const engine = await load("engine.mjs");
const own = await load("readers.mjs");
const { Fault, architecture, card } = await load("own-model-read.mjs");
const asked = JSON.parse(readFileSync(`${folder}/texts.json`, "utf8"));
const rules = engine.SharedRules(asked.rules);
const ownRules = own.OwnRules(asked.own);
const device = engine.DeviceFacts(asked.device);

// The path of the first value that is no finite number, text, truth value, null or a list of them.
const flaw = (value, path = "") => {
  if (typeof value === "number") return Number.isFinite(value) ? "" : `${path} is ${value}`;
  if (value === undefined) return `${path} is undefined`;
  if (value === null || typeof value !== "object") return "";
  for (const [key, inner] of Object.entries(value)) {
    const found = flaw(inner, `${path}.${key}`);
    if (found) return found;
  }
  return "";
};

const sized = (text) => {
  const [arch, native, unread] = architecture(own, ownRules, text);
  const facts = { ...own.own_facts(ownRules, arch, native), id: "own", native };
  let found = flaw(card(own, arch, native, "name"), "card") || flaw(unread, "unread");
  for (const given of asked.settings) {
    const settings = engine.Settings(given);
    try {
      const file = own.own_file(ownRules, facts.arch, settings.format, native, settings.imatrix);
      const loaded = engine.loaded_file(rules, file, settings);
      found ||= flaw(engine.answer(rules, facts, loaded, device), "size");
    } catch (error) {
      if (!(error instanceof engine.SizingError || error instanceof own.SizingError)) throw error;
    }
  }
  return found ? `broken: ${found}` : "sized";
};

const lines = asked.texts.map((text) => {
  const begun = process.cpuUsage().user;
  let said;
  try {
    said = sized(text);
  } catch (error) {
    if (!(error instanceof Fault)) said = `broken: ${error.stack}`;
    else said = error.code === "failed" ? `broken: ${error.cause?.stack}` : `refused: ${error.code} ${error.reason} ${error.line}`;
  }
  return [said, (process.cpuUsage().user - begun) / 1e6];
});
process.stdout.write(JSON.stringify(lines));
