// Numbers, times and names as people read them.

/** "+0.123"; a dash where there is none. */
export function equity(value) {
  if (!isNumber(value)) return "–";
  return `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(3)}`;
}

/** What a candidate gives away, as "−0.045"; empty for the best. */
export function loss(value) {
  return isNumber(value) && value >= 0.0005 ? `−${value.toFixed(3)}` : "";
}

export function percent(value) {
  return isNumber(value) ? `${(100 * value).toFixed(1)} %` : "–";
}

/** A duration in seconds with three figures or so: "0.4 ms", "27 ms", "1.53 s". */
export function latency(seconds) {
  if (!isNumber(seconds)) return "–";
  if (seconds >= 100) return `${Math.round(seconds)} s`;
  if (seconds >= 1) return `${seconds.toFixed(seconds >= 10 ? 1 : 2)} s`;
  const milliseconds = 1000 * seconds;
  return `${milliseconds >= 10 ? Math.round(milliseconds) : Number(milliseconds.toPrecision(2))} ms`;
}

/** How long, roughly: "8 s", "12 min", "3 h 20 min", "4 d 6 h". */
export function age(seconds) {
  if (!isNumber(seconds)) return "–";
  const whole = Math.max(0, Math.floor(seconds));
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return `${hours} h ${minutes % 60} min`;
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** A moment in the viewer's own time zone; `at` is seconds since 1970 or an ISO text. */
export function moment(at) {
  const date = toDate(at);
  return date ? date.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" }) : "–";
}

/** The time of day, with seconds. */
export function clock(at) {
  const date = toDate(at);
  return date ? date.toLocaleTimeString(undefined, { timeStyle: "medium" }) : "–";
}

function toDate(at) {
  if (at === null || at === undefined || at === "") return null;
  const date = new Date(isNumber(at) ? 1000 * at : at);
  return Number.isNaN(date.getTime()) ? null : date;
}

/** "5 point match", "unlimited match". */
export function matchLength(length) {
  return length > 0 ? `${length} point match` : "unlimited match";
}

/** "us" as the account, "opponent" as the opponent. */
export function sideName(side, names) {
  return side === "us" ? names.us : names.opponent;
}

/** Server names of decisions as people say them. */
export function kindName(kind) {
  return (
    { play: "Play", double: "Double?", take: "Take?", resign: "Resign?", answer_resignation: "Accept?" }[
      kind
    ] ?? kind
  );
}

export function plural(count, noun) {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

function isNumber(value) {
  return typeof value === "number" && Number.isFinite(value);
}
