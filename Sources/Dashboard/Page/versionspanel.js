/* How the devices of each day divide: app versions, systems, system versions or models. */
import { dayTable } from "./activepanels.js";
import { chartBox } from "./chart.js";
import { dayPlan, dayTitle, shownRows } from "./days.js";
import { html, outside } from "./elements.js";
import { count, percent, wholePercent } from "./figures.js";
import { datesFrom } from "./period.js";
import { nothing, ready } from "./panel.js";
import { RATIO_TICKS } from "./scale.js";
import { DEFAULT_DIMENSION } from "./view.js";

/** What the filters' keys are called. */
export const DIMENSIONS = {
  "service.version": "App version", "os.name": "System", "os.version": "System version", "device.model.identifier": "Model",
};

const VERSION_COLUMNS = [
  { column: "value", label: "Value", isText: true }, { column: "devices", label: "Devices", format: count },
  { column: "share", label: "Share", format: percent }, { column: "sessions", label: "Sessions", format: count },
  { column: "new", label: "New", format: count },
];

export const versions = {
  name: "versions", title: "Versions", width: "w6", height: 420, hasTable: true, needs: (view) => [view.dimension === DEFAULT_DIMENSION ? "versions" : "shares"], wants: () => ["versions"],
  define: "Each device of a day under the value of its latest event in that day. The five values with most devices; the rest is “other”.",
  draw({ answers, view, period }) {
    const answer = view.dimension === DEFAULT_DIMENSION ? answers.versions : answers.shares;
    const rows = shownRows(answer, period);
    if (rows.length === 0 && !answer.suppressed_rows) return nothing("No device sent an event in these days.");
    const dates = datesFrom(period.from, period.to);
    const areas = areasOf(rows, dates);
    const plan = {
      ...dayPlan("versions", dates.map((date) => ({ date })), period, answers.versions),
      height: 378, ticks: RATIO_TICKS, tickText: wholePercent, areas, hasNoNames: true,
    };
    const tell = (place) => ({
      title: dayTitle(dates[place], period),
      figures: areas.toReversed().filter(({ values }) => values[place] > 0)
        .map(({ label, colour, values }) => ({ name: label, colour, text: percent(values[place]) })),
    });
    const last = dates.indexOf(period.last);
    const key = html("ul", { class: "key" }, areas.map(({ name, label, colour, values }) => html("li", null,
      html("i", { style: { background: colour } }), name === null ? label : outside(name), html("b", null, percent(values[last])))));
    return ready({ rows, hiddenRows: answer.suppressed_rows },
      chartBox({ plan, label: "Shares of devices by day", tell }), key, dayTable("versions", "Shares of devices by day", rows, VERSION_COLUMNS));
  },
};

/* The values with most devices first, then the rest: on a day with devices everything adds up to 1. */
function areasOf(rows, dates) {
  const places = new Map(dates.map((date, place) => [date, place]));
  const known = new Map();
  for (const { date, value, devices, share } of rows) {
    const area = known.get(value) ?? { name: value, label: value, sum: 0, values: dates.map(() => 0) };
    known.set(value, area);
    area.sum += devices ?? 0;
    area.values[places.get(date)] = share ?? 0;
  }
  const areas = [...known.values()].sort((a, b) => b.sum - a.sum);
  areas.forEach((area, place) => (area.colour = "var(--c" + ((place % 5) + 1) + ")"));
  const sums = dates.map((_, place) => areas.reduce((sum, { values }) => sum + values[place], 0));
  const rest = { name: null, label: "other", colour: "var(--back)", values: sums.map((sum) => (sum > 0 ? Math.max(0, 1 - sum) : 0)) };
  return rest.values.some((value) => value > 0.00001) ? [...areas, rest] : areas;
}
