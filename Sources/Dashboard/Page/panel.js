/* The frame of a panel: title, what it counts, table, CSV and curl, and its states. What it shows is made by the panels. */
import { drawCharts, forgetCharts } from "./chart.js";
import { fill, html } from "./elements.js";

/* What helps, by the code of a failure. */
const ADVICE = {
  "report-timeout": "This took too long. A shorter range will be faster.",
  "report-too-large": "This needs more memory than the server gives a report. A shorter range needs less.",
  overloaded: "The server is busy with other reports. Wait a moment.",
  unreachable: "No server answered. Check the connection.",
  forbidden: "The token may not ask this.",
};

/**
 * A panel's section. `panel` is {name, title, define, width, height, hasTable, controls, above}: `height` is about what it
 * takes when it is filled; `controls` beside the title and what stands above the figures stay when it is filled anew. `acts` has `saveCSV(panel)` and `retry(panel)`.
 */
export function panelFrame(panel, acts) {
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
  const define = tool("define", "?", "What “" + title + "” counts", toggle(() => define, definition),
    { "aria-expanded": "false", "aria-controls": definition.id });
  const table = panel.hasTable && tool("table", "Table", "Table of “" + title + "”", () => {
    const isShown = section.classList.toggle("tabled");
    table.setAttribute("aria-pressed", String(isShown));
  }, { "aria-pressed": "false" });
  const csv = tool("csv", "CSV", "Save “" + title + "” as CSV", () => acts.saveCSV(panel));
  const curl = tool("curl", "curl", "curl lines of “" + title + "”", toggle(() => curl, lines),
    { "aria-expanded": "false", "aria-controls": lines.id });
  const section = html("section", { class: "card " + panel.width, "aria-labelledby": "title-" + name, data: { panel: name, state: "loading" } },
    html("div", { class: "head" }, html("h2", { id: "title-" + name }, title), panel.controls, html("div", { class: "tools" }, define, table, csv, curl)),
    definition, panel.above, body, lines);
  let shown = "loading";

  return {
    panel, section,
    /** While its questions are out: the figures go pale and keep their place. */
    load() {
      section.dataset.state = "loading";
      section.setAttribute("aria-busy", "true");
      body.inert = true;
    },
    /** What the panel's questions are, as lines for a shell; none where it asks nothing. */
    ask(curlLines) {
      curl.dataset.curl = curlLines.join("\n");
      lines.textContent = curl.dataset.curl;
      for (const button of [csv, curl]) button.disabled = curlLines.length === 0;
    },
    /** Answers are there, or the panel's questions failed: `content` is {state, code, isSuppressed, elements}. */
    show({ state, code, isSuppressed, elements }) {
      const cursors = [...body.querySelectorAll(".plot")].map((box) => box.chart.cursor);
      forgetCharts(body);
      fill(body, elements);
      body.inert = false;
      section.removeAttribute("aria-busy");
      section.dataset.state = shown = state;
      set("code", code);
      set("suppressed", isSuppressed ? "" : undefined);
      drawCharts(body);
      for (const box of body.querySelectorAll(".plot")) {
        const cursor = cursors.find((one) => one.label === box.querySelector(".scrub").dataset.scrub);
        if (cursor) box.chart.restore(cursor);
      }
    },
    /** What was shown was asked again and is the same. */
    keep() {
      section.dataset.state = shown;
      body.inert = false;
      section.removeAttribute("aria-busy");
    },
  };

  function set(key, value) {
    if (value === undefined) delete section.dataset[key];
    else section.dataset[key] = value;
  }
}

/** What a panel shows when a question of it failed. */
export function failed(failure, retry) {
  const advice = ADVICE[failure.code] ?? failure.message;
  return {
    state: "error", code: failure.code,
    elements: html("div", { class: "state" },
      html("b", null, failure.code === "unreachable" ? "No answer" : "The server could not answer"), html("p", null, advice),
      retryButton(retry)),
  };
}

export function retryButton(retry) {
  return html("button", { type: "button", class: "button", data: { action: "retry" }, on: { click: retry } }, "Try again");
}

/** What a panel shows when there is nothing to show. */
export function nothing(why) {
  return { state: "empty", elements: html("div", { class: "state" }, html("b", null, "Nothing in this range"), html("p", null, why)) };
}

/** What a panel shows when there is, with a line where `rows` hide figures or the answer left `hiddenRows` rows out. */
export function ready({ rows, hiddenRows = 0 }, ...elements) {
  const isSuppressed = hiddenRows > 0 || rows.some((row) => row.suppressed === true);
  const line = hiddenRows > 0
    ? hiddenRows + (hiddenRows === 1 ? " row" : " rows") + " of few devices hidden" : "Some figures of few devices are hidden";
  return { state: "ready", isSuppressed, elements: [...elements, isSuppressed && html("p", { class: "quiet hidden-rows" }, line)] };
}

/** Whether rows have anything to show: a figure that is not 0 or is hidden, but for the columns that name a row. */
export function hasFigures(rows, ...names) {
  return rows.some((row) => row.suppressed === true || Object.entries(row).some(([column, value]) =>
    typeof value === "number" && value !== 0 && !names.includes(column)));
}
