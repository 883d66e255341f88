/* The days that a view is about, and those that they are compared with (docs/dashboard.md, "Days and changes"). */
import { addDays, dateOf, dayNumber, daysBetween } from "./dates.js";

export const MAX_DAYS = 1000;
/** No device has a clock before it. */
export const FIRST_DATE = "1970-01-01";
/* A range and the days before it fit into one question of the reports up to here. */
const MAX_COMPARED_DAYS = 535;

/** A range as it stands in the address, or null: {days} for `Nd`, {from, to} for two dates. */
export function parseRange(text) {
  if (/^[1-9]\d{0,3}d$/.test(text)) {
    const days = Number(text.slice(0, -1));
    return days <= MAX_DAYS ? { days } : null;
  }
  const [from, to, ...more] = text.split("..");
  if (to === undefined || more.length > 0 || dayNumber(from) === null || dayNumber(to) === null) return null;
  const length = daysBetween(from, to) + 1;
  return length >= 1 && length <= MAX_DAYS && from >= FIRST_DATE ? { from, to } : null;
}

/**
 * `from` to `to` are the days shown, `days` of them; `last` is the last one that is over, the headline's; `isOpen` says
 * that `to` is today. `before` to `lastBefore` are what is compared with, where `isCompared`; questions for both begin at `wide`.
 */
export function periodOf(range, today) {
  const { days: asked, from: first, to: end } = parseRange(range);
  const to = asked || end > today ? today : end;
  const from = asked ? addDays(today, 1 - asked) : first > to ? to : first;
  const days = daysBetween(from, to) + 1;
  const isOpen = to === today;
  const last = isOpen && days > 1 ? addDays(to, -1) : to;
  const fits = days <= MAX_COMPARED_DAYS;
  return {
    from, to, days, last, today, isOpen,
    isCompared: fits && !(isOpen && days === 1),
    before: addDays(from, -days), lastBefore: addDays(last, -days),
    wide: fits ? addDays(from, -days) : from,
  };
}

/**
 * The period as `active` of its wide range leaves it: nothing is compared with days before there was anybody. A hidden figure
 * is somebody. `since` is the first day with a device where that is why, or null.
 */
export function settledPeriod(period, { rows }) {
  const isYoung = period.isCompared && rows[0]?.active_30d === 0;
  const first = isYoung ? rows.find((row) => row.active !== 0) : undefined;
  return { ...period, isCompared: period.isCompared && !isYoung, since: first?.date ?? null };
}

/** The dates of a range, both ends included. */
export function datesFrom(from, to) {
  const first = dayNumber(from);
  return Array.from({ length: daysBetween(from, to) + 1 }, (_, index) => dateOf(first + index));
}

/** The buckets in which retention is shown: as the view says, else by the length of the range. */
export function cohortOf(view, period) {
  return view.cohort ?? (period.days <= 14 ? "day" : period.days <= 120 ? "week" : "month");
}
