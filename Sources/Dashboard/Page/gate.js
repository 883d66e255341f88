/* What stands there without a token. */
import { html } from "./elements.js";

/** The form that asks for a token. `why` says why the last one was not taken, or is null. */
export function gate(onToken, why) {
  const input = html("input", {
    id: "token", name: "token", type: "password", autocomplete: "off", spellcheck: "false", required: true,
    "aria-describedby": why === null ? "token-hint" : "token-why token-hint", "aria-invalid": why === null ? null : "true",
  });
  const submit = (event) => {
    event.preventDefault();
    const token = input.value.trim();
    input.value = "";
    if (token !== "") onToken(token);
  };
  return html("form", { class: "card gate", data: { panel: "gate", state: why === null ? "ready" : "unauthorised" }, on: { submit } },
    html("h1", null, "Sojourn"),
    why !== null && html("p", { class: "note", role: "alert", id: "token-why" }, why),
    html("label", { for: "token" }, "Token for reports"), input,
    html("p", { class: "quiet", id: "token-hint" },
      "It is kept in this tab alone and forgotten when the tab closes. Whoever runs the server makes one with ",
      html("code", null, "sojourn token add --scope report"), "."),
    html("button", { type: "submit", class: "button" }, "Show the figures"));
}
