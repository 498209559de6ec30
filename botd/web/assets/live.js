// The running matches: a card for each, kept while the match runs and redrawn where something has changed.

import { boardFigure, cubeWords } from "./board.js";
import { Curve } from "./curve.js";
import { decisionDetails } from "./decisions.js";
import { el, spoken, text, whenChanged } from "./dom.js";
import { matchLength, plural, sideName } from "./format.js";

const RESIGNATIONS = { 1: "the game", 2: "a gammon", 3: "a backgammon" };

export class LiveMatches {
  constructor(container, empty) {
    this.container = container;
    this.empty = empty;
    this.cards = new Map();
  }

  /** Show exactly these accounts' matches. */
  show(accounts) {
    const playing = accounts.filter((account) => account.match);
    const kept = new Set(playing.map((account) => account.id));
    for (const [id, card] of this.cards) {
      if (kept.has(id)) continue;
      card.element.remove();
      this.cards.delete(id);
    }
    for (const account of playing) {
      let card = this.cards.get(account.id);
      if (!card) {
        card = new MatchCard(account);
        this.cards.set(account.id, card);
        this.container.append(card.element);
      }
      card.show(account);
    }
    this.container.classList.toggle("single", playing.length === 1);
    this.empty.hidden = playing.length > 0;
    text(this.empty, waitingWords(accounts));
  }

  /** Forget everything, after the daemon was restarted. */
  clear() {
    this.cards.clear();
    this.container.replaceChildren();
  }
}

function waitingWords(accounts) {
  if (!accounts.length) return "No account is configured.";
  const ready = accounts.filter((account) => account.state === "ready").length;
  return ready
    ? `No match is being played. ${plural(ready, "account")} ${ready === 1 ? "is" : "are"} ready for one.`
    : "No match is being played, and no account is ready for one.";
}

class MatchCard {
  constructor(account) {
    this.title = el("h2");
    this.subtitle = el("p", { class: "fine" });
    this.record = el("a", { class: "record" }, "Turn by turn");
    this.theirs = new PlayerStrip("opponent");
    this.ours = new PlayerStrip("us");
    this.board = el("div", { class: "board-place" });
    this.now = el("p", { class: "now" });
    this.last = el("p", { class: "last" });
    this.curve = new Curve();
    this.decisions = el("div", {
      class: "decision-list",
      tabindex: "0",
      role: "region",
      "aria-label": "Last decisions",
    });
    this.element = el(
      "article",
      { class: "card", "data-account": account.id, "aria-label": `Match of ${account.account}` },
      el(
        "div",
        { class: "card-inner" },
        el("header", { class: "card-head" }, this.title, this.subtitle, this.record),
        el(
          "div",
          { class: "table-side" },
          this.theirs.element,
          this.board,
          this.ours.element,
          this.now,
          this.last,
        ),
        el(
          "div",
          { class: "mind-side" },
          el("h3", {}, "Win chance and equity"),
          this.curve.element,
          el("h3", {}, "Last decisions"),
          this.decisions,
        ),
      ),
    );
    this.drawBoard = whenChanged((scene) => {
      // Dice and cube change a drawing too; only a new move is worth a motion.
      const move = JSON.stringify(scene.lastMove);
      this.board.replaceChildren(boardFigure(scene, { fresh: move !== this.drawnMove }));
      this.drawnMove = move;
    });
    this.drawCurve = whenChanged((points) => this.curve.show(points));
    this.drawDecisions = whenChanged((decisions) => this.#listDecisions(decisions));
  }

  show(account) {
    if (account === this.account) return;
    this.account = account;
    const { match } = account;
    const names = { us: account.account, opponent: match.opponent };
    const last = match.last_move;
    this.element.setAttribute("data-key", match.key ?? "");
    this.element.setAttribute("data-moves", match.moves);
    this.element.setAttribute("data-game", match.game);
    text(this.title, `${names.us} – ${names.opponent}`);
    text(this.subtitle, headline(account));
    this.record.hidden = !match.key;
    this.record.href = `#match/${encodeURIComponent(match.key ?? "")}`;
    this.theirs.show(match, names);
    this.ours.show(match, names);
    // Dice already played stay on the board, faded, until the next roll or the offer of the cube.
    const played = match.cube.offered_by ? null : (last?.dice ?? null);
    this.drawBoard({
      board: match.board,
      names,
      dice: match.dice ?? played,
      roller: match.dice ? match.turn : (last?.side ?? null),
      played: !match.dice,
      cube: match.cube,
      crawford: match.crawford,
      length: match.length,
      lastMove: last && sameBoard(last.board, match.board) ? last : null,
    });
    text(this.now, situation(match, names));
    text(
      this.last,
      last
        ? `${sideName(last.side, names)} played ${last.dice.join("-")}: ${last.notation || "no move"}`
        : "",
    );
    this.drawCurve(match.curve);
    this.drawDecisions(match.decisions);
  }

  /** The newest is open, and so stays what the reader has opened. */
  #listDecisions(decisions) {
    const shown = [...this.decisions.querySelectorAll("details")];
    const byHand = new Map(shown.filter((node) => node.byHand).map((node) => [node.dataset.at, node.open]));
    const known = new Map(shown.map((node) => [node.dataset.at, node]));
    const nodes = decisions.map((decision, index) => {
      const at = String(decision.at);
      const open = byHand.get(at) ?? index === 0;
      const node = known.get(at) ?? decisionDetails(decision, { open });
      node.open = open;
      node.byHand = byHand.has(at);
      node.querySelector("summary").onclick = () => (node.byHand = true);
      return node;
    });
    // Moving a node would take the focus off it.
    const focused = this.decisions.contains(document.activeElement) ? document.activeElement : null;
    this.decisions.replaceChildren(...nodes);
    if (focused?.isConnected) focused.focus({ preventScroll: true });
    if (!nodes.length) this.decisions.append(el("p", { class: "fine" }, "None yet."));
  }
}

/** Name, score, pip count and turn of one side, above or below the board. */
class PlayerStrip {
  constructor(side) {
    this.side = side;
    this.name = el("b", { class: "name" });
    this.turn = el("span", { class: "turn", hidden: true }, "to play");
    this.pips = el("span", { class: "pips" });
    this.score = el("span", { class: "score" });
    this.element = el(
      "div",
      { class: `strip ${side}` },
      el("span", { class: `disc ${side}`, "aria-hidden": "true" }),
      this.name,
      this.turn,
      this.pips,
      el("span", { class: "score-box" }, spoken("score "), this.score),
    );
  }

  show(match, names) {
    const index = this.side === "us" ? 0 : 1;
    text(this.name, names[this.side]);
    text(this.pips, match.pips ? plural(match.pips[index], "pip") : "");
    text(this.score, String(match.score[index]));
    this.turn.hidden = mover(match) !== this.side;
  }
}

/** Who has to do something now. */
function mover(match) {
  const other = { us: "opponent", opponent: "us" };
  if (match.resignation) return other[match.resignation.side];
  if (match.cube.offered_by) return other[match.cube.offered_by];
  return match.turn;
}

function headline(account) {
  const { match } = account;
  const parts = [matchLength(match.length)];
  if (match.game) parts.push(`game ${match.game}`);
  if (match.crawford) parts.push("Crawford game");
  parts.push(account.server);
  return parts.join(" · ");
}

function situation(match, names) {
  const { turn, dice, cube, resignation } = match;
  if (!match.board) return "Waiting for the board.";
  if (resignation) {
    return `${sideName(resignation.side, names)} offers to resign ${RESIGNATIONS[resignation.level] ?? ""}.`;
  }
  const parts = [];
  if (cube.offered_by) parts.push(`${cubeWords({ cube, names })}.`);
  else if (turn && dice) parts.push(`${sideName(turn, names)} rolled ${dice.join("-")}.`);
  else if (turn) parts.push(`${sideName(turn, names)} is to roll.`);
  else parts.push("Between games.");
  if (!cube.offered_by && match.length !== 1)
    parts.push(`${cubeWords({ cube, names, crawford: match.crawford })}.`);
  return parts.join(" ");
}

function sameBoard(one, other) {
  return Array.isArray(one) && Array.isArray(other) && one.every((count, index) => count === other[index]);
}
