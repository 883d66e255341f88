/* What the charts of days share: their rows, their versions, their words. */
import { weekdayDate } from "./figures.js";

/** Rows of the range, without those that were asked for to compare with. */
export function shownRows(answer, period) {
  return answer.rows.filter((row) => row.date >= period.from);
}

/** The first day of each version that came after the first day asked about, if it is shown: [{version, date}]. */
export function versionMarks(versions, period) {
  const first = new Map();
  for (const { date, value, devices } of versions?.rows ?? []) {
    if (devices !== 0 && value !== "unknown" && !first.has(value)) first.set(value, date);
  }
  return [...first].flatMap(([version, date]) => (date > period.wide && date >= period.from ? [{ version, date }] : []))
    .sort((a, b) => (a.date < b.date ? -1 : a.date > b.date ? 1 : 0));
}

/** What every plan of a chart of days begins with. */
export function dayPlan(name, rows, period, versions) {
  const keys = rows.map((row) => row.date);
  return {
    name, keys, isDated: true, openIndex: period.isOpen ? keys.indexOf(period.to) : -1, hasLabels: true,
    marks: versionMarks(versions, period),
  };
}

/** Mon, 23 Nov 2026, not over */
export function dayTitle(date, period) {
  return weekdayDate(date) + (date === period.today ? ", not over" : "");
}

/** The greatest value of some columns, 0 where there is none. */
export function greatestOf(rows, ...columns) {
  return rows.reduce((most, row) => columns.reduce((all, column) => Math.max(all, row[column] ?? 0), most), 0);
}
