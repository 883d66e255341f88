/* Asking the reports over HTTP: a few at a time, the server's clock read from its answers, answers kept with their tags. */

/* As many reports as the server computes at once. */
const AT_ONCE = 4;
const TRIES_WHEN_OVERLOADED = 3;
const LONGEST_WAIT_S = 30;
/* Longer than a report may take by default: then the connection has died without a word. */
const TIMEOUT_MS = 180000;
/* Answers kept so that a question asked again can be answered 304: several views of all panels. */
const KEPT_ANSWERS = 80;
/* The only codes that the server has with these statuses. */
const CODES = { 401: "unauthorized", 403: "forbidden" };

/**
 * An answer that is none: `code` is the problem's, `unreachable` where no server answered, or `foreign` where something in
 * front of the server did; then `status` is what it said, 0 for a redirect.
 */
export class Failure extends Error {
  constructor(code, detail = "", status = 0) {
    super(detail || code);
    this.code = code;
    this.status = status;
  }

  /** Whether the token is no good, whatever it is asked. */
  get isOfToken() {
    return this.code === "unauthorized" || this.code === "forbidden";
  }
}

export class Asker {
  #home;
  #token;
  #kept = new Map();
  #running = 0;
  #waiting = [];
  #clock = null;

  /** - home: the address below which the reports are; token: of scope `report`, leaves this object in the field `Authorization` alone. */
  constructor(home, token) {
    this.#home = home;
    this.#token = token;
  }

  /** Milliseconds since 1970 by the server's clock, going on from its latest answer. */
  get now() {
    return this.#clock === null ? Date.now() : this.#clock.server + (performance.now() - this.#clock.here);
  }

  /**
   * The parsed answer: the same object as last time where the server says that nothing changed. `isReport` tells an
   * answer of this server from whatever else may stand at its address; an urgent question comes before those that wait.
   */
  async json(path, signal, isReport, isUrgent = false) {
    await this.#turn(signal, isUrgent);
    try {
      return await this.#asked(path, signal, isReport);
    } finally {
      this.#running -= 1;
      this.#waiting.shift()?.();
    }
  }

  /** The bytes of an answer of a media type, as they are. */
  async bytes(path, type, signal) {
    const { response, body } = await this.#fetched(path, {}, signal, (answer) => answer.blob());
    if (response.status === 200 && isOfType(response, type)) return body;
    throw failureOf(response, await body.text());
  }

  async #asked(path, signal, isReport) {
    for (let tried = 0; ; tried += 1) {
      const kept = this.#kept.get(path);
      const fields = kept ? { "If-None-Match": kept.tag } : {};
      const { response, body } = await this.#fetched(path, fields, signal, (answer) => answer.text());
      if (response.status === 304 && kept) {
        this.#setClock(response);
        return kept.answer;
      }
      if (response.status === 200) {
        const answer = parsed(body);
        if (answer === null || !isReport(answer)) throw foreign(response);
        this.#setClock(response);
        this.#keep(path, response.headers.get("ETag"), answer);
        return answer;
      }
      const failure = failureOf(response, body);
      if (failure.code !== "overloaded" || tried === TRIES_WHEN_OVERLOADED) throw failure;
      await pause(response.headers.get("Retry-After"), signal);
    }
  }

  /* What was answered, and what `read` makes of its body. The request is made apart: what this browser cannot make is no
     missing server. Cookies go along for a sign-on in front of the server, which itself reads none. */
  async #fetched(path, fields, signal, read) {
    signal.throwIfAborted();
    const limit = new AbortController();
    const end = () => limit.abort();
    const request = new Request(this.#home + path, {
      headers: { Accept: "application/json", Authorization: "Bearer " + this.#token, ...fields },
      cache: "no-store", credentials: "same-origin", redirect: "manual", referrerPolicy: "no-referrer", signal: limit.signal,
    });
    const timer = setTimeout(end, TIMEOUT_MS);
    signal.addEventListener("abort", end);
    try {
      const response = await fetch(request);
      return { response, body: await read(response) };
    } catch {
      signal.throwIfAborted();
      throw new Failure("unreachable");
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
    }
  }

  #setClock(response) {
    const date = Date.parse(response.headers.get("Date"));
    if (!Number.isNaN(date)) this.#clock = { server: date, here: performance.now() };
  }

  #keep(path, tag, answer) {
    this.#kept.delete(path);
    if (tag !== null) this.#kept.set(path, { tag, answer });
    if (this.#kept.size > KEPT_ANSWERS) this.#kept.delete(this.#kept.keys().next().value);
  }

  /* Questions begin in the order in which they are asked, urgent ones first. */
  async #turn(signal, isUrgent) {
    while (this.#running >= AT_ONCE) {
      await new Promise((go) => (isUrgent ? this.#waiting.unshift(go) : this.#waiting.push(go)));
    }
    this.#running += 1;
    if (signal.aborted) {
      this.#running -= 1;
      this.#waiting.shift()?.();
      throw signal.reason;
    }
  }
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function isOfType(response, type) {
  return (response.headers.get("Content-Type") ?? "").toLowerCase().startsWith(type);
}

function foreign(response) {
  return new Failure("foreign", "", response.status);
}

/* The server's own errors are problems with a code; with all others something else has answered. */
function failureOf(response, text) {
  const problem = isOfType(response, "application/problem+json") ? parsed(text) : null;
  const code = problem?.code;
  if (typeof code !== "string" || (CODES[response.status] ?? code) !== code) return foreign(response);
  return new Failure(code, problem.detail, response.status);
}

async function pause(retryAfter, signal) {
  const seconds = /^\d+$/.test(retryAfter ?? "") ? Math.min(Number(retryAfter), LONGEST_WAIT_S) : 1;
  await new Promise((resolve) => {
    const timer = setTimeout(go, seconds * 1000);
    function go() {
      clearTimeout(timer);
      signal.removeEventListener("abort", go);
      resolve();
    }
    signal.addEventListener("abort", go);
  });
  signal.throwIfAborted();
}
