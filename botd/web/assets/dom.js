// Makes elements. Texts go in as text nodes and attribute values only: names, moves and errors come from
// other people's programs, so nothing here ever parses markup.

const SVG = "http://www.w3.org/2000/svg";

/** An HTML element; `children` are nodes or texts, null and false are left out. */
export function el(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** An SVG element, made the same way. */
export function svg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

/** Set an element's text, touching the document only if it changes. */
export function text(node, value) {
  const shown = String(value ?? "");
  if (node.textContent !== shown) node.textContent = shown;
}

/** For screen readers only. */
export function spoken(value) {
  return el("span", { class: "spoken" }, value);
}

/** A function that calls `draw(value)` only when the value differs from the last one. */
export function whenChanged(draw) {
  let last;
  return (value) => {
    const now = JSON.stringify(value) ?? "";
    if (now === last) return;
    last = now;
    draw(value);
  };
}
