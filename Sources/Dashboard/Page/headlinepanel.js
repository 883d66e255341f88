/* The headline: a sentence and four cards, what they are compared with, and the daily line of each. */
import { shownRows } from "./days.js";
import { html, svg } from "./elements.js";
import { count, dateRange, duration, MISSING, percent, points, relativeChange, shortDate } from "./figures.js";
import { headlineFigures, RATIOS, returnedByDay } from "./headline.js";
import { round } from "./scale.js";

const SPARK = { width: 240, height: 44, top: 4, bottom: 42 };

/* What each figure is called and means, and how it is written. */
const METRICS = {
  active_1d: { label: "1 day", text: count, title: "Distinct devices with an event on the last day that is over." },
  active_7d: { label: "7 days", text: count, title: "Distinct devices in the 7 days that end with it." },
  active_30d: { label: "30 days", text: count, title: "Distinct devices in the 30 days that end with it." },
  stickiness: { label: "Stickiness", text: percent, title: "Devices of the day as a share of those of 30 days." },
  sessions: { label: "Sessions", text: count, title: "Sessions that began in the range." },
  duration_p50: { label: "Median", text: duration, title: "Half of the sessions had at most this time in the foreground." },
  duration_p90: { label: "p90", text: duration, title: "Nine of ten sessions had at most this time in the foreground." },
  new: { label: "New", text: count, title: "Devices whose first event ever lies in the range." },
  retention_1: { label: "After 1 day", text: percent, title: "Of the devices first seen a day before a day of the range, those active on that day." },
  retention_7: { label: "After 7 days", text: percent, title: "Of the devices first seen 7 days before a day of the range, those active on that day." },
  retention_30: { label: "30 days", text: percent, title: "Of the devices first seen 30 days before a day of the range, those active on that day." },
};

/** The elements of the headline where there is something to say. */
export function headlineElements({ answers, period, minGroup }) {
  const figures = headlineFigures(answers, period);
  const days = shownRows(answers.active, period);
  const sessionDays = shownRows(answers.sessions, period);
  const values = (rows, column) => rows.map((row) => row[column]);
  const range = rangeText(period);
  const second = (name) => secondFigure(name, figures[name], period);
  const card = (title, when, hero, line, seconds) => html("article", { class: "card head-card" },
    html("h2", null, title, " ", html("span", { class: "quiet" }, when)),
    html("div", { class: "hero", title: METRICS[hero].title, ...metric(hero, figures[hero]) }, html("span", { class: "num" }, shown(hero, figures[hero])), compared(hero, figures[hero], period)),
    spark(line, period),
    html("dl", { class: "pairs" }, seconds));
  return [
    lede(figures, period),
    minGroup > 1 && html("p", { class: "quiet few" }, `This server hides figures of fewer than ${count(minGroup)} devices.`),
    html("div", { class: "cards" },
      card("Active devices", activeText(days, period), "active_1d", values(days, "active"), ["active_7d", "active_30d", "stickiness"].map(second)),
      card("Sessions", range, "sessions", values(sessionDays, "sessions"), ["duration_p50", "duration_p90"].map(second)),
      card("New devices", range, "new", values(days, "new"), daysBefore(figures.new, period)),
      card("Coming back", "after 7 days", "retention_7", values(returnedByDay(answers.return.rows, 7, period), "value"), ["retention_1", "retention_30"].map(second))),
  ];
}

/** Whether anything is hidden of the figures. */
export function isHeadlineSuppressed({ answers, period }) {
  return Object.values(headlineFigures(answers, period)).some((figure) => figure.isHidden);
}

function lede(figures, period) {
  const strong = (text) => html("b", null, text);
  const { active_30d: devices, sessions, duration_p50: median, retention_7: back } = figures;
  const parts = [];
  if (devices.now === null) parts.push(devices.isHidden ? "Few devices were active in 30 days. " : "No device can be counted yet. ");
  else {
    parts.push(strong(count(devices.now)), devices.now === 1 ? " device in 30 days" : " devices in 30 days");
    if (devices.change !== null) parts.push(", ", ...changeWords(devices.change, strong));
    parts.push(". ");
  }
  if (sessions.now !== null) {
    parts.push(strong(count(sessions.now)), sessions.now === 1 ? " session " : " sessions ", spanWords(period));
    if (median.now !== null) parts.push(", half of them longer than ", strong(duration(median.now)));
    parts.push(". ");
  }
  if (back.now !== null) parts.push("Of the new devices ", strong(percent(back.now)), " came back after a week.");
  return html("p", { class: "lede", data: { lede: "" } }, parts);
}

function changeWords(change, strong) {
  const text = percent(Math.abs(change));
  if (text === percent(0)) return ["as many as the period before"];
  return [strong(text), change > 0 ? " more than the period before" : " fewer than the period before"];
}

/* The days of the headline, after a number. */
function spanWords(period) {
  if (!period.isOpen) return (period.days === 1 ? "on " : "from ") + rangeText(period);
  return period.days === 1 ? "so far today" : "in the " + rangeText(period);
}

function rangeText({ days, from, last, isOpen }) {
  if (!isOpen) return days === 1 ? shortDate(from) : dateRange(from, last);
  return days === 1 ? "today so far" : count(days - 1) + (days === 2 ? " day" : " days") + " to yesterday";
}

function activeText(days, period) {
  if (!period.isOpen) return shortDate(period.last);
  if (period.days === 1) return "today so far";
  const today = days.at(-1)?.active ?? null;
  return "yesterday" + (today === null ? "" : ", " + count(today) + " today so far");
}

function metric(name, { now, isHidden }) {
  return { data: { metric: name, value: now === null ? null : String(now), suppressed: isHidden ? "" : null } };
}

function shown(name, { now, isHidden }) {
  return isHidden ? "‹ few" : now === null ? MISSING : METRICS[name].text(now);
}

/* What new devices are compared with: the card has no other figure. */
function daysBefore({ before }, period) {
  return html("div", null, html("dt", null, period.isCompared ? dateRange(period.before, period.lastBefore) : "The days before"),
    html("dd", null, html("span", { class: "value" }, count(before))));
}

function secondFigure(name, figure, period) {
  return html("div", { title: METRICS[name].title, ...metric(name, figure) },
    html("dt", null, METRICS[name].label), html("dd", null, html("span", { class: "value" }, shown(name, figure)), compared(name, figure, period)));
}

/* Up or down, with a shape and in words, against the days before. */
function compared(name, { change, before }, period) {
  if (before === null) return null;
  const said = `${METRICS[name].text(before)} from ${dateRange(period.before, period.lastBefore)}`;
  const data = { before: String(before), change: change === null ? null : String(change) };
  if (change === null) return html("span", { class: "change", data, title: said }, html("span", { class: "unseen" }, "before: " + said));
  const text = RATIOS.includes(name) ? points(change) : relativeChange(change);
  const direction = !/[1-9]/.test(text) ? "same" : change > 0 ? "up" : "down";
  return html("span", { class: "change " + direction, data, title: said },
    direction !== "same" && html("span", { "aria-hidden": "true" }, direction === "up" ? "▲ " : "▼ "), text,
    html("span", { class: "unseen" }, " against " + said));
}

/* A line from 0, without axes: what it says stands in the charts below. */
function spark(values, period) {
  const greatest = Math.max(...values.map((value) => value ?? 0), 0) || 1;
  const step = values.length > 1 ? SPARK.width / (values.length - 1) : 0;
  const points = values.flatMap((value, place) => value === null ? [] : [{ place, x: round(place * step), y: round(SPARK.bottom - (value / greatest) * (SPARK.bottom - SPARK.top)) }]);
  const open = period.isOpen && values.length === period.days ? values.length - 1 : -1;
  const path = (some) => some.map(({ x, y }, place) => (place ? "L" : "M") + x + "," + y).join(" ");
  const closed = points.filter(({ place }) => place !== open);
  const rest = open < 0 ? [] : points.filter(({ place }) => place >= open - 1);
  const under = closed.length > 1 && path(closed) + ` V${SPARK.bottom} H${closed[0].x} Z`;
  return svg("svg", { class: "spark", viewBox: `0 0 ${SPARK.width} ${SPARK.height}`, preserveAspectRatio: "none", "aria-hidden": "true", focusable: "false" },
    under && svg("path", { d: under, class: "under", fill: "var(--accent)" }),
    closed.length > 1 && svg("path", { d: path(closed), class: "line" }),
    rest.length > 1 && svg("path", { d: path(rest), class: "line open" }));
}
