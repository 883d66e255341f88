/* What a view asks of the reports: one question for each line of the table in docs/dashboard.md, "Panels". */
import { hasFigures } from "./answers.js";
import { addDays, startOf, stepBuckets } from "./dates.js";
import { cohortOf, settledPeriod } from "./period.js";
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
 * `shares` is `versions` by the view's dimension, where that is not the one by which the charts are marked. Some have
 * `when`, {answered, holds}: they are asked once these names are answered, and only if `holds(answers)`.
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
    questions.lengthBefore.when = { answered: ["active"], holds: ({ active }) => settledPeriod(period, active).isCompared };
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
  /* Whether anything ever happened matters only where nothing did in these days. */
  const isQuiet = (answers) => view.filters.length === 0 && !hasFigures(answers.active.rows) && !hasFigures(answers.return.rows);
  questions.ever.when = { answered: ["active", "return"], holds: isQuiet };
  return questions;
}

/** What ends today in the view's zone, without that day being known. */
export function todayQuestion(view) {
  const pairs = [["app", view.app]];
  if (view.tz !== null) pairs.push(["tz", view.tz]);
  return { report: "rejects", pairs, path: pathOf("rejects", pairs) };
}

/** Values of a filter's key in the range, most used first: the other filters count, those of the key do not. */
export function valuesQuestion(view, period, key) {
  const pairs = [["app", view.app], ["from", period.from], ["to", period.to], ["dimension", key], ["limit", "50"]];
  if (view.tz !== null) pairs.push(["tz", view.tz]);
  pairs.push(...view.filters.filter(([name]) => name !== key));
  return { report: "versions", pairs, path: pathOf("versions", pairs) };
}

/** Where a question is asked, below the address of the page. */
export function pathOf(report, pairs) {
  return "report/" + report + "?" + new URLSearchParams(pairs);
}

/** A line that a shell can take as it is. */
export function curlLine(question, home) {
  return "curl -H \"Authorization: Bearer $SOJOURN_TOKEN\" " + shellWord(home + question.path);
}

/** An address as a word for a shell: nothing in it ends the quotes. */
export function shellWord(address) {
  return "'" + address.replaceAll("'", "%27") + "'";
}

function cohortsFrom(view, period) {
  const bucket = cohortOf(view, period);
  const first = startOf(bucket, period.from);
  const back = stepBuckets(bucket, startOf(bucket, period.to), -COHORTS_BACK[bucket]);
  return back < first ? back : first;
}
