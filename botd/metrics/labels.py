"""Every value that a label of a metric can have. What is not listed is counted as `other`."""

from __future__ import annotations

from typing import Final

from botd_protocols.traffic import RECEIVED

OTHER: Final = "other"
KINDS: Final = ("play", "cube", "take", "resign")
PLIES: Final = ("0", "1", "2", "3", "4")
SOURCES: Final = ("search", "book", "bearoff", "forced", "fallback", "rules")
WORKER_STATES: Final = ("starting", "idle", "busy", "dead")
RESTART_REASONS: Final = ("crashed", "hung", "garbage", "failed", "start_failed")
ACCOUNT_STATES: Final = (
    "connecting", "waiting", "ready", "playing", "stopped", "done", "refused", "gave_up",
)  # fmt: skip
"""Those of `botd.daemon.session.Summary` and `Outcome`."""
CONNECTION_OUTCOMES: Final = ("ok", "unreachable", "refused", "timeout")
RECONNECT_REASONS: Final = ("closed", "error", "stale", "timeout", "login", "server_restart")
RESYNC_REASONS: Final = ("timeout", "board_mismatch", "rejected", "asked_by_opponent", "resumed")
COMMANDS: Final = (
    "login", "set", "toggle", "invite", "create", "join", "roll", "move", "ok", "double", "accept", "reject",
    "resign", "reset", "board", "leave", "rematch", "tell", "say", "kibitz", "show", "who", "rawwho", "time",
    "list", "pong", "bye", "disconnect", OTHER,
)  # fmt: skip
"""First words of commands of either protocol."""
MESSAGES: Final = tuple(("received", kind) for kind in RECEIVED) + tuple(("sent", word) for word in COMMANDS)
MATCH_RESULTS: Final = ("win", "loss", "left", "suspended", "expired")
LENGTHS: Final = ("unlimited", "1", "3", "5", "7", "9", "11", OTHER)
SIDES: Final = ("us", "opponent")
INVITATION_OUTCOMES: Final = ("accepted", "declined", "resumed", "sent")
INVITATION_REASONS: Final = (
    "none", "stopping", "blocked", "paused", "busy", "full", "not_ready", "not_accepting", "not_allowed",
    "saved_match", "too_many_saved", "cooldown", "in_a_row", "rating", "experience", "unlimited", "length",
    "variant",
)  # fmt: skip
"""`none`, or a value of `botd.daemon.policy.Refusal`."""
DIRECTIONS: Final = ("offered", "received")
"""By us, or by the opponent."""
RESIGNATION_OUTCOMES: Final = ("accepted", "rejected")
LEVELS: Final = ("1", "2", "3")
DOUBLE_ANSWERS: Final = ("take", "pass", "beaver")
PUBLISHED_TO: Final = ("journal", "mqtt")
DROPPED_BY: Final = ("journal", "mqtt", "status_page", "display")
MQTT_OUTCOMES: Final = ("ok", "failed")
LOG_LEVELS: Final = ("warning", "error")
CLOCK_DIRECTIONS: Final = ("forward", "backward")
