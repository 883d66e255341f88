/* How many sessions there are, and how long they last: two questions on the same days. */
import { hasFigures } from "./answers.js";
import { chartBox } from "./chart.js";
import { dayPlan, dayTitle, greatestOf, shownRows } from "./days.js";
import { count, decimal, duration, shortCount } from "./figures.js";
import { nothing, ready } from "./panel.js";
import { sideRoom } from "./plot.js";
import { countTicks, durationTicks } from "./scale.js";
import { dayTable, shownText } from "./table.js";

const LENGTHS = [
  { column: "duration_p90", label: "p90", colour: "var(--rest)" },
  { column: "duration_p50", label: "Median", colour: "var(--accent)", isSubject: true },
];
const SESSION_COLUMNS = [
  { column: "sessions", label: "Sessions", format: count }, { column: "devices", label: "Devices", format: count },
  { column: "sessions_per_device", label: "A device", format: decimal }, { column: "duration_mean", label: "Mean", format: duration },
  { column: "duration_p50", label: "Median", format: duration }, { column: "duration_p90", label: "p90", format: duration },
  { column: "duration_p95", label: "p95", format: duration }, { column: "total_duration", label: "Total", format: duration },
  { column: "closed", label: "Closed", format: count }, { column: "inferred", label: "Inferred", format: count },
  { column: "open", label: "Open", format: count },
];

export const sessions = {
  name: "sessions", title: "Sessions and their length", width: "w8", height: 300, hasTable: true, needs: () => ["sessions"], wants: ["versions"],
  define: "A session belongs to the day in which it began; its length is the time in the foreground. Median: half of the sessions were at most that long. p90: nine of ten were.",
  draw({ answers, period }) {
    const rows = shownRows(answers.sessions, period);
    if (!hasFigures(rows)) return nothing("No session began in these days.");
    const { counts, lengths } = plansOf(rows, period, answers.versions);
    const tell = (index) => {
      const row = rows[index];
      return {
        title: dayTitle(row.date, period),
        figures: [
          { name: "Sessions", text: shownText(row, "sessions", count), colour: "var(--accent)" },
          { name: "Median", text: shownText(row, "duration_p50", duration) }, { name: "p90", text: shownText(row, "duration_p90", duration) },
          { name: "Still open", text: shownText(row, "open", count) },
        ],
      };
    };
    return ready({ rows },
      chartBox({ plan: counts, label: "Sessions by day", tell }), chartBox({ plan: lengths, label: "Length of sessions by day", tell }),
      dayTable("sessions", "Sessions by day", rows, SESSION_COLUMNS));
  },
};

/* The two charts stand one above the other: same room at their sides, same days at the same indexes. */
function plansOf(rows, period, versions) {
  const common = { ...dayPlan("sessions", rows, period, versions), isBanded: true };
  const values = (column) => rows.map((row) => row[column]);
  const counts = {
    ...common, height: 150, tickText: shortCount, ticks: countTicks(greatestOf(rows, "sessions")), hasLabels: false,
    bars: [{ column: "sessions", values: values("sessions"), colour: "var(--accent)" }],
  };
  const lengths = {
    ...common, name: "length", height: 150, tickText: duration, ticks: durationTicks(greatestOf(rows, "duration_p50", "duration_p90")),
    lines: LENGTHS.map((line) => ({ ...line, values: values(line.column) })), hasNoNames: true,
  };
  const room = sideRoom([counts, lengths]);
  return { counts: { ...counts, ...room }, lengths: { ...lengths, ...room } };
}
