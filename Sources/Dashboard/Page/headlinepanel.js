/* The headline: a sentence and four cards, what they are compared with, and the daily line of each. */
import { shownRows } from "./days.js";
import { html, svg } from "./elements.js";
import { count, dateRange, duration, MISSING, percent, points, relativeChange } from "./figures.js";
import { headlineFigures, RATIOS, returnedByDay } from "./headline.js";
import { settledPeriod } from "./period.js";
import { linePath } from "./plot.js";
import { round } from "./scale.js";
import { HIDDEN } from "./table.js";

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
  retention_30: { label: "After 30 days", text: percent, title: "Of the devices first seen 30 days before a day of the range, those active on that day." },
};

/** What the headline shows where there is something to say. */
export function headlineContent({ answers, view, period: asked, minGroup }) {
  const period = settledPeriod(asked, answers.active);
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
  const cards = [
    card("Active devices", activeText(days, period), "active_1d", values(days, "active"), ["active_7d", "active_30d", "stickiness"].map(second)),
    card("Sessions", range, "sessions", values(sessionDays, "sessions"), ["duration_p50", "duration_p90"].map(second)),
    card("New devices", range, "new", values(days, "new"), daysBefore(figures.new, period)),
    card("Coming back", "after 7 days", "retention_7", values(returnedByDay(answers.return.rows, 7, period), "value"),
      ["retention_1", "retention_30"].map(second)),
  ];
  const few = minGroup > 1 && html("p", { class: "quiet few" }, `This server hides figures of fewer than ${count(minGroup)} devices.`);
  const young = period.since !== null && html("p", { class: "quiet young" }, view.filters.length > 0 ? "With these filters there" : "There",
    " is data since ", dateRange(period.since, period.since, period.today), ": too young to compare with the days before.");
  const elements = [lede(figures, days.at(-1), period), young, few, html("div", { class: "cards" }, cards)];
  return { state: "ready", isSuppressed: Object.values(figures).some((figure) => figure.isHidden), elements };
}

function lede(figures, today, period) {
  const strong = (text) => html("b", null, text);
  const { active_30d: devices, sessions, duration_p50: median, retention_7: back } = figures;
  const parts = [];
  if (period.isOpen && devices.now === 0 && sessions.now === 0 && today?.active > 0) {
    parts.push(strong(count(today.active)), today.active === 1 ? " device" : " devices", " so far today, and none in the 30 days before.");
    return html("p", { class: "lede", data: { lede: "" } }, parts);
  }
  if (devices.now === null) parts.push(devices.isHidden ? "Few devices were active in 30 days. " : "No device can be counted yet. ");
  else {
    parts.push(strong(count(devices.now)), devices.now === 1 ? " device in 30 days" : " devices in 30 days");
    if (devices.change !== null) parts.push(", ", ...changeWords(devices.change, period.days, strong));
    parts.push(". ");
  }
  if (sessions.now !== null) {
    parts.push(strong(count(sessions.now)), sessions.now === 1 ? " session " : " sessions ", spanWords(period));
    if (median.now !== null && sessions.now > 1) parts.push(", half of them longer than ", strong(duration(median.now)));
    parts.push(". ");
  }
  if (back.now !== null) parts.push("Of the new devices ", strong(percent(back.now)), " came back after a week.");
  return html("p", { class: "lede", data: { lede: "" } }, parts);
}

function changeWords(change, days, strong) {
  const than = days === 1 ? "the day before" : count(days) + " days earlier";
  if (isSame(change)) return ["as many as " + than];
  return [strong(percent(Math.abs(change))), change > 0 ? " more than " : " fewer than ", than];
}

/* Whether a change is none in the digits that are shown. */
function isSame(change) {
  return Math.round(change * 1000) === 0;
}

/* The days of the headline, after a number. */
function spanWords(period) {
  if (!period.isOpen) return (period.days === 1 ? "on " : "from ") + rangeText(period);
  return period.days === 1 ? "so far today" : "in the " + rangeText(period);
}

function rangeText({ days, from, last, today, isOpen }) {
  if (!isOpen) return dateRange(from, last, today);
  return days === 1 ? "today so far" : count(days - 1) + (days === 2 ? " day" : " days") + " to yesterday";
}

function activeText(days, period) {
  if (!period.isOpen) return dateRange(period.last, period.last, period.today);
  if (period.days === 1) return "today so far";
  const today = days.at(-1)?.active ?? null;
  return "yesterday" + (today === null ? "" : ", " + count(today) + " today so far");
}

function metric(name, { now, isHidden }) {
  return { data: { metric: name, value: now === null ? null : String(now), suppressed: isHidden ? "" : null } };
}

function shown(name, { now, isHidden }) {
  return isHidden ? HIDDEN : now === null ? MISSING : METRICS[name].text(now);
}

/* What new devices are compared with: the card has no other figure. */
function daysBefore({ before, isHiddenBefore }, period) {
  return period.isCompared && html("div", null, html("dt", null, dateRange(period.before, period.lastBefore, period.today)),
    html("dd", null, html("span", { class: "value" }, isHiddenBefore ? HIDDEN : count(before))));
}

function secondFigure(name, figure, period) {
  return html("div", { title: METRICS[name].title, ...metric(name, figure) },
    html("dt", null, METRICS[name].label), html("dd", null, html("span", { class: "value" }, shown(name, figure)), compared(name, figure, period)));
}

/* Up or down, with a shape and in words, against the days before. */
function compared(name, { change, before }, period) {
  if (before === null) return null;
  const said = `${METRICS[name].text(before)} from ${dateRange(period.before, period.lastBefore, period.today)}`;
  const data = { before: String(before), change: change === null ? null : String(change) };
  if (change === null) return html("span", { class: "change", data, title: said }, html("span", { class: "unseen" }, "before: " + said));
  const text = RATIOS.includes(name) ? points(change) : relativeChange(change);
  const direction = isSame(change) ? "same" : change > 0 ? "up" : "down";
  return html("span", { class: "change " + direction, data, title: said },
    direction !== "same" && html("span", { "aria-hidden": "true" }, direction === "up" ? "▲ " : "▼ "), text,
    html("span", { class: "unseen" }, " against " + said));
}

/* A line from 0, without axes: what it says stands in the charts below. It is broken where a figure is missing or hidden. */
function spark(values, period) {
  const greatest = Math.max(...values.map((value) => value ?? 0), 0) || 1;
  const step = values.length > 1 ? SPARK.width / (values.length - 1) : 0;
  const point = (value, index) => [round(index * step), round(SPARK.bottom - (value / greatest) * (SPARK.bottom - SPARK.top))];
  const openIndex = period.isOpen && values.length === period.days ? values.length - 1 : -1;
  const runs = [[]];
  values.forEach((value, index) => {
    if (index === openIndex) return;
    if (value === null) runs.push([]);
    else runs.at(-1).push(point(value, index));
  });
  const rest = openIndex < 0 ? [] : values.flatMap((value, index) => (value === null || index < openIndex - 1 ? [] : [point(value, index)]));
  const line = (points, className) => {
    const ends = points.length === 1 ? [points[0], [points[0][0] + (values.length === 1 ? SPARK.width : 0.1), points[0][1]]] : points;
    return svg("path", { d: linePath(ends), class: className });
  };
  const drawn = runs.filter((run) => run.length > 0);
  return svg("svg", { class: "spark", viewBox: `0 0 ${SPARK.width} ${SPARK.height}`, preserveAspectRatio: "none", "aria-hidden": "true", focusable: "false" },
    drawn.map((run) => svg("path", { d: linePath(run) + ` V${SPARK.bottom} H${run[0][0]} Z`, class: "under", fill: "var(--accent)" })),
    drawn.map((run) => line(run, "line")),
    rest.length > 0 && line(rest, "line open"));
}
