// Small helps on top of pages that work without script: sortable and filterable tables, jumping
// to another model or device, copying a command, opening every <details> for print.

const language = document.documentElement.lang || "en";
const collator = new Intl.Collator(language, { numeric: true, sensitivity: "base" });

function cellValue(row, column) {
  const cell = row.cells[column];
  if (!cell) return "";
  if (cell.dataset.v !== undefined) return Number(cell.dataset.v);
  const time = cell.querySelector("time");
  if (time) return time.dateTime;
  return cell.textContent.trim();
}

function compare(a, b) {
  // A dash stands for "not known" and goes last, whatever the order.
  if (typeof a === "number" && typeof b === "number") return a - b;
  return collator.compare(String(a), String(b));
}

function sortBy(table, column, header) {
  const descending = header.getAttribute("aria-sort") === "ascending";
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  header.setAttribute("aria-sort", descending ? "descending" : "ascending");
  const body = table.tBodies[0];
  const rows = [...body.rows].map((row) => ({ row, value: cellValue(row, column) }));
  const known = rows.filter((entry) => entry.value !== "–" && entry.value !== "");
  const unknown = rows.filter((entry) => !known.includes(entry));
  known.sort((a, b) => (descending ? -1 : 1) * compare(a.value, b.value));
  body.append(...[...known, ...unknown].map((entry) => entry.row));
}

for (const table of document.querySelectorAll("table[data-sort]")) {
  [...table.tHead.rows[0].cells].forEach((header, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...header.childNodes);
    button.addEventListener("click", () => sortBy(table, column, header));
    header.append(button);
  });
}

function filterTable(form) {
  const table = document.getElementById(form.dataset.filter);
  const words = form.elements.q.value.toLowerCase().split(/\s+/).filter(Boolean);
  let shown = 0;
  for (const row of table.tBodies[0].rows) {
    const text = row.textContent.toLowerCase();
    let keep = words.every((word) => text.includes(word));
    for (const field of form.elements) {
      if (!keep || field.value === "" || field.disabled) continue;
      if (field.dataset.key) keep = row.dataset[field.dataset.key] === field.value;
      if (field.dataset.column) {
        const value = cellValue(row, Number(field.dataset.column));
        const bound = Number(field.value) * Number(field.dataset.scale ?? 1);
        keep = typeof value === "number" && (field.name === "max" ? value <= bound : value >= bound);
      }
    }
    row.hidden = !keep;
    if (keep) shown += 1;
  }
  const output = form.querySelector("output");
  output.textContent = `${shown} ${output.dataset.one}`;
}

for (const form of document.querySelectorAll("form[data-filter]")) {
  form.hidden = false;
  form.addEventListener("input", () => filterTable(form));
  form.addEventListener("submit", (event) => event.preventDefault());
}

// The list of names is read from the hub page, and only when the choice comes into view.
async function fillJump(form) {
  const select = form.querySelector("select");
  for (let part = form.dataset.jump; part; ) {
    const answer = await fetch(part);
    if (!answer.ok) return;
    const hub = new DOMParser().parseFromString(await answer.text(), "text/html");
    for (const row of hub.querySelectorAll("tr[data-id]")) {
      const link = row.querySelector("th a");
      select.add(new Option(link.textContent, row.dataset.id));
    }
    part = hub.querySelector("a[rel=next]")?.getAttribute("href");
  }
  select.addEventListener("change", () => {
    if (select.value) location.href = jumpTarget(form.dataset.to, select.value);
  });
}

function jumpTarget(pattern, id) {
  return pattern.replace(/\/0(?=\/)/, `/${id}`);
}

const jumps = document.querySelectorAll("form[data-jump]");
if (jumps.length && location.protocol.startsWith("http")) {
  const seen = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      seen.unobserve(entry.target);
      fillJump(entry.target);
    }
  }, { rootMargin: "200px" });
  for (const form of jumps) {
    form.hidden = false;
    form.addEventListener("submit", (event) => event.preventDefault());
    seen.observe(form);
  }
}

// Commands may be drawn anew: the page listens, not each button.
if (navigator.clipboard) {
  for (const button of document.querySelectorAll("button.copy")) button.hidden = false;
  document.addEventListener("click", async (event) => {
    const button = event.target.closest("button.copy");
    if (!button) return;
    await navigator.clipboard.writeText(button.closest("figure").querySelector("code").textContent);
    button.textContent = button.dataset.done;
  });
}

addEventListener("beforeprint", () => {
  for (const details of document.querySelectorAll("details")) details.open = true;
});

// The search is fetched when somebody wants it: most readers come for the page itself.
for (const form of document.querySelectorAll("form.search")) {
  form.classList.add("on");
  form.addEventListener("submit", (event) => event.preventDefault());
  const load = async () => (await import("./js/search.js")).startSearch(form);
  form.addEventListener("focusin", load, { once: true });
}
