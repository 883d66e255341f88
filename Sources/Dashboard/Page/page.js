/* The page once there is a token: asks what a view needs, draws each panel when its answers are there, and asks again. */
import { clearView, readView, writeView } from "./address.js";
import { Asker, Failure } from "./asking.js";
import { isZone, todayIn } from "./dates.js";
import { closeDialogs, pickDates, pickFilter } from "./dialogs.js";
import { fill, html } from "./elements.js";
import { foreignApp, noApp } from "./frontpanel.js";
import { pageHeader } from "./header.js";
import { failed } from "./panel.js";
import { periodOf } from "./period.js";
import { curlLine, questionsOf } from "./questions.js";
import { Refresher } from "./refresher.js";
import { Round } from "./round.js";
import { saveCSV, valuesOf } from "./saving.js";
import { stagePanels } from "./stage.js";
import { emptyView } from "./view.js";

const INDEX = "/report";

export class Page {
  #root;
  #asker;
  #onEnd;
  #header;
  #stage;
  #title = html("h1", { class: "unseen" });
  #index = null;
  #view = emptyView();
  #app = null;
  #period = null;
  #round = new Round({});
  #drawn = new Map();
  #away = new AbortController();
  #refresher = new Refresher(() => this.#load("refresh"));

  /** - root: {header, main, status}; onEnd: called with a sentence when the token is no good, with null after *leave*. */
  constructor(root, token, onEnd) {
    this.#root = root;
    this.#asker = new Asker(token);
    this.#onEnd = onEnd;
    const change = (members) => this.#change(members);
    this.#stage = stagePanels({ change, saveCSV: (panel) => this.#saveCSV(panel) });
    this.#header = pageHeader({
      change,
      changeApp: (id) => change({ app: id, filters: [], steps: [], within: emptyView().within }),
      changeZone: (zone) => change({ tz: zone === this.#app.time_zone ? null : zone }),
      removeFilter: (key, value) => change({ filters: this.#view.filters.filter(([name, one]) => name !== key || one !== value) }),
      pickDates: () => pickDates(this.#period, (from, to) => change({ range: from + ".." + to })),
      pickFilter: () => pickFilter((key) => this.#valuesOf(key), (key, value) => this.#addFilter(key, value)),
      refresh: () => this.#load("refresh"),
      leave: () => this.#end(null),
    });
    fill(root.header, this.#header.element);
    fill(root.main, this.#title, root.status, this.#stage.frames.map((frame) => frame.section));
    this.#stage.hideAll(true);
  }

  start() {
    return this.#load("start");
  }

  /** The address has changed. */
  follow() {
    return this.#load(this.#index ? "view" : "start");
  }

  /** The page has come to the front, where a refresh may have been waiting. */
  wake() {
    this.#refresher.wake();
  }

  /** Nothing is asked or drawn any more. */
  close() {
    this.#away.abort();
    this.#refresher.stop();
    closeDialogs();
    document.title = "Sojourn";
    delete document.body.dataset.settled;
  }

  /* "start": nothing is known. "view": another view. "refresh": the same again, nothing goes pale meanwhile. */
  async #load(kind) {
    this.#away.abort();
    const { signal } = (this.#away = new AbortController());
    this.#refresher.stop();
    const began = performance.now();
    if (kind !== "refresh") delete document.body.dataset.settled;
    this.#header.setBusy(true);
    try {
      if (kind !== "view") await this.#askIndex(signal);
      const wrong = this.#readAddress();
      if (kind !== "refresh") this.#root.status.textContent = wrong.length === 0 ? "" : `Not understood in the address and left out: ${wrong.join(", ")}.`;
      if (!this.#app) return this.#showAlone(this.#view.app === null ? noApp() : foreignApp(this.#view.app, () => this.#load("start")));
      this.#prepare(kind);
      await this.#ask(Object.keys(this.#round.questions), signal);
      this.#settle(performance.now() - began);
    } catch (failure) {
      if (!signal.aborted) this.#refused(failure);
    }
  }

  async #askIndex(signal) {
    try {
      this.#index = await this.#asker.json(INDEX, signal, (answer) => Array.isArray(answer.apps));
    } catch (failure) {
      const isRefused = failure.status === 401 || failure.status === 403;
      if (signal.aborted || isRefused || !this.#index) throw failure;
    }
  }

  #readAddress() {
    const { view, app, wrong } = readView(this.#index.apps);
    this.#view = view;
    this.#app = app;
    return wrong;
  }

  /* What the view asks; panels that are to show something else go pale. */
  #prepare(kind) {
    const before = this.#round.questions;
    this.#period = periodOf(this.#view.range, todayIn(this.#zone, this.#asker.now));
    this.#round = new Round(questionsOf(this.#view, this.#period));
    document.title = this.#app.name + " · Sojourn";
    this.#stage.hideAll(false);
    this.#showHeader();
    this.#stage.set(this.#view);
    for (const frame of this.#stage.frames) {
      const asked = this.#needsOf(frame.panel).map((name) => [name, this.#round.questions[name]]);
      frame.ask(asked.map(([, question]) => curlLine(question, location.origin)));
      if (kind === "start" || asked.some(([name, { path }]) => before[name]?.path !== path)) frame.load();
      this.#draw(frame);
    }
  }

  /* Each panel is drawn as soon as all of its own questions are settled. */
  async #ask(names, signal) {
    await this.#round.ask(names, this.#asker, signal, () => {
      for (const frame of this.#stage.frames) this.#draw(frame);
    });
    this.#stage.suggest(this.#round.answerOf("events")?.rows ?? []);
  }

  #draw(frame) {
    const { panel } = frame;
    const round = this.#round;
    const needs = this.#needsOf(panel);
    if (!round.isSettled(needs)) return;
    const failure = round.failureOf(needs);
    const context = this.#context;
    const wants = failure ? [] : panel.wants(context).filter((name) => name in round.questions);
    if (!round.isSettled(wants)) return;
    const made = failure ? [failure] : [context.key, ...[...needs, ...wants].map((name) => round.answerOf(name))];
    const last = this.#drawn.get(panel.name);
    if (last?.length === made.length && last.every((one, place) => one === made[place])) return frame.keep();
    this.#drawn.set(panel.name, made);
    frame.show(failure ? failed(failure, () => this.#retry(frame, needs)) : panel.draw(context));
  }

  async #retry(frame, needs) {
    const { signal } = this.#away;
    const failedOnes = needs.filter((name) => this.#round.failureOf([name]));
    this.#round.forget(failedOnes);
    frame.load();
    try {
      await this.#ask(failedOnes, signal);
      this.#settle(0);
    } catch (failure) {
      if (!signal.aborted) this.#refused(failure);
    }
  }

  #settle(took) {
    const { dataset } = document.body;
    dataset.settled = Math.max(Math.round(performance.timeOrigin + performance.now()), Number(dataset.settled ?? 0) + 1);
    this.#header.setBusy(false);
    this.#showHeader();
    this.#refresher.set(took);
  }

  /* The headline alone, where no report can be asked. */
  #showAlone(content) {
    this.#stage.hideAll(true);
    this.#drawn.clear();
    this.#round = new Round({});
    this.#stage.frames[0].show(content);
    this.#showHeader();
    this.#settle(0);
  }

  #showHeader() {
    this.#title.textContent = this.#app?.name ?? "Sojourn";
    this.#header.set({
      apps: this.#index?.apps ?? [], app: this.#app, view: this.#view, period: this.#period, zone: this.#zone, moment: this.#asker.now,
    });
  }

  /* Another view: one entry of the history for each change. */
  #change(members) {
    if (writeView({ ...this.#view, ...members })) this.#load("view");
  }

  #addFilter(key, value) {
    const isThere = this.#view.filters.some(([name, one]) => name === key && one === value);
    if (!isThere) this.#change({ filters: [...this.#view.filters, [key, value]] });
  }

  #valuesOf(key) {
    return valuesOf(this.#asker, this.#round.answerOf("platforms"), this.#view, this.#period, key, this.#away.signal);
  }

  async #saveCSV(panel) {
    const { signal } = this.#away;
    try {
      await saveCSV(this.#asker, this.#round.questions[this.#needsOf(panel)[0]], panel.name, signal);
    } catch (failure) {
      if (!signal.aborted) this.#root.status.textContent = "The CSV could not be saved: " + failure.message + ".";
    }
  }

  /* A failure that no panel can show: of the token, or of the list of reports. */
  #refused(failure) {
    if (!(failure instanceof Failure)) throw failure;
    if (failure.status === 401) this.#end("The token was not accepted: it is wrong, or it was revoked.");
    else if (failure.status === 403) this.#end("This token may not read reports: it needs the scope “report”.");
    else this.#showAlone(failed(failure, () => this.#load("start")));
  }

  #end(why) {
    this.close();
    if (why === null) clearView();
    this.#onEnd(why);
  }

  #needsOf(panel) {
    return panel.needs(this.#view, this.#period);
  }

  get #zone() {
    return [this.#view.tz, this.#app?.time_zone].find((name) => name && isZone(name)) ?? "UTC";
  }

  get #context() {
    const { from, to, today } = this.#period;
    return {
      answers: this.#round.answers, view: this.#view, period: this.#period, app: this.#app,
      minGroup: this.#index.min_group, now: this.#asker.now, key: [from, to, today].join(),
    };
  }
}
