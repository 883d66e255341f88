/* The address of the page: reports are below it, its fragment is the view, and may bring a token. */
import { formatFragment, parseFragment } from "./view.js";

/** The address below which the reports are: the document's own up to the last slash, without a name and password, which no question may have. */
export function home() {
  return location.origin + location.pathname.replace(/[^/]*$/, "");
}

/** The token in the address, which is taken out of it, or null. */
export function takeToken() {
  const members = new URLSearchParams(location.hash.slice(1));
  const token = members.get("token");
  if (token === null) return null;
  members.delete("token");
  history.replaceState(null, "", addressOf(members.toString()));
  return token.trim();
}

/** {view, app, wrong}: the view of the address, its app among those given or null, and the members that are ill-formed. */
export function readView(apps) {
  const { view, wrong } = parseFragment(location.hash, apps.map((one) => one.time_zone));
  view.app ??= apps[0]?.app ?? null;
  const app = apps.find((one) => one.app === view.app) ?? null;
  if (view.tz === app?.time_zone) view.tz = null;
  const fragment = formatFragment(view);
  if (location.hash !== (fragment && "#" + fragment)) history.replaceState(null, "", addressOf(fragment));
  return { view, app, wrong };
}

/** Puts a view into the address: one entry of the history, if it is another one. Whether it is. */
export function writeView(view) {
  const fragment = formatFragment(view);
  if (location.hash === "#" + fragment) return false;
  history.pushState(null, "", addressOf(fragment));
  return true;
}

/** Takes the view out of the address. */
export function clearView() {
  history.replaceState(null, "", addressOf(""));
}

/* Beside itself, since not all browsers let a page see the name and password in its address, which have to stay. */
function addressOf(fragment) {
  return "./" + location.pathname.replace(/^.*\//, "") + location.search + (fragment && "#" + fragment);
}
