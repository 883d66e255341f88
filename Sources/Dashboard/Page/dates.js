// A moment as a date in the language of the browser.
export function dateText(moment) {
  return new Intl.DateTimeFormat(undefined, { dateStyle: "long" }).format(moment);
}
