/* Tables of a report's rows: what stands behind each chart, and what ranked panels are. */
import { html, outside } from "./elements.js";
import { longDate, MISSING } from "./figures.js";

/** What stands for a figure that the server hides because a few devices could be told from it. */
export const HIDDEN = "‹ few";

/** A row's figure in a column as people read it, hidden or missing ones too. */
export function shownText(row, column, format) {
  const value = row[column] ?? null;
  return value !== null ? format(value) : row.suppressed === true ? HIDDEN : MISSING;
}

/**
 * A table in its scrolling box.
 *   panel, caption   its name in `data-table`, and what it is
 *   rows, key        the report's rows; {column, label, text(row)}, or without `text` a name from outside
 *   columns          [{column, label, format, isMore, isText, show(row, cell)}]: `isMore` ones come with the whole table
 *   track            what is drawn for a row beside its name, for the eye alone
 *   isCollapsed         whether it is shown only when asked for
 */
export function dataTable({ panel, caption, rows, key, columns, track, isCollapsed, className }) {
  const head = html("tr", null,
    html("th", { scope: "col" }, key.label),
    track && html("td", { class: "track" }),
    columns.map((one) => html("th", { scope: "col", class: classOf(one) }, one.label)));
  const body = rows.map((row) => html("tr", { data: { key: String(row[key.column]) } },
    html("th", { scope: "row" }, key.text ? key.text(row) : outside(row[key.column])),
    track && html("td", { class: "track", "aria-hidden": "true" }, track(row)),
    columns.map((one) => cellOf(row, one))));
  const table = html("table", { class: className, data: { table: panel } },
    html("caption", { class: isCollapsed ? null : "unseen" }, caption), html("thead", null, head), html("tbody", null, body));
  return scroller(table, caption, isCollapsed ? "behind" : null);
}

/** A cell of a report's figure: its value as JSON has it, and what people read. */
export function cellOf(row, { column, format, isMore, isText, show }) {
  const value = row[column] ?? null;
  const isHidden = value === null && row.suppressed === true;
  const cell = html("td", {
    class: classOf({ isMore, isText }), title: isHidden ? "Hidden: few devices" : null,
    data: { column, value: value === null ? null : String(value), suppressed: isHidden ? "" : null },
  });
  cell.append(value !== null && show ? show(row) : value !== null && isText ? outside(value) : shownText(row, column, format));
  return cell;
}

/** The table behind a chart of days. */
export function dayTable(panel, caption, rows, columns) {
  const key = { column: "date", label: "Day", text: (row) => longDate(row.date) };
  return dataTable({ panel, caption, rows, key, columns, isCollapsed: true });
}

/** A bar for the eye alone, of a share of its track. */
export function meter(share, className = "meter") {
  return html("span", { class: className, style: { width: Math.round(share * 10000) / 100 + "%" } });
}

/** A box of its own for what may be wider than the page: a stop for keys only while it scrolls. */
export function scroller(content, label, className) {
  const box = html("div", { class: ["scroller", className].filter(Boolean).join(" "), role: "group", "aria-label": label }, content);
  scrollers ??= new ResizeObserver(setStops);
  scrollers.observe(box);
  scrollers.observe(content);
  return box;
}

/* Made with the first box, since a browser may have none (needs.js). */
let scrollers = null;

function setStops(entries) {
  for (const { target } of entries) {
    const box = target.closest(".scroller");
    if (!target.isConnected) scrollers.unobserve(target);
    else if (box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight) box.setAttribute("tabindex", "0");
    else box.removeAttribute("tabindex");
  }
}

function classOf({ isMore, isText }) {
  return (isText ? "" : "n") + (isMore ? " more" : "");
}
