/* How the devices of each day divide: app versions, systems, system versions or models. */
import { hiddenRowsOf } from "./answers.js";
import { chartBox } from "./chart.js";
import { dayPlan, dayTitle, shownRows } from "./days.js";
import { html, outside } from "./elements.js";
import { count, percent, wholePercent } from "./figures.js";
import { datesFrom } from "./period.js";
import { nothing, ready } from "./panel.js";
import { RATIO_TICKS } from "./scale.js";
import { DEFAULT_DIMENSION } from "./view.js";
import { dayTable, HIDDEN } from "./table.js";

const VERSION_COLUMNS = [
  { column: "value", label: "Value", isText: true }, { column: "devices", label: "Devices", format: count },
  { column: "share", label: "Share", format: percent }, { column: "sessions", label: "Sessions", format: count },
  { column: "new", label: "New", format: count },
];

export const versions = {
  name: "versions", title: "Versions", width: "w6", height: 420, hasTable: true, needs: (view) => [view.dimension === DEFAULT_DIMENSION ? "versions" : "shares"], wants: ["versions", "active"],
  define: "Each device of a day under the value of its latest event in that day. The five values with most devices; the rest is “other”.",
  draw({ answers, view, period }) {
    const answer = view.dimension === DEFAULT_DIMENSION ? answers.versions : answers.shares;
    const rows = shownRows(answer, period);
    const hidden = Boolean(hiddenRowsOf(answer));
    if (rows.length === 0 && !hidden) return nothing("No device sent an event in these days.");
    const dates = datesFrom(period.from, period.to);
    const areas = areasOf(rows, dates, daysInUse(answers.active), hidden);
    const share = (area, index) => (area.isKnown[index] || !hidden ? percent(area.values[index]) : HIDDEN);
    const plan = {
      ...dayPlan("versions", dates.map((date) => ({ date })), period, answers.versions),
      height: 378, ticks: RATIO_TICKS, tickText: wholePercent, areas, hasNoNames: true,
    };
    const tell = (index) => ({
      title: dayTitle(dates[index], period),
      figures: areas.toReversed().filter(({ values, isKnown }) => values[index] > 0 || (hidden && !isKnown[index]))
        .map((area) => ({ name: area.label, colour: area.colour, text: share(area, index) })),
    });
    const last = dates.indexOf(period.last);
    const key = html("ul", { class: "key" }, areas.map((area) => html("li", null,
      html("i", { style: { background: area.colour } }), area.name === null ? area.label : outside(area.name), html("b", null, share(area, last)))));
    return ready({ rows, hiddenRows: hidden },
      chartBox({ plan, label: "Shares of devices by day", tell }), key, dayTable("versions", "Shares of devices by day", rows, VERSION_COLUMNS));
  },
};

/* The days on which any device was active, of whatever value. */
function daysInUse(active) {
  return new Set((active?.rows ?? []).filter((row) => row.active !== 0).map((row) => row.date));
}

/* The values with most devices first, then the rest: on a day with devices everything adds up to 1. */
function areasOf(rows, dates, inUse, hidden) {
  const indexes = new Map(dates.map((date, index) => [date, index]));
  const known = new Map();
  for (const { date, value, devices, share } of rows) {
    const area = known.get(value) ?? { name: value, label: value, sum: 0, values: dates.map(() => 0), isKnown: dates.map(() => false) };
    known.set(value, area);
    area.sum += devices ?? 0;
    area.values[indexes.get(date)] = share ?? 0;
    area.isKnown[indexes.get(date)] = share !== null;
  }
  const areas = [...known.values()].sort((a, b) => b.sum - a.sum);
  areas.forEach((area, index) => (area.colour = "var(--c" + ((index % 5) + 1) + ")"));
  const values = dates.map((date, index) => {
    const sum = areas.reduce((all, area) => all + area.values[index], 0);
    return sum > 0 || inUse.has(date) ? Math.max(0, 1 - sum) : 0;
  });
  const rest = { name: null, label: hidden ? "other and hidden" : "other", colour: "var(--back)", values, isKnown: dates.map(() => true) };
  return values.some((value) => value > 0.00001) ? [...areas, rest] : areas;
}
