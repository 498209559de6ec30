// Past matches: the list with its filters, and the way to one of them.

import { ask } from "./api.js";
import { el, spoken, text } from "./dom.js";
import { matchLength, moment } from "./format.js";
import { MatchView } from "./match.js";

const PAGE = 25;
const FILTERS = [
  ["opponent", "Opponent"],
  ["account", "Account"],
  ["server", "Server"],
];

export class MatchesView {
  constructor(section) {
    this.list = new MatchList();
    this.match = new MatchView();
    section.append(this.list.element, this.match.element);
  }

  /** The list, or the match that `parts` of the address name: [key, step]. */
  show(parts) {
    this.list.element.hidden = parts !== null;
    this.match.element.hidden = parts === null;
    if (parts === null) this.list.show();
    else this.match.show(parts[0] ?? "", Number.parseInt(parts[1] ?? "0", 10) || 0);
  }
}

class MatchList {
  constructor() {
    this.asked = 0;
    this.fields = FILTERS.map(([name, title]) =>
      el(
        "label",
        {},
        title,
        el("input", { name, autocomplete: "off", maxlength: "200", spellcheck: "false" }),
      ),
    );
    this.form = el("form", { class: "filter" }, this.fields, el("button", { type: "submit" }, "Show"));
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.show();
    });
    this.rows = el("tbody");
    this.table = el(
      "table",
      { class: "matches" },
      el("caption", { class: "spoken" }, "Matches, newest first"),
      el(
        "thead",
        {},
        el(
          "tr",
          {},
          el("th", { scope: "col" }, spoken("number of the match"), el("span", { "aria-hidden": "true" }, "#")),
          el("th", { scope: "col" }, "opponent"),
          el("th", { scope: "col" }, "result"),
          el("th", { scope: "col", class: "wide-only" }, "length"),
          el("th", { scope: "col", class: "wide-only" }, "account"),
          el("th", { scope: "col", class: "wide-only" }, "server"),
          el("th", { scope: "col" }, "began"),
        ),
      ),
      this.rows,
    );
    this.said = el("p", { class: "fine", role: "status" });
    this.more = el(
      "button",
      { type: "button", hidden: true, onclick: () => this.#load(this.last) },
      "Show older",
    );
    this.element = el(
      "div",
      { class: "panel" },
      el("h2", {}, "Past matches"),
      this.form,
      this.table,
      this.said,
      this.more,
    );
  }

  show() {
    this.filter = Object.fromEntries(
      [...new FormData(this.form)].map(([name, value]) => [name, value.trim()]),
    );
    this.#load(null);
  }

  async #load(before) {
    const asked = (this.asked += 1);
    text(this.said, "Loading …");
    this.more.disabled = true;
    let found = null;
    let problem = "";
    try {
      // One more than is shown tells whether there are older ones.
      found = (await ask("matches", { limit: PAGE + 1, before, ...this.filter }))?.matches ?? [];
    } catch (error) {
      problem = error.message;
    }
    if (asked !== this.asked) return;
    this.more.disabled = false;
    if (found !== null) this.#add(found, before);
    text(this.said, problem || (this.table.hidden ? "No match found." : ""));
  }

  #add(found, before) {
    const shown = found.slice(0, PAGE);
    const rows = shown.map(matchRow);
    if (before === null) this.rows.replaceChildren(...rows);
    else this.rows.append(...rows);
    if (rows.length) this.last = shown[shown.length - 1].number;
    this.more.hidden = found.length <= PAGE;
    this.table.hidden = this.rows.children.length === 0;
    if (before !== null) rows[0]?.querySelector("a").focus();
  }
}

function matchRow(match) {
  return el(
    "tr",
    { "data-key": match.key },
    el("td", { class: "number" }, String(match.number)),
    el("th", { scope: "row" }, el("a", { href: `#match/${encodeURIComponent(match.key)}` }, match.opponent)),
    el("td", {}, result(match)),
    el("td", { class: "wide-only" }, match.length ? String(match.length) : "unlimited"),
    el("td", { class: "wide-only" }, match.account),
    el("td", { class: "wide-only" }, match.server),
    el("td", { class: "began" }, moment(match.started_at)),
  );
}

/** Score and what became of the match, as a pill. */
export function result(match) {
  const words = { us: "won", opponent: "lost" }[match.winner] ?? match.state;
  const kind = { us: "good", opponent: "bad" }[match.winner] ?? "busy";
  return el(
    "span",
    { class: `pill ${kind}`, title: matchLength(match.length) },
    `${words} ${match.score[0]} – ${match.score[1]}`,
  );
}
