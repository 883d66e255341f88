/* Draws one chart as SVG. What is drawn stands in a plan, made by a panel:
     name                 the chart's name in `data-chart`
     keys                 what each row is called in `data-key`: dates, or days of a life
     isDated              whether keys are dates
     openIndex            the row that is not over, or -1
     height, isBanded     pixels; rows as bands (bars) or as points
     ticks, tickText      gridlines from 0, and what stands beside them
     lines                [{column, values, colour, label, isSubject}]
     bars                 [{column, values, colour}], one on the other
     areas                [{name, values, colour}], one on the other, together at most 1
     marks                [{version, date}]
     hasLabels            whether the rows' labels stand below */
import { html, svg } from "./elements.js";
import { monthName, shortDate } from "./figures.js";
import { horizontalScale, labelledDates, round, verticalScale } from "./scale.js";

const TOP = 16;
const CHARACTER = 6.4;
const LABEL_HALF = 24;
const WIDEST_BAR = 60;
const LONGEST_NAME = 120;

/** {element, xAt, indexAt, moveCursor}: the drawing at a width, and how to find rows in it. */
export function plot(plan, width) {
  const frame = frameOf(plan, width);
  const x = horizontalScale(plan.keys.length, frame.left, frame.right, plan.isBanded);
  const y = verticalScale(plan.ticks, frame.top, frame.bottom);
  const cursor = svg("line", { class: "cursor", y1: frame.top, y2: frame.bottom, visibility: "hidden" });
  const element = svg(
    "svg",
    {
      data: { chart: plan.name }, viewBox: `0 0 ${width} ${plan.height}`, width, height: plan.height,
      "aria-hidden": "true", focusable: "false",
    },
    grid(plan, frame, y),
    plan.hasLabels && labels(plan, frame, x, width),
    bars(plan, x, y),
    areas(plan, x, y),
    (plan.lines ?? []).map((line) => lineOf(line, plan.openIndex, x, y)),
    marks(plan, frame, x),
    endLabels(plan, frame, y),
    cursor);
  const moveCursor = (index) => {
    if (index === null) return cursor.setAttribute("visibility", "hidden");
    for (const end of ["x1", "x2"]) cursor.setAttribute(end, x.at(index));
    cursor.setAttribute("visibility", "visible");
  };
  return { element, xAt: x.at, indexAt: x.indexAt, moveCursor };
}

function frameOf(plan, width) {
  const longest = (texts) => Math.max(0, ...texts.map((text) => text.length));
  const ends = (plan.lines ?? []).flatMap((line) => (line.label ? [line.label] : []));
  const left = plan.leftRoom ?? longest(plan.ticks.map(plan.tickText)) * CHARACTER + 12;
  const right = plan.rightRoom ?? (ends.length > 0 ? longest(ends) * 7 + 14 : 10);
  return { left: round(left), right: round(width - right), top: TOP, bottom: plan.height - (plan.hasLabels ? 22 : 6) };
}

/** The room that a plan takes at its sides, for a plan drawn above or below it on the same days. */
export function sideRoom(plans) {
  const frames = plans.map((plan) => frameOf(plan, 0));
  return { leftRoom: Math.max(...frames.map((one) => one.left)), rightRoom: Math.max(...frames.map((one) => -one.right)) };
}

function grid(plan, frame, y) {
  return svg("g", { class: "grid" }, plan.ticks.map((tick, index) => [
    svg("line", { x1: frame.left, x2: frame.right, y1: y(tick), y2: y(tick), class: index === 0 && "base", data: { tick } }),
    svg("text", { x: frame.left - 8, y: y(tick) + 4, "text-anchor": "end" }, plan.tickText(tick)),
  ]));
}

function labels(plan, frame, x, width) {
  const text = (index, words) => {
    const at = x.at(index);
    const anchor = at + LABEL_HALF > width ? "end" : "middle";
    return svg("text", { x: at, y: plan.height - 4, "text-anchor": anchor }, words);
  };
  if (plan.isDated) {
    const words = plan.keys.length > 130 ? monthName : shortDate;
    return labelledDates(plan.keys, x.step).map((index) => text(index, words(plan.keys[index])));
  }
  const every = [1, 5, 10, 25, 30, 50, 100, 200].find((step) => step * x.step > 44) ?? 365;
  return plan.keys.flatMap((key, index) => (index % every === 0 ? [text(index, String(key))] : []));
}

/* One path of what is over, and one of the piece that leads to the open row, dashed. */
function lineOf(line, openIndex, x, y) {
  const points = line.values.flatMap((value, index) => (value === null ? [] : [{ index, at: [x.at(index), y(value)] }]));
  const closed = points.filter((point) => point.index !== openIndex).map((point) => point.at);
  const open = openIndex < 0 ? [] : points.filter((point) => point.index >= openIndex - 1).map((point) => point.at);
  const isOpen = points.some((point) => point.index === openIndex);
  const stroke = { stroke: line.colour, class: line.isSubject ? "line subject" : "line" };
  const dot = ([cx, cy], more) => svg("circle", { cx, cy, r: 2.5, fill: line.colour, ...more });
  return [
    line.isSubject && closed.length > 1 && svg("path", { d: linePath(closed) + ` V${y(0)} H${closed[0][0]} Z`, fill: line.colour, class: "under" }),
    closed.length > 0 && svg("path", { ...stroke, d: linePath(closed), data: { series: line.column } }),
    closed.length === 1 && dot(closed[0]),
    isOpen && svg("path", { ...stroke, d: linePath(open), class: stroke.class + " open", data: { series: line.column, open: "" } }),
    isOpen && open.length === 1 && dot(open[0], { data: { open: "" } }),
  ];
}

function bars(plan, x, y) {
  const series = plan.bars ?? [];
  const width = round(Math.min(WIDEST_BAR, Math.max(1, x.step * 0.72)));
  const radius = Math.min(3, width / 4);
  return plan.keys.map((key, index) => {
    let below = 0;
    return series.map(({ column, values, colour }) => {
      const value = values[index];
      if (value === null) return column === series[0].column && hiddenMark(x.at(index), y(0));
      const top = y(below + value);
      const height = round(y(below) - top);
      below += value;
      const isOpen = index === plan.openIndex;
      return svg("rect", {
        x: round(x.at(index) - width / 2), y: top, width, height, rx: Math.min(radius, height / 2),
        class: isOpen ? "bar open" : "bar", fill: isOpen ? "none" : colour, stroke: isOpen ? colour : null,
        data: { series: column, key, open: isOpen ? "" : null },
      });
    });
  });
}

/* A day of which the figure is hidden is no day without devices. */
function hiddenMark(at, bottom) {
  return svg("text", { x: at, y: bottom - 4, "text-anchor": "middle" }, "‹");
}

function areas(plan, x, y) {
  const below = plan.keys.map(() => 0);
  return (plan.areas ?? []).map(({ name, values, colour }) => {
    const lower = [...below];
    values.forEach((value, index) => (below[index] = Math.min(1, below[index] + value)));
    const piece = (from, to, isOpen) => {
      const indexes = plan.keys.map((_, index) => index).slice(from, to);
      if (indexes.length === 0) return null;
      /* A single day has a width all the same. */
      const sides = plan.keys.length === 1 ? [-WIDEST_BAR / 2, WIDEST_BAR / 2] : [0];
      const edge = (heights) => indexes.flatMap((index) => sides.map((side) => [x.at(index) + side, y(heights[index])]));
      const outline = [...edge(below), ...edge(lower).toReversed()];
      const data = { series: name ?? "", stack: "", open: isOpen ? "" : null };
      return svg("path", { d: linePath(outline) + " Z", fill: colour, class: isOpen ? "area open" : "area", data });
    };
    const { openIndex } = plan;
    if (openIndex < 0) return piece(0, plan.keys.length, false);
    return [openIndex > 0 && piece(0, openIndex, false), piece(Math.max(0, openIndex - 1), openIndex + 1, true)];
  });
}

/* A hairline at the first day of a version, its name on top where there is room beside the one before. */
function marks(plan, frame, x) {
  let free = -Infinity;
  return (plan.marks ?? []).flatMap(({ version, date }) => {
    const index = plan.keys.indexOf(date);
    if (index < 0) return [];
    const at = x.at(index);
    const line = svg("line", { class: "mark", x1: at, x2: at, y1: frame.top - 10, y2: frame.bottom, data: { version, key: date } });
    const width = Math.min(LONGEST_NAME, version.length * 7 + 10);
    const isLeft = at + width > frame.right;
    const start = isLeft ? at - width : at;
    if (start < free || plan.hasNoNames) return [line];
    free = start + width;
    const name = html("div", { class: isLeft ? "mark-name left" : "mark-name", title: version }, html("bdi", null, version));
    return [line, svg("foreignObject", { x: start, y: 0, width, height: 16 }, name)];
  });
}

/* Names at the right ends of lines, pushed apart where lines end near each other. */
function endLabels(plan, frame, y) {
  const ends = (plan.lines ?? []).flatMap((line) => {
    const last = line.values.findLast((value) => value !== null);
    return line.label && last !== undefined ? [{ line, at: y(last) }] : [];
  }).sort((a, b) => a.at - b.at);
  ends.forEach((end, index) => (end.at = Math.max(end.at, (ends[index - 1]?.at ?? -Infinity) + 14)));
  const over = Math.max(0, (ends.at(-1)?.at ?? 0) - frame.bottom);
  return ends.map(({ line, at }) =>
    svg("text", { class: "end", x: frame.right + 8, y: round(at - over + 4), style: { fill: line.labelColour ?? line.colour } }, line.label));
}

/** The d of a line through points. */
export function linePath(points) {
  return points.map(([px, py], index) => (index === 0 ? "M" : "L") + px + "," + py).join(" ");
}
