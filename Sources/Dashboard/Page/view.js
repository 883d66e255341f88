/* The view is the fragment of the address: what is shown, and nothing else (docs/dashboard.md, "The view"). */
import { isZone } from "./dates.js";
import { parseRange } from "./period.js";

export const FILTERS = ["os.name", "os.version", "service.version", "device.model.identifier"];
export const COHORTS = ["day", "week", "month"];
export const MAX_STEPS = 10;
export const DEFAULT_RANGE = "28d";
export const DEFAULT_DIMENSION = "service.version";
export const DEFAULT_WITHIN = "24h";

/* Members of one value, in the order in which they are written; the filters stand after `tz`. */
const SINGLE = {
  app: (text) => text !== "",
  range: (text) => parseRange(text) !== null,
  tz: isZone,
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

/** What a fragment says: the view, and the names of members that are ill-formed. */
export function parseFragment(fragment) {
  const members = new URLSearchParams(fragment.replace(/^#/, ""));
  const view = emptyView();
  const wrong = [];
  for (const [name, isWellFormed] of Object.entries(SINGLE)) {
    const text = members.get(name);
    if (text === null) continue;
    if (isWellFormed(text)) view[name] = text;
    else wrong.push(name);
  }
  for (const key of FILTERS) {
    const values = [...new Set(members.getAll(key))];
    if (values.includes("")) wrong.push(key);
    view.filters.push(...values.filter((value) => value !== "").map((value) => [key, value]));
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
