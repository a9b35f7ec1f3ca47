// node cards_in_node.mjs FOLDER: what the own-model script says of a model by itself, for configs.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const folder = process.argv[2];
const load = (name) => import(pathToFileURL(`${folder}/${name}`).href);
const own = await load("readers.mjs");
const { architecture, card } = await load("own-model-read.mjs");
const { own: json, texts } = JSON.parse(readFileSync(`${folder}/texts.json`, "utf8"));
const rules = own.OwnRules(json);
const said = texts.map((text) => {
  try {
    const [arch, native] = architecture(own, rules, text);
    return card(own, arch, native, "name");
  } catch (error) {
    return { code: error.code, key: error.key, near: error.near };
  }
});
process.stdout.write(JSON.stringify(said));
