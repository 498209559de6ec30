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


ANNA = Invitation("Anna", 5, rating=1600.0, experience=100)


@pytest.mark.parametrize(
    ("policy", "situation", "refusal"),
    [
        (PolicyConfig(block=("anna",)), FREE, Refusal.BLOCKED),
        (PolicyConfig(block=("bert",)), FREE, None),
        (PolicyConfig(allow=("ANNA", "bert")), FREE, None),
        (PolicyConfig(allow=("bert",)), FREE, Refusal.NOT_ALLOWED),
        (PolicyConfig(min_rating=1600.0), FREE, None),
        (PolicyConfig(min_rating=1600.1), FREE, Refusal.RATING),
        (PolicyConfig(max_rating=1600.0), FREE, None),
        (PolicyConfig(max_rating=1599.9), FREE, Refusal.RATING),
        (PolicyConfig(min_experience=100), FREE, None),
        (PolicyConfig(min_experience=101), FREE, Refusal.EXPERIENCE),
        (PolicyConfig(max_experience=99), FREE, Refusal.EXPERIENCE),
        (PolicyConfig(), Situation(saved=50, since_last_s=0.0, in_a_row=50), None),
        (PolicyConfig(max_saved=3), Situation(saved=2), None),
        (PolicyConfig(max_saved=3), Situation(saved=3), Refusal.TOO_MANY_SAVED),
        (PolicyConfig(cooldown_s=60), Situation(since_last_s=None), None),
        (PolicyConfig(cooldown_s=60), Situation(since_last_s=59.9), Refusal.COOLDOWN),
        (PolicyConfig(cooldown_s=60), Situation(since_last_s=60.0), None),
        (PolicyConfig(max_in_a_row=2), Situation(in_a_row=1), None),
        (PolicyConfig(max_in_a_row=2), Situation(in_a_row=2), Refusal.IN_A_ROW),
        (PolicyConfig(rematch="never"), Situation(in_a_row=0), None),
        (PolicyConfig(rematch="never"), Situation(in_a_row=1), Refusal.IN_A_ROW),
        (PolicyConfig(rematch="never", max_in_a_row=5), Situation(in_a_row=1), Refusal.IN_A_ROW),
        (PolicyConfig(rematch="offer", max_in_a_row=2), Situation(in_a_row=1), None),
    ],
)
def test_who_is_played_and_how_often(
    policy: PolicyConfig, situation: Situation, refusal: Refusal | None
) -> None:
    assert judge(ANNA, situation, policy) is refusal
    # A saved match is finished all the same, unless its opponent is blocked.
    resumed = judge(replace(ANNA, resume=True), situation, policy)
    assert resumed is (refusal if refusal is Refusal.BLOCKED else None)


def test_whoever_the_server_has_not_described_is_welcome() -> None:
    policy = PolicyConfig(min_rating=1500.0, max_rating=1600.0, min_experience=1)
    assert judge(Invitation("anna", 5), FREE, policy) is None


@pytest.mark.parametrize("refusal", Refusal)
def test_every_refusal_has_one_polite_line(refusal: Refusal) -> None:
    policy = PolicyConfig(min_rating=1400.0, max_experience=9)
    text = explanation(refusal, policy)
    assert 0 < len(text) <= 150
    assert text.isprintable()
    assert "None" not in text
