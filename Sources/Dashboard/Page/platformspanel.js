/* Share of devices beside share of time: what is installed, and what is used. */
import { hasFigures, hiddenRowsOf } from "./answers.js";
import { chartKey } from "./chart.js";
import { html } from "./elements.js";
import { count, decimal, duration, index, percent } from "./figures.js";
import { nothing, ready } from "./panel.js";
import { dataTable, meter } from "./table.js";

const PLATFORM_KEY = [
  { label: "share of devices", colour: "var(--back)" },
  { label: "share of time", colour: "var(--accent)" },
];

export const platforms = {
  name: "platforms", title: "Installed and used", width: "w4", height: 300, hasTable: true, needs: () => ["platforms"], wants: [],
  define: "The share of devices against the share of time in the foreground. The index is time ÷ devices: above 1, a system is used more than its numbers say.",
  draw({ answers }) {
    const { rows } = answers.platforms;
    const hiddenRows = hiddenRowsOf(answers.platforms);
    if (!hasFigures(rows) && !hiddenRows) return nothing("No device sent an event in these days.");
    const longest = Math.max(0, ...rows.flatMap((row) => [row.device_share ?? 0, row.usage_share ?? 0])) || 1;
    const pair = (row) => html("div", { class: "pair", "aria-hidden": "true" },
      meter((row.device_share ?? 0) / longest, "meter back"), html("span", null, percent(row.device_share)),
      meter((row.usage_share ?? 0) / longest), html("b", null, percent(row.usage_share)));
    const columns = [
      { column: "engagement_index", label: "Index", format: index, show: (row) => html("span", { class: row.engagement_index >= 1 ? "index over" : "index" }, index(row.engagement_index)) },
      { column: "devices", label: "Devices", format: count, isMore: true },
      { column: "device_share", label: "Of devices", format: percent, isMore: true },
      { column: "usage_share", label: "Of time", format: percent, isMore: true },
      { column: "sessions", label: "Sessions", format: count, isMore: true },
      { column: "duration", label: "Time", format: duration, isMore: true },
      { column: "sessions_per_device", label: "A device", format: decimal, isMore: true },
    ];
    const table = dataTable({
      panel: "platforms", caption: "Installed base against use by system", rows, key: { column: "os.name", label: "System" },
      columns, track: pair, className: "platforms",
    });
    return ready({ rows, hiddenRows }, table, chartKey(PLATFORM_KEY));
  },
};
