/* A chart in its box: the drawing, made anew when its width changes; the one stop for keys and pointers, a slider over the
   rows; and the box that tells a row's figures. */
import { fill, html } from "./elements.js";
import { plot } from "./plot.js";

const PAGE = 7;
/* Of a panel on A4 with the margins that browsers have, in pixels; style.css fits it to other paper. */
const PAPER_WIDTH = 675;

/**
 * The box of a chart. `tell(index)` gives {title, figures: [{name, text, colour}]} of a row. What it gives has
 * `chart` with `draw`, which is called once the box has its place in the document.
 */
export function chartBox({ plan, label, tell }) {
  const drawing = html("div", { class: "drawing" });
  const tip = html("div", { class: "tip", hidden: true, "aria-hidden": "true" });
  const scrub = html("div", {
    class: "scrub", role: "slider", tabindex: "0", "aria-label": label, "aria-valuemin": "0",
    "aria-valuemax": plan.keys.length - 1, data: { scrub: label },
    on: {
      keydown: (event) => onKey(event), focus: () => show(at), blur: hide,
      pointermove: (event) => show(indexUnder(event)), pointerdown: (event) => show(indexUnder(event)), pointerleave: hide,
    },
  });
  const box = html("div", { class: "plot", style: { "--height": plan.height + "px" } }, drawing, scrub, tip);
  let drawn = null;
  let width = 0;
  let at = plan.keys.length - 1;

  /* The cursor goes to a row: what the slider says follows. */
  function move(index) {
    at = Math.min(plan.keys.length - 1, Math.max(0, index));
    const { title, figures } = tell(at);
    scrub.dataset.key = plan.keys[at];
    scrub.setAttribute("aria-valuenow", at);
    scrub.setAttribute("aria-valuetext", title + ": " + figures.map(({ name, text }) => name + " " + text).join(", "));
  }

  function show(index) {
    move(index);
    if (!drawn) return;
    const { title, figures } = tell(at);
    drawn.moveCursor(at);
    fill(tip, html("b", null, title), figures.map(({ name, text, colour }) =>
      html("span", null, html("i", { style: { background: colour ?? "none" } }), html("bdi", null, name), html("em", null, text))));
    tip.hidden = false;
    const x = drawn.xAt(at);
    tip.style.left = Math.max(0, x + 12 + tip.offsetWidth > width ? x - 12 - tip.offsetWidth : x + 12) + "px";
  }

  function hide() {
    tip.hidden = true;
    drawn?.moveCursor(null);
  }

  function indexUnder(event) {
    return drawn ? drawn.indexAt(event.clientX - scrub.getBoundingClientRect().left) : at;
  }

  function onKey(event) {
    const to = {
      ArrowLeft: at - 1, ArrowDown: at - 1, ArrowRight: at + 1, ArrowUp: at + 1,
      PageDown: at - PAGE, PageUp: at + PAGE, Home: 0, End: plan.keys.length - 1,
    }[event.key];
    if (to === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    show(to);
  }

  box.chart = {
    /** Draws for a width, or the box's as it is now, if that is another than before. */
    draw(given = box.clientWidth) {
      const wide = Math.floor(given);
      if (wide === 0 || wide === width) return;
      width = wide;
      drawn = plot(plan, width);
      fill(drawing, drawn.element);
      if (!tip.hidden) show(at);
    },
    /** The row to which the cursor was moved, to find it again after the panel was filled anew. */
    get cursor() {
      const isMoved = at < plan.keys.length - 1;
      return { label, key: isMoved ? plan.keys[at] : null, isFocused: document.activeElement === scrub };
    },
    restore({ key, isFocused }) {
      const index = plan.keys.indexOf(key);
      if (index >= 0) move(index);
      if (isFocused) scrub.focus({ preventScroll: true });
    },
  };
  move(at);
  return box;
}

/* Made with the first chart, since a browser may have none (needs.js). */
let sizes = null;

/** Draws the charts in an element that has its place in the document, and again whenever their width changes. */
export function drawCharts(element) {
  sizes ??= new ResizeObserver((entries) => {
    for (const { target } of entries) target.chart.draw();
  });
  for (const box of element.querySelectorAll(".plot")) {
    box.chart.draw();
    sizes.observe(box);
  }
}

/** Before what holds charts is filled anew. */
export function forgetCharts(element) {
  for (const box of element.querySelectorAll(".plot")) sizes.unobserve(box);
}

/** Before and after printing: paper is not as wide as the window, and nothing tells of its width. */
export function drawForPaper(isPaper) {
  for (const box of document.querySelectorAll(".plot")) box.chart.draw(isPaper ? PAPER_WIDTH : undefined);
}

/** What the colours of a chart stand for, where names cannot stand beside what is drawn. */
export function chartKey(entries) {
  return html("ul", { class: "key", "aria-hidden": "true" },
    entries.map(({ label, colour }) => html("li", null, html("i", { style: { background: colour } }), label)));
}
