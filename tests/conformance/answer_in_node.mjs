// node answer_in_node.mjs FOLDER: answers FOLDER/cases.json with FOLDER/engine.mjs.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { answerAll } from "./answer_all.mjs";

const folder = process.argv[2];
const read = (name) => JSON.parse(readFileSync(`${folder}/${name}`, "utf8"));
const engine = await import(pathToFileURL(`${folder}/engine.mjs`).href);
const whole = await import(pathToFileURL(`${folder}/whole.mjs`).href);
const asked = { engine, whole, ...read("slices.json"), ...read("cases.json") };
process.stdout.write(answerAll(asked).join("\n"));
