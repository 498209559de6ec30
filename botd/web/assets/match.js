// One match of the past: its board, turn by turn, what the bot decided there, and the downloads.

import { ask } from "./api.js";
import { boardFigure, cubeWords, isBoard, pipCounts } from "./board.js";
import { Curve } from "./curve.js";
import { decisionBody } from "./decisions.js";
import { el, spoken, svg, text } from "./dom.js";
import { kindName, matchLength, moment, plural, sideName } from "./format.js";
import { result } from "./matches.js";
import { stepsOf } from "./record.js";

export class MatchView {
  constructor() {
    this.key = null;
    this.steps = [];
    this.at = 0;
    this.element = el("article", { class: "card replay" });
    document.addEventListener("keydown", (event) => this.#key(event));
  }

  /** Show a match at one of its steps; loads it unless it is the one shown and over. */
  async show(key, step) {
    if (key === this.key && this.match?.state !== "playing") {
      this.go(step);
      return;
    }
    this.key = key;
    this.match = null;
    this.steps = [];
    this.element.replaceChildren(back(), el("p", { role: "status" }, "Loading …"));
    let record = null;
    let problem = "This match is not in the journal.";
    try {
      record = await ask(`matches/${encodeURIComponent(key)}`);
    } catch (error) {
      problem = error.message;
    }
    if (key !== this.key) return;
    if (!record) {
      this.key = null;
      this.element.replaceChildren(back(), el("p", { class: "empty", role: "status" }, problem));
      return;
    }
    this.#build(record);
    this.go(step);
  }

  /** Show the step of this index. */
  go(index) {
    if (!this.steps.length) return;
    const before = this.steps[this.at];
    this.at = Math.min(this.steps.length - 1, Math.max(0, index));
    const step = this.steps[this.at];
    if (!this.listed || before?.game !== step.game) this.#list(step.game);
    this.#draw(step);
    const address = `#match/${encodeURIComponent(this.key)}/${this.at}`;
    if (location.hash !== address) history.replaceState(null, "", address);
  }

  #build(record) {
    const match = record.summary;
    this.match = match;
    this.names = { us: match.account, opponent: match.opponent };
    this.steps = stepsOf(record);
    this.at = 0;
    this.listed = false;
    this.points = [];
    for (const [index, step] of this.steps.entries()) {
      for (const decision of step.decisions) {
        this.points.push({
          n: this.points.length + 1,
          game: step.game,
          win: decision.win,
          equity: decision.equity,
          cube: decision.cube,
          step: index,
        });
      }
    }
    this.curve = new Curve({ onPick: (point) => this.go(point.step) });
    this.games = el(
      "select",
      { onchange: () => this.#game(Number(this.games.value)) },
      [...new Set(this.steps.map((step) => step.game))].map((game) =>
        el("option", { value: game }, `game ${game}`),
      ),
    );
    this.board = el("div", { class: "board-place" });
    this.theirs = strip("opponent", this.names);
    this.ours = strip("us", this.names);
    this.now = el("p", { class: "now", "aria-live": "polite" });
    this.turns = el("ol", { class: "turns", "aria-label": "Turns of this game" });
    this.decided = el("div", { class: "decided" });
    const button = (shape, words, index) =>
      el(
        "button",
        { type: "button", "aria-label": words, title: words, onclick: () => this.go(index()) },
        icon(shape),
      );
    this.element.replaceChildren(
      el(
        "div",
        { class: "card-inner" },
        el(
          "header",
          { class: "card-head" },
          back(),
          el("h2", {}, `${this.names.us} – ${this.names.opponent}`),
          result(match),
          el(
            "p",
            { class: "fine" },
            [`match ${match.number}`, matchLength(match.length), match.server, moment(match.started_at)].join(
              " · ",
            ),
          ),
          el(
            "p",
            { class: "downloads" },
            download(match.key, "mat", "match file for GNU Backgammon and others"),
            download(match.key, "jsonl", "everything, a line of JSON for each record"),
          ),
        ),
        el(
          "div",
          { class: "table-side" },
          this.theirs.element,
          this.board,
          this.ours.element,
          el(
            "div",
            { class: "steps", role: "group", "aria-label": "Step through the match" },
            button("M5 3v10M13 3 7 8l6 5z", "Beginning of the game (Home)", () => this.#edge(-1)),
            button("M11 3 5 8l6 5z", "Step back (left arrow)", () => this.at - 1),
            button("M5 3l6 5-6 5z", "Step forward (right arrow)", () => this.at + 1),
            button("M11 3v10M3 3l6 5-6 5z", "End of the game (End)", () => this.#edge(1)),
            el("label", { class: "inline" }, spoken("Game"), this.games),
          ),
          this.now,
          this.turns,
        ),
        el(
          "div",
          { class: "mind-side" },
          el("h3", {}, "Win chance and equity"),
          this.curve.element,
          this.decided,
        ),
      ),
    );
    this.curve.show(this.points);
    if (!this.steps.length) text(this.now, "Nothing of this match was recorded.");
  }

  #list(game) {
    this.listed = true;
    this.games.value = String(game);
    const items = [];
    for (const [index, step] of this.steps.entries()) {
      if (step.game !== game) continue;
      const who = step.side ? sideName(step.side, this.names) : `Game ${game}`;
      items.push(
        el(
          "li",
          { "data-step": index },
          el(
            "button",
            { type: "button", class: step.side ?? "", onclick: () => this.go(index) },
            el("span", { class: `disc ${step.side ?? "none"}`, "aria-hidden": "true" }),
            spoken(`${who} `),
            el("span", { class: "faces" }, step.dice ? step.dice.join("-") : ""),
            el("span", {}, step.label),
            mistake(step),
          ),
        ),
      );
    }
    this.turns.replaceChildren(...items);
  }

  #draw(step) {
    this.board.replaceChildren(
      boardFigure({
        board: step.board,
        names: this.names,
        dice: step.dice,
        roller: step.side,
        played: false,
        cube: step.cube,
        crawford: step.crawford,
        length: this.match.length,
        lastMove: step.lastMove,
      }),
    );
    const pips = isBoard(step.board) ? pipCounts(step.board) : null;
    for (const [index, player] of [this.ours, this.theirs].entries()) {
      text(player.score, step.score[index]);
      text(player.pips, pips ? plural(pips[index], "pip") : "");
    }
    text(this.now, this.#words(step));
    this.decided.replaceChildren(
      ...step.decisions.map((decision) =>
        el(
          "section",
          {},
          el("h3", {}, `${kindName(decision.kind)} ${this.names.us} chose ${decision.chosen || "no move"}`),
          decisionBody(decision),
        ),
      ),
    );
    for (const item of this.turns.children) {
      const current = Number(item.dataset.step) === this.at;
      const button = item.firstElementChild;
      if (current) button.setAttribute("aria-current", "step");
      else button.removeAttribute("aria-current");
      if (current) keepInView(this.turns, item);
    }
    const point = this.points.findIndex((known) => known.step >= this.at);
    this.curve.choose(point < 0 ? this.points.length - 1 : point);
  }

  #words(step) {
    const who = step.side ? sideName(step.side, this.names) : `Game ${step.game}`;
    const cube = step.cube && this.match.length !== 1 ? ` ${cubeWords({ ...step, names: this.names })}.` : "";
    const dice = step.dice ? ` ${step.dice.join("-")}:` : "";
    const gap = step.detail ? ` (Something is missing here: ${step.detail}.)` : "";
    return `${who}${dice} ${step.label}.${cube}${gap}`;
  }

  #game(game) {
    this.go(this.steps.findIndex((step) => step.game === game));
  }

  /** First or last step of the game; from there, of the neighbouring one. */
  #edge(direction) {
    const game = this.steps[this.at].game;
    let index = this.at;
    while (this.steps[index + direction]?.game === game) index += direction;
    return index === this.at ? index + direction : index;
  }

  #key(event) {
    if (!this.element.checkVisibility() || !this.steps.length) return;
    if (
      event.altKey ||
      event.ctrlKey ||
      event.metaKey ||
      event.target.closest("input, select, [role=tab], [role=slider]")
    )
      return;
    const wanted = {
      ArrowLeft: this.at - 1,
      ArrowRight: this.at + 1,
      Home: this.#edge(-1),
      End: this.#edge(1),
    }[event.key];
    if (wanted === undefined) return;
    event.preventDefault();
    this.go(wanted);
  }
}

function back() {
  return el("a", { href: "#matches", class: "back" }, "← All matches");
}

function download(key, ending, words) {
  return el(
    "a",
    { class: "button", href: `api/matches/${encodeURIComponent(key)}.${ending}`, download: "", title: words },
    `↓ .${ending}`,
  );
}

function icon(shape) {
  return svg(
    "svg",
    { viewBox: "0 0 16 16", width: 16, height: 16, class: "icon", "aria-hidden": "true" },
    svg("path", { d: shape }),
  );
}

function strip(side, names) {
  const pips = el("span", { class: "pips" });
  const score = el("span", { class: "score" });
  const element = el(
    "div",
    { class: `strip ${side}` },
    el("span", { class: `disc ${side}`, "aria-hidden": "true" }),
    el("b", { class: "name" }, names[side]),
    pips,
    el("span", { class: "score-box" }, spoken("score "), score),
  );
  return { element, pips, score };
}

/** What the choice gave away by the bot's own figures, where that is worth a look. */
function mistake(step) {
  const given = Math.max(
    0,
    ...step.decisions.map((decision) => decision.candidates?.[decision.chosen_index]?.loss ?? 0),
  );
  return given >= 0.01 ? el("span", { class: "given" }, `−${given.toFixed(3)}`) : null;
}

/** `list` is what its items are positioned in. */
function keepInView(list, item) {
  const top = item.offsetTop;
  if (top < list.scrollTop) list.scrollTop = top;
  else if (top + item.offsetHeight > list.scrollTop + list.clientHeight)
    list.scrollTop = top + item.offsetHeight - list.clientHeight;
}
