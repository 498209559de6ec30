"""Whom to play: a chain of small named rules. The first that objects decides, with a reason people get."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from enum import StrEnum

from botd.config.schema import PolicyConfig


class Refusal(StrEnum):
    """Why an invitation is not accepted. The values are the labels of the metric."""

    STOPPING = "stopping"
    PAUSED = "paused"
    BLOCKED = "blocked"
    BUSY = "busy"
    FULL = "full"
    NOT_READY = "not_ready"
    NOT_ACCEPTING = "not_accepting"
    NOT_ALLOWED = "not_allowed"
    SAVED_MATCH = "saved_match"
    TOO_MANY_SAVED = "too_many_saved"
    COOLDOWN = "cooldown"
    IN_A_ROW = "in_a_row"
    RATING = "rating"
    EXPERIENCE = "experience"
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
    rating: float | None = None
    experience: int | None = None
    """The inviter's, as the server says; None if it has not said."""


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
    saved: int = 0
    """Saved matches that we have to finish."""
    since_last_s: float | None = None
    """Seconds since our last match with the inviter ended."""
    in_a_row: int = 0
    """How many matches we have last played with the inviter and nobody else."""


Rule = Callable[[Invitation, Situation, PolicyConfig], Refusal | None]


def not_stopping(invitation: Invitation, situation: Situation, policy: PolicyConfig) -> Refusal | None:
    return Refusal.STOPPING if situation.stopping or situation.server_closing else None


def not_paused(invitation: Invitation, situation: Situation, policy: PolicyConfig) -> Refusal | None:
    return Refusal.PAUSED if situation.paused else None


def not_blocked(invitation: Invitation, situation: Situation, policy: PolicyConfig) -> Refusal | None:
    return Refusal.BLOCKED if _named(invitation.inviter, policy.block) else None


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


def on_the_list(invitation: Invitation, situation: Situation, policy: PolicyConfig) -> Refusal | None:
    if invitation.resume or not policy.allow or _named(invitation.inviter, policy.allow):
        return None
    return Refusal.NOT_ALLOWED


def few_saved(invitation: Invitation, situation: Situation, policy: PolicyConfig) -> Refusal | None:
    if invitation.resume or not policy.max_saved or situation.saved < policy.max_saved:
        return None
    return Refusal.TOO_MANY_SAVED


def rested(invitation: Invitation, situation: Situation, policy: PolicyConfig) -> Refusal | None:
    since = situation.since_last_s
    if invitation.resume or since is None or since >= policy.cooldown_s:
        return None
    return Refusal.COOLDOWN


def others_too(invitation: Invitation, situation: Situation, policy: PolicyConfig) -> Refusal | None:
    most = 1 if policy.rematch == "never" else policy.max_in_a_row
    if invitation.resume or not most or situation.in_a_row < most:
        return None
    return Refusal.IN_A_ROW


def rating_in_band(invitation: Invitation, situation: Situation, policy: PolicyConfig) -> Refusal | None:
    if invitation.resume or _within(invitation.rating, policy.min_rating, policy.max_rating):
        return None
    return Refusal.RATING


def experience_in_band(invitation: Invitation, situation: Situation, policy: PolicyConfig) -> Refusal | None:
    if invitation.resume or _within(invitation.experience, policy.min_experience, policy.max_experience):
        return None
    return Refusal.EXPERIENCE


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
    not_blocked,
    not_paused,
    one_match_at_a_time,
    able_to_decide,
    only_backgammon,
    accepting_new,
    on_the_list,
    saved_match_first,
    few_saved,
    rested,
    others_too,
    rating_in_band,
    experience_in_band,
    unlimited_allowed,
    length_in_range,
)


TABLE_RULES: tuple[Rule, ...] = (not_blocked, on_the_list, rested, others_too, rating_in_band)
"""Those for somebody who has sat down at our table, to a match of our own choice."""

REMATCH_RULES: tuple[Rule, ...] = (
    *(not_stopping, not_paused, able_to_decide),
    *(not_blocked, on_the_list, rested, others_too),
)
"""Those for another match with somebody who has just played one at our table."""


def judge(
    invitation: Invitation, situation: Situation, policy: PolicyConfig, rules: tuple[Rule, ...] = RULES
) -> Refusal | None:
    """None to accept. A resumption is refused only for reasons that pass."""
    for rule in rules:
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
        case Refusal.BLOCKED | Refusal.NOT_ALLOWED:
            return "Sorry, I do not play with you."
        case Refusal.FULL:
            return "Sorry, all my family is playing; please try again later."
        case Refusal.TOO_MANY_SAVED:
            return "Sorry, I have too many saved matches to finish first."
        case Refusal.COOLDOWN:
            return "Thanks for our last match! Please try again later; others want to play, too."
        case Refusal.IN_A_ROW:
            return "Thanks for our matches! Now somebody else may play; please try again later."
        case Refusal.RATING:
            band = _band(policy.min_rating, policy.max_rating)
            return f"Sorry, I play only with ratings {band}."
        case Refusal.EXPERIENCE:
            band = _band(policy.min_experience, policy.max_experience)
            return f"Sorry, I play only with an experience {band}."
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


def _named(name: str, players: Collection[str]) -> bool:
    """Servers let people write their names in small or capital letters."""
    return name.lower() in {player.lower() for player in players}


def _within(value: float | None, least: float | None, most: float | None) -> bool:
    """Whoever is unknown is welcome."""
    if value is None:
        return True
    return (least is None or value >= least) and (most is None or value <= most)


def _band(least: float | None, most: float | None) -> str:
    if most is None:
        return "of my own choice" if least is None else f"from {least:g}"
    return f"up to {most:g}" if least is None else f"from {least:g} to {most:g}"
