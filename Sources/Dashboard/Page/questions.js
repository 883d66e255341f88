/* What a view asks of the reports: one question for each line of the table in docs/dashboard.md, "Panels". */
import { addDays, startOf, stepBuckets } from "./dates.js";
import { cohortOf } from "./period.js";
import { DEFAULT_DIMENSION, DEFAULT_WITHIN } from "./view.js";

/* How many buckets before the last one the retention table begins at least. */
const COHORTS_BACK = { day: 13, week: 7, month: 5 };
const LIFETIME_DAYS = 179;
/* As far back as a report goes. */
const LONGEST_DAYS = 1100;
const VERSIONS_LIMIT = "5";
const RANKED_LIMIT = "10";

/**
 * Name → {report, pairs, path}, in the order in which they are to be asked: the headline's first, then cheap ones.
 * `shares` is `versions` by the view's dimension, where that is not the one by which the charts are marked. `ever` is asked
 * late: only where the answers to the others leave open whether the app has any event.
 */
export function questionsOf(view, period) {
  const wide = [["from", period.wide], ["to", period.to]];
  const shown = [["from", period.from], ["to", period.to]];
  const questions = {};
  const ask = (name, report, range, more = [], isFiltered = true) => {
    const pairs = [["app", view.app], ...range, ...more];
    if (view.tz !== null) pairs.push(["tz", view.tz]);
    if (isFiltered) pairs.push(...view.filters);
    questions[name] = { report, pairs, path: pathOf(report, pairs) };
  };
  const whole = ["interval", "all"];
  const byDay = (dimension) => [["dimension", dimension], ["interval", "day"], ["limit", VERSIONS_LIMIT]];

  ask("active", "active", wide);
  ask("sessions", "sessions", wide);
  ask("length", "sessions", [["from", period.from], ["to", period.last]], [whole]);
  if (period.isCompared) {
    ask("lengthBefore", "sessions", [["from", period.before], ["to", period.lastBefore]], [whole]);
  }
  ask("return", "retention", [["from", addDays(period.wide, -30)], ["to", period.last]], [["cohort", "day"], ["periods", "30"]]);
  ask("versions", "versions", wide, byDay(DEFAULT_DIMENSION));
  ask("quality", "quality", shown);
  ask("rejects", "rejects", shown, [], false);
  ask("platforms", "platforms", shown);
  ask("retention", "retention", [["from", cohortsFrom(view, period)], ["to", period.to]], [["cohort", cohortOf(view, period)]]);
  for (const report of ["events", "counters", "content", "videos"]) ask(report, report, shown, [["limit", RANKED_LIMIT]]);
  const young = addDays(period.to, -LIFETIME_DAYS);
  ask("lifetime", "lifetime", [["from", young < period.from ? young : period.from], ["to", period.to]]);
  if (view.dimension !== DEFAULT_DIMENSION) ask("shares", "versions", wide, byDay(view.dimension));
  if (view.steps.length > 1) {
    const steps = view.steps.map((step) => ["step", step]);
    ask("funnel", "funnel", shown, view.within === DEFAULT_WITHIN ? steps : [...steps, ["within", view.within]]);
  }
  const everything = [["from", addDays(period.today, 1 - LONGEST_DAYS)], ["to", period.today]];
  ask("ever", "active", everything, [whole], false);
  questions.ever.isLate = true;
  return questions;
}

/** Values of a filter's key in the range, most used first: the other filters count, those of the key do not. */
export function valuesQuestion(view, period, key) {
  const pairs = [["app", view.app], ["from", period.from], ["to", period.to], ["dimension", key], ["limit", "50"]];
  if (view.tz !== null) pairs.push(["tz", view.tz]);
  pairs.push(...view.filters.filter(([name]) => name !== key));
  return { report: "versions", pairs, path: pathOf("versions", pairs) };
}

export function pathOf(report, pairs) {
  return "/report/" + report + "?" + new URLSearchParams(pairs);
}

/** A line that a shell can take as it is: nothing in a form-encoded query ends a quoted word. */
export function curlLine(question, origin) {
  return "curl -H \"Authorization: Bearer $SOJOURN_TOKEN\" '" + origin + question.path + "'";
}

function cohortsFrom(view, period) {
  const bucket = cohortOf(view, period);
  const first = startOf(bucket, period.from);
  const back = stepBuckets(bucket, startOf(bucket, period.to), -COHORTS_BACK[bucket]);
  return back < first ? back : first;
}
