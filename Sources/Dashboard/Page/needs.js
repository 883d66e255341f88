/* Whether this browser has what the page cannot do without. The other half is the syntax of these modules: a browser that
   lacks it runs nothing of them, and what page.html says stays. Since when each is there: docs/dashboard.md, "Browsers". */

const NEEDS = {
  fetch: () => window.fetch,
  ResizeObserver: () => window.ResizeObserver,
  showModal: () => window.HTMLDialogElement?.prototype.showModal,
  replaceChildren: () => Element.prototype.replaceChildren,
  requestSubmit: () => HTMLFormElement.prototype.requestSubmit,
  throwIfAborted: () => window.AbortSignal?.prototype.throwIfAborted,
  formatRange: () => Intl.DateTimeFormat.prototype.formatRange,
  at: () => Array.prototype.at,
  findLast: () => Array.prototype.findLast,
  toReversed: () => Array.prototype.toReversed,
};

/** The names of what is missing. */
export function missingParts() {
  return Object.entries(NEEDS).filter(([, find]) => !find()).map(([name]) => name);
}
