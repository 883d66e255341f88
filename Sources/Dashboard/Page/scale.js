/* Axes: where gridlines lie, and where a value or a row is drawn. Every axis begins at 0. */
import { startOf, weekdayOf } from "./dates.js";

const MAX_LINES = 4;
const SECONDS = [1, 2, 5, 10, 15, 30, 60, 120, 180, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400];
const LABEL_WIDTH = 58;

/** Gridlines of a ratio that is never above 1. */
export const RATIO_TICKS = [0, 0.25, 0.5, 0.75, 1];

/** Gridlines from 0 to the first round number that no value passes. */
export function countTicks(greatest) {
  let step = 1;
  for (let power = 1; Math.ceil(greatest / step) > MAX_LINES; power *= 10) {
    step = [1, 2, 5, 10].map((digit) => digit * power).find((one) => Math.ceil(greatest / one) <= MAX_LINES) ?? 10 * power;
  }
  return multiples(step, greatest);
}

/** The same for seconds, in steps that divide minutes, hours or days. */
export function durationTicks(greatest) {
  const fits = (step) => Math.ceil(greatest / step) <= MAX_LINES;
  const known = SECONDS.find(fits);
  return known ? multiples(known, greatest) : countTicks(greatest / 86400).map((days) => days * 86400);
}

/** From a value to its height in the drawing, between `bottom` at 0 and `top` at the last gridline. */
export function verticalScale(ticks, top, bottom) {
  const greatest = ticks[ticks.length - 1];
  return (value) => round(bottom - (value / greatest) * (bottom - top));
}

/** From a row's index to its x: rows as bands with room for a bar, or as points from edge to edge. */
export function horizontalScale(length, left, right, isBanded) {
  const step = isBanded ? (right - left) / length : length > 1 ? (right - left) / (length - 1) : 0;
  const first = isBanded ? left + step / 2 : length > 1 ? left : (left + right) / 2;
  return { step, at: (index) => round(first + index * step), indexAt: (x) => clamp(Math.round((x - first) / (step || 1)), length) };
}

/** Places of the dates that get a label: each day, Mondays, or firsts of months, as far apart as there is room. */
export function labelledDates(dates, step) {
  const every = (indexes) => {
    const apart = indexes.length > 1 ? (indexes[1] - indexes[0]) * step : LABEL_WIDTH;
    const skip = Math.ceil(LABEL_WIDTH / Math.max(apart, 0.01));
    return indexes.filter((_, index) => index % skip === 0);
  };
  const where = (isLabelled) => dates.flatMap((date, index) => (isLabelled(date) ? [index] : []));
  if (dates.length <= 9) return every(where(() => true));
  if (dates.length <= 130) return every(where((date) => weekdayOf(date) === 0));
  return every(where((date) => startOf("month", date) === date));
}

/** Coordinates with two decimals. */
export function round(value) {
  return Math.round(value * 100) / 100;
}

function multiples(step, greatest) {
  const lines = Math.max(1, Math.ceil(greatest / step));
  return Array.from({ length: lines + 1 }, (_, index) => index * step);
}

function clamp(index, length) {
  return Math.min(length - 1, Math.max(0, index));
}
