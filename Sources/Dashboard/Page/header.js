/* The bar above the figures: which app, which days, which zone, which devices; how fresh, and the way out. */
import { fill, html, outside, svg } from "./elements.js";
import { dateRange, timeOfDay } from "./figures.js";
import { DIMENSIONS } from "./view.js";

const RANGES = { "7d": "7 days", "28d": "28 days", "91d": "91 days", "364d": "52 weeks" };
const LOGO = "M2 11.5 6 7l3 3 5-6.5";

/**
 * {element, set}. `acts` has `change(members)`, which changes members of the view, `changeApp(id)`, `pickDates()`, `pickFilter()`,
 * `refresh()` and `leave()`.
 */
export function pageHeader(acts) {
  const app = html("span", { class: "app" });
  const radios = Object.entries(RANGES).map(([value, text]) => html("label", null,
    html("input", { type: "radio", name: "range", value, on: { change: () => acts.change({ range: value }) } }), html("span", null, text)));
  const range = html("div", { class: "segments", role: "radiogroup", "aria-label": "Range", data: { control: "range" } }, radios);
  const button = (action, className, onClick, ...content) =>
    html("button", { type: "button", class: className, data: { action }, on: { click: onClick } }, content);
  const dates = button("dates", "pill", acts.pickDates);
  const zone = html("select", { class: "pill zone", "aria-label": "Time zone", data: { control: "tz" }, on: { change: () => acts.changeZone(zone.value) } });
  const filter = button("filter", "pill", acts.pickFilter, "+ Filter");
  for (const opener of [dates, filter]) opener.setAttribute("aria-haspopup", "dialog");
  const chips = html("div", { class: "chips" });
  const fresh = html("span", { class: "quiet" });
  const refresh = button("refresh", "tool", acts.refresh, "Refresh");
  const element = html("div", { class: "bar" },
    html("span", { class: "brand" }, logo(), "Sojourn"), app, range, dates, zone, filter, chips,
    html("span", { class: "aside" }, fresh, refresh, button("leave", "tool", acts.leave, "Leave")));
  const made = {};

  /* The lists of apps and zones change seldom: they are made anew only then, so that an open one stays open. */
  function setLists(apps, shown, current) {
    known("apps", [apps, shown === null], () => fill(app, appControl(apps, shown)));
    const choice = app.querySelector("select");
    if (choice) choice.value = shown?.app ?? "";
    const isListed = [...zone.options].some(({ value }) => value === current);
    known("zones", [shown?.time_zone, isListed], () => fill(zone, zonesFor(shown, current).map((name) => html("option", { value: name }, name))));
  }

  function known(name, now, make) {
    const text = JSON.stringify(now);
    if (made[name] !== text) make();
    made[name] = text;
  }

  function appControl(apps, shown) {
    if (apps.length === 1 && shown) return html("bdi", { title: shown.name, data: { control: "app" } }, shown.name);
    const select = html("select", {
      class: "pill", "aria-label": "App", data: { control: "app" }, on: { change: () => acts.changeApp(select.value) },
    }, !shown && html("option", { value: "", selected: true }, "Choose an app"),
    apps.map(({ app: id, name }) => html("option", { value: id, title: name }, name)));
    return apps.length === 0 ? null : select;
  }

  return {
    element,
    /** Shows a view. `place` and `period` are null where the app shown is none, or one whose days are not known. */
    set({ apps, app: shown, view, period, place, moment }) {
      const current = place?.name ?? view.tz ?? shown?.time_zone;
      setLists(apps, shown, current);
      zone.hidden = !shown;
      zone.value = current;
      for (const part of [range, dates, filter, chips]) part.hidden = !period;
      if (!period) return;
      for (const label of radios) label.firstChild.checked = label.firstChild.value === view.range;
      dates.textContent = dateRange(period.from, period.to, period.today);
      dates.setAttribute("aria-label", "Dates: " + dates.textContent);
      known("filters", view.filters, () => fill(chips, view.filters.map(([key, value]) => chip(key, value))));
      fresh.textContent = "as of " + timeOfDay(moment, place.isKnown ? place.name : null);
    },
    /** While a refresh is under way. */
    setBusy(isBusy) {
      refresh.setAttribute("aria-disabled", String(isBusy));
    },
    get isBusy() {
      return refresh.getAttribute("aria-disabled") === "true";
    },
  };

  function chip(key, value) {
    const remove = () => {
      acts.removeFilter(key, value);
      filter.focus();
    };
    return html("button", {
      type: "button", class: "chip", "aria-label": "Remove filter " + DIMENSIONS[key] + " " + value, title: DIMENSIONS[key] + ": " + value,
      data: { filter: key, value }, on: { click: remove },
    }, DIMENSIONS[key], " ", outside(value), html("span", { "aria-hidden": "true" }, "×"));
  }
}

/* The app's zone, the view's, the browser's and UTC first, then all that the browser says it knows. */
function zonesFor(app, current) {
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const first = [app?.time_zone, current, own, "UTC"].filter((name) => name);
  return [...new Set([...first, ...(Intl.supportedValuesOf?.("timeZone") ?? [])])];
}

function logo() {
  return svg("svg", { width: 18, height: 18, viewBox: "0 0 16 16", "aria-hidden": "true", focusable: "false" },
    svg("path", { d: LOGO, class: "logo" }));
}
