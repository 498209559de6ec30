"""Backgammon on a terminal: drawing boards, showing progress, playing a match on this machine."""
