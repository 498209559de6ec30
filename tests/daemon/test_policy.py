"""The rules for invitations."""

from dataclasses import replace

import pytest

from botd.config import PolicyConfig
from botd.daemon.policy import Invitation, Refusal, Situation, explanation, judge

POLICY = PolicyConfig(min_length=3, max_length=7)
OPEN = PolicyConfig(min_length=1, max_length=64, unlimited=True)
FREE = Situation()


@pytest.mark.parametrize(
    ("length", "refusal"),
    [
        (1, Refusal.LENGTH),
        (2, Refusal.LENGTH),
        (3, None),
        (7, None),
        (8, Refusal.LENGTH),
        (0, Refusal.UNLIMITED),
    ],
)
def test_lengths(length: int, refusal: Refusal | None) -> None:
    assert judge(Invitation("anna", length), FREE, POLICY) is refusal


def test_unlimited_if_allowed() -> None:
    assert judge(Invitation("anna", 0), FREE, OPEN) is None


def test_a_saved_match_is_resumed_whatever_its_length() -> None:
    closed = replace(POLICY, accept=False)
    for length in (0, 1, 64):
        assert judge(Invitation("anna", length, resume=True), FREE, closed) is None


def test_a_new_match_does_not_destroy_a_saved_one() -> None:
    assert judge(Invitation("anna", 5, saved_match=True), FREE, POLICY) is Refusal.SAVED_MATCH


def test_not_accepting() -> None:
    assert judge(Invitation("anna", 5), FREE, replace(POLICY, accept=False)) is Refusal.NOT_ACCEPTING


def test_variants() -> None:
    assert judge(Invitation("anna", 5, variant="nackgammon"), FREE, POLICY) is Refusal.VARIANT


@pytest.mark.parametrize("resume", [False, True])
def test_passing_reasons_hold_for_resumptions_too(resume: bool) -> None:
    invitation = Invitation("anna", 5, resume=resume)
    assert judge(invitation, Situation(stopping=True, playing=True), POLICY) is Refusal.STOPPING
    assert judge(invitation, Situation(playing=True), POLICY) is Refusal.BUSY
    assert judge(invitation, Situation(can_decide=False), POLICY) is Refusal.NOT_READY


def test_every_refusal_has_an_explanation_that_fits_on_a_line() -> None:
    for refusal in Refusal:
        for policy in (POLICY, OPEN, PolicyConfig(min_length=1, max_length=1)):
            text = explanation(refusal, policy)
            assert text.isascii()
            assert text.isprintable()
            assert 10 < len(text) < 100
    assert explanation(Refusal.LENGTH, POLICY) == "Sorry, I play only matches of 3 to 7 points."
