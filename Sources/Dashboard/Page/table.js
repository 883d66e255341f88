/* Tables of a report's rows: what stands behind each chart, and what ranked panels are. */
import { html, outside } from "./elements.js";
import { MISSING } from "./figures.js";

/** What stands for a figure that the server hides because a few devices could be told from it. */
const HIDDEN = "‹ few";

/**
 * A table in its scrolling box.
 *   panel, caption   its name in `data-table`, and what it is
 *   rows, key        the report's rows; {column, label, text(row)}, or without `text` a name from outside
 *   columns          [{column, label, format, isMore, isText, show(row, cell)}]: `isMore` ones come with the whole table
 *   track            what is drawn for a row beside its name, for the eye alone
 *   isBehind         whether it is shown only when asked for
 */
export function dataTable({ panel, caption, rows, key, columns, track, isBehind, className }) {
  const head = html("tr", null,
    html("th", { scope: "col" }, key.label),
    track && html("td", { class: "track" }),
    columns.map((one) => html("th", { scope: "col", class: classOf(one) }, one.label)));
  const body = rows.map((row) => html("tr", { data: { key: String(row[key.column]) } },
    html("th", { scope: "row" }, key.text ? key.text(row) : outside(row[key.column])),
    track && html("td", { class: "track", "aria-hidden": "true" }, track(row)),
    columns.map((one) => cellOf(row, one))));
  const table = html("table", { class: className, data: { table: panel } },
    html("caption", { class: isBehind ? null : "unseen" }, caption), html("thead", null, head), html("tbody", null, body));
  return scroller(table, caption, isBehind ? "behind" : null);
}

/** A cell of a report's figure: its value as JSON has it, and what people read. */
export function cellOf(row, { column, format, isMore, isText, show }) {
  const value = row[column] ?? null;
  const isHidden = value === null && row.suppressed === true;
  const cell = html("td", {
    class: classOf({ isMore, isText }), title: isHidden ? "Hidden: few devices" : null,
    data: { column, value: value === null ? null : String(value), suppressed: isHidden ? "" : null },
  });
  cell.append(show && value !== null ? show(row) : isHidden ? HIDDEN : value === null ? MISSING : isText ? outside(value) : format(value));
  return cell;
}

/** A bar for the eye alone, of a share of its track. */
export function meter(share, className = "meter") {
  return html("span", { class: className, style: { width: Math.round(share * 10000) / 100 + "%" } });
}

/** A box of its own for what may be wider than the page: a stop for keys only while it scrolls. */
export function scroller(content, label, className) {
  const box = html("div", { class: ["scroller", className].filter(Boolean).join(" "), role: "group", "aria-label": label }, content);
  scrollers.observe(box);
  scrollers.observe(content);
  return box;
}

const scrollers = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    const box = target.closest(".scroller");
    if (!target.isConnected) scrollers.unobserve(target);
    else if (box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight) box.setAttribute("tabindex", "0");
    else box.removeAttribute("tabindex");
  }
});

function classOf({ isMore, isText }) {
  return (isText ? "" : "n") + (isMore ? " more" : "");
}
