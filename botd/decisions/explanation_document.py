"""An explanation as a document for programs; see `botd.journal.match_document` for the terms."""

from __future__ import annotations

from typing import Any

from botd.decisions.again import Verdict
from botd.decisions.explanation import Explanation
from botd.journal.match_document import decision_document, option_documents


def explanation_document(found: Explanation) -> dict[str, Any]:
    question = found.question
    return {
        "kind": question.kind,
        "side": question.side,
        "did": question.did,
        "board": question.board,
        "dice": question.dice,
        "context": question.context,
        "then": None if found.then is None else decision_document(found.then),
        "again": None if found.again is None else _verdict(found.again),
        "same_choice": found.same_choice,
        "largest_difference": found.largest_difference,
        "provenance": [
            {"what": each.what, "then": each.then, "now": each.now, "same": each.same}
            for each in found.provenance
        ],
        "today": [_verdict(verdict) for verdict in found.today],
        "notes": found.notes,
    }


def _verdict(verdict: Verdict) -> dict[str, Any]:
    setup = verdict.setup
    return {
        "engine": setup.engine,
        "mode": setup.mode,
        "asked_ply": setup.ply,
        "level": None if setup.level is None else setup.level.name,
        "seed": setup.seed,
        "ply": verdict.ply,
        "source": verdict.source,
        "seconds": verdict.seconds,
        "chosen": verdict.chosen,
        "options": option_documents(verdict.options, verdict.chosen),
        "engine_version": verdict.info.version,
        "weights_sha256": verdict.info.weights_sha256,
        "cpu_path": verdict.info.cpu_path,
        "met": verdict.info.met,
    }
