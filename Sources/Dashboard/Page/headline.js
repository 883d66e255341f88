/* The figures of the headline from the answers, and what they are compared with (docs/dashboard.md, "Days and changes"). */
import { addDays } from "./dates.js";
import { datesFrom, settledPeriod } from "./period.js";

/** Ratios are compared by their difference, in percentage points; everything else by now ÷ before − 1. */
export const RATIOS = ["stickiness", "retention_1", "retention_7", "retention_30"];

/**
 * Name → {now, before, change, isHidden, isHiddenBefore}: null where there is nothing to say. Hidden is a figure where a
 * report hides what it would be made of, or a part of it.
 */
export function headlineFigures(answers, period) {
  const { isCompared } = settledPeriod(period, answers.active);
  const active = new Map(answers.active.rows.map((row) => [row.date, row]));
  const sessions = new Map(answers.sessions.rows.map((row) => [row.date, row]));
  const ranges = {
    now: { from: period.from, last: period.last, length: answers.length },
    before: { from: period.before, last: period.lastBefore, length: answers.lengthBefore },
  };
  const ofLast = (rows, column) => ({ last }) => cell(rows.get(last), column);
  const summed = (rows, column) => ({ from, last }) => total(datesFrom(from, last).map((date) => rows.get(date)), column);
  const ofWhole = (column) => ({ length }) => cell(length?.rows[0], column);
  const measures = {
    active_1d: ofLast(active, "active"),
    active_7d: ofLast(active, "active_7d"),
    active_30d: ofLast(active, "active_30d"),
    stickiness: ofLast(active, "stickiness"),
    sessions: summed(sessions, "sessions"),
    new: summed(active, "new"),
    duration_p50: ofWhole("duration_p50"),
    duration_p90: ofWhole("duration_p90"),
    retention_1: returned(answers.return.rows, 1, period.today),
    retention_7: returned(answers.return.rows, 7, period.today),
    retention_30: returned(answers.return.rows, 30, period.today),
  };
  const figures = {};
  for (const [name, measure] of Object.entries(measures)) {
    const now = measure(ranges.now);
    const before = isCompared ? measure(ranges.before) : { value: null, isHidden: false };
    figures[name] = {
      now: now.value, before: before.value, isHidden: now.isHidden, isHiddenBefore: before.isHidden,
      change: changeOf(now.value, before.value, RATIOS.includes(name)),
    };
  }
  return figures;
}

/** What of the devices first seen `days` before each date came back on it: [{date, value}], for the line of the card. */
export function returnedByDay(rows, days, period) {
  const byCohort = new Map(rows.map((row) => [row.cohort, row]));
  return datesFrom(period.from, period.last).map((date) => {
    const row = byCohort.get(addDays(date, -days));
    const isOver = date < period.today;
    return { date, value: isOver && row?.size ? ratio(row["p" + days], row.size) : null };
  });
}

function changeOf(now, before, isRatio) {
  if (now === null || before === null) return null;
  if (isRatio) return now - before;
  return before === 0 ? null : now / before - 1;
}

function cell(row, column) {
  const value = row?.[column] ?? null;
  return { value, isHidden: value === null && row?.suppressed === true };
}

function total(rows, column) {
  const present = rows.filter((row) => row !== undefined);
  const isHidden = present.some((row) => row[column] === null);
  const isNothing = isHidden || present.length === 0;
  return { value: isNothing ? null : present.reduce((sum, row) => sum + row[column], 0), isHidden };
}

/* Cohorts of which the day that counts lies in the range and is over. */
function returned(rows, days, today) {
  const column = "p" + days;
  return ({ from, last }) => {
    const counted = rows.filter((row) => {
      const date = addDays(row.cohort, days);
      return date >= from && date <= last && date < today;
    });
    if (counted.some((row) => row.size === null || row[column] === null)) return { value: null, isHidden: true };
    const sum = (name) => counted.reduce((all, row) => all + row[name], 0);
    return { value: ratio(sum(column), sum("size")), isHidden: false };
  };
}

function ratio(part, all) {
  return part === null || !all ? null : part / all;
}
