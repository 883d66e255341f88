/* The page once there is a token: asks what a view needs, draws each panel when its answers are there, and asks again. */
import { clearView, home, readView, writeView } from "./address.js";
import { isIndex } from "./answers.js";
import { Asker, Failure } from "./asking.js";
import { closeDialogs, pickDates, pickFilter } from "./dialogs.js";
import { Drawing } from "./drawing.js";
import { fill, html } from "./elements.js";
import { foreignApp, noApp } from "./frontpanel.js";
import { pageHeader } from "./header.js";
import { adviceOf, failed } from "./panel.js";
import { periodOf } from "./period.js";
import { placeOf } from "./place.js";
import { curlLine, questionsOf } from "./questions.js";
import { Refresher } from "./refresher.js";
import { Round } from "./round.js";
import { saveCSV, valuesOf } from "./saving.js";
import { stagePanels } from "./stage.js";
import { emptyView, withFilter, withoutFilter } from "./view.js";

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
  /* The id of the app whose figures are in the document. */
  #drawnApp = null;
  #place = null;
  #period = null;
  #round = new Round({});
  #drawing = new Drawing();
  /* Milliseconds that the last view took. */
  #took = 0;
  /* Until the page is closed, and until another view or a refresh. */
  #open = new AbortController();
  #away = new AbortController();
  #refresher = new Refresher(() => this.#load("refresh"));

  /** - root: {header, main, status}; onEnd: called with a sentence when the token is no good, with null after *leave*. */
  constructor(root, token, onEnd) {
    this.#root = root;
    this.#asker = new Asker(home(), token);
    this.#onEnd = onEnd;
    const change = (members) => this.#change(members);
    this.#stage = stagePanels({ change, saveCSV: (panel) => this.#saveCSV(panel) });
    this.#header = pageHeader({
      change,
      changeApp: (id) => change({ app: id, filters: [], steps: [], within: emptyView().within }),
      changeZone: (zone) => change({ tz: zone === this.#app.time_zone ? null : zone }),
      removeFilter: (key, value) => change({ filters: withoutFilter(this.#view, key, value) }),
      pickDates: () => pickDates(this.#period, (from, to) => change({ range: from + ".." + to })),
      pickFilter: () => pickFilter((key) => this.#valuesOf(key), (key, value) => change({ filters: withFilter(this.#view, key, value) })),
      refresh: () => this.#header.isBusy || this.#load("refresh"),
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
    closeDialogs();
    return this.#load(this.#index ? "view" : "start");
  }

  /** The page is seen again: a refresh may have been waiting. */
  wake() {
    this.#refresher.wake();
  }

  /** Nothing is asked or drawn any more. */
  close() {
    this.#away.abort();
    this.#open.abort();
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
      this.#place = await placeOf(this.#view, this.#app, this.#asker, signal);
      this.#prepare(kind);
      await this.#ask(this.#round.promptNames, signal);
      this.#took = performance.now() - began;
      this.#settle();
    } catch (failure) {
      if (!signal.aborted) this.#refused(failure);
    }
  }

  async #askIndex(signal) {
    try {
      this.#index = await this.#asker.json("report", signal, isIndex);
    } catch (failure) {
      if (signal.aborted || failure.isOfToken || !this.#index) throw failure;
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
    if (this.#app.app !== this.#drawnApp) this.#drawing.clear(this.#stage.frames);
    this.#drawnApp = this.#app.app;
    this.#period = periodOf(this.#view.range, this.#place.today);
    this.#round = new Round(questionsOf(this.#view, this.#period));
    this.#stage.hideAll(false);
    this.#showHeader();
    this.#stage.set(this.#view);
    for (const frame of this.#stage.frames) {
      const asked = this.#needsOf(frame.panel).map((name) => [name, this.#round.questions[name]]);
      frame.ask(asked.map(([, question]) => curlLine(question, home())));
      if (kind === "start" || asked.some(([name, { path }]) => before[name]?.path !== path)) frame.load();
      this.#draw(frame);
    }
  }

  /* Each panel is drawn as soon as all of its own questions are settled. */
  async #ask(names, signal) {
    await this.#round.ask(names, this.#asker, signal, () => {
      for (const frame of this.#stage.frames) this.#draw(frame);
    });
    const events = this.#round.answerOf("events");
    if (events) this.#stage.suggest(events.rows);
  }

  #draw(frame) {
    this.#drawing.draw(frame, this.#needsOf(frame.panel), this.#round, this.#context, (needs) => this.#retry(frame, needs));
  }

  async #retry(frame, needs) {
    const { signal } = this.#away;
    const failedOnes = needs.filter((name) => this.#round.failureOf([name]));
    this.#round.forget(failedOnes);
    frame.load();
    try {
      await this.#ask(failedOnes, signal);
      if (this.#round.isOver) this.#settle();
    } catch (failure) {
      if (!signal.aborted) this.#refused(failure);
    }
  }

  /* All that the view asks is drawn. */
  #settle() {
    const { dataset } = document.body;
    dataset.settled = Math.max(Math.round(performance.timeOrigin + performance.now()), Number(dataset.settled ?? 0) + 1);
    this.#header.setBusy(false);
    this.#showHeader();
    this.#refresher.set(this.#took);
  }

  /* The headline alone, where no report can be asked. */
  #showAlone(content) {
    this.#stage.hideAll(true);
    this.#drawing.clear(this.#stage.frames);
    this.#round = new Round({});
    this.#place = this.#period = null;
    this.#stage.frames[0].show(content);
    this.#settle();
  }

  #showHeader() {
    this.#title.textContent = this.#app?.name ?? "Sojourn";
    document.title = this.#app ? this.#app.name + " · Sojourn" : "Sojourn";
    this.#header.set({
      apps: this.#index?.apps ?? [], app: this.#app, view: this.#view, period: this.#period, place: this.#place, moment: this.#asker.now,
    });
  }

  /* Another view: one entry of the history for each change. */
  #change(members) {
    if (writeView({ ...this.#view, ...members })) this.#load("view");
  }

  async #valuesOf(key) {
    try {
      return await valuesOf(this.#asker, this.#round.answerOf("platforms"), this.#view, this.#period, key, this.#open.signal);
    } catch (failure) {
      if (failure.code === "unauthorized") this.#refused(failure);
      throw failure;
    }
  }

  async #saveCSV(panel) {
    const { signal } = this.#open;
    try {
      await saveCSV(this.#asker, this.#round.questions[this.#needsOf(panel)[0]], panel.name, signal);
    } catch (failure) {
      if (signal.aborted) return;
      if (failure.code === "unauthorized") return this.#refused(failure);
      this.#root.status.textContent = "The CSV could not be saved. " + adviceOf(failure);
    }
  }

  /* A failure that no panel can show: of the token, of the list of reports, or of what day it is. */
  #refused(failure) {
    if (!(failure instanceof Failure)) throw failure;
    if (failure.code === "unauthorized") this.#end("The token was not accepted: it is wrong, or it was revoked.");
    else if (failure.code === "forbidden") this.#end("This token may not read reports: it needs the scope “report”.");
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

  get #context() {
    const { from, to, today } = this.#period;
    return {
      answers: this.#round.answers, view: this.#view, period: this.#period, app: this.#app,
      minGroup: this.#index.min_group, now: this.#asker.now, key: [from, to, today].join(),
    };
  }
}
