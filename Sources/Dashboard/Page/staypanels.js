/* Who comes back: cohorts as a table that is its own chart, and how long devices stay. */
import { hasFigures } from "./answers.js";
import { chartBox } from "./chart.js";
import { addDays, stepBuckets } from "./dates.js";
import { html } from "./elements.js";
import { count, MISSING, monthName, percent, shortDate, wholePercent } from "./figures.js";
import { cohortOf } from "./period.js";
import { nothing, ready } from "./panel.js";
import { RATIO_TICKS } from "./scale.js";
import { cellOf, dataTable, scroller, shownText } from "./table.js";

/* The accent mixed into the card, in percent: the text on it stays readable at both ends. */
const MIN_MIX = 3;
const MAX_MIX = 55;
const NAMES = { day: "Day", week: "Week of", month: "Month" };

export const retention = {
  name: "retention", title: "Retention", width: "w7", height: 300, hasTable: false, needs: () => ["retention"], wants: [],
  define: "Rows: the devices first seen in that day, week or month. Columns: how many of them were active in it, and in each later one. A dashed cell is not over.",
  draw({ answers, view, period }) {
    const { rows } = answers.retention;
    if (!hasFigures(rows)) return nothing("No device was first seen in these days.");
    const bucket = cohortOf(view, period);
    const columns = Object.keys(rows[0]).filter((column) => /^p\d+$/.test(column));
    const head = html("tr", null,
      html("th", { scope: "col" }, NAMES[bucket]), html("th", { scope: "col" }, "Devices"),
      columns.map((column, index) => html("th", { scope: "col" }, index === 0 ? bucket + " 0" : "+" + index)));
    const body = rows.map((row) => html("tr", { data: { key: row.cohort } },
      html("th", { scope: "row" }, bucket === "month" ? monthName(row.cohort) : shortDate(row.cohort)),
      cellOf(row, { column: "size", format: count }),
      columns.map((column, index) => cohortCell(row, column, index, bucket, period))));
    const caption = "How many of each cohort came back";
    const table = html("table", { class: "heat", data: { table: "retention" } },
      html("caption", { class: "unseen" }, caption), html("thead", null, head), html("tbody", null, body));
    return ready({ rows }, scroller(table, caption));
  },
};

function cohortCell(row, column, index, bucket, period) {
  const start = stepBuckets(bucket, row.cohort, index);
  if (start > period.today) return html("td", { class: "to-come", data: { column } });
  const cell = cellOf(row, { column, format: (value) => (row.size ? percent(value / row.size) : MISSING) });
  const value = row[column];
  if (value === null) return cell;
  const isOpen = addDays(stepBuckets(bucket, row.cohort, index + 1), -1) >= period.today;
  if (isOpen) cell.dataset.open = "";
  cell.title = count(value) + " of " + count(row.size) + (isOpen ? ", not over" : "");
  if (index === 0) cell.classList.add("first");
  else if (row.size && !isOpen) {
    const depth = MIN_MIX + (MAX_MIX - MIN_MIX) * (value / row.size);
    cell.style.background = "color-mix(in oklab, var(--accent) " + depth.toFixed(1) + "%, var(--card))";
  }
  return cell;
}

export const lifetime = {
  name: "lifetime", title: "How long devices stay", width: "w5", height: 282, hasTable: true, needs: () => ["lifetime"], wants: [],
  define: "The share of devices still used on their t-th day, after Kaplan and Meier: devices that are still in use count for as long as they were watched. Lost: no event for 28 days.",
  draw({ answers }) {
    const { rows, devices, lost, median_lifetime: median } = answers.lifetime;
    if (rows.length === 0) return nothing("No device was first seen in these days or in the 180 before their end.");
    const plan = {
      name: "lifetime", keys: rows.map((row) => String(row.day)), isDated: false, openIndex: -1, hasLabels: true, height: 270,
      ticks: RATIO_TICKS, tickText: wholePercent,
      lines: [{ column: "survival", values: rows.map((row) => row.survival), colour: "var(--accent)", isSubject: true }],
    };
    const tell = (index) => ({
      title: "Day " + rows[index].day,
      figures: [
        { name: "Still there", text: shownText(rows[index], "survival", percent), colour: "var(--accent)" },
        { name: "Watched", text: shownText(rows[index], "at_risk", count) }, { name: "Lost", text: shownText(rows[index], "lost", count) },
      ],
    });
    const columns = [
      { column: "at_risk", label: "Watched", format: count }, { column: "lost", label: "Lost", format: count },
      { column: "survival", label: "Still there", format: percent },
    ];
    const half = median === null ? "More than half are still there" : "Half are gone after " + count(median) + (median === 1 ? " day" : " days");
    const key = { column: "day", label: "Day", text: (row) => count(row.day) };
    return ready({ rows },
      html("p", { class: "quiet" }, half, lost !== null && devices !== null && ` · ${count(lost)} of ${count(devices)} lost`),
      chartBox({ plan, label: "Share of devices that stay, by day of their life", tell }),
      dataTable({ panel: "lifetime", caption: "Devices that stay, by day of their life", rows, key, columns, isCollapsed: true }));
  },
};
