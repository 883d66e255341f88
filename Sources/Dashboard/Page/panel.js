/* A panel: title, what it counts, table, CSV and curl around its figures; and the contents that all panels share. */
import { html } from "./elements.js";
import { count } from "./figures.js";
import { frameStates } from "./frame.js";

/* What happened, by the code of a failure. */
const TITLES = {
  unreachable: "No answer",
  foreign: "Something else answered",
  forbidden: "Not with this token",
  "time-zone-gone": "No such time zone on the server",
};

/* What helps; else what the server says of it. */
const ADVICE = {
  "report-timeout": "This took too long. A shorter range will be faster.",
  "report-too-large": "This needs more memory than the server gives a report. A shorter range needs less.",
  overloaded: "The server is busy with other reports. Wait a moment.",
  unreachable: "No server answered. Check the connection.",
};

/**
 * The frame of a panel. `panel` is {name, title, define, width, height, hasTable, controls, above}: `height` is about what it
 * takes when it is filled; `controls` beside the title and what stands above the figures stay when it is filled anew.
 * `saveCSV(panel)` is called by its button.
 */
export function panelFrame(panel, saveCSV) {
  const { name, title } = panel;
  const body = html("div", { class: "body", style: { "--height": panel.height + "px" } });
  const definition = html("p", { class: "definition", id: "define-" + name, hidden: true }, panel.define);
  const lines = html("pre", { class: "lines", tabindex: "0", "aria-label": "curl lines of " + title, id: "curl-" + name, hidden: true });
  const tool = (action, text, label, onClick, more) =>
    html("button", { type: "button", class: "tool", "aria-label": label, data: { action }, on: { click: onClick }, ...more }, text);
  const toggle = (button, element) => () => {
    element.hidden = !element.hidden;
    button().setAttribute("aria-expanded", String(!element.hidden));
  };
  const expands = (element) => ({ "aria-expanded": "false", "aria-controls": element.id });
  const define = tool("define", "?", `What “${title}” counts`, toggle(() => define, definition), expands(definition));
  const table = panel.hasTable && tool("table", "Table", `Table of “${title}”`, () => {
    const isShown = section.classList.toggle("tabled");
    table.setAttribute("aria-pressed", String(isShown));
  }, { "aria-pressed": "false" });
  const csv = tool("csv", "CSV", `Save “${title}” as CSV`, () => saveCSV(panel));
  const curl = tool("curl", "curl", `curl lines of “${title}”`, toggle(() => curl, lines), expands(lines));
  const section = html("section", { class: "card " + panel.width, "aria-labelledby": "title-" + name, data: { panel: name, state: "loading" } },
    html("div", { class: "head" }, html("h2", { id: "title-" + name }, title), panel.controls,
      html("div", { class: "tools" }, define, table, csv, curl)),
    definition, panel.above, body, lines);

  return {
    panel, section,
    ...frameStates(section, body, () => (body.querySelector("button") ?? define).focus({ preventScroll: true })),
    /** What the panel's questions are, as lines for a shell; none where it asks nothing. */
    ask(curlLines) {
      curl.dataset.curl = curlLines.join("\n");
      lines.textContent = curl.dataset.curl;
      for (const button of [csv, curl]) button.disabled = curlLines.length === 0;
    },
  };
}

/** What a panel shows when a question of it failed. */
export function failed(failure, retry) {
  const title = TITLES[failure.code] ?? "The server could not answer";
  return {
    state: "error", code: failure.code,
    elements: html("div", { class: "state" }, html("b", null, title), html("p", null, adviceOf(failure)), retryButton(retry)),
  };
}

/** What helps where a question failed, in sentences. */
export function adviceOf({ code, status, message }) {
  if (code === "foreign") {
    const how = status === 0 ? "by a redirect" : "with status " + status + (status === 401 ? ", and asks for a password" : "");
    return `Something between this page and the server answered in its place, ${how}. If it wants you to sign in, do so there and reload this page; the token stays.`;
  }
  if (code === "time-zone-gone") return "Choose another time zone above, or mend it on the server: " + message;
  return ADVICE[code] ?? message;
}

/** Asks again what failed. */
export function retryButton(retry) {
  return html("button", { type: "button", class: "button", data: { action: "retry" }, on: { click: retry } }, "Try again");
}

/** What a panel shows when there is nothing to show. */
export function nothing(why) {
  return { state: "empty", elements: html("div", { class: "state" }, html("b", null, "Nothing in this range"), html("p", null, why)) };
}

/**
 * What a panel shows when there is. `rows` are those shown; `hiddenRows` is how many the answer left out, true where that
 * is hidden, or counts rows of other days too.
 */
export function ready({ rows, hiddenRows = 0 }, ...elements) {
  const isSuppressed = Boolean(hiddenRows) || rows.some((row) => row.suppressed === true);
  const line = hiddenRows === true ? "Rows of few devices are hidden."
    : hiddenRows > 0 ? count(hiddenRows) + (hiddenRows === 1 ? " row" : " rows") + " of few devices hidden."
    : "Some figures of few devices are hidden.";
  return { state: "ready", isSuppressed, elements: [...elements, isSuppressed && html("p", { class: "quiet hidden-rows" }, line)] };
}
