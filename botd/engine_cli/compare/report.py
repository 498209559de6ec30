"""What a comparison prints: a line per deviation, then counts and the distribution of differences."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from botd.engine_cli.compare.criteria import Comparison, Deviation, Difference, Verdict
from botd.engine_cli.float32 import shortest, to_float32

PERCENTILE = 0.99


@dataclass(slots=True)
class Report:
    """Collects comparisons and writes them out."""

    write: Callable[[str], object]
    as_json: bool
    verdicts: Counter[Verdict] = field(default_factory=Counter)
    differences: list[Difference] = field(default_factory=list)
    exact: int = 0
    cases: int = 0
    unanswered: int = 0

    @property
    def failed(self) -> bool:
        return self.verdicts[Verdict.FAILS] > 0 or self.unanswered > 0

    def add(self, comparison: Comparison) -> None:
        """Print the deviations of one case and count everything."""
        self.cases += 1
        self.exact += comparison.exact
        self.differences += comparison.differences
        for deviation in comparison.deviations:
            self.verdicts[deviation.verdict] += 1
            self.write(self._line(deviation) + "\n")

    def add_unanswered(self, case_id: str, reason: str) -> None:
        """A case about which one side says nothing counts as failed."""
        self.cases += 1
        self.unanswered += 1
        if self.as_json:
            self.write(json.dumps({"unanswered": {"id": case_id, "reason": reason}}) + "\n")
        else:
            self.write(f"{_clean(case_id)}\tno answer\t{_clean(reason)}\n")

    def finish(self, heading: dict[str, Any]) -> None:
        """Print the summary; `heading` says what was compared with what."""
        summary = {**heading, **self._summary()}
        if self.as_json:
            self.write(json.dumps({"summary": summary}) + "\n")
            return
        lines = ["", ", ".join(f"{name} {value}" for name, value in heading.items())]
        lines.append(f"{self.cases} cases, {self.unanswered} of them unanswered")
        lines.append(f"{self.exact} counts, names and notations compared")
        for name, numbers in summary["differences"].items():
            lines.append(
                f"{name}: {numbers['count']} numbers, 99 % within {numbers['p99']:.3g}, "
                f"largest {numbers['largest']:.3g} ({numbers['at']})"
            )
        found = ", ".join(f"{self.verdicts[verdict]} {verdict}" for verdict in Verdict)
        lines.append(f"deviations: {found}")
        lines.append("FAILED" if self.failed else "passed")
        self.write("\n".join(lines) + "\n")

    def _line(self, deviation: Deviation) -> str:
        if self.as_json:
            fields = {name: _short(value) for name, value in asdict(deviation).items()}
            return json.dumps({"deviation": fields})
        parts = (
            deviation.id,
            deviation.ply,
            deviation.field,
            _short(deviation.expected),
            _short(deviation.got),
            deviation.verdict,
        )
        return "\t".join(_clean(str(part)) for part in parts)

    def _summary(self) -> dict[str, Any]:
        plain = [difference for difference in self.differences if not difference.set_aside]
        groups: dict[str, list[Difference]] = {}
        for difference in plain:
            groups.setdefault(_group(difference.ply), []).append(difference)
        groups = {name: groups[name] for name in sorted(groups)}
        groups["all"] = plain
        aside = [difference for difference in self.differences if difference.set_aside]
        if aside:
            groups["noisy or version-sensitive, not in the above"] = aside
        return {
            "cases": self.cases,
            "unanswered": self.unanswered,
            "exact": self.exact,
            "differences": {name: _distribution(members) for name, members in groups.items() if members},
            "deviations": {str(verdict): self.verdicts[verdict] for verdict in Verdict},
            "passed": not self.failed,
        }


def _distribution(differences: Sequence[Difference]) -> dict[str, Any]:
    sizes = sorted(difference.size for difference in differences)
    worst = max(differences, key=lambda difference: difference.size)
    return {
        "count": len(sizes),
        "p99": to_float32(sizes[max(0, math.ceil(PERCENTILE * len(sizes)) - 1)]),
        "largest": to_float32(worst.size),
        "at": f"{worst.id}, {worst.ply}, {worst.field}",
    }


def _group(ply: str) -> str:
    if ply == "-":
        return "tables"
    return f"ply {ply}" if ply.isdigit() else ply


def _short(value: object) -> object:
    """Numbers as the 32-bit floats that they are."""
    return shortest(value) if isinstance(value, float) and math.isfinite(value) else value


def _clean(text: str) -> str:
    """Without control characters: names come from files."""
    return "".join(character if character.isprintable() else "?" for character in text)
