// The object that a text holds, and if it holds none, on which line and why: a browser says that
// in words of its own, in English, and takes a key that stands twice without a word.

const BLANK = /[ \t\r\n\ufeff]*/y;
const QUOTED = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?/y;
const WORD = /[-+]?[\w$.]+/y;
const CONSTANTS = ["true", "false", "null"];
const CLOSING = { "{": "}", "[": "]" };
const DEEPEST = 64;

/**
 * The first object of a text, whatever stands around it. `fail(code, line, found)` is called for
 * the first fault and throws: comment, comma, quotes, word, between, twice, deep, end, other; with
 * an empty code where there is no object at all.
 */
export function objectOf(text, fail) {
  const start = text.indexOf("{");
  let at = start;
  const stop = (code, found = "") => fail(code, text.slice(0, at).split("\n").length, found);
  if (start < 0) fail("", 0, "");
  const open = []; // the names that an object has so far; null for a list
  const take = (pattern) => {
    pattern.lastIndex = at;
    const [found] = pattern.exec(text) ?? [""];
    at += found.length;
    return found;
  };
  const blank = () => {
    take(BLANK);
    const next = text[at];
    if (next === undefined) stop("end");
    if (next === "/" || next === "#") stop("comment");
    return next;
  };
  const stray = (next) => {
    if ("'‘’“”`".includes(next)) stop("quotes");
    stop("other", next);
  };
  const name = () => {
    const next = blank();
    const given = take(QUOTED);
    if (!given) {
      if (next === "}") stop("comma");
      if (/[\w$]/.test(next)) stop("quotes");
      stray(next);
    }
    const key = JSON.parse(given);
    if (open.at(-1).has(key)) stop("twice", key);
    open.at(-1).add(key);
    if (blank() !== ":") stray(text[at]);
    at += 1;
  };
  const scalar = (next) => {
    if (take(QUOTED)) return;
    const before = at;
    if (take(NUMBER) && !/[\w.]/.test(text[at] ?? "")) return;
    at = before;
    const word = take(WORD);
    if (CONSTANTS.includes(word)) return;
    at = before;
    if (word) stop("word", word);
    stray(next);
  };
  for (;;) {
    const next = blank();
    if (next in CLOSING) {
      at += 1;
      if (open.push(next === "{" ? new Set() : null) > DEEPEST) stop("deep");
      if (blank() !== CLOSING[next]) {
        if (next === "{") name();
        continue;
      }
    } else scalar(next);
    for (;;) {
      const following = blank();
      const names = open.at(-1);
      const closing = names ? "}" : "]";
      if (following === closing) {
        at += 1;
        open.pop();
        if (!open.length) return JSON.parse(text.slice(start, at));
        continue;
      }
      if (following !== ",") stop(/["\w[{-]/.test(following) ? "between" : "other", following);
      at += 1;
      if (blank() === closing) stop("comma");
      if (names) name();
      break;
    }
  }
}
