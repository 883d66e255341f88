/* What an answer of this server looks like, so that whatever else may stand at its address is told from it. */

/** Whether an answer is the list of reports and apps. Names stand in lines to be pasted into a shell. */
export function isIndex(answer) {
  return Array.isArray(answer.apps) && answer.apps.every((one) => typeof one?.app === "string" && /^[A-Za-z0-9_-]+$/.test(one.app));
}

/** Whether an answer is one of that report. */
export function isAnswerOf(report, answer) {
  return answer.report === report && Array.isArray(answer.rows) && answer.rows.every((row) => row !== null && typeof row === "object");
}

/** How many rows an answer leaves out because few devices are in them; true where it hides that too. */
export function hiddenRowsOf({ suppressed_rows: count }) {
  return count === null ? true : count ?? 0;
}

/** Whether rows have anything to show: a figure that is not 0 or is hidden. */
export function hasFigures(rows) {
  return rows.some((row) => row.suppressed === true || Object.values(row).some((value) => typeof value === "number" && value !== 0));
}
