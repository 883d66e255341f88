/* One round of questions: what a view asks, and what came of each. */
import { Failure } from "./asking.js";

export class Round {
  #results = new Map();

  /** - questions: name → {report, pairs, path}; two names may ask the same. */
  constructor(questions) {
    this.questions = questions;
  }

  /** Whether all of these are answered or have failed. */
  isSettled(names) {
    return names.every((name) => this.#results.has(name));
  }

  /** The first failure among these, or null. */
  failureOf(names) {
    return names.map((name) => this.#results.get(name)?.failure).find((failure) => failure) ?? null;
  }

  answerOf(name) {
    return this.#results.get(name)?.answer ?? null;
  }

  /** Name → answer, of what is answered. */
  get answers() {
    return Object.fromEntries([...this.#results].flatMap(([name, { answer }]) => (answer ? [[name, answer]] : [])));
  }

  /** The names of the questions to begin with. */
  get promptNames() {
    return Object.keys(this.questions).filter((name) => !this.questions[name].isLate);
  }

  /** Whether all that was to be asked at once is settled. */
  get isOver() {
    return this.isSettled(this.promptNames);
  }

  /** As if these had never been asked. */
  forget(names) {
    for (const name of names) this.#results.delete(name);
  }

  /**
   * Asks, in this order, each question once. `onResult` is called after each. Throws a `Failure` where the token is refused,
   * and what `signal` has as its reason once it is aborted.
   */
  async ask(names, asker, signal, onResult) {
    const byPath = new Map(names.map((name) => [this.questions[name].path, this.questions[name]]));
    await Promise.all([...byPath.values()].map(async ({ path, report }) => {
      const isReport = (answer) => isAnswerOf(report, answer);
      const result = await asker.json(path, signal, isReport).then((answer) => ({ answer }), (failure) => ({ failure }));
      signal.throwIfAborted();
      const { failure } = result;
      if (failure && (!(failure instanceof Failure) || failure.status === 401)) throw failure;
      for (const name of names) if (this.questions[name].path === path) this.#results.set(name, result);
      onResult();
    }));
  }
}

/** Whether an answer is one of that report. */
export function isAnswerOf(report, answer) {
  return answer.report === report && Array.isArray(answer.rows) && answer.rows.every((row) => row !== null && typeof row === "object");
}
