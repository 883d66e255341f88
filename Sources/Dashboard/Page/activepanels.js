/* Active devices, and how many of them are new. Both are drawn from one answer of `active`. */
import { hasFigures } from "./answers.js";
import { chartBox, chartKey } from "./chart.js";
import { dayPlan, dayTitle, greatestOf, shownRows } from "./days.js";
import { count, percent, shortCount } from "./figures.js";
import { nothing, ready } from "./panel.js";
import { countTicks } from "./scale.js";
import { dayTable, shownText } from "./table.js";

const LINES = [
  { column: "active_30d", label: "30 days", colour: "var(--rest)" },
  { column: "active_7d", label: "7 days", colour: "var(--tint)", labelColour: "var(--soft)" },
  { column: "active", label: "1 day", colour: "var(--accent)", isSubject: true },
];

export const actives = {
  name: "actives", title: "Active devices", width: "w8", height: 264, hasTable: true, needs: () => ["active"], wants: ["versions"],
  define: "A device is active in a day if an event of it lies there. The lines for 7 and 30 days count the distinct devices of the days that end with that one. Dotted lines mark the first day of a version.",
  draw({ answers, period }) {
    const rows = shownRows(answers.active, period);
    if (!hasFigures(rows)) return nothing("No device sent an event in these days or in the 30 before them.");
    const plan = {
      ...dayPlan("actives", rows, period, answers.versions), height: 264, tickText: shortCount,
      ticks: countTicks(greatestOf(rows, "active", "active_7d", "active_30d")),
      lines: LINES.map((line) => ({ ...line, values: rows.map((row) => row[line.column]) })),
    };
    const tell = (index) => ({
      title: dayTitle(rows[index].date, period),
      figures: LINES.toReversed().map(({ column, label, colour }) => ({ name: label, colour, text: shownText(rows[index], column, count) })),
    });
    const columns = [
      { column: "active", label: "1 day", format: count }, { column: "active_7d", label: "7 days", format: count },
      { column: "active_30d", label: "30 days", format: count }, { column: "new", label: "New", format: count },
      { column: "stickiness", label: "Stickiness", format: percent },
    ];
    return ready({ rows }, chartBox({ plan, label: "Active devices by day", tell }), dayTable("actives", "Active devices by day", rows, columns));
  },
};

const BARS = [
  { column: "new", label: "New", colour: "var(--accent)" },
  { column: "returning", label: "Returning", colour: "var(--back)" },
];

export const newcomers = {
  name: "newcomers", title: "New and returning", width: "w4", height: 264, hasTable: true, needs: () => ["active"], wants: ["versions"],
  define: "New: the first event ever of the device lies in that day. Returning: the others that were active.",
  draw({ answers, period }) {
    const rows = shownRows(answers.active, period).map((row) => ({
      date: row.date, new: row.new, returning: row.active === null || row.new === null ? null : row.active - row.new,
      ...(row.suppressed && { suppressed: true }),
    }));
    if (!hasFigures(rows)) return nothing("No device sent an event in these days.");
    const plan = {
      ...dayPlan("newcomers", rows, period, answers.versions), height: 240, tickText: shortCount, isBanded: true,
      ticks: countTicks(rows.reduce((most, row) => Math.max(most, (row.new ?? 0) + (row.returning ?? 0)), 0)),
      bars: BARS.map((bar) => ({ ...bar, values: rows.map((row) => row[bar.column]) })),
    };
    const tell = (index) => ({
      title: dayTitle(rows[index].date, period),
      figures: BARS.map(({ column, label, colour }) => ({ name: label, colour, text: shownText(rows[index], column, count) })),
    });
    const label = "New and returning devices by day";
    const columns = BARS.map(({ column, label: words }) => ({ column, label: words, format: count }));
    return ready({ rows }, chartBox({ plan, label, tell }), chartKey(BARS), dayTable("newcomers", label, rows, columns));
  },
};
