/* When a view is asked again: while the page is seen, and the more seldom the longer it took. */

const REFRESH_MS = 60000;
const TIMES_AS_LONG = 10;

export class Refresher {
  #timer = null;
  #isDue = false;
  #onDue;

  constructor(onDue) {
    this.#onDue = onDue;
  }

  /** After a view that took so many milliseconds. */
  set(took) {
    this.stop();
    this.#timer = setTimeout(() => {
      this.#isDue = true;
      if (!document.hidden) this.wake();
    }, Math.max(REFRESH_MS, TIMES_AS_LONG * took));
  }

  /** The page is seen again: what became due meanwhile is asked now. */
  wake() {
    if (!this.#isDue) return;
    this.#isDue = false;
    this.#onDue();
  }

  stop() {
    clearTimeout(this.#timer);
    this.#isDue = false;
  }
}
