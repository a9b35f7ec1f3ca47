// A text that appears at an estimated speed, after the estimated wait; only when asked for.

const PIECE = /\s*\S{1,4}/g; // about a token
let frame = 0;

/** Start the text, or stop it where it runs; a size without speed shows nothing. */
export function typing(button, place, text, size) {
  const stop = () => {
    cancelAnimationFrame(frame);
    frame = 0;
    button.removeAttribute("aria-pressed");
  };
  const speed = size?.decode_tps.value;
  if (frame || !speed) return stop();
  const pieces = text.match(PIECE);
  const begin = performance.now() + (size.ttft_s.value ?? 0) * 1000;
  place.hidden = false;
  place.textContent = "…";
  button.setAttribute("aria-pressed", "true");
  const step = (now) => {
    const shown = Math.floor(((now - begin) / 1000) * speed);
    if (shown > 0) place.textContent = pieces.slice(0, shown).join("");
    if (shown < pieces.length) frame = requestAnimationFrame(step);
    else stop();
  };
  frame = requestAnimationFrame(step);
}
