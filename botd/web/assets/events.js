// Follows the daemon: the event stream, and coming back when it breaks.

/** The server sends something at least every 15 seconds; one silent for longer is asked about. */
const SILENCE_MS = 20_000;
/** The form of documents this page understands; the server's `SCHEMA`. */
const SCHEMA = 1;
const RETRY_MS = [1_000, 2_000, 4_000];
const ANSWER_MS = 5_000;

/**
 * Keeps `state` ("connecting", "live", "lost", "refused" or "outdated") and hands on what comes:
 *   onLive(live, restarted)  the whole document; `restarted` if it is from another start of the daemon
 *   onAccount(account), onLatency(rows)
 *   onState(state)
 */
export class Follower {
  constructor({ stream, whole }, handlers) {
    this.stream = stream;
    this.whole = whole;
    this.handlers = handlers;
    this.state = "connecting";
    this.instance = null;
    this.heard = Date.now();
    this.news = 0;
    this.failures = 0;
    this.timer = null;
    setInterval(() => this.#watch(), 5_000);
    addEventListener("online", () => this.state === "lost" && this.#open());
    // A page that the browser keeps to go back to must hold no connection.
    addEventListener("pagehide", () => this.source.close());
    addEventListener("pageshow", (event) => event.persisted && this.#open());
    document.addEventListener("visibilitychange", () => document.hidden || this.#watch());
    this.#open();
  }

  #open() {
    clearTimeout(this.timer);
    this.timer = null;
    this.source?.close();
    this.heard = Date.now();
    const source = new EventSource(this.stream);
    this.source = source;
    const on = (name, take) =>
      source.addEventListener(name, (event) => {
        this.heard = Date.now();
        this.news += 1;
        const document_ = parse(event.data);
        if (document_ !== undefined) take(document_);
      });
    on("live", (live) => {
      this.failures = 0;
      this.#live(live);
    });
    on(
      "account",
      (account) => this.state === "live" && isText(account?.id) && this.handlers.onAccount(account),
    );
    on("latency", (rows) => this.state === "live" && Array.isArray(rows) && this.handlers.onLatency(rows));
    // The browser tries again by itself after some errors, not after others (a proxy's 502): one way for all.
    source.addEventListener("error", () => source === this.source && this.#lost());
  }

  #live(live) {
    if (!isText(live?.instance) || !Number.isInteger(live.schema)) return;
    if (live.schema !== SCHEMA) {
      this.#become("outdated");
      return;
    }
    const restarted = this.instance !== null && live.instance !== this.instance;
    this.instance = live.instance;
    this.#become("live");
    this.handlers.onLive(live, restarted);
  }

  /** Without events the document is asked for at each new try: some proxies pass no stream. */
  async #lost() {
    this.source.close();
    if (this.timer !== null) return;
    const { news } = this;
    const wait = RETRY_MS[Math.min(this.failures, RETRY_MS.length - 1)];
    this.failures += 1;
    this.timer = setTimeout(() => this.#open(), wait);
    const live = await this.#ask();
    if (news !== this.news) return; // a stream is there again, and newer. One without events proves nothing
    if (live) this.#live(live);
    else if (!["refused", "outdated"].includes(this.state)) this.#become("lost");
  }

  /** The whole document; null if it cannot be had. */
  async #ask() {
    try {
      const answer = await fetch(this.whole, { cache: "no-store", signal: AbortSignal.timeout(ANSWER_MS) });
      if (answer.status === 401) this.#become("refused");
      return answer.ok ? await answer.json() : null;
    } catch {
      return null;
    }
  }

  #watch() {
    if (this.timer === null && Date.now() - this.heard > SILENCE_MS) this.#lost();
  }

  #become(state) {
    if (state === this.state) return;
    this.state = state;
    this.handlers.onState(state);
  }
}

function parse(data) {
  try {
    return JSON.parse(data);
  } catch {
    return undefined;
  }
}

function isText(value) {
  return typeof value === "string";
}
