/* Where the page begins: the token is taken out of the address, and the gate or the figures are shown. */
import { takeToken } from "./address.js";
import { fill, html } from "./elements.js";
import { gate } from "./gate.js";
import { Page } from "./page.js";
import { forgetToken, storedToken, storeToken } from "./token.js";

const root = {
  header: document.querySelector("header"),
  main: document.querySelector("main"),
  status: html("p", { class: "status quiet", role: "status" }),
};
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

document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  root.main.focus();
});
/* Also fired where only the fragment was changed by hand. */
addEventListener("popstate", follow);
document.addEventListener("visibilitychange", () => {
  if (!document.hidden) page?.wake();
});

const first = takeToken() || storedToken();
if (first) come(first);
else showGate(null);
