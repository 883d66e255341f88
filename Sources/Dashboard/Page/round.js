/* One round of questions: what a view asks, and what came of each. */
import { isAnswerOf } from "./answers.js";
import { Failure } from "./asking.js";

export class Round {
  #results = new Map();
  /* The names of what was asked, answered or not. */
  #begun = new Set();

  /** - questions: as `questionsOf` gives them; two names may ask the same. */
  constructor(questions) {
    this.questions = questions;
  }

  /** Whether all of these are answered, have failed, or are not to be asked. */
  isSettled(names) {
    return names.every((name) => this.#results.has(name) || this.#verdictOf(name) === false);
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
    return Object.keys(this.questions).filter((name) => !this.questions[name].when);
  }

  /** Whether all is settled. */
  get isOver() {
    return this.isSettled(Object.keys(this.questions));
  }

  /** As if these had never been asked. */
  forget(names) {
    for (const name of names) {
      this.#results.delete(name);
      this.#begun.delete(name);
    }
  }

  /**
   * Asks, in this order, each question once, and then those that the answers call for. `onResult` is called after each. Throws
   * a `Failure` where the token is refused, and what `signal` has as its reason once it is aborted.
   */
  async ask(names, asker, signal, onResult) {
    for (const name of names) this.#begun.add(name);
    const byPath = new Map(names.map((name) => [this.questions[name].path, this.questions[name]]));
    await Promise.all([...byPath.values()].map(async ({ path, report, when }) => {
      const isReport = (answer) => isAnswerOf(report, answer);
      const asked = asker.json(path, signal, isReport, when !== undefined);
      const result = await asked.then((answer) => ({ answer }), (failure) => ({ failure }));
      signal.throwIfAborted();
      const { failure } = result;
      if (failure && (!(failure instanceof Failure) || failure.code === "unauthorized")) throw failure;
      for (const name of names) if (this.questions[name].path === path) this.#results.set(name, result);
      onResult();
      const called = Object.keys(this.questions).filter((name) => !this.#begun.has(name) && this.#verdictOf(name));
      await this.ask(called, asker, signal, onResult);
    }));
  }

  /* Whether a question that waits for answers is to be asked after all; null while that is open, or where it waits for none. */
  #verdictOf(name) {
    const when = this.questions[name]?.when;
    if (!when || !when.answered.every((other) => this.#results.has(other))) return null;
    return this.failureOf(when.answered) === null && when.holds(this.answers);
  }
}
