// node format_in_node.mjs FORMAT_JS LOCALE: prints what its formats make of the JSON on stdin.
import { readFileSync } from "node:fs";
import { formatAll } from "./format_all.mjs";

const source = readFileSync(process.argv[2]).toString("base64");
const { formatter } = await import(`data:text/javascript;base64,${source}`);
const asked = JSON.parse(readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify(formatAll(formatter, process.argv[3], asked)));
