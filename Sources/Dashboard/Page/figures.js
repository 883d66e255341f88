/* Numbers, times and dates as people read them, in the browser's language. */
import { dayNumber } from "./dates.js";

export const MISSING = "–";
const NARROW = "\u00a0";
/* The first that the person has set, which need not be the one that the browser's own words are in. */
const LANGUAGE = languageOf(navigator.language);

const whole = new Intl.NumberFormat(LANGUAGE, { maximumFractionDigits: 0 });
const tenths = new Intl.NumberFormat(LANGUAGE, { maximumFractionDigits: 1 });
const hundredths = new Intl.NumberFormat(LANGUAGE, { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const percents = new Intl.NumberFormat(LANGUAGE, { style: "percent", minimumFractionDigits: 1, maximumFractionDigits: 1 });
const wholePercents = new Intl.NumberFormat(LANGUAGE, { style: "percent" });
const short = new Intl.NumberFormat(LANGUAGE, { notation: "compact", maximumFractionDigits: 1 });
const change = new Intl.NumberFormat(LANGUAGE, {
  style: "percent", minimumFractionDigits: 1, maximumFractionDigits: 1, signDisplay: "exceptZero",
});
const pointsChange = new Intl.NumberFormat(LANGUAGE, {
  minimumFractionDigits: 1, maximumFractionDigits: 1, signDisplay: "exceptZero",
});

/* Dates are put to Intl as midnights of UTC and written in UTC: no zone of the browser comes in. */
const inUTC = (options) => new Intl.DateTimeFormat(LANGUAGE, { calendar: "gregory", timeZone: "UTC", ...options });
const dayAndMonth = inUTC({ day: "numeric", month: "short" });
const monthAndYear = inUTC({ month: "short", year: "numeric" });
const fullDate = inUTC({ day: "numeric", month: "short", year: "numeric" });
const dateWithWeekday = inUTC({ weekday: "short", day: "numeric", month: "short", year: "numeric" });

const ifAny = (format) => (value) => (value === null || value === undefined ? MISSING : format(value));
const midnight = (date) => dayNumber(date) * 86400000;

/** 16,701 */
export const count = ifAny((value) => whole.format(value));
/** 17K, for axes */
export const shortCount = ifAny((value) => (Math.abs(value) < 10000 ? tenths : short).format(value));
/** 2.54 */
export const decimal = ifAny((value) => hundredths.format(value));
/** 52.9% of a ratio */
export const percent = ifAny((value) => percents.format(value));
/** 25%, for axes */
export const wholePercent = (value) => wholePercents.format(value);
/** 1.17× */
export const index = ifAny((value) => hundredths.format(value) + "×");
/** 42 s, 2 min 52 s, 3 h 5 min, 12 d of seconds */
export const duration = ifAny(durationText);
/** +1.5%, of a ratio of change */
export const relativeChange = ifAny((value) => change.format(value));
/** +1.1 pp, of a difference of ratios */
export const points = ifAny((value) => pointsChange.format(value * 100) + NARROW + "pp");

/** 2 Nov */
export const shortDate = (date) => dayAndMonth.format(midnight(date));
/** Nov 2026 */
export const monthName = (date) => monthAndYear.format(midnight(date));
/** 2 Nov 2026 */
export const longDate = (date) => fullDate.format(midnight(date));
/** Mon, 2 Nov 2026 */
export const weekdayDate = (date) => dateWithWeekday.format(midnight(date));
/** 27 Oct – 23 Nov, 27 Oct; with the year where it is not today's */
export function dateRange(from, to, today) {
  const isThisYear = [from, to].every((date) => date.slice(0, 4) === today.slice(0, 4));
  return (isThisYear ? dayAndMonth : fullDate).formatRange(midnight(from), midnight(to));
}

/** 17:35 in a zone, or 17:35 UTC where it is null */
export function timeOfDay(moment, zone) {
  const named = zone === null ? { timeZone: "UTC", timeZoneName: "short" } : { timeZone: zone };
  return new Intl.DateTimeFormat(LANGUAGE, { ...named, hour: "2-digit", minute: "2-digit" }).format(moment);
}

/* Rounded first and divided then, so that no part reaches the next unit. An event ahead of its arrival is late by less than 0. */
function durationText(seconds) {
  if (seconds < 0) return whole.format(-1).replace(whole.format(1), "") + durationText(-seconds);
  const unit = (value, name) => whole.format(value) + NARROW + name;
  const both = (large, largeName, small, smallName) =>
    unit(large, largeName) + (small > 0 ? " " + unit(small, smallName) : "");
  if (seconds < 9.95) return tenths.format(seconds) + NARROW + "s";
  const rounded = Math.round(seconds);
  if (rounded < 60) return unit(rounded, "s");
  if (rounded < 3600) return both(Math.floor(rounded / 60), "min", rounded % 60, "s");
  const minutes = Math.round(seconds / 60);
  if (minutes < 48 * 60) return both(Math.floor(minutes / 60), "h", minutes % 60, "min");
  return unit(Math.round(minutes / 1440), "d");
}

/* Some browsers have here what is no tag of a language; then it is up to Intl. */
function languageOf(tag) {
  try {
    return Intl.NumberFormat.supportedLocalesOf(tag)[0];
  } catch {
    return undefined;
  }
}
