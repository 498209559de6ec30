// The bot's win chance and equity over a match: one line each, a rule where a game begins, and the figures of
// the decision under the pointer or reached with the arrow keys.

import { el, svg, text } from "./dom.js";
import { equity, percent } from "./format.js";

const HEIGHT = 168;
const MARGIN = { left: 40, right: 40, top: 20, bottom: 10 };

export class Curve {
  /** `onPick(point)` is called when a decision is chosen by click or Enter. */
  constructor({ onPick = null } = {}) {
    this.points = [];
    this.chosen = null;
    this.onPick = onPick;
    this.plot = el("div", {
      class: "curve-plot",
      tabindex: "0",
      role: "slider",
      "aria-label": "Win chance and equity over the match",
      "aria-valuemin": "0",
    });
    this.readout = el("p", { class: "curve-readout" });
    this.element = el("div", { class: "curve" }, this.plot, this.readout);
    this.plot.addEventListener("pointermove", (event) => this.#point(event));
    this.plot.addEventListener("pointerleave", () => this.choose(null));
    this.plot.addEventListener("blur", () => this.choose(null));
    this.plot.addEventListener("click", (event) => {
      this.#point(event);
      this.#pick();
    });
    this.plot.addEventListener("keydown", (event) => this.#key(event));
    new ResizeObserver(() => this.#draw()).observe(this.plot);
  }

  /** Draw these decisions, oldest first: [{n, game, win, equity, cube}]. */
  show(points) {
    this.points = points.filter((point) => Number.isFinite(point.win) || Number.isFinite(point.equity));
    if (this.chosen !== null && this.chosen >= this.points.length) this.chosen = null;
    this.#draw();
  }

  /** Mark the decision at this index of the points shown; null for none. */
  choose(index) {
    if (index === this.chosen) return;
    this.chosen = index;
    this.#mark();
  }

  #draw() {
    const width = Math.max(240, Math.floor(this.plot.clientWidth));
    const { points } = this;
    const inner = { width: width - MARGIN.left - MARGIN.right, height: HEIGHT - MARGIN.top - MARGIN.bottom };
    const first = points.length ? points[0].n : 0;
    const span = points.length > 1 ? points[points.length - 1].n - first : 1;
    const reach = Math.max(1, ...points.map((point) => Math.abs(point.equity ?? 0)));
    this.x = (point) => MARGIN.left + (inner.width * (point.n - first)) / (span || 1);
    const winY = (win) => MARGIN.top + inner.height * (1 - win);
    const equityY = (value) => MARGIN.top + inner.height * (0.5 - value / (2 * reach));

    const drawing = svg("svg", {
      width,
      height: HEIGHT,
      viewBox: `0 0 ${width} ${HEIGHT}`,
      "aria-hidden": "true",
      focusable: "false",
    });
    for (const share of [0, 0.5, 1]) {
      const y = winY(share);
      const level = (share - 0.5) * 2 * reach;
      drawing.append(
        svg("line", {
          x1: MARGIN.left,
          x2: width - MARGIN.right,
          y1: y,
          y2: y,
          class: share === 0.5 ? "even" : "grid",
        }),
        svg("text", { x: MARGIN.left - 6, y: y + 4, class: "axis win" }, `${100 * share}%`),
        svg("text", { x: width - MARGIN.right + 6, y: y + 4, class: "axis equity" }, axisLabel(level)),
      );
    }
    let labelled = -Infinity;
    for (const [index, point] of points.entries()) {
      if (index > 0 && point.game === points[index - 1].game) continue;
      const x = index === 0 ? this.x(point) : (this.x(point) + this.x(points[index - 1])) / 2;
      if (index > 0)
        drawing.append(
          svg("line", { x1: x, x2: x, y1: MARGIN.top, y2: HEIGHT - MARGIN.bottom, class: "game-edge" }),
        );
      if (x - labelled < 52) continue;
      labelled = x;
      drawing.append(svg("text", { x: x + 3, y: MARGIN.top - 7, class: "game-label" }, `game ${point.game}`));
    }
    for (const [index, point] of points.entries()) {
      if (index === 0 || !turned(points[index - 1], point)) continue;
      const x = (this.x(point) + this.x(points[index - 1])) / 2;
      drawing.append(
        svg("line", { x1: x, x2: x, y1: MARGIN.top, y2: HEIGHT - MARGIN.bottom, class: "cube-edge" }),
        svg("text", { x, y: HEIGHT - 1, class: "cube-label" }, `×${point.cube}`),
      );
    }
    const line = (name, y, className, apart = () => false) => {
      for (const part of runs(points, name, apart)) {
        const path = part.map(
          (point, index) => `${index ? "L" : "M"}${this.x(point).toFixed(1)} ${y(point[name]).toFixed(1)}`,
        );
        if (part.length === 1)
          drawing.append(
            svg("circle", { cx: this.x(part[0]), cy: y(part[0][name]), r: 1.8, class: `${className} dot` }),
          );
        else drawing.append(svg("path", { d: path.join(""), class: className }));
      }
    };
    line("equity", equityY, "line equity", turned);
    line("win", winY, "line win");
    this.cursor = svg("g", { class: "cursor" });
    drawing.append(this.cursor);
    this.marks = { winY, equityY };
    this.plot.replaceChildren(drawing);
    this.#mark();
  }

  #mark() {
    const { points, cursor } = this;
    if (!cursor) return;
    const shown = this.chosen ?? points.length - 1;
    const point = points[shown];
    cursor.replaceChildren();
    this.plot.setAttribute("aria-valuemax", String(Math.max(0, points.length - 1)));
    this.plot.setAttribute("aria-valuenow", String(Math.max(0, shown)));
    if (!point) {
      text(this.readout, "No decision yet.");
      this.plot.setAttribute("aria-valuetext", "No decision yet.");
      return;
    }
    const x = this.x(point);
    if (this.chosen !== null)
      cursor.append(svg("line", { x1: x, x2: x, y1: MARGIN.top, y2: HEIGHT - MARGIN.bottom }));
    if (Number.isFinite(point.equity))
      cursor.append(svg("circle", { cx: x, cy: this.marks.equityY(point.equity), r: 3.5, class: "equity" }));
    if (Number.isFinite(point.win))
      cursor.append(svg("circle", { cx: x, cy: this.marks.winY(point.win), r: 4, class: "win" }));
    const cube = point.cube > 1 ? `, cube ${point.cube}` : "";
    const figures = `win chance ${percent(point.win)}, equity ${equity(point.equity)}${cube}`;
    this.plot.setAttribute("aria-valuetext", `Game ${point.game}, decision ${point.n}: ${figures}`);
    this.readout.replaceChildren(
      el("span", { class: "key win" }, "win ", el("b", {}, percent(point.win))),
      el("span", { class: "key equity" }, "equity ", el("b", {}, equity(point.equity)), cube),
      el(
        "span",
        { class: "where" },
        this.chosen === null ? "now" : `game ${point.game}, decision ${point.n}`,
      ),
    );
  }

  #point(event) {
    if (!this.points.length) return;
    const x = event.clientX - this.plot.getBoundingClientRect().left;
    let best = 0;
    for (const [index, point] of this.points.entries()) {
      if (Math.abs(this.x(point) - x) < Math.abs(this.x(this.points[best]) - x)) best = index;
    }
    this.choose(best);
  }

  #key(event) {
    const last = this.points.length - 1;
    const now = this.chosen ?? last;
    const wanted = {
      ArrowLeft: now - 1,
      ArrowRight: now + 1,
      ArrowDown: now - 1,
      ArrowUp: now + 1,
      PageDown: now - 10,
      PageUp: now + 10,
      Home: 0,
      End: last,
    }[event.key];
    if (event.key === "Enter" || event.key === " ") this.#pick();
    else if (event.key === "Escape") this.choose(null);
    else if (wanted === undefined) return;
    else if (last >= 0) this.choose(Math.min(last, Math.max(0, wanted)));
    event.preventDefault();
    event.stopPropagation();
  }

  #pick() {
    if (this.onPick && this.chosen !== null) this.onPick(this.points[this.chosen]);
  }
}

/** Between them, in one game, the cube was turned: equity counts in another unit from there on. */
function turned(before, after) {
  return before.game === after.game && Boolean(before.cube && after.cube) && before.cube !== after.cube;
}

/** Parts of one game in which a figure is known all along; `apart(before, after)` ends them, too. */
function* runs(points, name, apart) {
  let part = [];
  for (const [index, point] of points.entries()) {
    const before = points[index - 1];
    const broken = index > 0 && (point.game !== before.game || apart(before, point));
    if (part.length && (broken || !Number.isFinite(point[name]))) {
      yield part;
      part = [];
    }
    if (Number.isFinite(point[name])) part.push(point);
  }
  if (part.length) yield part;
}

function axisLabel(value) {
  if (value === 0) return "0";
  const shown = Number.isInteger(value) ? Math.abs(value) : Math.abs(value).toFixed(1);
  return `${value < 0 ? "−" : "+"}${shown}`;
}
