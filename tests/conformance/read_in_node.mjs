// node read_in_node.mjs FOLDER: reads configs with the readers' module and sizes what they give
// with the engine, as a page does; one line of text for each, see flatten.py.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { line } from "./answer_all.mjs";

const folder = process.argv[2];
const load = (name) => import(pathToFileURL(`${folder}/${name}`).href);
const engine = await load("engine.mjs");
const own = await load("readers.mjs");
const asked = JSON.parse(readFileSync(`${folder}/configs.json`, "utf8"));
const rules = engine.SharedRules(asked.rules);
const ownRules = own.OwnRules(asked.own);
const device = engine.DeviceFacts(asked.device);
const readers = own.readers();

const lines = asked.configs.map(({ config, gguf, context, settings }) => {
  try {
    const keys = own.own_keys(config);
    const source = { ...own.own_source(ownRules, keys), ...context };
    if (gguf !== null) source[asked.gguf] = gguf;
    const native = own.own_native(keys);
    const arch = readers[own.own_type(keys)](source);
    const model = own.own_facts(ownRules, arch, native);
    const unread = own.own_unread(ownRules, keys);
    const lines = [line([arch, own.own_parameters(arch), native, unread]), line([model.arch[asked.graph]])];
    for (const given of settings) {
      const made = engine.Settings(given);
      try {
        const file = own.own_file(ownRules, model.arch, made.format, native, made.imatrix);
        const loaded = engine.loaded_file(rules, file, made);
        lines.push(line([engine.answer(rules, model, loaded, device)]));
      } catch (error) {
        if (error.name !== "SizingError") throw error;
        lines.push(line([error.code]));
      }
    }
    return lines;
  } catch (error) {
    if (error.name !== "ArchitectureError") throw error;
    return [error.key, error.reason, error.code];
  }
});
process.stdout.write(JSON.stringify(lines));
