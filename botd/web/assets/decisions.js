// One decision of the bot: what was asked, what it chose, and what else it weighed.

import { el, spoken, svg } from "./dom.js";
import { clock, equity, kindName, latency, loss, percent } from "./format.js";

/** Where an answer came from, if it was not the search. */
const SOURCES = {
  forced: "only one play",
  book: "opening book",
  bearoff: "bear-off database",
  fallback: "fallback",
  rules: "by rule",
};

/** A line that opens to the candidates. */
export function decisionDetails(decision, { open = false } = {}) {
  const details = el(
    "details",
    { class: `decision ${decision.source === "fallback" ? "poor" : ""}`, "data-at": decision.at },
    el(
      "summary",
      {},
      el("span", { class: "kind" }, kindName(decision.kind)),
      decision.dice ? el("span", { class: "faces" }, decision.dice.join("-")) : null,
      el("span", { class: "chosen" }, decision.chosen || "no move"),
      el("span", { class: "figure" }, spoken("equity "), equity(decision.equity)),
    ),
  );
  // Most are never opened: twenty tables for each of many matches would weigh on the page.
  const fill = () => details.open && details.children.length === 1 && details.append(decisionBody(decision));
  details.addEventListener("toggle", fill);
  details.open = open;
  fill();
  return details;
}

/** Candidates as a table, and how the decision was made. */
export function decisionBody(decision) {
  const how = [
    Number.isFinite(decision.at) ? `at ${clock(decision.at)}` : null,
    `game ${decision.game}`,
    `${decision.ply}-ply`,
    SOURCES[decision.source] ?? null,
    Number.isFinite(decision.duration_s) ? latency(decision.duration_s) : null,
    Number.isFinite(decision.win) ? `win ${percent(decision.win)}` : null,
  ].filter(Boolean);
  return el(
    "div",
    { class: "decision-body" },
    decision.candidates?.length ? candidateTable(decision) : null,
    el("p", { class: "fine" }, how.join(" · ")),
    decision.position_id
      ? el(
          "p",
          { class: "fine id" },
          "Position ",
          el("code", {}, `${decision.position_id}:${decision.match_id ?? ""}`),
        )
      : null,
  );
}

function candidateTable(decision) {
  const worst = Math.max(0.001, ...decision.candidates.map((candidate) => candidate.loss ?? 0));
  const rows = decision.candidates.map((candidate, index) => {
    const chosen = index === decision.chosen_index;
    return el(
      "tr",
      { class: chosen ? "chosen" : null },
      el(
        "td",
        { class: "mark" },
        chosen ? [el("span", { "aria-hidden": "true" }, "▸"), spoken("played")] : null,
      ),
      el("th", { scope: "row" }, candidate.move || "no move"),
      el("td", {}, equity(candidate.equity)),
      el("td", { class: "loss" }, lossBar(candidate.loss, worst), loss(candidate.loss)),
      el("td", {}, percent(candidate.win)),
      el("td", { class: "ply" }, String(candidate.ply)),
    );
  });
  return el(
    "table",
    { class: "candidates" },
    el("caption", { class: "spoken" }, "Candidates"),
    el(
      "thead",
      {},
      el(
        "tr",
        {},
        ["", "candidate", "equity", "loss", "win", "ply"].map((title) => el("th", { scope: "col" }, title)),
      ),
    ),
    el("tbody", {}, rows),
  );
}

function lossBar(value, worst) {
  if (!Number.isFinite(value) || value < 0.0005) return null;
  const width = Math.max(1, Math.round((28 * value) / worst));
  return svg(
    "svg",
    { width: 28, height: 8, "aria-hidden": "true", class: "loss-bar" },
    svg("rect", { x: 28 - width, y: 1, width, height: 6, rx: 2 }),
  );
}
