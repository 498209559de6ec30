"""How readable what a page shows is: contrast of all its texts, as WCAG counts it."""

from __future__ import annotations

from typing import Any

from tests.tolerances import CONTRAST_LARGE_TEXT, CONTRAST_TEXT
from tests.web.browser.chromium import Browser

# Every text that is to be seen: its words, size, weight, colour and the colours behind it, innermost first.
# In a drawing the ground is what is drawn there: frame, checker or cube, else what lies behind it all.
_COLLECT = """
const drawn = { 'point-number': '.frame', 'checker-count us': '.checker.us circle', 'board-note': '.frame',
                'checker-count opponent': '.checker.opponent circle' };
const found = [];
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walker.nextNode()) {
  const node = walker.currentNode, element = node.parentElement;
  if (!node.textContent.trim() || !element.checkVisibility()) continue;
  if (element.closest('.spoken, .skip, noscript, option')) continue;
  const style = getComputedStyle(element), grounds = [];
  const svg = element.closest('svg');
  const name = element.getAttribute('class') ?? '';
  const under = element.closest('.cube') ? element.closest('.cube').querySelector('rect')
    : drawn[name] ? svg.querySelector(drawn[name]) : null;
  if (under) grounds.push(getComputedStyle(under).fill);
  else for (let at = element; at; at = at.parentElement) grounds.push(getComputedStyle(at).backgroundColor);
  found.push({ text: node.textContent.trim().slice(0, 40), size: parseFloat(style.fontSize),
               weight: Number(style.fontWeight), colour: svg ? style.fill : style.color, grounds });
}
return found;
"""


def _channels(colour: str) -> tuple[float, ...]:
    """Red, green, blue from 0 to 255 and opacity."""
    assert colour.startswith("rgb"), colour
    numbers = tuple(float(part) for part in colour[colour.index("(") + 1 : -1].replace("/", ",").split(","))
    return numbers if len(numbers) == 4 else (*numbers, 1.0)


def _over(grounds: list[str]) -> tuple[float, ...]:
    below = (255.0, 255.0, 255.0)
    for ground in reversed(grounds):
        *colour, opacity = _channels(ground)
        below = tuple(opacity * top + (1 - opacity) * old for top, old in zip(colour, below, strict=True))
    return below


def _luminance(colour: tuple[float, ...]) -> float:
    linear = [
        value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4
        for value in (channel / 255 for channel in colour[:3])
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def unreadable(browser: Browser) -> list[tuple[str, float]]:
    """The texts with too little contrast, and how many were looked at is asserted to be some."""
    texts: list[dict[str, Any]] = browser.js(_COLLECT)
    assert len(texts) > 20
    bad = []
    for text in texts:
        one, other = _luminance(_channels(text["colour"])), _luminance(_over(text["grounds"]))
        contrast = (max(one, other) + 0.05) / (min(one, other) + 0.05)
        large = text["size"] >= 24 or (text["size"] >= 18.66 and text["weight"] >= 700)
        if contrast < (CONTRAST_LARGE_TEXT if large else CONTRAST_TEXT):
            bad.append((text["text"], round(contrast, 2)))
    return bad
