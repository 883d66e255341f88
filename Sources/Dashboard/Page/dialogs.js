/* The two dialogs: which dates, and which filter. */
import { daysBetween } from "./dates.js";
import { fill, html, outside } from "./elements.js";
import { count, percent } from "./figures.js";
import { FIRST_DATE, MAX_DAYS } from "./period.js";
import { DIMENSIONS, FILTERS } from "./view.js";

/** Asks for two dates; `onDates(from, to)` gets them. */
export function pickDates(period, onDates) {
  const field = (name, label, value) => [
    html("label", { for: "date-" + name }, label),
    html("input", { id: "date-" + name, name, type: "date", autofocus: name === "from", required: true, max: period.today, min: FIRST_DATE, value }),
  ];
  const said = html("p", { class: "note", role: "alert", hidden: true });
  const form = html("form", { class: "fields", on: { submit } },
    html("div", null, field("from", "From", period.from)), html("div", null, field("to", "To", period.to)), said,
    html("button", { type: "submit", class: "button" }, "Show these days"));
  const dialog = open("Which days?", form);

  function submit(event) {
    event.preventDefault();
    const from = form.elements.from.value;
    const to = form.elements.to.value;
    const days = from && to ? daysBetween(from, to) + 1 : 0;
    if (days >= 1 && days <= MAX_DAYS) {
      dialog.close();
      onDates(from, to);
    } else {
      said.hidden = false;
      said.textContent = days < 1 ? "The first date has to be the earlier one." : "At most " + count(MAX_DAYS) + " days.";
    }
  }
}

/**
 * Asks for a filter: a key, then one of the values that devices sent, or one typed. `valuesOf(key)` gives the rows
 * [{value, share}] of a key, or throws; `onFilter(key, value)` gets what was chosen.
 */
export function pickFilter(valuesOf, onFilter) {
  const choices = html("div", { class: "choices", role: "group", "aria-label": "Values" });
  const typed = html("input", { name: "value", "aria-label": "Another value", placeholder: "another value", autocomplete: "off", spellcheck: "false", maxlength: 256 });
  const key = html("select", { class: "pill", autofocus: true, "aria-label": "Filter by", on: { change: list } },
    FILTERS.map((one) => html("option", { value: one }, DIMENSIONS[one])));
  const form = html("form", { class: "fields", on: { submit } }, typed, html("button", { type: "submit", class: "button" }, "Filter"));
  const dialog = open("Show only some devices", [key, choices, form]);
  list();

  async function list() {
    const asked = key.value;
    fill(choices, html("p", { class: "quiet" }, "Asking for values…"));
    let content;
    try {
      const rows = await valuesOf(asked);
      content = rows.length === 0 ? html("p", { class: "quiet" }, "No values in this range.") : rows.map((row) => html("button", {
        type: "button", class: "choice", data: { option: row.value }, on: { click: () => choose(row.value) },
      }, outside(row.value), html("span", { class: "quiet" }, percent(row.share))));
    } catch {
      content = html("p", { class: "quiet" }, "The values cannot be listed now; type one.");
    }
    if (key.value === asked) fill(choices, content);
  }

  function choose(value) {
    dialog.close();
    onFilter(key.value, value);
  }

  function submit(event) {
    event.preventDefault();
    if (typed.value !== "") choose(typed.value);
  }
}

/** Closes what is open, before the page goes elsewhere. */
export function closeDialogs() {
  for (const dialog of document.querySelectorAll("dialog")) dialog.close();
}

function open(title, content) {
  const close = html("button", { type: "button", class: "tool", "aria-label": "Close", on: { click: () => dialog.close() } }, "Close");
  const dialog = html("dialog", { "aria-labelledby": "dialog-title", on: { close: () => dialog.remove() } },
    html("div", { class: "head" }, html("h2", { id: "dialog-title" }, title), html("div", { class: "tools" }, close)), content);
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}
