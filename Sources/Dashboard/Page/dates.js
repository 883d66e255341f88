/* Dates are strings YYYY-MM-DD of the proleptic Gregorian calendar, days are numbers since 1970-01-01. Nothing here
   knows a clock or a time zone but `todayIn`, and nothing uses the browser's own zone. */

const MONTH_LENGTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** The day's number, or null where the text is no date that exists. */
export function dayNumber(text) {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (!match) return null;
  const [year, month, day] = match.slice(1).map(Number);
  if (year < 1 || month < 1 || month > 12 || day < 1 || day > monthLength(year, month)) return null;
  return daysFromCivil(year, month, day);
}

/** The date of a day's number. */
export function dateOf(number) {
  const [year, month, day] = civilFromDays(number);
  return String(year).padStart(4, "0") + "-" + String(month).padStart(2, "0") + "-" + String(day).padStart(2, "0");
}

export function addDays(date, days) {
  return dateOf(dayNumber(date) + days);
}

/** Days from one date to another: 0 for the same. */
export function daysBetween(from, to) {
  return dayNumber(to) - dayNumber(from);
}

/** 0 for a Monday, 6 for a Sunday. */
export function weekdayOf(date) {
  return (((dayNumber(date) + 3) % 7) + 7) % 7;
}

/** The first day of the day, week (from Monday) or month in which the date lies. */
export function startOf(bucket, date) {
  if (bucket === "week") return addDays(date, -weekdayOf(date));
  return bucket === "month" ? date.slice(0, 8) + "01" : date;
}

/** The first day of the bucket that is `count` buckets after the one that begins at `start`, or before it. */
export function stepBuckets(bucket, start, count) {
  if (bucket === "day") return addDays(start, count);
  if (bucket === "week") return addDays(start, 7 * count);
  const months = Number(start.slice(0, 4)) * 12 + Number(start.slice(5, 7)) - 1 + count;
  return dateOf(daysFromCivil(Math.floor(months / 12), (((months % 12) + 12) % 12) + 1, 1));
}

/** The date in a zone at a moment of the server's clock, in milliseconds since 1970. */
export function todayIn(zone, moment) {
  const parts = new Intl.DateTimeFormat("en", {
    timeZone: zone, calendar: "gregory", numberingSystem: "latn", year: "numeric", month: "2-digit", day: "2-digit",
  }).formatToParts(moment);
  const part = (type) => parts.find((one) => one.type === type).value;
  return part("year").padStart(4, "0") + "-" + part("month") + "-" + part("day");
}

/** Whether the browser knows the zone under that name, which it takes in any case; the server looks for a file of it. */
export function isZone(name) {
  if (!/^[A-Z][\w+-]*(\/[A-Z][\w+-]*)*$/.test(name)) return false;
  try {
    const known = new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone;
    return known === name || known.toLowerCase() !== name.toLowerCase();
  } catch {
    return false;
  }
}

function monthLength(year, month) {
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return month === 2 && leap ? 29 : MONTH_LENGTHS[month - 1];
}

/* Years are counted from March, so that a leap day is the last of its year. */
function daysFromCivil(year, month, day) {
  const y = month <= 2 ? year - 1 : year;
  const era = Math.floor(y / 400);
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  const yearOfEra = y - era * 400;
  return era * 146097 + yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear - 719468;
}

function civilFromDays(number) {
  const days = number + 719468;
  const era = Math.floor(days / 146097);
  const dayOfEra = days - era * 146097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36524) - Math.floor(dayOfEra / 146096)) / 365);
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const shifted = Math.floor((5 * dayOfYear + 2) / 153);
  const month = shifted < 10 ? shifted + 3 : shifted - 9;
  return [yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - Math.floor((153 * shifted + 2) / 5) + 1];
}
