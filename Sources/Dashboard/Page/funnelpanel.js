/* The funnel: its steps are written here, what came of them is a bar for each. */
import { fill, html, outside } from "./elements.js";
import { count, percent } from "./figures.js";
import { ready } from "./panel.js";
import { dataTable, meter } from "./table.js";
import { DEFAULT_WITHIN, MAX_STEPS } from "./view.js";

const WITHIN = ["1h", "24h", "7d", "30d"];
const MIN_STEPS = 2;

export const funnel = {
  name: "funnel", title: "Funnel", width: "w6", height: 300, hasTable: false, needs: (view) => (view.steps.length < MIN_STEPS ? [] : ["funnel"]), wants: [],
  define: "Devices that sent events which match the steps, in order of time, the last at most so long after the first. A step is an event’s name, or name:attribute=value.",
  draw({ answers, view }) {
    if (view.steps.length < MIN_STEPS) {
      return { state: "empty", elements: html("div", { class: "state" }, html("b", null, "No steps yet"), html("p", null, "Name two events or more: who did the first, and who went on to the next?")) };
    }
    const { rows } = answers.funnel;
    const first = rows[0].devices;
    const columns = [
      { column: "devices", label: "Devices", format: count },
      { column: "from_first", label: "Of the first", format: percent },
      { column: "from_previous", label: "Went on", format: percent },
    ];
    const key = {
      column: "step", label: "Step",
      text: (row) => html("div", { class: "step" }, html("span", null, count(row.step)), " ", outside(row.matcher)),
    };
    const track = (row) => html("div", { class: "pale" }, meter(first ? (row.devices ?? 0) / first : 0));
    return ready({ rows }, dataTable({ panel: "funnel", caption: "Devices that came as far as each step", rows, key, columns, track, className: "funnel" }));
  },
};

/** The form above the funnel: what is typed into it stays until the view has other steps. */
export function funnelForm(onRun) {
  const steps = html("div", { class: "steps" });
  const names = html("datalist", { id: "event-names" });
  const within = html("select", {
    class: "pill", name: "within", "aria-label": "Time from the first step to the last",
    on: { change: () => shownSteps() >= MIN_STEPS && form.requestSubmit() },
  });
  const said = html("p", { class: "quiet", role: "alert" });
  const add = html("button", { type: "button", class: "pill", data: { action: "add-step" }, on: { click: () => addStep("").focus() } }, "+ step");
  const run = html("button", { type: "submit", class: "pill strong", data: { action: "run-funnel" } }, "Show");
  const form = html("form", { data: { control: "funnel" }, class: "builder", novalidate: true, on: { submit } },
    steps, html("div", { class: "row" }, add, within, run), said, names);
  let shown = null;
  let suggested = null;

  function shownSteps() {
    return shown === null ? 0 : JSON.parse(shown)[0].length;
  }

  function addStep(value) {
    const index = steps.children.length + 1;
    const input = html("input", {
      name: "step", list: names.id, autocomplete: "off", spellcheck: "false", autocapitalize: "off",
      "aria-label": "Step " + index, placeholder: index === 1 ? "first event" : "then", maxlength: 1024,
    });
    input.value = value;
    steps.append(input);
    add.hidden = steps.children.length >= MAX_STEPS;
    return input;
  }

  function submit(event) {
    event.preventDefault();
    const values = [...steps.querySelectorAll("input")].map((input) => input.value.trim()).filter((value) => value !== "");
    said.textContent = values.length === 1 ? "A funnel has two steps or more." : "";
    if (values.length === 1) return;
    shown = JSON.stringify([values, within.value]);
    onRun(values, within.value);
  }

  return {
    form,
    /** Shows the view's steps, unless they are what is shown. */
    set(view) {
      const now = JSON.stringify([view.steps, view.within]);
      if (now === shown) return;
      shown = now;
      said.textContent = "";
      steps.replaceChildren();
      for (const step of view.steps.length > 0 ? view.steps : ["", ""]) addStep(step);
      const choices = WITHIN.includes(view.within) ? WITHIN : [...WITHIN, view.within];
      fill(within, choices.map((choice) => html("option", { value: choice }, "within " + choice)));
      within.value = view.within ?? DEFAULT_WITHIN;
    },
    /** Names that inputs suggest: the same rows leave a list alone that may be open. */
    suggest(rows) {
      if (rows === suggested) return;
      suggested = rows;
      fill(names, rows.map((row) => html("option", { value: row.name })));
    },
  };
}
