/* Where a view's days are: its zone, and what day it is there. */
import { isAnswerOf } from "./answers.js";
import { isZone, todayIn } from "./dates.js";
import { todayQuestion } from "./questions.js";

/**
 * {name, today, isKnown}: the view's zone, else the app's; the date in it by the server's clock; whether the browser knows it.
 * Of a zone that only the server knows it says itself what day it is: a question without dates ends today.
 */
export async function placeOf(view, app, asker, signal) {
  const name = view.tz ?? app.time_zone;
  if (isZone(name)) return { name, today: todayIn(name, asker.now), isKnown: true };
  const { report, path } = todayQuestion(view);
  const isAnswer = (answer) => isAnswerOf(report, answer) && typeof answer.time_zone === "string" && /^\d{4}-\d\d-\d\d$/.test(answer.to);
  const { time_zone: zone, to } = await asker.json(path, signal, isAnswer);
  signal.throwIfAborted();
  return { name: zone, today: to, isKnown: false };
}
