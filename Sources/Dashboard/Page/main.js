/* Where the page begins: the token is taken out of the address, and the gate or the figures are shown. */
import { takeToken } from "./address.js";
import { drawForPaper } from "./chart.js";
import { fill, html } from "./elements.js";
import { gate } from "./gate.js";
import { missingParts } from "./needs.js";
import { Page } from "./page.js";
import { forgetToken, storedToken, storeToken } from "./token.js";

const root = {
  header: document.querySelector("header"),
  main: document.querySelector("main"),
  status: html("p", { class: "status quiet", role: "status" }),
};
/* What page.html says of a browser that runs no script, or too old a one. */
const unfit = root.main.querySelector(".unfit");
const NO_TOKEN = "That is no token: it begins with sj_ and has no spaces.";
let page = null;

function showGate(why) {
  const isLeft = page !== null;
  page?.close();
  page = null;
  forgetToken();
  root.header.hidden = true;
  fill(root.header);
  root.status.textContent = "";
  fill(root.main, gate(come, why));
  if (isLeft || why !== null) root.main.querySelector("input").focus();
}

function come(token) {
  /* What no field of a request can carry is no token. */
  if (!/^[\x21-\x7e]+$/.test(token)) return showGate(NO_TOKEN);
  page?.close();
  storeToken(token);
  root.header.hidden = false;
  page = new Page(root, token, showGate);
  page.start();
}

function follow() {
  const token = takeToken();
  if (token) come(token);
  else page?.follow();
}

function showUnfit(why) {
  unfit.classList.add("certain");
  unfit.append(" " + why);
  if (!unfit.isConnected) fill(root.main, unfit);
}

/* What stops the script before there are figures: the page would wait for ever. Not all that is told here stopped it. */
function stopped(error) {
  if (!(error instanceof Error) || document.body.dataset.settled) return;
  page?.close();
  page = null;
  showUnfit(`Here it stopped: ${error.message}.`);
}

function begin(token) {
  addEventListener("error", (event) => stopped(event.error));
  addEventListener("unhandledrejection", (event) => stopped(event.reason));
  document.querySelector(".skip").addEventListener("click", (event) => {
    event.preventDefault();
    root.main.focus();
  });
  /* Also fired where only the fragment was changed by hand. */
  addEventListener("popstate", follow);
  addEventListener("beforeprint", () => drawForPaper(true));
  addEventListener("afterprint", () => drawForPaper(false));
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) page?.wake();
  });
  if (token) come(token);
  else showGate(null);
}

const first = takeToken() || storedToken();
const missing = missingParts();
if (missing.length === 0) begin(first);
else showUnfit(`This one has no ${missing.join(", ")}.`);
