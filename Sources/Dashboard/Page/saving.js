/* What is asked beside the panels: files to keep, and values to filter by. */
import { isAnswerOf } from "./answers.js";
import { html } from "./elements.js";
import { valuesQuestion } from "./questions.js";

const KEPT_MS = 60000;

/** Saves the answer to a question as the server writes it in CSV, byte for byte, as APP-PANEL-FROM-TO.csv. */
export async function saveCSV(asker, question, panelName, signal) {
  const { app, from, to } = Object.fromEntries(question.pairs);
  const url = URL.createObjectURL(await asker.bytes(question.path + "&format=csv", "text/csv", signal));
  html("a", { href: url, download: [app, panelName, from, to].join("-") + ".csv" }).click();
  setTimeout(() => URL.revokeObjectURL(url), KEPT_MS);
}

/** Values of a filter's key, [{value, share}], most used first. Systems stand in an answer that is there. */
export async function valuesOf(asker, platforms, view, period, key, signal) {
  if (key === "os.name" && platforms && !view.filters.some(([name]) => name === key)) {
    return platforms.rows.map((row) => ({ value: row[key], share: row.device_share }));
  }
  const { path, report } = valuesQuestion(view, period, key);
  const { rows } = await asker.json(path, signal, (answer) => isAnswerOf(report, answer));
  return rows;
}
