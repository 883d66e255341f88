/* Asking the reports over HTTP: a few at a time, the server's clock read from every answer, answers kept with their tags. */

/* As many reports as the server computes at once. */
const AT_ONCE = 4;
const TRIES_WHEN_OVERLOADED = 3;
const LONGEST_WAIT_S = 30;
/* Longer than a report may take by default: then the connection has died without a word. */
const TIMEOUT_MS = 180000;
/* Answers kept so that a question asked again can be answered 304: several views of all panels. */
const KEPT_ANSWERS = 80;

/** An answer that is none: `code` is the problem's, or `unreachable` where no server or no report answered. */
export class Failure extends Error {
  constructor(code, detail, status = 0) {
    super(detail || code);
    this.code = code;
    this.status = status;
  }
}

export class Asker {
  #token;
  #kept = new Map();
  #running = 0;
  #waiting = [];
  #clock = null;

  /** - token: of scope `report`; it leaves this object in the field `Authorization` alone. */
  constructor(token) {
    this.#token = token;
  }

  /** Milliseconds since 1970 by the server's clock, going on from its latest answer. */
  get now() {
    return this.#clock === null ? Date.now() : this.#clock.server + (performance.now() - this.#clock.here);
  }

  /**
   * The parsed answer: the same object as last time where the server says that nothing changed. `isReport` tells an
   * answer of this server from whatever else may stand at its address.
   */
  async json(path, signal, isReport) {
    await this.#turn(signal);
    try {
      return await this.#asked(path, signal, isReport);
    } finally {
      this.#running -= 1;
      this.#waiting.shift()?.();
    }
  }

  /** An answer's bytes as they are. */
  async bytes(path, signal) {
    const response = await this.#fetched(path, {}, signal);
    if (response.status !== 200) throw await failureOf(response);
    return response.blob();
  }

  async #asked(path, signal, isReport) {
    for (let tried = 0; ; tried += 1) {
      const kept = this.#kept.get(path);
      const response = await this.#fetched(path, kept ? { "If-None-Match": kept.tag } : {}, signal);
      if (response.status === 304 && kept) return kept.answer;
      if (response.status === 200) {
        const answer = await parsed(response);
        if (answer === null || !isReport(answer)) throw new Failure("unreachable");
        this.#keep(path, response.headers.get("ETag"), answer);
        return answer;
      }
      const failure = await failureOf(response);
      if (failure.code !== "overloaded" || tried === TRIES_WHEN_OVERLOADED) throw failure;
      await pause(response.headers.get("Retry-After"), signal);
    }
  }

  async #fetched(path, fields, signal) {
    const timeout = AbortSignal.timeout(TIMEOUT_MS);
    let response;
    try {
      response = await fetch(path, {
        headers: { Accept: "application/json", Authorization: "Bearer " + this.#token, ...fields },
        cache: "no-store", credentials: "omit", redirect: "error", referrerPolicy: "no-referrer",
        signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      });
    } catch (error) {
      if (signal?.aborted) throw error;
      throw new Failure("unreachable");
    }
    const date = Date.parse(response.headers.get("Date"));
    if (!Number.isNaN(date)) this.#clock = { server: date, here: performance.now() };
    return response;
  }

  #keep(path, tag, answer) {
    this.#kept.delete(path);
    if (tag !== null) this.#kept.set(path, { tag, answer });
    if (this.#kept.size > KEPT_ANSWERS) this.#kept.delete(this.#kept.keys().next().value);
  }

  /* Questions begin in the order in which they are asked. */
  async #turn(signal) {
    while (this.#running >= AT_ONCE) {
      await new Promise((go) => this.#waiting.push(go));
    }
    this.#running += 1;
    if (signal?.aborted) {
      this.#running -= 1;
      this.#waiting.shift()?.();
      throw signal.reason;
    }
  }
}

async function parsed(response) {
  try {
    return await response.json();
  } catch (error) {
    if (error.name === "AbortError") throw error;
    return null;
  }
}

async function failureOf(response) {
  const problem = await parsed(response);
  return typeof problem?.code === "string" ? new Failure(problem.code, problem.detail, response.status) : new Failure("unreachable", "", response.status);
}

async function pause(retryAfter, signal) {
  const seconds = /^\d+$/.test(retryAfter ?? "") ? Math.min(Number(retryAfter), LONGEST_WAIT_S) : 1;
  await new Promise((resolve) => {
    const timer = setTimeout(go, seconds * 1000);
    function go() {
      clearTimeout(timer);
      signal?.removeEventListener("abort", go);
      resolve();
    }
    signal?.addEventListener("abort", go);
  });
  signal?.throwIfAborted();
}
