// The daemon as a whole: its figures at the top, accounts, times of decisions, troubles.

import { el, spoken, svg, text, whenChanged } from "./dom.js";
import { age, clock, latency } from "./format.js";

/** A server that has sent nothing for this long is marked. */
const QUIET_S = 180;
const STATES = { playing: "good", ready: "good", connecting: "busy", waiting: "busy" };

export class Overview {
  constructor(page) {
    this.page = page;
    this.accounts = new Map();
    this.drawLatency = whenChanged((rows) => this.page.latency.replaceChildren(latencyTable(rows)));
    this.drawTroubles = whenChanged((troubles) => this.#troubles(troubles));
    this.uptime = el("b");
    this.drawTiles = whenChanged((tiles) => this.#tiles(tiles));
    this.startedAt = null;
  }

  show(live) {
    this.startedAt = live.at - live.uptime_s;
    const { engine } = live;
    text(
      this.page.about,
      `${live.version} · ${engine.evaluator}, ${engine.mode} search · ${engine.cpu_path}`,
    );
    this.page.about.title = `MET ${engine.met}; weights ${engine.weights}`;
    this.drawTroubles(live.troubles);
    this.drawLatency(live.latency);
    this.showAccounts(live);
  }

  /** What changes with a single account. */
  showAccounts(live) {
    const { accounts, workers } = live;
    const online = accounts.filter((account) => ["ready", "playing"].includes(account.state)).length;
    const sum = (name) => accounts.reduce((total, account) => total + account[name], 0);
    this.drawTiles([
      ["matches now", accounts.filter((account) => account.match).length],
      ["won – lost", `${sum("wins")} – ${sum("losses")}`],
      ["accounts online", `${online} / ${accounts.length}`],
      [
        "workers",
        workers.failing ? `${workers.total - workers.failing} / ${workers.total}` : workers.total,
        workers.failing > 0,
      ],
      ["journal", live.journal, live.journal !== "ok"],
    ]);
    const items = accounts.map((account) => {
      const item = this.accounts.get(account.id) ?? new AccountItem(account);
      this.accounts.set(account.id, item);
      item.show(account);
      return item.element;
    });
    if (items.length !== this.page.accounts.children.length || items.some((item) => !item.isConnected)) {
      this.accounts = new Map(accounts.map((account) => [account.id, this.accounts.get(account.id)]));
      this.page.accounts.replaceChildren(...items);
    }
  }

  /** Once a second, with the server's time. */
  tick(now) {
    for (const item of this.accounts.values()) item.tick(now);
    if (this.startedAt !== null) text(this.uptime, age(now - this.startedAt));
  }

  #tiles(tiles) {
    this.page.tiles.replaceChildren(
      ...tiles.map(([name, value, bad]) =>
        el("li", { class: bad ? "bad" : null }, el("b", {}, String(value)), el("span", {}, name)),
      ),
      el("li", {}, this.uptime, el("span", {}, "up")),
    );
  }

  #troubles(troubles) {
    this.page.troublesPanel.hidden = troubles.length === 0;
    this.page.troubles.replaceChildren(
      ...[...troubles]
        .reverse()
        .map((trouble) =>
          el(
            "li",
            {},
            el("time", {}, clock(trouble.at)),
            el(
              "span",
              {},
              el("b", {}, trouble.what),
              trouble.account ? ` (${trouble.account}) ` : " ",
              trouble.detail,
            ),
          ),
        ),
    );
  }
}

/** One account in the list; its ages tick by themselves. */
class AccountItem {
  constructor(account) {
    this.since = el("span", { class: "age" });
    this.heard = el("span", { class: "age" });
    this.heardRow = row("server heard", this.heard, " ago");
    this.element = el("li", { "data-account": account.id });
    this.draw = whenChanged((shown) => this.#draw(shown));
  }

  show(account) {
    if (account === this.account) return;
    this.account = account;
    const { match, last_message_at: heard, ...shown } = account;
    this.draw({ ...shown, opponent: match?.opponent ?? null, heard: heard !== null });
  }

  tick(now) {
    const { since, last_message_at: heard } = this.account;
    text(this.since, age(now - since));
    if (heard === null) return;
    text(this.heard, age(now - heard));
    this.heardRow.classList.toggle("bad", now - heard > QUIET_S);
  }

  #draw(account) {
    const last = account.last_match;
    this.element.setAttribute("data-state", account.state);
    this.element.replaceChildren(
      el(
        "div",
        { class: "account-head" },
        el("b", { class: "name" }, account.account),
        el("span", { class: `pill ${STATES[account.state] ?? "bad"}` }, account.state, " ", this.since),
        account.paused ? el("span", { class: "pill busy" }, "paused") : "",
      ),
      el("p", { class: "fine" }, account.server, account.opponent ? ` · playing ${account.opponent}` : ""),
      el(
        "dl",
        {},
        row("plays", `${account.level ?? `${account.ply}-ply`}, ${account.mode}`),
        row("won – lost", `${account.wins} – ${account.losses}`),
        account.rating === null ? null : row("rating", account.rating.toFixed(1)),
        account.heard ? this.heardRow : null,
        last ? row("last match", lastMatch(last)) : null,
      ),
    );
  }
}

function lastMatch({ key, score, opponent }) {
  const words = `${score[0]} – ${score[1]} against ${opponent}`;
  return key === null ? words : el("a", { href: `#match/${encodeURIComponent(key)}` }, words);
}

function row(name, ...value) {
  return el("div", {}, el("dt", {}, name), el("dd", {}, ...value));
}

const SCALE = { from: -4, to: 1.5, width: 150 }; // decimal logarithms of 0.1 ms and about 30 s

function latencyTable(rows) {
  if (!rows.length) return el("p", { class: "fine" }, "No decision has been made yet.");
  return el(
    "table",
    { class: "latency" },
    el(
      "caption",
      { class: "fine" },
      "Half of the decisions took at most p50, 95 in a hundred at most p95, 99 at most p99.",
      " Bars: from p50 to p99 on a scale from 0.1 ms to 30 s.",
    ),
    el(
      "thead",
      {},
      el(
        "tr",
        {},
        ["decision", "ply", "count", "p50", "p95", "p99", ""].map((title) =>
          el("th", { scope: "col", class: title === "" ? "wide-only" : null }, title || spoken("range")),
        ),
      ),
    ),
    el(
      "tbody",
      {},
      rows.map((row) =>
        el(
          "tr",
          {},
          el("th", { scope: "row" }, row.kind.replaceAll("_", " ")),
          el("td", {}, row.ply === null ? "more" : String(row.ply)),
          el("td", {}, row.count.toLocaleString()),
          [row.p50, row.p95, row.p99].map((value) => el("td", {}, latency(value))),
          el("td", { class: "wide-only" }, latencyBar(row)),
        ),
      ),
    ),
  );
}

function latencyBar(row) {
  const x = (seconds) => {
    const share = (Math.log10(Math.max(seconds, 1e-6)) - SCALE.from) / (SCALE.to - SCALE.from);
    return 4 + (SCALE.width - 8) * Math.min(1, Math.max(0, share));
  };
  const [low, middle, high] = [row.p50, row.p95, row.p99].map(x);
  return svg(
    "svg",
    { width: SCALE.width, height: 12, "aria-hidden": "true", class: "latency-bar" },
    svg("rect", { x: 0, y: 5, width: SCALE.width, height: 2, rx: 1, class: "rail" }),
    svg("rect", { x: low, y: 4, width: Math.max(1, high - low), height: 4, rx: 2, class: "reach" }),
    svg("circle", { cx: low, cy: 6, r: 4 }),
    svg("circle", { cx: middle, cy: 6, r: 2.5, class: "high" }),
  );
}
