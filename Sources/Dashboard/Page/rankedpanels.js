/* Panels that rank names which devices sent: a table, each name with a bar. */
import { hasFigures, hiddenRowsOf } from "./answers.js";
import { count, duration, percent } from "./figures.js";
import { nothing, ready } from "./panel.js";
import { dataTable, meter } from "./table.js";

export const events = ranked({
  name: "events", title: "Top events", key: { column: "name", label: "Event" }, by: "events",
  define: "How often each event was sent in these days, and by how many devices.",
  columns: [{ column: "events", label: "Events", format: count }, { column: "devices", label: "Devices", format: count }],
  why: "No event lies in these days.",
});

export const counters = ranked({
  name: "counters", title: "Counters", key: { column: "counter", label: "Counter" }, by: "total",
  define: "What apps count by themselves: the sum of all increments, how often one was sent, and by how many devices.",
  columns: [
    { column: "total", label: "Total", format: count }, { column: "increments", label: "Times", format: count },
    { column: "devices", label: "Devices", format: count },
  ],
  why: "No usage.counter event lies in these days.",
});

export const content = ranked({
  name: "content", title: "Read to the end", key: { column: "content", label: "Content" }, by: "viewers",
  define: "Devices that saw a piece of content, and those that came to its end. Credited: their first end of it ever lies in these days.",
  columns: [
    { column: "views", label: "Views", format: count, isMore: true }, { column: "viewers", label: "Viewers", format: count },
    { column: "completions", label: "Ends", format: count, isMore: true }, { column: "completers", label: "To the end", format: count },
    { column: "completion_rate", label: "Rate", format: percent }, { column: "credited", label: "Credited", format: count },
  ],
  why: "No content.view event lies in these days.",
});

export const videos = ranked({
  name: "videos", title: "Full-screen video", key: { column: "video", label: "Video" }, by: "enters",
  define: "How often a video went to the full screen, on how many devices, and for how long: the median of one time, and all of them together.",
  columns: [
    { column: "enters", label: "Times", format: count }, { column: "devices", label: "Devices", format: count },
    { column: "fullscreen_p50", label: "Median", format: duration }, { column: "fullscreen_total", label: "Total", format: duration },
  ],
  why: "No video.enter_fullscreen event lies in these days.",
});

function ranked({ name, title, key, by, define, columns, why }) {
  return {
    name, title, define, width: "w6", height: 340, hasTable: columns.some((one) => one.isMore), needs: () => [name], wants: [],
    draw({ answers }) {
      const { rows } = answers[name];
      const hiddenRows = hiddenRowsOf(answers[name]);
      if (!hasFigures(rows) && !hiddenRows) return nothing(why);
      const greatest = Math.max(1, ...rows.map((row) => row[by] ?? 0));
      const track = (row) => meter((row[by] ?? 0) / greatest);
      return ready({ rows, hiddenRows }, dataTable({ panel: name, caption: title, rows, key, columns, track, className: "ranked" }));
    },
  };
}
