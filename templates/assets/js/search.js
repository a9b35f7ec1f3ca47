// Search over the names of all models and devices: a field with a list of choices, as WAI-ARIA's
// combobox describes it. The index holds [id, name, further words] of each.

const MOST = 10;
const MOST_PAIRED = 3;

/** The words of a text, as vramsite/site/machine/search_index.py cuts them. */
export function wordsOf(text) {
  const plain = text.toLowerCase().normalize("NFKD").replace(/\p{M}/gu, "");
  return plain.split(/[^\p{L}\p{N}.]+|(?<!\d)\.|\.(?!\d)/u).filter(Boolean);
}

const piecesOf = (word) => word.match(/\d+(?:\.\d+)*|\p{L}+/gu) ?? [];

function entryOf(kind, [id, name, further]) {
  const words = wordsOf(name);
  const pieces = words.flatMap(piecesOf);
  return {
    kind,
    id,
    name,
    words,
    // From every piece to the end, so that "m3ultra" and "rtx4090" are beginnings too.
    tails: pieces.map((_, at) => pieces.slice(at).join("")),
    further: wordsOf(further),
  };
}

// 0: a whole word of the name; then the beginning of one, of neighbours, of a further word.
function distance(word, entry) {
  if (entry.words.includes(word)) return 0;
  const begins = (text) => text.startsWith(word);
  const found = [entry.words, entry.tails, entry.further].findIndex((list) => list.some(begins));
  return found < 0 ? Infinity : found + 1;
}

function matches(words, entries) {
  if (!words.length) return [];
  const found = [];
  for (const entry of entries) {
    const score = words.reduce((sum, word) => sum + distance(word, entry), 0);
    if (score < Infinity) found.push({ ...entry, score });
  }
  return found.sort((a, b) => a.score - b.score || a.name.length - b.name.length);
}

// "llama 70b 4090": some words name a model, the others a device. Words that name nothing ("on")
// are left out.
function pairs(words, entries) {
  const known = words.filter((word) => matches([word], entries).length);
  const of = (kind, some) => matches(some, entries.filter((entry) => entry.kind === kind));
  let best = { score: Infinity, found: [] };
  for (let cut = 1; cut < known.length; cut++) {
    const sides = [known.slice(0, cut), known.slice(cut)];
    for (const [left, right] of [sides, sides.toReversed()]) {
      const models = of("model", left).slice(0, MOST_PAIRED);
      const devices = of("device", right).slice(0, MOST_PAIRED);
      if (!models.length || !devices.length) continue;
      const score = models[0].score + devices[0].score;
      if (score >= best.score) continue;
      const found = models.flatMap((model) =>
        devices.map((device) => ({
          kind: "pair",
          id: model.id,
          other: device.id,
          name: `${model.name} · ${device.name}`,
        })),
      );
      best = { score, found };
    }
  }
  return best.found;
}

/** What a query finds, best first: entries, else pairs of them, else the same for its pieces. */
export function search(query, entries) {
  const words = wordsOf(query);
  for (const some of [words, words.flatMap(piecesOf)]) {
    const found = matches(some, entries);
    if (found.length) return found.slice(0, MOST);
    const paired = pairs(some, entries);
    if (paired.length) return paired.slice(0, MOST);
  }
  return [];
}

/** Wires one search form; its data attributes hold the addresses. */
export async function startSearch(form) {
  const input = form.querySelector("input");
  const list = form.querySelector("[role=listbox]");
  const status = form.querySelector("[role=status]");
  let active = -1;

  const answer = await fetch(form.dataset.index);
  if (!answer.ok) return;
  const index = await answer.json();
  const entries = ["model", "device"].flatMap((kind) =>
    index[`${kind}s`].map((entry) => entryOf(kind, entry)),
  );

  const addressOf = ({ kind, id, other }) =>
    form.dataset[kind].replace(/\/0\//, `/${id}/`).replace(/\/1\/$/, `/${other}/`);

  function show(open) {
    list.hidden = !open;
    input.setAttribute("aria-expanded", String(open));
    if (!open) choose(-1);
  }

  function choose(place) {
    active = place;
    for (const [at, option] of [...list.children].entries()) {
      option.setAttribute("aria-selected", String(at === place));
      if (at === place) option.scrollIntoView({ block: "nearest" });
    }
    if (place < 0) input.removeAttribute("aria-activedescendant");
    else input.setAttribute("aria-activedescendant", list.children[place].id);
  }

  function update() {
    const found = search(input.value, entries);
    list.replaceChildren(
      ...found.map((entry, at) => {
        const option = document.createElement("li");
        option.id = `search-${at}`;
        option.setAttribute("role", "option");
        option.dataset.to = addressOf(entry);
        option.textContent = entry.name;
        return option;
      }),
    );
    status.textContent = input.value.trim() ? `${status.dataset.found} ${found.length}` : "";
    show(found.length > 0);
    choose(-1);
  }

  const go = (option) => option && location.assign(option.dataset.to);

  input.addEventListener("input", update);
  input.addEventListener("blur", () => show(false));
  input.addEventListener("keydown", (event) => {
    const count = list.children.length;
    if (event.key === "Escape" && !list.hidden) show(false);
    else if (event.key === "Enter") go(list.children[Math.max(active, 0)]);
    else if (event.key === "ArrowDown" && count) {
      if (list.hidden) show(true);
      choose((active + 1) % count);
    } else if (event.key === "ArrowUp" && count) {
      if (list.hidden) show(true);
      choose(active <= 0 ? count - 1 : active - 1);
    } else return;
    event.preventDefault();
  });
  list.addEventListener("pointerdown", (event) => event.preventDefault()); // keeps the focus
  list.addEventListener("click", (event) => go(event.target.closest("li")));
  if (input.value) update();
}
