// From the record of a match to the steps one can look at: each turn of each game with the board after it.

/**
 * [{game, turn, score, crawford, side, dice, label, detail, board, cube, lastMove, decisions}], the beginning of
 * each game included; `lastMove` is there for a move only.
 */
export function stepsOf(record) {
  return record.games.flatMap((game) => gameSteps(game));
}

function gameSteps(game) {
  const common = { game: game.number, score: game.score, crawford: game.crawford };
  let board = game.turns.find((turn) => turn.before)?.before ?? null;
  const steps = [
    {
      ...common,
      turn: 0,
      side: null,
      dice: null,
      label: "begins",
      detail: game.gap || "",
      board,
      cube: { value: 1, owner: null, offered_by: null },
      lastMove: null,
      decisions: [],
    },
  ];
  for (const turn of game.turns) {
    board = turn.after ?? turn.before ?? null;
    const notation = turn.move?.notation ?? "";
    steps.push({
      ...common,
      turn: turn.number,
      side: turn.side,
      dice: turn.dice,
      label: label(turn, notation),
      detail: turn.gap || "",
      board,
      cube: cubeAfter(turn),
      lastMove: turn.kind === "move" && turn.side ? { side: turn.side, notation } : null,
      decisions: turn.decisions,
    });
  }
  return steps;
}

const RESIGNED = { 1: "the game", 2: "a gammon", 3: "a backgammon" };

function label(turn, notation) {
  switch (turn.kind) {
    case "move":
      return notation || "no move";
    case "roll":
      return "rolls";
    case "tie":
      return "equal opening dice";
    case "double":
      return `doubles to ${turn.cube ?? ""}`.trim();
    case "take":
      return "takes";
    case "pass":
      return "passes";
    case "beaver":
      return "beavers";
    case "automatic":
      return "automatic double";
    case "offer":
      return `offers to resign ${RESIGNED[turn.level] ?? ""}`.trim();
    case "accept":
      return "accepts the resignation";
    case "reject":
      return "rejects the resignation";
    default:
      return turn.kind;
  }
}

function cubeAfter(turn) {
  const before = turn.cube_before;
  if (!before) return null;
  const cube = { value: before.value, owner: before.owner, offered_by: null };
  switch (turn.kind) {
    case "double":
      return { ...cube, offered_by: turn.side };
    case "take":
      return { ...cube, value: turn.cube ?? cube.value, owner: turn.side };
    default:
      return cube;
  }
}
