// Calls functions of a module: a JSON list of [name, arguments] in, results as text out.
// Numbers travel as the hexadecimal of their eight bytes, so that nothing is lost on the way.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const view = new DataView(new ArrayBuffer(8));
const hex = (value) => {
  view.setFloat64(0, value);
  return view.getBigUint64(0).toString(16).padStart(16, "0");
};
const number = (text) => {
  view.setBigUint64(0, BigInt(`0x${text}`));
  return view.getFloat64(0);
};
const read = (value) => {
  if (Array.isArray(value)) return value.map(read);
  if (value !== null && typeof value === "object") {
    if (typeof value.hex === "string") return number(value.hex);
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, read(part)]));
  }
  return value;
};
const write = (value) => {
  if (typeof value === "number") return { hex: hex(value) };
  if (Array.isArray(value)) return value.map(write);
  if (value !== null && typeof value === "object")
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, write(part)]));
  return value === undefined ? { undefined: true } : value;
};

const module = await import(pathToFileURL(process.argv[2]).href);
const answers = JSON.parse(readFileSync(0, "utf8")).map(([name, given]) => {
  try {
    return write(module[name](...given.map(read)));
  } catch (error) {
    return { error: error.code ?? String(error) };
  }
});
process.stdout.write(JSON.stringify(answers));
