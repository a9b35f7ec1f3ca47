// Shows the form; loads what answers it when somebody reaches for it or the browser is idle.

const form = document.querySelector("form.configurator");

function start() {
  let loading;
  const load = () => (loading ??= import("./configurator-page.js").then((page) => page.start(form)));
  form.hidden = false;
  form.addEventListener("submit", (event) => event.preventDefault());
  for (const kind of ["focusin", "pointerenter"]) form.addEventListener(kind, load, { once: true });
  const idle = window.requestIdleCallback ?? ((run) => setTimeout(run, 1000));
  const wait = () => (location.search ? load() : idle(load, { timeout: 10000 }));
  if (document.readyState === "complete") wait();
  else addEventListener("load", wait);
}

if (form && location.protocol.startsWith("http")) start();
