/* Draws panels when what they ask is answered, and leaves alone what would be the same. */
import { Failure } from "./asking.js";
import { failed } from "./panel.js";

export class Drawing {
  /* By panel: the answers that it was last drawn from. */
  #drawnFrom = new Map();

  /**
   * Draws a panel if all of its questions are settled. `needs` are the names of those without which there is no panel; `round`
   * has what came of them; `context` is what panels draw from; `retry(names)` asks those again that failed.
   */
  draw(frame, needs, round, context, retry) {
    const { panel } = frame;
    if (!round.isSettled(needs)) return;
    const failure = round.failureOf(needs);
    if (failure) return this.#show(frame, [failure], () => failed(failure, () => retry(needs)));
    const { wants } = panel;
    if (!round.isSettled(wants)) return;
    const from = [context.key, ...[...needs, ...wants].map((name) => round.answerOf(name))];
    this.#show(frame, from, () => drawn(panel, context, () => retry(needs)));
  }

  /** Empties the panels. */
  clear(frames) {
    this.#drawnFrom.clear();
    for (const frame of frames) frame.clear();
  }

  #show(frame, from, contentOf) {
    const last = this.#drawnFrom.get(frame.panel.name);
    if (last?.length === from.length && last.every((one, index) => one === from[index])) return frame.keep();
    this.#drawnFrom.set(frame.panel.name, from);
    frame.show(contentOf());
  }
}

/* An answer that has not what the report has is none of this server's, though its status is 200. */
function drawn(panel, context, retry) {
  try {
    return panel.draw(context);
  } catch (error) {
    if (!(error instanceof TypeError || error instanceof RangeError)) throw error;
    return failed(new Failure("foreign", "", 200), retry);
  }
}
