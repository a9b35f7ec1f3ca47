// What the drawn parts (parts.<language>.js, compiled from the page's templates) need to make
// markup, and how fresh markup gets into the page without replacing what stays the same.

class Markup {
  constructor(text) {
    this.text = String(text);
  }
  toString() {
    return this.text;
  }
}

const SIGNS = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&#34;", "'": "&#39;" };
const escape = (text) => text.replace(/[&<>"']/g, (sign) => SIGNS[sign]);

// Prints as Jinja does with autoescape; what a template would refuse to print is an error.
function print(value) {
  if (value instanceof Markup) return value.text;
  if (typeof value === "string") return escape(value);
  if (typeof value === "number") return String(value);
  throw new TypeError(`${value} reached a template`);
}

const truth = (value) => (Array.isArray(value) ? value.length > 0 : Boolean(value));

// A number for machines; a half goes to the even neighbour, as in Python.
function machine(value, decimals = 2) {
  let text = value.toFixed(decimals);
  const rest = value.toFixed(decimals + 30).slice(-30);
  if (/^50*$/.test(rest) && "13579".includes(text.at(-1)))
    text = (value - Math.sign(value) * 10 ** -decimals * 0.25).toFixed(decimals);
  if (text.includes(".")) text = text.replace(/\.?0+$/, "");
  return text === "-0" ? "0" : text;
}

const UNITS = { gib: 2 ** 30, gibRange: 2 ** 30, gb: 1e9, mib: 2 ** 20, percent: 0.01 };

/** The helpers that compiled templates take, for one language's number formats. */
export const helpers = ($f) => ({
  $f,
  $S: Markup,
  $e: print,
  $t: truth,
  $c: (...values) => new Markup(values.map(print).join("")),
  $trim: (value) => (value instanceof Markup ? new Markup(value.text.trim()) : value.trim()),
  $svg: machine,
  $data(value, name, ...rest) {
    const number = machine(value / (UNITS[name] ?? 1), 4);
    return new Markup(`<data value="${number}">${escape($f[name](value, ...rest))}</data>`);
  },
  $loop(items, draw) {
    items.forEach((item, at) =>
      draw(item, { index: at + 1, first: at === 0, last: at === items.length - 1 }),
    );
  },
});

export const markup = (text) => new Markup(text);

const OWN_ATTRIBUTES = ["hidden", "open"]; // the reader's or the page script's, not the template's

function patch(here, fresh) {
  let at = here.firstChild;
  for (const node of [...fresh.childNodes]) {
    if (!at) {
      here.append(node);
    } else if (at.nodeName !== node.nodeName) {
      at.replaceWith(node);
      at = node.nextSibling;
    } else {
      if (at.isEqualNode(node)) {
        // the quick way for most of it
      } else if (node.nodeType !== Node.ELEMENT_NODE) {
        at.data = node.data;
      } else {
        for (const { name } of [...at.attributes])
          if (!node.hasAttribute(name) && !OWN_ATTRIBUTES.includes(name)) at.removeAttribute(name);
        for (const { name, value } of node.attributes)
          if (at.getAttribute(name) !== value && !OWN_ATTRIBUTES.includes(name))
            at.setAttribute(name, value);
        patch(at, node);
      }
      at = at.nextSibling;
    }
  }
  while (at) {
    const next = at.nextSibling;
    at.remove();
    at = next;
  }
}

function parsed(element, text) {
  const fresh = element.cloneNode(false);
  fresh.innerHTML = `\n${text}\n`; // as the template around it breaks lines
  return fresh;
}

/** Make an element hold this markup; nodes that stay the same keep focus, scroll and listeners. */
export const draw = (element, text) => patch(element, parsed(element, text));

/** Whether an element holds just this markup, apart from what readers and scripts may change. */
export function holds(element, text) {
  const own = element.cloneNode(true);
  for (const button of own.querySelectorAll("button.copy")) button.hidden = true;
  for (const details of own.querySelectorAll("details")) details.open = false;
  return own.isEqualNode(parsed(element, text));
}
