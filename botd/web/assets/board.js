// Draws a board from the bot's seat: its home at the lower right, its checkers moving from 24 to 1.
//
// Boards are the 26 integers of the live document: [1..24] the points from our bear-off end, our checkers
// positive, the opponent's negative; [25] our bar, [0] the opponent's bar.

import { el, svg } from "./dom.js";
import { sideName } from "./format.js";
import { ways } from "./moves.js";

const CELL = 44; // width of a point
const CHECKER = 20; // radius
const STEP = 40; // between the centres of stacked checkers
const STACK = 5; // checkers shown on a point before they are counted
const EDGE = 28; // frame with the numbers
const SIDE = 52; // cube at the left, borne-off tray at the right
const MIDDLE = 56; // between upper and lower half, where the dice lie
const HALF = 6 * CELL;
const BAR = { x: SIDE + HALF, width: 48 };
const WIDTH = 2 * SIDE + 2 * HALF + BAR.width;
const TOP = EDGE;
const BOTTOM = EDGE + 2 * STACK * STEP + MIDDLE;
const HEIGHT = BOTTOM + EDGE;
const CENTRE = HEIGHT / 2;

/**
 * A `<figure>` with the drawing and, for screen readers, the same in words.
 *
 * scene: { board, names: {us, opponent}, dice, roller, played, cube, crawford, length, lastMove }; `roller` is
 * the side the dice belong to, `played` that they have been played, `lastMove` {side, notation}. `fresh`:
 * that move is new to the reader.
 */
export function boardFigure(scene, { fresh = false } = {}) {
  const words = describe(scene);
  return el(
    "figure",
    { class: `board${fresh ? " fresh" : ""}` },
    drawing(scene),
    el("figcaption", { class: "spoken" }, words),
  );
}

function drawing(scene) {
  const board = isBoard(scene.board) ? scene.board : null;
  const shown = svg("svg", {
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
    class: "board-drawing",
    "aria-hidden": "true",
    focusable: "false",
    "data-board": board ? board.join(" ") : "",
  });
  shown.append(...surface());
  if (!board) {
    shown.append(svg("text", { x: WIDTH / 2, y: CENTRE, class: "board-note" }, "no board yet"));
    return shown;
  }
  for (let point = 1; point <= 24; point += 1) shown.append(...stack(point, board[point]));
  shown.append(...bar("us", board[25]), ...bar("opponent", board[0]));
  const off = borneOff(board);
  shown.append(...tray("us", off.us), ...tray("opponent", off.opponent));
  if (scene.cube) shown.append(...cube(scene));
  if (scene.dice && scene.roller) shown.append(dice(scene));
  if (scene.lastMove) shown.append(...arrows(scene.lastMove, board));
  return shown;
}

export function isBoard(board) {
  return Array.isArray(board) && board.length === 26 && board.every(Number.isInteger);
}

/** How many checkers each side has borne off. */
function borneOff(board) {
  const count = (sign) => board.slice(1, 25).reduce((sum, number) => sum + Math.max(0, sign * number), 0);
  return { us: Math.max(0, 15 - count(1) - board[25]), opponent: Math.max(0, 15 - count(-1) - board[0]) };
}

/** Pips to go, [ours, the opponent's]. */
export function pipCounts(board) {
  let [us, opponent] = [25 * board[25], 25 * board[0]];
  for (let point = 1; point <= 24; point += 1) {
    if (board[point] > 0) us += point * board[point];
    else opponent -= (25 - point) * board[point];
  }
  return [us, opponent];
}

function surface() {
  const parts = [
    svg("rect", { x: 0, y: 0, width: WIDTH, height: HEIGHT, rx: 12, class: "frame" }),
    svg("rect", { x: SIDE, y: TOP, width: HALF, height: BOTTOM - TOP, class: "felt" }),
    svg("rect", { x: BAR.x + BAR.width, y: TOP, width: HALF, height: BOTTOM - TOP, class: "felt" }),
  ];
  for (let point = 1; point <= 24; point += 1) {
    const x = pointX(point);
    const upper = point > 12;
    const base = upper ? TOP : BOTTOM;
    const tip = base + (upper ? 1 : -1) * STEP * (STACK - 0.3);
    parts.push(
      svg("path", {
        d: `M${x - CELL / 2 + 1} ${base} L${x} ${tip} L${x + CELL / 2 - 1} ${base} Z`,
        class: point % 2 ? "point odd" : "point even",
      }),
      svg("text", { x, y: upper ? TOP - 9 : BOTTOM + 20, class: "point-number" }, String(point)),
    );
  }
  const x = WIDTH - SIDE + 8;
  for (const y of [TOP, BOTTOM - 15 * 12 - 8]) {
    parts.push(svg("rect", { x, y, width: SIDE - 16, height: 15 * 12 + 8, rx: 4, class: "tray" }));
  }
  return parts;
}

/** The middle of a point, 1 to 24. */
function pointX(point) {
  const column = point <= 12 ? 12 - point : point - 13;
  return SIDE + column * CELL + CELL / 2 + (column >= 6 ? BAR.width : 0);
}

function pointY(point, level) {
  const depth = CHECKER + 1 + Math.min(level, STACK - 1) * STEP;
  return point > 12 ? TOP + depth : BOTTOM - depth;
}

function stack(point, number) {
  const count = Math.abs(number);
  const side = number > 0 ? "us" : "opponent";
  const parts = [];
  for (let level = 0; level < Math.min(count, STACK); level += 1) {
    parts.push(checker(side, pointX(point), pointY(point, level), { "data-point": point }));
  }
  if (count > STACK) parts.push(counted(side, pointX(point), pointY(point, STACK - 1), count));
  return parts;
}

/** Checkers on the bar lie next to the middle: ours in the upper half, where they come in. */
function bar(side, count) {
  const parts = [];
  const x = BAR.x + BAR.width / 2;
  for (let level = 0; level < Math.min(count, 4); level += 1) {
    parts.push(checker(side, x, barY(side, level), { "data-point": side === "us" ? 25 : 0 }));
  }
  if (count > 4) parts.push(counted(side, x, barY(side, 3), count));
  return parts;
}

function barY(side, level) {
  const depth = MIDDLE / 2 + CHECKER + Math.min(level, 3) * STEP;
  return side === "us" ? CENTRE - depth : CENTRE + depth;
}

function checker(side, x, y, attributes) {
  return svg(
    "g",
    { class: `checker ${side}`, ...attributes },
    svg("circle", { cx: x, cy: y, r: CHECKER - 1 }),
    svg("circle", { cx: x, cy: y, r: CHECKER - 7, class: "ring" }),
  );
}

function counted(side, x, y, count) {
  return svg("text", { x, y: y + 7, class: `checker-count ${side}` }, String(count));
}

/** Borne-off checkers, seen from their edge. */
function tray(side, count) {
  const parts = [];
  for (let level = 0; level < count; level += 1) {
    const depth = 5 + level * 12;
    parts.push(
      svg("rect", {
        x: WIDTH - SIDE + 11,
        y: side === "us" ? BOTTOM - depth - 10 : TOP + depth,
        width: SIDE - 22,
        height: 10,
        rx: 2,
        class: `off ${side}`,
      }),
    );
  }
  return parts;
}

function dice({ dice: faces, roller: side, played }) {
  const middle = SIDE + HALF / 2 + (side === "us" ? HALF + BAR.width : 0);
  return svg(
    "g",
    { class: `dice ${side}${played ? " played" : ""}`, "data-dice": faces.join("-"), "data-side": side },
    faces.map((face, index) => die(face, middle + (index ? 6 : -46), CENTRE - 20, side)),
  );
}

const PIPS = {
  1: [[20, 20]],
  2: [
    [11, 11],
    [29, 29],
  ],
  3: [
    [10, 10],
    [20, 20],
    [30, 30],
  ],
  4: [
    [11, 11],
    [29, 11],
    [11, 29],
    [29, 29],
  ],
  5: [
    [10, 10],
    [30, 10],
    [20, 20],
    [10, 30],
    [30, 30],
  ],
  6: [
    [11, 9],
    [29, 9],
    [11, 20],
    [29, 20],
    [11, 31],
    [29, 31],
  ],
};

function die(face, x, y, side) {
  return svg(
    "g",
    { transform: `translate(${x} ${y})`, class: `die ${side}` },
    svg("rect", { width: 40, height: 40, rx: 8 }),
    (PIPS[face] ?? []).map(([cx, cy]) => svg("circle", { cx, cy, r: 4 })),
  );
}

/** At the left: in the middle, at its owner's side, or in the field of whom it is offered to. */
function cube({ cube: state, crawford, length }) {
  if (length === 1) return [];
  const offered = state.offered_by;
  const value = offered ? 2 * state.value : state.value;
  const size = 40;
  let [x, y] = [SIDE / 2, CENTRE];
  if (offered) x = SIDE + HALF / 2 + (offered === "us" ? 0 : HALF + BAR.width);
  else if (state.owner) y = state.owner === "us" ? BOTTOM - size / 2 - 2 : TOP + size / 2 + 2;
  const face = offered || state.owner || state.value > 1 ? String(value) : crawford ? "Cr" : "64";
  return [
    svg(
      "g",
      {
        class: `cube${offered ? " offered" : ""}${crawford ? " dead" : ""}`,
        "data-value": value,
        "data-owner": state.owner ?? "",
        "data-offered-by": offered ?? "",
      },
      svg("rect", { x: x - size / 2, y: y - size / 2, width: size, height: size, rx: 7 }),
      svg("text", { x, y: y + (face.length > 2 ? 6 : 8), class: face.length > 2 ? "long" : null }, face),
    ),
  ];
}

/** From where each checker stood to where it went. */
function arrows({ side, notation }, board) {
  const left = {};
  const taken = {};
  const parts = [];
  for (const way of ways(notation)) {
    const from = way[0];
    const to = way[way.length - 1];
    left[from] = (left[from] ?? 0) + 1;
    taken[to] = (taken[to] ?? 0) + 1;
    const start = place(side, from, Math.abs(count(side, from, board)) + left[from] - 1);
    const end = place(side, to, Math.max(0, Math.abs(count(side, to, board)) - taken[to]));
    parts.push(...arrow(start, end, side));
  }
  return parts;
}

/** Checkers of the mover on one of their own points. */
function count(side, point, board) {
  if (point === 0) return borneOff(board)[side];
  if (side === "us") return Math.max(0, board[point]);
  return point === 25 ? board[0] : Math.max(0, -board[25 - point]);
}

function place(side, point, level) {
  if (point === 25) return [BAR.x + BAR.width / 2, barY(side, level)];
  if (point === 0)
    return [WIDTH - SIDE / 2, side === "us" ? BOTTOM - 10 - level * 12 : TOP + 10 + level * 12];
  const seen = side === "us" ? point : 25 - point;
  return [pointX(seen), pointY(seen, level)];
}

function arrow([x1, y1], [x2, y2], side) {
  const length = Math.hypot(x2 - x1, y2 - y1);
  if (length < 1) return [];
  // Bent away from the edge, so that arrows along one side of the board stay apart from the checkers.
  const bend = Math.min(60, length / 4) * ((y1 + y2) / 2 > CENTRE ? -1 : 1);
  const [cx, cy] = [(x1 + x2) / 2, (y1 + y2) / 2 + (Math.abs(x2 - x1) > CELL / 2 ? bend : 0)];
  const angle = Math.atan2(y2 - cy, x2 - cx);
  const [tx, ty] = [x2 - 6 * Math.cos(angle), y2 - 6 * Math.sin(angle)];
  const wing = (turn) => `${x2 - 20 * Math.cos(angle + turn)} ${y2 - 20 * Math.sin(angle + turn)}`;
  return [
    svg("circle", { cx: x1, cy: y1, r: CHECKER - 3, class: `ghost ${side}` }),
    svg("path", { d: `M${x1} ${y1} Q${cx} ${cy} ${tx} ${ty}`, class: "arrow" }),
    svg("path", { d: `M${x2} ${y2} L${wing(0.45)} L${wing(-0.45)} Z`, class: "arrow-head" }),
  ];
}

/** The board in words, as a player would read it out. */
function describe(scene) {
  const { board, names } = scene;
  if (!isBoard(board)) return "No board yet.";
  const off = borneOff(board);
  const side = (sign, who, onBar, gone) => {
    const points = [];
    for (let point = 24; point >= 1; point -= 1) {
      const number = sign * board[sign > 0 ? point : 25 - point];
      if (number > 0) points.push(`${number} on ${point}`);
    }
    if (onBar) points.unshift(`${onBar} on the bar`);
    if (gone) points.push(`${gone} borne off`);
    return `${who}: ${points.join(", ") || "no checkers"}.`;
  };
  const parts = [
    `Board seen from ${names.us}'s seat; points counted from each player's own side.`,
    side(1, names.us, board[25], off.us),
    side(-1, names.opponent, board[0], off.opponent),
  ];
  if (scene.cube && scene.length !== 1) parts.push(`${cubeWords(scene)}.`);
  if (scene.dice && scene.roller) {
    parts.push(`${sideName(scene.roller, names)} rolled ${scene.dice.join(" and ")}.`);
  }
  if (scene.lastMove) {
    parts.push(
      `Last move: ${sideName(scene.lastMove.side, names)} ${scene.lastMove.notation || "could not move"}.`,
    );
  }
  return parts.join(" ");
}

/** Value and place of the cube: "Cube 2, anna_bot's". */
export function cubeWords({ cube: state, crawford, names }) {
  if (crawford) return "Crawford game, no doubling";
  if (state.offered_by) return `${sideName(state.offered_by, names)} offers the cube at ${2 * state.value}`;
  if (state.owner) return `Cube ${state.value}, ${sideName(state.owner, names)}’s`;
  return `Cube ${state.value}, in the middle`;
}
