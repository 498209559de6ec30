// Dice statistics of each server: what everybody accuses a bot of, in figures beside those of fair dice.

import { ask } from "./api.js";
import { el, spoken, svg, text } from "./dom.js";
import { percent, plural } from "./format.js";

const VERDICTS = {
  too_few: ["busy", "too few rolls to tell"],
  ordinary: ["good", "as fair dice fall"],
  unusual: ["busy", "unusual"],
  unfair: ["bad", "not like fair dice"],
};

export class DiceView {
  constructor(section) {
    this.said = el("p", { class: "fine", role: "status" });
    this.reports = el("div", { class: "panels" });
    section.append(this.said, this.reports);
  }

  async show() {
    text(this.said, "Counting …");
    try {
      const servers = (await ask("dice"))?.servers;
      this.reports.replaceChildren(...(servers ?? []).map(report));
      text(this.said, summary(servers));
    } catch (error) {
      text(this.said, error.message);
    }
  }
}

function summary(servers) {
  if (!servers) return "This botd does not count dice.";
  if (!servers.length) return "Nothing was rolled yet.";
  return "The dice come from the server, never from the bot. The newest matches of each server are counted.";
}

function report(found) {
  const [kind, words] = VERDICTS[found.verdict] ?? ["busy", found.verdict];
  return el(
    "section",
    { class: "panel dice-report" },
    el(
      "div",
      { class: "account-head" },
      el("h2", {}, found.scope),
      el("span", { class: `pill ${kind}` }, words),
    ),
    el(
      "p",
      { class: "fine" },
      `${plural(found.rolls, "roll")} in ${plural(found.matches, "match").replace("matchs", "matches")}`,
    ),
    el("p", {}, found.summary),
    sides(found),
    el("h3", {}, "How often each roll came, beside fair dice"),
    el("div", { class: "pairs" }, pairs("The bot", found.us.pairs), pairs("Opponents", found.opponent.pairs)),
    el("h3", {}, "A line for a player"),
    el("p", { class: "message" }, found.message),
  );
}

function sides({ us, opponent }) {
  const rows = [
    ["rolls", (side) => side.rolls.toLocaleString()],
    ["doubles", (side) => (side.doubles_rate === null ? "–" : percent(side.doubles_rate))],
    ["of fair dice, 95 in 100", (side) => side.doubles_range.map((share) => percent(share)).join(" to ")],
    ["pips a roll", (side) => (side.pips === null ? "–" : side.pips.toFixed(2))],
    ["of fair dice, 95 in 100", (side) => side.pips_range.map((pips) => pips.toFixed(2)).join(" to ")],
    ["doubles in a row, at most", (side) => String(side.longest_doubles)],
    ["rolls without a double, at most", (side) => String(side.longest_without)],
  ];
  return el(
    "table",
    {},
    el("caption", { class: "spoken" }, "Both sides"),
    el(
      "thead",
      {},
      el(
        "tr",
        {},
        el("td"),
        ["the bot", "opponents"].map((name) => el("th", { scope: "col" }, name)),
      ),
    ),
    el(
      "tbody",
      {},
      rows.map(([name, figure]) =>
        el(
          "tr",
          {},
          el("th", { scope: "row" }, name),
          [us, opponent].map((side) => el("td", {}, figure(side))),
        ),
      ),
    ),
  );
}

const BAR = { width: 9, gap: 3, height: 72 };

/** Bars for the 21 rolls, with a stroke where fair dice would end. */
function pairs(title, counted) {
  const most = Math.max(1, ...counted.flatMap(({ count, expected }) => [count, expected]));
  const step = BAR.width + BAR.gap;
  const y = (value) => BAR.height - (BAR.height * value) / most;
  const drawing = svg("svg", {
    viewBox: `0 0 ${counted.length * step} ${BAR.height + 14}`,
    "aria-hidden": "true",
  });
  for (const [index, { name, count, expected }] of counted.entries()) {
    const x = index * step;
    drawing.append(
      svg(
        "rect",
        { x, y: y(count), width: BAR.width, height: BAR.height - y(count) },
        svg("title", {}, inWords(counted[index])),
      ),
      svg("line", { x1: x - 1, x2: x + BAR.width + 1, y1: y(expected), y2: y(expected) }),
      svg("text", { x: x + BAR.width / 2, y: BAR.height + 11 }, name.replace(/\D/g, "")),
    );
  }
  return el(
    "figure",
    {},
    el(
      "figcaption",
      {},
      title,
      spoken(`: ${counted.map(inWords).join(", ")}`),
    ),
    drawing,
  );
}

function inWords({ name, count, expected }) {
  return `${name} ${count}, fair dice ${expected.toFixed(1)}`;
}
