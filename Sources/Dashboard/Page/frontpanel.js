/* The first panel: the headline, or what there is instead of one. */
import { home } from "./address.js";
import { hasFigures } from "./answers.js";
import { html } from "./elements.js";
import { frameStates } from "./frame.js";
import { headlineContent } from "./headlinepanel.js";
import { retryButton } from "./panel.js";
import { shellWord } from "./questions.js";

/** The headline as a panel: the same way as the others, without a frame. */
export const headline = {
  name: "headline",
  needs: (view, period) => ["active", "sessions", "length", ...(period.isCompared ? ["lengthBefore"] : []), "return"],
  wants: ["ever"],
  draw(context) {
    const { ever } = context.answers;
    return ever && !hasFigures(ever.rows) ? { state: "empty", elements: firstBatch(context) } : headlineContent(context);
  },
};

/** The section of the headline, with what a frame does. */
export function headlineFrame() {
  const body = html("div", { class: "headline" });
  const section = html("section", { class: "w12", "aria-label": "Headline", data: { panel: "headline", state: "loading" } }, body);
  return { panel: headline, section, ...frameStates(section, body, () => body.querySelector("button")?.focus()), ask() {} };
}

/** For an app that the token may not ask, or that is not there. */
export function foreignApp(id, retry) {
  return {
    state: "error", code: "forbidden",
    elements: html("div", { class: "state" }, html("b", null, "This token cannot ask for that app"),
      html("p", null, "There is no app ", html("bdi", null, id), " that it may read. Choose another above, or leave and come with another token."), retryButton(retry)),
  };
}

/** Where there is no app at all. */
export function noApp() {
  return {
    state: "empty",
    elements: html("div", { class: "state" }, html("b", null, "No app yet"), html("p", null, "On the server, add one:"),
      html("pre", { tabindex: "0", "aria-label": "How to add an app" }, "sojourn app add shop --name Shop --time-zone Europe/Paris")),
  };
}

/* An app from which nothing has come: how to send a first batch, as lines to paste. */
function firstBatch({ app, now }) {
  const event = { name: "session.start", time: Math.floor(now), attributes: { "session.id": "s-1" } };
  const batch = { batch_id: "hello-1", resource: { "app.installation.id": "my-phone", "os.name": "iOS" }, events: [event] };
  const lines = [
    `sojourn app set ${app.app} --allow-plain`,
    `INGEST=$(sojourn token add --scope ingest --app ${app.app} --json | sed 's/.*"token":"\\([^"]*\\)".*/\\1/')`,
    `curl -H "Authorization: Bearer $INGEST" -H "Content-Type: application/json" \\`,
    `     -d '${JSON.stringify(batch)}' \\`,
    `     ${shellWord(home() + "v1/apps/" + app.app + "/batches")}`,
  ];
  return html("div", { class: "card" },
    html("p", { class: "lede", data: { lede: "" } }, "No event of ", html("bdi", null, app.name), " has come yet."),
    html("p", null, "These lines send a first batch, on the server; phones seal theirs with a key of the app. Where devices have an address of their own, put it in place of this page’s."),
    html("pre", { tabindex: "0", "aria-label": "How to send a first batch" }, lines.join("\n")));
}
