/* What every panel's section does: its states, and what it keeps when it is filled anew. */
import { drawCharts, forgetCharts } from "./chart.js";
import { fill } from "./elements.js";

/**
 * The states of a section whose figures stand in `body`. `returnFocus` is called where what had the focus is gone, after the
 * section was filled anew.
 */
export function frameStates(section, body, returnFocus) {
  let shown = "loading";
  let hadFocus = false;

  function set(key, value) {
    if (value === undefined) delete section.dataset[key];
    else section.dataset[key] = value;
  }

  function rest(state) {
    body.inert = false;
    section.removeAttribute("aria-busy");
    section.dataset.state = shown = state;
  }

  return {
    /** While its questions are out: the figures go pale and keep their place. */
    load() {
      hadFocus ||= body.contains(document.activeElement);
      section.dataset.state = "loading";
      section.setAttribute("aria-busy", "true");
      body.inert = true;
    },
    /** Answers are there, or the panel's questions failed: `content` is {state, code, isSuppressed, elements}. */
    show({ state, code, isSuppressed, elements }) {
      hadFocus ||= body.contains(document.activeElement);
      const kept = remembered(body);
      forgetCharts(body);
      fill(body, elements);
      rest(state);
      set("code", code);
      set("suppressed", isSuppressed ? "" : undefined);
      drawCharts(body);
      restore(body, kept);
      if (hadFocus && !body.contains(document.activeElement)) returnFocus();
      hadFocus = false;
    },
    /** What was shown was asked again and is the same. */
    keep() {
      rest(shown);
    },
    /** Nothing of it stays in the document. */
    clear() {
      forgetCharts(body);
      fill(body);
      rest("empty");
      set("code");
      set("suppressed");
    },
  };
}

/* Where charts had their cursors, and how far tables were scrolled, by their labels. */
function remembered(body) {
  const charts = [...body.querySelectorAll(".plot")].map((box) => box.chart.cursor);
  const scrollers = [...body.querySelectorAll(".scroller")].map((box) => ({
    label: box.getAttribute("aria-label"), top: box.scrollTop, left: box.scrollLeft, isFocused: box === document.activeElement,
  }));
  return { charts, scrollers };
}

function restore(body, { charts, scrollers }) {
  for (const { chart } of body.querySelectorAll(".plot")) {
    const cursor = charts.find(({ label }) => label === chart.cursor.label);
    if (cursor) chart.restore(cursor);
  }
  for (const box of body.querySelectorAll(".scroller")) {
    const before = scrollers.find(({ label }) => label === box.getAttribute("aria-label"));
    if (!before) continue;
    box.scrollTo(before.left, before.top);
    if (before.isFocused) {
      box.tabIndex = 0;
      box.focus({ preventScroll: true });
    }
  }
}
