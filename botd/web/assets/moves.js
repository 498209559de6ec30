// Reads move notation (gnubg's: `bar/22`, `13/8*/5`, `6/off(2)`) into the ways of single checkers.

const WORD = /^((?:bar|off|\d{1,2})\*?(?:\/(?:bar|off|\d{1,2})\*?)+)(?:\(([1-4])\))?$/i;
const LONGEST = 100;

/**
 * The checkers' ways as lists of points, from the mover's side: 25 is the bar, 0 is borne off. A text that is
 * no notation has none.
 */
export function ways(notation) {
  const found = [];
  if (String(notation ?? "").length > LONGEST) return found;
  for (const word of String(notation ?? "")
    .trim()
    .split(/\s+/)) {
    const match = WORD.exec(word);
    if (!match) return [];
    const points = match[1].split("/").map(toPoint);
    if (points.some((point) => point > 25)) return [];
    for (let copy = 0; copy < Number(match[2] ?? 1) && found.length < 4; copy += 1) found.push(points);
  }
  return found;
}

function toPoint(name) {
  const bare = name.replace("*", "").toLowerCase();
  return bare === "bar" ? 25 : bare === "off" ? 0 : Number(bare);
}
