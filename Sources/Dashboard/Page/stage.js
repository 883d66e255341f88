/* All panels in the order of reading, in their frames. */
import { actives, newcomers } from "./activepanels.js";
import { html } from "./elements.js";
import { headlineFrame } from "./frontpanel.js";
import { funnel, funnelForm } from "./funnelpanel.js";
import { panelFrame } from "./panel.js";
import { platforms } from "./platformspanel.js";
import { quality } from "./qualitypanel.js";
import { content, counters, events, videos } from "./rankedpanels.js";
import { sessions } from "./sessionspanel.js";
import { lifetime, retention } from "./staypanels.js";
import { versions } from "./versionspanel.js";
import { COHORTS, DIMENSIONS } from "./view.js";

const PANELS = [
  quality, actives, newcomers, sessions, platforms, retention, lifetime, versions, funnel, events, counters, content, videos,
];

/**
 * {frames, set, suggest, hideAll}. `acts` has `saveCSV(panel)`, and `change(members)`, which changes members of the view.
 */
export function stagePanels(acts) {
  const dimension = chooser("dimension", "Divide by", DIMENSIONS, (value) => acts.change({ dimension: value }));
  const cohorts = { "": "by the range", ...Object.fromEntries(COHORTS.map((one) => [one, "by " + one])) };
  const cohort = chooser("cohort", "Cohorts", cohorts, (value) => acts.change({ cohort: value || null }));
  const steps = funnelForm((values, within) => acts.change({ steps: values, within }));
  const controls = { versions: dimension, retention: cohort };
  const above = { funnel: steps.form };
  const frames = PANELS.map((panel) =>
    panelFrame({ ...panel, controls: controls[panel.name], above: above[panel.name] }, acts.saveCSV));
  return {
    frames: [headlineFrame(), ...frames],
    /** What stands in the panels' own controls. */
    set(view) {
      dimension.value = view.dimension;
      cohort.value = view.cohort ?? "";
      steps.set(view);
    },
    suggest: steps.suggest,
    /** Whether all but the headline are out of sight. */
    hideAll(isHidden) {
      for (const { section } of frames) section.hidden = isHidden;
    },
  };
}

function chooser(name, label, choices, onChange) {
  const options = Object.entries(choices).map(([value, text]) => html("option", { value }, text));
  const change = ({ target }) => onChange(target.value);
  return html("select", { class: "pill", "aria-label": label, data: { control: name }, on: { change } }, options);
}
