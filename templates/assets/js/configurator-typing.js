// A text that appears at an estimated speed, after the estimated wait; only when asked for.

const PIECE = /\s*\S{1,4}/g; // about a token

/** Let a button start and stop the text; `ask` gives text, wait and tokens a second. */
export function startTyping(button, place, ask) {
  let frame = 0;
  const stop = () => {
    cancelAnimationFrame(frame);
    frame = 0;
    button.removeAttribute("aria-pressed");
  };
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) {
    button.hidden = true;
    return;
  }
  button.addEventListener("click", () => {
    if (frame) return stop();
    const { text, wait_s, tps } = ask();
    if (!tps) return;
    const pieces = text.match(PIECE);
    const begin = performance.now() + (wait_s ?? 0) * 1000;
    place.hidden = false;
    place.textContent = "…";
    button.setAttribute("aria-pressed", "true");
    const step = (now) => {
      const shown = Math.floor(((now - begin) / 1000) * tps);
      if (shown > 0) place.textContent = pieces.slice(0, shown).join("");
      if (shown < pieces.length) frame = requestAnimationFrame(step);
      else stop();
    };
    frame = requestAnimationFrame(step);
  });
}
