/* The view is the fragment of the address: what is shown, and nothing else (docs/dashboard.md, "The view"). */
import { isZone } from "./dates.js";
import { parseRange } from "./period.js";

/** The keys of filters and dimensions, and what they are called. */
export const DIMENSIONS = {
  "os.name": "System", "os.version": "System version", "service.version": "App version", "device.model.identifier": "Model",
};
export const FILTERS = Object.keys(DIMENSIONS);
export const COHORTS = ["day", "week", "month"];
export const MAX_STEPS = 10;
/* More would not fit into the address of a question, or above the figures. */
const MAX_FILTERS = 50;
const MAX_FILTERS_LENGTH = 5000;
export const DEFAULT_RANGE = "28d";
export const DEFAULT_DIMENSION = "service.version";
export const DEFAULT_WITHIN = "24h";

/* Members of one value, in the order in which they are written; the filters stand after `tz`. */
const SINGLE = {
  app: (text) => text !== "",
  range: (text) => parseRange(text) !== null,
  tz: (text, zones) => zones.includes(text) || isZone(text),
  cohort: (text) => COHORTS.includes(text),
  dimension: (text) => FILTERS.includes(text),
  within: (text) => /^[1-9]\d{0,8}[smhd]$/.test(text),
};

/** {app, range, tz, filters: [[key, value]], cohort, dimension, steps, within}: null where the address says nothing. */
export function emptyView() {
  return {
    app: null, range: DEFAULT_RANGE, tz: null, filters: [], cohort: null,
    dimension: DEFAULT_DIMENSION, steps: [], within: DEFAULT_WITHIN,
  };
}

/** What a fragment says: the view, and the names of members that are ill-formed. `zones` are taken, known to the browser or not. */
export function parseFragment(fragment, zones = []) {
  const members = new URLSearchParams(fragment.replace(/^#/, ""));
  const view = emptyView();
  const wrong = [];
  for (const [name, isWellFormed] of Object.entries(SINGLE)) {
    const text = members.get(name);
    if (text === null) continue;
    if (isWellFormed(text, zones)) view[name] = text;
    else wrong.push(name);
  }
  const take = filterRoom();
  for (const key of FILTERS) {
    const values = [...new Set(members.getAll(key))];
    const taken = values.filter((value) => value !== "" && !value.includes("\0") && take(key, value));
    if (taken.length < values.length) wrong.push(key);
    view.filters.push(...taken.map((value) => [key, value]));
  }
  const steps = members.getAll("step");
  if (steps.length >= 2 && steps.length <= MAX_STEPS && !steps.includes("")) view.steps = steps;
  else if (steps.length > 0) wrong.push("step");
  return { view, wrong };
}

/** The view as it stands in the address, without `#`; members at their default are left out. */
export function formatFragment(view) {
  const members = new URLSearchParams();
  const put = (name, value, usual) => {
    if (value !== null && value !== usual) members.append(name, value);
  };
  put("app", view.app);
  put("range", view.range, DEFAULT_RANGE);
  put("tz", view.tz);
  for (const key of FILTERS) {
    for (const [name, value] of view.filters) if (name === key) put(key, value);
  }
  put("cohort", view.cohort);
  put("dimension", view.dimension, DEFAULT_DIMENSION);
  for (const step of view.steps) put("step", step);
  put("within", view.within, DEFAULT_WITHIN);
  return members.toString();
}

/** The view's filters with one more, or as they are where it is there. */
export function withFilter(view, key, value) {
  const isThere = view.filters.some(([name, one]) => name === key && one === value);
  return isThere ? view.filters : [...view.filters, [key, value]];
}

export function withoutFilter({ filters }, key, value) {
  return filters.filter(([name, one]) => name !== key || one !== value);
}

/* Takes filters until there is no room for more. */
function filterRoom() {
  let count = 0;
  let length = 0;
  return (key, value) => {
    count += 1;
    length += new URLSearchParams([[key, value]]).toString().length;
    return count <= MAX_FILTERS && length <= MAX_FILTERS_LENGTH;
  };
}
