"""A curve that never has more than so many points, however long the match: the longer, the coarser."""

from __future__ import annotations

from botd.live.documents import MAX_CURVE, Point


class Curve:
    """Points in order; the newest is always there, the others are evenly spaced."""

    def __init__(self, most: int = MAX_CURVE) -> None:
        """most: an even number of points, at least 2."""
        self._most = most
        self._points: list[Point] = []
        self._every = 1
        self._last: Point | None = None
        self._number = 0

    def add(self, game: int, win: float | None, equity: float | None, cube: int | None) -> None:
        self._last = Point(n=self._number + 1, game=game, win=win, equity=equity, cube=cube)
        if self._number % self._every == 0:
            self._points.append(self._last)
        self._number += 1
        if len(self._points) >= self._most:
            self._points = self._points[::2]
            self._every *= 2

    @property
    def points(self) -> tuple[Point, ...]:
        last = self._last
        if last is None or self._points[-1] is last:
            return tuple(self._points)
        return (*self._points, last)
