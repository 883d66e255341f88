/* Whether the numbers can be trusted: seven figures, each with a word on whether to look closer. */
import { hasFigures } from "./answers.js";
import { html } from "./elements.js";
import { count, duration, percent } from "./figures.js";
import { nothing, ready } from "./panel.js";
import { dayTable } from "./table.js";

/* From here on a figure asks for a look. */
const DOUBTFUL_SHARE = 0.01;
const DOUBTFUL_LATENESS_S = 2 * 86400;

const QUALITY_COLUMNS = [
  { column: "batches", label: "Batches", format: count }, { column: "duplicates", label: "Repeats", format: count },
  { column: "events", label: "Events", format: count }, { column: "rejected", label: "Rejected", format: count },
  { column: "bytes_received", label: "Bytes", format: count }, { column: "corrected_batches", label: "Corrected", format: count },
  { column: "late_p50", label: "Late, median", format: duration }, { column: "late_p95", label: "Late, p95", format: duration },
  { column: "missing_batches", label: "Missing", format: count }, { column: "dropped_events", label: "Dropped", format: count },
];

export const quality = {
  name: "quality", title: "Can the numbers be trusted?", width: "w12", height: 64, hasTable: true, needs: () => ["quality", "rejects"], wants: [],
  define: "By day of arrival. Late: how long after they happened events arrive; nineteen of twenty are at most so late. Rejected: events that break a rule. Refused: whole batches with an error, before any filter. Missing: holes in the sequence of a device’s batches. Dropped: events that devices say they discarded. Wrong clocks: batches whose times were corrected.",
  draw({ answers, view }) {
    const { rows } = answers.quality;
    const refused = answers.rejects.rows.reduce((sum, row) => sum + row.batches, 0);
    if (!hasFigures(rows) && refused === 0) return nothing("No batch arrived in these days.");
    const sum = (column) => rows.reduce((all, row) => all + row[column], 0);
    const batches = sum("batches");
    const events = sum("events");
    const late = rows.reduce((most, row) => (row.late_p95 === null ? most : Math.max(most ?? 0, row.late_p95)), null);
    const share = (part, whole) => (whole > 0 ? part / whole : 0);
    const item = (metric, label, value, text, below, isDoubtful) => html("div", { data: { metric, value: value === null ? null : String(value) } },
      html("dt", null, html("span", { class: isDoubtful ? "dot look" : "dot", "aria-hidden": "true" }), label),
      html("dd", null, text, html("small", null, below, isDoubtful && html("span", { class: "look" }, " · look closer"))));
    const ofAll = (metric, label, value, whole, words = "") => {
      const part = share(value, whole);
      return item(metric, label, value, count(value), percent(part) + words, part > DOUBTFUL_SHARE);
    };
    /* Counted before filters: with some there is nothing here to hold them against. */
    const unfiltered = (metric, label, value) => view.filters.length === 0
      ? ofAll(metric, label, value, batches + value) : item(metric, label, value, count(value), "before filters", false);
    const strip = html("dl", { class: "strip" },
      item("batches", "Batches", batches, count(batches), [html("span", { data: { metric: "events", value: events } }, count(events)), events === 1 ? " event" : " events"], false),
      item("late_p95", "Late, p95", late, duration(late), "on the worst day", late > DOUBTFUL_LATENESS_S),
      ofAll("rejected", "Rejected events", sum("rejected"), events + sum("rejected")),
      unfiltered("refused", "Refused batches", refused),
      unfiltered("missing_batches", "Missing batches", sum("missing_batches")),
      ofAll("dropped_events", "Dropped on devices", sum("dropped_events"), events + sum("dropped_events")),
      ofAll("corrected_batches", "Wrong clocks", sum("corrected_batches"), batches, " corrected"));
    return ready({ rows }, strip, dayTable("quality", "What arrived, by day of arrival", rows, QUALITY_COLUMNS));
  },
};
