"""Whom to play: a chain of small named rules. The first that objects decides, with a reason people get."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from botd.config.schema import PolicyConfig


class Refusal(StrEnum):
    """Why an invitation is not accepted. The values are the labels of the metric."""

    STOPPING = "stopping"
    PAUSED = "paused"
    BUSY = "busy"
    NOT_READY = "not_ready"
    NOT_ACCEPTING = "not_accepting"
    SAVED_MATCH = "saved_match"
    UNLIMITED = "unlimited"
    LENGTH = "length"
    VARIANT = "variant"


@dataclass(frozen=True, slots=True)
class Invitation:
    inviter: str
    length: int
    """Points; 0 is unlimited. Without meaning for a resumption."""
    resume: bool = False
    """To go on with a saved match."""
    saved_match: bool = False
    """A new match, although one with this player is saved and would be lost."""
    variant: str = ""
    """Some other game than backgammon, as the server names it."""


@dataclass(frozen=True, slots=True)
class Situation:
    """What else the rules look at."""

    stopping: bool = False
    server_closing: bool = False
    """The server has announced that it goes down."""
    paused: bool = False
    """The operator lets no new match begin."""
    playing: bool = False
    can_decide: bool = True
    """The decision service works."""


Rule = Callable[[Invitation, Situation, PolicyConfig], Refusal | None]


def not_stopping(invitation: Invitation, situation: Situation, policy: PolicyConfig) -> Refusal | None:
    return Refusal.STOPPING if situation.stopping or situation.server_closing else None


def not_paused(invitation: Invitation, situation: Situation, policy: PolicyConfig) -> Refusal | None:
    return Refusal.PAUSED if situation.paused else None


def one_match_at_a_time(invitation: Invitation, situation: Situation, policy: PolicyConfig) -> Refusal | None:
    return Refusal.BUSY if situation.playing else None


def able_to_decide(invitation: Invitation, situation: Situation, policy: PolicyConfig) -> Refusal | None:
    return None if situation.can_decide else Refusal.NOT_READY


def only_backgammon(invitation: Invitation, situation: Situation, policy: PolicyConfig) -> Refusal | None:
    return Refusal.VARIANT if invitation.variant else None


def accepting_new(invitation: Invitation, situation: Situation, policy: PolicyConfig) -> Refusal | None:
    return None if invitation.resume or policy.accept else Refusal.NOT_ACCEPTING


def saved_match_first(invitation: Invitation, situation: Situation, policy: PolicyConfig) -> Refusal | None:
    """Accepting a new match would destroy the saved one."""
    return Refusal.SAVED_MATCH if invitation.saved_match and not invitation.resume else None


def unlimited_allowed(invitation: Invitation, situation: Situation, policy: PolicyConfig) -> Refusal | None:
    if invitation.resume or invitation.length != 0 or policy.unlimited:
        return None
    return Refusal.UNLIMITED


def length_in_range(invitation: Invitation, situation: Situation, policy: PolicyConfig) -> Refusal | None:
    if invitation.resume or invitation.length == 0:
        return None
    return None if policy.min_length <= invitation.length <= policy.max_length else Refusal.LENGTH


RULES: tuple[Rule, ...] = (
    not_stopping,
    not_paused,
    one_match_at_a_time,
    able_to_decide,
    only_backgammon,
    accepting_new,
    saved_match_first,
    unlimited_allowed,
    length_in_range,
)


def judge(invitation: Invitation, situation: Situation, policy: PolicyConfig) -> Refusal | None:
    """None to accept. A resumption is refused only for reasons that pass."""
    for rule in RULES:
        refusal = rule(invitation, situation, policy)
        if refusal is not None:
            return refusal
    return None


def explanation(refusal: Refusal, policy: PolicyConfig) -> str:
    """One polite line for the inviter."""
    match refusal:
        case Refusal.STOPPING:
            return "Sorry, I am about to leave."
        case Refusal.PAUSED:
            return "Sorry, I am taking a break; please try again later."
        case Refusal.BUSY:
            return "Sorry, I am playing."
        case Refusal.NOT_READY:
            return "Sorry, I cannot play right now; please try again later."
        case Refusal.NOT_ACCEPTING:
            return "Sorry, I do not accept new matches now."
        case Refusal.SAVED_MATCH:
            return "We have a saved match; let us finish that one first."
        case Refusal.UNLIMITED:
            return f"Sorry, I play no unlimited matches, only {lengths(policy)}."
        case Refusal.LENGTH:
            return f"Sorry, I play only {lengths(policy)}."
        case Refusal.VARIANT:
            return "Sorry, I play only plain backgammon."


def lengths(policy: PolicyConfig) -> str:
    least, most = policy.min_length, policy.max_length
    text = f"matches of {least} to {most} points" if least < most else f"matches of {least} point(s)"
    return f"{text} or unlimited ones" if policy.unlimited else text
